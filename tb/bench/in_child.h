// SPDX-License-Identifier: Apache-2.0
/// \file
/// Work in a process of its own.
#pragma once

#include <functional>
#include <type_traits>

namespace cqsim::tb::bench {

/// Runs `work` in a child process, which writes `size` bytes of result into the memory that it is
/// given. \throws std::runtime_error if it does not come to its end.
void in_child(const std::function<void(void*)>& work, void* result, unsigned size);

template <class Result, class Work>
Result in_child(Work work) {
    static_assert(std::is_trivially_copyable_v<Result>);
    Result result{};
    in_child(
        [&work](void* place) { *static_cast<Result*>(place) = work(); }, &result, sizeof result);
    return result;
}

}  // namespace cqsim::tb::bench
