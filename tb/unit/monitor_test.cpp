// SPDX-License-Identifier: Apache-2.0
// The monitors on memory-mapped sockets: which bytes at which address become which record.
#include "models/time/kernel_timeline.h"
#include "models/verbs/verbs.h"
#include "tb/record/memory_monitor.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <catch2/catch.hpp>

#include <array>
#include <vector>

namespace cqsim::tb {
namespace {

constexpr std::uint64_t kMemory = 0x1'0000'0000;
constexpr std::uint64_t kRing = kMemory + 0x2000;
constexpr std::uint64_t kDoorbell = kMemory + 0x1008;
constexpr std::uint64_t kEqRing = kMemory + 0x4000;
constexpr std::uint64_t kVectors = 0x9000;

using Bytes = std::array<unsigned char, 128>;

/// Takes everything, reads back what was set, or refuses.
class Target final : public sc_core::sc_module {
  public:
    explicit Target(const sc_core::sc_module_name& module_name)
        : sc_module(module_name) {
        tsock.register_b_transport(this, &Target::transport);
    }
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
        if (payload.is_read()) {
            std::copy(content.begin(),
                      content.begin() + payload.get_data_length(),
                      payload.get_data_ptr());
        }
        payload.set_response_status(answer);
    }

    tlm_utils::simple_target_socket<Target> tsock{"tsock"};
    Bytes content{};
    tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;
};

/// A monitor between an initiator and a target, and the records that it makes.
template <class Monitor>
class Bench final : public sc_core::sc_module, public RecordSubscriber {
  public:
    template <class... More>
    explicit Bench(const sc_core::sc_module_name& module_name, const More&... more)
        : sc_module(module_name),
          monitor("monitor", timeline, records, map, more...) {
        records.subscribe(*this, kAllKinds);
        isock.bind(monitor.tsock);
        monitor.isock.bind(target.tsock);
        map.add(Cqn{3}, {kRing, kDoorbell, 4, 0});
        map.add_eq(Eqn{5}, kEqRing, 128);
        map.set_vectors({kVectors, 8, 16});
    }
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            seen.push_back(record);
            seen.back().bytes = nullptr;
        }
    }
    /// The records that a transfer makes.
    std::vector<Record> transfer(tlm::tlm_command command,
                                 std::uint64_t address,
                                 unsigned char* bytes,
                                 unsigned length) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(bytes);
        payload.set_data_length(length);
        payload.set_streaming_width(length);
        if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) {
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        }
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        isock->b_transport(payload, delay);
        seen.clear();
        records.drain();
        return seen;
    }
    std::vector<Record> write(std::uint64_t address, Bytes bytes, unsigned length = 64) {
        return transfer(tlm::TLM_WRITE_COMMAND, address, bytes.data(), length);
    }
    std::vector<Record> read(std::uint64_t address, unsigned length = 64) {
        Bytes bytes{};
        return transfer(tlm::TLM_READ_COMMAND, address, bytes.data(), length);
    }

    KernelTimeline timeline{"timeline"};
    RecordStream records;
    RingMap map;
    Monitor monitor;
    Target target{"target"};
    tlm_utils::simple_initiator_socket<Bench> isock{"isock"};
    std::vector<Record> seen;
};

/// An entry of the send queue of QP 0x010203 with this wr_id.
Bytes entry(unsigned char wr_id, unsigned char own) {
    Bytes bytes{};
    bytes[0] = wr_id;
    bytes[8] = 3;
    bytes[9] = 2;
    bytes[10] = 1;
    bytes[63] = own;
    return bytes;
}

}  // namespace

TEST_CASE("an entry of an event queue is seen once it is in memory, by its bytes") {
    Bench<DmaMonitor> bench("bench");
    Bytes bytes{};
    bytes[0] = 6;  // 1 + SQ_DRAINED
    bytes.at(4) = bytes.at(5) = bytes.at(6) = bytes.at(7) = 0xFF;
    bytes[8] = 0x56;
    bytes[9] = 0x34;
    bytes[10] = 0x12;
    bytes[63] = 1;
    const auto seen = bench.write(kEqRing + 0x1000 + std::uint64_t{2} * 64, bytes);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == Kind::Eqe);
    CHECK(seen[0].unit == 5);
    CHECK(seen[0].index == 66);  // 64 entries of 64 bytes in the first 4 KiB
    CHECK(seen[0].a == kEqRing + 0x1080);
    CHECK(seen[0].state == 1 + static_cast<unsigned>(AsyncEvent::SqDrained));
    CHECK(seen[0].cqn == kNoCq);
    CHECK(seen[0].qpn == Qpn{0x123456});
    CHECK(seen[0].flags == kOwner);
    CHECK(seen[0].b == 64);
    bench.target.answer = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    CHECK(bench.write(kEqRing, bytes).empty());
}

TEST_CASE("a write into the window of vectors is an interrupt, any other is none") {
    Bench<DmaMonitor> bench("bench");
    const auto seen = bench.write(kVectors + std::uint64_t{7} * 16, {0x78, 0x56, 0x34, 0x12}, 4);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == Kind::Irq);
    CHECK(seen[0].unit == 7);
    CHECK(seen[0].a == kVectors + 112);
    CHECK(seen[0].index == 0x12345678);
    CHECK(bench.write(kVectors + std::uint64_t{8} * 16, {}, 4).empty());
    CHECK(bench.write(kVectors + 4, {}, 4).empty());
    CHECK(bench.write(kVectors - 16, {}, 4).empty());
    CHECK(bench.write(kMemory + 0x8000, {}).empty());
    const auto entries = bench.write(kRing + 64, entry(9, 1));
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].kind == Kind::CqeWrite);
    CHECK(entries[1].kind == Kind::CqeVisible);
    CHECK(entries[1].qpn == Qpn{0x010203});
}

TEST_CASE("software's writes into registers are arms, acknowledgements and consumer indices") {
    Bench<MmioMonitor> bench("bench", std::uint64_t{0x5000});
    // cqn 0x010203, solicited only; consumer index 0x0A0B0C0D.
    auto seen = bench.write(0x5020, {3, 2, 1, 1, 0x0D, 0x0C, 0x0B, 0x0A}, 8);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == Kind::Arm);
    CHECK(seen[0].cqn == Cqn{0x010203});
    CHECK(seen[0].index == 0x0A0B0C0D);
    CHECK(seen[0].state == static_cast<unsigned>(ArmKind::Solicited));
    seen = bench.write(0x5020, {3, 2, 1, 0, 1}, 8);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].state == static_cast<unsigned>(ArmKind::Next));
    for (const bool arms : {true, false}) {
        seen = bench.write(arms ? 0x5040 : 0x5048, {5, 1, 0, 0, 7, 0, 0, 1}, 8);
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].kind == Kind::Ack);
        CHECK(seen[0].unit == 0x105);
        CHECK(seen[0].index == 0x01000007);
        CHECK(seen[0].flags == (arms ? kArms : 0));
    }
    // CQ 3: consumer index 6, then 2 and 7 more. The device's indices have 4 bits.
    bench.map.set_indices(OwnerScheme::Parity, 4);
    const std::array<std::array<unsigned, 3>, 3> returns{
        {{0x28, 6, 6}, {0x30, 2, 8}, {0x30, 9, 1}}};
    for (const auto& [offset, value, index] : returns) {
        seen = bench.write(0x5000 + offset, {3, 0, 0, 0, static_cast<unsigned char>(value)}, 8);
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].kind == Kind::Ci);
        CHECK(seen[0].cqn == Cqn{3});
        CHECK(seen[0].index == index);
        CHECK(seen[0].a == offset);
    }
    CHECK(bench.write(0x5028, {4}, 8).empty());  // no CQ that it knows
    CHECK(bench.write(0x5030, {4}, 8).empty());
    CHECK(bench.write(0x5020, {3}, 4).empty());
    CHECK(bench.write(0x5000, {3}, 8).empty());
    CHECK(bench.write(0x20, {3}, 8).empty());
    CHECK(bench.read(0x5020, 8).empty());
}

TEST_CASE("software's write over an entry is a sweep, and the next poll may be behind it") {
    Bench<HostMonitor> bench("bench");
    bench.target.content = entry(1, 0);
    auto seen = bench.read(kRing);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == Kind::Poll);
    CHECK(seen[0].index == 0);
    CHECK(bench.read(kRing).empty());          // read before: not valid in the next lap
    CHECK(bench.read(kRing + 64, 8).empty());  // a look at a part of it
    seen = bench.write(kRing + 128, entry(7, 0));
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == Kind::Sweep);
    CHECK(seen[0].cqn == Cqn{3});
    CHECK(seen[0].index == 2);
    CHECK(seen[0].a == kRing + 128);
    CHECK(seen[0].wr_id == 7);
    CHECK(seen[0].qpn == Qpn{0x010203});
    CHECK(seen[0].b == 64);
    CHECK(bench.write(kDoorbell, {0, 0, 0, 2}, 4).at(0).kind == Kind::Ci);
    seen = bench.read(kRing + 128);  // slot 1 was swept out
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].index == 2);
    CHECK(bench.read(kRing).empty());  // slot 0 of the first lap
    bench.target.content = entry(2, 1);
    CHECK(bench.read(kRing + 192).empty());
    seen = bench.read(kRing);  // of the second: slot 3 was swept out
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].index == 0);
    CHECK(bench.write(kRing, entry(1, 0), 8).at(0).b == 8);  // no entry: the checkers say so
}

TEST_CASE("K02 a poll finds a valid entry by the device's owner scheme, in a ring of any depth") {
    Bench<HostMonitor> bench("bench");
    const auto polls = [&](std::uint32_t slot, unsigned char own) {
        bench.target.content = entry(1, own);
        return bench.read(kRing + std::uint64_t{slot} * 64).size() == 1;
    };
    const auto lay_out = [&](OwnerScheme scheme) {
        bench.map.set_indices(scheme, 4);
        bench.map.add(Cqn{3}, {kRing, kDoorbell, 3, 0});
    };
    lay_out(OwnerScheme::ParityPreset);
    CHECK_FALSE(polls(0, 1));  // as software preset it
    CHECK(polls(0, 0));
    lay_out(OwnerScheme::Phase);
    CHECK_FALSE(polls(0, 0));                 // zeros
    for (unsigned lap = 0; lap < 7; ++lap) {  // 21 entries; 16 indices
        const auto own = static_cast<unsigned char>(1 - lap % 2);
        for (std::uint32_t slot = 0; slot < 3; ++slot) {
            CHECK_FALSE(polls(slot, static_cast<unsigned char>(lap % 2)));
            CHECK(polls(slot, own));
        }
    }
    lay_out(OwnerScheme::Generation);
    CHECK_FALSE(polls(0, 0));
    CHECK(polls(0, 1));
    CHECK(polls(1, 1));
    CHECK(polls(2, 1));
    CHECK_FALSE(polls(0, 1));  // of the lap before
    CHECK(polls(0, 5));        // entries of laps 2 to 4 were lost
    CHECK_FALSE(polls(1, 4));
    CHECK(polls(1, 5));
}

TEST_CASE("S7.7 a sweep across the wrap of the indices of a ring whose depth does not divide it") {
    Bench<HostMonitor> bench("bench");
    bench.map.set_indices(OwnerScheme::Phase, 4);
    bench.map.add(Cqn{3}, {kRing, kDoorbell, 3, 0});
    const auto publish = [&](unsigned char index) { bench.write(kDoorbell, {0, 0, 0, index}, 4); };
    for (unsigned char index = 3; index < 16; index += 3) {
        publish(index);  // all of the ring was swept out, each time
    }
    publish(2);  // 18 entries
    bench.target.content = entry(1, 0);
    CHECK(bench.read(kRing).empty());
    bench.target.content = entry(1, 1);  // of lap 6
    CHECK(bench.read(kRing).size() == 1);
}

TEST_CASE("S3.16 of a collapsed ring each new entry is a poll, once") {
    Bench<HostMonitor> bench("bench");
    bench.map.add(Cqn{3}, {kRing, kDoorbell, 4, 0, CqeFormat::Native, kIgnoreOverrun | kCollapsed});
    bench.target.content = entry(0, 0xF0);
    CHECK(bench.read(kRing).empty());
    for (const char wr_id : {'a', 'b', 'i'}) {
        bench.target.content = entry(static_cast<unsigned char>(wr_id), wr_id == 'i' ? 1 : 0);
        CHECK(bench.read(kRing).size() == 1);
        CHECK(bench.read(kRing).empty());
    }
}

TEST_CASE("S1.8 S3.15 an entry of format mlx5 in a slot of 128 bytes, whole or its half alone") {
    Bench<HostMonitor> bench("bench");
    bench.map.add(Cqn{3}, {kRing, kDoorbell, 4, 0, CqeFormat::Mlx5Wide});
    Bytes bytes{};
    bytes[64 + 55] = 0x15;  // RETRY_EXC_ERR
    bytes[64 + 57] = 1;
    bytes[64 + 58] = 2;
    bytes[64 + 59] = 3;
    bytes[64 + 60] = 0xAB;
    bytes[64 + 61] = 0xCD;
    bytes[127] = 0xE0;  // RESP_ERR
    bench.target.content = bytes;
    const auto seen = bench.read(kRing, 128);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].index == 0);
    CHECK(seen[0].qpn == Qpn{0x010203});
    CHECK(seen[0].queue == QueueKind::Receive);
    CHECK(seen[0].wr_id == 0xABCD);
    CHECK(seen[0].state == static_cast<unsigned>(WcStatus::RetryExcErr));
    CHECK(seen[0].b == 128);
    std::copy(bytes.begin() + 64, bytes.end(), bench.target.content.begin());
    const auto half = bench.read(kRing + 128 + 64, 64);
    REQUIRE(half.size() == 1);
    CHECK(half[0].index == 1);
    CHECK(half[0].wr_id == 0xABCD);
}

TEST_CASE("S4.7 S4.8 software that goes on in another ring") {
    Bench<HostMonitor> bench("bench");
    for (const ResizeMode mode : {ResizeMode::Marker, ResizeMode::CutOff}) {
        const bool cut_off = mode == ResizeMode::CutOff;
        const std::uint64_t old_ring = kMemory + (cut_off ? 0x8000U : 0x9000U);
        const std::uint64_t new_ring = kMemory + (cut_off ? 0xA000U : 0xB000U);
        const std::uint64_t record = kMemory + (cut_off ? 0x1010U : 0x1018U);
        const Cqn cqn{cut_off ? 7U : 6U};
        bench.map.add(cqn, {old_ring, record, 4, 0});
        const auto polls = [&](std::uint64_t ring, std::uint32_t slot, unsigned char own) {
            bench.target.content = entry(1, own);
            return bench.read(ring + std::uint64_t{slot} * 64).size() == 1;
        };
        CHECK(polls(old_ring, 0, 0));
        CHECK(polls(old_ring, 1, 0));
        bench.write(record, {0, 0, 0, 1}, 4);
        // Entries 2 to 4 are unpolled; entry 5 ends the ring.
        bench.map.replace(cqn, {new_ring, record, 8, 0}, mode, 5);
        if (cut_off) {
            CHECK(polls(old_ring, 2, 0));
            CHECK(polls(old_ring, 3, 0));
            CHECK(polls(old_ring, 0, 1));
            CHECK(polls(old_ring, 1, 0x51));
            CHECK_FALSE(polls(new_ring, 0, 1));
            CHECK(polls(new_ring, 0, 0));
        } else {
            CHECK_FALSE(polls(new_ring, 3, 1));
            for (std::uint32_t slot = 3; slot < 8; ++slot) {  // entries 2 to 4 are 3 to 5 now
                CHECK(polls(new_ring, slot, 0));
            }
            CHECK_FALSE(polls(new_ring, 0, 0));
            CHECK(polls(new_ring, 0, 1));
        }
    }
}

TEST_CASE("a full ring whose entries were all swept out is empty, though its bytes are not") {
    Bench<HostMonitor> bench("bench");
    bench.target.content = entry(1, 0);
    CHECK(bench.write(kDoorbell, {0, 0, 0, 4}, 4).at(0).index == 4);
    CHECK(bench.read(kRing).empty());  // index 4 is of the second lap
    bench.target.content = entry(2, 1);
    CHECK(bench.write(kDoorbell, {0, 0, 0, 4}, 4).at(0).index == 4);  // nothing new
    CHECK(bench.read(kRing).size() == 1);
}

}  // namespace cqsim::tb
