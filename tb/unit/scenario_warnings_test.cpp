// SPDX-License-Identifier: Apache-2.0
// S2.6: a scenario whose send queues fill for ever is warned of; and what goes with K26 (S1.8).
#include "tb/unit/scenario_bad.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

/// Warnings of the base with more keys of its QP group, and with traffic.
std::vector<std::string> warnings_with(const std::string& qp,
                                       const std::string& traffic,
                                       const std::string& device = {}) {
    return read_scenario_text(scenario_text(qp + "\n[[traffic]]\nqp = \"victim\"\n" + traffic +
                                            "\n[device]\n" + device),
                              "x.toml")
        .warnings;
}

constexpr const char* kForEver = R"(send = { rate = "1 M/s" })";
constexpr const char* kRare = "send_depth = 8\nsignal_every = 9";

}  // namespace

TEST_CASE("S2.6 the warning names the place and the group and what would be right") {
    const std::vector<std::string> warnings = warnings_with(kRare, kForEver);
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings.front(), Catch::StartsWith("x.toml:11:16: [[qp]] victim has "));
    CHECK_THAT(warnings.front(), Catch::Contains("signal_every = 9 and send_depth = 8"));
    CHECK_THAT(warnings.front(), Catch::Contains("S2.6"));
    CHECK_THAT(warnings.front(),
               Catch::EndsWith("; signal_every is at most 8, or signal_policy = \"safe\""));
}

TEST_CASE("S2.6 no warning where a completion retires what fills the queue") {
    CHECK(warnings_with("send_depth = 9\nsignal_every = 9", kForEver).empty());
    CHECK(warnings_with(kRare + std::string("\nsq_sig_all = true"), kForEver).empty());
    CHECK(warnings_with(kRare + std::string("\nsignal_policy = \"safe\""), kForEver).empty());
    CHECK(warnings_with(kRare, kForEver, "slot_release = \"completion\"").empty());
    CHECK(warnings_with(kRare, R"(recv = { rate = "1 M/s" })").empty());
}

TEST_CASE("S2.6 no warning while all that traffic posts has a place in the queue") {
    CHECK(warnings_with(kRare, R"(send = { rate = "1 M/s", count = 8 })").empty());
    CHECK(warnings_with(kRare, R"(send = { rate = "1 M/s", count = 9 })").size() == 1);
    const std::string twice = R"(send = { rate = "1 M/s", count = 4 }
[[traffic]]
qp = "victim"
)";
    CHECK(warnings_with(kRare, twice + R"(send = { rate = "1 M/s", count = 4 })").empty());
    CHECK(warnings_with(kRare, twice + R"(send = { rate = "1 M/s", count = 5 })").size() == 1);
    CHECK(warnings_with(kRare, twice + kForEver).size() == 1);
}

TEST_CASE("S2.6 safe software signals one of as many as the queue holds, or more") {
    QpGroup group;
    group.send_depth = 8;
    group.signal_every = 16;
    CHECK(Scenario::signal_every(group) == 16);
    group.signal_policy = SignalPolicy::Safe;
    CHECK(Scenario::signal_every(group) == 8);
    group.signal_every = 4;
    CHECK(Scenario::signal_every(group) == 4);
}

TEST_CASE(
    "S1.8 K26 an entry without a wr_id does not go with slots that are free before it is read") {
    check_each({
        {"[device]\ncqe_format = \"mlx5\"\nslot_release = \"completion\"\n", 0, "", 12, 16, "S1.8"},
        {"[device]\ncqe_format = \"mlx5_128\"\nslot_release = \"completion\"\n",
         0,
         "",
         12,
         16,
         "S1.8"},
    });
    CHECK(mistakes(scenario_text("[device]\ncqe_format = \"mlx5\"\nslot_release = \"poll\"\n"))
              .empty());
    CHECK(mistakes(scenario_text("[device]\nslot_release = \"completion\"\n")).empty());
}

}  // namespace cqsim::tb
