// SPDX-License-Identifier: Apache-2.0
#include "tb/report/histogram.h"

#include <algorithm>
#include <cmath>

namespace cqsim::tb {

double Histogram::mean() const {
    return m_count == 0 ? 0 : m_sum / static_cast<double>(m_count);
}

double Histogram::stdev() const {
    if (m_count == 0) {
        return 0;
    }
    const double average = mean();
    return std::sqrt(std::max(0.0, m_squares / static_cast<double>(m_count) - average * average));
}

double Histogram::middle_of(unsigned octave, std::size_t bucket) {
    if (octave == 0) {
        return static_cast<double>(bucket);
    }
    const double width = std::ldexp(1.0, static_cast<int>(octave) - 1);
    const auto first = static_cast<double>((std::uint64_t{1} << kSubBits) + bucket) * width;
    return first + (width - 1) / 2;
}

double Histogram::percentile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(m_count)));
    std::uint64_t seen = 0;
    for (unsigned octave = 0; octave < m_octaves.size(); ++octave) {
        if (!m_octaves[octave]) {
            continue;
        }
        for (std::size_t bucket = 0; bucket < m_octaves[octave]->size(); ++bucket) {
            seen += (*m_octaves[octave])[bucket];
            if (seen >= wanted && seen != 0) {
                return std::clamp(middle_of(octave, bucket),
                                  static_cast<double>(min()),
                                  static_cast<double>(m_max));
            }
        }
    }
    return 0;
}

}  // namespace cqsim::tb
