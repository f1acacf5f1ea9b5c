// SPDX-License-Identifier: Apache-2.0
/// \file
/// The untimed composition and what drives it.
#pragma once

#include "tb/unit/core_software.h"
#include "tb/unit/core_untimed_device.h"

namespace cqsim::test {

/// A value: a copy goes on as the original would.
class UntimedRun {
    auto between() {
        return [this](Device& on) { software.between(on); };
    }

  public:
    UntimedRun(std::uint64_t seed, std::uint32_t steps)
        : device(Setting(seed)),
          software(seed, steps) {}

    /// The inputs of the next time stamp. \returns whether there is more to come behind it.
    bool begin() {
        device.advance(m_next, between());
        const bool more = software.play(device);
        m_next += software.pause();
        return more;
    }
    /// What the block does then.
    void settle() { device.settle(between()); }
    void play() {
        bool more = true;
        while (more) {
            more = begin();
            settle();
        }
        device.advance(kNever, between());
        device.stand();
    }

    UntimedDevice device;
    Software software;

  private:
    TimePs m_next{kStamp};
};

}  // namespace cqsim::test
