// SPDX-License-Identifier: Apache-2.0
#include "tb/system/direct_commands.h"

namespace cqsim::tb {

DirectCommands::DirectCommands(const sc_core::sc_module_name& module_name)
    : sc_module(module_name) {
    command_tsock.bind(static_cast<CommandForward&>(*this));
    mmio_tsock.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    cq_command_isock.bind(static_cast<NoBackward<CqCommandProtocol>&>(*this));
    qp_command_isock.bind(static_cast<QpCommandBackward&>(*this));
}

CommandStatus DirectCommands::submit(std::uint32_t /*ticket*/,
                                     const Command& command,
                                     CommandAnswer& answer) {
    const auto* modified = std::get_if<ModifyQp>(&command);
    if (const auto* cq = std::get_if<CreateCq>(&command); cq != nullptr && cq->eqn == kNoEqn) {
        answer.result = cq_command_isock->create_cq(*cq);
    } else if (const auto* qp = std::get_if<CreateQp>(&command)) {
        answer = qp_command_isock->create_qp(*qp);
    } else if (modified != nullptr && modified->state != QpState::Reset) {
        answer.result = CommandResult::Ok;
    } else {
        answer.result = CommandResult::Invalid;
    }
    return CommandStatus::Done;
}

void DirectCommands::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

tlm::tlm_sync_enum DirectCommands::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                   tlm::tlm_phase& /*phase*/,
                                                   sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

}  // namespace cqsim::tb
