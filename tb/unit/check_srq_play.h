// SPDX-License-Identifier: Apache-2.0
/// \file
/// A legal trace with a shared receive queue, to be doctored.
#pragma once

#include "tb/unit/check_verdict.h"

#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>

namespace cqsim::tb {

inline constexpr std::uint16_t kPool = 1;  ///< the SRQ's number
inline constexpr std::uint32_t kPoolDepth = 4;

/// Two QPs on one CQ and one SRQ. A receive that the stream posts is taken from the SRQ: its
/// records, and the bytes of its entry, are rewritten to say so.
class SharedPlay {
    struct Request {
        std::uint64_t serial = 0;
        std::uint32_t slot = 0;
    };

    // Before the stream, which shows its first records when it is made.
    std::uint64_t m_now = 0;
    std::uint64_t m_posted = 0;
    bool m_created = false;
    std::deque<std::uint32_t> m_free{0, 1, 2, 3};
    std::deque<Request> m_waiting;
    std::map<std::uint64_t, Request> m_of;  ///< by the stream's serial

  public:
    Trace trace;
    LegalStream stream;

    SharedPlay()
        : stream(options(), [this](const Record& record) { take(record); }) {
        for (const std::uint32_t qp : {0U, 1U}) {
            stream.state(qp, QpState::Rts);
        }
    }
    SharedPlay(const SharedPlay&) = delete;
    SharedPlay& operator=(const SharedPlay&) = delete;

    /// Software posts into the slot that has been free longest, or into this one.
    void post(std::uint32_t count = 1) {
        for (; count > 0; --count) {
            const std::uint32_t slot = m_free.front();
            m_free.pop_front();
            post_into(slot);
        }
    }
    void post_into(std::uint32_t slot) {
        Record& record = add(Kind::Post);
        record.queue = QueueKind::Receive;
        record.index = slot;
        record.serial = m_posted++ + kFirstSerial;
        record.wr_id = record.serial * 3;
        m_waiting.push_back({record.serial, slot});
    }
    void take(std::uint32_t qp) { stream.post(qp, QueueKind::Receive, false); }
    void end_one(std::uint32_t qp, WcStatus status = WcStatus::Success) {
        stream.complete(qp, QueueKind::Receive, status);
    }
    void arm(std::uint32_t limit) { add(Kind::Modify).index = limit; }
    void limit_reached() {
        add(Kind::Async).state = static_cast<std::uint8_t>(AsyncEvent::SrqLimitReached);
    }
    void last_wqe(std::uint32_t qp) { stream.raise(AsyncEvent::QpLastWqeReached, qp); }
    Trace& finish(EndReason reason = EndReason::Idle) {
        stream.end(reason);
        return trace;
    }
    /// The n-th request that a QP took.
    Record& taken(std::size_t n) {
        for (Record& record : trace.records()) {
            if (record.kind == Kind::Post && record.qpn != kNoQp && n-- == 0) {
                return record;
            }
        }
        throw std::out_of_range("SharedPlay");
    }
    Record& add(Kind kind) {
        Record record;
        record.kind = kind;
        record.time_ps = m_now;
        record.flags = kShared;
        record.unit = kPool;
        trace.add(record);
        return trace.records().back();
    }

  private:
    static constexpr std::uint64_t kFirstSerial = 1000;
    static constexpr std::size_t kWqeByte = 28;
    static constexpr std::size_t kSrqnByte = 40;

    static LegalStream::Options options() {
        LegalStream::Options options;
        options.qps = 2;
        options.depth = 16;
        return options;
    }
    void take(const Record& original) {
        m_now = original.time_ps;
        Record record = original;
        if (record.kind == Kind::Create && record.qpn != kNoQp) {
            if (!m_created) {
                m_created = true;
                add(Kind::Create).index = kPoolDepth;
            }
            mark(record);
        } else if (record.queue == QueueKind::Receive) {
            rewrite(record);
            return;
        }
        trace.add(record);
    }
    static void mark(Record& record) {
        record.flags |= kShared;
        record.unit = kPool;
    }
    void rewrite(Record& record) {
        switch (record.kind) {
            case Kind::Post:
                m_of[record.serial] = m_waiting.front();
                m_waiting.pop_front();
                rename(record, record.serial);
                trace.add(record);
                break;
            case Kind::Complete:
            case Kind::Outcome:
                rename(record, record.serial);
                trace.add(record);
                if (record.kind == Kind::Complete) {
                    store(
                        trace.own_bytes(trace.records().back()) + offsetof(CompletionDetails, srqn),
                        kPool);
                }
                break;
            case Kind::Flush:
                record.index =
                    m_of.at(LegalStream::serial(index_of(record.qpn), record.queue, record.index))
                        .slot;
                trace.add(record);
                break;
            case Kind::CqeWrite:
            case Kind::CqeVisible:
            case Kind::Poll:
                rewrite_entry(record);
                break;
            default:
                if (m_of.count(record.serial) != 0) {
                    record.serial = m_of.at(record.serial).serial;
                }
                trace.add(record);
                break;
        }
    }
    void rename(Record& record, std::uint64_t serial) {
        const Request& request = m_of.at(serial);
        record.index = request.slot;
        record.serial = request.serial;
        record.wr_id = request.serial * 3;
        mark(record);
    }
    void rewrite_entry(const Record& record) {
        const Request request = m_of.at(record.wr_id / 3);
        trace.add(record);
        Record& added = trace.records().back();
        std::byte* bytes = trace.own_bytes(added);
        store(bytes + kWqeByte, request.slot);
        store(bytes + kSrqnByte, kPool);
        const std::uint64_t wr_id = request.serial * 3;
        std::memcpy(bytes, &wr_id, sizeof wr_id);
        LegalStream::decode(added, bytes, CqeFormat::Native);
        if (record.kind == Kind::Poll) {
            m_free.push_back(request.slot);
        }
    }
    static void store(std::byte* at, std::uint32_t value) { std::memcpy(at, &value, sizeof value); }
};

}  // namespace cqsim::tb
