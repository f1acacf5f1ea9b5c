// SPDX-License-Identifier: Apache-2.0
#include "tb/app/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace cqsim::tb::app {
namespace {

// A signal handler has no other place to leave its mark.
volatile std::sig_atomic_t g_interrupted = 0;

}  // namespace

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) { g_interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction before {};
        // What the caller ignores (nohup, a job in the background) stays ignored.
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signal, &action, nullptr);
        }
    }
}

bool interrupted() {
    return g_interrupted != 0;
}

}  // namespace cqsim::tb::app
