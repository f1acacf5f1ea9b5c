// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host on a memory that tests write into, and stubs of everything else that it talks to.
#pragma once

#include "models/cqe/native.h"
#include "models/doorbell/bar_map.h"
#include "models/ring/doorbell_record.h"
#include "tb/host/host.h"
#include "tb/unit/agenda.h"

#include <cstring>
#include <ostream>
#include <vector>

namespace cqsim::test {

inline constexpr Cqn kCq{0};
inline constexpr Cqn kOther{1};

/// One 8-byte write into the BAR.
struct Ring {
    TimePs at{};
    std::uint64_t offset = 0;
    std::uint64_t value = 0;

    friend bool operator==(const Ring& l, const Ring& r) {
        return l.at == r.at && l.offset == r.offset && l.value == r.value;
    }
    friend std::ostream& operator<<(std::ostream& out, const Ring& ring) {
        return out << ring.at.ps << " ps: " << std::hex << ring.offset << " = " << ring.value
                   << std::dec;
    }
};

/// What a work queue heard of one polled entry.
struct Handed {
    TimePs at{};
    Qpn qpn{};
    std::uint32_t wqe_index = 0;

    friend bool operator==(const Handed& l, const Handed& r) {
        return l.at == r.at && l.qpn == r.qpn && l.wqe_index == r.wqe_index;
    }
    friend std::ostream& operator<<(std::ostream& out, const Handed& handed) {
        return out << handed.at.ps << " ps: qp " << index_of(handed.qpn) << " wqe "
                   << handed.wqe_index;
    }
};

class HostBench final : public sc_core::sc_module,
                        private tlm::tlm_fw_transport_if<>,
                        private CommandForward,
                        private tb::SoftwareForward,
                        private tb::CommandListener,
                        private tlm::tlm_bw_transport_if<> {
  public:
    static constexpr std::uint32_t kCqs = 4;
    static constexpr std::uint32_t kQps = 8;
    static constexpr std::uint32_t kVectors = 4;
    static constexpr TimePs kInterruptLatency = from_ns(1000);
    static constexpr TimePs kTimeout = from_ns(100'000);

    explicit HostBench(const sc_core::sc_module_name& module_name,
                       tb::StalePolicy stale = tb::StalePolicy::None,
                       tb::ClassifyPolicy classify = tb::ClassifyPolicy::Status)
        : sc_module(module_name),
          memory("memory", timeline, {}),
          m_msix(memory.bytes().allocate(HostMemory::kPage)),
          host("host",
               timeline,
               records,
               memory,
               Rows<tb::CqRow>(kCqs),
               kQps,
               config(stale, classify)),
          late(timeline, Rank::Test) {
        m_mmio.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
        m_commands.bind(static_cast<CommandForward&>(*this));
        m_tx.bind(static_cast<tb::SoftwareForward&>(*this));
        m_rx.bind(static_cast<tb::SoftwareForward&>(m_receives));
        m_dma.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        m_event_dma.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        m_reads.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        host.memory_isock.bind(memory.host_tsock);
        host.mmio_isock.bind(m_mmio);
        host.command_isock.bind(m_commands);
        host.tx_isock.bind(m_tx);
        host.rx_isock.bind(m_rx);
        m_dma.bind(memory.dma_tsock);
        m_event_dma.bind(memory.event_dma_tsock);
        m_reads.bind(memory.record_tsock);
        host.driver().listen(*this);
    }

    /// Elaborates; objects can be created from here on.
    // NOLINTNEXTLINE(readability-convert-member-functions-to-static): a step of this bench
    void begin() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

    void create_cq(Cqn cqn, std::uint32_t depth) {
        host.driver().create_cq(0, cqn, {depth, kNoEqn});
        m_producer[index_of(cqn)] = 0;
    }
    void create_eq(std::uint16_t eqn, std::uint32_t depth, std::uint16_t vector) {
        host.driver().create_eq(0, Eqn{eqn}, EqKind::Completion, depth, vector, true);
        m_eq_producer.resize(eqn + std::size_t{1});
    }

    /// An entry lands in the CQ's ring now, of a send of the QP.
    void entry(Cqn cqn, Qpn qpn, std::uint32_t wqe_index) {
        Completion completion;
        completion.qpn = qpn;
        completion.wqe_index = wqe_index;
        entry(cqn, completion, {});
    }
    /// The same of any completion; `filler` is what a failed one leaves undefined.
    void entry(Cqn cqn, const Completion& completion, const CompletionDetails& filler) {
        const tb::RingPlace& place = host.driver().ring(cqn);
        const std::uint32_t index = m_producer[index_of(cqn)]++;
        native::encode(
            completion,
            static_cast<std::uint8_t>(index / place.depth & 1U),
            filler,
            memory.bytes().at(place.ring + std::uint64_t{index % place.depth} * 64U, 64));
        landed(place.ring + std::uint64_t{index % place.depth} * 64U);
    }
    /// An entry lands in the event queue now.
    void event(std::uint16_t eqn, const eqe::Decoded& event) {
        const tb::EqPlace& place = host.queues().place(Eqn{eqn});
        const std::uint32_t index = m_eq_producer[eqn]++;
        eqe::encode(event,
                    static_cast<std::uint8_t>(index / place.depth & 1U),
                    memory.bytes().at(place.ring + std::uint64_t{index % place.depth} * 64U, 64));
    }
    void completion_event(std::uint16_t eqn, Cqn cqn) { event(eqn, {kCompletionEqe, cqn, kNoQp}); }
    void cq_error(std::uint16_t eqn, Cqn cqn) {
        event(eqn, {eqe::type_of(AsyncEvent::CqErr), cqn, kNoQp});
    }
    /// An interrupt's message lands now.
    void interrupt(std::uint16_t vector) { landed(m_msix + std::uint64_t{vector} * 4U); }

    /// The consumer index in the doorbell record.
    std::uint32_t published(Cqn cqn) {
        return doorbell_record::load(
            reinterpret_cast<unsigned char*>(memory.bytes().at(host.driver().ring(cqn).record, 8)));
    }
    /// Answers the oldest command that was accepted.
    void answer(CommandResult result = CommandResult::Ok) {
        const std::uint32_t ticket = m_accepted.front();
        m_accepted.erase(m_accepted.begin());
        m_commands->command_done(ticket, {result, 0});
    }
    std::vector<Ring> rings_at(std::uint64_t offset) const {
        std::vector<Ring> some;
        for (const Ring& ring : rings) {
            if (ring.offset == offset) {
                some.push_back(ring);
            }
        }
        return some;
    }

    KernelTimeline timeline{"timeline"};
    RecordStream records;
    CqRingMemory memory;

  private:
    std::uint64_t m_msix;

  public:
    Agenda early{timeline, Rank::Script};  ///< before the host within a time stamp
    tb::Host host;
    Agenda late;  ///< after the host

    std::vector<Ring> rings;
    std::vector<Handed> handed;           ///< to the send queues
    std::vector<Handed> handed_receives;  ///< to the receive queues
    std::vector<Handed> unowned_receives;
    std::vector<Command> commands;
    std::vector<CommandResult> answers;
    std::vector<std::uint32_t> tags;  ///< of the answers
    bool accepts = false;             ///< commands are answered later
    CommandResult at_once{};          ///< the answer to commands that are not

  private:
    tb::DriverConfig config(tb::StalePolicy stale, tb::ClassifyPolicy classify) const {
        tb::DriverConfig config;
        config.cqs = kCqs;
        config.stale = stale;
        config.classify = classify;
        config.interrupt_latency = kInterruptLatency;
        config.command_timeout = kTimeout;
        config.msix_address = m_msix;
        config.vectors = kVectors;
        return config;
    }
    /// What memory does when a write of the device becomes visible.
    void landed(std::uint64_t address) { host.ring_written(address); }

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) override {
        std::uint64_t value = 0;
        std::memcpy(&value, payload.get_data_ptr(), sizeof(value));
        CHECK(payload.get_data_length() == bar::kRegisterBytes);
        rings.push_back({kernel_now(), payload.get_address(), value});
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&,
                                       tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&,
                                       tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    CommandStatus submit(std::uint32_t ticket,
                         const Command& command,
                         CommandAnswer& answer) override {
        commands.push_back(command);
        if (accepts) {
            m_accepted.push_back(ticket);
            return CommandStatus::Accepted;
        }
        answer.result = at_once;
        return CommandStatus::Done;
    }
    CommandStatus set_up(std::uint32_t ticket,
                         const Command& command,
                         CommandAnswer& answer) override {
        return submit(ticket, command, answer);
    }
    void answered(std::uint32_t tag,
                  const Command& /*command*/,
                  const CommandAnswer& answer) override {
        tags.push_back(tag);
        answers.push_back(answer.result);
    }
    void polled(Qpn qpn, std::uint32_t wqe_index, std::uint64_t /*wr_id*/) override {
        handed.push_back({kernel_now(), qpn, wqe_index});
    }
    void unowned(Qpn /*qpn*/, std::uint32_t /*wqe_index*/) override {}
    tb::NamedRequest request_at(Qpn, std::uint32_t wqe_counter) const override {
        return {wqe_counter, 0};
    }
    void hint(Qpn) override {}
    void hint_next(Qpn) override {}

    class Receives final : public tb::SoftwareForward {
      public:
        Receives(std::vector<Handed>& list, std::vector<Handed>& unread_list)
            : unread(unread_list),
              m_list(list) {}

        std::vector<Handed>& unread;

      private:
        void polled(Qpn qpn, std::uint32_t wqe_index, std::uint64_t /*wr_id*/) override {
            m_list.push_back({kernel_now(), qpn, wqe_index});
        }
        void unowned(Qpn qpn, std::uint32_t wqe_index) override {
            unread.push_back({kernel_now(), qpn, wqe_index});
        }
        tb::NamedRequest request_at(Qpn, std::uint32_t wqe_counter) const override {
            return {wqe_counter, 0};
        }
        void hint(Qpn) override {}
        void hint_next(Qpn) override {}

        std::vector<Handed>& m_list;
    };

    Receives m_receives{handed_receives, unowned_receives};
    tlm::tlm_target_socket<> m_mmio{"mmio_tsock"};
    CommandTarget m_commands{"command_tsock"};
    tb::SoftwareTarget m_tx{"tx_tsock"};
    tb::SoftwareTarget m_rx{"rx_tsock"};
    tlm::tlm_initiator_socket<> m_dma{"dma_isock"};
    tlm::tlm_initiator_socket<> m_event_dma{"event_dma_isock"};
    tlm::tlm_initiator_socket<> m_reads{"reads_isock"};
    std::vector<std::uint32_t> m_producer = std::vector<std::uint32_t>(kCqs);
    std::vector<std::uint32_t> m_eq_producer;
    std::vector<std::uint32_t> m_accepted;
};

}  // namespace cqsim::test
