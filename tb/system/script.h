// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plays the steps of a scenario.
#pragma once

#include "models/observe/record_stream.h"
#include "models/time/timeline.h"
#include "tb/pipeline/pipeline.h"
#include "tb/scenario/scenario.h"
#include "tb/system/complaints.h"
#include "tb/system/host_steps.h"
#include "tb/wire/wire.h"

#include <string>
#include <vector>

namespace cqsim::tb {

/// Does each step at its time; steps of equal time in file order (P6), and after them those that
/// records asked for, in the order of the records.
///
/// A step that waits for a record is taken in the same time stamp at the earliest: when the block
/// that wrote the record has returned.
class Script final : private TimedBlock, private RecordSubscriber, private RecordWatcher {
  public:
    Script(Timeline& timeline,
           const Scenario& scenario,
           RecordStream& records,
           Setup& setup,
           Host& host,
           Pipeline& tx,
           Pipeline& rx,
           Wire* wire = nullptr);

    /// From now on steps are played: the objects that they name exist.
    void begin() { ask_for_next(); }
    /// The run is over: complains of steps whose record never came.
    void finish();

    /// Steps whose time has not come yet, and drains that have not ended.
    std::size_t left() const {
        return m_scenario.step.size() - m_next + m_fired.size() + m_host_steps.drains().open();
    }
    /// When software gives the next drain up; kNever if there is none.
    TimePs gives_up_at() const { return m_host_steps.drains().gives_up_at(); }
    /// What could not be done, a line each: `file:line: ...`.
    const std::vector<std::string>& complaints() const { return m_complaints.lines(); }

  private:
    /// A triggered step whose record has come.
    struct Fired {
        TimePs at{};
        std::uint64_t order = 0;
        const Step* step = nullptr;

        friend bool operator<(const Fired& l, const Fired& r) {  // a heap: the front is earliest
            return r.at < l.at || (l.at == r.at && r.order < l.order);
        }
    };

    struct PlayedFault {
        const Step* step = nullptr;
        Qpn qpn = kNoQp;
    };

    void due(TimePs now) override;
    void record_opened() override { m_timeline.at(m_slot, m_timeline.now()); }
    void observe(const RecordBatch& batch) override;
    void play(const Step& step);
    void play_on(const Step& step, Qpn qpn);
    void play_on(const Step& step, Srqn srqn);
    void post(const Step& step, Qpn qpn);
    void ask_for_next();
    const char* why_full(const Step& step, Qpn qpn) const;
    void complain_of_post(const Step& step, Qpn qpn, PostResult result);
    void complain_of_faults();
    void complain_of_fail(const Step& step, Qpn qpn, FailResult result);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    const Scenario& m_scenario;
    RecordStream& m_records;
    Pipeline& m_tx;
    Pipeline& m_rx;
    Wire* m_wire;  ///< of a scenario with connections
    Complaints m_complaints;
    HostSteps m_host_steps;
    std::size_t m_next = 0;
    KindMask m_watched = 0;
    std::vector<PlayedFault> m_faults;  ///< by the id of their plan
    std::vector<std::uint32_t> m_seen;  ///< records that matched, by triggered step
    std::vector<Fired> m_fired;         ///< a heap
    std::uint64_t m_order = 0;
};

}  // namespace cqsim::tb
