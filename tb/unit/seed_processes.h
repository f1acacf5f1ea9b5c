// SPDX-License-Identifier: Apache-2.0
/// \file
/// An elaboration is once in a process: runs each seed in one of its own.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace cqsim::test {

/// Seeds 1 .. this are compared: 200; with CQSIM_FULL=1 in the environment 1,000.
inline std::uint64_t compared_seeds() {
    const char* full = std::getenv("CQSIM_FULL");
    return full != nullptr && *full == '1' ? 1'000 : 200;
}

/// Forks a child for each run and waits for it. What it has found out, a value, and what went wrong
/// come back through shared memory.
template <class Found>
class SeedProcesses {
    static_assert(std::is_trivially_copyable_v<Found>);

  public:
    /// \throws std::runtime_error when the system gives no memory.
    SeedProcesses() {
        void* room = mmap(
            nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) {
            throw std::runtime_error("SeedProcesses: no shared memory");
        }
        m_shared = new (room) Shared;
    }
    SeedProcesses(const SeedProcesses&) = delete;
    SeedProcesses& operator=(const SeedProcesses&) = delete;
    ~SeedProcesses() { munmap(m_shared, sizeof(Shared)); }

    /// `child` fills in what it found and returns what went wrong, empty if nothing did.
    /// \returns the same; or how the child ended, if it did not get so far.
    template <class Child>
    std::string run(Child child, Found& found) {
        *m_shared = Shared{};
        const pid_t pid = fork();
        if (pid == 0) {
            tell(child);
            _exit(0);
        }
        int status = 0;
        if (pid < 0 || waitpid(pid, &status, 0) != pid) {
            return "no process for the seed";
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !m_shared->done) {
            return "the process of the seed ended with status " + std::to_string(status);
        }
        found = m_shared->found;
        return m_shared->text;
    }

  private:
    struct Shared {
        Found found{};
        bool done = false;
        char text[2000] = {};
    };

    template <class Child>
    void tell(Child child) {
        std::string text;
        try {
            text = child(m_shared->found);
        } catch (const std::exception& error) {
            text = error.what();
        }
        std::strncpy(m_shared->text, text.c_str(), sizeof m_shared->text - 1);
        m_shared->done = true;
    }

    Shared* m_shared;
};

}  // namespace cqsim::test
