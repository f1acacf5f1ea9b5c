// SPDX-License-Identifier: Apache-2.0
// Steps that wait for records, steps that repeat, steps of software on a CQ.
#include "tb/scenario/reader.h"
#include "tb/system/system.h"

#include <catch2/catch.hpp>

#include <vector>

namespace cqsim::tb {
namespace {

/// A send each microsecond, 6 in all, into a CQ that steps alone poll.
constexpr const char* kBase = R"(
end = "60 us"
[[cq]]
name = "shared"
depth = 8
[[qp]]
name = "field"
send_cq = "shared"
recv_cq = "shared"
[[traffic]]
qp = "field"
send = { rate = "1 M/s", count = 6 }
[[host]]
cq = "shared"
mode = "script"
)";

class Times final : public RecordSubscriber {
  public:
    explicit Times(Kind kind)
        : m_kind(kind) {}
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            if (record.kind == m_kind) {
                times.push_back(record.time_ps);
            }
        }
    }
    std::vector<std::uint64_t> times;

  private:
    Kind m_kind;
};

struct Run {
    explicit Run(const std::string& steps, KindMask others = 0)
        : scenario(read_scenario_text(kBase + steps, "x.toml", {})),
          system("cqsim", scenario, true) {
        system.records().subscribe(visible, mask_of(Kind::CqeVisible) | others);
        system.records().subscribe(poll, mask_of(Kind::Poll));
        system.records().subscribe(ci, mask_of(Kind::Ci));
        system.records().subscribe(sweep, mask_of(Kind::Sweep));
        end = system.run();
        REQUIRE(visible.times.size() == 6);
    }
    Scenario scenario;
    System system;
    Times visible{Kind::CqeVisible};
    Times poll{Kind::Poll};
    Times ci{Kind::Ci};
    Times sweep{Kind::Sweep};
    RunEnd end;
};

using Stamps = std::vector<std::uint64_t>;

constexpr const char* kOnThird = R"(
[[step]]
on = { ev = "cqe_visible", cq = "shared", nth = 3, after = "5 ns" }
do = "poll"
cq = "shared"
count = "all"
[[step]]
on = { ev = "poll", nth = 3 }
do = "write_ci"
cq = "shared"
)";

/// The third entry is polled 5 ns after it came, and the index written in the same time stamp.
void check_on_third(const Run& run) {
    const std::uint64_t at = run.visible.times[2] + 5'000;
    CHECK(run.poll.times == Stamps{at, at, at});
    CHECK(run.ci.times == Stamps{at});
    CHECK(run.end.script.empty());
}

}  // namespace

TEST_CASE("P6 a step that waits for a record comes so long after it, whoever else observes: none") {
    check_on_third(Run(kOnThird));
}

TEST_CASE("P6 a step that waits for a record comes so long after it, whoever else observes: all") {
    check_on_third(Run(kOnThird, kAllKinds));
}

TEST_CASE("Without after, a step comes in the time stamp of its record") {
    const Run run("[[step]]\non = { ev = \"cqe_visible\" }\ndo = \"poll\"\ncq = \"shared\"\n");
    CHECK(run.poll.times == Stamps{run.visible.times[0]});
}

TEST_CASE("A step repeats every so often; a poll takes what it is told and returns no place") {
    const Run run(
        "[[step]]\nat = \"40 us\"\nevery = \"1 us\"\ntimes = 3\ndo = \"poll\"\ncq = \"shared\"\n"
        "count = 2\n");
    CHECK(run.poll.times ==
          Stamps{40'000'000, 40'000'000, 41'000'000, 41'000'000, 42'000'000, 42'000'000});
    CHECK(run.ci.times.empty());
}

TEST_CASE("S3.8 slots are filled while they are the host's, and no others") {
    const std::string at = "[[step]]\nat = \"40 us\"\ncq = \"shared\"\ndo = ";
    const std::string poll = at + "\"poll\"\ncount = 4\n";
    const std::string fill = at + "\"fill_slots\"\nbyte = 0x5A\ncount = ";
    const Run run(poll + fill + "3\n" + fill + "5\n" + at + "\"write_ci\"\n" + fill + "1\n" + fill +
                  "\"all\"\n");
    REQUIRE(run.end.script.size() == 2);
    CHECK_THAT(run.end.script[0],
               Catch::Contains("has read 4 entries") && Catch::Contains("fewer than 5"));
    CHECK_THAT(run.end.script[1],
               Catch::Contains("has read 0 entries") && Catch::Contains("fewer than 1"));
    CHECK(run.sweep.times == Stamps(3, 40'000'000));
}

TEST_CASE("S2.11 S5.9 steps post to an SRQ until it is full, and arm its limit") {
    const std::string pool = "[[srq]]\nname = \"pool\"\ncount = 2\ndepth = 4\nkept_full = false\n";
    const std::string at = "[[step]]\nat = \"40 us\"\nsrq = \"pool\"\ndo = ";
    Run run(pool + at + "\"post\"\ncount = 3\n" + at + "\"modify_srq\"\nlimit = 2\n" +
                "[[step]]\nat = \"41 us\"\nsrq = \"pool[1]\"\ndo = \"post\"\ncount = 2\n",
            mask_of(Kind::Modify));
    REQUIRE(run.end.srq.size() == 2);
    CHECK(run.end.srq[0].waiting == 3);
    CHECK(run.end.srq[0].free == 1);
    CHECK(run.end.srq[1].waiting == 4);
    REQUIRE(run.end.script.size() == 1);
    CHECK_THAT(run.end.script[0],
               Catch::Contains("x.toml:31:") && Catch::Contains("SRQ pool[1] is full"));
}

TEST_CASE("A step whose record never comes is complained of, with its place and the pattern") {
    const Run run("[[step]]\non = { ev = \"overrun\" }\ndo = \"poll\"\ncq = \"shared\"\n");
    REQUIRE(run.end.script.size() == 1);
    CHECK_THAT(run.end.script[0], Catch::Contains("x.toml:16:") && Catch::Contains("overrun"));
}

TEST_CASE("An answer that was not expected is complained of with both words") {
    const Run run(
        "[[step]]\nat = \"40 us\"\ndo = \"create_cq\"\ncq = \"shared\"\n"
        "[[step]]\nat = \"40 us\"\ndo = \"create_cq\"\ncq = \"shared\"\nexpect_result = "
        "\"invalid\"\n");
    REQUIRE(run.end.script.size() == 1);
    CHECK_THAT(run.end.script[0],
               Catch::Contains("x.toml:16:") && Catch::Contains("invalid, expected ok"));
}

TEST_CASE("S2.22 a refused command on a QP is complained of, unless the step expects the refusal") {
    const std::string at = "[[step]]\nat = \"40 us\"\nqp = \"field\"\ndo = ";
    const Run run(at + "\"modify_qp\"\nstate = \"INIT\"\n" + at +
                  "\"modify_qp\"\nstate = \"INIT\"\nexpect_result = \"invalid\"\n" + at +
                  "\"create_qp\"\nexpect_result = \"invalid\"\n" + at + "\"destroy_qp\"\n" + at +
                  "\"modify_qp\"\nstate = \"INIT\"\nexpect_result = \"no_entry\"\n" + at +
                  "\"create_qp\"\n");
    REQUIRE(run.end.script.size() == 1);  // that of the first step alone
    CHECK_THAT(run.end.script[0],
               Catch::Contains("x.toml:16:") && Catch::Contains("field") &&
                   Catch::Contains("invalid, expected ok") && Catch::Contains("INIT"));
}

TEST_CASE("S4.15 a query that answers otherwise than expected is complained of, field by field") {
    const std::string at = "[[step]]\nat = \"40 us\"\ncq = \"shared\"\ndo = \"query_cq\"\n";
    const Run run(at +
                  "expect = { state = \"ok\", slots = 8, producer = 6, consumer = 0, armed = " +
                  "\"no\" }\n" + at +
                  "expect = { state = \"error\", slots = 4, producer = 5, armed = \"next\" }\n");
    REQUIRE(run.end.script.size() == 1);
    CHECK_THAT(run.end.script[0],
               Catch::Contains("x.toml:21:") &&
                   Catch::Contains("the query of CQ shared says state = ok (expected error), slots "
                                   "= 8 (expected 4), producer = 6 (expected 5), armed = no "
                                   "(expected next)"));
}

TEST_CASE("S1.6 entries are read one by one, and their places returned once at the end") {
    const std::string at = "[[step]]\nat = \"40 us\"\ncq = \"shared\"\ndo = \"iterate\"\n";
    const Run run(at + "count = 4\nexpect_entries = 4\n" + at + "count = \"all\"\nexpect_entries" +
                  " = 3\n" + at + "count = \"all\"\nexpect_entries = 0\n");
    CHECK(run.poll.times == Stamps(6, 40'000'000));
    CHECK(run.ci.times == Stamps(2, 40'000'000));
    REQUIRE(run.end.script.size() == 1);
    CHECK_THAT(run.end.script[0],
               Catch::Contains("x.toml:22:") && Catch::Contains("read 2 entries, expected 3"));
}

TEST_CASE("D7 with a service time what is there at the start is there at once") {
    const Run run(
        "[device.command_unit]\nservice = \"5 us\"\n"
        "[[step]]\nat = \"40 us\"\ndo = \"query_cq\"\ncq = \"shared\"\n"
        "expect = { producer = 6 }\n"
        "[[step]]\non = { ev = \"query\" }\ndo = \"write_ci\"\ncq = \"shared\"\n");
    CHECK(run.ci.times == Stamps{45'000'000});
    CHECK(run.end.script.empty());
    CHECK(run.end.reason == EndReason::Idle);
}

TEST_CASE("an answer that comes too late is no error: what it brought about is there") {
    const std::string cq = "cq = \"late\"\n";
    const Run run(
        "[device.command_unit]\nservice = \"5 us\"\n"
        "[host_driver]\ncommand_timeout = \"1 us\"\n"
        "[[cq]]\nname = \"late\"\ndepth = 4\nat_start = false\n"
        "[[step]]\nat = \"40 us\"\ndo = \"create_cq\"\nexpect_result = \"timed_out\"\n" +
        cq + "[[step]]\nat = \"50 us\"\ndo = \"iterate\"\nexpect_entries = 0\n" + cq +
        "[[step]]\nat = \"51 us\"\ndo = \"destroy_cq\"\nexpect_result = \"timed_out\"\n" + cq +
        "[[step]]\nat = \"58 us\"\ndo = \"iterate\"\n" + cq);
    REQUIRE(run.end.script.size() == 1);  // at 58 us it is gone
    CHECK_THAT(run.end.script[0], Catch::Contains("58000000 ps: there is no CQ late now"));
    CHECK(run.end.reason == EndReason::Idle);
}

TEST_CASE("a lost command is given up and given again") {
    const std::string query = "[[step]]\ndo = \"query_cq\"\ncq = \"shared\"\n";
    const Run run(
        "[host_driver]\ncommand_timeout = \"1 us\"\n"
        "[[step]]\nat = \"40 us\"\ndo = \"lose_command\"\n" +
        query + "at = \"40 us\"\nexpect_result = \"timed_out\"\n" + query + "at = \"40 us\"\n");
    CHECK(run.end.script.empty());
    CHECK(run.end.reason == EndReason::Idle);
    CHECK(run.end.time == from_ns(41'000));
}

TEST_CASE("a run that ends before a command without an answer is given up is stalled") {
    const Run run(
        "[[step]]\nat = \"40 us\"\ndo = \"lose_command\"\n"
        "[[step]]\nat = \"40 us\"\ndo = \"query_cq\"\ncq = \"shared\"\n");
    CHECK(run.end.reason == EndReason::Stalled);
    REQUIRE(run.end.waiting.size() == 1);
    CHECK_THAT(run.end.waiting[0], Catch::Contains("1 commands wait"));
}

}  // namespace cqsim::tb
