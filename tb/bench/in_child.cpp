// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/in_child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace cqsim::tb::bench {

void in_child(const std::function<void(void*)>& work, void* result, unsigned size) {
    int ends[2];
    if (pipe(ends) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe");
    }
    const pid_t child = fork();
    if (child == -1) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    if (child == 0) {
        try {
            work(result);
            const bool sent = write(ends[1], result, size) == static_cast<ssize_t>(size);
            _exit(sent ? 0 : 1);
        } catch (const std::exception& error) {
            std::cerr << "cqsim-bench: " << error.what() << '\n';
        }
        _exit(1);
    }
    close(ends[1]);
    const bool received = read(ends[0], result, size) == static_cast<ssize_t>(size);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!received || status != 0) {
        throw std::runtime_error("a measurement in a process of its own failed");
    }
}

}  // namespace cqsim::tb::bench
