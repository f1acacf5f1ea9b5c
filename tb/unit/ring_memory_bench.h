// SPDX-License-Identifier: Apache-2.0
/// \file
/// A memory with initiators of the tests' own at its four sockets.
#pragma once

#include "models/ring/cq_ring_memory.h"
#include "tb/unit/agenda.h"

#include <array>
#include <deque>
#include <ostream>
#include <vector>

namespace cqsim::test {

inline constexpr tlm::tlm_response_status kOk = tlm::TLM_OK_RESPONSE;

/// One response as the initiator sees it.
struct Response {
    std::uint64_t address = 0;
    TimePs at{};
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;

    friend bool operator==(const Response& l, const Response& r) {
        return l.address == r.address && l.at == r.at && l.status == r.status;
    }
    friend std::ostream& operator<<(std::ostream& out, const Response& response) {
        return out << std::hex << response.address << std::dec << '@' << response.at.ps << ' '
                   << response.status;
    }
};

/// An initiator of the base protocol that notes every response and ends it as told.
class Initiator final : public tlm::tlm_bw_transport_if<>, private tlm::tlm_mm_interface {
  public:
    enum class Answer : std::uint8_t {
        Completed,       ///< TLM_COMPLETED to BEGIN_RESP
        Updated,         ///< TLM_UPDATED with END_RESP
        EndsLater,       ///< TLM_ACCEPTED; `end_response` sends END_RESP
        EndsFromInside,  ///< sends END_RESP before it returns TLM_ACCEPTED
    };

    explicit Initiator(const char* name)
        : socket(name) {
        socket.bind(*this);
    }

    /// Sends 64 bytes of `fill` to `address`, or asks for 64 bytes.
    tlm::tlm_generic_payload& send(tlm::tlm_command command,
                                   std::uint64_t address,
                                   unsigned char fill = 0,
                                   TimePs delay = {}) {
        Transfer& transfer = m_transfers.emplace_back();
        transfer.set_mm(this);
        transfer.bytes.fill(fill);
        set_bytes(transfer, command, address, transfer.bytes.data(), 64);
        begin(transfer, delay);
        return transfer;
    }
    /// Sends a payload that a test has made odd; `odd` changes it.
    template <class Change>
    void send_odd(tlm::tlm_command command, std::uint64_t address, Change odd) {
        Transfer& transfer = m_transfers.emplace_back();
        transfer.set_mm(this);
        set_bytes(transfer, command, address, transfer.bytes.data(), 64);
        odd(transfer);
        begin(transfer, TimePs{});
    }
    void end_response() {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = to_sc_time(end_delay);
        CHECK(socket->nb_transport_fw(*m_open, phase, delay) == tlm::TLM_COMPLETED);
        m_open = nullptr;
    }

    tlm::tlm_initiator_socket<> socket;
    Answer answer = Answer::Completed;
    TimePs end_delay{};  ///< annotated to the end of a response
    std::vector<Response> responses;
    std::size_t begun = 0;  ///< requests that have got their END_REQ, in the answer or later
    std::size_t freed = 0;  ///< payloads that everybody has released

  private:
    struct Transfer : tlm::tlm_generic_payload {
        std::array<unsigned char, 64> bytes{};
    };

    void begin(Transfer& transfer, TimePs delay) {
        transfer.acquire();
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time t = to_sc_time(delay);
        const tlm::tlm_sync_enum status = socket->nb_transport_fw(transfer, phase, t);
        if (status == tlm::TLM_COMPLETED) {
            note(transfer);
        } else if (status == tlm::TLM_UPDATED) {
            CHECK(phase == tlm::END_REQ);
            CHECK(TimePs{t.value()} == delay);
            ++begun;
        }
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        if (phase == tlm::END_REQ) {
            ++begun;
            return tlm::TLM_ACCEPTED;
        }
        CHECK(phase == tlm::BEGIN_RESP);
        CHECK(m_open == nullptr);  // one response at a time
        m_open = &payload;
        note(payload);
        switch (answer) {
            case Answer::Completed:
                m_open = nullptr;
                delay += to_sc_time(end_delay);
                return tlm::TLM_COMPLETED;
            case Answer::Updated:
                m_open = nullptr;
                delay += to_sc_time(end_delay);
                phase = tlm::END_RESP;
                return tlm::TLM_UPDATED;
            case Answer::EndsLater:
                return tlm::TLM_ACCEPTED;
            case Answer::EndsFromInside:
                break;
        }
        end_response();
        return tlm::TLM_ACCEPTED;
    }
    void note(tlm::tlm_generic_payload& payload) {
        responses.push_back({payload.get_address(), kernel_now(), payload.get_response_status()});
        payload.release();
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void free(tlm::tlm_generic_payload* payload) override {
        payload->set_data_ptr(nullptr);
        ++freed;
    }

    std::deque<Transfer> m_transfers;
    tlm::tlm_generic_payload* m_open = nullptr;
};

/// The memory, three initiators of the device, one of the host, and an allocated page.
class MemoryBench final : public sc_core::sc_module, private RingWatcher {
  public:
    MemoryBench(const sc_core::sc_module_name& module_name, const MemoryConfig& config)
        : sc_module(module_name),
          memory("memory", timeline, config) {
        dma.socket.bind(memory.dma_tsock);
        event_dma.socket.bind(memory.event_dma_tsock);
        reads.socket.bind(memory.record_tsock);
        host.socket.bind(memory.host_tsock);
        page = memory.bytes().allocate(HostMemory::kPage);
        memory.watch(*this);
    }

    void write(std::uint64_t offset, unsigned char fill, TimePs delay = {}) {
        dma.send(tlm::TLM_WRITE_COMMAND, page + offset, fill, delay);
    }
    /// The byte that lies there now.
    unsigned byte_at(std::uint64_t offset) {
        return std::to_integer<unsigned>(*memory.bytes().at(page + offset, 1));
    }

    KernelTimeline timeline{"timeline"};
    Agenda agenda{timeline, Rank::Script};
    CqRingMemory memory;
    Initiator dma{"dma"};
    Initiator event_dma{"event_dma"};
    Initiator reads{"reads"};
    Initiator host{"host"};
    std::uint64_t page = 0;
    std::vector<std::uint64_t> watched;

  private:
    void ring_written(std::uint64_t address) override { watched.push_back(address); }
};

}  // namespace cqsim::test
