// SPDX-License-Identifier: Apache-2.0
#include "tb/system/script.h"

namespace cqsim::tb {

Script::Script(
    Timeline& timeline, const Scenario& scenario, Pipeline& tx, Pipeline& rx, QpSteps& qps)
    : m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Script)),
      m_scenario(scenario),
      m_tx(tx),
      m_rx(rx),
      m_qps(qps) {
}

void Script::ask_for_next() {
    if (m_next < m_scenario.step.size()) {
        m_timeline.at(m_slot, m_scenario.step[m_next].at);
    }
}

void Script::due(TimePs now) {
    while (m_next < m_scenario.step.size() && m_scenario.step[m_next].at <= now) {
        play(m_scenario.step[m_next]);
        ++m_next;
    }
    ask_for_next();
}

void Script::play(const Step& step) {
    const QpGroup& group = m_scenario.qp[step.qp.group];
    if (step.qp.member) {
        play_on(step, Qpn{group.first + *step.qp.member});
        return;
    }
    for (std::uint32_t i = 0; i < group.count; ++i) {
        play_on(step, Qpn{group.first + i});
    }
}

void Script::play_on(const Step& step, Qpn qpn) {
    switch (step.kind) {
        case StepKind::Post:
            post(step, qpn);
            break;
        case StepKind::Fail: {
            Pipeline& pipeline = step.queue == QueueKind::Send ? m_tx : m_rx;
            const FailResult result = pipeline.fail(qpn, step.status, step.vendor_err);
            if (result != FailResult::Done) {
                complain_of_fail(step, qpn, result);
            }
            break;
        }
        case StepKind::ModifyQp:
            complain_unless_empty(step,
                                  qpn,
                                  " does not go to " + std::string(name(step.state)),
                                  m_qps.modify(qpn, step.state, step.sqd_notify));
            break;
        case StepKind::DestroyQp:
            complain_unless_empty(step, qpn, " is not destroyed", m_qps.destroy(qpn));
            break;
        case StepKind::CreateQp:
            complain_unless_empty(step, qpn, " is not created", m_qps.create(qpn, step.state));
            break;
    }
}

void Script::complain_unless_empty(const Step& step,
                                   Qpn qpn,
                                   const std::string& wish,
                                   const std::string& failure) {
    if (!failure.empty()) {
        complain(step, "QP " + m_scenario.qp_name(qpn) + wish + ": " + failure);
    }
}

void Script::complain_of_fail(const Step& step, Qpn qpn, FailResult result) {
    const std::string queue(name(step.queue));
    complain(step,
             "QP " + m_scenario.qp_name(qpn) +
                 (result == FailResult::Stopped
                      ? " has stopped its " + queue +
                            " queue after an earlier failure: only the request that caused the "
                            "error carries its code, the others flush (S2.19)"
                      : " has no outstanding " + queue + " request to fail"));
}

void Script::complain_of_post(const Step& step, Qpn qpn, PostResult result) {
    complain(step,
             "QP " + m_scenario.qp_name(qpn) + " refused a " + std::string(name(step.queue)) +
                 " request: " +
                 (result == PostResult::Full
                      ? "its queue is full (S2.5); poll its CQ or raise its depth"
                      : "its state allows none (S2.24); sends are accepted from RTS on, receives "
                        "from INIT on"));
}

void Script::post(const Step& step, Qpn qpn) {
    Pipeline& pipeline = step.queue == QueueKind::Send ? m_tx : m_rx;
    const QpGroup& group = m_scenario.group_of(qpn);
    for (std::uint32_t i = 0; i < step.count; ++i) {
        PostRequest request;
        request.opcode = step.opcode;
        request.bytes = step.bytes;
        request.signaled =
            step.queue == QueueKind::Send &&
            step.signaled.value_or((pipeline.posted(qpn) + 1) % group.signal_every == 0);
        request.solicited = step.solicited;
        request.latency = step.latency;
        const PostResult result = pipeline.post(qpn, request);
        if (result != PostResult::Done) {
            complain_of_post(step, qpn, result);
            return;
        }
    }
}

void Script::complain(const Step& step, const std::string& text) {
    const SourcePosition& where = step.where;
    m_complaints.push_back(where.file + ":" + std::to_string(where.line) + ":" +
                           std::to_string(where.column) + ": step at " +
                           std::to_string(step.at.ps) + " ps: " + text);
}

}  // namespace cqsim::tb
