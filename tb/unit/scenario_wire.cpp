// SPDX-License-Identifier: Apache-2.0
// Connections: what goes together, and what does not, with its place (P8).
#include "tb/unit/scenario_bad.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

/// Lines 10 to 13, or 10 to 14.
std::string peers(const std::string& more = "count = 4\n") {
    return "[[qp]]\nname = \"peer\"\nsend_cq = \"shared\"\nrecv_cq = \"shared\"\n" + more;
}
/// Three lines.
std::string wired(const std::string& a = "victim", const std::string& b = "peer") {
    return "[[connection]]\na = \"" + a + "\"\nb = \"" + b + "\"\n";
}
std::string wire_step(const std::string& keys) {
    return "[[step]]\nat = \"1 us\"\nqp = \"victim\"\n" + keys;
}

}  // namespace

TEST_CASE("a connection of two groups, of two members, and faults on it") {
    CHECK(mistakes(scenario_text(peers() + wired())).empty());
    CHECK(mistakes(scenario_text(wired("victim[0]", "victim[1]") + wired("victim[2]", "victim[3]")))
              .empty());
    const Scenario scenario = read_scenario_text(
        scenario_text(peers() + wired() + "retry_cnt = 2\nrnr_retry = 0\nack_every = 3\n" +
                      wire_step("do = \"fault\"\nfault = \"drop\"\nmessage = 5\nhits = \"all\"\n")),
        "x.toml",
        {});
    REQUIRE(scenario.connection.size() == 1);
    CHECK(scenario.connection[0].retry_cnt == 2);
    CHECK(scenario.connection[0].rnr_retry == 0);
    CHECK(scenario.connection[0].ack_every == 3);
    REQUIRE(scenario.step.size() == 1);
    CHECK(scenario.step[0].fault == Fault::Drop);
    CHECK(scenario.step[0].message == 5);
    CHECK(scenario.step[0].hits == kEveryTime);
}

TEST_CASE("connections that cannot be") {
    check_each({
        {wired("victim", "victim"), 0, "", 12, 5, "its own peer"},
        {wired("victim[1]", "victim[1]"), 0, "", 12, 5, "its own peer"},
        {peers("") + wired(), 0, "", 16, 5, R"("victim" has 4 QPs, "peer" has 1)"},
        {peers("count = 4\ntype = \"UC\"\n") + wired(), 0, "", 18, 5, "QPs of two types"},
        {peers("count = 4\ntype = \"RAW_PACKET\"\n") + wired("peer[0]", "peer[1]"),
         0,
         "",
         17,
         5,
         "of type RAW_PACKET are not connected"},
        {peers() + "[[qp]]\nname = \"third\"\nsend_cq = \"shared\"\nrecv_cq = \"shared\"\n" +
             wired() + wired("victim[0]", "third"),
         0,
         "",
         23,
         5,
         "\"victim[0]\" is connected before"},
        {peers() + wired() + "retry_cnt = 8\n", 0, "", 18, 13, "0 .. 7"},
        {peers() + wired() + "ack_every = 0\n", 0, "", 18, 13, "1 .. 65535"},
    });
}

TEST_CASE("a fault that can hit no message of the type of the QP is refused, with those that can") {
    const std::string unreliable =
        "[[qp]]\nname = \"x\"\nsend_cq = \"shared\"\nrecv_cq = \"shared\"\ncount = 2\ntype = ";
    const std::string step =
        wired("x[0]", "x[1]") + "[[step]]\nat = \"1 us\"\nqp = \"x[0]\"\ndo = \"fault\"\nfault = ";
    check_each({
        {unreliable + "\"UC\"\n" + step + "\"drop_ack\"\n", 0, "", 23, 9, "of type UC"},
        {unreliable + "\"UC\"\n" + step + "\"bad_response\"\n",
         0,
         "",
         23,
         9,
         "one of drop, rkey, invalid_request, length, responder_wqe, inv_key, local_prot"},
        {unreliable + "\"UD\"\n" + step + "\"rkey\"\n",
         0,
         "",
         23,
         9,
         "one of drop, invalid_request, length, responder_wqe, local_prot"},
    });
    CHECK(mistakes(scenario_text(unreliable + "\"UD\"\n" + step + "\"drop\"\n")).empty());
}

TEST_CASE("connections of one group are filled all, or none") {
    const std::string first = wired("victim[0]", "victim[1]");
    const std::string second = wired("victim[2]", "victim[3]");
    check_each({
        {first + second + "fill = false\n", 0, "", 16, 8, "fill differs"},
        {first + "fill = false\n" + second, 0, "", 14, 1, "fill differs"},
    });
    CHECK(mistakes(scenario_text(first + "fill = false\n" + second + "fill = false\n")).empty());
}

TEST_CASE("steps and traffic that do not go with a connection") {
    const std::string fault = "do = \"fault\"\nfault = \"rkey\"\n";
    check_each({
        {wire_step(fault), 0, "", 12, 6, "\"victim\" is not connected"},
        {peers() + wired() + wire_step("do = \"fault\"\n"), 0, "", 18, 1, "fault"},
        {peers() + wired() + wire_step(fault + "hits = 2\n"), 0, "", 23, 1, "drop"},
        {peers() + wired() + wire_step("do = \"fail\"\nstatus = \"LOC_PROT_ERR\"\n"),
         0,
         "",
         20,
         6,
         "do = \"fault\""},
        {peers() + wired() + wire_step("do = \"post\"\nlatency = \"1 us\"\n"),
         0,
         "",
         22,
         1,
         "end with their answers"},
        {peers() + wired() + "[[traffic]]\nqp = \"victim\"\nrecv = { rate = \"1 M/s\" }\n",
         0,
         "",
         20,
         1,
         "messages come from their peers"},
        {peers() + wired() +
             "[[traffic]]\nqp = \"peer\"\nsend = { rate = \"1 M/s\", latency = \"1 us\" }\n",
         0,
         "",
         20,
         26,
         "end with their answers"},
    });
}

}  // namespace cqsim::tb
