// SPDX-License-Identifier: Apache-2.0
/// \file
/// What travels from a pipeline to the CQE writer (design D5).
#pragma once

#include "models/observe/record.h"
#include "models/time/time_ps.h"
#include "models/verbs/verbs.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cqsim {

/// One work request that ended. A value: copied from block to block, never shared.
struct Completion {
    std::uint64_t serial = 0;      ///< unique in a run, from 1; never in ring bytes
    std::uint64_t wr_id = 0;       ///< as posted (S1.1)
    TimePs posted{};               ///< when software posted the request
    TimePs completed{};            ///< when the pipeline ended it
    CompletionDetails details{};   ///< the fields of S1.1 that are defined only on success, and
                                   ///< vendor_err
    Qpn qpn = kNoQp;               ///< the local QP (S1.1)
    Cqn cqn = kNoCq;               ///< stamped by the tap from the QP table
    std::uint32_t wqe_index = 0;   ///< free-running per work queue
    std::uint16_t generation = 0;  ///< which life of the QP number; the pipeline knows it
    QueueKind queue = QueueKind::Send;
    WcStatus status = WcStatus::Success;
    bool signaled = false;   ///< the request asked for a completion (S2.1); send side only
    bool solicited = false;  ///< counts as solicited when it succeeds (S6.2, S6.3)
    std::uint8_t reserved[6] = {};

    friend bool operator==(const Completion& l, const Completion& r) {
        return std::memcmp(&l, &r, sizeof l) == 0;
    }
};
static_assert(sizeof(Completion) <= 96 && std::is_trivially_copyable_v<Completion> &&
              std::has_unique_object_representations_v<Completion>);

/// The answer to a completion (D4): exactly one for each that was taken.
struct CompletionAnswer {
    std::uint64_t serial = 0;
    Qpn qpn = kNoQp;
    std::uint32_t wqe_index = 0;
    std::uint16_t generation = 0;
    QueueKind queue = QueueKind::Send;
    Outcome outcome = Outcome::Granted;
    LostCause cause = LostCause::None;
};

constexpr CompletionAnswer answer_to(const Completion& completion,
                                     Outcome outcome,
                                     LostCause cause = LostCause::None) {
    return {completion.serial,
            completion.qpn,
            completion.wqe_index,
            completion.generation,
            completion.queue,
            outcome,
            cause};
}

}  // namespace cqsim
