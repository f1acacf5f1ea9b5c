// SPDX-License-Identifier: Apache-2.0
/// \file
/// Software that drains QPs by markers (S7.6).
#pragma once

#include "models/observe/record_stream.h"
#include "models/protocol/command.h"
#include "models/time/timeline.h"
#include "tb/host/ring_reader.h"
#include "tb/pipeline/pipeline.h"

#include <optional>
#include <vector>

namespace cqsim::tb {

/// Hears how a drain ended, with the tag that it was begun with.
class DrainListener {
  public:
    virtual void drained(std::uint32_t tag, CommandResult result) = 0;

  protected:
    ~DrainListener() = default;
};

/// Posts a marker to each queue of a QP in ERR, an RDMA WRITE and a receive, and waits until the
/// host has polled both. A queue that the QP has not, or an SRQ has in its place, gets none. What
/// was posted before is then polled as well, for each queue flushes in post order (S2.21).
class Drains final : private TimedBlock, private PolledListener {
  public:
    /// A marker that is not polled for so long is lost: the drain ends with TimedOut.
    Drains(Timeline& timeline,
           RecordStream& records,
           RingReader& rings,
           Pipeline& tx,
           Pipeline& rx,
           TimePs timeout);

    void listen(DrainListener& listener) { m_listener = &listener; }

    /// The QP is in ERR. NoMemory: a queue, or the account of its CQ (S5.13), has no room for a
    /// marker, or Invalid: the QP takes none; then nothing is posted and `drained` is not called.
    /// Ok: it will be.
    CommandResult begin(std::uint32_t tag, Qpn qpn);

    /// Drains that have not ended.
    std::size_t open() const { return m_open.size(); }
    /// When the oldest of them is given up; kNever if there is none.
    TimePs gives_up_at() const { return m_open.empty() ? kNever : m_open.front().deadline; }

  private:
    struct Marker {
        std::uint64_t wr_id = 0;
        std::optional<WcStatus> status = WcStatus::WrFlushErr;  ///< none: it was not polled yet
    };
    struct Open {
        std::uint32_t tag = 0;
        Qpn qpn = kNoQp;
        std::array<Marker, 2> markers;  ///< by queue
        TimePs deadline{};

        bool all_polled() const { return markers[0].status && markers[1].status; }
    };

    void polled(Qpn qpn, QueueKind queue, std::uint64_t wr_id, WcStatus status) override;
    void due(TimePs now) override;
    void end(const Open& drain, CommandResult result);
    void observe(Qpn qpn, CommandResult result);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    RingReader& m_rings;
    std::array<Pipeline*, 2> m_pipelines;
    TimePs m_timeout;
    DrainListener* m_listener = nullptr;
    std::vector<Open> m_open;  ///< in the order of their deadlines
};

}  // namespace cqsim::tb
