// SPDX-License-Identifier: Apache-2.0
#include "tb/pipeline/pipeline.h"

#include "models/qp/qp_capability.h"

#include <algorithm>
#include <utility>

namespace cqsim::tb {
namespace {

/// With more QPs than this their lines leave the second-level cache between two uses.
constexpr std::uint32_t kFar = 2048;
constexpr std::uint32_t kTogether = 8;  ///< queues whose lines are fetched at once

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
      m_next(m_queues.size(), kNone),
      m_previous(m_queues.size(), kNone),
      m_far(m_queues.size() > kFar) {
    tap_isock.bind(static_cast<CompletionBackward&>(*this));
    state_tsock.bind(static_cast<QpStateForward&>(*this));
    software_tsock.bind(static_cast<SoftwareForward&>(*this));
}

void Pipeline::add_stream(const StreamConfig& config) {
    const std::string stream_name =
        std::string(name()) + ".stream" + std::to_string(m_streams.size());
    m_streams.emplace_back(config, RandomStream(m_config.seed, stream_name));
    m_timeline.at(m_slot, config.start);
}

std::vector<StreamConfig> Pipeline::parked() const {
    std::vector<StreamConfig> waiting;
    for (const Stream& stream : m_streams) {
        if (stream.parked() && !stream.done() && has_running_qp(stream)) {
            waiting.push_back(stream.config());
        }
    }
    return waiting;
}

/// Whether a QP that has turns left runs: one that does not waits for software's will alone.
bool Pipeline::has_running_qp(const Stream& stream) const {
    for (std::uint32_t ahead = 0; ahead < stream.config().qps; ++ahead) {
        const WorkQueueRow& row = m_queues.row(stream.qp_ahead(ahead));
        if (stream.wanted(ahead) && row.is(WorkQueueRow::kRuns)) {
            return true;
        }
    }
    return false;
}

std::uint64_t Pipeline::refusals() const {
    std::uint64_t sum = 0;
    for (const Stream& stream : m_streams) {
        sum += stream.refusals();
    }
    return sum;
}

PostResult Pipeline::post(Qpn qpn, const PostRequest& request) {
    const WorkQueueRow& row = m_queues.row(qpn);
    if (!has_queue(row.type(), m_config.queue) ||
        (sends() && !may_post(row.type(), request.opcode))) {
        return PostResult::NotOfType;
    }
    if (!row.is(WorkQueueRow::kAccepts)) {
        return PostResult::Refused;
    }
    if (m_queues.full(qpn)) {
        return PostResult::Full;
    }
    const TimePs now = m_timeline.now();
    WorkRequest work;
    work.opcode = request.opcode;
    work.bytes = request.bytes;
    work.flags = static_cast<std::uint8_t>((request.signaled ? WorkRequest::kSignaled : 0) |
                                           (request.solicited ? WorkRequest::kSolicited : 0));
    const std::uint32_t wqe_index = accept(qpn, work, now);
    const std::uint16_t generation = m_generation[index_of(qpn)];
    if (row.is(WorkQueueRow::kFlushes)) {
        if (next_to_end(row) == wqe_index) {
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

void Pipeline::run_stream(Stream& stream, TimePs now) {
    while (!stream.pending.empty() && stream.pending.front().at <= now) {
        const Stream::Pending ending = stream.pending.front();
        stream.pending.pop();
        if (m_far) {
            fetch_ends(stream);
        }
        if (ends_by_itself(ending.qpn, ending.generation)) {
            end(ending.qpn, ending.wqe_index, WcStatus::Success, now);
        }
    }
    while (stream.next_turn() <= now) {
        take_turn(stream, now);
    }
}

/// The lines of what ends next, several together: the QP's a round ahead of its request and its CQ.
void Pipeline::fetch_ends(Stream& stream) {
    if (stream.fetched != 0) {
        --stream.fetched;
        return;
    }
    const std::size_t size = stream.pending.size();
    const std::size_t count = std::min<std::size_t>(size, kTogether);
    for (std::size_t i = 0; i < count; ++i) {
        const Stream::Pending& next = stream.pending.peek(i);
        WorkQueueRow& row = m_queues.row(next.qpn);
        __builtin_prefetch(&m_queues.request(row, next.wqe_index), 1);
        tap_isock->hint(next.qpn, kNoCq);
    }
    for (std::size_t i = count; i < std::min(size, 2 * count); ++i) {
        fetch_queue(stream.pending.peek(i).qpn);
    }
    stream.fetched = count == 0 ? 0 : static_cast<std::uint32_t>(count) - 1;
}

/// The lines of the turns to come, several together: each request lies on a page of its own, and
/// the walks through the page tables then overlap. The queue's line comes a round ahead.
inline void Pipeline::fetch_turns(const Stream& stream) const {
    for (std::uint32_t i = 0; i < kTogether; ++i) {
        const WorkQueueRow& row = m_queues.row(stream.qp_ahead(kTogether + i));
        m_queues.prefetch_request(row, sends() ? 0 : row.unstarted);
    }
    for (std::uint32_t i = 0; i < kTogether; ++i) {
        fetch_queue(stream.qp_ahead(2 * kTogether + i));
    }
}

void Pipeline::take_turn(Stream& stream, TimePs now) {
    if (m_far && stream.turn() % kTogether == 0) {
        fetch_turns(stream);
    }
    const StreamConfig& config = stream.config();
    const Qpn qpn = stream.qp_of_turn();
    const WorkQueueRow& row = m_queues.row(qpn);
    if (!stream.wanted() || !row.is(WorkQueueRow::kRuns)) {
        stream.skip();
        return;
    }
    if (sends() ? m_queues.full(qpn) : row.unstarted == 0) {
        stream.refused();  // S2.5: no room to post; S2.14: no receive request for the message
        return;
    }
    std::uint32_t wqe_index = 0;
    if (sends()) {
        const std::uint32_t number = row.posted + 1;
        WorkRequest work;
        work.opcode = config.opcode;
        work.bytes = config.bytes;
        if (config.signal_every == 1 || number % config.signal_every == 0) {
            work.flags |= WorkRequest::kSignaled;
        }
        if (config.solicited_every != 0 && number % config.solicited_every == 0) {
            work.flags |= WorkRequest::kSolicited;
        }
        wqe_index = accept(qpn, work, now);
    } else {
        wqe_index = begin_message(qpn, config);
    }
    stream.pending.push({now + config.latency, qpn, wqe_index, m_generation[index_of(qpn)]});
    stream.used();
}

/// A message takes the oldest free receive request (S2.11).
std::uint32_t Pipeline::begin_message(Qpn qpn, const StreamConfig& config) {
    WorkQueueRow& row = m_queues.row(qpn);
    const std::uint32_t wqe_index = WorkQueues::next_to_start(row);
    WorkRequest& work = m_queues.request(row, wqe_index);
    work.opcode = config.opcode;
    work.bytes = config.bytes;
    if (config.solicited_every != 0 && (wqe_index + 1) % config.solicited_every == 0) {
        work.flags |= WorkRequest::kSolicited;
    }
    --row.unstarted;
    ++m_begun;
    return wqe_index;
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
    const bool at_once = m_held == kNoQp && m_backlog.head == kNone &&
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
    if (m_held == kNoQp && m_flushing.head != kNone) {
        next = std::min(next, later_of(m_flush_at, now));
    }
    if (next != kNever) {
        m_timeline.at(m_slot, next);
    }
}

void Pipeline::polled(Qpn qpn, std::uint32_t wqe_index, std::uint64_t wr_id) {
    if (wr_id != wr_id_of(qpn, m_config.queue, wqe_index, m_generation[index_of(qpn)])) {
        return;  // S7.1: it was in the ring when its QP's life ended
    }
    const std::uint32_t freed = m_queues.release_through(qpn, wqe_index);
    const WorkQueueRow& row = m_queues.row(qpn);
    if (freed == 0 || !row.is(WorkQueueRow::kRuns)) {
        return;
    }
    if (!sends()) {
        for (std::uint32_t i = 0; i < freed; ++i) {
            accept(qpn, WorkRequest{}, m_timeline.now());
        }
    }
    unpark_streams(qpn);
}

}  // namespace cqsim::tb
