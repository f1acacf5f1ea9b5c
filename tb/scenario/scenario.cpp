// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/scenario.h"

#include <algorithm>
#include <stdexcept>

namespace cqsim::tb {
namespace {

/// The group that holds a number: groups lie in the order of their first numbers, without gaps.
template <class Group>
const Group& holder(const std::vector<Group>& groups, std::uint32_t number, const char* kind) {
    const auto after = std::upper_bound(
        groups.begin(), groups.end(), number, [](std::uint32_t n, const Group& group) {
            return n < group.first;
        });
    if (after == groups.begin() || number - std::prev(after)->first >= std::prev(after)->count) {
        throw std::out_of_range(std::string("Scenario: no ") + kind + " of the number " +
                                std::to_string(number));
    }
    return *std::prev(after);
}

template <class Group>
std::string member_name(const Group& group, std::uint32_t number) {
    return group.count == 1 ? group.name
                            : group.name + "[" + std::to_string(number - group.first) + "]";
}

}  // namespace

const QpGroup& Scenario::group_of(Qpn qpn) const {
    return holder(qp, index_of(qpn), "QP");
}

const CqGroup& Scenario::group_of(Cqn cqn) const {
    return holder(cq, index_of(cqn), "CQ");
}

std::string Scenario::qp_name(Qpn qpn) const {
    return member_name(group_of(qpn), index_of(qpn));
}

std::string Scenario::cq_name(Cqn cqn) const {
    return member_name(group_of(cqn), index_of(cqn));
}

}  // namespace cqsim::tb
