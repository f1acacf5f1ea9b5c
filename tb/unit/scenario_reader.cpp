// SPDX-License-Identifier: Apache-2.0
// What a right scenario becomes.
#include "tb/unit/scenario_text.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

Scenario read(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return read_scenario_text(text, "dir/some_name.toml", overrides);
}

TEST_CASE("defaults are those of the typed structs") {
    const Scenario s = read(scenario_text());
    CHECK(s.name == "some_name");
    CHECK(s.size == ScenarioSize::Small);
    CHECK(s.seed == 1);
    CHECK(s.end.ps == 2'000'000'000);
    CHECK(s.device.arbiter.policy == ArbiterPolicy::RoundRobin);
    CHECK(s.device.arbiter.requester == Requester::Qp);
    CHECK(s.device.arbiter.depth == 64);
    CHECK(s.device.writer.service.ps == 4'000);
    CHECK(s.device.writer.undefined == UndefinedPolicy::Poison);
    CHECK(s.device.overflow.index_width == 32);
    CHECK(s.device.link_delay.ps == 0);
    CHECK(s.memory.write_latency.ps == 600'000);
    CHECK(s.memory.bandwidth == 16'000'000'000);
    CHECK(s.qp.at(0).send_depth == 16);
    CHECK(s.qp.at(0).signal_every == 1);
    CHECK(s.host.empty());
}

TEST_CASE("[device] sets every knob of the block") {
    const Scenario s = read(scenario_text(R"(
[device]
link_delay = "3 ns"
completion_arbiter = { policy = "fifo", requester = "cq", admission = "credits", depth = 7, credits = 9, tie_break = "seeded" }
[device.cqe_writer]
service = "2.5 ns"
writes_in_flight = 5
undefined = "zero"
[device.memory]
write_latency = "1 us"
read_latency = "0 ps"
bandwidth = "unlimited"
[device.overflow]
policy = "cq_error"
index_width = 24
first_index = 16777208
)"));
    CHECK(s.device.link_delay.ps == 3'000);
    CHECK(s.device.arbiter.policy == ArbiterPolicy::Fifo);
    CHECK(s.device.arbiter.requester == Requester::Cq);
    CHECK(s.device.arbiter.admission == AdmissionPolicy::Credits);
    CHECK(s.device.arbiter.depth == 7);
    CHECK(s.device.arbiter.credits == 9);
    CHECK(s.device.arbiter.tie_break == TieBreak::Seeded);
    CHECK(s.device.writer.service.ps == 2'500);
    CHECK(s.device.writer.writes_in_flight == 5);
    CHECK(s.device.writer.undefined == UndefinedPolicy::Zero);
    CHECK(s.memory.write_latency.ps == 1'000'000);
    CHECK(s.memory.read_latency.ps == 0);
    CHECK(s.memory.bandwidth == 0);
    CHECK(s.device.overflow.index_width == 24);
    CHECK(s.device.overflow.first_index == 16'777'208);  // 2^24 - 8
}

TEST_CASE("S1.2 [host_driver] says how software tells sends from receives") {
    CHECK(read(scenario_text()).host_driver.classify == ClassifyPolicy::Status);
    const Scenario s = read(scenario_text("[host_driver]\nclassify = \"opcode\"\n"));
    CHECK(s.host_driver.classify == ClassifyPolicy::Opcode);
}

TEST_CASE("S4.2 a ring gets the next power of two; numbers go on from group to group") {
    const Scenario s = read(scenario_text(
        "[[cq]]\nname = \"more\"\ncount = 3\ndepth = 1000\n[[cq]]\nname = \"one\"\ndepth = 1\n"
        "[[qp]]\nname = \"other\"\nsend_cq = \"more\"\nrecv_cq = \"one\"\n"));
    REQUIRE(s.cq.size() == 3);
    CHECK(s.cq[0].capacity == 8);
    CHECK(s.cq[1].capacity == 1024);
    CHECK(s.cq[2].capacity == 1);
    CHECK(s.cq[1].first == 1);
    CHECK(s.cq[2].first == 4);
    CHECK(s.device.cqs == 5);
    CHECK(s.device.qps == 5);
    CHECK(s.qp[1].first == 4);
    CHECK(s.qp[1].send_cq == 1);
    CHECK(s.qp[1].recv_cq == 2);
    CHECK(s.cq_name(Cqn{0}) == "shared");
    CHECK(s.cq_name(Cqn{3}) == "more[2]");
    CHECK(s.qp_name(Qpn{3}) == "victim[3]");
    CHECK(s.qp_name(Qpn{4}) == "other");
    CHECK(s.group_of(Cqn{4}).name == "one");
    CHECK(s.group_of(Qpn{0}).name == "victim");
    CHECK_THROWS_AS(s.qp_name(Qpn{5}), std::out_of_range);
    CHECK_THROWS_AS(s.cq_name(kNoCq), std::out_of_range);
}

TEST_CASE("S2.11 SRQs are numbered from 1, and the QPs of a group go round those of a group") {
    const Scenario s = read(scenario_text(
        "srq = \"pair\"\n[[srq]]\nname = \"one\"\ndepth = 4\n"
        "[[srq]]\nname = \"pair\"\ncount = 2\ndepth = 8\nlimit = 3\nkept_full = false\n"));
    REQUIRE(s.srq.size() == 2);
    CHECK(s.srq[0].first == 1);
    CHECK(s.srq[0].limit == 0);
    CHECK(s.srq[0].kept_full);
    CHECK(s.srq[1].first == 2);
    CHECK(s.srq[1].limit == 3);
    CHECK_FALSE(s.srq[1].kept_full);
    CHECK(s.srq_name(Srqn{1}) == "one");
    CHECK(s.srq_name(Srqn{3}) == "pair[1]");
    CHECK(s.srqn_of(Qpn{0}) == Srqn{2});
    CHECK(s.srqn_of(Qpn{1}) == Srqn{3});
    CHECK(s.srqn_of(Qpn{2}) == Srqn{2});
    CHECK(read(scenario_text()).srqn_of(Qpn{0}) == kNoSrq);
}

TEST_CASE("first_qpn leaves numbers out, and the next group goes on behind") {
    const std::string cqs = "send_cq = \"shared\"\nrecv_cq = \"shared\"\n";
    const Scenario s = read(scenario_text("first_qpn = 3\n[[qp]]\nname = \"high\"\n" + cqs +
                                          "first_qpn = 257\n[[qp]]\nname = \"next\"\n" + cqs));
    CHECK(s.qp_name(Qpn{3}) == "victim[0]");
    CHECK(s.qp_name(Qpn{257}) == "high");
    CHECK(s.qp_name(Qpn{258}) == "next");
    CHECK(s.device.qps == 259);
    CHECK_THROWS_AS(s.qp_name(Qpn{2}), std::out_of_range);
    CHECK_THROWS_AS(s.qp_name(Qpn{7}), std::out_of_range);
}

TEST_CASE("names may be used before the table that gives them") {
    const Scenario s = read(
        "end = \"1 ms\"\n[[host]]\ncq = \"c\"\n[[qp]]\nname = \"q\"\nsend_cq = \"c\"\n"
        "recv_cq = \"c\"\n[[cq]]\nname = \"c\"\ndepth = 4\n");
    REQUIRE(s.host.size() == 1);
    CHECK(s.host[0].batch == 16);
    CHECK(s.host[0].interval.ps == 100'000);
}

TEST_CASE("[[traffic]] with both sides gives two streams") {
    const Scenario s = read(scenario_text(R"(
[[traffic]]
qp = "victim"
recv = { rate = "100 /s", opcode = "RDMA_WRITE_WITH_IMM" }
send = { rate = "1 M/s", opcode = "RDMA_READ", bytes = 0, count = 12, latency = "3 us", start = "1 us", solicited_every = 2, order = "shuffled" }
)"));
    REQUIRE(s.traffic.size() == 2);
    const Traffic& send = s.traffic[0];
    CHECK(send.queue == QueueKind::Send);
    CHECK(send.period.ps == 1'000'000);
    CHECK(send.opcode == WrOpcode::RdmaRead);
    CHECK(send.bytes == 0);
    CHECK(send.count == 12);
    CHECK(send.latency.ps == 3'000'000);
    CHECK(send.start.ps == 1'000'000);
    CHECK(send.solicited_every == 2);
    CHECK(send.shuffled);
    const Traffic& recv = s.traffic[1];
    CHECK(recv.queue == QueueKind::Receive);
    CHECK(recv.period.ps == 10'000'000'000);
    CHECK(recv.opcode == WrOpcode::RdmaWriteWithImm);
    CHECK(recv.count == 0);
    CHECK_FALSE(recv.shuffled);
}

TEST_CASE("steps are expanded and sorted by time; those of one time keep file order") {
    const Scenario s = read(scenario_text(R"(
[[step]]
at = "3 us"
do = "fail"
qp = "victim[2]"
queue = "recv"
status = "LOC_PROT_ERR"
vendor_err = 7
[[step]]
at = "1 us"
do = "post"
qp = "victim"
count = 1
every = "2 us"
times = 3
[[step]]
at = "3 us"
do = "post"
qp = "victim"
count = 9
signaled = false
solicited = true
)"));
    REQUIRE(s.step.size() == 5);
    // Posts at 1, 3, 5 us; the failure stands before the post of 3 us in the file.
    CHECK(s.step[0].at.ps == 1'000'000);
    CHECK(s.step[1].at.ps == 3'000'000);
    CHECK(s.step[1].kind == StepKind::Fail);
    CHECK(s.step[1].status == WcStatus::LocProtErr);
    CHECK(s.step[1].vendor_err == 7);
    CHECK(s.step[1].queue == QueueKind::Receive);
    CHECK(s.step[1].qp.member == 2U);
    CHECK(s.step[1].where.line == 11);
    CHECK(s.step[2].count == 1);
    CHECK_FALSE(s.step[2].signaled.has_value());
    CHECK_FALSE(s.step[2].qp.member.has_value());
    CHECK(s.step[2].latency.ps == 1'000'000);
    CHECK(s.step[3].count == 9);
    CHECK(s.step[3].signaled == false);
    CHECK(s.step[3].solicited);
    CHECK(s.step[4].at.ps == 5'000'000);
}

TEST_CASE("expectations keep their bounds, patterns and places") {
    const Scenario s = read(scenario_text(R"(
[[expect]]
stat = "cq.shared.overruns"
equals = 0
[[expect]]
stat = "qp.victim.completed"
between = [1, 2.5]
[[expect]]
sequence = [ { ev = "overrun", cq = "shared", cause = "overrun" }, { ev = "qp_state", qp = "victim[1]", state = "ERR" } ]
[[expect]]
never = { ev = "complete", queue = "recv", wqe = 7, status = "WR_FLUSH_ERR" }
[[expect]]
violation = "S5.3c"
[[expect]]
end = "stalled"
)"));
    REQUIRE(s.expect.size() == 6);
    CHECK(s.expect[0].stat == "cq.shared.overruns");
    CHECK(s.expect[0].at_least == 0.0);
    CHECK(s.expect[0].at_most == 0.0);
    CHECK(s.expect[0].where.line == 12);
    CHECK(s.expect[1].at_least == 1.0);
    CHECK(s.expect[1].at_most == 2.5);
    REQUIRE(s.expect[2].patterns.size() == 2);
    const RecordPattern& overrun = s.expect[2].patterns[0];
    CHECK(overrun.kind == Kind::Overrun);
    CHECK(overrun.state == static_cast<std::uint8_t>(LostCause::Overrun));
    CHECK(overrun.text == R"({ ev = "overrun", cq = "shared", cause = "overrun" })");
    CHECK(s.expect[2].patterns[1].qp->member == 1U);
    CHECK(s.expect[2].patterns[1].state == static_cast<std::uint8_t>(QpState::Err));
    CHECK(s.expect[3].kind == ExpectKind::Never);
    CHECK(s.expect[3].patterns.at(0).queue == QueueKind::Receive);
    CHECK(s.expect[3].patterns.at(0).wqe == 7U);
    CHECK_FALSE(s.expect[2].patterns[1].wqe);
    CHECK(s.expect[3].patterns.at(0).text ==
          R"({ ev = "complete", queue = "recv", wqe = 7, status = "WR_FLUSH_ERR" })");
    CHECK(s.expect[3].patterns.at(0).state == static_cast<std::uint8_t>(WcStatus::WrFlushErr));
    CHECK(s.expect[4].rule == "S5.3c");
    CHECK(s.expect[4].at_least == 1.0);
    CHECK(s.expect[5].end == EndReason::Stalled);
}

TEST_CASE("a pattern with wqe matches the request of that index alone") {
    const Scenario s = read(scenario_text(R"(
[[expect]]
sequence = [ { ev = "complete", wqe = 7 }, { ev = "packet", wqe = 7 } ]
)"));
    const std::vector<RecordPattern>& patterns = s.expect.at(0).patterns;
    Record record;
    record.kind = Kind::Complete;
    record.index = 7;
    CHECK(s.matches(patterns.at(0), record));
    record.index = 8;
    CHECK_FALSE(s.matches(patterns[0], record));
    // The index of a packet is its number; the request that it names is in wr_id.
    record.kind = Kind::Packet;
    record.index = 7;
    record.wr_id = 6;
    CHECK_FALSE(s.matches(patterns.at(1), record));
    record.wr_id = 7;
    record.index = 6;
    CHECK(s.matches(patterns[1], record));
}

TEST_CASE("an override changes a value by name, by number, and one that the file does not say") {
    const std::string text =
        scenario_text("[[traffic]]\nqp = \"victim\"\nsend = { rate = \"1 M/s\" }\n");
    const Scenario s = read(text,
                            {"cq.shared.depth=16",
                             "traffic.0.send.rate=500 k/s",
                             "device.completion_arbiter.policy=fifo",
                             R"(device.memory.bandwidth="8 GB/s")",
                             "seed=1",
                             "seed=42",
                             "about=two words",
                             "qp.0.sq_sig_all=true",
                             R"(device.cqe_writer={ service = "1 ns" })"});
    CHECK(s.cq[0].depth == 16);
    CHECK(s.traffic[0].period.ps == 2'000'000);
    CHECK(s.device.arbiter.policy == ArbiterPolicy::Fifo);
    CHECK(s.memory.bandwidth == 8'000'000'000);
    CHECK(s.seed == 42);
    CHECK(s.about == "two words");
    CHECK(s.qp[0].sq_sig_all);
    CHECK(s.device.writer.service.ps == 1'000);
}

TEST_CASE("a wrong override is refused at its place") {
    struct Case {
        const char* assignment;
        const char* text;
    };
    for (const Case& c : {
             Case{"cq.shared.depht=1",
                  "--set cq.shared.depht: unknown key \"depht\" in [[cq]]; did "
                  "you mean \"depth\"?"},
             Case{"cq.sharde.depth=1",
                  "--set cq.sharde.depth: no element \"sharde\" in cq; did you "
                  "mean \"shared\"?"},
             Case{"cq.1.depth=1", "--set cq.1.depth: no element \"1\" in cq"},
             Case{"cq.shared.depth=0", "--set cq.shared.depth: depth = 0 is out of range"},
             Case{"devise.x=1", "--set devise.x: unknown key \"devise\""},
             Case{"end.x=1", "--set end.x: end is a string and has no key \"x\""},
             Case{"host.0.batch=1", "--set host.0.batch: no [[host]] in the file"},
             Case{"seed", "--set seed: no \"=\" in it"},
             Case{"=1", "--set : not a dotted path of keys"},
             Case{"a..b=1", "--set a..b: not a dotted path of keys"},
             Case{"seed=1\nx = 2", R"(--set seed: seed = "1\nx = 2" is a string)"},
         }) {
        const auto errors = mistakes(scenario_text(), {c.assignment});
        INFO(c.assignment);
        REQUIRE(errors.size() == 1);
        CHECK_THAT(errors.front().text(), Catch::StartsWith(c.text));
    }
}

}  // namespace
}  // namespace cqsim::tb
