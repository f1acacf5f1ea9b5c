// SPDX-License-Identifier: Apache-2.0
// Streams of requests and messages: their turns, and the ends of what they began.
#include "tb/pipeline/pipeline.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kTogether = 8;  ///< queues whose lines are fetched at once

}  // namespace

void Pipeline::add_stream(const StreamConfig& config) {
    const std::string stream_name =
        std::string(name()) + ".stream" + std::to_string(m_streams.size());
    m_streams.emplace_back(config, RandomStream(m_config.seed, stream_name));
    m_timeline.at(m_slot, config.start);
}

std::uint64_t Pipeline::refusals() const {
    std::uint64_t sum = 0;
    for (const Stream& stream : m_streams) {
        sum += stream.refusals();
    }
    return sum;
}

void Pipeline::unpark_streams(Qpn qpn) {
    for (Stream& stream : m_streams) {
        if (stream.covers(qpn)) {
            unpark(stream);
        }
    }
}

void Pipeline::unpark(Stream& stream) {
    if (stream.parked()) {
        stream.unpark(m_timeline.now());
        m_timeline.at(m_slot, stream.next_turn());
    }
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
    if (sends() ? m_queues.full(qpn) : !finds_receive(qpn, row)) {
        stream.refused();  // S2.5: no room to post; S2.14: no receive request for the message
        return;
    }
    if (m_credits.on() && !m_credits.available(qpn)) {
        stream.refused();  // S5.13: no room in the CQ for what may come of it
        return;
    }
    std::uint32_t wqe_index = 0;
    if (sends()) {
        const std::uint32_t number = row.posted + 1;
        WorkRequest work;
        work.opcode = config.opcode;
        work.bytes = config.bytes;
        if (config.signal_every == 1 || number % config.signal_every == 0 ||
            (config.signal_last && stream.last_of_qp())) {
            work.flags |= WorkRequest::kSignaled;
        }
        if (config.solicited_every != 0 && number % config.solicited_every == 0) {
            work.flags |= WorkRequest::kSolicited;
        }
        wqe_index = accept(qpn, work, now);
    } else {
        wqe_index = begin_message(qpn, config);
    }
    if (on_wire(qpn)) {
        begin_on_wire(qpn, wqe_index);
    } else {
        stream.pending.push({now + config.latency, qpn, wqe_index, m_generation[index_of(qpn)]});
    }
    stream.used();
}

}  // namespace cqsim::tb
