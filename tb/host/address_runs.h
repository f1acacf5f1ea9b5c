// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which CQ owns an address, for rings or doorbell records that software laid out.
#pragma once

#include "models/verbs/ids.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// Places in memory by address. Places of one size, one behind the other and in order of their CQ
/// numbers, are one run, so that even many CQs are found without a look into a large table.
class AddressRuns {
  public:
    /// What lies at an address.
    struct Place {
        Cqn cqn = kNoCq;  ///< kNoCq: nothing
        std::uint64_t offset = 0;
    };

    /// `bytes` bytes from `address` on belong to the CQ; at least 1, and no other CQ's. The same
    /// once more, when a CQ is created anew where it lay, changes nothing.
    void add(std::uint64_t address, std::uint64_t bytes, Cqn cqn) {
        if (at(address).cqn == cqn) {
            return;
        }
        const auto after = run_after(address);
        if (after != m_runs.begin()) {
            Run& before = *(m_runs.begin() + (after - m_runs.begin() - 1));
            const std::uint64_t count = (before.end - before.start) / before.bytes;
            if (before.end == address && before.bytes == bytes &&
                before.first + count == index_of(cqn)) {
                before.end += bytes;
                return;
            }
        }
        m_runs.insert(after, Run{address, address + bytes, bytes, index_of(cqn), log2_of(bytes)});
    }

    Place at(std::uint64_t address) const {
        const auto after = run_after(address);
        if (after == m_runs.begin()) {
            return {};
        }
        const Run& run = *(after - 1);
        if (address >= run.end) {
            return {};
        }
        const std::uint64_t offset = address - run.start;
        // Sizes usually are powers of two, and a division costs as much as all the rest.
        const std::uint64_t place =
            (run.bytes & (run.bytes - 1)) == 0 ? offset >> run.shift : offset / run.bytes;
        return {Cqn{run.first + static_cast<std::uint32_t>(place)}, offset - place * run.bytes};
    }

  private:
    struct Run {
        std::uint64_t start;
        std::uint64_t end;
        std::uint64_t bytes;  ///< of one place
        std::uint32_t first;  ///< CQ number of the first place
        std::uint32_t shift;  ///< log2 of bytes
    };

    static std::uint32_t log2_of(std::uint64_t bytes) {
        return 63U - static_cast<std::uint32_t>(__builtin_clzll(bytes));
    }
    std::vector<Run>::const_iterator run_after(std::uint64_t address) const {
        return std::upper_bound(
            m_runs.begin(), m_runs.end(), address, [](std::uint64_t wanted, const Run& run) {
                return wanted < run.start;
            });
    }

    std::vector<Run> m_runs;  ///< in order of their starts
};

}  // namespace cqsim::tb
