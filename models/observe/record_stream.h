// SPDX-License-Identifier: Apache-2.0
/// \file
/// The one stream of records (P5): blocks write, subscribers get batches.
#pragma once

#include "models/observe/record.h"
#include "models/time/time_ps.h"

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim {

/// Hears that a record is being written.
class RecordWatcher {
  public:
    /// Called from inside the block that writes it, before it is filled in.
    virtual void record_opened() = 0;

  protected:
    ~RecordWatcher() = default;
};

/// Collects records and hands them on in batches. Without a subscriber of the kind, writing a
/// record costs a branch.
class RecordStream {
  public:
    /// Longest borrowed span: a 128-byte entry (S3.15).
    static constexpr std::size_t kMaxBytes = 128;

    explicit RecordStream(std::uint8_t device = 0)
        : m_device(device) {}
    RecordStream(const RecordStream&) = delete;
    RecordStream& operator=(const RecordStream&) = delete;

    /// A short id for a module's name, 0 .. 254; the same name gets the same id.
    /// \throws std::length_error for the 256th name.
    std::uint8_t intern(std::string_view source);
    const std::string& source_name(std::uint8_t source) const { return m_sources.at(source); }

    /// The subscriber must outlive the stream's last `drain`.
    void subscribe(RecordSubscriber& subscriber, KindMask kinds);

    /// Tells `watcher` of each record of these kinds at once; they must have a subscriber. One
    /// watcher at most.
    void watch(RecordWatcher& watcher, KindMask kinds) {
        m_watcher = &watcher;
        m_watched = kinds;
    }

    bool wants(Kind kind) const { return (m_wanted & mask_of(kind)) != 0; }

    /// A fresh record to be filled in before the next call of `open` or `drain`; null when nobody
    /// wants the kind.
    Record* open(Kind kind, std::uint8_t source, TimePs now) {
        if (!wants(kind)) {
            return nullptr;
        }
        if (now >= m_later_from) {
            let_in(now);
        }
        Record& record = take_room();
        record = Record{};
        record.time_ps = now.ps;
        record.kind = kind;
        record.source = source;
        record.device = m_device;
        if ((m_watched & mask_of(kind)) != 0) {
            m_watcher->record_opened();
        }
        return &record;
    }

    /// As `open`, for what will happen at `at`: for who is told in advance, as by the annotated
    /// delay of a transport call. The record takes its place when the others have come to that
    /// time, before what is opened at it, and of several the first opened first. If the run ends
    /// earlier it has not happened.
    Record* open(Kind kind, std::uint8_t source, TimePs now, TimePs at) {
        return at <= now ? open(kind, source, now) : open_later(kind, source, at);
    }

    /// Gives the record opened last a copy of `length` bytes (at most kMaxBytes).
    void attach(Record& record, const void* bytes, std::size_t length) {
        std::byte* room =
            &record == m_open_later ? m_open_later_bytes : m_bytes[m_count - 1].data();
        std::memcpy(room, bytes, length);
        record.bytes = room;
        record.b = static_cast<std::uint16_t>(length);
    }

    /// Hands everything collected to the subscribers.
    void drain();

  private:
    static constexpr std::size_t kBatch = 256;
    using Bytes = std::array<std::byte, kMaxBytes>;
    struct Later {
        Record record{};
        Bytes bytes{};
    };
    struct Subscription {
        RecordSubscriber* subscriber;
        KindMask kinds;
    };

    Record& take_room() {
        if (m_count == kBatch) {
            drain();
        }
        return m_record[m_count++];
    }
    Record* open_later(Kind kind, std::uint8_t source, TimePs at);
    void let_in(TimePs now);

    KindMask m_wanted = 0;
    KindMask m_watched = 0;
    RecordWatcher* m_watcher = nullptr;
    std::uint8_t m_device;
    std::size_t m_count = 0;
    std::vector<Subscription> m_subscriptions;
    std::vector<std::string> m_sources;
    std::array<Record, kBatch> m_record{};
    std::array<Bytes, kBatch> m_bytes{};
    std::vector<Later> m_later;  ///< in order of their times; rarely more than a few
    TimePs m_later_from = kNever;
    const Record* m_open_later = nullptr;  ///< the one opened last, if nothing moved it
    std::byte* m_open_later_bytes = nullptr;
};

}  // namespace cqsim
