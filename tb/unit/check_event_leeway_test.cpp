// SPDX-License-Identifier: Apache-2.0
// What a device may do with arms and events that are under way, and what it may not.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {

TEST_CASE("I6 a device that needs time from an entry to its event, and one that needs more") {
    check::Settings settings;
    settings.event_latency_ps = 100;
    for (const std::uint64_t took : {100U, 101U}) {
        Play play;
        play.stream.arm(0);
        play.send();
        play.stream.wait(took);
        play.stream.event(0, EventCause::Entry, 1);
        play.handle();
        CHECK(failed(play.end(), settings) == (took > 100 ? Rules{"I6"} : Rules{}));
    }
}

TEST_CASE("S6.1 an entry that the device may have noticed only after the arm, and an older one") {
    check::Settings settings;
    settings.event_latency_ps = 100;
    for (const std::uint64_t age : {99U, 100U}) {
        Play play;
        play.send();
        play.stream.wait(age);
        play.stream.arm(0);
        play.stream.event(0, EventCause::Entry, 1);
        play.handle();
        CHECK(failed(play.end(), settings) == (age < 100 ? Rules{} : Rules{"S6.1"}));
    }
}

TEST_CASE("I6 an arm that is refused for its consumer index waits for nothing") {
    LegalStream::Options options = Play::with_events();
    options.index_width = 16;
    check::Settings settings;
    settings.index_width = 16;
    for (const std::uint32_t consumer : {0U, 0x1'0000U}) {
        const bool wide = consumer != 0;
        Play play(options);
        play.stream.arm(0);
        play.trace.records().back().index = consumer;
        play.stream.refuse_arm(0);
        play.send();
        // Refused although the index is right: that is a wake-up lost.
        CHECK(failed(play.end(), settings) == (wide ? Rules{} : Rules{"I6"}));
        Play armed(options);  // and takes no earlier one back
        armed.stream.arm(0);
        armed.stream.arm(0);
        armed.trace.records().back().index = consumer;
        armed.stream.refuse_arm(0);
        armed.send();
        CHECK(failed(armed.end(), settings) == (wide ? Rules{"I6"} : Rules{"I6", "I6"}));
    }
}

// Which write a refusal answers its record does not say: it is taken for the CQ's last arm.
TEST_CASE("I6 an arm may be refused some cycles later, after entries and arms of other CQs") {
    LegalStream::Options options = Play::with_events();
    options.index_width = 16;
    options.cqs = 2;
    check::Settings settings;
    settings.index_width = 16;
    for (const std::uint32_t consumer : {0U, 0x1'0000U}) {
        Play play(options);
        play.stream.arm(0);
        play.trace.records().back().index = consumer;
        play.stream.arm(1);
        if (consumer != 0) {
            play.send();
            play.stream.wait(100);
            play.send();
        }
        play.stream.wait(1);
        play.stream.refuse_arm(0);
        play.send();
        CHECK(failed(play.end(), settings) == (consumer != 0 ? Rules{} : Rules{"I6"}));
    }
    Play kept(options);  // a right arm behind the one that is refused stands
    kept.stream.arm(0);
    kept.trace.records().back().index = 0x1'0000U;
    kept.stream.arm(0);
    kept.stream.wait(1);
    kept.stream.refuse_arm(0);
    kept.send();
    CHECK(failed(kept.end(), settings) == Rules{"I6"});
    Play silent(options);  // neither refused nor heeded
    silent.stream.arm(0);
    silent.trace.records().back().index = 0x1'0000U;
    silent.send();
    CHECK(failed(silent.end(), settings) == Rules{"I6"});
}

TEST_CASE("S6.16 what a CQ reported before its CQ_ERR may stay without an entry") {
    for (const bool told : {false, true}) {
        Play play;
        play.stream.arm(0);
        for (int i = 0; i < 9; ++i) {
            play.send();
            if (i == 0) {
                play.stream.event(0, EventCause::Entry, 1);
            }
        }
        play.stream.tell_async(AsyncEvent::CqErr, Cqn{0}, kNoQp);
        play.stream.interrupt(1);
        play.stream.tell_async(AsyncEvent::QpFatal, kNoCq, LegalStream::qpn(0));
        play.stream.ack(1, true);
        if (told) {
            play.handle();
        }
        CHECK(failed(play.end()).empty());
    }
}

TEST_CASE("S6.21 an event shares the entry of the CQ's last one while that is still to come") {
    for (const bool shared : {true, false}) {
        Play play;
        for (int i = 0; i < 2; ++i) {
            play.stream.arm(0);
            play.send();
            play.stream.event(0, EventCause::Entry, 1);
            if (shared == (i == 1)) {
                play.handle();
            }
        }
        CHECK(failed(play.end()) == (shared ? Rules{} : Rules{"S6.21"}));
    }
}

TEST_CASE("D6 an event that counts other entries than were added") {
    Play play;
    play.stream.arm(0);
    play.send();
    play.stream.event(0, EventCause::Entry, 2);
    play.handle();
    CHECK(failed(play.end()) == Rules{"D6"});
}

TEST_CASE("D6 an event by an entry that is not the newest, unless that may not be known yet") {
    const auto played = [](std::uint32_t behind, std::uint32_t entries) {
        Play play;
        play.send();
        play.stream.wait(1000);
        play.stream.arm(0);
        play.stream.arm(0);
        play.send();
        play.send();
        play.stream.event(0, EventCause::Entry, entries);
        play.trace.records().back().index -= behind;
        play.handle();
        play.end();
        return std::move(play.trace);
    };
    check::Settings settings;
    settings.event_latency_ps = 500;
    CHECK(failed(played(0, 2), settings).empty());
    CHECK(failed(played(1, 1), settings).empty());
    CHECK(failed(played(1, 2), settings) == Rules{"D6"});
    CHECK(failed(played(2, 0), settings) == Rules{"D6"});  // from before the arm
    for (const std::uint32_t behind : {1U, 3U, 100U}) {
        Play play;
        play.stream.arm(0);
        play.send();
        play.stream.event(0, EventCause::Entry, 77);
        play.trace.records().back().index -= behind;
        play.handle();
        CHECK(failed(play.end()) == Rules{"D6"});
    }
}

}  // namespace cqsim::tb
