// SPDX-License-Identifier: Apache-2.0
/// \file
/// A run as waves (issue 2 f): a subscriber of the record stream that writes a VCD on change. What
/// it writes is listed by `wave_catalogue()`.
#pragma once

#include "models/observe/record.h"
#include "tb/record/run_header.h"
#include "tb/record/vcd_writer.h"
#include "tb/record/wave_cq.h"
#include "tb/record/wave_event.h"
#include "tb/record/wave_notes.h"
#include "tb/record/wave_plan.h"
#include "tb/record/wave_qp.h"
#include "tb/record/wave_story.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace cqsim::tb {

/// `observe` never throws, for a run does not hang on its waves: the first error ends the waves and
/// is told by `close`.
class WaveSubscriber final : public RecordSubscriber {
  public:
    /// What it wants to see.
    static constexpr KindMask kKindsWanted =
        mask_of(Kind::Complete) | mask_of(Kind::Suppress) | mask_of(Kind::Request) |
        mask_of(Kind::Grant) | mask_of(Kind::Slot) | mask_of(Kind::Overrun) |
        mask_of(Kind::CqeWrite) | mask_of(Kind::CqeVisible) | mask_of(Kind::Poll) |
        mask_of(Kind::Ci) | mask_of(Kind::Async) | mask_of(Kind::QpState) | mask_of(Kind::Flush) |
        mask_of(Kind::Create) | mask_of(Kind::Modify) | mask_of(Kind::Destroy) |
        mask_of(Kind::Outcome) | mask_of(Kind::End) | mask_of(Kind::Arm) | mask_of(Kind::Event) |
        mask_of(Kind::Eqe) | mask_of(Kind::Irq) | mask_of(Kind::Ack) | mask_of(Kind::Sweep) |
        mask_of(Kind::Refuse);

    /// \throws VcdError when the file cannot be created.
    WaveSubscriber(const RunHeader& header, std::string path);

    void observe(const RecordBatch& batch) override;

    /// A rule failed, as who watches the same records found. Tell of it before the records of that
    /// time are handed over, or before `close`; the earliest first.
    void fail(std::uint64_t time_ps, const std::string& rule, const std::string& text);

    /// Ends the file at `end_ps`, or at the last record if that is later. Without this call the
    /// destructor ends it at the last record, and errors go untold.
    /// \throws VcdError, once, if anything of the run could not be written.
    void close(std::uint64_t end_ps = 0);

    /// What went wrong so far; empty: nothing.
    const std::string& error() const { return m_error; }
    /// Where to look, in a run that ends at `end_ps` and failed at `failure_ps` (0: it did not).
    WaveView view(std::uint64_t end_ps, std::uint64_t failure_ps) const {
        return m_story.view(end_ps, failure_ps);
    }
    /// Records of CQs and QPs that the header does not name: they have no waves.
    std::uint64_t unlisted() const { return m_unlisted; }

  private:
    struct Tap {
        VcdWire suppressed{};
        VcdText notes{};
        std::uint64_t count = 0;
    };
    struct Arbiter {
        VcdWire queue_length{};
        VcdWire grants{};
        VcdWire granted_qpn{};
        VcdWire granted_cqn{};
        VcdEnum granted_queue{};
        VcdText granted_qp{};
        VcdText granted_cq{};
        VcdWire wait_ps{};
        std::uint64_t count = 0;
    };
    struct Writer {
        VcdWire in_flight{};
        VcdWire writes{};
        VcdEnum status{};
        VcdText qp{};
        VcdText cq{};
        VcdText notes{};
        std::uint64_t count = 0;
    };
    struct Answers {
        std::array<VcdWire, 4> wires{};
        std::array<std::uint64_t, 4> counts{};
    };

    WaveSubscriber(const RunHeader& header, const WavePlan& plan, std::string path);

    struct Failed {
        std::uint64_t time_ps;
        std::string rule;
        std::string text;
    };

    static VcdText declare_notes(VcdWriter& vcd);
    static Tap declare_tap(VcdWriter& vcd);
    static Arbiter declare_arbiter(VcdWriter& vcd);
    static Writer declare_writer(VcdWriter& vcd);
    static Answers declare_answers(VcdWriter& vcd);

    void take(const Record& record);
    void tell_failures(std::uint64_t until_ps);
    VcdText track(NoteTrack track) const;
    /// False: the record is of an object that has no waves.
    bool update(const Record& record);
    void suppress(const Record& record);
    void grant(const Record& record);
    bool write(const Record& record);
    bool visible(const Record& record);
    bool consumer_index(const Record& record);
    bool destroy_cq(const Record& record);
    void outcome(const Record& record);

    WaveNames m_names;
    WaveStory m_story;
    std::deque<Failed> m_failed;  ///< not told yet
    std::string m_error;
    bool m_is_closed = false;
    std::uint64_t m_unlisted = 0;

    // In the order of their declaration in the file; each opens its own scope.
    VcdWriter m_vcd;
    VcdText m_notes;
    VcdText m_notable;
    Tap m_tap;
    Arbiter m_arbiter;
    Writer m_writer;
    CqWaves m_cqs;
    QpWaves m_qps;
    std::optional<EventWaves> m_events;  ///< in a run with event queues
    Answers m_answers;
};

}  // namespace cqsim::tb
