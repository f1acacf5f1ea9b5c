// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/checks.h"

#include "models/verbs/ids.h"
#include "tb/host/ring_place.h"
#include "tb/scenario/units.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kMaxEqns = 65535;

/// The value at a path of keys; null if any part is absent.
const Node* at_path(const Node& from, std::initializer_list<const char*> path) {
    const Node* node = &from;
    for (const char* key : path) {
        node = node == nullptr ? nullptr : node->find(key);
    }
    return node;
}

/// Element i of an array of tables; every group that was read has one.
const Node& element(const Node& document, const char* array, std::size_t i) {
    return document.find(array)->children.at(i);
}

template <class Group>
std::optional<std::uint32_t> asked_for(const Group& /*group*/) {
    return std::nullopt;
}

std::optional<std::uint32_t> asked_for(const QpGroup& group) {
    return group.first_qpn;
}

/// Gives members their numbers, in file order; all must fit in 24 bits.
template <class Group>
std::uint32_t number_groups(std::vector<Group>& groups,
                            const Node& document,
                            const char* array,
                            ErrorList& errors) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::optional<std::uint32_t> wanted = asked_for(groups[i]);
        if (wanted && *wanted < total) {
            errors.add(
                element(document, array, i).find("first_qpn")->where,
                "first_qpn = " + std::to_string(*wanted) + " is taken or passed",
                "groups are numbered in file order; " + std::to_string(total) + " or more is free");
        } else if (wanted) {
            total = *wanted;
        }
        groups[i].first = static_cast<std::uint32_t>(std::min<std::uint64_t>(total, kMaxIds));
        const bool fitted = total <= kMaxIds;
        total += groups[i].count;
        if (fitted && total > kMaxIds) {
            const Node& table = element(document, array, i);
            const Node* count = table.find("count");
            errors.add(count != nullptr ? count->where : table.where,
                       "numbers of [[" + std::string(array) + "]] go beyond 24 bits",
                       std::to_string(kMaxIds - groups[i].first) + " are left for this group");
        }
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(total, kMaxIds));
}

/// SRQ numbers begin at 1: 0 is none (S1.20).
void number_srqs(std::vector<SrqGroup>& groups, const Node& document, ErrorList& errors) {
    constexpr std::uint64_t kMaxSrqs = 65535;
    std::uint64_t next = 1;
    for (SrqGroup& group : groups) {
        group.first = static_cast<std::uint32_t>(std::min(next, kMaxSrqs));
        next += group.count;
    }
    if (next > kMaxSrqs + 1) {
        errors.add(document.find("srq")->where,
                   "more than " + std::to_string(kMaxSrqs) + " SRQs in all",
                   "fewer of them");
    }
}

void require_some(const Node& document, const char* array, ErrorList& errors) {
    const Node* node = document.find(array);
    if (node != nullptr && node->type == Node::Type::Array && node->children.empty()) {
        errors.add(
            node->where, "no [[" + std::string(array) + "]]", "a scenario needs at least one");
    }
}

void size_rings(Scenario& scenario) {
    const OverflowConfig& overflow = scenario.device.overflow;
    for (CqGroup& cq : scenario.cq) {
        cq.slots = slots_for(cq.depth, overflow.owner, overflow.spare_slots);
        cq.capacity = cq.slots - overflow.spare_slots;
    }
}

/// A format may not go with every owner scheme.
void check_format(const Scenario& scenario, const Node& document, ErrorList& errors) {
    const Node* format = at_path(document, {"device", "cqe_format"});
    if (format != nullptr && !errors.has_at(format->where) &&
        scenario.cqe_format != CqeFormat::Native &&
        scenario.device.overflow.owner != OwnerScheme::Parity) {
        errors.add(format->where,
                   "cqe_format = \"" + format->text + "\" knows no other owner scheme than parity",
                   R"(overflow = { owner = "parity" }, or cqe_format = "native")");
    }
}

/// S1.8: an entry that names no wr_id names a slot, which must be its request's until it is read.
void check_slots(const Scenario& scenario, const Node& document, ErrorList& errors) {
    const Node* release = at_path(document, {"device", "slot_release"});
    if (release != nullptr && !errors.has_at(release->where) &&
        scenario.slot_release != SlotRelease::Poll && scenario.cqe_format != CqeFormat::Native) {
        errors.add(release->where,
                   "slot_release = \"" + release->text +
                       "\" gives slots back before entries are read, but an mlx5 entry names its "
                       "request by the slot alone (S1.8)",
                   R"("poll", or cqe_format = "native")");
    }
}

/// S4.7: the new ring goes on at the next index, so slots must follow from indices, and slots that
/// were never written must be invalid in any lap.
void check_resize(Scenario& scenario, const Node& document, ErrorList& errors) {
    const Node* resize = at_path(document, {"device", "overflow", "resize"});
    if (resize == nullptr && scenario.device.overflow.owner != OwnerScheme::Parity) {
        scenario.device.overflow.resize = ResizeMode::CutOff;
    }
    if (resize != nullptr && !errors.has_at(resize->where) &&
        scenario.device.overflow.resize == ResizeMode::Marker &&
        scenario.device.overflow.owner != OwnerScheme::Parity) {
        errors.add(resize->where,
                   R"(resize = "marker" goes with owner = "parity" alone)",
                   R"("cutoff", or "none")");
    }
}

/// The indices of the device must tell a full ring from an empty one, and where slots follow from
/// indices they must do so from the first index on.
void check_indices(const Scenario& scenario, const Node& document, ErrorList& errors) {
    const OverflowConfig& overflow = scenario.device.overflow;
    const Node* width_node = at_path(document, {"device", "overflow", "index_width"});
    const Node* first_node = at_path(document, {"device", "overflow", "first_index"});
    const auto judged = [&](const Node* node) {
        return node == nullptr || !errors.has_at(node->where);
    };
    if (!judged(width_node) || !judged(first_node)) {
        return;
    }
    const std::uint64_t indices = std::uint64_t{1} << overflow.index_width;
    if (overflow.first_index >= indices) {
        errors.add(first_node->where,
                   "first_index = " + std::to_string(overflow.first_index) +
                       " does not fit in index_width = " + std::to_string(overflow.index_width),
                   "below " + std::to_string(indices));
        return;
    }
    for (std::size_t i = 0; i < scenario.cq.size(); ++i) {
        const CqGroup& cq = scenario.cq[i];
        const Node* depth = element(document, "cq", i).find("depth");
        if (depth == nullptr || errors.has_at(depth->where)) {
            continue;
        }
        const std::string slots =
            "the ring of " + cq.name + ", " + std::to_string(cq.slots) + " slots,";
        if (cq.slots == 0) {
            errors.add(depth->where,
                       "no ring holds " + std::to_string(cq.depth) + " entries",
                       "one has at most " + std::to_string(OverflowConfig::kMaxDepth) +
                           " slots, a spare one included");
        } else if (cq.slots > indices / 2) {
            errors.add(
                depth->where,
                slots + " is too large for index_width = " + std::to_string(overflow.index_width),
                "at most " + std::to_string(indices / 2));
        } else if (owner::by_index(overflow.owner) && overflow.first_index % cq.slots != 0) {
            errors.add(first_node->where,
                       "first_index = " + std::to_string(overflow.first_index) +
                           " is no multiple of the slots of " + cq.name + ", " +
                           std::to_string(cq.slots),
                       "a multiple of the slots of every CQ");
        }
    }
}

/// What the device cannot do is not asked for before anything happens; steps may ask for it.
void check_limits(const Scenario& scenario, const Node& document, ErrorList& errors) {
    const OverflowConfig& overflow = scenario.device.overflow;
    std::uint64_t at_start = 0;
    for (std::size_t i = 0; i < scenario.cq.size(); ++i) {
        const CqGroup& cq = scenario.cq[i];
        const Node& table = element(document, "cq", i);
        const Node* depth = table.find("depth");
        const Node* moderation = table.find("moderation");
        if (!cq.at_start) {
            continue;
        }
        at_start += cq.count;
        if (depth != nullptr && !errors.has_at(depth->where) && cq.depth > overflow.max_depth) {
            errors.add(
                depth->where,
                "depth = " + std::to_string(cq.depth) + " is beyond what the device can do (S4.2)",
                "at most max_depth = " + std::to_string(overflow.max_depth));
        }
        if (moderation != nullptr && cq.moderation.on() && !scenario.device.event.moderation) {
            errors.add(moderation->where,
                       "the device has no moderation (S4.9)",
                       "leave it out, or [device.event_arbiter] moderation = true");
        }
    }
    const Node* max_cqs = at_path(document, {"device", "overflow", "max_cqs"});
    if (max_cqs != nullptr && at_start > overflow.max_cqs) {
        errors.add(max_cqs->where,
                   std::to_string(at_start) +
                       " CQs are there when the run begins, more than "
                       "max_cqs = " +
                       std::to_string(overflow.max_cqs),
                   "raise it, or [[cq]] at_start = false");
    }
}

/// A QP is there when the run begins, and so are its CQs.
void check_cqs_of_qps(const Scenario& scenario, const Node& document, ErrorList& errors) {
    for (std::size_t i = 0; i < scenario.qp.size(); ++i) {
        const QpGroup& qp = scenario.qp[i];
        for (const auto& [key, group] :
             {std::pair{"send_cq", qp.send_cq}, std::pair{"recv_cq", qp.recv_cq}}) {
            const Node* said = element(document, "qp", i).find(key);
            if (said != nullptr && !errors.has_at(said->where) && group < scenario.cq.size() &&
                !scenario.cq[group].at_start) {
                errors.add(said->where,
                           "the CQ " + scenario.cq[group].name +
                               " is not there when the run begins, but the QP is",
                           "a CQ without at_start = false");
                break;
            }
        }
    }
}

/// S1.18, S2.11: which QPs can be on an SRQ, and where an XRC_RECV QP reports.
void check_srqs_of_qps(const Scenario& scenario, const Node& document, ErrorList& errors) {
    for (std::size_t i = 0; i < scenario.qp.size(); ++i) {
        const QpGroup& qp = scenario.qp[i];
        const Node* said = element(document, "qp", i).find("srq");
        const Node* reports = element(document, "qp", i).find("recv_cq");
        const Node* type = element(document, "qp", i).find("type");
        if (said == nullptr && qp.type == QpType::XrcRecv && type != nullptr) {
            errors.add(type->where,
                       "a QP of type XRC_RECV takes requests of an SRQ (S2.11)",
                       "srq = NAME, that of an [[srq]] with cq");
        }
        if (said == nullptr || reports == nullptr || errors.has_at(said->where) ||
            errors.has_at(reports->where) || !qp.srq || *qp.srq >= scenario.srq.size()) {
            continue;
        }
        const SrqGroup& srq = scenario.srq[*qp.srq];
        if (qp.type == QpType::XrcSend) {
            errors.add(said->where,
                       "no messages come to a QP of type XRC_SEND (S1.18)",
                       "no srq, or a QP of another type");
        } else if (qp.type == QpType::XrcRecv && !srq.cq) {
            errors.add(said->where,
                       "a QP of type XRC_RECV reports receives where its SRQ says (S2.11), and " +
                           srq.name + " does not",
                       "cq = " + in_quotes(scenario.cq[qp.recv_cq].name) + " in its [[srq]]");
        } else if (qp.type == QpType::XrcRecv && *srq.cq != qp.recv_cq) {
            errors.add(reports->where,
                       "a QP of type XRC_RECV reports receives where its SRQ says (S2.11)",
                       "recv_cq = " + in_quotes(scenario.cq[*srq.cq].name));
        }
    }
}

}  // namespace

void finish_scenario(Scenario& scenario, const Node& document, ErrorList& errors) {
    require_some(document, "cq", errors);
    require_some(document, "qp", errors);
    scenario.device.event.eqs = number_groups(scenario.eq, document, "eq", errors);
    scenario.device.event.vectors = 0;
    for (const EqGroup& group : scenario.eq) {
        scenario.device.event.vectors =
            std::max(scenario.device.event.vectors, group.vector + group.count);
    }
    if (scenario.device.event.eqs > kMaxEqns) {
        errors.add(document.find("eq")->where,
                   "more than " + std::to_string(kMaxEqns) + " event queues in all",
                   "fewer of them");
    }
    scenario.device.cqs = number_groups(scenario.cq, document, "cq", errors);
    number_srqs(scenario.srq, document, errors);
    scenario.device.qps = number_groups(scenario.qp, document, "qp", errors);
    scenario.device.seed = scenario.seed;
    size_rings(scenario);
    check_format(scenario, document, errors);
    check_slots(scenario, document, errors);
    check_resize(scenario, document, errors);
    check_indices(scenario, document, errors);
    check_limits(scenario, document, errors);
    check_cqs_of_qps(scenario, document, errors);
    check_srqs_of_qps(scenario, document, errors);
    std::stable_sort(scenario.step.begin(), scenario.step.end(), [](const Step& l, const Step& r) {
        return l.at < r.at;
    });
}

}  // namespace cqsim::tb
