// SPDX-License-Identifier: Apache-2.0
// A path to memory that fails or falls silent, behind the library's writer.
#include "tb/integration/mutant_run.h"
#include "tb/scenario/reader.h"

#include <catch2/catch.hpp>

#include <memory>

namespace cqsim::tb::test {
namespace {

// Four sends, each through before the next is posted.
constexpr const char* kFourSends = R"(
end = "50 us"
[[cq]]
name = "shared"
depth = 8
[[qp]]
name = "field"
send_cq = "shared"
recv_cq = "shared"
[[host]]
cq = "shared"
[[step]]
at = "1 us"
do = "post"
qp = "field"
every = "5 us"
times = 4
)";

// S5.3j, S5.3b to S5.3e: the third write fails, the fourth send is refused. The third was answered
// when its write went out: only CQ_ERR tells.
constexpr const char* kThirdFails = R"(
[[expect]]
stat = "cq.shared.polled"
equals = 2
[[expect]]
stat = "qp.field.lost"
equals = 1
[[expect]]
stat = "async.CQ_ERR"
equals = 1
[[expect]]
stat = "async.QP_FATAL"
equals = 1
[[expect]]
sequence = [ { ev = "async", cq = "shared", type = "CQ_ERR" }, { ev = "qp_state", qp = "field", state = "ERR" }, { ev = "overrun", cause = "cq_error" }, { ev = "outcome", outcome = "lost" } ]
[[expect]]
stat = "end.reason"
equals = "idle"
)";

constexpr std::uint64_t kNowhere = 0;  ///< no page of host memory is there

EngineFactories writer_whose_third_write(
    const std::function<WriteFate(tlm::tlm_generic_payload&)>& spoil) {
    WriterHooks hooks;
    auto count = std::make_shared<int>(0);
    hooks.dma.write = [count, spoil](tlm::tlm_generic_payload& payload,
                                     tlm::tlm_initiator_socket<>& /*socket*/) {
        return ++*count == 3 ? spoil(payload) : WriteFate::Pass;
    };
    return broken_writer(hooks);
}

}  // namespace

TEST_CASE("S5.3j a ring write that memory refuses puts the CQ in error, and no rule is broken") {
    const Scenario scenario =
        read_scenario_text(std::string(kFourSends) + kThirdFails, "write_fails.toml");
    const MutantRun run =
        run_with(scenario, writer_whose_third_write([](tlm::tlm_generic_payload& payload) {
                     payload.set_address(kNowhere);
                     return WriteFate::Pass;
                 }));
    CAPTURE(run.summary);
    CHECK(run.rules.empty());
    CHECK(run.passed);
}

TEST_CASE("a memory that waits for the end of a response is named when the run stalls") {
    const MutantRun run = run_with(
        "exactly_full", writer_whose_third_write([](tlm::tlm_generic_payload& /*payload*/) {
            return WriteFate::LoseResponse;
        }));
    CAPTURE(run.summary);
    CHECK(run.stalled);
    CHECK(run.summary.find("waits: memory: ") != std::string::npos);
}

}  // namespace cqsim::tb::test
