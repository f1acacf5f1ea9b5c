// SPDX-License-Identifier: Apache-2.0
/// \file
/// The initiator side of the TLM-2.0 base protocol for writes to host memory (design D1).
#pragma once

#include "models/time/timeline.h"

#include <systemc>
#include <tlm>

#include <array>
#include <memory>
#include <vector>

namespace cqsim {

/// Hears when a write is in memory.
class DmaListener {
  public:
    /// The write that was sent as `cookie` is over; `ok`: the response status was OK.
    virtual void write_done(std::uint32_t cookie, bool ok) = 0;
    /// A request may be sent again after `can_send()` was false.
    virtual void can_send_again() = 0;

  protected:
    ~DmaListener() = default;
};

/// Sends one write after the other and takes every legal answer of the base protocol: 2-phase,
/// 4-phase, TLM_COMPLETED, with annotated delays. Several writes may be in flight; one request at a
/// time is open (the protocol's exclusion rule). Payloads are pooled and go back when the last
/// component releases them.
class DmaPort final : public tlm::tlm_bw_transport_if<>,
                      private TimedBlock,
                      private tlm::tlm_mm_interface {
  public:
    static constexpr std::uint32_t kMaxBytes = 128;

    DmaPort(const char* socket_name, Timeline& timeline, DmaListener& listener);
    ~DmaPort() override;
    DmaPort(const DmaPort&) = delete;
    DmaPort& operator=(const DmaPort&) = delete;

    tlm::tlm_initiator_socket<> isock;

    /// False while a request waits for its END_REQ.
    bool can_send() const { return m_open == nullptr; }

    /// The bytes of the next write, to be filled in before `send`: kMaxBytes of room.
    std::byte* buffer();
    /// Sends what `buffer` holds as a write of `length` bytes, `delay` from now.
    void send(std::uint64_t address, std::uint32_t length, std::uint32_t cookie, TimePs delay);

  private:
    struct Write : tlm::tlm_generic_payload {
        std::array<unsigned char, kMaxBytes> bytes{};
        std::uint32_t cookie = 0;
        bool owes_end_resp = false;  ///< the response came in the return path of the request
    };
    struct Late {
        TimePs at{};
        Write* write = nullptr;
    };

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void free(tlm::tlm_generic_payload* payload) override;
    void due(TimePs now) override;

    Write& take_free();
    void request_over(const tlm::tlm_generic_payload& payload);
    void respond(Write& write, TimePs delay);
    void finish(Write& write);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    DmaListener& m_listener;
    std::vector<std::unique_ptr<Write>> m_all;
    std::vector<Write*> m_free;
    Write* m_next = nullptr;   ///< the one that `buffer` gave out
    std::vector<Late> m_late;  ///< responses with an annotated delay, in order of time
    const tlm::tlm_generic_payload* m_open = nullptr;  ///< its request waits for END_REQ
    bool m_sending = false;                            ///< inside the forward call of `m_open`
};

}  // namespace cqsim
