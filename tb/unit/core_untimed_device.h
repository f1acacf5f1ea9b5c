// SPDX-License-Identifier: Apache-2.0
/// \file
/// The untimed composition with host memory, driven in the order of the engine at zero latency. A
/// value, as the composition is.
#pragma once

#include "models/ring/doorbell_record.h"
#include "tb/unit/core_device.h"

namespace cqsim::test {

class UntimedDevice final : public Device {
  public:
    explicit UntimedDevice(const Setting& setting)
        : core(setting.core),
          m_window(setting.window),
          m_memory(layout::kPages * HostMemory::kPage) {
        history.splits = m_window == 1;
    }

    Core core;
    std::uint64_t full_eqs = 0;  ///< time stamps before which an event queue was full

    /// Time goes to `now`. What is due before happens before; `between` plays while writes are in
    /// flight.
    template <class Between>
    void advance(TimePs now, Between between) {
        while (core.next_due() < now) {
            m_now = core.next_due();
            core.advance(m_now);
            settle(between);
        }
        core.advance(now);
        m_now = now;
    }

    /// Until nothing is left to do at this time.
    template <class Between>
    void settle(Between between) {
        bool moment_is_over = false;
        play_between(moment_is_over, between);
        land_all();  // ends of rings, before anything is served
        bool busy = true;
        while (busy) {
            busy = serve_all(moment_is_over, between);
            while (report()) {
                busy = true;
            }
            if (core.in_flight() != nullptr) {
                between(*this);
                play_between(moment_is_over, between);
            }
            land_all();
        }
        m_launched = false;
    }

    void stand() override {
        history.standing.add(m_step, standing());
        count_full();
    }
    void begin_step(std::uint32_t step) override { m_step = step; }
    ArbiterRules::Offer offer(const Completion& completion) override {
        const ArbiterRules::Offer offered = core.offer(completion, m_out);
        take();
        return offered;
    }
    void decline(Qpn qpn, QueueKind queue) override {
        core.decline(qpn, queue, m_out);
        take();
    }
    void request_failed(const Completion& completion) override {
        core.request_failed(
            completion.qpn, completion.generation, completion.queue, completion.status, m_out);
        take();
    }
    void drained(Qpn qpn, std::uint16_t generation) override {
        core.drained(qpn, generation, m_out);
        take();
    }
    void last_wqe_ended(Qpn qpn, std::uint16_t generation) override {
        core.last_wqe_ended(qpn, generation, m_out);
        take();
    }
    void srq_limit_reached(Srqn srqn) override {
        core.srq_limit_reached(srqn, m_out);
        take();
    }
    void flushed(Qpn qpn, std::uint16_t generation, QueueKind queue) override {
        core.flushed(qpn, generation, queue, m_out);
        take();
    }
    void submit(std::uint32_t ticket, const Command& command) override {
        CommandAnswer answer;
        const bool done = core.submit(ticket, command, answer, m_out) == CommandStatus::Done;
        take();
        if (done) {
            history.done.add(m_step, {ticket, answer});
        }
    }
    void ring(std::uint64_t offset, std::uint64_t value) override {
        std::array<unsigned char, 8> bytes{};
        for (unsigned i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<unsigned char>(value >> (8 * i));
        }
        core.access_bar({offset, bytes.data(), 8, 8, true, false}, m_out);
        take();
    }
    std::byte* memory(std::uint64_t address) override {
        return has(address) ? &m_memory[address - HostMemory::kBase] : nullptr;
    }
    void write_doorbell_record(std::uint32_t cq, std::uint32_t value) override {
        core.write_doorbell_record(Cqn{cq}, value);
    }
    void note(const Record& record) override {
        Seen seen(record);
        seen.record.time_ps = m_now.ps;
        history.add(m_step, seen);
    }

  private:
    bool has(std::uint64_t address) const { return address - HostMemory::kBase < m_memory.size(); }
    template <class Between>
    bool serve_all(bool& moment_is_over, Between between) {
        bool any = false;
        while (core.serve(m_out)) {
            any = true;
            take();
            if (m_window == 1) {
                play_between(moment_is_over, between);
                land_all();
            }
        }
        play_between(moment_is_over, between);
        land_all();
        return any;
    }
    /// Once a time stamp: when the first entry, or all that the window takes, is in flight, or what
    /// ends a ring.
    template <class Between>
    void play_between(bool& is_over, Between between) {
        if (!is_over && m_launched) {
            is_over = true;
            between(*this);
        }
    }
    bool report() {
        const bool any = core.report(m_out);
        take();
        return any;
    }
    void land_all() {
        while (const CoreWrite* write = core.in_flight()) {
            core.land(has(write->address), m_out);
            take();
        }
    }
    void take() {
        auto write = m_out.writes.begin();
        for (Record record : m_out.records) {
            m_launched = m_launched || record.kind == Kind::CqeWrite;
            if (record.kind == Kind::CqeVisible || record.kind == Kind::Eqe ||
                record.kind == Kind::Irq) {
                apply(*write);
                record.bytes = record.kind == Kind::Irq ? nullptr : write->bytes.data();
                ++write;
            }
            history.add(m_step, Seen(record));
        }
        add_all(m_out.rooms, history.rooms);
        add_all(m_out.qp_states, history.qp_states);
        add_all(m_out.done, history.done);
        m_out.clear();
    }
    void apply(const CoreWrite& write) {
        std::memcpy(&m_memory[write.address - HostMemory::kBase], write.bytes.data(), write.length);
    }
    template <class T>
    void add_all(const std::vector<T>& from, Lane<T>& to) const {
        for (const T& what : from) {
            to.add(m_step, what);
        }
    }
    Standing standing() const {
        Hasher cqs;
        for (std::uint32_t cq = 0; cq < kCqs; ++cq) {
            cqs.add(core.cq(Cqn{cq}));
        }
        Hasher qps;
        for (std::uint32_t qp = 0; qp < kQps; ++qp) {
            qps.add(core.qp(Qpn{qp}).state());
            qps.add(core.qp(Qpn{qp}).in_flight());
        }
        return {cqs.value(), qps.value(), core.events().hash()};
    }
    void count_full() {
        for (std::uint16_t eqn = 0; eqn < kEqs; ++eqn) {
            const EventQueue& queue = core.events().queues()[Eqn{eqn}];
            if (queue.depth != 0 && queue.full()) {
                ++full_eqs;
                return;
            }
        }
    }

    std::uint32_t m_window;
    std::uint32_t m_step = 0;
    bool m_launched = false;  ///< an entry of a CQ, since the last time stamp
    TimePs m_now{};
    CoreOutput m_out;
    std::vector<std::byte> m_memory;
};

}  // namespace cqsim::test
