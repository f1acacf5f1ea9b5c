// SPDX-License-Identifier: Apache-2.0
// Every record of a legal trace, left out, doubled, or with one field changed, is found.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <set>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kWidth = kRichIndexWidth;

std::string describe(const Trace& trace, std::size_t at) {
    const Record& record = trace.records()[at];
    return "record " + std::to_string(at) + " of kind " +
           std::to_string(static_cast<unsigned>(record.kind)) + " at " +
           std::to_string(record.time_ps);
}

}  // namespace

TEST_CASE("a rich legal trace passes, whatever the batches") {
    const Trace trace = rich_trace();
    for (const std::size_t batch : {std::size_t{1}, std::size_t{7}, std::size_t{256}}) {
        const Verdict verdict = verdict_of(trace, kWidth, batch);
        INFO(verdict.text());
        CHECK(verdict.failed.empty());
    }
}

TEST_CASE("legal traces of events and of lives pass, whatever the batches") {
    for (const Trace& trace : {event_trace(), life_trace()}) {
        for (const std::size_t batch : {std::size_t{1}, std::size_t{7}, std::size_t{256}}) {
            const Verdict verdict = verdict_of(trace, 32, batch);
            INFO(verdict.text());
            CHECK(verdict.failed.empty());
        }
    }
}

TEST_CASE("the condition of every rule arises in the legal traces") {
    const Verdict rich = verdict_of(rich_trace(), kWidth);
    const Verdict events = verdict_of(event_trace());
    const Verdict lives = verdict_of(life_trace());
    check::Settings promises;
    promises.flush_order = "sq_then_rq";
    const Verdict flush = verdict_of(drained_trace(QueueKind::Send), promises);
    // Those have traces of their own.
    const std::set<std::string_view> others{"S1.17",
                                            "S2.7",
                                            "S2.8",
                                            "S2.11",
                                            "S2.13",
                                            "S2.14",
                                            "S2.16",
                                            "S2.17",
                                            "S2.25",
                                            "S2.26",
                                            "S4.3",
                                            "S4.6",
                                            "S4.15",
                                            "S5.3f",
                                            "S5.5",
                                            "S5.9",
                                            "S6.7"};
    for (std::size_t i = 0; i < rich.rules.size(); ++i) {
        INFO(rich.rules[i].rule);
        if (others.count(rich.rules[i].rule) == 0) {
            CHECK(rich.rules[i].checked + events.rules[i].checked + lives.rules[i].checked +
                      flush.rules[i].checked >
                  0);
        }
    }
}

TEST_CASE("a trace with any one record left out fails, but not for a consumer index") {
    const Trace whole = rich_trace();
    for (std::size_t at = 0; at < whole.records().size(); ++at) {
        if (whole.records()[at].kind == Kind::Ci) {
            continue;  // software may publish as seldom as it likes
        }
        Trace trace = whole;
        trace.records().erase(trace.records().begin() + static_cast<std::ptrdiff_t>(at));
        const Verdict verdict = verdict_of(trace, kWidth);
        INFO(describe(whole, at) << " left out:\n" << verdict.text());
        CHECK_FALSE(verdict.failed.empty());
        CHECK(verdict.failed.size() <= 4);
    }
}

TEST_CASE("a trace with any one record doubled fails, but not for a consumer index") {
    const Trace whole = rich_trace();
    for (std::size_t at = 0; at < whole.records().size(); ++at) {
        if (whole.records()[at].kind == Kind::Ci) {
            continue;
        }
        Trace trace = whole;
        const Record copy = trace.records()[at];
        trace.records().insert(trace.records().begin() + static_cast<std::ptrdiff_t>(at), copy);
        const Verdict verdict = verdict_of(trace, kWidth);
        INFO(describe(whole, at) << " doubled:\n" << verdict.text());
        CHECK_FALSE(verdict.failed.empty());
        CHECK(verdict.failed.size() <= 2);
    }
}

namespace {

struct Change {
    const char* what;
    std::function<void(Trace&, Record&)> apply;
};

template <class Member>
Change more(const char* what, Member Record::*member) {
    return {what, [member](Trace&, Record& record) {
                record.*member =
                    static_cast<Member>(static_cast<std::uint64_t>(record.*member) + 1);
            }};
}

Change flip(const char* what, std::uint8_t bit) {
    return {what, [bit](Trace&, Record& record) { record.flags ^= bit; }};
}

Change flip_byte(const char* what, std::size_t at) {
    return {what,
            [at](Trace& trace, Record& record) { trace.own_bytes(record)[at] ^= std::byte{1}; }};
}

}  // namespace

TEST_CASE("a trace with any one meaningful field changed fails") {
    const Change serial = more("serial", &Record::serial);
    const Change wr_id = more("wr_id", &Record::wr_id);
    const Change a = more("a", &Record::a);
    const Change b = more("b", &Record::b);
    const Change index = more("index", &Record::index);
    const Change cqn = more("cqn", &Record::cqn);
    const Change qpn = more("qpn", &Record::qpn);
    const Change generation = more("generation", &Record::generation);
    const Change queue = more("queue", &Record::queue);
    const Change state = more("state", &Record::state);
    const Change owner = flip("owner", kOwner);
    const Change signaled = flip("signaled", kSignaled);
    const Change flushed = flip("flushed", kFlushed);
    const std::vector<std::pair<Kind, std::vector<Change>>> fields{
        {Kind::Complete, {serial, wr_id, index, qpn, generation, queue, signaled, flushed}},
        {Kind::Suppress, {serial, wr_id, index, qpn, generation, queue}},
        {Kind::Request, {serial, cqn, qpn, queue}},
        {Kind::Grant, {serial, cqn, qpn, queue}},
        {Kind::Slot, {serial, cqn, qpn, generation, queue, index, state, a}},
        {Kind::Overrun, {serial, cqn, qpn, generation, queue, index, state, a}},
        {Kind::CqeWrite, {cqn, index, a, b, qpn, queue, wr_id, state, owner}},
        {Kind::CqeVisible, {cqn, index, a, b, qpn, queue, wr_id, state, owner}},
        {Kind::Poll, {cqn, index, a, b, qpn, queue, wr_id, state, owner}},
        {Kind::Ci, {cqn, index, a}},
        {Kind::Async, {state}},
        {Kind::QpState, {qpn, state}},
        {Kind::Flush, {qpn, queue, index, a}},
        {Kind::Outcome, {serial, wr_id, index, qpn, generation, queue, a}},
        {Kind::End, {a, serial}},
    };
    const Trace whole = rich_trace();
    for (const auto& [kind, changes] : fields) {
        for (std::size_t n = 0; n < whole.count(kind); ++n) {
            for (const Change& change : changes) {
                Trace trace = whole;
                change.apply(trace, trace.nth(kind, n));
                if (verdict_of(trace, kWidth).failed.empty()) {
                    FAIL_CHECK("kind " << static_cast<unsigned>(kind) << " number " << n << ": "
                                       << change.what);
                }
            }
        }
    }
}

TEST_CASE("a trace with any one byte of an entry changed fails") {
    // Not defined in a successful send: byte_len, imm_data, src_qp, vendor_err, srqn and after
    // (S1.3, K19); 'solicited' of a send.
    const Trace whole = rich_trace();
    for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible, Kind::Poll}) {
        for (std::size_t n = 0; n < whole.count(kind); n += 9) {
            for (std::size_t at = 0; at < 64; ++at) {
                Trace trace = whole;
                flip_byte("byte", at).apply(trace, trace.nth(kind, n));
                const Verdict verdict = verdict_of(trace, kWidth);
                if (verdict.failed.empty() || verdict.failed.size() > 2) {
                    FAIL_CHECK("kind " << static_cast<unsigned>(kind) << " number " << n << " byte "
                                       << at << ": " << verdict.text());
                }
            }
        }
    }
}

}  // namespace cqsim::tb
