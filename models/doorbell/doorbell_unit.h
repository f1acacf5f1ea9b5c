// SPDX-License-Identifier: Apache-2.0
/// \file
/// The doorbell unit: takes what software writes into the BAR and hands it on.
#pragma once

#include "models/doorbell/doorbell_rules.h"
#include "models/observe/record_stream.h"
#include "models/protocol/consumer_link.h"
#include "models/protocol/event_link.h"
#include "models/rows/due_ring.h"
#include "models/time/timeline.h"

#include <systemc>
#include <tlm>

#include <array>

namespace cqsim {

/// The sockets of a doorbell unit: what any replacement must have.
class DoorbellUnitPorts : public sc_core::sc_module {
  public:
    tlm::tlm_target_socket<> mmio_tsock{"mmio_tsock"};
    NotifyInitiator notify_isock{"notify_isock"};
    ConsumerInitiator consumer_isock{"consumer_isock"};

  protected:
    explicit DoorbellUnitPorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

/// Writes are posted: the bus hears at once whether it was a register's write, and the effect comes
/// with the call, or when the annotated delay is over; writes never pass one another. An
/// `nb_transport` request is completed in the call. There is no debug access and no DMI.
///
/// A posted write cannot be answered: one that is refused has no effect but a count and a record.
class DoorbellUnit final : public DoorbellUnitPorts,
                           private tlm::tlm_fw_transport_if<>,
                           private NoBackward<NotifyProtocol>,
                           private NoBackward<ConsumerProtocol>,
                           private TimedBlock {
  public:
    DoorbellUnit(const sc_core::sc_module_name& module_name,
                 Timeline& timeline,
                 RecordStream& records,
                 const DoorbellConfig& config);

    /// Writes that had no effect, for this reason.
    std::uint64_t refused(DoorbellRefusal refusal) const {
        return m_refused.at(static_cast<std::size_t>(refusal));
    }
    /// Writes whose delay is not over.
    std::size_t pending() const { return m_delayed.size(); }

  private:
    struct Delayed {
        TimePs at{};
        Doorbell doorbell;
    };

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    void due(TimePs now) override;

    void act(const Doorbell& doorbell);
    void refuse(const Doorbell& doorbell, DoorbellRefusal refusal, CommandResult result);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    const DoorbellConfig m_config;
    DueRing<Delayed> m_delayed;
    std::array<std::uint64_t, kDoorbellRefusals> m_refused{};
};

}  // namespace cqsim
