// SPDX-License-Identifier: Apache-2.0
#include "tb/system/script.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace cqsim::tb {

Script::Script(Timeline& timeline,
               const Scenario& scenario,
               RecordStream& records,
               Setup& setup,
               Host& host,
               Pipeline& tx,
               Pipeline& rx,
               Wire* wire)
    : m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Script)),
      m_scenario(scenario),
      m_records(records),
      m_tx(tx),
      m_rx(rx),
      m_wire(wire),
      m_host_steps(timeline, scenario, records, setup, host, tx, rx, m_complaints),
      m_seen(scenario.triggered.size()) {
    for (const TriggeredStep& triggered : scenario.triggered) {
        m_watched |= mask_of(triggered.pattern.kind);
    }
    if (m_watched != 0) {
        records.subscribe(*this, m_watched);
        records.watch(*this, m_watched);
    }
}

void Script::ask_for_next() {
    if (m_next < m_scenario.step.size()) {
        m_timeline.at(m_slot, m_scenario.step[m_next].at);
    }
    if (!m_fired.empty()) {
        m_timeline.at(m_slot, m_fired.front().at);
    }
}

void Script::due(TimePs now) {
    if (m_watched != 0) {
        m_records.drain();  // what was observed until here comes to `observe`
    }
    while (m_next < m_scenario.step.size() && m_scenario.step[m_next].at <= now) {
        play(m_scenario.step[m_next]);
        ++m_next;
    }
    while (!m_fired.empty() && m_fired.front().at <= now) {
        const Step& step = *m_fired.front().step;
        std::pop_heap(m_fired.begin(), m_fired.end());
        m_fired.pop_back();
        play(step);
    }
    ask_for_next();
}

void Script::observe(const RecordBatch& batch) {
    for (const Record& record : batch) {
        for (std::size_t i = 0; i < m_seen.size(); ++i) {
            const TriggeredStep& triggered = m_scenario.triggered[i];
            if (m_scenario.matches(triggered.pattern, record) && ++m_seen[i] == triggered.nth) {
                const TimePs at = TimePs{record.time_ps} + triggered.after;
                m_fired.push_back({at, m_order++, &triggered.step});
                std::push_heap(m_fired.begin(), m_fired.end());
                m_timeline.at(m_slot, at);
            }
        }
    }
}

void Script::finish() {
    m_host_steps.finish();
    complain_of_faults();
    for (std::size_t i = 0; i < m_seen.size(); ++i) {
        const TriggeredStep& triggered = m_scenario.triggered[i];
        if (m_seen[i] < triggered.nth) {
            m_complaints.add(triggered.step,
                             m_timeline.now(),
                             "it was never taken: " + std::to_string(m_seen[i]) + " of " +
                                 std::to_string(triggered.nth) + " records came that match " +
                                 triggered.pattern.text);
        }
    }
}

/// Of a step that is repeated, one time is enough.
void Script::complain_of_faults() {
    std::vector<bool> waits(m_faults.size());
    const auto key_of = [](const PlayedFault& fault) {
        const SourcePosition& where = fault.step->where;
        return std::make_tuple(where.file, where.line, where.column, index_of(fault.qpn));
    };
    for (const PlayedFault& fault : m_faults) {
        for (const FaultPlan& plan : m_wire->waiting_faults(fault.qpn)) {
            waits[plan.id] = true;
        }
    }
    std::set<decltype(key_of(m_faults[0]))> settled;
    for (std::size_t i = 0; i < m_faults.size(); ++i) {
        if (!waits[i]) {
            settled.insert(key_of(m_faults[i]));
        }
    }
    for (const PlayedFault& fault : m_faults) {
        if (!settled.insert(key_of(fault)).second) {
            continue;
        }
        for (const FaultPlan& plan : m_wire->waiting_faults(fault.qpn)) {
            if (m_faults[plan.id].step == fault.step) {
                m_complaints.add(*fault.step,
                                 m_timeline.now(),
                                 "its fault hit nothing: since then QP " +
                                     m_scenario.qp_name(fault.qpn) + " sent " +
                                     std::to_string(plan.counted) + " messages that " +
                                     std::string(cqsim::tb::name(plan.fault)) +
                                     " can hit; it was to hit number " + std::to_string(plan.nth));
                break;
            }
        }
    }
}

void Script::play(const Step& step) {
    if (step.srq) {
        for_each_member(*step.srq, m_scenario.srq, [&](std::uint32_t number) {
            play_on(step, Srqn{static_cast<std::uint16_t>(number)});
        });
        return;
    }
    if (step.kind != StepKind::Post && step.kind != StepKind::Fail &&
        step.kind != StepKind::Fault) {
        m_host_steps.play(step);
        return;
    }
    for_each_member(
        step.qp, m_scenario.qp, [&](std::uint32_t number) { play_on(step, Qpn{number}); });
}

void Script::play_on(const Step& step, Srqn srqn) {
    if (step.kind == StepKind::ModifySrq) {
        m_rx.arm_limit(srqn, step.limit);
        return;
    }
    for (std::uint32_t i = 0; i < step.count; ++i) {
        if (m_rx.post_shared(srqn) != PostResult::Done) {
            m_complaints.add(step,
                             m_timeline.now(),
                             "SRQ " + m_scenario.srq_name(srqn) +
                                 " is full: poll the CQs of its QPs, or raise its depth");
            return;
        }
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
        case StepKind::Fault:
            m_wire->fault(qpn, {step.fault, step.message, step.hits, m_faults.size()});
            m_faults.push_back({&step, qpn});
            break;
        default:
            break;  // of the host
    }
}

void Script::complain_of_fail(const Step& step, Qpn qpn, FailResult result) {
    const std::string queue(name(step.queue));
    m_complaints.add(
        step,
        m_timeline.now(),
        "QP " + m_scenario.qp_name(qpn) +
            (result == FailResult::Stopped
                 ? " has stopped its " + queue +
                       " queue after an earlier failure: only the request that caused the error "
                       "carries its code, the others flush (S2.19)"
                 : " has no outstanding " + queue + " request to fail"));
}

const char* Script::why_full(const Step& step, Qpn qpn) const {
    return step.queue == QueueKind::Send && m_tx.nothing_to_retire(qpn) &&
                   !m_scenario.group_of(qpn).sq_sig_all
               ? "its queue is full of requests that ended and asked for no completion, so that "
                 "no poll will ever retire them (S2.6)"
               : "its queue is full (S2.5); poll its CQ or raise its depth";
}

void Script::complain_of_post(const Step& step, Qpn qpn, PostResult result) {
    m_complaints.add(
        step,
        m_timeline.now(),
        "QP " + m_scenario.qp_name(qpn) + " refused a " + std::string(name(step.queue)) +
            " request: " +
            (result == PostResult::Full        ? why_full(step, qpn)
             : result == PostResult::NotOfType ? "its type has no such request (S1.17)"
             : result == PostResult::NoCredit
                 ? "each entry of its send CQ is promised to a request that no polled completion "
                   "has retired (S5.13)"
                 : "its state allows none (S2.24); sends are accepted from RTS on, receives "
                   "from INIT on"));
}

void Script::post(const Step& step, Qpn qpn) {
    Pipeline& pipeline = step.queue == QueueKind::Send ? m_tx : m_rx;
    const QpGroup& group = m_scenario.group_of(qpn);
    const bool safe = group.signal_policy == SignalPolicy::Safe;
    for (std::uint32_t i = 0; i < step.count; ++i) {
        PostRequest request;
        request.opcode = step.opcode;
        request.bytes = step.bytes;
        request.signaled = step.queue == QueueKind::Send &&
                           step.signaled.value_or(
                               (pipeline.posted(qpn) + 1) % Scenario::signal_every(group) == 0 ||
                               (safe && i + 1 == step.count));
        request.solicited = step.solicited;
        request.latency = step.latency;
        const PostResult result = pipeline.post(qpn, request);
        if (result != PostResult::Done) {
            complain_of_post(step, qpn, result);
            return;
        }
    }
}

}  // namespace cqsim::tb
