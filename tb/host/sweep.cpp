// SPDX-License-Identifier: Apache-2.0
#include "tb/host/sweep.h"

namespace cqsim::tb {

std::uint32_t valid_entries(SweptRing& ring, std::uint32_t consumer, std::uint32_t depth) {
    std::uint32_t count = 0;
    while (count < depth && ring.valid(consumer + count)) {
        ++count;
    }
    return count;
}

std::uint32_t sweep(SweptRing& ring, std::uint32_t consumer, std::uint32_t depth, Qpn qpn) {
    std::uint32_t freed = 0;
    // Counted, not compared: indices wrap at 2^32 (S7.7 step 2).
    for (std::uint32_t left = valid_entries(ring, consumer, depth); left > 0; --left) {
        const std::uint32_t index = consumer + left - 1;
        const cqe::Entry entry = ring.read(index);
        if (ring.qpn_in(entry) == qpn) {
            ring.taken_out(entry);
            ++freed;
        } else if (freed > 0) {
            ring.write(index + freed, entry);
        }
    }
    return freed;
}

}  // namespace cqsim::tb
