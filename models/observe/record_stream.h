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
        if (m_count == kBatch) {
            drain();
        }
        Record& record = m_record[m_count++];
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

    /// Gives the record opened last a copy of `length` bytes (at most kMaxBytes).
    void attach(Record& record, const void* bytes, std::size_t length) {
        std::byte* room = m_bytes[m_count - 1].data();
        std::memcpy(room, bytes, length);
        record.bytes = room;
        record.b = static_cast<std::uint16_t>(length);
    }

    /// Hands everything collected to the subscribers.
    void drain();

  private:
    static constexpr std::size_t kBatch = 256;
    struct Subscription {
        RecordSubscriber* subscriber;
        KindMask kinds;
    };

    KindMask m_wanted = 0;
    KindMask m_watched = 0;
    RecordWatcher* m_watcher = nullptr;
    std::uint8_t m_device;
    std::size_t m_count = 0;
    std::vector<Subscription> m_subscriptions;
    std::vector<std::string> m_sources;
    std::array<Record, kBatch> m_record{};
    std::array<std::array<std::byte, kMaxBytes>, kBatch> m_bytes{};
};

}  // namespace cqsim
