// SPDX-License-Identifier: Apache-2.0
// Waves of CQs: rings, indices and entries.
#include "tb/record/waves.h"
#include "tb/unit/vcd_file.h"
#include "tb/unit/vcd_first_look.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <vector>

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

namespace {

const std::string cq_engine = "cqsim.engine.";
const std::string cq_overflow = cq_engine + "overflow.";

}  // namespace

TEST_CASE("Waves of a CQ: indices, occupancy, owner and state through a lap") {
    const auto read = waves_of(header_of({{"ring", 0, 1}}, {{"qp", 0, 1}}),
                               {create_cq(0, kCq, 2),
                                slot_of(10, kCq, 0, 0),
                                slot_of(20, kCq, 1, 0),
                                entry_of(Kind::CqeWrite, 25, kCq, 0, kQp),
                                entry_of(Kind::CqeVisible, 30, kCq, 0, kQp),
                                entry_of(Kind::Poll, 40, kCq, 0, kQp),
                                entry_of(Kind::Poll, 41, kCq, 0, kQp),  // looked at once more
                                ci_of(50, kCq, 1),
                                slot_of(60, kCq, 2, 1)});
    const std::string cq = cq_overflow + "cq_ring.";
    CHECK(read[cq + "depth"] == VcdChanges{{0, "2"}});
    CHECK(read[cq + "reserved_index"] == VcdChanges{{0, "0"}, {10, "1"}, {20, "2"}, {60, "3"}});
    CHECK(read[cq + "published_index"] == VcdChanges{{0, "0"}, {30, "1"}});
    CHECK(read[cq + "polled_index"] == VcdChanges{{0, "0"}, {40, "1"}});
    CHECK(read[cq + "consumer_index"] == VcdChanges{{0, "0"}, {50, "1"}});
    CHECK(read[cq + "occupancy"] ==
          VcdChanges{{0, "0"}, {10, "1"}, {20, "2"}, {50, "1"}, {60, "2"}});
    CHECK(read[cq + "owner"] == VcdChanges{{0, "0"}, {60, "1"}});
    CHECK(read[cq + "state"] == VcdChanges{{0, "1"}, {20, "3"}, {50, "1"}, {60, "3"}});
    CHECK(read[cq + "state_text"] == VcdChanges{{0, "OK"}, {20, "FULL"}, {50, "OK"}, {60, "FULL"}});
    CHECK(read[cq_engine + "writer.writes_in_flight"] ==
          VcdChanges{{0, "0"}, {25, "1"}, {30, "0"}});
}

TEST_CASE("Waves of a CQ: indices wrap at their width") {
    RunHeader header = header_of({{"ring", 0, 1}}, {});
    header.index_width = 4;
    const auto read = waves_of(header,
                               {create_cq(0, kCq, 4, 12),
                                slot_of(1, kCq, 12, 1),
                                slot_of(2, kCq, 13, 1),
                                slot_of(3, kCq, 14, 1),
                                ci_of(4, kCq, 14),
                                slot_of(5, kCq, 15, 1),
                                slot_of(6, kCq, 0, 0)});
    const std::string cq = cq_overflow + "cq_ring.";
    CHECK(read.widths.at(cq + "reserved_index") == 4);
    CHECK(read[cq + "reserved_index"] ==
          VcdChanges{{0, "12"}, {1, "13"}, {2, "14"}, {3, "15"}, {5, "0"}, {6, "1"}});
    CHECK(read[cq + "occupancy"] ==
          VcdChanges{{0, "0"}, {1, "1"}, {2, "2"}, {3, "3"}, {4, "1"}, {5, "2"}, {6, "3"}});
}

TEST_CASE("Waves of a CQ: slots go on where indices wrap, in a ring that does not divide them") {
    RunHeader header = header_of({{"ring", 0, 1}}, {{"qp", 0, 1}});
    header.index_width = 3;
    header.owner = "generation";
    header.cq_full = "depth_minus_one";
    std::vector<Record> records{create_cq(0, kCq, 3)};
    for (std::uint32_t i = 0; i < 10; ++i) {
        records.push_back(slot_of(10 * i + 1, kCq, i % 8, static_cast<std::uint8_t>(i / 3 + 1)));
        records.push_back(entry_of(Kind::CqeVisible, 10 * i + 2, kCq, i % 3, kQp));
        records.push_back(entry_of(Kind::Poll, 10 * i + 3, kCq, i % 3, kQp));
        records.push_back(ci_of(10 * i + 4, kCq, (i + 1) % 8));
    }
    records.push_back(slot_of(200, kCq, 2, 4));
    records.push_back(slot_of(201, kCq, 3, 4));
    const auto read = waves_of(header, records);
    const std::string cq = cq_overflow + "cq_ring.";
    CHECK(read[cq + "published_index"].back() == std::pair<std::uint64_t, std::string>(92, "2"));
    CHECK(read[cq + "polled_index"].back() == std::pair<std::uint64_t, std::string>(93, "2"));
    CHECK(read.widths.at(cq + "owner") == 3);
    CHECK(read[cq + "owner"] == VcdChanges{{0, "1"}, {31, "2"}, {61, "3"}, {91, "4"}});
    CHECK(read[cq + "state_text"] == VcdChanges{{0, "OK"}, {201, "FULL"}});
}

TEST_CASE("Waves of a CQ: a ring is replaced") {
    Record resize = record_of(Kind::Resize, 10, kCq);
    resize.index = 4;
    resize.wr_id = 1;
    for (const ResizeMode mode : {ResizeMode::Marker, ResizeMode::CutOff}) {
        resize.state = static_cast<std::uint8_t>(mode);
        const std::uint32_t first = mode == ResizeMode::Marker ? 2 : 0;  // slot of index 2
        const auto read = waves_of(header_of({{"ring", 0, 1}}, {{"qp", 0, 1}}),
                                   {create_cq(0, kCq, 2),
                                    slot_of(1, kCq, 0, 0),
                                    resize,
                                    slot_of(11, kCq, 2, 0),
                                    entry_of(Kind::CqeVisible, 20, kCq, 0, kQp),
                                    entry_of(Kind::CqeVisible, 21, kCq, 1, kQp),
                                    entry_of(Kind::CqeVisible, 22, kCq, first, kQp),
                                    entry_of(Kind::Poll, 30, kCq, 0, kQp),
                                    ci_of(31, kCq, 2),
                                    entry_of(Kind::Poll, 32, kCq, first, kQp)});
        const std::string cq = cq_overflow + "cq_ring.";
        CHECK(read[cq + "reserved_index"] == VcdChanges{{0, "0"}, {1, "1"}, {10, "2"}, {11, "3"}});
        CHECK(read[cq + "depth"] == VcdChanges{{0, "2"}, {21, "4"}});
        CHECK(read[cq + "published_index"] ==
              VcdChanges{{0, "0"}, {20, "1"}, {21, "2"}, {22, "3"}});
        CHECK(read[cq + "polled_index"] == VcdChanges{{0, "0"}, {30, "1"}, {31, "2"}, {32, "3"}});
    }
}

TEST_CASE("Waves of a CQ: published is the prefix without a hole when memory reorders") {
    const auto read = waves_of(header_of({{"ring", 0, 1}}, {{"qp", 0, 1}}),
                               {create_cq(0, kCq, 4),
                                slot_of(1, kCq, 0, 0),
                                slot_of(1, kCq, 1, 0),
                                slot_of(1, kCq, 2, 0),
                                entry_of(Kind::CqeVisible, 2, kCq, 2, kQp),
                                entry_of(Kind::CqeVisible, 3, kCq, 1, kQp),
                                entry_of(Kind::CqeVisible, 4, kCq, 0, kQp)});
    CHECK(read[cq_overflow + "cq_ring.published_index"] == VcdChanges{{0, "0"}, {4, "3"}});
}

TEST_CASE("S1.2 S1.3 waves of a CQ: the newest entry, undefined where it defines nothing") {
    std::array<std::byte, 64> bytes{};
    bytes[12] = std::byte{100};  // byte_len
    const auto entry = [&bytes](std::uint64_t time_ps,
                                std::uint32_t slot,
                                QueueKind queue,
                                std::uint8_t opcode,
                                WcStatus status = WcStatus::Success) {
        Record record = entry_of(Kind::CqeVisible, time_ps, kCq, slot, kQp, status);
        record.queue = queue;
        bytes[52] = std::byte{opcode};
        bytes[53] = static_cast<std::byte>(status);
        record.bytes = bytes.data();
        record.b = 64;
        return record;
    };
    // The bytes of one record after the other: the waves are told before they change.
    const ScratchFile file("vcd_entry.vcd");
    WaveSubscriber waves(header_of({{"ring", 0, 1}}, {{"qp", 0, 1}}), file.path());
    const auto tell = [&waves](const Record& record) { waves.observe({&record, 1}); };
    tell(create_cq(0, kCq, 8));
    tell(entry(10, 0, QueueKind::Receive, 128));
    tell(entry(20, 1, QueueKind::Send, 0));                         // K19: no length
    tell(entry(30, 2, QueueKind::Send, 2));                         // RDMA_READ
    tell(entry(40, 3, QueueKind::Send, 2, WcStatus::RetryExcErr));  // S1.2: whatever lies there
    tell(entry(50, 4, QueueKind::Receive, 0xDE, WcStatus::WrFlushErr));
    tell(entry(60, 5, QueueKind::Receive, 128));
    tell(entry_of(Kind::CqeVisible, 70, kCq, 6, kQp));  // without bytes
    waves.close(80);
    const auto read = read_vcd(file.path());
    const std::string cq = cq_overflow + "cq_ring.";
    CHECK(read[cq + "entry_status_text"] == VcdChanges{{0, ""},
                                                       {10, "SUCCESS"},
                                                       {40, "RETRY_EXC_ERR"},
                                                       {50, "WR_FLUSH_ERR"},
                                                       {60, "SUCCESS"}});
    CHECK(read[cq + "entry_status"] ==
          VcdChanges{{0, "x"}, {10, "0"}, {40, "12"}, {50, "5"}, {60, "0"}});
    CHECK(
        read[cq + "entry_opcode"] ==
        VcdChanges{{0, "x"}, {10, "128"}, {20, "0"}, {30, "2"}, {40, "x"}, {60, "128"}, {70, "x"}});
    CHECK(read[cq + "entry_opcode_text"] == VcdChanges{{0, ""},
                                                       {10, "RECV"},
                                                       {20, "SEND"},
                                                       {30, "RDMA_READ"},
                                                       {40, "undefined"},
                                                       {60, "RECV"},
                                                       {70, "undefined"}});
    CHECK(read[cq + "entry_byte_len"] ==
          VcdChanges{
              {0, "x"}, {10, "100"}, {20, "x"}, {30, "100"}, {40, "x"}, {60, "100"}, {70, "x"}});
}

TEST_CASE("S3.1 a consumer index past the producer index is noted") {
    const auto read = waves_of(header_of({{"ring", 0, 1}}, {}),
                               {create_cq(0, kCq, 4), slot_of(1, kCq, 0, 0), ci_of(2, kCq, 3)});
    CHECK(read[cq_engine + "notes"] ==
          VcdChanges{{0, ""}, {2, "S3.1 consumer index 3 of cq ring is past the producer index"}});
}
