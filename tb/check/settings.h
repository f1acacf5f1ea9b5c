// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the checkers must know about a run beside its records.
#pragma once

#include "models/verbs/cq.h"
#include "tb/check/rules.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace cqsim::tb::check {

struct Settings {
    /// Bits of device-visible indices, 1 .. 32.
    std::uint32_t index_width = 32;
    /// Of an index, of 64 bits that count on for ever.
    std::uint32_t index_mask() const {
        return static_cast<std::uint32_t>((std::uint64_t{1} << index_width) - 1);
    }
    /// The format of entries of CQs that do not say theirs: one of kCqeFormatNames.
    std::string cqe_format = std::string(kCqeFormatNames.front());
    /// What the device does where the semantics sheet leaves it open.
    /// Ring writes become visible as they were issued, "in_order", or "relaxed".
    std::string memory_ordering = "in_order";
    /// K01: with how many entries that are not consumed a CQ is full: "depth", "depth_minus_one".
    std::string cq_full = "depth";
    /// K02: one of kOwnerSchemeNames.
    std::string owner = std::string(kOwnerSchemeNames.front());
    /// K20: software returns slots in a doorbell "record", by "mmio", or by "increment"s.
    std::string consumer_index = "record";
    /// K19: whether a SEND or WRITE that succeeds has a byte_len: "undefined", "length".
    std::string send_byte_len = "undefined";
    /// K26: when a slot of a send queue is free again: "poll", "completion".
    std::string slot_release = "poll";
    bool sticky_error = true;      ///< K03
    bool cq_err_once = true;       ///< K04
    bool qp_fatal_once = true;     ///< K06
    bool overrun_ignored = false;  ///< K12, of CQs that do not ask for it
    /// At most so long after an entry is in memory the device decides on its event, ps.
    std::uint64_t event_latency_ps = 0;
    /// K18: which queue of a failed QP flushes first; "interleaved": neither, "sq_then_rq",
    /// "rq_then_sq".
    std::string flush_order = "interleaved";
    /// K21: from which states software may reset a QP: "any", "error".
    std::string reset_from = "any";
    /// K11: what a failed entry of a send is: "solicited", or "plain".
    std::string failed_sends = "solicited";
    /// K09: whether a CQ is armed by edge or by level: "edge", "level".
    std::string arm = "edge";
    /// K15: a solicited or failed entry breaks moderation.
    bool moderation_break = true;
    /// K13: what a full event queue does: "fatal", "drop", "back_pressure".
    std::string eq_overflow = "fatal";
    /// `count` QPs from `first` send to those from `peer`, and back.
    struct Connection {
        std::uint32_t first = 0;
        std::uint32_t peer = 0;
        std::uint32_t count = 0;
        std::uint32_t retry_cnt = 7;  ///< S2.8: so often a request is sent again at most
        std::uint32_t rnr_retry = 7;  ///< so often after RNR NAKs; 7: for ever
    };
    std::vector<Connection> connection;
    Names names;

    bool writes_in_order() const { return memory_ordering != "relaxed"; }
    /// The register of the BAR, by its documentation, that takes consumer indices; 0: doorbell
    /// records.
    std::uint64_t consumer_register() const {
        constexpr std::uint64_t kCqConsumer = 0x28;
        constexpr std::uint64_t kCqCredit = 0x30;
        return consumer_index == "mmio"        ? kCqConsumer
               : consumer_index == "increment" ? kCqCredit
                                               : 0;
    }
    /// Slots of a full ring that hold no entry (K01).
    std::uint32_t unused_slots() const { return cq_full == "depth_minus_one" ? 1 : 0; }
    /// Parity for a word that names no scheme.
    OwnerScheme owner_scheme() const {
        const auto* const word =
            std::find(kOwnerSchemeNames.begin(), kOwnerSchemeNames.end(), owner);
        return word == kOwnerSchemeNames.end()
                   ? OwnerScheme::Parity
                   : static_cast<OwnerScheme>(word - kOwnerSchemeNames.begin());
    }
};

}  // namespace cqsim::tb::check
