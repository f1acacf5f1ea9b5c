// SPDX-License-Identifier: Apache-2.0
// The monitors on memory-mapped links, between an initiator and a target of the test's own: what
// they record, and when.
#include "tb/record/memory_monitor.h"

#include "models/time/kernel_timeline.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <catch2/catch.hpp>

#include <array>
#include <vector>

namespace {

using namespace cqsim;
using cqsim::tb::DmaMonitor;
using cqsim::tb::RingMap;

constexpr std::uint64_t kRing = 0x1'0000'0000;
constexpr std::uint64_t kDoorbell = 0x1'0000'2000;
constexpr Cqn kCq{3};

struct Seen final : RecordSubscriber {
    struct Fact {
        Kind kind;
        std::uint64_t time_ps;
        std::uint32_t index;
        std::byte first;
    };
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            facts.push_back({record.kind,
                             record.time_ps,
                             record.index,
                             record.bytes == nullptr ? std::byte{} : record.bytes[0]});
        }
    }
    std::vector<Fact> facts;
};

/// Writes entries through a DmaMonitor; the target answers at once, its response `answer` later.
struct Bench final : sc_core::sc_module {
    Bench(const sc_core::sc_module_name& module_name, const sc_core::sc_time& answer)
        : sc_module(module_name),
          m_answer(answer) {
        map.add(kCq, {kRing, kDoorbell, 16, 0});
        records.subscribe(seen, kAllKinds);
        source.bind(monitor.tsock);
        monitor.isock.bind(target);
        target.register_nb_transport_fw(this, &Bench::take);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    /// Writes an entry into a slot; the request begins `delay` from now.
    void write(std::uint32_t slot, std::byte first, sc_core::sc_time delay) {
        std::array<unsigned char, 64> entry{};
        entry[0] = std::to_integer<unsigned char>(first);
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_WRITE_COMMAND);
        payload.set_address(kRing + std::uint64_t{slot} * 64);
        payload.set_data_ptr(entry.data());
        payload.set_data_length(64);
        payload.set_streaming_width(64);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        source->nb_transport_fw(payload, phase, delay);
    }
    tlm::tlm_sync_enum take(tlm::tlm_generic_payload& payload,
                            tlm::tlm_phase& /*phase*/,
                            sc_core::sc_time& delay) {
        arrived.push_back(payload.get_address());
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        delay += m_answer;
        return tlm::TLM_COMPLETED;
    }
    void mark(std::uint64_t now_ps) {  // any other record
        records.open(Kind::Grant, 0, TimePs{now_ps});
    }

    std::vector<std::uint64_t> arrived;  ///< addresses of the requests that the target got
    sc_core::sc_time m_answer;
    KernelTimeline timeline{"timeline"};
    RecordStream records;
    RingMap map;
    Seen seen;
    DmaMonitor monitor{"monitor", timeline, records, map};
    tlm_utils::simple_initiator_socket<Bench> source{"source"};
    tlm_utils::simple_target_socket<Bench> target{"target"};
};

sc_core::sc_time ns(double value) {
    return {value, sc_core::SC_NS};
}

}  // namespace

TEST_CASE("D1 a write is recorded when its annotated delay is over, its bytes as they were sent") {
    Bench bench("bench", ns(5));
    bench.write(2, std::byte{0xA1}, ns(4));
    bench.mark(3'999);
    bench.mark(4'000);
    bench.mark(9'001);
    bench.records.drain();
    CHECK(bench.arrived == std::vector<std::uint64_t>{kRing + 128});
    const auto& facts = bench.seen.facts;
    REQUIRE(facts.size() == 5);
    CHECK(facts[0].kind == Kind::Grant);
    CHECK(facts[1].kind == Kind::CqeWrite);  // 4 ns after the call, before what else is then
    CHECK(facts[1].time_ps == 4'000);
    CHECK(facts[1].index == 2);
    CHECK(facts[1].first == std::byte{0xA1});
    CHECK(facts[2].time_ps == 4'000);
    CHECK(facts[3].kind == Kind::CqeVisible);  // the answer's delay counts from the call as well
    CHECK(facts[3].time_ps == 9'000);
    CHECK(facts[3].first == std::byte{0xA1});
    CHECK(facts[4].time_ps == 9'001);
}

TEST_CASE("D1 without annotated delay a write is recorded at the call") {
    Bench bench("bench", sc_core::SC_ZERO_TIME);
    bench.write(0, std::byte{1}, sc_core::SC_ZERO_TIME);
    bench.records.drain();
    REQUIRE(bench.seen.facts.size() == 2);
    CHECK(bench.seen.facts[0].kind == Kind::CqeWrite);
    CHECK(bench.seen.facts[0].time_ps == 0);
    CHECK(bench.seen.facts[1].kind == Kind::CqeVisible);
    CHECK(bench.seen.facts[1].time_ps == 0);
}

TEST_CASE("D1 writes announced out of the order of their times are recorded in it") {
    Bench bench("bench", sc_core::SC_ZERO_TIME);
    bench.write(1, std::byte{1}, ns(8));
    bench.write(2, std::byte{2}, ns(6));
    bench.mark(8'000);
    bench.records.drain();
    const auto& facts = bench.seen.facts;
    REQUIRE(facts.size() == 5);
    CHECK(facts[0].first == std::byte{2});
    CHECK(facts[0].time_ps == 6'000);
    CHECK(facts[2].first == std::byte{1});
    CHECK(facts[2].time_ps == 8'000);
}

TEST_CASE("D1 what would begin after the end of the run is not recorded") {
    Bench bench("bench", sc_core::SC_ZERO_TIME);
    bench.write(1, std::byte{1}, ns(4));
    bench.mark(3'000);
    bench.records.drain();
    REQUIRE(bench.seen.facts.size() == 1);
    CHECK(bench.seen.facts[0].kind == Kind::Grant);
}
