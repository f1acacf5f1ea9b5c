// SPDX-License-Identifier: Apache-2.0
#include "models/time/kernel_timeline.h"

namespace cqsim {

KernelTimeline::KernelTimeline(const sc_core::sc_module_name& name)
    : sc_module(name) {
    if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
        SC_REPORT_ERROR("/cqsim/time/resolution",
                        "the time resolution is not 1 ps; leave SystemC's default or call "
                        "sc_set_time_resolution(1, SC_PS)");
    }
    SC_HAS_PROCESS(KernelTimeline);
    SC_METHOD(run);
    sensitive << m_due;
    dont_initialize();
}

TimePs KernelTimeline::outside_now() const {
    return kernel_now();
}

void KernelTimeline::wake(TimePs t) {
    notify(t, kernel_now());
}

void KernelTimeline::run() {
    const TimePs now = kernel_now();
    const TimePs next = run_due(now);
    if (next != kNever) {
        notify(next, now);
    }
}

void KernelTimeline::notify(TimePs t, TimePs now) {
    m_due.notify(to_sc_time(t > now ? t - now : TimePs{}));
}

}  // namespace cqsim
