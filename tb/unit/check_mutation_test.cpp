// SPDX-License-Identifier: Apache-2.0
// Every record of a legal trace, left out, doubled, or with one field changed, is found.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

namespace cqsim::tb {
namespace {

// Two CQs of 8, four QPs, both queues, unsignaled sends, wraps, a failed QP with its flush, an
// overrun, and software that polls.
Trace rich_trace() {
    Trace trace;
    LegalStream::Options options;
    options.cqs = 2;
    options.qps = 4;
    options.first_index = 5;
    options.index_width = 5;
    options.in_flight = 2;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t round = 0; round < 12; ++round) {
        for (std::uint32_t qp = 0; qp < 4; ++qp) {
            stream.post(qp, QueueKind::Send, round % 3 == 0);
            stream.post(qp, QueueKind::Receive, false);
        }
        for (std::uint32_t qp = 0; qp < 4 && round > 0; ++qp) {
            stream.complete(qp, QueueKind::Send);
            stream.complete(
                qp, QueueKind::Receive, WcStatus::Success, round % 4 == 0 ? kWcWithImm : 0);
        }
        stream.poll(round % 2, 3);
        stream.poll(0, 8);
        stream.poll(1, 8);
    }
    stream.settle();
    stream.poll(1, 8);
    stream.post(1, QueueKind::Send, false);
    stream.fail(1, QueueKind::Send, WcStatus::RetryExcErr);
    stream.settle();
    stream.poll(1, 8);
    for (std::uint32_t i = 0; i < 5; ++i) {  // CQ 0 overruns
        for (const std::uint32_t qp : {0U, 2U}) {
            if (stream.open(qp, QueueKind::Receive) == 0) {
                stream.post(qp, QueueKind::Receive, false);
            }
            if (i == 4) {
                stream.complete(qp, QueueKind::Receive);
                stream.flush(qp, QueueKind::Send);
            } else {
                stream.complete(qp, QueueKind::Receive);
            }
        }
    }
    stream.settle();
    stream.poll(0, 8);
    stream.end();
    return trace;
}

constexpr std::uint32_t kWidth = 5;

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
    const Verdict verdict = verdict_of(trace, kWidth);
    for (const check::RuleCount& count : verdict.rules) {
        INFO(count.rule);
        if (count.rule != "S5.3f") {
            CHECK(count.checked > 0);
        }
    }
}

TEST_CASE("a trace with any one record left out fails, but not for a consumer index") {
    const Trace whole = rich_trace();
    std::size_t worst = 0;
    for (std::size_t at = 0; at < whole.records().size(); ++at) {
        if (whole.records()[at].kind == Kind::Ci) {
            continue;  // software may publish as seldom as it likes
        }
        Trace trace = whole;
        trace.records().erase(trace.records().begin() + static_cast<std::ptrdiff_t>(at));
        const Verdict verdict = verdict_of(trace, kWidth);
        INFO(describe(whole, at) << " left out:\n" << verdict.text());
        CHECK_FALSE(verdict.failed.empty());
        worst = std::max(worst, verdict.failed.size());
        if (verdict.failed.size() > 3 || verdict.failed.empty()) {
            WARN(describe(whole, at) << " left out:\n" << verdict.text());
        }
    }
    CHECK(worst <= 4);
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
        if (verdict.failed.size() > 2 || verdict.failed.empty()) {
            WARN(describe(whole, at) << " doubled:\n" << verdict.text());
        }
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
                record.*member = static_cast<Member>(static_cast<std::uint64_t>(record.*member) + 1);
            }};
}

Change flip(const char* what, std::uint8_t bit) {
    return {what, [bit](Trace&, Record& record) { record.flags ^= bit; }};
}

Change flip_byte(const char* what, std::size_t at) {
    return {what, [at](Trace& trace, Record& record) {
                trace.own_bytes(record)[at] ^= std::byte{1};
            }};
}

}  // namespace

TEST_CASE("zzz scan") {
    const Trace whole = rich_trace();
    std::vector<Change> changes{more("serial", &Record::serial), more("wr_id", &Record::wr_id),
        more("a", &Record::a), more("index", &Record::index), more("cqn", &Record::cqn),
        more("qpn", &Record::qpn), more("generation", &Record::generation), more("b", &Record::b),
        more("state", &Record::state), more("queue", &Record::queue),
        flip("signaled", kSignaled), flip("flushed", kFlushed), flip("owner", kOwner), flip("sigall", kSigAll), flip("solicited", kSolicited)};
    std::map<std::string, std::array<int, 6>> found;
    for (std::size_t at = 0; at < whole.records().size(); ++at) {
        for (std::size_t c = 0; c < changes.size() + 64; ++c) {
            Trace trace = whole;
            Record& record = trace.records()[at];
            Change change = c < changes.size() ? changes[c] : flip_byte("byte", c - changes.size());
            if (c >= changes.size() && (record.bytes == nullptr || c - changes.size() >= record.b)) continue;
            change.apply(trace, record);
            const Verdict verdict = verdict_of(trace, kWidth);
            std::string key = std::to_string((int)record.kind) + " " + change.what;
            if (c >= changes.size()) key += std::to_string(c - changes.size());
            ++found[key][std::min<std::size_t>(verdict.failed.size(), 5)];
            if (verdict.failed.size() > 3) printf("%s %s: %s\n", describe(whole, at).c_str(), key.c_str(), verdict.text().c_str());
        }
    }
    for (auto& [k, n] : found) {
        if (n[0] || n[4] || n[5] || n[3]) printf("%s: none %d, 1: %d, 2: %d, 3: %d, 4: %d more %d\n", k.c_str(), n[0], n[1], n[2],n[3],n[4],n[5]);
    }
}

}  // namespace cqsim::tb
