// SPDX-License-Identifier: Apache-2.0
/// \file
/// Record streams made by hand for the tests of the waves.
#pragma once

#include "models/observe/record.h"
#include "models/verbs/verbs.h"
#include "tb/record/run_header.h"
#include "tb/unit/vcd_file.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb::test {

inline constexpr Cqn kCq{0};
inline constexpr Qpn kQp{0};

RunHeader header_of(std::vector<NamedRange> cq, std::vector<NamedRange> qp);

/// Writes the waves of these records and reads them back.
VcdFile waves_of(const RunHeader& header, const std::vector<Record>& records);

/// A record with the fields that most kinds have; the rest is set by the caller.
Record record_of(Kind kind, std::uint64_t time_ps, Cqn cqn = kNoCq, Qpn qpn = kNoQp);
Record create_cq(std::uint64_t time_ps, Cqn cqn, std::uint32_t depth, std::uint32_t first = 0);
Record create_qp(std::uint64_t time_ps, Qpn qpn, Cqn send_cq, Cqn recv_cq);
Record slot_of(std::uint64_t time_ps, Cqn cqn, std::uint32_t index, std::uint8_t owner);
/// A record of the DMA or host monitor: CqeWrite, CqeVisible, Poll.
Record entry_of(Kind kind,
                std::uint64_t time_ps,
                Cqn cqn,
                std::uint32_t slot,
                Qpn qpn,
                WcStatus status = WcStatus::Success);
Record ci_of(std::uint64_t time_ps, Cqn cqn, std::uint32_t index);

/// Whether the host polls all along, or stops so that a ring overflows.
enum class FirstLookHost : std::uint8_t { Polls, Stops };

/// Three QPs and two CQs, as scenarios/first_look.toml: sends signaled 1 in 4, receives, a ring of
/// 8 that wraps three times, and a QP whose last send fails.
RunHeader first_look_header();
std::vector<Record> first_look_records(FirstLookHost host);

}  // namespace cqsim::tb::test
