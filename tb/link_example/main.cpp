// SPDX-License-Identifier: Apache-2.0
// A SystemC platform that is not cqsim's: its own sc_main, its own transmit pipeline and its own
// software, with the block and its memory linked in.
#include "models/cqe/native.h"
#include "models/engine/cq_event_engine.h"
#include "models/ring/cq_ring_memory.h"
#include "models/time/kernel_timeline.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <iostream>

namespace {

using namespace cqsim;

constexpr Qpn kQp{0};
constexpr Cqn kCq{0};
constexpr std::uint32_t kDepth = 4;

EngineConfig engine_config() {
    EngineConfig config;
    config.qps = 1;
    config.cqs = 1;
    return config;
}

/// One QP and one CQ. Offers kDepth completions to the block, and polls for the entries.
class Platform final : public sc_core::sc_module,
                       private CompletionBackward,
                       private QpStateForward,
                       private CommandBackward {
  public:
    explicit Platform(const sc_core::sc_module_name& module_name)
        : sc_module(module_name) {
        m_tx_isock.bind(static_cast<CompletionBackward&>(*this));
        m_rx_isock.bind(static_cast<CompletionBackward&>(*this));
        m_tx_state_tsock.bind(static_cast<QpStateForward&>(*this));
        m_rx_state_tsock.bind(static_cast<QpStateForward&>(*this));
        m_command_isock.bind(static_cast<CommandBackward&>(*this));

        m_tx_isock.bind(m_engine.tx_tsock);
        m_rx_isock.bind(m_engine.rx_tsock);
        m_engine.tx_state_isock.bind(m_tx_state_tsock);
        m_engine.rx_state_isock.bind(m_rx_state_tsock);
        m_command_isock.bind(m_engine.command_tsock);
        m_mmio_isock.bind(m_engine.mmio_tsock);
        m_engine.dma_isock.bind(m_memory.dma_tsock);
        m_engine.record_isock.bind(m_memory.record_tsock);
        m_engine.event_dma_isock.bind(m_memory.event_dma_tsock);
        m_host_isock.bind(m_memory.host_tsock);

        SC_HAS_PROCESS(Platform);
        SC_THREAD(run);
    }

    std::uint32_t polled() const { return m_polled; }

  private:
    void command_done(std::uint32_t /*ticket*/, const CommandAnswer& /*answer*/) override {}

    void run() {
        create();
        for (std::uint32_t i = 0; i < kDepth; ++i) {
            offer(i);
        }
        while (m_polled < kDepth) {
            wait(100, sc_core::SC_NS);
            poll();
        }
    }

    void create() {
        constexpr std::uint64_t kBytes = std::uint64_t{kDepth} * native::kStride;
        m_ring = m_memory.bytes().allocate(kBytes);
        std::byte* ring = m_memory.bytes().at(m_ring, kBytes);
        for (std::uint64_t at = native::kStride - 1; at < kBytes; at += native::kStride) {
            ring[at] = owner::preset(OwnerScheme::Parity, 0);  // S3.3: software presets every slot
        }
        const std::uint64_t doorbell_record = m_memory.bytes().allocate(8);
        command(CreateCq{kCq, m_ring, doorbell_record, kDepth, kNoEqn, {}});
        m_generation =
            command(CreateQp{kQp, kCq, kCq, kDepth, kDepth, false, QpType::Rc}).generation;
        for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
            command(ModifyQp{kQp, state, false});
        }
    }

    CommandAnswer command(const Command& command) {
        CommandAnswer answer;
        if (m_command_isock->submit(0, command, answer) != CommandStatus::Done ||
            answer.result != CommandResult::Ok) {
            SC_REPORT_ERROR("/platform/command", "refused");
        }
        return answer;
    }

    void offer(std::uint32_t wqe_index) {
        Completion completion;
        completion.serial = wqe_index + 1;
        completion.wr_id = 100 + wqe_index;
        completion.qpn = kQp;
        completion.wqe_index = wqe_index;
        completion.generation = m_generation;
        completion.signaled = true;
        m_may_offer = false;
        const OfferReply reply = m_tx_isock->offer(completion);
        if (reply.status == OfferStatus::Taken) {
            offer_done(reply);
        }
        while (!m_may_offer) {
            wait(m_offer_over);
        }
    }

    void poll() {
        cqe::Entry entry = read_entry(m_polled);
        while (owner::is_valid(cqe::own_byte(entry.data(), native::kStride), 1, 0)) {
            std::cout << sc_core::sc_time_stamp() << ": polled wr_id "
                      << native::decode(entry.data()).wr_id << '\n';
            if (++m_polled == kDepth) {
                return;
            }
            entry = read_entry(m_polled);
        }
    }

    cqe::Entry read_entry(std::uint32_t slot) {
        cqe::Entry entry{};
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_READ_COMMAND);
        payload.set_address(m_ring + std::uint64_t{slot} * native::kStride);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(entry.data()));
        payload.set_data_length(native::kStride);
        payload.set_streaming_width(native::kStride);
        sc_core::sc_time delay;
        m_host_isock->b_transport(payload, delay);
        if (!payload.is_response_ok()) {
            SC_REPORT_ERROR("/platform/read_entry", payload.get_response_string().c_str());
        }
        return entry;
    }

    void offer_done(const OfferReply& /*reply*/) override {
        m_may_offer = true;
        m_offer_over.notify(sc_core::SC_ZERO_TIME);
    }
    void credit(Qpn /*qpn*/, QueueKind /*queue*/) override {}
    void answered(const CompletionAnswer& /*answer*/) override {}
    void qp_changed(const QpChange& /*change*/) override {}

    KernelTimeline m_timeline{"timeline"};
    RecordStream m_records;
    ObjectLines m_lines{1, 1};
    CqRingMemory m_memory{"memory", m_timeline, MemoryConfig{}};
    CqEventEngine m_engine{"engine", m_timeline, m_records, engine_config(), m_lines};

    CompletionInitiator m_tx_isock{"tx_isock"};
    CompletionInitiator m_rx_isock{"rx_isock"};
    CommandInitiator m_command_isock{"command_isock"};
    tlm_utils::simple_initiator_socket<Platform> m_mmio_isock{"mmio_isock"};
    QpStateTarget m_tx_state_tsock{"tx_state_tsock"};
    QpStateTarget m_rx_state_tsock{"rx_state_tsock"};
    tlm_utils::simple_initiator_socket<Platform> m_host_isock{"host_isock"};

    sc_core::sc_event m_offer_over;
    bool m_may_offer = true;
    std::uint64_t m_ring = 0;
    std::uint32_t m_polled = 0;
    std::uint16_t m_generation = 0;
};

}  // namespace

int sc_main(int, char**) {
    const Platform platform("platform");
    sc_core::sc_start();
    return platform.polled() == kDepth ? 0 : 1;
}
