// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of the records that the QP table writes (record.h).
#pragma once

#include "models/qp/qp_rules.h"

namespace cqsim {

/// Kind::Create of a QP.
inline void describe_created(Record& record, const CreateQp& command, std::uint16_t generation) {
    record.qpn = command.qpn;
    record.generation = generation;
    record.a = index_of(command.send_cq);
    record.serial = index_of(command.recv_cq);
    record.index = command.send_depth;
    record.wr_id = command.recv_depth;
    record.flags = command.sq_sig_all ? kSigAll : 0;
    record.state = static_cast<std::uint8_t>(command.type);
    if (command.srqn != kNoSrq) {
        record.flags |= kShared;
        record.unit = static_cast<std::uint16_t>(command.srqn);
    }
}

/// Kind::Modify of a QP, whatever the answer.
inline void describe_asked(Record& record, const ModifyQp& command, const QpRules::Answer& answer) {
    record.qpn = command.qpn;
    record.generation = answer.generation;
    record.state = static_cast<std::uint8_t>(command.state);
    record.a = static_cast<std::uint64_t>(answer.result);
    record.flags = command.sqd_notify ? kNotifies : 0;
}

/// Kind::QpState.
inline void describe_state(Record& record,
                           Qpn qpn,
                           std::uint16_t generation,
                           const QpRules::Effect& effect) {
    record.qpn = qpn;
    record.generation = generation;
    record.state = static_cast<std::uint8_t>(effect.after);
    record.a = static_cast<std::uint64_t>(effect.before);
}

/// Kind::Destroy of a QP: the end of the life of that generation.
inline void describe_end_of_life(Record& record,
                                 Qpn qpn,
                                 std::uint16_t generation,
                                 DestroyPhase phase) {
    record.qpn = qpn;
    record.generation = generation;
    record.state = static_cast<std::uint8_t>(phase);
}

/// Kind::Async of an SRQ: SRQ_LIMIT_REACHED.
inline void describe_limit_reached(Record& record, Srqn srqn) {
    record.flags = kShared;
    record.unit = static_cast<std::uint16_t>(srqn);
    record.state = static_cast<std::uint8_t>(AsyncEvent::SrqLimitReached);
}

/// Kind::Async of a QP.
inline void describe_async(Record& record, Qpn qpn, std::uint16_t generation, AsyncEvent event) {
    record.qpn = qpn;
    record.generation = generation;
    record.state = static_cast<std::uint8_t>(event);
}

}  // namespace cqsim
