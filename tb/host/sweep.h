// SPDX-License-Identifier: Apache-2.0
/// \file
/// Taking the entries of one QP out of a ring in place (S7.7, "cq_clean").
#pragma once

#include "models/cqe/cqe_codec.h"

namespace cqsim::tb {

/// A ring as software accesses it, by free-running index.
class SweptRing {
  public:
    /// Whether the slot of this index holds an entry of the index's lap.
    virtual bool valid(std::uint32_t index) = 0;
    virtual cqe::Entry read(std::uint32_t index) = 0;
    /// The QP that an entry names.
    virtual Qpn qpn_in(const cqe::Entry& entry) const = 0;
    /// Overwrites the slot with the entry, but for the owner value: that of the slot stays.
    virtual void write(std::uint32_t index, const cqe::Entry& entry) = 0;
    /// The entry is taken out.
    virtual void taken_out(const cqe::Entry& /*entry*/) {}

  protected:
    ~SweptRing() = default;
};

/// Valid entries from `consumer` on: at most `depth`, all slots of the ring included (S7.8a).
std::uint32_t valid_entries(SweptRing& ring, std::uint32_t consumer, std::uint32_t depth);

/// S7.7: moves the entries of other QPs towards the producer, in their order, over those of `qpn`.
/// The caller then advances its consumer index by the result, and publishes it.
/// \returns how many slots are free now at the consumer's end.
std::uint32_t sweep(SweptRing& ring, std::uint32_t consumer, std::uint32_t depth, Qpn qpn);

}  // namespace cqsim::tb
