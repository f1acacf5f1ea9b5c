// SPDX-License-Identifier: Apache-2.0
/// \file
/// Passive monitors on the memory-mapped sockets (P3): they see the raw bytes and decode them with
/// the checkers' decoder, not with the model's.
#pragma once

#include "models/observe/record_stream.h"
#include "models/time/timeline.h"
#include "tb/check/entry.h"
#include "tb/record/ring_map.h"

#include <systemc>
#include <tlm>

namespace cqsim::tb {

/// Stands in a memory-mapped link and passes everything on unchanged.
class MemoryMonitor : public sc_core::sc_module,
                      public tlm::tlm_fw_transport_if<>,
                      public tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_target_socket<> tsock{"tsock"};
    tlm::tlm_initiator_socket<> isock{"isock"};

  protected:
    MemoryMonitor(const sc_core::sc_module_name& module_name,
                  const Timeline& timeline,
                  RecordStream& records,
                  RingMap& map);

    /// A request passes, before the target has seen it. It begins at `at`: now, and the annotated
    /// delay of the call.
    virtual void request(const tlm::tlm_generic_payload& payload, TimePs at) = 0;
    /// It is done at `at`; the response status is set.
    virtual void response(const tlm::tlm_generic_payload& payload, TimePs at) = 0;

    /// Writes a record of the kind about the entry in the payload.
    void observe_entry(Kind kind,
                       RingMap::Place place,
                       const tlm::tlm_generic_payload& payload,
                       TimePs at);

    void attach(Record& record, const tlm::tlm_generic_payload& payload);

    /// Software wrote the consumer index of a CQ, device-visible width, to `address`.
    void observe_consumer(Cqn cqn, std::uint32_t index, std::uint64_t address, TimePs at);

    const Timeline& m_timeline;
    RecordStream& m_records;
    RingMap& m_map;
    std::uint8_t m_source;

  private:
    void published(Cqn cqn, std::uint32_t index);
    TimePs after(const sc_core::sc_time& delay) const {
        return m_timeline.now() + TimePs{delay.value()};
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
        return isock->get_direct_mem_ptr(payload, dmi);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
        return isock->transport_dbg(payload);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
        tsock->invalidate_direct_mem_ptr(start, end);
    }
};

/// On a DMA socket of the device: `cqe_write` and `cqe_visible`, `eqe` and `irq`. The block may
/// have several, each with a monitor.
class DmaMonitor final : public MemoryMonitor {
  public:
    DmaMonitor(const sc_core::sc_module_name& module_name,
               const Timeline& timeline,
               RecordStream& records,
               RingMap& map)
        : MemoryMonitor(module_name, timeline, records, map) {}

  private:
    void request(const tlm::tlm_generic_payload& payload, TimePs at) override;
    void response(const tlm::tlm_generic_payload& payload, TimePs at) override;
    void observe_event(RingMap::EqPlace place, const tlm::tlm_generic_payload& payload, TimePs at);
};

/// On the host's accesses: `poll`, `ci` and `sweep`. A poll is a read of a whole entry that finds a
/// valid one, at the place behind the last poll or behind entries that were swept out; software
/// that only looks at entries (S7.7) reads them in parts, or through debug accesses.
class HostMonitor final : public MemoryMonitor {
  public:
    HostMonitor(const sc_core::sc_module_name& module_name,
                const Timeline& timeline,
                RecordStream& records,
                RingMap& map)
        : MemoryMonitor(module_name, timeline, records, map) {}

  private:
    void request(const tlm::tlm_generic_payload& payload, TimePs at) override;
    void response(const tlm::tlm_generic_payload& payload, TimePs at) override;
    bool takes(RingReading& reading, std::uint32_t slot, const check::Entry& entry) const;
};

/// On the host's writes into the device's registers: `arm`, `ack` and `ci`, before the device acts
/// on them. The `ci` of an increment has the index that all increments so far add up to.
class MmioMonitor final : public MemoryMonitor {
  public:
    /// `base`: the address at which the registers begin on this socket.
    MmioMonitor(const sc_core::sc_module_name& module_name,
                const Timeline& timeline,
                RecordStream& records,
                RingMap& map,
                std::uint64_t base = 0)
        : MemoryMonitor(module_name, timeline, records, map),
          m_base(base) {}

  private:
    void request(const tlm::tlm_generic_payload& payload, TimePs at) override;
    void response(const tlm::tlm_generic_payload& /*payload*/, TimePs /*at*/) override {}

    std::uint64_t m_base;
};

}  // namespace cqsim::tb
