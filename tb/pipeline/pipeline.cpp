// SPDX-License-Identifier: Apache-2.0
#include "tb/pipeline/pipeline.h"

#include "models/qp/qp_capability.h"

#include <algorithm>
#include <utility>

namespace cqsim::tb {
namespace {

/// With more QPs than this their lines leave the second-level cache between two uses.
constexpr std::uint32_t kFar = 2048;

/// The order of a heap whose front ends first; of one queue the older request.
struct EndsLater {
    template <class Ending>
    bool operator()(const Ending& l, const Ending& r) const {
        return r.at < l.at || (l.at == r.at && r.wqe_index < l.wqe_index);
    }
};

}  // namespace

Pipeline::Pipeline(const sc_core::sc_module_name& module_name,
                   Timeline& timeline,
                   RecordStream& records,
                   const PipelineConfig& config,
                   Rows<WorkQueueRow> rows,
                   std::uint64_t& serial)
    : sc_module(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(
          *this, config.queue == QueueKind::Send ? Rank::TxPipeline : Rank::RxPipeline)),
      m_records(records),
      m_source(records.intern(name())),
      m_config(config),
      m_queues(std::move(rows)),
      m_serial(serial),
      m_generation(m_queues.size()),
      m_lists(m_queues.size()),
      m_turns(m_queues.size()),
      m_frees_at_end(sends() && config.slot_release == SlotRelease::Completion),
      m_far(m_queues.size() > kFar) {
    tap_isock.bind(static_cast<CompletionBackward&>(*this));
    state_tsock.bind(static_cast<QpStateForward&>(*this));
    software_tsock.bind(static_cast<SoftwareForward&>(*this));
    wire_isock.bind(static_cast<WireSendBackward&>(*this));
    wire_tsock.bind(static_cast<WireReceiveForward&>(*this));
}

bool Pipeline::takes_posts(Qpn qpn) const {
    return !m_shared.has(qpn) && has_queue(m_queues.row(qpn).type(), m_config.queue);
}

PostResult Pipeline::would_post(Qpn qpn, WrOpcode opcode) const {
    const WorkQueueRow& row = m_queues.row(qpn);
    if (!takes_posts(qpn) || (sends() && !may_post(row.type(), opcode))) {
        return PostResult::NotOfType;
    }
    if (!row.is(WorkQueueRow::kAccepts)) {
        return PostResult::Refused;
    }
    if (m_queues.full(qpn)) {
        return PostResult::Full;
    }
    if (m_credits.on() && !m_credits.available(qpn)) {
        return PostResult::NoCredit;
    }
    return PostResult::Done;
}

PostResult Pipeline::post(Qpn qpn, const PostRequest& request) {
    const PostResult result = would_post(qpn, request.opcode);
    if (result != PostResult::Done) {
        return result;
    }
    const WorkQueueRow& row = m_queues.row(qpn);
    const TimePs now = m_timeline.now();
    WorkRequest work;
    work.opcode = request.opcode;
    work.bytes = request.bytes;
    work.flags = static_cast<std::uint8_t>((request.signaled ? WorkRequest::kSignaled : 0) |
                                           (request.solicited ? WorkRequest::kSolicited : 0));
    const std::uint32_t wqe_index = accept(qpn, work, now);
    const std::uint16_t generation = m_generation[index_of(qpn)];
    if (row.is(WorkQueueRow::kFlushes)) {
        if (next_to_end(row) == wqe_index && !m_turns.waits(qpn)) {
            observe_flush(qpn, wqe_index);
        }
        relist(qpn);  // S2.18: what is posted in ERR flushes as well
    } else if (!sends()) {
        unpark_streams(qpn);
    } else if (row.is(WorkQueueRow::kRuns)) {
        schedule({now + request.latency, qpn, wqe_index, generation});
    } else {
        m_unstarted.push_back({request.latency, qpn, wqe_index, generation});  // S2.23
    }
    return PostResult::Done;
}

void Pipeline::schedule(const Ending& ending) {
    if (on_wire(ending.qpn)) {
        begin_on_wire(ending.qpn, ending.wqe_index);
        return;
    }
    m_by_hand.push_back(ending);
    std::push_heap(m_by_hand.begin(), m_by_hand.end(), EndsLater{});
    m_timeline.at(m_slot, m_by_hand.front().at);
}

std::uint32_t Pipeline::accept(Qpn qpn, const WorkRequest& request, TimePs now) {
    WorkRequest accepted = request;
    accepted.serial = ++m_serial;
    accepted.posted = now;
    const std::uint32_t wqe_index = m_queues.post(qpn, accepted);
    ++m_posted;
    if (sends()) {
        ++m_begun;
        if (m_credits.on()) {
            m_credits.take(qpn);
        }
        WorkQueueRow& row = m_queues.row(qpn);
        if (row.is(WorkQueueRow::kRuns)) {
            --row.unstarted;
        }
    }
    if (m_records.wants(Kind::Post)) {
        observe_post(qpn, accepted, wqe_index, now);
    }
    return wqe_index;
}

std::uint32_t Pipeline::next_to_end(const WorkQueueRow& row) {
    std::uint32_t wqe_index = WorkQueues::next_to_report(row);
    while (wqe_index != row.posted &&
           (m_queues.request(row, wqe_index).flags & WorkRequest::kEnded) != 0) {
        ++wqe_index;
    }
    return wqe_index;
}

FailResult Pipeline::fail(Qpn qpn, WcStatus status, std::uint32_t vendor_err) {
    const WorkQueueRow& row = m_queues.row(qpn);
    if (row.is(WorkQueueRow::kFlushes)) {
        return FailResult::Stopped;
    }
    const std::uint32_t wqe_index = next_to_end(row);
    if (wqe_index == row.posted && m_shared.has(qpn) && row.is(WorkQueueRow::kRuns) &&
        finds_receive(qpn, row)) {
        take_shared(qpn);  // a message comes for it, and fails
    }
    if (wqe_index == (row.is(WorkQueueRow::kRuns) ? row.posted : WorkQueues::next_to_start(row))) {
        return FailResult::NothingOutstanding;
    }
    if (vendor_err != 0) {
        m_vendor_err.emplace(m_queues.request(row, wqe_index).serial, vendor_err);
    }
    end(qpn, wqe_index, status, m_timeline.now());
    return FailResult::Done;
}

void Pipeline::due(TimePs now) {
    for (Stream& stream : m_streams) {
        run_stream(stream, now);
    }
    while (!m_by_hand.empty() && m_by_hand.front().at <= now) {
        const Ending ending = m_by_hand.front();
        std::pop_heap(m_by_hand.begin(), m_by_hand.end(), EndsLater{});
        m_by_hand.pop_back();
        if (ends_by_itself(ending.qpn, ending.generation)) {
            end(ending.qpn, ending.wqe_index, WcStatus::Success, now);
        }
    }
    drain_backlog();
    flush_one(now);
    ask_for_time(now);
}

/// The request is through. It ends now, or with the last of the older requests (S2.4).
void Pipeline::end(Qpn qpn, std::uint32_t wqe_index, WcStatus status, TimePs now) {
    WorkQueueRow& row = m_queues.row(qpn);
    const std::uint32_t oldest = WorkQueues::next_to_report(row);
    if (wqe_index - oldest >= row.unreported) {
        return;  // ended early by hand and reported since
    }
    WorkRequest& work = m_queues.request(row, wqe_index);
    if ((work.flags & WorkRequest::kEnded) != 0) {
        return;
    }
    if (wqe_index != oldest &&
        (m_queues.request(row, wqe_index - 1).flags & WorkRequest::kEnded) == 0) {
        work.flags |= WorkRequest::kDue;
        row.flags |= WorkQueueRow::kOvertaken;
        return;
    }
    end_next(qpn, wqe_index, status, now);
    if ((row.flags & WorkQueueRow::kOvertaken) != 0) {
        for (++wqe_index; !row.is(WorkQueueRow::kFlushes) && wqe_index != row.posted &&
                          (m_queues.request(row, wqe_index).flags & WorkRequest::kDue) != 0;
             ++wqe_index) {
            end_next(qpn, wqe_index, WcStatus::Success, now);
        }
    }
}

/// The oldest request that has not ended ends.
void Pipeline::end_next(Qpn qpn, std::uint32_t wqe_index, WcStatus status, TimePs now) {
    mark_ended(qpn, wqe_index, status, now);
    report(qpn, wqe_index);
    if (status != WcStatus::Success && status != WcStatus::WrFlushErr) {
        state_tsock->request_failed(qpn, m_generation[index_of(qpn)], m_config.queue, status);
    }
}

void Pipeline::mark_ended(Qpn qpn, std::uint32_t wqe_index, WcStatus status, TimePs now) {
    WorkQueueRow& row = m_queues.row(qpn);
    WorkRequest& work = m_queues.request(row, wqe_index);
    work.flags |= WorkRequest::kEnded;
    work.ended = now;
    work.status = status;
    if (wqe_index == WorkQueues::next_to_start(row)) {
        --row.unstarted;
        if (!sends()) {
            ++m_begun;
        }
    }
    if (m_records.wants(Kind::Complete)) {
        observe_end(qpn, work, wqe_index, now);
    }
}

/// The completion of a request that has just ended is offered when those before it are taken
/// (S2.4).
void Pipeline::report(Qpn qpn, std::uint32_t wqe_index) {
    WorkQueueRow& row = m_queues.row(qpn);
    const bool first = wqe_index == WorkQueues::next_to_report(row);
    const bool at_once = m_held == kNoQp && m_lists.backlog.empty() &&
                         !row.is(WorkQueueRow::kListed | WorkQueueRow::kWaits);
    if (first && at_once) {
        const std::uint16_t before = row.unreported;
        offer_ended(qpn);
        if (row.unreported != before) {
            relist(qpn);
            return;
        }
    }
    row.flags |= WorkQueueRow::kBehind;
    relist(qpn);
}

void Pipeline::ask_for_time(TimePs now) {
    TimePs next = kNever;
    for (const Stream& stream : m_streams) {
        next = std::min(next, stream.next_turn());
        if (!stream.pending.empty()) {
            next = std::min(next, stream.pending.front().at);
        }
    }
    if (!m_by_hand.empty()) {
        next = std::min(next, m_by_hand.front().at);
    }
    if (m_held == kNoQp && !m_lists.flushing.empty()) {
        next = std::min(next, later_of(m_flush_at, now));
    }
    if (next != kNever) {
        m_timeline.at(m_slot, next);
    }
}

}  // namespace cqsim::tb
