// SPDX-License-Identifier: Apache-2.0
// The overflow checker's read of the doorbell record (K20) with every legal answer of a target of
// the base protocol (D1).
#include "models/overflow/overflow_checker.h"

#include "tb/unit/dma_port_bench.h"
#include "tb/unit/event_sink.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// A checker with one full CQ of two slots, whose record says that nothing was consumed.
class CheckerBench final : public sc_core::sc_module,
                           private SlotBackward,
                           private CqCommandBackward,
                           private QpReportForward {
  public:
    explicit CheckerBench(const sc_core::sc_module_name& module_name)
        : sc_module(module_name) {
        slot_isock.bind(static_cast<SlotBackward&>(*this));
        command_isock.bind(static_cast<CqCommandBackward&>(*this));
        m_report_tsock.bind(static_cast<QpReportForward&>(*this));
        slot_isock.bind(checker.slot_tsock);
        command_isock.bind(checker.command_tsock);
        checker.qp_isock.bind(m_report_tsock);
        checker.record_isock.bind(target.socket);
    }

    /// At 100 ns: asks for a third slot while the target answers by this plan.
    /// \returns when the answer came; nothing if none did.
    std::optional<TimePs> play(const Plan& plan) {
        agenda.at(from_ns(50), [this] {
            CHECK(command_isock->create_cq({Cqn{0}, 0x1000, 0x8000, 2}) == CommandResult::Ok);
            CHECK(ask() == SlotStatus::Answered);
            CHECK(ask() == SlotStatus::Answered);
        });
        agenda.at(from_ns(100), [this, plan] {
            target.plans.push_back(plan);
            m_inside = true;
            const SlotStatus status = ask();
            m_inside = false;
            if (status == SlotStatus::Answered) {
                note(m_answer);
            }
        });
        run_to_the_end();
        CHECK(target.plans.empty());
        for (const auto* payload : target.payloads) {
            CHECK(payload->get_ref_count() == 0);
        }
        return m_answered;
    }

    KernelTimeline timeline{"timeline"};
    RecordStream records;
    Agenda agenda{timeline, Rank::Script};
    PlannedTarget target{"target", agenda, tlm::TLM_READ_COMMAND, 4};
    OverflowChecker checker{
        "checker", timeline, records, OverflowRules(OverflowConfig{}, Rows<CqRow>(1))};
    EventSink sink{checker};
    SlotInitiator slot_isock{"slot_isock"};
    CqCommandInitiator command_isock{"command_isock"};

  private:
    SlotStatus ask() {
        SlotRequest request;
        request.cqn = Cqn{0};
        request.qpn = Qpn{0};
        return slot_isock->request_slot(request, m_answer);
    }
    void cq_command_done(Cqn /*cqn*/, const CommandAnswer& /*answer*/) override { CHECK(false); }
    void slot_answered(const SlotAnswer& answer) override {
        CHECK_FALSE(m_inside);  // the asker does not know yet that its request was accepted
        note(answer);
    }
    /// Nothing was consumed: an overrun, at whatever time the answer comes.
    void note(const SlotAnswer& answer) {
        CHECK_FALSE(m_answered);
        CHECK(answer.cause == LostCause::Overrun);
        m_answered = timeline.now();
    }
    bool live(Qpn, std::uint16_t) const override { return true; }
    void left(Qpn, QueueKind) override {}
    void cq_unusable(Qpn, std::uint16_t) override {}

    QpReportTarget m_report_tsock{"report_tsock"};
    SlotAnswer m_answer;
    std::optional<TimePs> m_answered;
    bool m_inside = false;
};

using Times = std::vector<TimePs>;

}  // namespace

TEST_CASE("K20 D1 four phases: accepted then END_REQ then a response with a delay") {
    CheckerBench bench("bench");
    Plan plan;
    plan.end_req = from_ns(10);
    plan.begin_resp = from_ns(30);
    plan.resp_delay = from_ns(4);
    CHECK(bench.play(plan) == from_ns(134));
    CHECK(bench.target.end_resps.empty());
}

TEST_CASE("K20 D1 the request ended in the answer: updated with END_REQ") {
    CheckerBench bench("bench");
    Plan plan;
    plan.answer = tlm::TLM_UPDATED;
    plan.phase = tlm::END_REQ;
    plan.delay = from_ns(5);
    plan.begin_resp = from_ns(30);
    CHECK(bench.play(plan) == from_ns(130));
    CHECK(bench.target.end_resps.empty());
}

TEST_CASE("K20 D1 the response began in the answer: updated with BEGIN_RESP") {
    CheckerBench bench("bench");
    Plan plan;
    plan.answer = tlm::TLM_UPDATED;
    plan.phase = tlm::BEGIN_RESP;
    plan.delay = from_ns(5);
    CHECK(bench.play(plan) == from_ns(105));
    CHECK(bench.target.end_resps == Times{from_ns(105)});
}

TEST_CASE("K20 D1 all in one call: completed at once") {
    CheckerBench bench("bench");
    Plan plan;
    plan.answer = tlm::TLM_COMPLETED;
    CHECK(bench.play(plan) == from_ns(100));
    CHECK(bench.target.end_resps.empty());
}

TEST_CASE("K20 D1 all in one call: completed with an annotated delay") {
    CheckerBench bench("bench");
    Plan plan;
    plan.answer = tlm::TLM_COMPLETED;
    plan.delay = from_ns(5);
    CHECK(bench.play(plan) == from_ns(105));
    CHECK(bench.target.end_resps.empty());
}

TEST_CASE("K20 D1 a target may respond before it answers the request") {
    CheckerBench bench("bench");
    Plan plan;
    plan.resp_from_inside = true;
    CHECK(bench.play(plan) == from_ns(100));
}

TEST_CASE("K20 D1 a phase that may be ignored is no response") {
    CheckerBench bench("bench");
    bench.agenda.at(from_ns(110), [&] {
        CHECK(bench.target.send(*bench.target.open[0], ignorable_phase) == tlm::TLM_ACCEPTED);
    });
    Plan plan;
    plan.begin_resp = from_ns(30);
    CHECK(bench.play(plan) == from_ns(130));
}
