// SPDX-License-Identifier: Apache-2.0
// Shared receive queues: each check fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <map>

namespace cqsim::tb {
namespace {

constexpr std::uint16_t kPool = 1;  ///< the SRQ's number
constexpr std::uint32_t kPoolDepth = 4;

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
                    store(trace.own_bytes(trace.records().back()) +
                              offsetof(CompletionDetails, srqn),
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
    static void store(std::byte* at, std::uint32_t value) {
        std::memcpy(at, &value, sizeof value);
    }
};

/// QP 0 holds two requests and goes to ERR; one more waits for others.
void play_last_wqe(SharedPlay& play) {
    play.post(3);
    play.take(0);
    play.take(0);
    play.stream.state(0, QpState::Err);
    play.stream.flush(0, QueueKind::Receive);
}

}  // namespace

TEST_CASE("S2.11 the checkers take what QPs do with a shared receive queue") {
    SharedPlay play;
    play.post(4);
    for (std::uint32_t round = 0; round < 6; ++round) {
        play.take(0);
        play.take(1);
        play.end_one(1);  // out of order
        play.end_one(0);
        play.stream.poll(0, 2);
        play.post(2);
    }
    play.take(1);
    play.end_one(1, WcStatus::LocProtErr);
    play.stream.state(1, QpState::Err);
    play.last_wqe(1);
    play.stream.settle();
    play.stream.poll(0, 1);
    play.post(1);
    check_legal(play.finish(), {"S2.11", "S2.26"});
}

TEST_CASE("S2.11 a request that is taken by two, by none, by a stranger, or out of order") {
    enum class Fault { None, Twice, Never, Stranger, Younger };
    const auto played = [](Fault fault) {
        SharedPlay play;
        play.post(3);
        play.take(0);
        play.take(1);
        play.end_one(0);
        play.end_one(1);
        play.finish();
        if (fault == Fault::Twice) {
            Record& second = play.taken(1);
            second.index = play.taken(0).index;
            second.serial = play.taken(0).serial;
        } else if (fault == Fault::Never) {
            play.taken(1).serial += 100;
        } else if (fault == Fault::Stranger) {
            play.taken(1).unit = kPool + 1;
        } else if (fault == Fault::Younger) {
            Record& first = play.taken(0);
            Record& second = play.taken(1);
            std::swap(first.index, second.index);
            std::swap(first.serial, second.serial);
            std::swap(first.wr_id, second.wr_id);
        }
        return std::move(play.trace);
    };
    check_legal(played(Fault::None), {"S2.11"});
    for (const Fault fault : {Fault::Twice, Fault::Never, Fault::Younger}) {
        INFO(static_cast<int>(fault));
        const Rules rules = failed(played(fault));
        CHECK(std::count(rules.begin(), rules.end(), "S2.11") > 0);
    }
    const Rules rules = failed(played(Fault::Stranger));
    CHECK(std::count(rules.begin(), rules.end(), "D6") > 0);
}

TEST_CASE("S2.11 a slot that is posted again before software has seen the end of its request") {
    enum class Fault { None, Waiting, Taken, Unseen };
    const auto played = [](Fault fault) {
        SharedPlay play;
        play.post(2);
        if (fault == Fault::Waiting) {
            play.post_into(1);
        }
        play.take(0);
        if (fault == Fault::Taken) {
            play.post_into(0);
        }
        play.end_one(0);
        if (fault == Fault::Unseen) {
            play.post_into(0);
        }
        play.stream.poll(0, 1);
        if (fault == Fault::None) {
            play.post_into(0);
        }
        play.finish();
        return std::move(play.trace);
    };
    check_legal(played(Fault::None), {"S2.11"});
    for (const Fault fault : {Fault::Waiting, Fault::Taken, Fault::Unseen}) {
        INFO(static_cast<int>(fault));
        CHECK(failed(played(fault)).front() == "S2.11");
    }
}

TEST_CASE("S2.11 a request that ends as one of another SRQ, or never ends") {
    SharedPlay other;
    other.post(1);
    other.take(0);
    other.end_one(0);
    other.finish();
    Record& complete = other.trace.nth(Kind::Complete, 0);
    other.trace.own_bytes(complete)[offsetof(CompletionDetails, srqn)] = std::byte{7};
    CHECK(failed(other.trace).front() == "S2.11");

    SharedPlay held;
    held.post(1);
    held.take(0);
    CHECK(failed(held.finish()) == Rules{"S2.11"});
}

TEST_CASE("S2.11 an entry that names another slot or another SRQ") {
    constexpr std::size_t kWqe = 28;
    constexpr std::size_t kSrqn = 40;
    for (const auto& [byte, rule] : {std::pair{kWqe, "S1.1"}, std::pair{kSrqn, "S1.3"}}) {
        SharedPlay play;
        play.post(2);
        play.take(0);
        play.end_one(0);
        play.stream.poll(0, 1);
        play.finish();
        check_legal(play.trace, {rule});
        flip_entry(play.trace, 0, byte, 2, CqeFormat::Native);
        CHECK(failed(play.trace) == Rules{rule});
    }
}

TEST_CASE("S2.26 a flush of what was not taken, and a QP in ERR that takes more") {
    SharedPlay flushes;
    play_last_wqe(flushes);
    flushes.last_wqe(0);
    flushes.finish();
    check_legal(flushes.trace, {"S2.26"});
    // The flushed completion names the slot that waits.
    Record& complete = flushes.trace.nth(Kind::Complete, 1);
    complete.index = 2;
    CHECK(failed(flushes.trace).front() == "S2.26");

    SharedPlay takes;
    play_last_wqe(takes);
    takes.last_wqe(0);
    takes.take(0);
    takes.stream.flush(0, QueueKind::Receive);
    const Rules rules = failed(takes.finish());
    CHECK(rules == Rules{"S2.26", "S2.26"});  // it takes, and it ends behind the event
}

TEST_CASE("S2.26 LAST_WQE_REACHED outside ERR, too early, twice, never, or of a QP without SRQ") {
    enum class Fault { None, Outside, Early, Twice, Never };
    const auto played = [](Fault fault) {
        SharedPlay play;
        if (fault == Fault::Outside) {
            play.last_wqe(0);
            play.finish();
            return std::move(play.trace);
        }
        play.post(2);
        play.take(0);
        play.stream.state(0, QpState::Err);
        if (fault == Fault::Early) {
            play.last_wqe(0);
        }
        play.stream.flush(0, QueueKind::Receive);
        if (fault == Fault::None || fault == Fault::Twice) {
            play.last_wqe(0);
        }
        if (fault == Fault::Twice) {
            play.last_wqe(0);
        }
        play.finish();
        return std::move(play.trace);
    };
    check_legal(played(Fault::None), {"S2.26"});
    for (const Fault fault : {Fault::Outside, Fault::Early, Fault::Twice, Fault::Never}) {
        INFO(static_cast<int>(fault));
        CHECK(failed(played(fault)).front() == "S2.26");
    }
    Play without;
    without.stream.state(0, QpState::Err);
    without.stream.raise(AsyncEvent::QpLastWqeReached, 0);
    without.stream.tell_async(AsyncEvent::QpLastWqeReached, kNoCq, LegalStream::qpn(0));
    without.stream.interrupt(1);
    CHECK(failed(without.end()) == Rules{"S2.26"});
}

TEST_CASE("S5.9 SRQ_LIMIT_REACHED that was not armed, comes early, twice, or never") {
    enum class Fault { None, Unarmed, Early, Twice, Never };
    const auto played = [](Fault fault) {
        SharedPlay play;
        play.post(3);
        if (fault != Fault::Unarmed) {
            play.arm(2);
        }
        play.take(0);  // two are left: not below
        if (fault == Fault::Early) {
            play.limit_reached();
        }
        play.take(0);
        if (fault != Fault::Never && fault != Fault::Early) {
            play.limit_reached();
        }
        play.take(0);
        if (fault == Fault::Twice) {
            play.limit_reached();
        }
        for (std::uint32_t i = 0; i < 3; ++i) {
            play.end_one(0);
        }
        play.finish();
        return std::move(play.trace);
    };
    check_legal(played(Fault::None), {"S5.9"});
    for (const Fault fault : {Fault::Unarmed, Fault::Early, Fault::Twice, Fault::Never}) {
        INFO(static_cast<int>(fault));
        CHECK(failed(played(fault)) == Rules{"S5.9"});
    }
}

}  // namespace cqsim::tb
