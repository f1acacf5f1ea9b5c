// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host: software that polls completion queues.
#pragma once

#include "models/cqe/native.h"
#include "models/ring/cq_ring_memory.h"
#include "models/rows/rows.h"
#include "models/time/timeline.h"
#include "tb/pipeline/software_link.h"

#include <systemc>
#include <tlm>

#include <vector>

namespace cqsim::tb {

/// How one CQ is polled.
struct PollLoop {
    std::uint32_t batch = 16;  ///< entries per poll, at least 1
    TimePs interval{};         ///< between two polls, at least 1 ps
    TimePs first{};            ///< the first tick; later ones are `interval` apart
};

/// Where a CQ's ring lies, as the host made it.
struct RingPlace {
    std::uint64_t ring = 0;
    std::uint64_t record = 0;
    std::uint32_t depth = 0;
    std::uint32_t first_index = 0;
    std::uint32_t index_width = 32;
};

/// Polling software. At each tick of a CQ it reads entries until one is not valid (S3.3) or the
/// batch is full, publishes its consumer index once (S3.8), and hands the completions to the work
/// queues.
///
/// A CQ found empty parks: the next entry that becomes visible wakes it for its next tick, so that
/// empty polls cost nothing. How many there would have been is counted.
class Host final : public sc_core::sc_module,
                   private tlm::tlm_bw_transport_if<>,
                   private NoBackward<SoftwareProtocol>,
                   private RingWatcher,
                   private TimedBlock {
  public:
    tlm::tlm_initiator_socket<> memory_isock{"memory_isock"};
    SoftwareInitiator tx_isock{"tx_isock"};
    SoftwareInitiator rx_isock{"rx_isock"};

    /// 16 bytes of each CQ's line.
    struct CqRow {
        std::uint32_t consumer = 0;  ///< free-running, device-visible width
        std::uint32_t slot = 0;      ///< consumer mod depth
        std::uint32_t loop = 0;      ///< index into the poll loops
        std::uint8_t owner = 0;      ///< of a valid entry in this lap
        std::uint8_t flags = 0;
        std::uint16_t unused = 0;

        static constexpr std::uint8_t kPolled = 1;  ///< a loop polls it
        static constexpr std::uint8_t kAwake = 2;   ///< a tick is asked for
    };

    Host(const sc_core::sc_module_name& module_name,
         Timeline& timeline,
         CqRingMemory& memory,
         Rows<CqRow> rows,
         std::uint32_t qps);

    /// A ring was made; nothing polls it yet.
    void add_ring(Cqn cqn, const RingPlace& place);
    /// Polls the CQ from `loop.first` on.
    void poll(Cqn cqn, const PollLoop& loop);

    std::uint64_t polls() const { return m_polls; }
    std::uint64_t polled() const { return m_polled; }
    /// Entries that name a QP which does not exist; they are skipped.
    std::uint64_t unknown() const { return m_unknown; }

  private:
    struct Tick {
        TimePs at{};
        Cqn cqn = kNoCq;

        friend bool operator<(const Tick& l, const Tick& r) {  // a heap whose front is earliest
            return r.at < l.at || (l.at == r.at && index_of(r.cqn) < index_of(l.cqn));
        }
    };
    struct Polled {
        std::uint64_t wr_id;
        Qpn qpn;
        std::uint32_t wqe_index;
        QueueKind queue;
    };

    void due(TimePs now) override;
    void ring_written(std::uint64_t address) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&,
                                       tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    void poll_once(Cqn cqn, TimePs now);
    std::uint32_t read_entries(Cqn cqn, std::uint32_t most);
    void publish(const CqRow& row, const RingPlace& place);
    void retire(std::uint32_t count);
    void wake(Cqn cqn, TimePs not_before);
    void transport(tlm::tlm_command command,
                   std::uint64_t address,
                   unsigned char* data,
                   unsigned length);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    CqRingMemory& m_memory;
    Rows<CqRow> m_rows;
    std::uint32_t m_qps;
    std::vector<RingPlace> m_places;
    std::vector<PollLoop> m_loops;
    std::vector<Cqn> m_cq_of_page;
    std::vector<Tick> m_ticks;  ///< a heap
    tlm::tlm_generic_payload m_payload;
    std::vector<Polled> m_batch;  ///< of one poll; room for the largest batch of any loop
    std::uint64_t m_polls = 0;
    std::uint64_t m_polled = 0;
    std::uint64_t m_unknown = 0;
    bool m_far = false;
};

}  // namespace cqsim::tb
