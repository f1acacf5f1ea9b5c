// SPDX-License-Identifier: Apache-2.0
/// \file
/// How often things arose in a run: of what never arose a property test says nothing.
#pragma once

#include "models/verbs/verbs.h"

#include <array>
#include <cstdint>
#include <string>

namespace cqsim::tb::test {

/// Counters by number: those of enumerations first, then single ones. Trivially copyable.
class Coverage {
  public:
    static constexpr std::size_t kOpcodes = 16;   ///< posted, by WrOpcode
    static constexpr std::size_t kStatuses = 24;  ///< ended with, by WcStatus
    static constexpr std::size_t kStates = 7;     ///< entered, by QpState
    enum Single : std::uint8_t {
        UnsignaledSuccess,   ///< suppressed (S2.1)
        Retired,             ///< and retired by a later one (S2.4)
        UnsignaledFailure,   ///< reported although nobody asked (S2.2)
        SignaledByQueue,     ///< by sq_sig_all alone
        ReceiveWithImm,      ///< a receive of an RDMA write (S2.10)
        FlushOnBothQueues,   ///< of one failure (S2.18)
        PostedInErr,         ///< and flushed (S2.18)
        SendFlushedInSqe,    ///< (S2.22)
        ReceiveInSqe,        ///< that succeeded (S2.22)
        LeftSqe,             ///< back to RTS (S2.22)
        PostedInSqd,         ///< a send, which waits (S2.23)
        SqDrained,           ///< the event (S2.23)
        RunsOnAfterFailure,  ///< GENERAL_ERR of UD (S1.11), cut short (S2.15)
        Overrun,             ///< (S5.3a)
        RefusedInError,      ///< of a CQ in error (S5.3c)
        QpFatal,             ///< (S5.3d)
        ToldReset,           ///< a RESET by software
        ToldErr,             ///< an ERR by software (S2.19)
        EndOfLife,           ///< by reset or destroy
        EndOfLifeInFlight,   ///< with completions inside the block (D3)
        Cancelled,           ///< requests (S7.3)
        NextLife,            ///< requests posted in a later life of a QP number
        StalePolled,         ///< an entry of a life that is over (S7.1)
        Swept,               ///< out of the ring (S7.7)
        Event,               ///< completion events
        SharedTaken,         ///< requests of SRQs (S2.11)
        LastWqe,             ///< QP_LAST_WQE_REACHED (S2.26)
        SrqLimit,            ///< SRQ_LIMIT_REACHED (S5.9)
        Idle,                ///< runs that end with nothing to do
        CutOff,              ///< at their hard end
        Stalled,             ///< with work that waits for software
        Request,             ///< packets over the wire: messages
        Ack,                 ///< and what answers them (S2.7)
        Rnr,                 ///< RNR NAKs (S2.16 B)
        Nak,                 ///< other NAKs
    };
    static constexpr std::size_t kSingles = Nak + 1;
    static constexpr std::size_t kAll = kOpcodes + kStatuses + kStates + kSingles;

    void add(WrOpcode opcode) { ++m_counts.at(static_cast<std::size_t>(opcode)); }
    void add(WcStatus status) { ++m_counts.at(kOpcodes + static_cast<std::size_t>(status)); }
    void add(QpState state) {
        ++m_counts.at(kOpcodes + kStatuses + static_cast<std::size_t>(state));
    }
    void add(Single what) { ++m_counts.at(kOpcodes + kStatuses + kStates + what); }
    void add(const Coverage& other) {
        for (std::size_t i = 0; i < kAll; ++i) {
            m_counts.at(i) += other.m_counts.at(i);
        }
    }

    std::uint64_t operator[](std::size_t number) const { return m_counts.at(number); }
    /// Whether a draw without shared receive queues can bring it about.
    static bool may_arise(std::size_t number);
    /// For texts.
    static std::string name_of(std::size_t number);

  private:
    std::array<std::uint64_t, kAll> m_counts{};
};

}  // namespace cqsim::tb::test
