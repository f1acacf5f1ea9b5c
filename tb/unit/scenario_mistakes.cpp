// SPDX-License-Identifier: Apache-2.0
// P8: a scenario mistake is answered with its place, what is wrong and what would be right.
#include "tb/unit/scenario_bad.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace cqsim::tb {
namespace {

TEST_CASE("the base of these tests is right") {
    CHECK(mistakes(scenario_text()).empty());
}

TEST_CASE("what is no TOML is refused where it stops being TOML") {
    check_each({
        {"seed", 0, "", 10, 5, "not TOML"},
        {"seed = 1\nseed = 2\n", 0, "", 11, 8, "redefine"},
        {"[device]\n[device]\n", 0, "", 11, 1, "redefine"},
        {"seed = 99999999999999999999\n", 0, "", 10, 28, "64 bits"},
        {"about = \"open\n", 0, "", 10, 14, "not TOML"},
    });
}

TEST_CASE("unknown keys are named with the nearest known one") {
    check_each({
        {"[devise]\n", 0, "", 10, 2, "did you mean \"device\"?"},
        {"[device]\nprofile = \"mlx5-like\"\n", 0, "", 11, 1, "unknown key \"profile\""},
        {"[device.overflow]\nindexwidth = 8\n", 0, "", 11, 1, "did you mean \"index_width\"?"},
        {"[device]\nmemory = { read_latncy = \"1 ns\" }\n", 0, "", 11, 12, "\"read_latency\"?"},
        {"", 4, "depth = 8\neqs = \"ceq0\"", 5, 1, "unknown key \"eqs\" in [[cq]]"},
        {"[[eqs]]\n", 0, "", 10, 3, "did you mean \"eq\"?"},
    });
}

TEST_CASE("event queues, modes and what belongs to them") {
    const std::string eq = "[[eq]]\nname = \"ceq\"\ndepth = 8\nvector = 0\n";
    const std::string async = eq + "kind = \"async\"\n";
    check_each({
        {"", 4, "depth = 8\neq = \"ceq0\"", 5, 6, "there is none; add an [[eq]]"},
        {eq + "[[cq]]\nname = \"b\"\ndepth = 1\neq = \"ceqq\"\n", 0, "", 17, 6, "mean \"ceq\"?"},
        {async + "[[cq]]\nname = \"b\"\ndepth = 1\neq = \"ceq\"\n", 0, "", 18, 6, "S6.21"},
        {async + "count = 2\n", 0, "", 15, 9, "one at most in all"},
        {"[[host]]\ncq = \"shared\"\nmode = \"event\"\n", 0, "", 12, 8, "has no event queue"},
        {"[[host]]\ncq = \"shared\"\narm = \"next\"\n", 0, "", 12, 1, "mode = \"event\""},
        {"[host_driver]\nstale = \"compakt\"\n", 0, "", 11, 9, "did you mean \"compact\"?"},
        {"", 4, "depth = 8\nmoderation = { count = 4 }", 5, 14, "no period"},
    });
}

TEST_CASE("S4.2 S4.9 what the device cannot do is not there when the run begins") {
    const std::string limits = "[device.overflow]\n";
    const std::string late = "depth = 8\nat_start = false";
    check_each({
        {limits + "max_depth = 4\n", 0, "", 4, 9, "at most max_depth = 4"},
        {limits + "max_cqs = 1\n[[cq]]\nname = \"b\"\ndepth = 1\n",
         0,
         "",
         11,
         11,
         "at_start = false"},
        {"", 4, late.c_str(), 9, 11, "not there when the run begins"},
        {"[device.command_unit]\nin_use = \"bsy\"\n", 0, "", 11, 10, "\"busy\"?"},
        {"[host_driver]\ncommand_timeout = \"0 ps\"\n", 0, "", 11, 19, "1 ns .. 1000 s"},
        {"[device.event_arbiter]\nmoderation = false\n",
         4,
         "depth = 8\nmoderation = { count = 4, period = \"1 us\" }",
         5,
         14,
         "has no moderation"},
    });
    CHECK(
        mistakes(scenario_text(limits + "max_cqs = 1\n[[cq]]\nname = \"b\"\ndepth = 1\nat_start = "
                                        "false\n"))
            .empty());
}

TEST_CASE("numbers out of range are refused with the range") {
    check_each({
        {"", 4, "depth = 0", 4, 9, "depth = 0 is out of range; 1 .. 4194304"},
        {"", 4, "depth = -1", 4, 9, "depth = -1 is out of range"},
        {"", 4, "depth = 100000000000", 4, 9, "depth = 100000000000 is out of range"},
        {"", 4, "depth = \"8\"", 4, 9, "is a string; write an integer, 1 .. 4194304"},
        {"", 4, "depth = 8.0", 4, 9, "a floating-point number"},
        {"", 4, "depth = 1979-05-27", 4, 9, "a date"},
        {"", 7, "count = 16777217", 7, 9, "1 .. 16777216"},
        {"", 1, "end = \"2 ms\"\nseed = -5", 2, 8, "seed = -5 is out of range"},
        {"sq_sig_all = 1\n", 0, "", 10, 14, "write true or false"},
        {"signal_every = 0\n", 0, "", 10, 16, "1 .. 65535"},
        {"send_depth = 32769\n", 0, "", 10, 14, "1 .. 32768"},
    });
}

TEST_CASE("durations, rates and bandwidths need their units") {
    check_each({
        {"", 1, "end = 2", 1, 7, "end = 2 has no unit; write a duration with one of the units ps"},
        {"", 1, "end = \"2\"", 1, 7, "has no unit"},
        {"", 1, "end = \"2 sec\"", 1, 7, "unknown unit"},
        {"", 1, "end = \"soon\"", 1, 7, "is not a duration"},
        {"", 1, "end = \"0.5 ps\"", 1, 7, "whole in ps"},
        {"", 1, "end = \"1001 s\"", 1, 7, "1 ps .. 1000 s"},
        {"", 1, "end = \"-1 ns\"", 1, 7, "out of range"},
        {"", 1, "end = \"0 ns\"", 1, 7, "out of range"},
        {"[device]\nmemory = { bandwidth = 16 }\n", 0, "", 11, 24, "e.g. \"16 GB/s\""},
        {"[device]\nmemory = { beat = 24 }\n", 0, "", 11, 19, "8, 16, 32 or 64"},
        {"[device]\nmemory = { beat = 128 }\n", 0, "", 11, 19, "8 .. 64"},
        {"[device]\nmemory = { bandwidth = \"2 TB/s\" }\n", 0, "", 11, 24, "1 TB/s"},
        {"[device]\ncqe_writer = { service = \"2 ms\" }\n", 0, "", 11, 26, "0 ps .. 1 ms"},
        {"[[traffic]]\nqp = \"victim\"\nsend = { rate = 1000 }\n", 0, "", 12, 17, "\"1 M/s\""},
        {"[[traffic]]\nqp = \"victim\"\nsend = { rate = \"2 G/s\" }\n", 0, "", 12, 17, "1 G/s"},
        {"[[traffic]]\nqp = \"victim\"\nsend = { rate = \"0 /s\" }\n", 0, "", 12, 17, "1 /s"},
    });
}

TEST_CASE("unknown names are named with the nearest known one") {
    check_each({
        {"", 8, "send_cq = \"sharde\"", 8, 11, "unknown CQ; did you mean \"shared\"?"},
        {"[[host]]\ncq = \"nothing\"\n", 0, "", 11, 6, "unknown CQ; known: shared"},
        {"[[traffic]]\nqp = \"victm\"\nsend = { rate = \"1 M/s\" }\n", 0, "", 11, 6, "\"victim\"?"},
        {"[device]\ncompletion_arbiter = { policy = \"roundrobin\" }\n",
         0,
         "",
         11,
         33,
         "did you mean \"round_robin\"?"},
        {"[device]\ncqe_format = \"mlx4\"\n", 0, "", 11, 14, "did you mean \"mlx5\"?"},
        {"[[traffic]]\nqp = \"victim\"\nsend = { rate = \"1 M/s\", opcode = \"SENT\" }\n",
         0,
         "",
         12,
         35,
         "did you mean \"SEND\"?"},
        {"", 1, "size = \"smal\"\nend = \"1 us\"", 1, 8, "\"small\"?"},
    });
}

TEST_CASE("S2.10 a message that consumes no receive cannot arrive in a receive queue") {
    const std::string recv = "[[traffic]]\nqp = \"victim\"\nrecv = { rate = \"1 M/s\", opcode = ";
    check_each({
        {recv + "\"RDMA_READ\" }\n", 0, "", 12, 35, "consumes no receive"},
        {recv + "\"RDMA_WRITE\" }\n", 0, "", 12, 35, "RDMA_WRITE_WITH_IMM"},
    });
    CHECK(mistakes(scenario_text(recv + "\"RDMA_WRITE_WITH_IMM\" }\n")).empty());
}

TEST_CASE("what must stand there and does not is missed") {
    check_each({
        {"", 1, "", 1, 1, "key \"end\" is missing"},
        {"", 3, "", 2, 1, "key \"name\" is missing in [[cq]]"},
        {"", 4, "", 2, 1, "key \"depth\" is missing in [[cq]]; integer, 1 .. 4194304"},
        {"[[traffic]]\nqp = \"victim\"\n", 0, "", 10, 1, "neither send nor recv"},
        {"[[step]]\nat = \"1 us\"\n", 0, "", 10, 1, "key \"do\" is missing"},
        {"[[expect]]\n", 0, "", 10, 1, "one of stat, sequence, never, violation, end"},
    });
}

TEST_CASE("tables and arrays are not mistaken for each other") {
    check_each({
        {"", 1, "end = \"1 us\"\ndevice = 1", 2, 10, "[device] is an integer"},
        {"[host]\ncq = \"shared\"\n", 0, "", 10, 1, "write [[host]]"},
        {"", 1, "end = \"1 us\"\nhost = [3]", 2, 9, "[[host]] is an integer"},
    });
}

TEST_CASE("names are words, and each is given once") {
    check_each({
        {"", 3, "name = \"shared ring\"", 3, 8, "is not a name"},
        {"[[cq]]\nname = \"shared\"\ndepth = 8\n", 0, "", 11, 8, "a second CQ of the name"},
        {"[[qp]]\nname = \"victim\"\nsend_cq = \"shared\"\nrecv_cq = \"shared\"\n",
         0,
         "",
         11,
         8,
         "a second QP of the name"},
        {"[[host]]\ncq = \"shared\"\n[[host]]\ncq = \"shared\"\n", 0, "", 13, 6, "second host"},
    });
}

TEST_CASE("expectations are whole and about things that exist") {
    check_each({
        {"[[expect]]\nstat = \"cq.shared.polled\"\n", 0, "", 10, 1, "stat without a bound"},
        {"[[expect]]\nstat = \"cq.shared.polled\"\nequals = 1\nat_most = 2\n",
         0,
         "",
         10,
         1,
         "several bounds"},
        {"[[expect]]\nstat = \"cq.sharde.polled\"\nequals = 1\n", 0, "", 11, 8, "\"shared\"?"},
        {"[[expect]]\nstat = \"cqs.shared.polled\"\nequals = 1\n", 0, "", 11, 8, "\"cq\"?"},
        {"[[expect]]\nstat = \"cq.shared\"\nequals = 1\n", 0, "", 11, 8, "no path to a number"},
        {"[[expect]]\nstat = \"cq.shared.polled\"\nbetween = [2, 1]\n", 0, "", 12, 11, "no number"},
        {"[[expect]]\nstat = \"cq.shared.polled\"\nequals = nan\n", 0, "", 12, 10, "not finite"},
        {"[[expect]]\nend = \"idle\"\nviolation = \"S7.7\"\n",
         0,
         "",
         11,
         1,
         "write two [[expect]]"},
        {"[[expect]]\nviolation = \"7.7\"\n", 0, "", 11, 13, "e.g. \"S5.3c\""},
        {"[[expect]]\nviolation = \"S7.7\"\nat_least = 0\n", 0, "", 12, 12, "1 or more"},
        {"[[expect]]\nend = \"idel\"\n", 0, "", 11, 7, "did you mean \"idle\"?"},
        {"[[expect]]\nstat = \"end.reason\"\nequals = 1\n", 0, "", 12, 10, "\"stalled\""},
        {"[[expect]]\nstat = \"end.reason\"\nequals = \"idel\"\n", 0, "", 12, 10, "\"idle\"?"},
        {"[[expect]]\nstat = \"end.reason\"\nat_least = 1\n", 0, "", 10, 1, "is a word"},
        {"[[expect]]\nstat = \"end.time_ps\"\nequals = \"idle\"\n", 0, "", 12, 10, "a string"},
        {"[[expect]]\nend = \"idle\"\nequals = 1\n", 0, "", 12, 1, "belongs to stat"},
        {"[[expect]]\nnever = { ev = \"overrn\" }\n", 0, "", 11, 16, "did you mean \"overrun\"?"},
        {"[[expect]]\nnever = { ev = \"resized\" }\n", 0, "", 11, 16, "is unknown"},
        {"[[expect]]\nnever = { cq = \"shared\" }\n", 0, "", 11, 9, "key \"ev\" is missing"},
        {"[[expect]]\nnever = { ev = \"ci\", qp = \"victim\" }\n",
         0,
         "",
         11,
         22,
         "belongs to ev ="},
        {"[[expect]]\nnever = { ev = \"complete\", wqe = -1 }\n",
         0,
         "",
         11,
         34,
         "wqe = -1 is out of range; 0 .. 4294967295"},
        {"[[expect]]\nnever = { ev = \"complete\", wqe = \"7\" }\n", 0, "", 11, 34, "integer"},
        {"[[expect]]\nnever = { ev = \"poll\", wqe = 7 }\n",
         0,
         "",
         11,
         24,
         "ev = post, complete, suppress, flush, outcome, packet"},
        {"[[expect]]\nnever = { ev = \"async\", type = \"CQ_ER\" }\n",
         0,
         "",
         11,
         32,
         "\"CQ_ERR\"?"},
        {"[[expect]]\nsequence = []\n", 0, "", 11, 12, "not an array of patterns"},
    });
}

TEST_CASE("indices that cannot tell a full ring from an empty one are refused") {
    check_each({
        // 2^4 = 16 indices: a ring of 16 is more than half of them.
        {"[device.overflow]\nindex_width = 4\n", 4, "depth = 9", 4, 9, "at most 8"},
        {"[device.overflow]\nindex_width = 3\n", 0, "", 11, 15, "4 .. 32"},
        {"[device.overflow]\nfirst_index = 4\n", 0, "", 11, 15, "no multiple of the slots"},
        {"[device.overflow]\nindex_width = 8\nfirst_index = 256\n", 0, "", 12, 15, "below 256"},
        // 9 entries take 16 slots: 8 is no multiple.
        {"[device.overflow]\nfirst_index = 8\n", 4, "depth = 9", 11, 15, "of shared, 16"},
    });
}

TEST_CASE("a CQ may have half of the indices, for then full and empty differ") {
    CHECK(mistakes(scenario_text("[device.overflow]\nindex_width = 4\n")).empty());
}

TEST_CASE("a name that no file can have is refused") {
    for (const std::string name : {"", ".", "..", "a/b", "a\\nb", "\\u007F"}) {
        const auto found = mistakes("name = \"" + name + "\"\n" + scenario_text());
        CAPTURE(name);
        REQUIRE(found.size() == 1);
        CHECK(found[0].where.line == 1);
        CHECK(found[0].where.column == 8);
    }
    CHECK(mistakes("name = \"" + std::string(201, 'x') + "\"\n" + scenario_text()).size() == 1);
}

TEST_CASE("there are at most 2^24 QPs and CQs in all") {
    check_each({
        // 16777216 - 4 are left for the second group.
        {"[[qp]]\nname = \"more\"\ncount = 16777213\nsend_cq = \"shared\"\nrecv_cq = \"shared\"\n",
         0,
         "",
         12,
         9,
         "16777212 are left"},
    });
    CHECK(mistakes(scenario_text("[[qp]]\nname = \"more\"\ncount = 16777212\n"
                                 "send_cq = \"shared\"\nrecv_cq = \"shared\"\n"))
              .empty());
}

TEST_CASE("first_qpn is a number that is free and leaves room for the group") {
    check_each({
        {"first_qpn = 16777216\n", 0, "", 10, 13, "0 .. 16777215"},
        {"first_qpn = -1\n", 0, "", 10, 13, "out of range"},
        {"first_qpn = \"5\"\n", 0, "", 10, 13, "integer"},
        {"[[qp]]\nname = \"more\"\nsend_cq = \"shared\"\nrecv_cq = \"shared\"\nfirst_qpn = 3\n",
         0,
         "",
         14,
         13,
         "first_qpn = 3 is taken or passed; groups are numbered in file order; 4 or more"},
        {"first_qpn = 16777213\n", 0, "", 7, 9, "3 are left"},
    });
    CHECK(mistakes(scenario_text("first_qpn = 16777212\n")).empty());
}

TEST_CASE("a scenario that says nothing is refused in words") {
    for (const char* text : {"", "\n\n", "# nothing yet\n"}) {
        const auto errors = mistakes(text);
        REQUIRE(errors.size() == 1);
        CHECK(errors.front().text().find("x.toml:1:1: the scenario is empty") == 0);
    }
    CHECK(mistakes("end = \"1 ms\"\ncq = []\nqp = []\n").size() == 2);
    CHECK(mistakes("end = \"1 ms\"\n").size() == 2);
}

TEST_CASE("all mistakes of a file are told, in file order") {
    const auto errors = mistakes(
        "end = 5\n[[cq]]\nname = \"a\"\ndepth = 0\n[[qp]]\nname = \"b\"\nsend_cq = \"a\"\n"
        "recv_cq = \"c\"\ncuont = 2\n[device]\ncqe_writer = { service = \"1\", x = 2 }\n");
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    places.reserve(errors.size());
    for (const ScenarioError& error : errors) {
        places.emplace_back(error.where.line, error.where.column);
    }
    CHECK(places == std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                        {1, 7}, {4, 9}, {8, 11}, {9, 1}, {11, 26}, {11, 31}});
}

TEST_CASE("beyond twenty mistakes the rest is counted") {
    std::string text = scenario_text();
    for (int i = 0; i < 25; ++i) {
        text += "wrong_" + std::to_string(i) + " = 1\n";
    }
    const auto errors = mistakes(text);
    REQUIRE(errors.size() == 21);
    CHECK(errors.back().message == "and 5 more mistakes");
}

TEST_CASE("a path that is no scenario file is refused in words") {
    const auto message = [](const std::string& path) -> std::string {
        try {
            read_scenario(path);
        } catch (const ScenarioErrors& errors) {
            return errors.what();
        }
        return {};
    };
    const std::filesystem::path room = std::filesystem::temp_directory_path();
    CHECK_THAT(message(room.string()), Catch::Contains("is a directory"));
    CHECK_THAT(message((room / "no_such_scenario.toml").string()), Catch::Contains("no such file"));
    CHECK_THAT(message("/dev/zero"), Catch::Contains("larger than 16 MiB"));
}

}  // namespace
}  // namespace cqsim::tb
