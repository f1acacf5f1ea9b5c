// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory in which the rings and doorbell records lie, with the latency, bandwidth and order of
/// the path to it.
#pragma once

#include "models/observe/record_stream.h"
#include "models/ring/host_memory.h"
#include "models/ring/memory_config.h"
#include "models/ring/write_beats.h"
#include "models/rows/due_ring.h"
#include "models/time/timeline.h"

#include <systemc>
#include <tlm>

#include <memory>
#include <vector>

namespace cqsim {

/// Hears that the device wrote into memory: what a cache-coherent poller would notice.
class RingWatcher {
  public:
    virtual void ring_written(std::uint64_t address) = 0;

  protected:
    ~RingWatcher() = default;
};

/// A TLM-2.0 target with four sockets.
///
/// - `dma_tsock`, `event_dma_tsock` (nb_transport): the device's writes. A write takes length /
///   bandwidth on the path that both share, and is visible `write_latency` later; those of both
///   become visible in issue order and as a whole, unless the configuration says otherwise
///   (WriteBeats). The response comes when all bytes are in memory.
/// - `record_tsock` (nb_transport): the device's reads; the data is that of request +
/// `read_latency`.
/// - `host_tsock` (b_transport, transport_dbg): the processor's own accesses, in zero time.
///
/// Accesses outside allocated pages get TLM_ADDRESS_ERROR_RESPONSE; byte enables are refused. On
/// nb_transport a response begins when the one before it on its socket has ended, the delay
/// annotated to its end included; phases that the base protocol lets a component ignore are.
class CqRingMemory final : public sc_core::sc_module, private TimedBlock {
  public:
    tlm::tlm_target_socket<> dma_tsock{"dma_tsock"};
    tlm::tlm_target_socket<> event_dma_tsock{"event_dma_tsock"};
    tlm::tlm_target_socket<> record_tsock{"record_tsock"};
    tlm::tlm_target_socket<> host_tsock{"host_tsock"};

    CqRingMemory(const sc_core::sc_module_name& module_name,
                 Timeline& timeline,
                 const MemoryConfig& config,
                 std::uint64_t seed = 1);
    ~CqRingMemory() override;

    /// The bytes, without time: for setting up and for tests.
    HostMemory& bytes() { return m_bytes; }
    void watch(RingWatcher& watcher) { m_watcher = &watcher; }
    /// Device writes not yet visible.
    std::size_t pending() const;

  private:
    class Port;
    class BeatPath;
    struct Due {
        TimePs at{};
        tlm::tlm_generic_payload* payload = nullptr;
        Port* port = nullptr;  ///< whose request it is
        // Its bytes that move then; those of a write that are not among them have moved before.
        std::uint32_t first = 0;
        std::uint32_t bytes = 0;
    };
    /// Requests in flight that are done in order, oldest first, of one socket or several.
    struct Lane {
        void complete(TimePs now);
        /// When the next response may begin; kNever while one is not answered, or nothing is due.
        TimePs next() const;
        /// Always inlined, as all that only fetches: g++ drops calls to such functions.
        [[gnu::always_inline]] inline void fetch_payloads() const;

        DueRing<Due> due;
        std::size_t unfetched = 0;  ///< newest requests whose lines were not asked for yet
    };
    /// One socket of the device.
    class Port : public tlm::tlm_fw_transport_if<> {
      public:
        Port(CqRingMemory& memory,
             tlm::tlm_target_socket<>& socket,
             tlm::tlm_command command,
             Lane& lane)
            : m_memory(memory),
              m_socket(socket),
              m_command(command),
              m_lane(lane) {}

        void complete(const Due& done);
        /// Whether the next response may begin.
        bool ready(TimePs now) const { return !m_response_open && m_response_over <= now; }
        bool owed() const { return m_response_open; }
        TimePs response_over() const { return m_response_over; }

      protected:
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                           tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) override;

        CqRingMemory& m_memory;

      private:
        void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
        bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
        unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
        void end_response(TimePs delay);

        void fetch_lines();

        tlm::tlm_target_socket<>& m_socket;
        tlm::tlm_command m_command;
        Lane& m_lane;
        bool m_response_open = false;  ///< the initiator owes END_RESP
        TimePs m_response_over{};      ///< when the last response has ended
    };
    /// One socket of the device whose writes become visible beat by beat.
    class BeatPort final : public Port {
      public:
        BeatPort(CqRingMemory& memory, tlm::tlm_target_socket<>& socket)
            : Port(memory, socket, tlm::TLM_WRITE_COMMAND, memory.m_writes) {}

      private:
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                           tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) override;
    };
    /// The writes that are not visible as a whole, and the two sockets on which they come. It moves
    /// all beats of a write but the last, which goes with the response.
    class BeatPath final : private TimedBlock {
      public:
        BeatPath(CqRingMemory& memory, std::uint64_t seed);

        void add(tlm::tlm_generic_payload& payload, Port& port, TimePs due);
        /// Goes on, if what held the beats back is over.
        void ask_for_time();
        std::size_t pending() const { return m_beats.pending(); }

        BeatPort dma;
        BeatPort event_dma;

      private:
        struct Open {
            tlm::tlm_generic_payload* payload = nullptr;
            Port* port = nullptr;
        };

        void due(TimePs now) override;
        /// S3.6: in order, no beat before the response of the write before it.
        bool held_back() const;

        CqRingMemory& m_memory;
        Timeline::Slot m_slot;
        WriteBeats m_beats;
        std::vector<Open> m_open;  ///< by the numbers of `m_beats`
    };
    class HostPort final : public tlm::tlm_fw_transport_if<> {
      public:
        explicit HostPort(CqRingMemory& memory)
            : m_memory(memory) {}

      private:
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                           tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) override;
        void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
        bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
        unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

        CqRingMemory& m_memory;
    };

    void due(TimePs now) override;
    TimePs due_time(const tlm::tlm_generic_payload& payload, TimePs from);
    void ask_for_time(const Lane& lane);
    /// Moves all the bytes and sets the response status.
    void access(tlm::tlm_generic_payload& payload) {
        access(payload, 0, payload.get_data_length());
    }
    /// Moves `moved` of them, from `first` on.
    void access(tlm::tlm_generic_payload& payload, std::uint64_t first, std::uint64_t moved);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    MemoryConfig m_config;
    HostMemory m_bytes;
    RingWatcher* m_watcher = nullptr;
    Lane m_writes;
    Lane m_reads;
    Port m_dma{*this, dma_tsock, tlm::TLM_WRITE_COMMAND, m_writes};
    Port m_event_dma{*this, event_dma_tsock, tlm::TLM_WRITE_COMMAND, m_writes};
    Port m_records{*this, record_tsock, tlm::TLM_READ_COMMAND, m_reads};
    HostPort m_host{*this};
    TimePs m_path_free_at{};  ///< the shared path to memory
    std::uint64_t m_ps_per_kib = 0;
    std::unique_ptr<BeatPath> m_beats;  ///< null when every write is visible at once, in order
};

}  // namespace cqsim
