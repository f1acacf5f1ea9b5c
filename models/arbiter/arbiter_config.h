// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/rows/hash.h"

#include <cstdint>

namespace cqsim {

/// Order of service. Each policy chooses among the heads of per-requester FIFOs, so order inside a
/// work queue never changes (S2.4, S3.10).
enum class ArbiterPolicy : std::uint8_t { Fifo, RoundRobin };

/// Who competes: the two taps, the QPs, or the CQs.
enum class Requester : std::uint8_t { Tap, Qp, Cq };

/// How the bounded input is shared (design D3): one pool for all, or so many per requester.
enum class AdmissionPolicy : std::uint8_t { SharedPool, Credits };

/// Which tap is first among completions that arrive at one time stamp (P6).
enum class TieBreak : std::uint8_t { TxFirst, RxFirst, Seeded };

struct ArbiterConfig {
    ArbiterPolicy policy = ArbiterPolicy::RoundRobin;
    Requester requester = Requester::Qp;
    AdmissionPolicy admission = AdmissionPolicy::SharedPool;
    std::uint32_t depth = 64;   ///< completions that wait in the shared pool, 1 .. 2^20
    std::uint32_t credits = 4;  ///< completions that wait per requester under credits, 1 .. 1024
    TieBreak tie_break = TieBreak::TxFirst;

    static constexpr std::uint32_t kMaxDepth = 1U << 20;
    static constexpr std::uint32_t kMaxCredits = 1024;

    friend bool operator==(const ArbiterConfig& l, const ArbiterConfig& r) {
        return l.parts() == r.parts();
    }
    void hash_into(Hasher& hasher) const { hasher.add(hash_of(parts())); }

  private:
    std::tuple<ArbiterPolicy, Requester, AdmissionPolicy, std::uint32_t, std::uint32_t, TieBreak>
    parts() const {
        return {policy, requester, admission, depth, credits, tie_break};
    }
};

}  // namespace cqsim
