// SPDX-License-Identifier: Apache-2.0
// Life of a CQ: the command unit with the overflow checker of the library behind it (S4, D2).
#include "models/overflow/overflow_checker.h"
#include "tb/unit/command_bench.h"
#include "tb/unit/event_sink.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Result = CommandResult;

constexpr std::uint64_t kRing = 0x1'0000;
constexpr std::uint64_t kRecord = 0x8000;

CreateCq command_for(std::uint32_t depth, std::uint16_t eqn = kNoEqn) {
    CreateCq command = create_cq(1);
    command.ring_address = kRing;
    command.doorbell_record_address = kRecord;
    command.depth = depth;
    command.eqn = eqn;
    return command;
}

/// There are CQ 0 and 1; nothing is ever read from memory.
class CqLifeBench final : public CommandBenchBase,
                          private SlotBackward,
                          private QpReportForward,
                          private tlm::tlm_fw_transport_if<> {
  public:
    explicit CqLifeBench(const sc_core::sc_module_name& module_name)
        : CommandBenchBase(module_name, CommandConfig{}) {
        unit.cq_isock.bind(checker.command_tsock);
        m_slots.bind(static_cast<SlotBackward&>(*this));
        m_slots.bind(checker.slot_tsock);
        m_reports.bind(static_cast<QpReportForward&>(*this));
        checker.qp_isock.bind(m_reports);
        m_memory.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
        checker.record_isock.bind(m_memory);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    /// \returns what the command is answered at once.
    Result result_of(const Command& command) {
        const std::size_t before = host.answers.size();
        host.submit(0, command);
        REQUIRE(host.answers.size() == before + 1);
        return host.answers.back().result;
    }
    SlotAnswer grant() {
        SlotRequest wanted;
        wanted.cqn = Cqn{1};
        SlotAnswer answer;
        REQUIRE(m_slots->request_slot(wanted, answer) == SlotStatus::Answered);
        REQUIRE(answer.granted());
        return answer;
    }
    void commit(const SlotAnswer& slot) { m_slots->commit(slot.tag, true); }

    RecordList lives{records,
                     mask_of(Kind::Create) | mask_of(Kind::Destroy) | mask_of(Kind::Refuse)};
    OverflowChecker checker{
        "checker", timeline, records, OverflowRules(OverflowConfig{}, Rows<CqRow>(2))};
    EventSink sink{checker};

  private:
    void slot_answered(const SlotAnswer&) override {}
    bool live(Qpn, std::uint16_t) const override { return true; }
    void left(Qpn, QueueKind) override {}
    void cq_unusable(Qpn, std::uint16_t) override {}
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&,
                                       tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        FAIL_CHECK("nothing is read");
        return tlm::TLM_COMPLETED;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

    SlotInitiator m_slots{"slots"};
    QpReportTarget m_reports{"reports"};
    tlm::tlm_target_socket<> m_memory{"memory"};
};

std::vector<Kind> kinds_of(const std::vector<Record>& records) {
    std::vector<Kind> kinds;
    kinds.reserve(records.size());
    for (const Record& record : records) {
        kinds.push_back(record.kind);
    }
    return kinds;
}

}  // namespace

TEST_CASE("S4.12 a CQ that is destroyed and created again starts anew") {
    CqLifeBench bench("bench");
    CHECK(bench.result_of(command_for(4)) == Result::Ok);
    for (std::uint32_t i = 0; i < 3; ++i) {  // entries that nobody polls
        const SlotAnswer slot = bench.grant();
        CHECK(slot.index == i);
        bench.commit(slot);
    }
    CHECK(bench.result_of(command_for(4)) == Result::Invalid);  // the number is in use
    CHECK(bench.result_of(DestroyCq{Cqn{1}}) == Result::Ok);
    CHECK(bench.result_of(DestroyCq{Cqn{1}}) == Result::NoEntry);
    CHECK(bench.result_of(command_for(8)) == Result::Ok);
    for (std::uint32_t i = 0; i < 8; ++i) {  // all eight slots are free
        const SlotAnswer slot = bench.grant();
        CHECK(slot.index == i);
        CHECK(slot.address == kRing + std::uint64_t{64} * i);
        CHECK(slot.owner == 0);
        bench.commit(slot);
    }
    CHECK(bench.owners.calls == Calls{"attach_cq 1", "detach_cq 1", "attach_cq 1"});
}

TEST_CASE("D2 a CQ whose write is not over is not destroyed, and works on") {
    CqLifeBench bench("bench");
    CHECK(bench.result_of(command_for(4)) == Result::Ok);
    const SlotAnswer slot = bench.grant();
    CHECK(bench.result_of(DestroyCq{Cqn{1}}) == Result::Busy);
    CHECK(bench.owners.calls == Calls{"attach_cq 1"});
    CHECK(bench.grant().index == 1);
    bench.commit(slot);
    CHECK(bench.result_of(DestroyCq{Cqn{1}}) == Result::Busy);
}

TEST_CASE("S4.2 a CQ that cannot be attached leaves its number free") {
    CqLifeBench bench("bench");
    bench.owners.cq_attached = Result::Invalid;
    CHECK(bench.result_of(command_for(4, 9)) == Result::Invalid);
    CHECK(bench.result_of(create_qp(0, 1, 1)) == Result::Invalid);  // no such CQ
    bench.owners.cq_attached = Result::Ok;
    CHECK(bench.result_of(command_for(8, 2)) == Result::Ok);
    CHECK(bench.result_of(create_qp(0, 1, 1)) == Result::Ok);
    CHECK(bench.grant().index == 0);
    CHECK(bench.checker.context(Cqn{1}).depth == 8);
}

TEST_CASE("S4.2 the overflow checker's refusal is the answer") {
    CqLifeBench bench("bench");
    CHECK(bench.result_of(command_for(3)) == Result::Invalid);  // no power of two
    CHECK(bench.result_of(create_cq(2)) == Result::Invalid);    // there are CQ 0 and 1
    CHECK(bench.owners.calls.empty());
    CHECK(bench.unit.refused(Result::Invalid) == 2);
}

TEST_CASE("D6 the owner records that a CQ comes, with its event queue, and that it goes") {
    CqLifeBench bench("bench");
    bench.result_of(command_for(4));
    bench.result_of(DestroyCq{Cqn{1}});
    bench.result_of(command_for(8, 2));
    bench.owners.work_queues = 1;
    bench.result_of(DestroyCq{Cqn{1}});  // refused: nothing goes
    const std::vector<Record>& records = bench.lives.all();
    REQUIRE(kinds_of(records) ==
            std::vector<Kind>{Kind::Create, Kind::Destroy, Kind::Create, Kind::Refuse});
    CHECK(records[0].cqn == Cqn{1});
    CHECK(records[0].unit == kNoEqn);
    CHECK(records[1].cqn == Cqn{1});
    CHECK(records[1].qpn == kNoQp);
    CHECK(records[1].state == static_cast<std::uint8_t>(DestroyPhase::Done));
    CHECK(bench.records.source_name(records[1].source) == "bench.checker");
    CHECK(records[2].unit == 2);
    CHECK(records[2].index == 8);
}
