// SPDX-License-Identifier: Apache-2.0
/// \file
/// The part of software that creates and destroys what the device works on.
#pragma once

#include "models/overflow/overflow_config.h"
#include "models/protocol/command_link.h"
#include "models/ring/host_memory.h"
#include "models/time/timeline.h"
#include "tb/host/event_loop.h"
#include "tb/host/host_policies.h"
#include "tb/host/poll_loop.h"
#include "tb/host/ring_reader.h"

#include <optional>
#include <vector>

namespace cqsim::tb {

struct DriverConfig {
    std::uint32_t cqs = 0;  ///< CQ numbers are 0 .. cqs-1
    std::uint32_t first_index = 0;
    std::uint32_t index_width = 32;
    CqeFormat format = CqeFormat::Native;
    OwnerScheme owner = OwnerScheme::Parity;
    ResizeMode resize = ResizeMode::Marker;
    IndexReturnConfig index_return;
    StalePolicy stale = StalePolicy::None;
    ClassifyPolicy classify = ClassifyPolicy::Status;
    TimePs interrupt_latency = from_ns(1000);     ///< from the message in memory to its handler
    TimePs command_timeout = from_ns(1'000'000);  ///< from a command to giving up; above 0
    std::uint32_t max_depth = OverflowConfig::kMaxDepth;  ///< slots of a CQ, as the device says
    /// Where the device writes its interrupt messages: a page of its own, 4 bytes a vector.
    std::uint64_t msix_address = 0;
    std::uint32_t vectors = 0;
};

/// What a CQ is created as.
struct CqAttributes {
    std::uint32_t slots = 0;
    std::uint16_t eqn = kNoEqn;
    Moderation moderation{};
    std::uint8_t flags = 0;  ///< kIgnoreOverrun, kCollapsed
};

/// Where a QP reports to.
struct QpCqs {
    Cqn send_cq = kNoCq;
    Cqn recv_cq = kNoCq;
};

/// Hears the answer to each command.
class CommandListener {
  public:
    /// A command is about to be given to the device. Give none from inside.
    virtual void giving(const Command& /*command*/) {}
    /// `tag` is what the command was given with. Whatever the driver has to do is done. New
    /// commands may be given from inside.
    virtual void answered(std::uint32_t tag,
                          const Command& command,
                          const CommandAnswer& answer) = 0;

  protected:
    ~CommandListener() = default;
};

/// Allocates rings and doorbell records, gives commands, and does what software has to do when they
/// are answered. A command is answered at once or later; answers
/// that come later are handled at the host's turn of the same time stamp.
///
/// One that is not answered in time is given up: its answer is TimedOut. If the device answers
/// after all, the driver takes note of what has come about, and goes on from there.
class Driver final : private CommandBackward, private TimedBlock {
  public:
    Driver(Timeline& timeline,
           const DriverConfig& config,
           HostMemory& bytes,
           CommandInitiator& commands,
           RingReader& rings,
           EqReader& queues,
           PollLoop& polls,
           EventLoop& events);

    void listen(CommandListener& listener) { m_listener = &listener; }

    /// The tag of an answer to a command that was given up.
    static constexpr std::uint32_t kLateTag = 0xFFFF'FFFEU;

    /// While on, commands take no time: they are part of what is there when a run begins.
    void setting_up(bool on) { m_setting_up = on; }
    /// The next command is lost: the device neither carries it out nor answers it.
    void lose_next() { m_loses_next = true; }

    /// The vector whose message lies at this address.
    std::optional<std::uint16_t> vector_at(std::uint64_t address) const {
        const std::uint64_t offset = address - m_config.msix_address;
        return offset < std::uint64_t{m_config.vectors} * kMessageBytes
                   ? std::optional<std::uint16_t>(offset / kMessageBytes)
                   : std::nullopt;
    }

    /// Each presets memory, gives the command, and hears its answer in `answered`. With `handled`,
    /// interrupts of the vector read the queue.
    void create_eq(std::uint32_t tag,
                   Eqn eqn,
                   EqKind kind,
                   std::uint32_t depth,
                   std::uint16_t vector,
                   bool handled);
    /// A depth that no CQ of the device can have is handed on as it is, without a ring: to refuse
    /// it is the device's. Where the number has a CQ, that one's memory is left alone.
    void create_cq(std::uint32_t tag, Cqn cqn, const CqAttributes& attributes);
    void modify_cq(std::uint32_t tag, const ModifyCq& command) { give(tag, command, {}); }
    void query_cq(std::uint32_t tag, Cqn cqn) { give(tag, QueryCq{cqn}, {}); }
    /// S4.6: a ring of so many slots in place of the one that the CQ has.
    void resize_cq(std::uint32_t tag, Cqn cqn, std::uint32_t slots);
    /// S4.13: given to the device when every event of the CQ that was read is acknowledged.
    void destroy_cq(std::uint32_t tag, Cqn cqn);
    void create_qp(std::uint32_t tag, const CreateQp& command) { give(tag, command, {}); }
    void modify_qp(std::uint32_t tag, const ModifyQp& command, const QpCqs& cqs);
    void destroy_qp(std::uint32_t tag, Qpn qpn, const QpCqs& cqs);

    /// Events of the CQ were acknowledged: a destroy may have waited for it.
    void acknowledged(Cqn cqn);

    /// What was made of a CQ; the ring's depth is 0 before it was created.
    const RingPlace& ring(Cqn cqn) const { return m_rings_made[index_of(cqn)]; }
    /// Commands without an answer, those that wait for an acknowledgement included.
    std::size_t open() const { return m_open.size() + m_held.size(); }
    /// When the oldest command without an answer is given up; kNever if there is none.
    TimePs gives_up_at() const { return m_open.empty() ? kNever : m_open.front().deadline; }

  private:
    static constexpr std::uint32_t kMessageBytes = 4;
    struct Open {
        std::uint32_t ticket = 0;
        std::uint32_t tag = 0;
        Command command;
        QpCqs cqs;
        bool handled = false;  ///< of an event queue
        RingPlace place;       ///< of a new CQ, or of a new ring
        TimePs deadline{};
    };
    struct Held {
        std::uint32_t tag = 0;
        Cqn cqn = kNoCq;
    };
    struct Answer {
        std::uint32_t ticket = 0;
        CommandAnswer answer;
    };

    void command_done(std::uint32_t ticket, const CommandAnswer& answer) override;
    void due(TimePs now) override;

    void lay_out(Cqn cqn, RingPlace& place);
    void give(std::uint32_t tag, const Command& command, const QpCqs& cqs, bool handled = false) {
        give({0, tag, command, cqs, handled, {}, {}});
    }
    void give(Open command);
    void arrived(const Answer& answer);
    void give_up(const Open& command);
    void finish(const Open& done, const CommandAnswer& answer);
    void preset(const RingPlace& place, std::uint8_t first_owner);
    void resized(const ResizeCq& command, const RingPlace& place, CommandResult result);
    void life_ended(Qpn qpn, const QpCqs& cqs);
    void sweep_out(Qpn qpn, const QpCqs& cqs);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    DriverConfig m_config;
    HostMemory& m_bytes;
    CommandInitiator& m_commands;
    RingReader& m_rings;
    EqReader& m_queues;
    PollLoop& m_polls;
    EventLoop& m_events;
    CommandListener* m_listener = nullptr;

    std::uint64_t m_records = 0;          ///< doorbell records, in the order of CQ numbers
    std::vector<RingPlace> m_rings_made;  ///< by CQ; memory is not given back
    std::vector<Open> m_open;             ///< in the order of their deadlines
    std::vector<Open> m_given_up;         ///< an answer may come yet
    std::vector<Held> m_held;
    std::vector<Answer> m_answers;  ///< that came from inside the device's activity
    std::uint32_t m_ticket = 0;
    bool m_setting_up = false;
    bool m_loses_next = false;
};

}  // namespace cqsim::tb
