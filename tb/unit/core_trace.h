// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a composition of the block did, step by step, and how two of them differ.
#pragma once

#include "models/core/core_output.h"
#include "models/observe/record_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace cqsim::test {

/// A record and the bytes that it had; without its source, which the core does not know.
struct Seen {
    explicit Seen(const Record& observed)
        : record(observed) {
        if (observed.bytes != nullptr) {
            std::memcpy(
                bytes.data(), observed.bytes, std::min<std::size_t>(observed.b, bytes.size()));
        }
        record.bytes = nullptr;
        record.source = 0;
    }

    Record record;
    std::array<std::byte, cqe::kMaxStride> bytes{};

    friend bool operator==(const Seen& l, const Seen& r) {
        return std::memcmp(&l.record, &r.record, sizeof l.record) == 0 && l.bytes == r.bytes;
    }
};

/// The state between two time stamps, a hash for each owner.
struct Standing {
    std::uint64_t cqs = 0;
    std::uint64_t qps = 0;
    std::uint64_t events = 0;

    friend bool operator==(const Standing& l, const Standing& r) {
        return l.cqs == r.cqs && l.qps == r.qps && l.events == r.events;
    }
};

inline bool same(const Seen& l, const Seen& r) {
    return l == r;
}
inline bool same(const Standing& l, const Standing& r) {
    return l == r;
}
inline bool same(const CoreRoom& l, const CoreRoom& r) {
    return l.queue == r.queue && l.qpn == r.qpn;
}
inline bool same(const QpChange& l, const QpChange& r) {
    return l.qpn == r.qpn && l.generation == r.generation && l.before == r.before &&
           l.after == r.after && l.turns == r.turns;
}
inline bool same(const CoreDone& l, const CoreDone& r) {
    return l.ticket == r.ticket && l.answer.result == r.answer.result &&
           l.answer.generation == r.answer.generation && l.answer.cq == r.answer.cq;
}

inline std::string text_of(const Seen& seen) {
    const Record& record = seen.record;
    const KindInfo& kind = info(record.kind);
    std::ostringstream text;
    text << record.time_ps << " ps " << kind.name;
    if (record.cqn != kNoCq) {
        text << " cqn=" << index_of(record.cqn);
    }
    if (record.qpn != kNoQp) {
        text << " qpn=" << index_of(record.qpn) << '.' << record.generation << ' '
             << name(record.queue);
    }
    text << " unit=" << record.unit << " index=" << record.index << " serial=" << record.serial
         << " wr_id=" << record.wr_id << " a=" << record.a << " b=" << record.b
         << " flags=" << int{record.flags} << " state=" << int{record.state};
    if (kind.state != StateMeaning::None) {
        text << " (" << state_name(kind.state, record.state) << ')';
    }
    std::uint64_t sum = 0;
    for (const std::byte byte : seen.bytes) {
        sum = sum * 31 + std::to_integer<unsigned>(byte);
    }
    text << " bytes#" << std::hex << sum;
    return text.str();
}
inline std::string text_of(const Standing& state) {
    std::ostringstream text;
    text << "state after the time stamp: cqs#" << std::hex << state.cqs << " qps#" << state.qps
         << " events#" << state.events;
    return text.str();
}
inline std::string text_of(const CoreRoom& room) {
    return room.qpn == kNoQp
               ? std::string("the held one is inside: ") + std::string(name(room.queue))
               : "credit for QP " + std::to_string(index_of(room.qpn)) + ' ' +
                     std::string(name(room.queue));
}
inline std::string text_of(const QpChange& change) {
    return "QP " + std::to_string(index_of(change.qpn)) + '.' + std::to_string(change.generation) +
           " is told " + std::string(name(change.before)) + " -> " +
           std::string(name(change.after));
}
inline std::string text_of(const CoreDone& done) {
    return "command " + std::to_string(done.ticket) + " is answered " +
           std::string(name(done.answer.result)) + ", generation " +
           std::to_string(done.answer.generation) +
           (done.answer.cq == CqContext{} ? "" : ", with a context");
}

/// Things of one sort in their order, each with the step in which it happened.
template <class T>
class Lane {
  public:
    struct Item {
        std::uint32_t step;
        T what;
    };

    void add(std::uint32_t step, const T& what) { m_items.push_back({step, what}); }
    std::size_t size() const { return m_items.size(); }
    const Item& operator[](std::size_t i) const { return m_items[i]; }
    auto begin() const { return m_items.begin(); }
    auto end() const { return m_items.end(); }

  private:
    std::vector<Item> m_items;
};

/// Where two compositions part.
struct Difference {
    std::uint32_t step = UINT32_MAX;
    std::string text;

    /// Keeps the earlier one.
    template <class T>
    void look_at(const Lane<T>& timed, const Lane<T>& untimed, bool same_step = true) {
        std::size_t i = 0;
        while (i < timed.size() && i < untimed.size() &&
               (timed[i].step == untimed[i].step || !same_step) &&
               same(timed[i].what, untimed[i].what)) {
            ++i;
        }
        if (i == timed.size() && i == untimed.size()) {
            return;
        }
        const std::uint32_t at = std::min(i < timed.size() ? timed[i].step : UINT32_MAX,
                                          i < untimed.size() ? untimed[i].step : UINT32_MAX);
        if (at < step) {
            step = at;
            text = "step " + std::to_string(at) + "\n  engine: " + line(timed, i) +
                   "\n  core:   " + line(untimed, i);
        }
    }

  private:
    template <class T>
    static std::string line(const Lane<T>& lane, std::size_t i) {
        return i == lane.size()
                   ? "nothing more"
                   : "(step " + std::to_string(lane[i].step) + ") " + text_of(lane[i].what);
    }
};

/// Everything that is compared. The order of things within a lane is.
struct Trace {
    Lane<Seen> records;
    /// With a window of one write the engine's writer holds the next completion while the core has
    /// not served it: then the arbiter's records are compared among themselves, and inputs while
    /// the write is in flight come before or after.
    Lane<Seen> arbiter;
    /// Likewise the requests to write the ends of rings: the core has them on their way at once.
    Lane<Seen> ends;
    Lane<CoreRoom> rooms;
    Lane<QpChange> qp_states;
    Lane<CoreDone> done;
    Lane<Standing> standing;
    bool splits = false;  ///< `arbiter` and `ends` are used

    void add(std::uint32_t step, const Seen& seen) {
        const Record& record = seen.record;
        if (splits && (record.kind == Kind::Request || record.kind == Kind::Grant)) {
            arbiter.add(step, seen);
        } else if (splits && record.kind == Kind::CqeWrite && record.wr_id == 0) {
            // of no request: those of this software count from 1
            ends.add(step, seen);
        } else {
            records.add(step, seen);
        }
    }
};

/// Empty when they are the same. Where the state parts before any record does, both are said.
inline std::string difference(const Trace& timed, const Trace& untimed) {
    Difference first;
    first.look_at(timed.arbiter, untimed.arbiter, false);
    first.look_at(timed.ends, untimed.ends, false);
    first.look_at(timed.rooms, untimed.rooms, !timed.splits);
    first.look_at(timed.qp_states, untimed.qp_states);
    first.look_at(timed.done, untimed.done);
    Difference records;
    records.look_at(timed.records, untimed.records);
    first.look_at(timed.standing, untimed.standing);
    if (first.step < records.step && !records.text.empty()) {
        return first.text + "\nand of records first at " + records.text;
    }
    return first.step < records.step ? first.text : records.text;
}

}  // namespace cqsim::test
