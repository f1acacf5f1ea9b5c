// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an observer must know beside the records: the first line of events.jsonl.
#pragma once

#include "models/verbs/cq.h"
#include "models/verbs/ids.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb {

/// `count` objects of consecutive numbers from `first`, under one name.
struct NamedRange {
    std::string name;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// `count` QPs from `first` are connected to those from `peer`.
struct ConnectedRange {
    std::uint32_t first = 0;
    std::uint32_t peer = 0;
    std::uint32_t count = 0;
    std::uint32_t retry_cnt = 7;  ///< 0 .. 7
    std::uint32_t rnr_retry = 7;  ///< 0 .. 6; 7: for ever
};

/// Names, and every knob that a checker needs.
struct RunHeader {
    static constexpr std::uint32_t kSchema = 1;

    std::string scenario;
    std::uint64_t seed = 0;
    std::string cqe_format = "native";
    std::uint32_t index_width = 32;  ///< bits of device-visible indices
    // Words of header_policies().
    /// Ring writes become visible as they were issued, whole; "relaxed": in any order.
    std::string memory_ordering = "in_order";
    std::string cq_full = "depth";            ///< K01: full with so many entries not consumed
    std::string owner = "parity";             ///< K02: one of kOwnerSchemeNames
    std::string send_byte_len = "undefined";  ///< K19: byte_len of a SEND or WRITE that succeeds
    /// K20: software returns slots in doorbell "record"s, by "mmio", or by "increment"s.
    std::string consumer_index = "record";
    std::string slot_release = "poll";  ///< K26: what frees a slot of a send queue: the "poll" of
                                        ///< an entry that retires it, or its "completion"
    /// K18: which queue of a failed QP flushes first; "interleaved": neither.
    std::string flush_order = "interleaved";
    std::string reset_from = "any";          ///< K21: from "any" state, or from "error"
    std::string failed_sends = "solicited";  ///< K11: what a failed entry of a send is, or "plain"
    std::string cq_error = "sticky";         ///< K03: a CQ in error takes nothing, even drained
    std::string cq_err = "once";             ///< K04: CQ_ERR is raised once for a CQ
    std::string qp_fatal = "once";       ///< K06: QP_FATAL is raised once for a QP that is refused
    std::string overrun_ignore = "off";  ///< K12: what is not consumed is overwritten by no CQ
                                         ///< that did not ask for it
    std::vector<NamedRange> cq;
    std::vector<NamedRange> qp;
    std::vector<NamedRange> eq;
    std::vector<NamedRange> srq;
    std::uint32_t vectors = 0;           ///< of the MSI-X table, from 0
    std::string arm = "edge";            ///< K09: "edge" or "level"
    std::uint64_t event_latency_ps = 0;  ///< most from an entry in memory to its event
    bool moderation_break = true;        ///< K15: a solicited or failed entry breaks moderation
    std::string eq_overflow = "fatal";   ///< K13: "fatal", "drop" or "back_pressure"
    std::vector<ConnectedRange> connection;

    /// "shared", or "shared[3]" for a member of a group; "cq 7" for one without a name.
    std::string cq_name(Cqn cqn) const;
    std::string qp_name(Qpn qpn) const;
    std::string eq_name(Eqn eqn) const;
    std::string srq_name(Srqn srqn) const;
};

/// A policy of the device on which verdicts depend, and the words that there are for it.
struct HeaderPolicy {
    const char* key;
    std::string RunHeader::*value;
    std::vector<std::string_view> words;
    bool optional = false;  ///< left out: the first word
};

inline const std::vector<HeaderPolicy>& header_policies() {
    static const std::vector<HeaderPolicy> policies{
        {"memory_ordering", &RunHeader::memory_ordering, {"in_order", "relaxed"}},
        {"cq_full", &RunHeader::cq_full, {"depth", "depth_minus_one"}},
        {"cq_error", &RunHeader::cq_error, {"sticky"}},
        {"cq_err", &RunHeader::cq_err, {"once"}},
        {"qp_fatal", &RunHeader::qp_fatal, {"once"}},
        {"overrun_ignore", &RunHeader::overrun_ignore, {"off"}},
        {"owner", &RunHeader::owner, {kOwnerSchemeNames.begin(), kOwnerSchemeNames.end()}, true},
        {"send_byte_len", &RunHeader::send_byte_len, {"undefined", "length"}, true},
        {"consumer_index", &RunHeader::consumer_index, {"record", "mmio", "increment"}, true},
        {"slot_release", &RunHeader::slot_release, {"poll", "completion"}, true},
        {"flush_order", &RunHeader::flush_order, {"interleaved", "sq_then_rq", "rq_then_sq"}, true},
        {"reset_from", &RunHeader::reset_from, {"any", "error"}, true},
        {"failed_sends", &RunHeader::failed_sends, {"solicited", "plain"}, true},
    };
    return policies;
}

}  // namespace cqsim::tb
