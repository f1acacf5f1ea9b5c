// SPDX-License-Identifier: Apache-2.0
// A ring that is replaced while traffic runs (S4.6 to S4.8): what is right passes, and each fault
// is found.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace cqsim::tb {
namespace {

struct Case {
    ResizeMode mode = ResizeMode::Marker;
    std::uint32_t from = 8;
    std::uint32_t to = 16;
    std::uint32_t unpolled = 3;  ///< when the old ring ends
    LegalStream::Options options{};
};

// 11 entries, all but `unpolled` polled; the ring is replaced; 40 more entries; and it goes back.
Trace resized(const Case& test) {
    Trace trace;
    LegalStream::Options options = test.options;
    options.depth = test.from;
    LegalStream stream(options, trace.sink());
    const auto receive = [&] {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
    };
    for (std::uint32_t i = 0; i < 11; ++i) {
        receive();
        if (stream.unpolled(0) > test.unpolled) {
            stream.poll(0, 1);
        }
    }
    stream.resize(0, test.to, test.mode);
    for (std::uint32_t i = 0; i < 40; ++i) {
        receive();
        if (i % 3 == 2) {
            stream.poll(0, 8);
        }
    }
    stream.resize(0, test.from, test.mode);
    for (std::uint32_t i = 0; i < 20; ++i) {
        receive();
        stream.poll(0, 8);
    }
    stream.end();
    return trace;
}

check::Settings settings_of(const LegalStream::Options& options) {
    check::Settings settings;
    settings.owner = kOwnerSchemeNames.at(static_cast<std::size_t>(options.owner));
    return settings;
}

/// A CQ of 8 with `entries` entries, `polled` of them polled, whose ring is replaced.
struct Replaced {
    Trace trace;
    LegalStream stream{LegalStream::Options{}, trace.sink()};

    Replaced(std::uint32_t entries, std::uint32_t polled, std::uint32_t to, ResizeMode mode) {
        receive(entries);
        stream.poll(0, polled);
        stream.resize(0, to, mode);
    }
    Replaced(const Replaced&) = delete;
    Replaced& operator=(const Replaced&) = delete;

    void receive(std::uint32_t entries) {
        for (std::uint32_t i = 0; i < entries; ++i) {
            stream.post(0, QueueKind::Receive, false);
            stream.complete(0, QueueKind::Receive);
        }
    }
    /// The answer to a query says so.
    void query(std::uint32_t consumer, std::uint32_t depth) {
        stream.query_cq(0);
        trace.records().back().a = consumer;
        trace.records().back().wr_id = depth;
    }
};

bool fails(const Trace& trace, const char* rule) {
    const Rules rules = failed(trace);
    return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

constexpr ResizeMode kModes[]{ResizeMode::Marker, ResizeMode::CutOff};

}  // namespace

TEST_CASE("S4.6 a ring that is replaced keeps what is in it, larger or smaller, full or empty") {
    for (const ResizeMode mode : kModes) {
        for (const std::uint32_t to : {4U, 8U, 16U}) {
            for (const std::uint32_t unpolled : {0U, 1U, 3U}) {
                CAPTURE(static_cast<int>(mode), to, unpolled);
                check_legal(resized({mode, 8, to, unpolled, {}}), {"S4.6", "S3.3", "S1.7"});
            }
        }
    }
}

TEST_CASE("S4.6 a ring of any depth, scheme and format is replaced") {
    for (const ResizeMode mode : kModes) {
        for (const OwnerScheme scheme : {OwnerScheme::Phase, OwnerScheme::Generation}) {
            Case test{mode, 6, 11, 3, {}};
            test.options.owner = scheme;
            CAPTURE(static_cast<int>(mode), static_cast<int>(scheme));
            check_legal(resized(test), {"S4.6"}, settings_of(test.options));
        }
        Case wide{mode, 8, 16, 3, {}};
        wide.options.format = CqeFormat::Mlx5Wide;
        wide.options.stride = 128;
        check_legal(resized(wide), {"S4.6"});
    }
}

TEST_CASE("S4.6 an entry that a resize loses, doubles or moves to the wrong place") {
    const auto with = [](const auto& fault) {
        Trace trace = resized({});
        fault(trace);
        return failed(trace);
    };
    // Three entries are copied.
    CHECK(with([](Trace& trace) { trace.erase(Kind::Sweep, 1); }).front() == "S4.6");
    CHECK(with([](Trace& trace) { trace.duplicate(Kind::Sweep, 1); }).front() == "S4.6");
    CHECK(with([](Trace& trace) { trace.swap(Kind::Sweep, 0, 1); }).empty());  // in any order
    CHECK(with([](Trace& trace) {
              std::swap(trace.nth(Kind::Sweep, 0).index, trace.nth(Kind::Sweep, 1).index);
              std::swap(trace.nth(Kind::Sweep, 0).a, trace.nth(Kind::Sweep, 1).a);
          }).front() == "S4.6");
    CHECK(with([](Trace& trace) {
              trace.own_bytes(trace.nth(Kind::Sweep, 0))[12] ^= std::byte{1};
          }).front() == "S4.6");
    CHECK(with([](Trace& trace) {
              std::byte* bytes = trace.own_bytes(trace.nth(Kind::Sweep, 0));
              bytes[63] ^= std::byte{1};
          }).front() == "S3.3");
}

TEST_CASE("S4.7 S4.8 the entry that ends the old ring") {
    for (const ResizeMode mode : kModes) {
        const Trace legal = resized({mode, 8, 16, 3, {}});
        Trace other = legal;
        other.nth(Kind::Resize, 0).wr_id += 1;
        CHECK(failed(other).front() == "S4.6");
        Trace none = legal;  // entry 11 is one like any other
        for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible}) {
            std::byte* bytes = none.own_bytes(none.nth(kind, 11));
            bytes[63] &= std::byte{0x0F};
        }
        CHECK(failed(none).front() == "S4.6");
        Trace missing = legal;
        missing.erase(Kind::CqeVisible, 11);
        CHECK_FALSE(failed(missing).empty());
        Trace never = legal;  // goes on in another ring
        never.erase(Kind::Resize, 0);
        CHECK_FALSE(failed(never).empty());
    }
}

TEST_CASE("S4.8 behind a cut-off the new ring begins at its slot 0, in lap 0") {
    const Trace legal = resized({ResizeMode::CutOff, 8, 16, 3, {}});
    const std::size_t first = 12;  // the write behind the one that ends the old ring
    CHECK(legal.records()[legal.position(Kind::CqeWrite, first)].index == 0);
    Trace owner = legal;
    flip_entry(owner, first, 63, 1, CqeFormat::Native);
    CHECK(failed(owner).front() == "S3.3");
    Trace skipped = legal;
    skipped.erase(Kind::Poll, 9);  // of the old ring
    CHECK(failed(skipped).front() == "S1.7");
    Trace marker = legal;
    marker.nth(Kind::Resize, 0).state = static_cast<std::uint8_t>(ResizeMode::Marker);
    CHECK_FALSE(failed(marker).empty());
}

TEST_CASE("S3.14 a new ring has the room of its own depth") {
    Trace trace;
    LegalStream::Options options;
    LegalStream stream(options, trace.sink());
    const auto receive = [&] {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
    };
    receive();
    stream.resize(0, 8, ResizeMode::Marker);
    for (std::uint32_t i = 0; i < 6; ++i) {
        receive();
    }
    stream.end();
    CHECK(failed(trace).empty());
    trace.nth(Kind::Resize, 0).index = 4;
    CHECK(fails(trace, "S3.14"));
}

TEST_CASE("S3.1 the consumer index that a resize brings is known to the device") {
    for (const std::uint32_t brought : {0U, 3U, 4U}) {
        Replaced run(6, 3, 16, ResizeMode::Marker);
        run.trace.erase(Kind::Ci, 0);  // software polls, and publishes nothing
        run.trace.nth(Kind::Resize, 0).serial = brought;
        run.query(3, 16);
        run.stream.end();
        CAPTURE(brought);
        const Rules expected[]{{"S4.15"}, {}, {"S3.7", "S4.15"}};
        CHECK(failed(run.trace) == expected[brought == 0 ? 0 : brought - 2]);
    }
    // What was published since the command was given is newer.
    Replaced late(6, 3, 16, ResizeMode::Marker);
    late.trace.nth(Kind::Resize, 0).serial = 2;
    late.query(3, 16);
    late.stream.end();
    CHECK(failed(late.trace).empty());
}

TEST_CASE("S4.15 a query behind a resize to just what is unread") {
    for (const std::uint32_t known : {0U, 0xFFFF'FFF0U}) {
        Replaced run(5, 0, 5, ResizeMode::Marker);
        run.query(known, 5);
        run.stream.poll(0, 3);
        run.query(0, 5);  // it may not have read the doorbell record since
        run.stream.end();
        CAPTURE(known);
        CHECK(failed(run.trace) == (known == 0 ? Rules{} : Rules{"S4.15"}));
    }
}

TEST_CASE("S3.14 S5.3c a slot that is given while a ring is replaced is as any other") {
    for (const ResizeMode mode : kModes) {
        Replaced run(5, 2, 16, mode);
        if (mode == ResizeMode::CutOff) {
            run.trace.erase(Kind::Ci, 1);  // it has polled all, and not said so
        }
        run.receive(2);
        Trace counted = run.trace;
        Trace raised = run.trace;
        run.stream.end();
        CHECK(failed(run.trace).empty());
        const Record end = run.trace.records().back();
        counted.nth(Kind::Slot, 6).b -= 1;
        counted.add(end);
        CHECK(failed(counted) == Rules{"S3.14"});
        Record error;
        error.kind = Kind::Async;
        error.state = static_cast<std::uint8_t>(AsyncEvent::CqErr);
        error.cqn = Cqn{0};
        const std::size_t slot = raised.position(Kind::Slot, 6);
        error.time_ps = raised.records()[slot].time_ps;
        raised.records().insert(raised.records().begin() + static_cast<std::ptrdiff_t>(slot),
                                error);
        raised.add(end);
        CHECK(fails(raised, "S5.3c"));
    }
}

TEST_CASE("S4.8 S5.3a what is unread in the old ring takes no room of the one behind a cut-off") {
    Replaced run(6, 0, 6, ResizeMode::CutOff);
    run.trace.erase(Kind::Ci, 1);  // nothing is given back of the 7 in the old ring
    run.receive(6);
    run.stream.end();
    CHECK(failed(run.trace).empty());
    const std::size_t slot = run.trace.position(Kind::Slot, 9);  // the fourth in the new ring
    Trace both = run.trace;
    both.records()[slot].b = 11;  // a device may count those of both rings
    CHECK(failed(both).empty());
    both.records()[slot].b = 12;
    CHECK(failed(both) == Rules{"S3.14"});
    Trace refused = run.trace;
    Record& overrun = refused.records()[slot];
    overrun.kind = Kind::Overrun;
    overrun.state = static_cast<std::uint8_t>(LostCause::Overrun);
    overrun.a = 0;
    CHECK(failed(refused).front() == "S5.3a");
}

TEST_CASE("S6.15 an event behind the end of a ring names the newest entry, or that end") {
    for (const std::uint32_t index : {0U, 1U, 2U}) {
        Play play;
        play.stream.arm(0);
        play.send();
        play.stream.resize(0, 16, ResizeMode::Marker);
        play.stream.event(0, EventCause::Entry, 1);
        play.trace.nth(Kind::Event, 0).index = index;
        play.handle();
        CAPTURE(index);
        check::Settings settings;
        settings.event_latency_ps = 100;
        CHECK(failed(play.end(), settings).empty() == (index < 2));
    }
}

}  // namespace cqsim::tb
