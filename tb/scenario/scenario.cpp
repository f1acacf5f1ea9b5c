// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/scenario.h"

#include <algorithm>
#include <stdexcept>

namespace cqsim::tb {

std::uint32_t capacity_of(std::uint32_t depth) {
    std::uint32_t power = 1;
    while (power < depth) {
        power *= 2;
    }
    return power;
}
namespace {

/// The group that holds a number: groups lie in the order of their first numbers.
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

template <class Group>
bool is_in(const std::vector<Group>& groups, const GroupRef& ref, std::uint32_t number) {
    const Group& group = groups[ref.group];
    if (ref.member) {
        return number == group.first + *ref.member;
    }
    return number >= group.first && number - group.first < group.count;
}

}  // namespace

const QpGroup& Scenario::group_of(Qpn qpn) const {
    return holder(qp, index_of(qpn), "QP");
}

const CqGroup& Scenario::group_of(Cqn cqn) const {
    return holder(cq, index_of(cqn), "CQ");
}

bool Scenario::matches(const RecordPattern& pattern, const Record& record) const {
    if (pattern.kind != record.kind) {
        return false;
    }
    if (pattern.cq && (record.cqn == kNoCq || !is_in(cq, *pattern.cq, index_of(record.cqn)))) {
        return false;
    }
    if (pattern.qp && (record.qpn == kNoQp || !is_in(qp, *pattern.qp, index_of(record.qpn)))) {
        return false;
    }
    const std::uint64_t srqn = record.kind == Kind::Eqe ? record.serial : record.unit;
    if (pattern.srq && ((record.flags & kShared) == 0 ||
                        !is_in(srq, *pattern.srq, static_cast<std::uint32_t>(srqn)))) {
        return false;
    }
    const std::uint64_t wqe = record.kind == Kind::Packet ? record.wr_id : record.index;
    return (!pattern.queue || *pattern.queue == record.queue) &&
           (!pattern.wqe || *pattern.wqe == wqe) &&
           (!pattern.unit || *pattern.unit == record.unit) &&
           (!pattern.state || *pattern.state == record.state);
}

std::uint16_t Scenario::eqn_of(Cqn cqn) const {
    const CqGroup& group = group_of(cqn);
    if (!group.eq) {
        return kNoEqn;
    }
    const EqGroup& queues = eq[*group.eq];
    return static_cast<std::uint16_t>(queues.first + (index_of(cqn) - group.first) % queues.count);
}

std::string Scenario::eq_name(Eqn eqn) const {
    const auto number = static_cast<std::uint32_t>(eqn);
    return member_name(holder(eq, number, "EQ"), number);
}

std::string Scenario::srq_name(Srqn srqn) const {
    return member_name(holder(srq, index_of(srqn), "SRQ"), index_of(srqn));
}

Srqn Scenario::srqn_of(Qpn qpn) const {
    const QpGroup& group = group_of(qpn);
    if (!group.srq) {
        return kNoSrq;
    }
    const SrqGroup& queues = srq[*group.srq];
    return Srqn{
        static_cast<std::uint16_t>(queues.first + (index_of(qpn) - group.first) % queues.count)};
}

std::string Scenario::qp_name(Qpn qpn) const {
    return member_name(group_of(qpn), index_of(qpn));
}

std::string Scenario::cq_name(Cqn cqn) const {
    return member_name(group_of(cqn), index_of(cqn));
}

}  // namespace cqsim::tb
