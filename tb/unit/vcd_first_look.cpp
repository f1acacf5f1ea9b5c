// SPDX-License-Identifier: Apache-2.0
#include "tb/unit/vcd_first_look.h"

#include "tb/record/waves.h"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <set>

namespace cqsim::tb::test {

RunHeader header_of(std::vector<NamedRange> cq, std::vector<NamedRange> qp) {
    RunHeader header;
    header.scenario = "test";
    header.cq = std::move(cq);
    header.qp = std::move(qp);
    return header;
}

VcdFile waves_of(const RunHeader& header, const std::vector<Record>& records) {
    const ScratchFile file("waves_" + std::to_string(getpid()) + ".vcd");
    WaveSubscriber waves(header, file.path());
    waves.observe({records.data(), records.size()});
    waves.close();
    CHECK(waves.unlisted() == 0);
    return read_vcd(file.path());
}

Record record_of(Kind kind, std::uint64_t time_ps, Cqn cqn, Qpn qpn) {
    Record record;
    record.kind = kind;
    record.time_ps = time_ps;
    record.cqn = cqn;
    record.qpn = qpn;
    return record;
}

Record create_cq(std::uint64_t time_ps, Cqn cqn, std::uint32_t depth, std::uint32_t first) {
    Record record = record_of(Kind::Create, time_ps, cqn);
    record.index = depth;
    record.b = 64;
    record.wr_id = first;
    return record;
}

Record create_qp(std::uint64_t time_ps, Qpn qpn, Cqn send_cq, Cqn recv_cq) {
    Record record = record_of(Kind::Create, time_ps, kNoCq, qpn);
    record.a = index_of(send_cq);
    record.serial = index_of(recv_cq);
    return record;
}

Record slot_of(std::uint64_t time_ps, Cqn cqn, std::uint32_t index, std::uint8_t owner) {
    Record record = record_of(Kind::Slot, time_ps, cqn);
    record.index = index;
    record.state = owner;
    return record;
}

Record entry_of(
    Kind kind, std::uint64_t time_ps, Cqn cqn, std::uint32_t slot, Qpn qpn, WcStatus status) {
    Record record = record_of(kind, time_ps, cqn, qpn);
    record.index = slot;
    record.state = static_cast<std::uint8_t>(status);
    return record;
}

Record ci_of(std::uint64_t time_ps, Cqn cqn, std::uint32_t index) {
    Record record = record_of(Kind::Ci, time_ps, cqn);
    record.index = index;
    return record;
}

namespace {

constexpr Cqn kSharedCq{0};
constexpr Cqn kInbox{1};
constexpr Qpn kAlice{0};
constexpr Qpn kBob{1};
constexpr Qpn kCarol{2};
constexpr std::uint32_t kBatch = 4;
constexpr std::uint64_t kNs = 1000;
constexpr std::uint64_t kService = 4 * kNs;
constexpr std::uint64_t kWriteLatency = 600 * kNs;
constexpr std::uint64_t kPollInterval = 1000 * kNs;
constexpr std::uint64_t kEnd = 16'000 * kNs;

struct Ended {
    Qpn qpn = kNoQp;
    Cqn cqn = kNoCq;
    QueueKind queue = QueueKind::Send;
    std::uint32_t index = 0;
    bool is_signaled = false;
    WcStatus status = WcStatus::Success;
};

/// As much of a device and a host as makes a plausible stream.
class Sketch {
  public:
    explicit Sketch(FirstLookHost host)
        : m_host(host) {}

    std::vector<Record> run() {
        create(kSharedCq, 8);
        create(kInbox, 4);
        emit(create_qp(0, kAlice, kSharedCq, kSharedCq));
        emit(create_qp(0, kBob, kSharedCq, kInbox));
        emit(create_qp(0, kCarol, kSharedCq, kInbox));
        for (std::uint32_t i = 0; i < 21; ++i) {
            end_at((700 + 500 * i) * kNs, {kAlice, kSharedCq, QueueKind::Receive, i, false});
        }
        for (std::uint32_t i = 0; i < 4; ++i) {
            const bool is_signaled = i == 3;
            const std::uint64_t time = 1000 * kNs * i;
            end_at(time + 2500 * kNs, {kAlice, kSharedCq, QueueKind::Send, i, is_signaled});
            end_at(time + 4000 * kNs, {kBob, kSharedCq, QueueKind::Send, i, is_signaled});
            end_at(7000 * kNs, {kCarol, kSharedCq, QueueKind::Send, i, is_signaled});
        }
        end_at(5000 * kNs, {kBob, kInbox, QueueKind::Receive, 0, false});
        end_at(7000 * kNs, {kBob, kInbox, QueueKind::Receive, 1, false});
        end_at(14000 * kNs, {kCarol, kSharedCq, QueueKind::Send, 4, false, WcStatus::RetryExcErr});
        for (std::uint64_t time = kPollInterval; time < kEnd; time += kPollInterval) {
            at(time, [this] { poll(kSharedCq); });
            if (time % (2 * kPollInterval) == 0) {
                at(time, [this] { poll(kInbox); });
            }
        }
        while (!m_events.empty()) {
            const auto event = m_events.extract(m_events.begin());
            m_now = event.key();
            event.mapped()();
        }
        emit(record_of(Kind::End, kEnd));
        return std::move(m_records);
    }

  private:
    struct Ring {
        std::uint32_t depth = 0;
        std::uint32_t reserved = 0;
        std::uint32_t published = 0;
        std::uint32_t consumed = 0;
        bool is_in_error = false;
        std::array<Ended, 8> entries{};
    };

    void emit(Record record) {
        record.time_ps = record.kind == Kind::End ? kEnd : m_now;
        m_records.push_back(record);
    }
    void create(Cqn cqn, std::uint32_t depth) {
        m_rings.at(index_of(cqn)).depth = depth;
        emit(create_cq(0, cqn, depth));
    }
    void at(std::uint64_t time, std::function<void()> action) {
        m_events.emplace(time, std::move(action));
    }
    void end_at(std::uint64_t time, const Ended& ended) {
        at(time, [this, ended] { end(ended); });
    }
    static Record about(Kind kind, const Ended& ended, Cqn cqn = kNoCq) {
        Record record = record_of(kind, 0, cqn, ended.qpn);
        record.queue = ended.queue;
        record.index = ended.index;
        return record;
    }

    void end(const Ended& ended) {
        Record complete = about(Kind::Complete, ended);
        complete.state = static_cast<std::uint8_t>(ended.status);
        complete.flags = ended.is_signaled ? kSignaled : 0;
        emit(complete);
        const bool is_failed = ended.status != WcStatus::Success;
        if (ended.queue == QueueKind::Send && !ended.is_signaled && !is_failed) {
            emit(about(Kind::Suppress, ended));
            answer(ended, Outcome::Suppressed);
            return;
        }
        if (is_failed) {
            fail(ended.qpn);
        }
        m_queue.push_back(ended);
        Record request = about(Kind::Request, ended, ended.cqn);
        request.a = m_queue.size();
        emit(request);
        m_free_at = std::max(m_free_at, m_now);
        at(m_free_at, [this] { grant(); });
        m_free_at += kService;
    }

    void grant() {
        const Ended ended = m_queue.front();
        m_queue.pop_front();
        Record record = about(Kind::Grant, ended, ended.cqn);
        record.a = m_queue.size();
        emit(record);
        Ring& ring = m_rings.at(index_of(ended.cqn));
        if (ring.is_in_error || ring.reserved - ring.consumed == ring.depth) {
            overrun(ring, ended);
            return;
        }
        const std::uint32_t index = ring.reserved++;
        emit(slot_of(0, ended.cqn, index, (index / ring.depth) & 1U));
        const std::uint32_t slot = index % ring.depth;
        ring.entries.at(slot) = ended;
        at(m_now + kService, [this, ended, slot] { write(ended, slot); });
    }

    void overrun(Ring& ring, const Ended& ended) {
        Record record = about(Kind::Overrun, ended, ended.cqn);
        record.index = ring.reserved;
        record.state =
            static_cast<std::uint8_t>(ring.is_in_error ? LostCause::CqError : LostCause::Overrun);
        emit(record);
        if (!ring.is_in_error) {
            ring.is_in_error = true;
            emit(record_of(Kind::Async, 0, ended.cqn));
        }
        if (fail(ended.qpn)) {
            Record fatal = record_of(Kind::Async, 0, kNoCq, ended.qpn);
            fatal.state = static_cast<std::uint8_t>(AsyncEvent::QpFatal);
            emit(fatal);
        }
        answer(ended, Outcome::Lost);
    }

    void write(const Ended& ended, std::uint32_t slot) {
        Record record = entry_of(Kind::CqeWrite, 0, ended.cqn, slot, ended.qpn, ended.status);
        record.queue = ended.queue;
        emit(record);
        at(m_now + kWriteLatency, [this, record, ended] {
            Record visible = record;
            visible.kind = Kind::CqeVisible;
            emit(visible);
            ++m_rings.at(index_of(ended.cqn)).published;
            answer(ended, Outcome::Granted);
        });
    }

    bool fail(Qpn qpn) {
        if (!m_in_error.insert(qpn).second) {
            return false;
        }
        Record record = record_of(Kind::QpState, 0, kNoCq, qpn);
        record.state = static_cast<std::uint8_t>(QpState::Err);
        record.a = static_cast<std::uint64_t>(QpState::Rts);
        emit(record);
        return true;
    }

    void answer(const Ended& ended, Outcome outcome) {
        Record record = about(Kind::Outcome, ended);
        record.state = static_cast<std::uint8_t>(outcome);
        emit(record);
    }

    void poll(Cqn cqn) {
        Ring& ring = m_rings.at(index_of(cqn));
        if (ring.consumed == ring.published ||
            (m_host == FirstLookHost::Stops && cqn == kSharedCq && m_now > 6000 * kNs)) {
            return;
        }
        for (std::uint32_t n = 0; n < kBatch && ring.consumed != ring.published; ++n) {
            const std::uint32_t slot = ring.consumed++ % ring.depth;
            const Ended& ended = ring.entries.at(slot);
            emit(entry_of(Kind::Poll, 0, cqn, slot, ended.qpn, ended.status));
        }
        emit(ci_of(0, cqn, ring.consumed));
    }

    FirstLookHost m_host;
    std::uint64_t m_now = 0;
    std::uint64_t m_free_at = 0;
    std::multimap<std::uint64_t, std::function<void()>> m_events;
    std::deque<Ended> m_queue;
    std::array<Ring, 2> m_rings{};
    std::set<Qpn> m_in_error;
    std::vector<Record> m_records;
};

}  // namespace

RunHeader first_look_header() {
    RunHeader header;
    header.scenario = "first_look";
    header.seed = 1;
    header.cq = {{"shared", 0, 1}, {"inbox", 1, 1}};
    header.qp = {{"alice", 0, 1}, {"bob", 1, 1}, {"carol", 2, 1}};
    return header;
}

std::vector<Record> first_look_records(FirstLookHost host) {
    return Sketch(host).run();
}

}  // namespace cqsim::tb::test
