// SPDX-License-Identifier: Apache-2.0
// P8: what is wrong with a step is answered with its place, and what would be right.
#include "tb/unit/scenario_bad.h"

namespace cqsim::tb {
namespace {

TEST_CASE("steps of CQs and event queues, and when they come") {
    const std::string poll = "[[step]]\ndo = \"poll\"\ncq = \"shared\"\n";
    check_each({
        {poll, 0, "", 10, 1, "does not say when"},
        {poll + "at = \"1 us\"\non = { ev = \"ci\" }\n", 0, "", 14, 1, "both at and on"},
        {poll + "on = { ev = \"ci\", nht = 2 }\n", 0, "", 13, 19, "unknown key \"nht\""},
        {poll + "on = { ev = \"ci\", nth = 0 }\n", 0, "", 13, 25, "1 .. 1000000000"},
        {poll + "on = \"ci\"\n", 0, "", 13, 6, "it must be a table"},
        {poll + "at = \"1 us\"\nqp = \"victim\"\n", 0, "", 14, 1, "does not belong here"},
        {poll + "at = \"1 us\"\ncount = \"al\"\n", 0, "", 14, 9, "1 .. 1000000"},
        {poll + "at = \"1 us\"\nexpect_result = \"busy\"\n", 0, "", 14, 1, "create_cq"},
        {"[[step]]\ndo = \"destroy_cq\"\ncq = \"shared\"\nat = \"1 us\"\nexpect_result = \"bsy\"\n",
         0,
         "",
         14,
         17,
         "did you mean \"busy\"?"},
        {"[[step]]\ndo = \"ack\"\ncq = \"shared\"\nat = \"1 us\"\ncount = \"all\"\n",
         0,
         "",
         14,
         9,
         "is not for this do"},
        {"[[step]]\ndo = \"read_eq\"\neq = \"ceq\"\nat = \"1 us\"\n",
         0,
         "",
         12,
         6,
         "add an [[eq]]"},
        {"[[step]]\ndo = \"modify_cq\"\ncq = \"shared\"\nat = \"1 us\"\n",
         0,
         "",
         10,
         1,
         "moderation"},
    });
}

TEST_CASE("S4 commands on CQs, and what can be asked for only to be refused") {
    const std::string at = "[[step]]\nat = \"1 us\"\ncq = \"shared\"\ndo = ";
    const std::string modify = at + "\"modify_cq\"\n";
    check_each({
        {at + "\"create_cq\"\neqn = -1\n", 0, "", 14, 7, "0 .. 65534"},
        {at + "\"create_cq\"\ndepth = 4294967296\n", 0, "", 14, 9, "0 .. 4294967295"},
        {at + "\"destroy_cq\"\ndepth = 4\n", 0, "", 14, 1, "do = \"create_cq\""},
        {at + "\"query_cq\"\nexpect = { stat = \"ok\" }\n", 0, "", 14, 12, "\"state\"?"},
        {at + "\"query_cq\"\nexpect = { armed = \"nxt\" }\n", 0, "", 14, 20, "\"next\"?"},
        {at + "\"query_cq\"\nexpect_entries = 1\n", 0, "", 14, 1, "do = \"iterate\""},
        {at + "\"lose_command\"\n", 0, "", 12, 1, "does not belong here"},
        {modify + "moderation = { count = 65536, period = \"1 us\" }\n", 0, "", 14, 14, "65535"},
        {modify + "moderation = { count = 2, period = \"4096 us\" }\n", 0, "", 14, 14, "4095 us"},
        {modify + "moderation = { count = 2 }\n", 0, "", 14, 14, "no period"},
    });
    for (const char* moderation : {"{ count = 65536, period = \"1 us\" }", "{ count = 2 }"}) {
        CHECK(mistakes(scenario_text(modify + "expect_result = \"invalid\"\nmoderation = " +
                                     moderation + "\n"))
                  .empty());
    }
}

TEST_CASE("S3.8 slots are filled with a byte, all that are software's or a number of them") {
    const std::string fill = "[[step]]\nat = \"1 us\"\ncq = \"shared\"\ndo = \"fill_slots\"\n";
    const std::string poll = "[[step]]\nat = \"1 us\"\ncq = \"shared\"\ndo = \"poll\"\n";
    check_each({
        {fill, 0, "", 10, 1, "key \"byte\" is missing"},
        {fill + "byte = 256\n", 0, "", 14, 8, "0 .. 255"},
        {fill + "byte = -1\n", 0, "", 14, 8, "0 .. 255"},
        {fill + "byte = \"0xFF\"\n", 0, "", 14, 8, "integer"},
        {fill + "byte = 0\ncount = 0\n", 0, "", 15, 9, "1 .. 1000000"},
        {fill + "byte = 0\nqp = \"victim\"\n", 0, "", 15, 1, "does not belong here"},
        {poll + "byte = 0\n", 0, "", 14, 1, "belongs to do = \"fill_slots\""},
    });
    CHECK(mistakes(scenario_text(fill + "byte = 0xFF\ncount = \"all\"\n")).empty());
}

TEST_CASE("a key of another kind of step is refused") {
    const std::string post = "[[step]]\nat = \"1 us\"\nqp = \"victim\"\ndo = \"post\"\n";
    const std::string fail = "[[step]]\nat = \"1 us\"\nqp = \"victim\"\ndo = \"fail\"\n";
    check_each({
        {post + "status = \"GENERAL_ERR\"\n", 0, "", 14, 1, "belongs to do = \"fail\""},
        {fail + "status = \"GENERAL_ERR\"\ncount = 2\n", 0, "", 15, 1, "do = \"post\""},
        {fail, 0, "", 10, 1, "key \"status\" is missing"},
        {fail + "status = \"SUCCESS\"\n", 0, "", 14, 10, "is unknown"},
        {fail + "status = \"RETRY_EXC_ER\"\n", 0, "", 14, 10, "\"RETRY_EXC_ERR\"?"},
        {post + "queue = \"recv\"\nopcode = \"SEND\"\n", 0, "", 15, 1, "send queue"},
        {post + "queue = \"recv\"\nsignaled = true\n", 0, "", 15, 1, "send queue"},
        {post + "queue = \"rcv\"\n", 0, "", 14, 9, "did you mean \"recv\"?"},
        {post + "every = \"1 us\"\n", 0, "", 14, 1, "every and times go together"},
        {post + "every = \"1 ms\"\ntimes = 3\n", 0, "", 15, 9, "it ends at 2 ms"},
    });
}

TEST_CASE("S2.11 S5.9 shared receive queues, and steps on them") {
    const std::string pool = "[[srq]]\nname = \"pool\"\ndepth = 4\n";
    const std::string at = "[[step]]\nat = \"1 us\"\ndo = ";
    check_each({
        {"[[srq]]\nname = \"pool\"\n", 0, "", 10, 1, "key \"depth\" is missing"},
        {pool + "limit = 5\n", 0, "", 13, 9, "holds no more than 4"},
        {"[[srq]]\nname = \"pool\"\ndepth = 32769\n", 0, "", 12, 9, "1 .. 32768"},
        {pool + "kept_ful = false\n", 0, "", 13, 1, "\"kept_full\"?"},
        {"srq = \"pool\"\n", 0, "", 10, 7, "add an [[srq]]"},
        {"srq = \"pol\"\n" + pool, 0, "", 10, 7, "did you mean \"pool\"?"},
        {pool + at + "\"post\"\n", 0, "", 13, 1, "\"qp\" is missing"},
        {pool + at + "\"post\"\nsrq = \"pool[1]\"\n", 0, "", 16, 7, "pool"},
        {pool + at + "\"post\"\nsrq = \"pool\"\nqp = \"victim\"\n", 0, "", 17, 1, "srq"},
        {pool + at + "\"post\"\nsrq = \"pool\"\nopcode = \"SEND\"\n", 0, "", 17, 1, "send"},
        {pool + at + "\"fail\"\nsrq = \"pool\"\nqp = \"victim\"\nstatus = \"GENERAL_ERR\"\n",
         0,
         "",
         16,
         1,
         "modify_srq"},
        {pool + at + "\"modify_srq\"\nlimit = 2\n", 0, "", 13, 1, "\"srq\" is missing"},
        {pool + at + "\"modify_srq\"\nsrq = \"pool\"\n", 0, "", 13, 1, "\"limit\" is missing"},
        {pool + at + "\"modify_srq\"\nsrq = \"pool\"\nlimit = 5\n", 0, "", 17, 9, "no more than 4"},
        {"srq = \"pool\"\n" + pool + at + "\"post\"\nqp = \"victim\"\nqueue = \"recv\"\n",
         0,
         "",
         18,
         9,
         "srq = \"pool\" in place of qp"},
    });
    check_each({
        {"type = \"XRC_SEND\"\nsrq = \"pool\"\n" + pool, 0, "", 11, 7, "no messages come"},
        {"type = \"XRC_RECV\"\nsrq = \"pool\"\n" + pool, 0, "", 11, 7, "cq = \"shared\" in its"},
        {"type = \"XRC_RECV\"\nsrq = \"pool\"\n" + pool +
             "cq = \"other\"\n[[cq]]\nname = \"other\"\ndepth = 8\n",
         0,
         "",
         9,
         11,
         "recv_cq = \"other\""},
        {"type = \"XRC_RECV\"\n[[traffic]]\nqp = \"victim\"\nrecv = { rate = \"1 M/s\" }\n",
         0,
         "",
         10,
         8,
         "of an SRQ (S2.11)"},
        {"type = \"XRC_RECV\"\n", 0, "", 10, 8, "of an SRQ (S2.11)"},
        {"type = \"UD\"\n" + at + "\"drain_qp\"\nqp = \"victim\"\n", 0, "", 14, 6, "no RDMA_WRITE"},
        {"type = \"XRC_RECV\"\nsrq = \"pool\"\n" + pool + "cq = \"shared\"\n" + at +
             "\"drain_qp\"\nqp = \"victim\"\n",
         0,
         "",
         19,
         6,
         "no RDMA_WRITE"},
    });
    CHECK(mistakes(
              scenario_text(
                  "type = \"XRC_RECV\"\nsrq = \"pool\"\n" + pool +
                  "cq = \"shared\"\n[[traffic]]\nqp = \"victim\"\nrecv = { rate = \"1 M/s\" }\n"))
              .empty());
    CHECK(mistakes(scenario_text("srq = \"pool\"\n" + pool + at +
                                 "\"post\"\nsrq = \"pool\"\ncount = 4\n" + at +
                                 "\"modify_srq\"\nsrq = \"pool\"\nlimit = 4\n"))
              .empty());
}

TEST_CASE("steps name members that exist and times before the end") {
    check_each({
        {"[[step]]\nat = \"2 ms\"\ndo = \"post\"\nqp = \"victim\"\n", 0, "", 11, 6, "not before"},
        {"[[step]]\nat = \"0 ps\"\ndo = \"post\"\nqp = \"victim[4]\"\n",
         0,
         "",
         13,
         6,
         "[0] to [3]"},
        {"[[step]]\nat = \"0 ps\"\ndo = \"post\"\nqp = \"victim[x]\"\n", 0, "", 13, 6, "no member"},
        {"[[step]]\nat = \"0 ps\"\ndo = \"post\"\nqp = \"victim[1\"\n", 0, "", 13, 6, "no member"},
        {"[[step]]\nat = \"0 ps\"\ndo = \"past\"\nqp = \"victim\"\n", 0, "", 12, 6, "\"post\"?"},
        {"[[host]]\ncq = \"shared\"\nstart = \"3 ms\"\n", 0, "", 12, 9, "not before the end"},
    });
}

}  // namespace
}  // namespace cqsim::tb
