// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/ledger.h"

#include <algorithm>

namespace cqsim::tb::test {
namespace {

/// The record writes one answer, entry, ... about something that must have happened once before.
constexpr std::uint32_t kOnce = 1;

std::string counted(std::uint32_t times, const char* what) {
    return std::to_string(times) + " times " + what;
}

Coverage::Single sort_of(PacketType type) {
    switch (type) {
        case PacketType::Request:
            return Coverage::Request;
        case PacketType::Response:
        case PacketType::Ack:
            return Coverage::Ack;
        case PacketType::RnrNak:
            return Coverage::Rnr;
        default:
            return Coverage::Nak;
    }
}

}  // namespace

Ledger::Ledger(const Scenario& scenario)
    : m_scenario(scenario),
      m_sweeps(scenario.host_driver.stale != StalePolicy::None),
      m_wr_ids(scenario.cqe_format == CqeFormat::Native),
      m_rings(scenario.device.cqs),
      m_qps(scenario.device.qps),
      m_counts(scenario.qp.size()),
      m_srq_counts(scenario.srq.size()) {
    for (const HostLoop& loop : scenario.host) {
        const CqGroup& group = scenario.cq[loop.cq];
        for (std::uint32_t i = 0; i < group.count; ++i) {
            m_rings.at(group.first + i).polled_for_ever = loop.mode == HostMode::Poll;
        }
    }
}

void Ledger::fault(const std::string& what) {
    if (m_faults.size() < kFaults) {
        m_faults.push_back(what);
    }
}

void Ledger::fault(const Request& request, const std::string& what) {
    fault("serial " + std::to_string(request.serial) + " (qp " + m_scenario.qp_name(request.qpn) +
          ", " + std::string(name(request.queue)) + " " + std::to_string(request.index) +
          ", life " + std::to_string(request.generation) + "): " + what);
}

std::size_t Ledger::group_of(Qpn qpn) const {
    const QpGroup& group = m_scenario.group_of(qpn);
    return static_cast<std::size_t>(&group - m_scenario.qp.data());
}

Ledger::Request* Ledger::named(const Record& record, const char* what) {
    const auto found = m_requests.find(record.serial);
    if (found == m_requests.end() || found->second.qpn != record.qpn ||
        found->second.queue != record.queue || found->second.generation != record.generation) {
        fault("serial " + std::to_string(record.serial) + ": " + what +
              ", but no such request was posted");
        return nullptr;
    }
    return &found->second;
}

void Ledger::observe(const RecordBatch& batch) {
    for (const Record& record : batch) {
        take(record);
    }
}

void Ledger::take(const Record& record) {
    switch (record.kind) {
        case Kind::Post:
            return record.qpn == kNoQp ? post_shared(record) : post(record);
        case Kind::Complete:
            return complete(record);
        case Kind::Suppress:
            return suppress(record);
        case Kind::Slot:
            return slot(record);
        case Kind::Overrun:
            return refuse(record);
        case Kind::Outcome:
            return answer(record);
        case Kind::Poll:
            return poll(record);
        case Kind::QpState:
            return state(record);
        case Kind::Destroy:
            return destroy(record);
        case Kind::End:
            return end(record);
        case Kind::Create:
            if (record.qpn != kNoQp) {
                m_qps.at(index_of(record.qpn)).all_signaled = (record.flags & kSigAll) != 0;
            }
            return;
        case Kind::Modify:
            if (record.qpn != kNoQp && record.a == static_cast<std::uint64_t>(CommandResult::Ok)) {
                if (static_cast<QpState>(record.state) == QpState::Reset) {
                    m_coverage.add(Coverage::ToldReset);
                } else if (static_cast<QpState>(record.state) == QpState::Err) {
                    m_coverage.add(Coverage::ToldErr);
                }
            }
            return;
        case Kind::Packet:
            return m_coverage.add(sort_of(static_cast<PacketType>(record.state)));
        case Kind::Event:
            return m_coverage.add(Coverage::Event);
        case Kind::Async:
            if (static_cast<AsyncEvent>(record.state) == AsyncEvent::SqDrained) {
                m_coverage.add(Coverage::SqDrained);
            } else if (static_cast<AsyncEvent>(record.state) == AsyncEvent::QpFatal) {
                m_coverage.add(Coverage::QpFatal);
            } else if (static_cast<AsyncEvent>(record.state) == AsyncEvent::SrqLimitReached) {
                m_coverage.add(Coverage::SrqLimit);
            } else if (static_cast<AsyncEvent>(record.state) == AsyncEvent::QpLastWqeReached) {
                last_wqe(record);
            }
            return;
        default:
            return;
    }
}

void Ledger::post(const Record& record) {
    const auto [place, fresh] = m_requests.try_emplace(record.serial);
    Request& request = place->second;
    if (!fresh) {
        fault(request, "posted a second time");
        return;
    }
    request.serial = record.serial;
    request.wr_id = record.wr_id;
    request.qpn = record.qpn;
    request.index = record.index;
    request.generation = record.generation;
    request.queue = record.queue;
    request.asked_for = (record.flags & kSignaled) != 0;
    if (record.queue == QueueKind::Receive) {
        take_shared(record, request);
    }
    const QpState state = m_qps.at(index_of(record.qpn)).state;
    request.in_error = state == QpState::Err;
    if (record.queue == QueueKind::Send) {
        m_coverage.add(static_cast<WrOpcode>(record.state));
        if (state == QpState::Sqd) {
            m_coverage.add(Coverage::PostedInSqd);
        }
    }
    if (record.generation > 1) {
        m_coverage.add(Coverage::NextLife);
    }
}

void Ledger::complete(const Record& record) {
    Request* request = named(record, "completes");
    if (request == nullptr) {
        return;
    }
    if (++request->completes != kOnce) {
        fault(*request, counted(request->completes, "completed"));
    }
    request->status = static_cast<WcStatus>(record.state);
    m_coverage.add(request->status);
    if (request->srqn != kNoSrq && m_last_wqe.count({request->qpn, request->generation}) != 0) {
        fault(*request, "completes behind QP_LAST_WQE_REACHED");
    }
    Qp& qp = m_qps.at(index_of(record.qpn));
    const bool sends = record.queue == QueueKind::Send;
    if (request->status == WcStatus::WrFlushErr) {
        if (qp.state == QpState::Sqe && sends) {
            m_coverage.add(Coverage::SendFlushedInSqe);
        } else if (qp.state == QpState::Err) {
            const std::uint32_t before = qp.flushed_queues;
            qp.flushed_queues |= 1U << index_of(record.queue);
            if (before != qp.flushed_queues && qp.flushed_queues == 3) {
                m_coverage.add(Coverage::FlushOnBothQueues);
            }
        }
        if (request->in_error) {
            m_coverage.add(Coverage::PostedInErr);
        }
    } else if (request->status != WcStatus::Success) {
        const QpType type = m_scenario.group_of(record.qpn).type;
        const bool cut_short = (request->status == WcStatus::RemInvReqErr ||
                                request->status == WcStatus::RemAbortErr) &&
                               request->srqn != kNoSrq;  // S2.15
        if (qp.state == QpState::Rts &&
            ((type == QpType::Ud && request->status == WcStatus::GeneralErr) ||
             ((type == QpType::Uc || type == QpType::Ud) && !sends && cut_short))) {
            m_coverage.add(Coverage::RunsOnAfterFailure);
        }
    } else if (!sends && qp.state == QpState::Sqe) {
        m_coverage.add(Coverage::ReceiveInSqe);
    }
    if (!sends && request->status == WcStatus::Success && record.bytes != nullptr &&
        record.bytes[offsetof(CompletionDetails, opcode)] ==
            static_cast<std::byte>(WcOpcode::RecvRdmaWithImm)) {
        m_coverage.add(Coverage::ReceiveWithImm);
    }
}

void Ledger::suppress(const Record& record) {
    if (Request* request = named(record, "is suppressed")) {
        if (++request->suppresses != kOnce) {
            fault(*request, counted(request->suppresses, "suppressed"));
        }
    }
}

void Ledger::slot(const Record& record) {
    if (Request* request = named(record, "has a slot")) {
        if (++request->slots != kOnce) {
            fault(*request, counted(request->slots, "given a slot"));
        }
        m_rings.at(index_of(record.cqn)).unread.push_back(request);
    }
}

void Ledger::refuse(const Record& record) {
    if (Request* request = named(record, "is refused")) {
        if (++request->refusals != kOnce) {
            fault(*request, counted(request->refusals, "refused"));
        }
        request->refused_for = static_cast<LostCause>(record.state);
        m_coverage.add(request->refused_for == LostCause::Overrun ? Coverage::Overrun
                                                                  : Coverage::RefusedInError);
    }
}

/// D4: the answer is one that the records before it allow.
void Ledger::answer(const Record& record) {
    Request* request = named(record, "is answered");
    if (request == nullptr) {
        return;
    }
    if (++request->answers != kOnce) {
        fault(*request, counted(request->answers, "answered"));
        return;
    }
    request->outcome = static_cast<Outcome>(record.state);
    request->lost_for = static_cast<LostCause>(record.a);
    request->late = life_done(*request);
    const Qp& qp = m_qps.at(index_of(record.qpn));
    switch (request->outcome) {
        case Outcome::Suppressed:
            m_coverage.add(Coverage::UnsignaledSuccess);
            break;
        case Outcome::Granted:
            if (request->queue == QueueKind::Send && !request->asked_for) {
                m_coverage.add(request->status == WcStatus::Success ? Coverage::SignaledByQueue
                                                                    : Coverage::UnsignaledFailure);
                if (request->status == WcStatus::Success && !qp.all_signaled) {
                    fault(*request, "succeeded unsignaled, and is reported");
                }
            }
            break;
        case Outcome::Cancelled:
            m_coverage.add(Coverage::Cancelled);
            break;
        case Outcome::Lost:
            break;
    }
}

bool Ledger::is_entry_of(const Request& request, const Record& poll) const {
    constexpr std::uint32_t kCounter = 0xFFFF;  // S1.8: what an entry without a wr_id holds
    const auto status = static_cast<WcStatus>(poll.state);
    const auto kind_of = [](WcStatus of) {
        return of == WcStatus::Success || of == WcStatus::WrFlushErr ? of : WcStatus::GeneralErr;
    };
    const bool same_status = m_wr_ids ? status == request.status  // S1.13: some have no syndrome
                                      : kind_of(status) == kind_of(request.status);
    return request.qpn == poll.qpn && request.queue == poll.queue && same_status &&
           poll.wr_id == (m_wr_ids ? request.wr_id : request.index & kCounter);
}

void Ledger::poll(const Record& record) {
    std::deque<Request*>& unread = m_rings.at(index_of(record.cqn)).unread;
    if (unread.empty() || !is_entry_of(*unread.front(), record)) {
        fault("an entry of wr_id " + std::to_string(record.wr_id) + " of qp " +
              m_scenario.qp_name(record.qpn) +
              " is polled that is not the oldest unread one of cq " +
              m_scenario.cq_name(record.cqn));
        return;
    }
    Request& request = *unread.front();
    unread.pop_front();
    ++request.polls;
    if (life_done(request)) {
        m_coverage.add(Coverage::StalePolled);
    }
}

void Ledger::state(const Record& record) {
    Qp& qp = m_qps.at(index_of(record.qpn));
    const auto after = static_cast<QpState>(record.state);
    m_coverage.add(after);
    if (qp.state == QpState::Sqe && after == QpState::Rts) {
        m_coverage.add(Coverage::LeftSqe);
    }
    qp.state = after;
    qp.flushed_queues = 0;
}

void Ledger::destroy(const Record& record) {
    if (record.qpn == kNoQp) {
        return;
    }
    const Life life{record.qpn, record.generation};
    if (static_cast<DestroyPhase>(record.state) == DestroyPhase::Done) {
        m_done.insert(life);
        m_coverage.add(Coverage::EndOfLife);
        if (m_sweeps) {
            sweep(life);
        }
        return;
    }
    m_begun.insert(life);
    for (const auto& [serial, request] : m_requests) {
        if (request.qpn == record.qpn && request.generation == record.generation &&
            request.completes != 0 && request.answers == 0) {
            m_coverage.add(Coverage::EndOfLifeInFlight);
            break;
        }
    }
}

/// S7.7: software takes what a life left behind out of all rings as soon as its end is done.
void Ledger::sweep(const Life& life) {
    for (Ring& ring : m_rings) {
        const auto rest =
            std::stable_partition(ring.unread.begin(), ring.unread.end(), [&](const Request* of) {
                return life != Life{of->qpn, of->generation};
            });
        std::for_each(rest, ring.unread.end(), [&](Request* of) {
            of->swept = true;
            m_coverage.add(Coverage::Swept);
        });
        ring.unread.erase(rest, ring.unread.end());
    }
}

void Ledger::end(const Record& record) {
    m_ended = true;
    m_told_open = {record.a, record.serial};
    const auto reason = static_cast<EndReason>(record.state);
    m_quiet = reason != EndReason::End;
    m_idle = reason == EndReason::Idle;
    m_coverage.add(reason == EndReason::Idle  ? Coverage::Idle
                   : reason == EndReason::End ? Coverage::CutOff
                                              : Coverage::Stalled);
}

}  // namespace cqsim::tb::test
