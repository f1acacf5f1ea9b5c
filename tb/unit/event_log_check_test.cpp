// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_check.h"

#include "tb/unit/check_verdict.h"
#include "tb/unit/event_log_files.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

// Live and offline, counts and texts.
void same_verdict(const Trace& trace, const RunHeader& header = rich_header()) {
    check::RuleCheckers live(checker_settings(header));
    live.observe({trace.records().data(), trace.records().size()});
    live.finish();
    const TemporaryFile file;
    write_log(file.path(), trace, header);
    const EventLogVerdict offline = check_event_log(file.path());

    CHECK(offline.records == trace.records().size());
    CHECK(offline.failed == live.failed());
    const std::vector<check::RuleCount> rules = live.rules();
    REQUIRE(offline.rules.size() == rules.size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
        INFO(rules[i].rule);
        CHECK(offline.rules[i].checked == rules[i].checked);
        CHECK(offline.rules[i].failed == rules[i].failed);
    }
    REQUIRE(offline.failures.size() == live.failures().size());
    for (std::size_t i = 0; i < offline.failures.size(); ++i) {
        CHECK(offline.failures[i].rule == live.failures()[i].rule);
        CHECK(offline.failures[i].time_ps == live.failures()[i].time_ps);
        CHECK(offline.failures[i].object == live.failures()[i].object);
        CHECK(offline.failures[i].text == live.failures()[i].text);
    }
}

}  // namespace

TEST_CASE("the verdict on a log is that of the live run, for a legal trace") {
    same_verdict(rich_trace());
}

TEST_CASE("the verdict on a log is that of the live run, for events and lives, whole or not") {
    RunHeader header = rich_header();
    header.index_width = 32;
    header.eq = {{"ceq", 0, 1}, {"aeq", 1, 1}};
    for (const char* arm : {"edge", "level"}) {
        header.arm = arm;
        header.moderation_break = header.arm == "edge";
        header.eq_overflow = header.arm == "edge" ? "fatal" : "back_pressure";
        for (const Trace& whole : {event_trace(), life_trace()}) {
            same_verdict(whole, header);
            for (std::size_t at = 0; at < whole.records().size(); at += 2) {
                Trace trace = whole;
                trace.records().erase(trace.records().begin() + static_cast<std::ptrdiff_t>(at));
                same_verdict(trace, header);
            }
        }
    }
}

TEST_CASE("the verdict on a log is that of the live run, for any record left out") {
    const Trace whole = rich_trace();
    for (std::size_t at = 0; at < whole.records().size(); at += 3) {
        Trace trace = whole;
        trace.records().erase(trace.records().begin() + static_cast<std::ptrdiff_t>(at));
        same_verdict(trace);
    }
}

TEST_CASE("one owner bit, index, doubled or missing line of a log names the rule and the object") {
    const TemporaryFile file;
    write_log(file.path(), rich_trace(), rich_header());
    const std::string whole = file.read();
    REQUIRE(check_event_log(file.path()).passed());
    const std::size_t slot = whole.find(R"("ev":"slot")", whole.size() / 3);
    const std::size_t line = whole.rfind('\n', slot) + 1;
    const std::size_t next = whole.find('\n', slot) + 1;
    const auto verdict = [&](const std::string& text) {
        file.write(text);
        const EventLogVerdict found = check_event_log(file.path());
        REQUIRE_FALSE(found.failures.empty());
        const std::string& object = found.failures.front().object;
        CHECK((object == "cq.shared" || object == "cq.other" || object.rfind("qp.", 0) == 0));
        return std::string(found.failures.front().rule);
    };
    std::string owner = whole;
    char& bit = owner[owner.find("\"owner\":", slot) + 8];
    bit = bit == '0' ? '1' : '0';
    CHECK(verdict(owner) == "S3.3");
    std::string index = whole;
    index.insert(index.find("\"index\":", slot) + 8, "1");
    CHECK(verdict(index) == "S3.13");
    std::string doubled = whole;
    doubled.insert(next, whole.substr(line, next - line));
    const std::string repeated = verdict(doubled);
    CHECK((repeated == "S2.1" || repeated == "S2.9"));
    std::string missing = whole;
    missing.erase(line, next - line);
    CHECK_FALSE(verdict(missing).empty());
}

TEST_CASE("a log without a kind that the checkers need is refused, not judged") {
    const TemporaryFile file;
    write_log(file.path(), rich_trace(), rich_header(), kAllKinds & ~mask_of(Kind::Ci));
    CHECK_THROWS_WITH(check_event_log(file.path()),
                      file.path() +
                          ":1:1: this log was written without the kinds ci; the "
                          "checkers need them (run with --events all)");
}

TEST_CASE("S1.2 a log of who sees the device and not its software is judged") {
    const TemporaryFile file;
    write_log(file.path(), rich_trace(), rich_header(), kAllKinds & ~mask_of(Kind::UndefinedRead));
    CHECK(check_event_log(file.path()).failures.empty());
}

TEST_CASE("S2.7 connections of which no packets are told are not judged") {
    const TemporaryFile file;
    RunHeader header = rich_header();
    header.connection = {{0, 1, 1, 7, 7}};
    write_log(file.path(), rich_trace(), header, kAllKinds & ~mask_of(Kind::Packet));
    CHECK(check_event_log(file.path()).failures.empty());
    write_log(file.path(), rich_trace(), header);
    CHECK_FALSE(check_event_log(file.path()).failures.empty());
}

TEST_CASE("a log of a format of entries that the checkers do not know is refused") {
    const TemporaryFile file;
    RunHeader header = rich_header();
    header.cqe_format = "thin";
    write_log(file.path(), rich_trace(), header);
    CHECK_THROWS_WITH(check_event_log(file.path()),
                      Catch::Contains(":1:1: the checkers know no device whose cqe_format is "
                                      "'thin': it should be one of native, mlx5, mlx5_128"));
}

TEST_CASE("P4 a device that the checkers do not know is refused, not judged") {
    for (const HeaderPolicy& policy : header_policies()) {
        RunHeader header;
        header.*policy.value = "other";
        CAPTURE(policy.key);
        CHECK_THROWS_WITH(check::RuleCheckers(checker_settings(header)),
                          Catch::StartsWith("the checkers know no device "));
    }
    CHECK_NOTHROW(check::RuleCheckers(checker_settings(RunHeader{})));
}

}  // namespace cqsim::tb
