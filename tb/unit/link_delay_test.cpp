// SPDX-License-Identifier: Apache-2.0
// The shim that delays the base protocol (D1): what it sends to either side is legal, whatever the
// other side answers.
#include "models/engine/link_delay.h"

#include "tb/unit/dma_port_bench.h"
#include "tb/unit/ring_memory_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// An initiator, the shim with 7 ns, and a planned target.
class ShimBench final : public sc_core::sc_module {
  public:
    explicit ShimBench(const sc_core::sc_module_name& module_name)
        : sc_module(module_name) {
        initiator.socket.bind(shim.tsock);
        shim.isock.bind(target.socket);
    }
    void send_at(TimePs t, const Plan& plan) {
        agenda.at(t, [this, plan] {
            target.plans.push_back(plan);
            initiator.send(tlm::TLM_WRITE_COMMAND, 0x1000, 1);
        });
    }
    /// When the responses came to the initiator.
    std::vector<TimePs> responses() const {
        std::vector<TimePs> times;
        for (const Response& response : initiator.responses) {
            times.push_back(response.at);
        }
        return times;
    }

    KernelTimeline timeline{"timeline"};
    Agenda agenda{timeline, Rank::Script};
    Initiator initiator{"initiator"};
    DmaDelay shim{"shim", timeline, from_ns(7)};
    PlannedTarget target{"target", agenda};
};

using Times = std::vector<TimePs>;

}  // namespace

TEST_CASE("D1 the late shim sends no END_RESP to a target that has completed") {
    ShimBench bench("bench");
    Plan plan;
    plan.answer = tlm::TLM_COMPLETED;
    plan.delay = from_ns(20);
    bench.send_at(from_ns(100), plan);
    run_to_the_end();
    CHECK(bench.responses() == Times{from_ns(134)});  // 7 + 20 + 7
    CHECK(bench.initiator.begun == 1);
    CHECK(bench.target.end_resps.empty());
    CHECK(bench.initiator.freed == 1);
}

TEST_CASE("D1 the late shim ends a response that began in the answer or in a call") {
    ShimBench bench("bench");
    Plan in_the_answer;
    in_the_answer.answer = tlm::TLM_UPDATED;
    in_the_answer.phase = tlm::BEGIN_RESP;
    in_the_answer.delay = from_ns(20);
    bench.send_at(from_ns(100), in_the_answer);
    Plan in_a_call;
    in_a_call.begin_resp = from_ns(20);
    in_a_call.resp_delay = from_ns(3);
    bench.send_at(from_ns(200), in_a_call);
    run_to_the_end();
    CHECK(bench.responses() == Times{from_ns(134), from_ns(237)});
    CHECK(bench.target.end_resps == Times{from_ns(141), from_ns(244)});
    CHECK(bench.target.said == std::vector<tlm::tlm_sync_enum>{tlm::TLM_ACCEPTED});
    CHECK(bench.initiator.freed == 2);
}

TEST_CASE("D1 the late shim passes the delay annotated to END_REQ on") {
    ShimBench bench("bench");
    Plan plan;
    plan.answer = tlm::TLM_UPDATED;
    plan.phase = tlm::END_REQ;
    plan.delay = from_ns(20);
    plan.begin_resp = from_ns(50);
    bench.send_at(from_ns(100), plan);
    bench.agenda.at(TimePs{133'999}, [&] { CHECK(bench.initiator.begun == 0); });
    bench.agenda.at(TimePs{134'001}, [&] { CHECK(bench.initiator.begun == 1); });
    run_to_the_end();
    CHECK(bench.responses() == Times{from_ns(164)});
}

TEST_CASE("D1 the late shim waits for the initiator's END_RESP, and responds one by one") {
    ShimBench bench("bench");
    bench.initiator.answer = Initiator::Answer::EndsLater;
    Plan plan;
    plan.answer = tlm::TLM_UPDATED;
    plan.phase = tlm::END_REQ;
    plan.begin_resp = from_ns(20);
    bench.send_at(from_ns(100), plan);
    Plan at_once;
    at_once.answer = tlm::TLM_COMPLETED;
    bench.send_at(from_ns(120), at_once);
    bench.agenda.at(from_ns(200), [&] {
        CHECK(bench.responses() == Times{from_ns(134)});
        CHECK(bench.target.end_resps.empty());
        bench.initiator.end_response();
    });
    bench.agenda.at(from_ns(300), [&] { bench.initiator.end_response(); });
    run_to_the_end();
    CHECK(bench.responses() == Times{from_ns(134), from_ns(207)});
    CHECK(bench.target.end_resps == Times{from_ns(207)});  // the other was completed
    CHECK(bench.initiator.freed == 2);
}
