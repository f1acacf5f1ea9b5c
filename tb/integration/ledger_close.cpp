// SPDX-License-Identifier: Apache-2.0
// How the books of a run are closed.
#include "tb/integration/ledger.h"

namespace cqsim::tb::test {

void Ledger::finish() {
    if (!m_ended) {
        fault("no record ends the run");
    }
    std::array<std::uint64_t, 2> open{};
    std::map<std::pair<Life, QueueKind>, std::vector<const Request*>> queues;
    for (const auto& [serial, request] : m_requests) {
        close(request);
        open.at(index_of(request.queue)) += request.answers == 0 ? 1 : 0;
        queues[{{request.qpn, request.generation}, request.queue}].push_back(&request);
    }
    if (open != m_told_open) {
        fault("the run says that it ends with " + std::to_string(m_told_open[0]) + " sends and " +
              std::to_string(m_told_open[1]) + " receives open; there are " +
              std::to_string(open[0]) + " and " + std::to_string(open[1]));
    }
    for (const auto& [key, queue] : queues) {
        count_queue(queue);
    }
    close_shared();
    if (m_quiet) {
        close_rings();
    }
}

/// What was said of a request goes together.
void Ledger::close(const Request& request) {
    if (request.answers == 0) {
        close_quiet(request);
        return;
    }
    const auto must = [&](std::uint32_t times, bool once, const char* what) {
        if (times != (once ? 1U : 0U)) {
            fault(request,
                  "its answer is " + std::to_string(static_cast<unsigned>(request.outcome)) +
                      ", and it was " + std::to_string(times) + " times " + what);
        }
    };
    switch (request.outcome) {
        case Outcome::Suppressed:
            must(request.completes, true, "completed");
            must(request.suppresses, true, "suppressed");
            must(request.slots, false, "given a slot");
            must(request.refusals, false, "refused");
            if (request.queue == QueueKind::Receive || request.asked_for ||
                request.status != WcStatus::Success) {
                fault(request, "is suppressed, and must be reported");
            }
            break;
        case Outcome::Granted:
            must(request.completes, true, "completed");
            must(request.suppresses, false, "suppressed");
            must(request.slots, true, "given a slot");
            must(request.refusals, false, "refused");
            break;
        case Outcome::Lost:
            must(request.completes, true, "completed");
            must(request.suppresses, false, "suppressed");
            must(request.slots, false, "given a slot");
            must(request.refusals, true, "refused");
            if (request.lost_for == LostCause::None || request.lost_for != request.refused_for) {
                fault(request, "is lost for another cause than it was refused for");
            }
            break;
        case Outcome::Cancelled:
            must(request.slots, false, "given a slot");
            must(request.suppresses, false, "suppressed");
            if (m_begun.count({request.qpn, request.generation}) == 0) {
                fault(request, "is cancelled, and its life has not ended");
            }
            break;
    }
    if (request.polls + (request.swept ? 1U : 0U) > 1) {
        fault(request, "its entry is taken twice");
    }
}

/// A request without an answer, when nothing is left to run: only one that has not begun, and that
/// nothing flushes.
void Ledger::close_quiet(const Request& request) {
    if (!m_quiet) {
        return;
    }
    if (request.completes != 0) {
        fault(request, "completed, and never got an answer");
        return;
    }
    if (life_done(request)) {
        fault(request, "its life is over, and it never got an answer");
        return;
    }
    const QpState state = m_qps.at(index_of(request.qpn)).state;
    const bool waits = request.queue == QueueKind::Send
                           ? state == QpState::Sqd && !m_idle                   // S2.23
                           : state != QpState::Err && state != QpState::Reset;  // S2.14
    if (!waits) {
        fault(request, "is open at the end in state " + std::string(name(state)));
    }
}

/// S1.7: who polls for ever has read everything.
void Ledger::close_rings() {
    for (const Ring& ring : m_rings) {
        for (const Request* request : ring.unread) {
            if (ring.polled_for_ever) {
                fault(*request, "its entry was never polled");
            }
        }
    }
    for (const Life& life : m_begun) {
        if (m_done.count(life) == 0) {
            fault("the end of life " + std::to_string(life.second) + " of qp " +
                  m_scenario.qp_name(life.first) + " is never done");
        }
    }
}

void Ledger::count_queue(const std::vector<const Request*>& queue) {
    EndCounts& counts = m_counts.at(group_of(queue.front()->qpn));
    bool reported = false;  // one behind
    for (std::size_t i = queue.size(); i-- > 0;) {
        const Request& request = *queue[i];
        if (request.srqn == kNoSrq && request.index != i) {
            fault(request, "is the request " + std::to_string(i) + " of its queue in its life");
        }
        ++counts.posted;
        const RequestEnd end = end_of(request, reported);
        ++counts.ends.at(static_cast<std::size_t>(end));
        if (end == RequestEnd::Retired) {
            m_coverage.add(Coverage::Retired);
        }
        reported = reported || (request.granted() && !request.late);
    }
}

RequestEnd Ledger::end_of(const Request& request, bool retired) const {
    if (request.answers == 0) {
        return RequestEnd::Outstanding;
    }
    switch (request.outcome) {
        case Outcome::Suppressed:
            if (retired) {
                return RequestEnd::Retired;
            }
            return life_done(request) ? RequestEnd::Discarded : RequestEnd::Outstanding;
        case Outcome::Granted:
            return request.status == WcStatus::WrFlushErr ? RequestEnd::Flushed
                                                          : RequestEnd::Reported;
        case Outcome::Lost:
            return RequestEnd::Lost;
        default:
            return RequestEnd::Discarded;
    }
}

}  // namespace cqsim::tb::test
