// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random software and pipelines: what both compositions of the block are driven with.
#pragma once

#include "tb/unit/core_device.h"

#include <array>
#include <map>
#include <vector>

namespace cqsim::test {

/// Draws what it does next, and from nothing but its seed and what it hears from the device: on two
/// devices that do the same it does the same. A value.
class Software {
  public:
    /// Plays about `steps` inputs. A step is one of them.
    Software(std::uint64_t seed, std::uint32_t steps);

    /// What happens at one time stamp. \returns whether there is more to come, `pause()` later.
    bool play(Device& device);
    TimePs pause() const { return m_pause; }
    /// The same while writes are in flight; nothing is offered then.
    void between(Device& device);

    std::uint32_t step() const { return m_step; }
    static std::uint64_t wr_id_of(std::uint64_t serial) { return serial * 0x9E37'79B9'7F4A'7C15U; }

    /// What it did, and no record tells.
    struct Counts {
        std::uint64_t held = 0;
        std::uint64_t no_credit = 0;
        std::uint64_t declined = 0;
        std::uint64_t accepted = 0;    ///< commands that were not done at once
        std::uint64_t between = 0;     ///< inputs while writes were in flight
        std::uint64_t rings_left = 0;  ///< for those that replaced them
        std::uint64_t ends_lost = 0;   ///< the entry that ends a ring could not be written
    };
    const Counts& counts() const { return m_counts; }

  private:
    /// For asynchronous events: the third that is created, sometimes late.
    static constexpr std::uint16_t kAeq = 2;

    struct RingView {
        std::uint32_t page = 0;  ///< which of the CQ's
        std::uint32_t depth = 4;
        std::uint32_t place = 0;  ///< of the entry that is read next: slot and lap in one
        bool nowhere = false;     ///< it lies where there is no memory
    };
    struct CqView {
        bool exists = false;
        bool suspect = false;  ///< a completion for it was lost
        bool collapsed = false;
        bool replaced = false;  ///< `next` waits for software to come to the end of `ring`
        bool resizing = false;  ///< and the command has no answer yet
        RingView ring;
        RingView next;           ///< the one that was asked for last
        std::uint32_t ci = 0;    ///< what it has read, device-visible width
        std::uint32_t told = 0;  ///< what the device was told of that
        std::uint16_t eqn = kNoEqn;
    };
    struct QpView {
        bool exists = false;
        std::uint16_t generation = 0;  ///< as far as it was told
        QpState state{};
        std::uint32_t send_cq = 0;
        std::uint32_t recv_cq = 0;
        std::array<std::uint32_t, 2> wqe{};
        std::array<bool, 2> no_credit{};
        std::array<bool, 2> has_credit{};  ///< was given one, and has not used it
    };
    struct EqView {
        std::uint32_t depth = 0;
        std::uint32_t ci = 0;
    };

    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(m_random.below(bound));
    }
    bool one_in(std::uint32_t n) { return below(n) == 0; }

    void hear(Device& device);
    void hear_rooms(const Device& device);
    void heard(const CoreDone& done, const Command& command);
    void offer_waiting(Device& device);
    ArbiterRules::Offer offer(Device& device, const Completion& completion);
    void use_credits(Device& device);

    void input(Device& device, bool may_offer);
    void complete(Device& device);
    void poll(Device& device, std::uint32_t cq);
    void return_slots(Device& device, std::uint32_t cq);
    bool read_entry(Device& device, std::uint32_t cq);
    /// Where an entry lies, and its owner value.
    static std::uint32_t slot_of(const CqView& view) {
        return view.collapsed ? 0 : view.ring.place % view.ring.depth;
    }
    std::uint8_t owner_of(const CqView& view) const;
    static std::uint64_t address_of(const RingView& ring, std::uint32_t cq) {
        const std::uint64_t address = layout::cq_ring(cq, ring.page);
        return ring.nowhere ? layout::nowhere(address) : address;
    }
    void write_garbage(Device& device);
    void arm(Device& device);
    void read_eq(Device& device, std::uint16_t eqn);
    void submit(Device& device, const Command& command);
    void manage_qp(Device& device);
    void create_missing(Device& device);
    void create_qp(Device& device, std::uint32_t qp);
    void modify_qp(Device& device, std::uint32_t qp);
    void manage_cq(Device& device);
    void create_cq(Device& device, std::uint32_t cq);
    void resize_cq(Device& device, std::uint32_t cq);
    std::uint32_t some_depth();
    void preset(Device& device, std::uint32_t cq, const RingView& ring) const;
    void recover(Device& device, std::uint32_t cq);
    void create_eq(Device& device);
    Moderation moderation();
    std::uint16_t some_eqn();

    RandomStream m_random;
    std::uint32_t m_steps;
    std::uint32_t m_step = 0;
    TimePs m_pause{kStamp};
    std::uint64_t m_serial = 0;
    std::uint32_t m_ticket = 0;
    OverflowConfig m_rings;
    CqeFormat m_format;
    std::uint32_t m_stride;
    ConsumerPath m_path;
    std::array<CqView, kCqs> m_cqs;
    std::array<QpView, kQps> m_qps;
    std::array<EqView, kEqs> m_eqs;
    std::uint16_t m_next_eqn = 0;
    std::array<bool, 2> m_held{};  ///< of each tap
    std::vector<Completion> m_waiting;
    std::map<std::uint32_t, Command> m_open;
    std::size_t m_heard_done = 0;
    std::size_t m_heard_rooms = 0;
    std::size_t m_heard_states = 0;
    std::size_t m_heard_records = 0;
    Counts m_counts;
};

}  // namespace cqsim::test
