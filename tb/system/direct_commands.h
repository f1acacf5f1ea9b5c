// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stands where the engine has no command unit and no doorbell unit.
#pragma once

#include "models/protocol/command_link.h"

#include <systemc>
#include <tlm>

namespace cqsim::tb {

/// Hands the commands that create CQs and QPs straight to their owners; a new QP can work at once.
/// Every other command is Invalid, and every access to the BAR is refused.
class DirectCommands final : public sc_core::sc_module,
                             private CommandForward,
                             private NoBackward<CqCommandProtocol>,
                             private QpCommandBackward,
                             private tlm::tlm_fw_transport_if<> {
  public:
    CommandTarget command_tsock{"command_tsock"};
    tlm::tlm_target_socket<> mmio_tsock{"mmio_tsock"};
    CqCommandInitiator cq_command_isock{"cq_command_isock"};
    QpCommandInitiator qp_command_isock{"qp_command_isock"};

    explicit DirectCommands(const sc_core::sc_module_name& module_name);

  private:
    CommandStatus submit(std::uint32_t ticket,
                         const Command& command,
                         CommandAnswer& answer) override;
    void qp_command_done(Qpn /*qpn*/, const CommandAnswer& /*answer*/) override {}
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
};

}  // namespace cqsim::tb
