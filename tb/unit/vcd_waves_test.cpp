// SPDX-License-Identifier: Apache-2.0
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

const std::string engine = "cqsim.engine.";
const std::string overflow = "cqsim.engine.overflow.";

/// A QP's last step to RTS, at the time of its creation.
Record brought_up(Qpn qpn) {
    Record record = record_of(Kind::QpState, 0, kNoCq, qpn);
    record.state = static_cast<std::uint8_t>(QpState::Rts);
    record.a = static_cast<std::uint64_t>(QpState::Rtr);
    return record;
}

}  // namespace

TEST_CASE("S5.3a an overrun: notes join, the CQ and the QP go to error") {
    Record overrun = record_of(Kind::Overrun, 7, kCq, Qpn{3});
    overrun.state = static_cast<std::uint8_t>(LostCause::Overrun);
    Record cq_error = record_of(Kind::Async, 7, kCq);
    Record qp_error = record_of(Kind::QpState, 7, kNoCq, Qpn{3});
    qp_error.state = static_cast<std::uint8_t>(QpState::Err);
    qp_error.a = static_cast<std::uint64_t>(QpState::Rts);
    Record fatal = record_of(Kind::Async, 7, kNoCq, Qpn{3});
    fatal.state = static_cast<std::uint8_t>(AsyncEvent::QpFatal);
    Record later = record_of(Kind::Overrun, 9, kCq, Qpn{2});
    later.state = static_cast<std::uint8_t>(LostCause::CqError);
    later.queue = QueueKind::Receive;

    std::vector<Record> records{create_cq(0, kCq, 1)};
    for (std::uint32_t i = 0; i < 4; ++i) {
        records.push_back(create_qp(0, Qpn{i}, kCq, kCq));
        records.push_back(brought_up(Qpn{i}));
    }
    records.insert(
        records.end(),
        {slot_of(5, kCq, 0, 0), overrun, cq_error, qp_error, fatal, ci_of(8, kCq, 1), later});
    const auto read = waves_of(header_of({{"shared", 0, 1}}, {{"victim", 0, 4}}), records);
    CHECK(read[engine + "notes"] ==
          VcdChanges{{0, ""},
                     {7,
                      "S5.3a overrun cq shared, QP victim[3] send; S5.3b CQ_ERR cq shared; "
                      "QP victim[3] RTS to ERR; S5.3d QP_FATAL QP victim[3]"},
                     {9, "S5.3c cq shared in error takes no entry, QP victim[2] recv"}});
    // What follows from the overrun does not hide it on its module's track.
    CHECK(read[engine + "overflow.notes"] ==
          VcdChanges{{0, ""},
                     {7,
                      "S5.3a overrun cq shared, QP victim[3] send; "
                      "S5.3b CQ_ERR cq shared"}});
    CHECK(read[engine + "qp_table.notes"] ==
          VcdChanges{{0, ""}, {7, "QP victim[3] RTS to ERR; S5.3d QP_FATAL QP victim[3]"}});
    // S5.3c: sticky, even after the host drained it.
    CHECK(read[overflow + "cq_shared.state_text"] ==
          VcdChanges{{0, "OK"}, {5, "FULL"}, {7, "ERROR"}});
    CHECK(read[engine + "qp_table.qp_victim_3.state_text"] == VcdChanges{{0, "RTS"}, {7, "ERR"}});
    CHECK(read[engine + "qp_table.qp_victim_3.state"] == VcdChanges{{0, "3"}, {7, "6"}});
    CHECK(read[engine + "qp_table.qp_victim_2.state_text"] == VcdChanges{{0, "RTS"}});
    CHECK(read[engine + "qp_table.qps_victim.rts"] == VcdChanges{{0, "4"}, {7, "3"}});
    CHECK(read[engine + "qp_table.qps_victim.err"] == VcdChanges{{0, "0"}, {7, "1"}});
}

TEST_CASE("S2.1 S2.2 a suppressed send and a failed unsignaled one have their notes") {
    Record suppress = record_of(Kind::Suppress, 5, kNoCq, kQp);
    suppress.index = 4;
    Record complete = record_of(Kind::Complete, 6, kNoCq, kQp);
    complete.index = 5;
    complete.state = static_cast<std::uint8_t>(WcStatus::RetryExcErr);
    Record flushed = entry_of(Kind::CqeWrite, 9, kCq, 1, kQp, WcStatus::WrFlushErr);
    const auto read = waves_of(header_of({{"own", 0, 1}}, {{"carol", 0, 1}}),
                               {create_cq(0, kCq, 4),
                                create_qp(0, kQp, kCq, kCq),
                                suppress,
                                complete,
                                entry_of(Kind::CqeWrite, 8, kCq, 0, kQp, WcStatus::RetryExcErr),
                                flushed});
    CHECK(read[engine + "tx_tap.notes"] ==
          VcdChanges{{0, ""}, {5, "S2.1 QP carol #4: unsignaled send suppressed"}});
    CHECK(read[engine + "tx_tap.suppressed"] == VcdChanges{{0, "0"}, {5, "1"}});
    CHECK(read[engine + "notes"] ==
          VcdChanges{{0, ""},
                     {6, "S2.19 QP carol send #5 fails: RETRY_EXC_ERR, unsignaled"},
                     {8, "S2.2 failed send reported: QP carol RETRY_EXC_ERR in cq own"}});
    CHECK(read[engine + "writer.entry_status_text"] ==
          VcdChanges{{0, ""}, {8, "RETRY_EXC_ERR"}, {9, "WR_FLUSH_ERR"}});
    CHECK(read[engine + "writer.entry_status"] == VcdChanges{{0, "x"}, {8, "12"}, {9, "5"}});
}

TEST_CASE("Waves of the arbiter: queue, grants, who won and how long it waited") {
    Record request = record_of(Kind::Request, 3, kCq, Qpn{1});
    request.a = 2;
    Record grant = record_of(Kind::Grant, 4, kCq, Qpn{1});
    grant.queue = QueueKind::Receive;
    grant.a = 1;
    grant.wr_id = 1;
    const auto read = waves_of(header_of({{"c", 0, 1}}, {{"q", 0, 2}}), {request, grant});
    const std::string arbiter = engine + "arbiter.";
    CHECK(read[arbiter + "queue_length"] == VcdChanges{{0, "0"}, {3, "2"}, {4, "1"}});
    CHECK(read[arbiter + "grants"] == VcdChanges{{0, "0"}, {4, "1"}});
    CHECK(read[arbiter + "granted_qpn"] == VcdChanges{{0, "x"}, {4, "1"}});
    CHECK(read[arbiter + "granted_cqn"] == VcdChanges{{0, "x"}, {4, "0"}});
    CHECK(read[arbiter + "granted_queue_text"] == VcdChanges{{0, ""}, {4, "recv"}});
    CHECK(read[arbiter + "granted_qp"] == VcdChanges{{0, ""}, {4, "q[1]"}});
    CHECK(read[arbiter + "granted_cq"] == VcdChanges{{0, ""}, {4, "c"}});
    CHECK(read[arbiter + "wait_ps"] == VcdChanges{{0, "x"}, {4, "1"}});
}

TEST_CASE("Waves of more than 64 CQs and of a large QP group are of the group") {
    std::vector<Record> records;
    for (std::uint32_t i = 0; i < 65; ++i) {
        records.push_back(create_cq(0, Cqn{i}, 2));
    }
    for (std::uint32_t i = 0; i < 17; ++i) {
        records.push_back(create_qp(0, Qpn{i}, kCq, kCq));
        records.push_back(brought_up(Qpn{i}));
    }
    records.insert(records.end(),
                   {slot_of(1, Cqn{7}, 0, 0),
                    slot_of(2, Cqn{7}, 1, 0),
                    slot_of(3, Cqn{8}, 0, 0),
                    record_of(Kind::Async, 4, Cqn{9}),
                    ci_of(5, Cqn{7}, 2),
                    ci_of(6, Cqn{8}, 1)});
    const auto read = waves_of(header_of({{"many", 0, 65}}, {{"crowd", 0, 17}}), records);
    const std::string group = overflow + "cqs_many.";
    CHECK(read[group + "occupancy_max"] ==
          VcdChanges{{0, "0"}, {1, "1"}, {2, "2"}, {5, "1"}, {6, "0"}});
    CHECK(read[group + "occupancy_total"] ==
          VcdChanges{{0, "0"}, {1, "1"}, {2, "2"}, {3, "3"}, {5, "1"}, {6, "0"}});
    CHECK(read[group + "full"] == VcdChanges{{0, "0"}, {2, "1"}, {5, "0"}});
    CHECK(read[group + "error"] == VcdChanges{{0, "0"}, {4, "1"}});
    CHECK(read.variables.count(overflow + "cq_many_0.occupancy") == 0);
    CHECK(read.variables.count(engine + "qp_table.qp_crowd_0.state") == 0);
    CHECK(read[engine + "qp_table.qps_crowd.rts"] == VcdChanges{{0, "17"}});
}

TEST_CASE("S5.3j a ring write that failed is no longer in flight") {
    Record lost = record_of(Kind::Outcome, 9, kNoCq, kQp);
    lost.state = static_cast<std::uint8_t>(Outcome::Lost);
    lost.a = static_cast<std::uint64_t>(LostCause::WriteFailed);
    lost.index = 6;
    const auto read = waves_of(header_of({{"c", 0, 1}}, {{"q", 0, 1}}),
                               {create_cq(0, kCq, 4),
                                create_qp(0, kQp, kCq, kCq),
                                entry_of(Kind::CqeWrite, 5, kCq, 0, kQp),
                                lost});
    CHECK(read[engine + "writer.writes_in_flight"] == VcdChanges{{0, "0"}, {5, "1"}, {9, "0"}});
    CHECK(read[engine + "answers.lost"] == VcdChanges{{0, "0"}, {9, "1"}});
    CHECK(read[engine + "notes"] ==
          VcdChanges{{0, ""}, {9, "S5.3j ring write failed, lost: QP q send #6"}});
}

TEST_CASE("S7.1 a QP is in RESET after a reset and has no state after a destroy") {
    const auto at = [](std::uint64_t time_ps, Kind kind, std::uint8_t state) {
        Record record = record_of(kind, time_ps, kNoCq, kQp);
        record.state = state;
        return record;
    };
    constexpr auto kReset = static_cast<std::uint8_t>(QpState::Reset);
    const auto read = waves_of(header_of({{"c", 0, 1}}, {{"q", 0, 1}}),
                               {create_cq(0, kCq, 4),
                                create_qp(0, kQp, kCq, kCq),
                                brought_up(kQp),
                                at(3, Kind::Modify, kReset),
                                at(3, Kind::Destroy, 0),
                                at(4, Kind::QpState, kReset),
                                at(5, Kind::Destroy, 1),
                                at(7, Kind::Destroy, 0),
                                at(8, Kind::Destroy, 1)});
    CHECK(read[engine + "qp_table.qp_q.state_text"] ==
          VcdChanges{{0, "RTS"}, {4, "RESET"}, {8, "NONE"}});
}

TEST_CASE("Waves of objects that the header does not name are counted, not drawn") {
    const ScratchFile file("waves_unlisted.vcd");
    WaveSubscriber waves(header_of({{"c", 4, 1}}, {{"q", 4, 1}}), file.path());
    const std::vector<Record> records{create_cq(0, Cqn{3}, 8),
                                      create_cq(0, Cqn{5}, 8),
                                      create_qp(0, Qpn{3}, kCq, kCq),
                                      create_qp(0, Qpn{5}, kCq, kCq),
                                      slot_of(1, kNoCq, 0, 0),
                                      create_cq(2, Cqn{4}, 8)};
    waves.observe({records.data(), records.size()});
    CHECK(waves.unlisted() == 5);
    CHECK_NOTHROW(waves.close());
}

TEST_CASE("Names that become equal for a viewer stay different") {
    const WavePlan plan(header_of({{"a", 0, 2}, {"a_1", 2, 1}}, {{"x y", 0, 1}, {"x_y", 1, 1}}));
    CHECK(plan.cq[0].members[1].scope == "cq_a_1");
    CHECK(plan.cq[1].members[0].scope == "cq_a_1__2");
    CHECK(plan.qp[0].members[0].scope == "qp_x_y");
    CHECK(plan.qp[1].members[0].scope == "qp_x_y__2");
}

TEST_CASE("Waves never throw into the run, and tell of a full disk once when they close") {
    WaveSubscriber waves(first_look_header(), "/dev/full");
    const auto records = first_look_records(FirstLookHost::Polls);
    CHECK_NOTHROW(waves.observe({records.data(), records.size()}));
    CHECK_THROWS_WITH(waves.close(), "/dev/full: cannot write: No space left on device");
    CHECK_NOTHROW(waves.close());
}

TEST_CASE("Waves tell of records whose time runs backwards, and keep what came before") {
    const ScratchFile file("waves_backwards.vcd");
    WaveSubscriber waves(header_of({{"c", 0, 1}}, {}), file.path());
    const std::vector<Record> records{create_cq(5, kCq, 8), slot_of(4, kCq, 0, 0)};
    CHECK_NOTHROW(waves.observe({records.data(), records.size()}));
    CHECK(waves.error() == "waves_backwards.vcd: time runs backwards, from 5 ps to 4 ps");
    CHECK_THROWS_AS(waves.close(), VcdError);
    CHECK(read_vcd(file.path())[overflow + "cq_c.depth"] == VcdChanges{{0, "x"}, {5, "8"}});
}

TEST_CASE("The end of the run is the VCD's last time") {
    const ScratchFile file("waves_end.vcd");
    WaveSubscriber waves(header_of({{"c", 0, 1}}, {}), file.path());
    const Record create = create_cq(5, kCq, 8);
    waves.observe({&create, 1});
    waves.close(1000);
    CHECK(read_vcd(file.path()).end == 1000);
}

TEST_CASE("P6 the same records give the same bytes, however they are cut into batches") {
    const ScratchFile one("waves_one.vcd");
    const ScratchFile many("waves_many.vcd");
    const auto records = first_look_records(FirstLookHost::Polls);
    {
        WaveSubscriber waves(first_look_header(), one.path());
        waves.observe({records.data(), records.size()});
    }
    {
        WaveSubscriber waves(first_look_header(), many.path());
        for (const Record& record : records) {
            waves.observe({&record, 1});
        }
    }
    CHECK(read_text(one.path()).size() > 1000);
    CHECK(read_text(one.path()) == read_text(many.path()));
}
