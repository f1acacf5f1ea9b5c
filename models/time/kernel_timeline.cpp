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
    m_reached = now;
    TimePs next = run_due(now);
    if (next < m_horizon) {
        const TimePs bound = kernel_bound();
        while (next < bound) {
            m_reached = next;
            next = run_due(next);
        }
    }
    if (next != kNever) {
        notify(next, now);
    } else if (m_reached != now) {
        notify(m_reached, now);  // the kernel's time catches up
    }
}

/// Up to where blocks may run without the kernel: the next thing that it has to do, or the horizon.
TimePs KernelTimeline::kernel_bound() const {
    sc_core::sc_simcontext* context = sc_core::sc_get_curr_simcontext();
    if (sc_core::sc_pending_activity_at_current_time(context)) {
        return {};
    }
    const TimePs pending =
        kernel_now() + TimePs{sc_core::sc_time_to_pending_activity(context).value()};
    return sc_core::sc_pending_activity_at_future_time(context) && pending < m_horizon ? pending
                                                                                       : m_horizon;
}

void KernelTimeline::notify(TimePs t, TimePs now) {
    m_due.notify(to_sc_time(t > now ? t - now : TimePs{}));
}

}  // namespace cqsim
