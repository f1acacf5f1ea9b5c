// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the rule checkers say about a trace, for tests.
#pragma once

#include "tb/check/rule_checkers.h"
#include "tb/unit/check_stream.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace cqsim::tb {

struct Verdict {
    std::vector<std::string> failed;  ///< rules of the failures, in order
    std::vector<check::Failure> failures;
    std::vector<check::RuleCount> rules;

    std::uint64_t checked(std::string_view rule) const {
        for (const check::RuleCount& count : rules) {
            if (count.rule == rule) {
                return count.checked;
            }
        }
        return 0;
    }
    /// For a test's message.
    std::string text() const {
        std::string text;
        for (const check::Failure& failure : failures) {
            text += std::string(failure.rule) + " " + failure.object + ": " + failure.text + "\n";
        }
        return text;
    }
};

inline Verdict verdict_of(const Trace& trace,
                          const check::Settings& settings,
                          std::size_t batch = 256) {
    check::RuleCheckers checkers(settings);
    const std::vector<Record>& records = trace.records();
    for (std::size_t at = 0; at < records.size(); at += batch) {
        checkers.observe({records.data() + at, std::min(batch, records.size() - at)});
    }
    checkers.finish();
    Verdict verdict;
    verdict.failures = checkers.failures();
    verdict.rules = checkers.rules();
    for (const check::Failure& failure : verdict.failures) {
        verdict.failed.emplace_back(failure.rule);
    }
    return verdict;
}

inline Verdict verdict_of(const Trace& trace,
                          std::uint32_t index_width = 32,
                          std::size_t batch = 256) {
    check::Settings settings;
    settings.index_width = index_width;
    return verdict_of(trace, settings, batch);
}

using Rules = std::vector<std::string>;

/// The rules that fail on a trace; what they say appears if the test fails.
inline Rules failed(const Trace& trace) {
    const Verdict verdict = verdict_of(trace);
    UNSCOPED_INFO(verdict.text());
    return verdict.failed;
}

/// The same under other settings.
inline Rules failed(const Trace& trace, const check::Settings& settings) {
    const Verdict verdict = verdict_of(trace, settings);
    UNSCOPED_INFO(verdict.text());
    return verdict.failed;
}

/// Passes, and the rules' conditions arose.
inline void check_legal(const Trace& trace,
                        const std::vector<const char*>& rules,
                        const check::Settings& settings = {}) {
    const Verdict verdict = verdict_of(trace, settings);
    INFO(verdict.text());
    CHECK(verdict.failed.empty());
    for (const char* rule : rules) {
        INFO(rule);
        CHECK(verdict.checked(rule) > 0);
    }
}

/// Two QPs on a CQ with an event queue, armed, and one for asynchronous events.
struct Play {
    Trace trace;
    LegalStream stream;

    explicit Play(const LegalStream::Options& options = with_events())
        : stream(options, trace.sink()) {  // which keeps the place of the trace
        stream.ack(0, true);
        stream.ack(1, true);
    }
    Play(const Play&) = delete;
    Play& operator=(const Play&) = delete;

    static LegalStream::Options with_events() {
        LegalStream::Options options;
        options.qps = 2;
        options.eqs = 1;
        return options;
    }
    void send(std::uint32_t qp = 0) {
        stream.post(qp, QueueKind::Send, true);
        stream.complete(qp, QueueKind::Send);
    }
    /// Every second one is solicited, not the first.
    void receive(std::uint32_t qp = 1) {
        stream.post(qp, QueueKind::Receive, false);
        stream.complete(qp, QueueKind::Receive);
    }
    /// The event is told and handled.
    void handle() {
        stream.tell(0);
        stream.interrupt(0);
        stream.poll(0, 8);
        stream.ack(0, true);
    }
    Trace& end(EndReason reason = EndReason::Idle) {
        stream.end(reason);
        return trace;
    }
};

}  // namespace cqsim::tb
