// SPDX-License-Identifier: Apache-2.0
/// \file
/// The initiator side of the TLM-2.0 base protocol for writes to host memory (design D1).
#pragma once

#include "models/protocol/payload_pool.h"
#include "models/time/timeline.h"

#include <systemc>
#include <tlm>

#include <array>
#include <vector>

namespace cqsim {

/// Hears when a write is in memory.
class DmaListener {
  public:
    /// The write that was sent as `cookie` is over; `ok`: the response status was OK.
    virtual void write_done(std::uint32_t cookie, bool ok) = 0;
    /// A request may be sent again after `can_send()` was false. Not called from inside `send`.
    virtual void can_send_again() = 0;

  protected:
    ~DmaListener() = default;
};

/// Sends one write after the other and takes every legal answer of the base protocol: 2-phase,
/// 4-phase, TLM_COMPLETED, with annotated delays; phases that the base protocol lets a component
/// ignore are. Several writes may be in flight; one request at a time is open (the protocol's
/// exclusion rule): until END_REQ, or BEGIN_RESP without it, with the delay annotated to either.
/// TLM_COMPLETED ends the request at once, only the response has its delay. Payloads are pooled and
/// go back when the last component releases them.
class DmaPort final : public tlm::tlm_bw_transport_if<>, private TimedBlock {
  public:
    static constexpr std::uint32_t kMaxBytes = 128;

    DmaPort(const char* socket_name, Timeline& timeline, DmaListener& listener);

    tlm::tlm_initiator_socket<> isock;

    /// False while a request is open; then `can_send_again` is called when it is over.
    bool can_send() {
        if (m_open == nullptr && m_request_over <= m_timeline.now()) {
            return true;
        }
        refuse();
        return false;
    }

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
    void due(TimePs now) override;

    void refuse();
    void request_over(const tlm::tlm_generic_payload& payload, TimePs delay);
    void tell_refused();
    void ask_for_time();
    void respond(Write& write, TimePs delay);
    void finish(Write& write);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    DmaListener& m_listener;
    PayloadPool<Write> m_pool;
    Write* m_next = nullptr;   ///< the one that `buffer` gave out
    std::vector<Late> m_late;  ///< responses with an annotated delay, in order of time
    const tlm::tlm_generic_payload* m_open = nullptr;  ///< its request waits for END_REQ
    TimePs m_request_over{};  ///< when the last one that has an END_REQ has been open
    bool m_refused = false;   ///< `can_send` was false: `can_send_again` is owed
    bool m_sending = false;   ///< inside the forward call of `m_open`
};

}  // namespace cqsim
