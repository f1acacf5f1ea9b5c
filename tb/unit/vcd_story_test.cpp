// SPDX-License-Identifier: Apache-2.0
// What is notable in a run, and where its save file opens.
#include "tb/record/wave_story.h"
#include "tb/record/waves.h"
#include "tb/unit/vcd_file.h"
#include "tb/unit/vcd_first_look.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

namespace {

const std::string notable = "cqsim.engine.notable";

RunHeader storm_header() {
    return header_of({{"shared", 0, 1}}, {{"victim", 0, 2}, {"bystander", 2, 2}});
}

Record with_state(Record record, std::uint8_t state) {
    record.state = state;
    return record;
}

Record fails(std::uint64_t time_ps, Qpn qpn) {
    return with_state(record_of(Kind::Complete, time_ps, kNoCq, qpn),
                      static_cast<std::uint8_t>(WcStatus::RetryExcErr));
}

Record flushes(std::uint64_t time_ps, Qpn qpn) {
    Record record = record_of(Kind::Flush, time_ps, kNoCq, qpn);
    record.a = 5;
    return record;
}

Record flushed(std::uint64_t time_ps, Qpn qpn) {
    Record record = with_state(record_of(Kind::Complete, time_ps, kNoCq, qpn),
                               static_cast<std::uint8_t>(WcStatus::WrFlushErr));
    record.flags = kFlushed;
    return record;
}

Record overrun(std::uint64_t time_ps, LostCause cause) {
    return with_state(record_of(Kind::Overrun, time_ps, kCq, Qpn{0}),
                      static_cast<std::uint8_t>(cause));
}

Record raises(std::uint64_t time_ps, AsyncEvent event, Cqn cqn, Qpn qpn) {
    return with_state(record_of(Kind::Async, time_ps, cqn, qpn), static_cast<std::uint8_t>(event));
}

Record destroy(std::uint64_t time_ps, DestroyPhase phase) {
    return with_state(record_of(Kind::Destroy, time_ps, kNoCq, Qpn{0}),
                      static_cast<std::uint8_t>(phase));
}

/// The story of these records, with as many others before as make a run long.
WaveView view_of(const std::vector<Record>& records,
                 bool is_long,
                 std::uint64_t end_ps,
                 std::uint64_t failure_ps = 0) {
    WaveStory story{WavePlan(storm_header())};
    WaveNames names(storm_header());
    for (std::uint64_t time = 0; is_long && time < WaveStory::kShort; ++time) {
        story.takes(record_of(Kind::Request, time, kCq, Qpn{0}), {});
    }
    for (const Record& record : records) {
        story.takes(record, wave_note(record, names));
    }
    return story.view(end_ps, failure_ps);
}

std::vector<std::string> labels_of(const WaveView& view) {
    std::vector<std::string> labels;
    for (const WaveMoment& moment : view.moments) {
        labels.push_back(moment.label + " " + std::to_string(moment.time_ps));
    }
    return labels;
}

}  // namespace

TEST_CASE("S2.18 of a storm the first failure, flush and QP_FATAL of each group is notable") {
    const auto read = waves_of(storm_header(),
                               {create_cq(0, kCq, 8),
                                fails(10, Qpn{0}),
                                flushes(10, Qpn{0}),
                                fails(10, Qpn{1}),
                                flushes(20, Qpn{1}),
                                raises(30, AsyncEvent::QpFatal, kNoCq, Qpn{1}),
                                raises(40, AsyncEvent::QpFatal, kNoCq, Qpn{0}),
                                raises(50, AsyncEvent::QpFatal, kNoCq, Qpn{3}),
                                flushes(60, Qpn{3})});
    CHECK(read[notable] ==
          VcdChanges{{0, ""},
                     {10,
                      "S2.19 QP victim[0] send #0 fails: RETRY_EXC_ERR, unsignaled; "
                      "S2.18 flush of QP victim[0] send: 5 from #0"},
                     {30, "S5.3d QP_FATAL QP victim[1]"},
                     {50, "S5.3d QP_FATAL QP bystander[1]"},
                     {60, "S2.18 flush of QP bystander[1] send: 5 from #0"}});
}

TEST_CASE("S5.3a S5.3b every overrun and CQ_ERR is notable, of what follows the first") {
    const auto read = waves_of(storm_header(),
                               {create_cq(0, kCq, 8),
                                overrun(10, LostCause::Overrun),
                                raises(10, AsyncEvent::CqErr, kCq, kNoQp),
                                overrun(20, LostCause::CqError),
                                overrun(30, LostCause::CqError),
                                overrun(40, LostCause::Overrun)});
    CHECK(read[notable] ==
          VcdChanges{{0, ""},
                     {10, "S5.3a overrun cq shared, QP victim[0] send; S5.3b CQ_ERR cq shared"},
                     {20, "S5.3c cq shared in error takes no entry, QP victim[0] send"},
                     {40, "S5.3a overrun cq shared, QP victim[0] send"}});
}

TEST_CASE("S5.9 S2.26 an SRQ and its limit, and the last request of a QP that is on it") {
    RunHeader header = storm_header();
    header.srq = {{"pool", 1, 2}};
    const auto of_srq = [](Kind kind, std::uint64_t time_ps) {
        Record record = record_of(kind, time_ps, kNoCq, kNoQp);
        record.flags = kShared;
        record.unit = 2;
        return record;
    };
    const auto read =
        waves_of(header,
                 {create_cq(0, kCq, 8),
                  of_srq(Kind::Create, 0),
                  of_srq(Kind::Create, 5),
                  with_state(of_srq(Kind::Async, 10),
                             static_cast<std::uint8_t>(AsyncEvent::SrqLimitReached)),
                  raises(20, AsyncEvent::QpLastWqeReached, kNoCq, Qpn{1}),
                  with_state(of_srq(Kind::Async, 30),
                             static_cast<std::uint8_t>(AsyncEvent::SrqLimitReached))});
    CHECK(read[notable] == VcdChanges{{0, ""},
                                      {5, "SRQ pool[1] is created"},
                                      {10, "S5.9 SRQ_LIMIT_REACHED SRQ pool[1]"},
                                      {20, "S2.26 QP_LAST_WQE_REACHED QP victim[1]"},
                                      {30, "S5.9 SRQ_LIMIT_REACHED SRQ pool[1]"}});
}

TEST_CASE("S7.3 destroy and reset of a QP are notable, from their beginning to their end") {
    Record reset = with_state(record_of(Kind::Modify, 10, kNoCq, Qpn{0}),
                              static_cast<std::uint8_t>(QpState::Reset));
    Record again = create_qp(50, Qpn{0}, kCq, kCq);
    const auto read = waves_of(storm_header(),
                               {create_cq(0, kCq, 8),
                                create_qp(0, Qpn{0}, kCq, kCq),
                                reset,
                                destroy(10, DestroyPhase::Begun),
                                destroy(20, DestroyPhase::Done),
                                destroy(30, DestroyPhase::Begun),
                                destroy(40, DestroyPhase::Done),
                                again});
    CHECK(
        read[notable] ==
        VcdChanges{
            {0, ""},
            {10, "S7.3 reset of QP victim[0] begins: what it has outstanding gets no entry"},
            {20, "S7.3 reset of QP victim[0] is acknowledged: nothing of that life is in flight"},
            {30, "S7.3 destroy of QP victim[0] begins: what it has outstanding gets no entry"},
            {40, "S7.3 destroy of QP victim[0] is acknowledged: nothing of that life is in flight"},
            {50, "QP victim[0] is created"}});
    CHECK(read["cqsim.engine.qp_table.notes"] == read[notable]);
}

TEST_CASE("S7.7 a sweep is notable once, and the next entry to read is behind what it gave back") {
    const auto read = waves_of(storm_header(),
                               {create_cq(0, kCq, 8),
                                slot_of(1, kCq, 0, 0),
                                slot_of(1, kCq, 1, 0),
                                slot_of(1, kCq, 2, 0),
                                entry_of(Kind::CqeVisible, 2, kCq, 0, Qpn{0}),
                                entry_of(Kind::CqeVisible, 3, kCq, 1, Qpn{0}),
                                entry_of(Kind::CqeVisible, 4, kCq, 2, Qpn{0}),
                                entry_of(Kind::Poll, 5, kCq, 0, Qpn{0}),
                                entry_of(Kind::Sweep, 6, kCq, 2, Qpn{2}),
                                entry_of(Kind::Sweep, 6, kCq, 1, Qpn{2}),
                                ci_of(6, kCq, 2),
                                entry_of(Kind::Poll, 7, kCq, 2, Qpn{2}),
                                ci_of(7, kCq, 3)});
    CHECK(read[notable] == VcdChanges{{0, ""}, {6, "S7.7 software sweeps cq shared: slot 2"}});
    CHECK(read["cqsim.engine.overflow.cq_shared.polled_index"] ==
          VcdChanges{{0, "0"}, {5, "1"}, {6, "2"}, {7, "3"}});
}

TEST_CASE("A rule that fails is notable, at its time and with its number") {
    const ScratchFile file("waves_fail.vcd");
    WaveSubscriber waves(storm_header(), file.path());
    const std::vector<Record> records{
        create_cq(0, kCq, 8), slot_of(5, kCq, 0, 0), slot_of(9, kCq, 1, 0)};
    waves.fail(7, "I6", "cq.shared: is armed and has an entry");
    waves.fail(20, "D4", "run: one request has no outcome");
    waves.observe({records.data(), records.size()});
    waves.close(30);
    const auto read = read_vcd(file.path());
    CHECK(read[notable] == VcdChanges{{0, ""},
                                      {7, "FAIL I6 cq.shared: is armed and has an entry"},
                                      {20, "FAIL D4 run: one request has no outcome"}});
    CHECK(read["cqsim.engine.notes"] == read[notable]);
    CHECK(labels_of(waves.view(30, 7)) == std::vector<std::string>{"FAIL_I6 7", "FAIL_D4 20"});
}

TEST_CASE("A save file opens on the story: first to last moment, and half as much on either side") {
    const std::vector<Record> story{overrun(1000, LostCause::Overrun),
                                    destroy(1100, DestroyPhase::Begun),
                                    destroy(1400, DestroyPhase::Done)};
    const WaveView view = view_of(story, true, 10'000);
    CHECK(view.from_ps == 800);
    CHECK(view.to_ps == 1600);
    CHECK(labels_of(view) == std::vector<std::string>{"overrun 1000", "destroy 1100", "done 1400"});

    SECTION("within the run") {
        const WaveView near = view_of(
            {overrun(300, LostCause::Overrun), destroy(1000, DestroyPhase::Done)}, true, 1100);
        CHECK(near.from_ps == 0);
        CHECK(near.to_ps == 1100);
    }
    SECTION("with the failure in sight") {
        const WaveView failed = view_of(story, true, 10'000, 1800);
        CHECK(failed.from_ps == 600);
        CHECK(failed.to_ps == 2200);
    }
    SECTION("a short run as a whole") {
        const WaveView whole = view_of(story, false, 10'000);
        CHECK(whole.from_ps == 0);
        CHECK(whole.to_ps == 10'000);
        CHECK(labels_of(whole) == labels_of(view));
    }
    SECTION("a run without a story as a whole") {
        const WaveView whole = view_of({}, true, 10'000);
        CHECK(whole.from_ps == 0);
        CHECK(whole.to_ps == 10'000);
        CHECK(whole.moments.empty());
    }
}

TEST_CASE("The story of one failure lasts until its last flush") {
    const WaveView view = view_of(
        {fails(1000, Qpn{0}), fails(1000, Qpn{1}), flushed(1200, Qpn{0}), flushed(1600, Qpn{1})},
        true,
        10'000);
    CHECK(view.from_ps == 700);
    CHECK(view.to_ps == 1900);
    CHECK(labels_of(view) == std::vector<std::string>{"fails 1000"});
}

TEST_CASE("When something goes wrong the routine is no part of the story") {
    const auto arms = record_of(Kind::Arm, 300, kCq);
    const WaveView calm = view_of({arms, record_of(Kind::Irq, 400)}, true, 10'000);
    CHECK(labels_of(calm) == std::vector<std::string>{"armed 300", "irq 400"});
    CHECK(calm.from_ps == 250);
    CHECK(calm.to_ps == 450);
    const WaveView trouble = view_of({arms, fails(1000, Qpn{0})}, true, 10'000);
    CHECK(labels_of(trouble) == std::vector<std::string>{"fails 1000"});
}
