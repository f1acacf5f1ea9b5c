// SPDX-License-Identifier: Apache-2.0
// P1, D3: the QP table counts the lives of a QP number; every block and pipeline has it from there.
#include "tb/integration/mutant_run.h"
#include "tb/system/system.h"

#include <catch2/catch.hpp>

#include <array>

namespace cqsim::tb::test {
namespace {

constexpr std::uint16_t kLivesBefore = 41;
constexpr std::array kOfAQp{Kind::Create,
                            Kind::Post,
                            Kind::Complete,
                            Kind::Suppress,
                            Kind::Request,
                            Kind::Grant,
                            Kind::Slot,
                            Kind::Outcome};

/// The library's QP table, in which every number has had lives before.
EngineFactories with_earlier_lives() {
    EngineFactories factories = EngineFactories::standard();
    factories.qp_table = [](const char* name, BlockContext& context) {
        Rows<QpRow> rows(context.lines.qp, ObjectLines::kQpTableOffset);
        for (std::uint32_t qp = 0; qp < rows.size(); ++qp) {
            rows[qp].generation = kLivesBefore + 1;  // as the last destroy leaves it
        }
        return std::make_unique<QpTable>(
            name, context.timeline, context.records, QpRules(std::move(rows), context.config.cqs));
    };
    return factories;
}

/// Counts the records of QPs, by kind, and those of another generation than `wanted`.
class Generations final : public RecordSubscriber {
  public:
    explicit Generations(std::uint16_t wanted)
        : m_wanted(wanted) {}

    std::array<std::uint32_t, kOfAQp.size()> seen{};
    std::array<std::uint32_t, kOfAQp.size()> others{};

  private:
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            for (std::size_t i = 0; i < kOfAQp.size(); ++i) {
                if (record.kind == kOfAQp[i] && record.qpn != kNoQp) {
                    ++seen[i];
                    others[i] += record.generation == m_wanted ? 0 : 1;
                }
            }
        }
    }

    std::uint16_t m_wanted;
};

}  // namespace

TEST_CASE("P1 D3 every record of a QP carries the generation that the QP table counts") {
    const Scenario scenario = shipped("first_look");
    System system("system", scenario, true, with_earlier_lives());
    Generations generations(kLivesBefore + 1);
    KindMask mask = 0;
    for (const Kind kind : kOfAQp) {
        mask |= mask_of(kind);
    }
    system.records().subscribe(generations, mask);
    CHECK(system.run().reason == EndReason::Idle);
    for (std::size_t i = 0; i < kOfAQp.size(); ++i) {
        INFO("kind " << static_cast<unsigned>(kOfAQp[i]));
        CHECK(generations.seen[i] != 0);
        CHECK(generations.others[i] == 0);
    }
}

}  // namespace cqsim::tb::test
