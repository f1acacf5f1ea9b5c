// SPDX-License-Identifier: Apache-2.0
// The resolved configuration reproduces the run; no text crashes the reader.
#include "tb/unit/scenario_text.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <random>
#include <sstream>

namespace cqsim::tb {
namespace {

std::string file_text(const std::string& path) {
    std::ifstream in(std::string(CQSIM_SOURCE_DIR) + "/" + path);
    REQUIRE(in);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Says something with every key of the language.
constexpr const char* kEverything = R"(
name = "it's a \"name\""
about = "tab\t, quote \", backslash \\ and é"
size = "large"
seed = 9223372036854775807
end = "1.5 ms"
[device]
cqe_format = "native"
slot_release = "completion"
link_delay = "1 ps"
flush_service = "17 ns"
completion_arbiter = { policy = "fifo", requester = "tap", admission = "credits", depth = 1, credits = 2, tie_break = "rx_first" }
cqe_writer = { service = "0 ps", writes_in_flight = 1024, undefined = "stale" }
memory = { write_latency = "1.001 us", read_latency = "1 ms", bandwidth = "12.5 GB/s", ordering = "relaxed", beat = 8, beat_gap = "3 ps", reorder = "0 ps" }
overflow = { policy = "cq_error", index_width = 16, first_index = 65528, consumer_index = "increment", increment_bits = 16 }
[[cq]]
name = "small-one"
depth = 5
[[cq]]
name = "group"
count = 4
depth = 8
[[qp]]
name = "q"
count = 300
send_cq = "group"
recv_cq = "small-one"
send_depth = 32768
recv_depth = 1
signal_every = 65535
signal_policy = "safe"
first_qpn = 77
sq_sig_all = true
[[traffic]]
qp = "q"
send = { rate = "3 M/s", opcode = "ATOMIC_WRITE", bytes = 2147483648, count = 5, latency = "1 s", start = "1 us", solicited_every = 3, order = "shuffled" }
recv = { rate = "7.1 k/s" }
[[host]]
cq = "group"
mode = "poll"
batch = 3
interval = "33 ns"
start = "2 ns"
[host_driver]
cq_credits = "until_error"
[[step]]
at = "5 ns"
do = "post"
qp = "q[7]"
queue = "send"
count = 3
opcode = "LOCAL_INV"
bytes = 0
signaled = true
solicited = true
latency = "9 ns"
every = "1 ns"
times = 3
[[step]]
at = "6 ns"
do = "fail"
qp = "q"
queue = "recv"
status = "LOC_LEN_ERR"
vendor_err = 4294967295
[[expect]]
stat = "cq.group.written"
at_least = 0.1
[[expect]]
stat = "arbiter.jain_fairness"
at_most = 1
[[expect]]
stat = "qp.q.posted"
between = [3, 4]
[[expect]]
stat = "qp.q.posted"
equals = -1e300
[[expect]]
sequence = [ { ev = "post", qp = "q", queue = "send", wqe = 3, opcode = "SEND" }, { ev = "end", reason = "idle" }, { ev = "outcome", outcome = "lost" } ]
[[expect]]
never = { ev = "async", cq = "group[3]", type = "QP_FATAL" }
[[expect]]
violation = "S2.9"
at_least = 4
[[expect]]
end = "end"
[[expect]]
stat = "end.reason"
equals = "stalled"
[[expect]]
stat = "end.time_ps"
at_most = 5000
)";

void check_same_again(const Scenario& scenario) {
    const std::string once = to_toml(scenario);
    INFO(once);
    const Scenario again = read_scenario_text(once, "another_file.toml");
    CHECK(again.name == scenario.name);
    CHECK(to_toml(again) == once);
    CHECK(again.step.size() == scenario.step.size());
    CHECK(again.traffic.size() == scenario.traffic.size());
    CHECK(again.expect.size() == scenario.expect.size());
}

TEST_CASE("the resolved configuration read again is the same configuration") {
    check_same_again(read_scenario_text(scenario_text(), "base.toml"));
    check_same_again(read_scenario_text(kEverything, "everything.toml"));
    check_same_again(read_scenario_text(file_text("scenarios/first_look.toml"), "first_look.toml"));
}

TEST_CASE("the resolved configuration keeps every value") {
    const Scenario s = read_scenario_text(
        to_toml(read_scenario_text(kEverything, "everything.toml")), "everything.toml");
    CHECK(s.about == "tab\t, quote \", backslash \\ and \xC3\xA9");
    CHECK(s.name == "it's a \"name\"");
    CHECK(s.size == ScenarioSize::Large);
    CHECK(s.flush_service.ps == 17'000);
    REQUIRE(s.expect.size() > 2);
    CHECK(s.expect.end()[-2].kind == ExpectKind::End);
    CHECK(s.expect.end()[-2].end == EndReason::Stalled);
    CHECK(s.expect.end()[-1].stat == "end.time_ps");
    CHECK(s.seed == 9'223'372'036'854'775'807U);
    CHECK(s.end.ps == 1'500'000'000);
    CHECK(s.device.link_delay.ps == 1);
    CHECK(s.slot_release == SlotRelease::Completion);
    CHECK(s.qp.at(0).signal_policy == SignalPolicy::Safe);
    CHECK(s.host_driver.cq_credits == CqCreditPolicy::UntilError);
    CHECK(s.device.arbiter.policy == ArbiterPolicy::Fifo);
    CHECK(s.device.arbiter.credits == 2);
    CHECK(s.device.writer.writes_in_flight == 1024);
    CHECK(s.memory.write_latency.ps == 1'001'000);
    CHECK(s.memory.bandwidth == 12'500'000'000);
    CHECK(s.device.overflow.consumer_index == ConsumerPath::Increment);
    CHECK(s.device.overflow.increment_bits == 16);
    CHECK(s.memory.ordering == MemoryOrdering::Relaxed);
    CHECK(s.memory.beat == 8);
    CHECK(s.memory.beat_gap.ps == 3);
    CHECK(s.memory.reorder.ps == 0);
    CHECK(s.device.overflow.first_index == 65'528);
    CHECK(s.cq.at(0).depth == 5);
    CHECK(s.cq.at(0).capacity == 8);
    CHECK(s.qp.at(0).recv_depth == 1);
    CHECK(s.qp.at(0).first == 77);
    CHECK(s.qp.at(0).sq_sig_all);
    CHECK(s.traffic.at(0).period.ps == 333'333);
    CHECK(s.traffic.at(0).bytes == 2'147'483'648U);
    CHECK(s.traffic.at(1).period.ps == 140'845'070);  // 10^12 / 7100 = 140845070.4
    CHECK(s.host.at(0).interval.ps == 33'000);
    REQUIRE(s.step.size() == 4);
    CHECK(s.step[0].signaled == true);
    CHECK(s.step[2].kind == StepKind::Fail);  // 6 ns, after the post of 6 ns
    CHECK(s.step[2].vendor_err == 4'294'967'295U);
    CHECK(s.step[3].at.ps == 7'000);
    CHECK(s.expect.at(3).at_least == -1e300);
    CHECK(s.expect.at(4).patterns.at(2).state == static_cast<std::uint8_t>(Outcome::Lost));
    CHECK(s.expect.at(6).at_least == 4.0);
}

TEST_CASE("S3 first_look: a ring of 8, sends signaled 1 in 4, 25 entries asked for") {
    const Scenario s =
        read_scenario_text(file_text("scenarios/first_look.toml"), "first_look.toml");
    CHECK(s.device.qps == 3);
    CHECK(s.device.cqs == 2);
    CHECK(s.cq.at(0).capacity == 8);
    for (const QpGroup& qp : s.qp) {
        CHECK(qp.signal_every == 4);
    }
    // Received by alice 21, every fourth send of three QPs 3, the failed send 1.
    CHECK(s.expect.at(1).at_least == 25.0);
}

/// It is read or it is refused with places in it; it never ends otherwise.
void survive(const std::string& text) {
    try {
        read_scenario_text(text, "x.toml");
    } catch (const ScenarioErrors& errors) {
        const std::vector<ScenarioError>& list = errors.errors();
        CHECK_FALSE(list.empty());
        CHECK(list.front().where.line > 0);
    }
}

TEST_CASE("every prefix of a scenario is read or refused") {
    const std::string text = kEverything;
    for (std::size_t length = 0; length < text.size(); ++length) {
        survive(text.substr(0, length));
    }
}

TEST_CASE("a scenario with any byte changed or left out is read or refused") {
    const std::string text = kEverything;
    constexpr char kBytes[] = {'\0', '\n', '"', '[', ']', '{', '=', '.', '9', '-', 'x', '\xFF'};
    std::mt19937_64 random(1);
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string changed = text;
        changed[at] = kBytes[random() % sizeof(kBytes)];
        survive(changed);
        survive(text.substr(0, at) + text.substr(at + 1));
    }
}

TEST_CASE("a scenario with lines shuffled is read or refused") {
    std::vector<std::string> lines;
    std::istringstream in(kEverything);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    std::mt19937_64 random(2);
    for (int round = 0; round < 1'000; ++round) {
        const std::size_t from = random() % lines.size();
        std::swap(lines[from], lines[random() % lines.size()]);
        std::string text;
        for (const std::string& line : lines) {
            text += line + "\n";
        }
        survive(text);
    }
}

TEST_CASE("an override of any shape is taken or refused") {
    const std::vector<std::string> parts{"cq",
                                         "shared",
                                         "0",
                                         "depth",
                                         "expect",
                                         "device",
                                         "end",
                                         "seed",
                                         "name",
                                         "-1",
                                         "x y",
                                         "\"q\""};
    const std::vector<std::string> values{"", "1", "[]", "{}", "[[1]]", "\"", "nan", "a = 1", "#"};
    std::mt19937_64 random(3);
    for (int round = 0; round < 3'000; ++round) {
        std::string assignment = parts[random() % parts.size()];
        for (std::uint64_t more = random() % 3; more > 0; --more) {
            assignment += "." + parts[random() % parts.size()];
        }
        assignment += "=" + values[random() % values.size()];
        INFO(assignment);
        for (const ScenarioError& error : mistakes(scenario_text(), {assignment, assignment})) {
            CHECK_FALSE(error.message.empty());
        }
    }
}

}  // namespace
}  // namespace cqsim::tb
