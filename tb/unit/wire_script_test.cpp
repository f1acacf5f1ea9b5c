// SPDX-License-Identifier: Apache-2.0
// Connected QPs of a scenario: faults that hit nothing, and whose number a datagram has.
#include "tb/scenario/reader.h"
#include "tb/system/system.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace cqsim::tb {
namespace {

/// "left" and "right", connected; left sends 3 messages at 1 us.
std::string connected_pair(const std::string& type) {
    return R"(
end = "60 us"
cq = [{ name = "shared", depth = 64 }]
host = [{ cq = "shared", mode = "poll", interval = "200 ns" }]
qp = [{ name = "left", type = ")" +
           type + R"(", send_cq = "shared", recv_cq = "shared" },
      { name = "right", type = ")" +
           type + R"(", send_cq = "shared", recv_cq = "shared" }]
connection = [{ a = "left", b = "right" }]
[[step]]
at = "1 us"
do = "post"
qp = "left"
count = 3
)";
}

std::string fault_step(const std::string& keys) {
    return "[[step]]\nat = \"0 us\"\ndo = \"fault\"\nqp = \"left\"\n" + keys;
}

class Received final : public RecordSubscriber {
  public:
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            if (record.kind != Kind::Complete || record.queue != QueueKind::Receive ||
                record.state == static_cast<std::uint8_t>(WcStatus::WrFlushErr)) {
                continue;
            }
            CompletionDetails details;
            std::memcpy(&details, record.bytes, sizeof(details));
            sources.push_back(details.src_qp);
            statuses.push_back(static_cast<WcStatus>(record.state));
        }
    }
    std::vector<std::uint32_t> sources;
    std::vector<WcStatus> statuses;
};

struct WiredRun {
    explicit WiredRun(const std::string& text)
        : scenario(read_scenario_text(text, "x.toml", {})),
          system("cqsim", scenario, true) {
        system.records().subscribe(received, mask_of(Kind::Complete));
        end = system.run();
    }
    Scenario scenario;
    System system;
    Received received;
    RunEnd end;
};

}  // namespace

TEST_CASE("a fault that hit nothing when the run ends fails it, with what it waited for") {
    const WiredRun run(connected_pair("RC") + fault_step("fault = \"drop\"\nmessage = 4\n"));
    REQUIRE(run.end.script.size() == 1);
    CHECK_THAT(run.end.script[0],
               Catch::Contains("its fault hit nothing: since then QP left sent 3 messages that "
                               "drop can hit; it was to hit number 4"));
}

TEST_CASE("of a fault that is repeated one hit is enough") {
    const WiredRun run(connected_pair("RC") +
                       fault_step("fault = \"drop\"\nmessage = 2\nevery = \"5 us\"\ntimes = 2\n"));
    CHECK(run.end.script.empty());
}

TEST_CASE("S1.3 a datagram over a connection is from its sender") {
    const WiredRun run(connected_pair("UD"));
    CHECK(run.received.sources == std::vector<std::uint32_t>(3, 0));  // left is the first QP
}

TEST_CASE("S2.16 A, S2.18 a malformed receive request fails a QP of UC: the rest flushes") {
    const WiredRun run(connected_pair("UC") +
                       fault_step("fault = \"responder_wqe\"\nmessage = 2\n"));
    CHECK(run.received.statuses == std::vector<WcStatus>{WcStatus::Success, WcStatus::LocQpOpErr});
    CHECK(run.end.script.empty());
}

}  // namespace cqsim::tb
