// SPDX-License-Identifier: Apache-2.0
/// \file
/// A histogram of times in log-linear buckets of at most 1 % error.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace cqsim::tb {

/// Counts 64-bit values. Memory grows with the octaves that occur; exact minimum, maximum, mean.
class Histogram {
  public:
    void add(std::uint64_t value) {
        const unsigned octave = octave_of(value);
        if (!m_octaves[octave]) {
            m_octaves[octave] = std::make_unique<Octave>();
        }
        ++(*m_octaves[octave])[bucket_of(value, octave)];
        ++m_count;
        m_min = value < m_min ? value : m_min;
        m_max = value > m_max ? value : m_max;
        const auto real = static_cast<double>(value);
        m_sum += real;
        m_squares += real * real;
    }

    std::uint64_t count() const { return m_count; }
    std::uint64_t min() const { return m_count == 0 ? 0 : m_min; }
    std::uint64_t max() const { return m_max; }
    double mean() const;
    double stdev() const;
    /// The value that a share of all values does not exceed, 0 < share <= 1, to 1 %.
    double percentile(double share) const;

  private:
    static constexpr unsigned kSubBits = 7;  ///< 128 buckets an octave: below 1 %
    using Octave = std::array<std::uint64_t, 1U << kSubBits>;

    static unsigned octave_of(std::uint64_t value) {
        return value < (1U << kSubBits)
                   ? 0
                   : 64U - static_cast<unsigned>(__builtin_clzll(value)) - kSubBits;
    }
    static std::size_t bucket_of(std::uint64_t value, unsigned octave) {
        return octave == 0 ? value : (value >> (octave - 1)) - (1U << kSubBits);
    }
    static double middle_of(unsigned octave, std::size_t bucket);

    std::array<std::unique_ptr<Octave>, 64 - kSubBits + 1> m_octaves;
    std::uint64_t m_count = 0;
    std::uint64_t m_min = UINT64_MAX;
    std::uint64_t m_max = 0;
    double m_sum = 0;
    double m_squares = 0;
};

}  // namespace cqsim::tb
