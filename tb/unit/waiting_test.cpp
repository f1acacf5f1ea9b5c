// SPDX-License-Identifier: Apache-2.0
// What a run says of send queues that do not go on (S2.5, S2.6, S5.13, K26), and whom steps signal.
#include "tb/scenario/reader.h"
#include "tb/system/system.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace cqsim::tb {
namespace {

/// Two QPs with queues of four; a host that polls if it is wanted.
std::string two_qps(const std::string& qp, const std::string& rest, bool polled = true) {
    std::string text = R"(
end = "100 us"
[[cq]]
name = "sends"
depth = 8
[[qp]]
name = "field"
count = 2
send_cq = "sends"
recv_cq = "sends"
send_depth = 4
)";
    text += qp + "\n" + rest + "\n";
    if (polled) {
        text += "[[host]]\ncq = \"sends\"\n";
    }
    return text;
}

constexpr const char* kTenSends =
    "[[traffic]]\nqp = \"field\"\nsend = { rate = \"1 M/s\", count = 10 }";

struct Played {
    explicit Played(const std::string& text, const std::vector<std::string>& overrides = {})
        : scenario(read_scenario_text(text, "w.toml", overrides)),
          system("cqsim", scenario, false),
          end(system.run()) {}
    Scenario scenario;
    System system;
    RunEnd end;
};

}  // namespace

TEST_CASE(
    "S2.6 a run that stalls for want of signaled sends names the QPs and what would be right") {
    const Played run(two_qps("signal_every = 6", kTenSends));
    CHECK(run.end.reason == EndReason::Stalled);
    REQUIRE(run.end.waiting.size() == 1);
    CHECK_THAT(
        run.end.waiting.front(),
        Catch::StartsWith("tx_pipeline: QP field[0] and 1 more of its group: the send queue "
                          "of 4 is full of requests that ended and asked for no completion"));
    CHECK_THAT(run.end.waiting.front(),
               Catch::Contains("(S2.6); signal_every = 6 is to be at most 4"));
    CHECK(run.end.warnings.empty());
}

TEST_CASE("S2.6 a queue full for ever is told of though something else goes on to the end") {
    const Played run(two_qps("signal_every = 6", std::string(kTenSends) + R"(
[[qp]]
name = "other"
send_cq = "sends"
recv_cq = "sends"
[[traffic]]
qp = "other"
send = { rate = "1 M/s" }
)"));
    CHECK(run.end.reason == EndReason::End);
    CHECK(run.end.waiting.empty());
    REQUIRE(run.end.warnings.size() == 1);
    CHECK_THAT(run.end.warnings.front(), Catch::StartsWith("QP field[0] and 1 more"));
}

TEST_CASE("S2.5 a run that stalls since nobody polls says so") {
    const Played run(two_qps("signal_every = 4", kTenSends, false));
    CHECK(run.end.reason == EndReason::Stalled);
    REQUIRE(run.end.waiting.size() == 1);
    CHECK_THAT(run.end.waiting.front(), Catch::Contains("only polling a completion"));
}

TEST_CASE("S2.1 S2.6 a queue of sq_sig_all waits for a poll and not for ever") {
    const Played run(two_qps("signal_every = 6\nsq_sig_all = true", kTenSends, false));
    CHECK(run.end.reason == EndReason::Stalled);
    REQUIRE(run.end.waiting.size() == 1);
    CHECK_THAT(run.end.waiting.front(), Catch::Contains("only polling a completion"));
}

TEST_CASE("S5.13 a run that stalls for want of credits of a CQ says so") {
    Played run(
        two_qps("", std::string(kTenSends) + "\n[host_driver]\ncq_credits = \"per_wqe\"", false),
        {"cq.sends.depth=4"});
    CHECK(run.end.reason == EndReason::Stalled);
    CHECK(run.system.tx().posted(Qpn{0}) == 2);
    CHECK(run.system.tx().posted(Qpn{1}) == 2);
    REQUIRE(run.end.waiting.size() == 1);
    CHECK_THAT(run.end.waiting.front(), Catch::Contains("QP field[0] and 1 more of its group"));
    CHECK_THAT(run.end.waiting.front(), Catch::Contains("waits for room in its send CQ"));
}

TEST_CASE("S2.6 a step that finds a queue full for ever says so") {
    const Played run(two_qps("", R"([[step]]
at = "1 us"
do = "post"
qp = "field[1]"
count = 4
signaled = false
[[step]]
at = "10 us"
do = "post"
qp = "field[1]"
)"));
    REQUIRE(run.end.script.size() == 1);
    CHECK_THAT(run.end.script.front(), Catch::Contains("QP field[1]"));
    CHECK_THAT(run.end.script.front(), Catch::Contains("no poll will ever retire them (S2.6)"));
}

TEST_CASE("S2.6 safe software signals one of as many as the queue holds and the last of a step") {
    Played run(two_qps("signal_every = 6\nsignal_policy = \"safe\"", R"([[step]]
at = "1 us"
do = "post"
qp = "field[0]"
count = 3
[[step]]
at = "10 us"
do = "post"
qp = "field[0]"
count = 2
)"));
    CHECK(run.end.script.empty());
    CHECK(run.system.host().polled() == 3);  // the third, the fourth, the fifth
}

TEST_CASE("K26 the header says when a slot is free") {
    const Scenario poll = read_scenario_text(two_qps("", ""), "w.toml");
    CHECK(header_of(poll).slot_release == "poll");
    const Scenario completion =
        read_scenario_text(two_qps("", "[device]\nslot_release = \"completion\""), "w.toml");
    CHECK(header_of(completion).slot_release == "completion");
}

TEST_CASE("S3.3 K01 the header says the format and the owner scheme and when a ring is full") {
    const Scenario spare = read_scenario_text(
        two_qps("", "[device.overflow]\nowner = \"phase\"\nfull = \"depth_minus_one\""), "w.toml");
    CHECK(header_of(spare).cqe_format == "native");
    CHECK(header_of(spare).owner == "phase");
    CHECK(header_of(spare).cq_full == "depth_minus_one");
    const Scenario mlx5 =
        read_scenario_text(two_qps("", "[device]\ncqe_format = \"mlx5\""), "w.toml");
    CHECK(header_of(mlx5).cqe_format == "mlx5");
    CHECK(header_of(mlx5).owner == "parity");
    CHECK(header_of(mlx5).cq_full == "depth");
}

namespace {

/// Sends that a drain of field[0] leaves posted, the marker among them; it ends with `result`.
std::uint32_t drained_behind(const std::string& posts, const std::string& result) {
    Played run(two_qps("recv_depth = 3",
                       "[[step]]\nat = \"1 us\"\ndo = \"post\"\nqp = \"field[0]\"\n" + posts +
                           "[[step]]\nat = \"2 us\"\ndo = \"drain_qp\"\nqp = \"field[0]\"\n"
                           "expect_result = \"" +
                           result +
                           "\"\n[[step]]\non = { ev = \"drain\", qp = \"field\", result = \"" +
                           result + "\" }\ndo = \"write_ci\"\ncq = \"sends\"\n"));
    INFO((run.end.script.empty() ? std::string() : run.end.script.front()));
    CHECK(run.end.script.empty());
    return run.system.tx().posted(Qpn{0});
}

}  // namespace

TEST_CASE("S7.6 a drain posts a marker to each queue") {
    CHECK(drained_behind("queue = \"recv\"\ncount = 2\n", "ok") == 1);
}

TEST_CASE("S7.6 a drain without room for a marker in the receive queue posts none, and says so") {
    CHECK(drained_behind("queue = \"recv\"\ncount = 3\n", "no_memory") == 0);
}

TEST_CASE("S7.6 a drain without room for a marker in the send queue says so") {
    CHECK(drained_behind("count = 4\nlatency = \"50 us\"\n", "no_memory") == 4);
}

}  // namespace cqsim::tb
