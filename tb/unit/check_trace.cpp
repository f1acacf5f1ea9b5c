// SPDX-License-Identifier: Apache-2.0
#include "tb/unit/check_stream.h"

#include <cstring>
#include <stdexcept>

namespace cqsim::tb {

void Trace::add(const Record& record) {
    m_records.push_back(record);
    if (record.bytes != nullptr) {
        m_bytes.emplace_back();
        std::memcpy(m_bytes.back().data(), record.bytes, record.b);
        m_records.back().bytes = m_bytes.back().data();
    }
}

std::size_t Trace::position(Kind kind, std::size_t n) const {
    for (std::size_t i = 0; i < m_records.size(); ++i) {
        if (m_records[i].kind == kind && n-- == 0) {
            return i;
        }
    }
    throw std::out_of_range("the trace has no such record");
}

Record& Trace::nth(Kind kind, std::size_t n) {
    return m_records[position(kind, n)];
}

std::size_t Trace::count(Kind kind) const {
    std::size_t count = 0;
    for (const Record& record : m_records) {
        count += record.kind == kind ? 1 : 0;
    }
    return count;
}

void Trace::erase(Kind kind, std::size_t n) {
    m_records.erase(m_records.begin() + static_cast<std::ptrdiff_t>(position(kind, n)));
}

void Trace::duplicate(Kind kind, std::size_t n) {
    const std::size_t at = position(kind, n);
    const Record copy = m_records[at];
    m_records.insert(m_records.begin() + static_cast<std::ptrdiff_t>(at), copy);
}

void Trace::swap(Kind kind, std::size_t n, std::size_t m) {
    Record& left = nth(kind, n);
    Record& right = nth(kind, m);
    std::swap(left, right);
    std::swap(left.time_ps, right.time_ps);
}

std::byte* Trace::own_bytes(Record& record) {
    m_bytes.emplace_back();
    std::memcpy(m_bytes.back().data(), record.bytes, record.b);
    record.bytes = m_bytes.back().data();
    return m_bytes.back().data();
}

void flip_entry(Trace& trace, std::size_t n, std::size_t byte, unsigned flip, CqeFormat format) {
    for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible, Kind::Poll}) {
        Record& record = trace.nth(kind, n);
        std::byte* bytes = trace.own_bytes(record);
        bytes[byte] ^= static_cast<std::byte>(flip);
        LegalStream::decode(record, bytes, format);
    }
}

Trace rich_trace() {
    Trace trace;
    LegalStream::Options options;
    options.cqs = 2;
    options.qps = 4;
    options.first_index = 5;
    options.index_width = kRichIndexWidth;
    options.in_flight = 2;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t round = 0; round < 12; ++round) {
        for (std::uint32_t qp = 0; qp < 4; ++qp) {
            stream.post(qp, QueueKind::Send, round % 3 == 0);
            stream.post(qp, QueueKind::Receive, false);
        }
        for (std::uint32_t qp = 0; qp < 4 && round > 0; ++qp) {
            stream.complete(qp, QueueKind::Send);
            stream.complete(
                qp, QueueKind::Receive, WcStatus::Success, round % 4 == 0 ? kWcWithImm : 0);
        }
        stream.poll(round % 2, 3);
        stream.poll(0, 8);
        stream.poll(1, 8);
    }
    stream.settle();
    stream.poll(1, 8);
    stream.post(1, QueueKind::Send, false);
    stream.fail(1, QueueKind::Send, WcStatus::RetryExcErr);
    stream.settle();
    stream.poll(1, 8);
    for (std::uint32_t i = 0; i < 5; ++i) {  // CQ 0 overruns
        for (const std::uint32_t qp : {0U, 2U}) {
            if (stream.open(qp, QueueKind::Receive) == 0) {
                stream.post(qp, QueueKind::Receive, false);
            }
            if (i == 4) {
                stream.complete(qp, QueueKind::Receive);
                stream.flush(qp, QueueKind::Send);
            } else {
                stream.complete(qp, QueueKind::Receive);
            }
        }
    }
    stream.settle();
    stream.poll(0, 8);
    stream.end();
    return trace;
}

Trace drained_trace(QueueKind first) {
    Trace trace;
    LegalStream::Options options;
    options.depth = 16;
    LegalStream stream(options, trace.sink());
    const QueueKind second = first == QueueKind::Send ? QueueKind::Receive : QueueKind::Send;
    stream.state(0, QpState::Rts);
    for (std::uint32_t i = 0; i < 3; ++i) {
        stream.post(0, QueueKind::Send, i == 0);
        stream.post(0, QueueKind::Receive, false);
    }
    stream.complete(0, QueueKind::Send);
    stream.modify(0, QpState::Err);
    stream.state(0, QpState::Err);
    stream.post(0, QueueKind::Send, true);  // the markers
    stream.post(0, QueueKind::Receive, false);
    stream.flush(0, first);
    stream.flush(0, second);
    stream.poll(0, 8);
    stream.drained(0);
    stream.end();
    return trace;
}

Trace sends(std::uint32_t count, bool signaled) {
    Trace trace;
    LegalStream stream({}, trace.sink());
    for (std::uint32_t i = 0; i < count; ++i) {
        stream.post(0, QueueKind::Send, signaled);
        stream.complete(0, QueueKind::Send);
        stream.poll(0, 1);
    }
    stream.end();
    return trace;
}

Trace overrun_trace(bool resumes) {
    Trace trace;
    LegalStream::Options options;
    options.qps = 3;
    options.depth = 4;
    options.resumes_after_error = resumes;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t i = 0; i < 5; ++i) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
    }
    stream.poll(0, 4);
    stream.post(1, QueueKind::Receive, false);
    stream.complete(1, QueueKind::Receive);
    stream.end();
    return trace;
}

}  // namespace cqsim::tb
