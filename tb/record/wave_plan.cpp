// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_plan.h"

#include "tb/record/vcd_writer.h"

#include <algorithm>
#include <unordered_set>

namespace cqsim::tb {
namespace {

/// Names that were different may be equal once they are fit for a viewer.
class Scopes {
  public:
    std::string claim(const std::string& prefix, const std::string& name) {
        const std::string wanted = vcd_name(prefix + name);
        std::string scope = wanted;
        for (std::uint32_t n = 2; !m_taken.insert(scope).second; ++n) {
            scope = wanted + "__" + std::to_string(n);
        }
        return scope;
    }

  private:
    std::unordered_set<std::string> m_taken;
};

std::vector<WavePlan::Group> groups_of(const std::vector<NamedRange>& ranges) {
    std::vector<WavePlan::Group> groups;
    groups.reserve(ranges.size());
    for (const NamedRange& range : ranges) {
        const std::uint32_t first = std::min(range.first, kMaxIds);
        groups.push_back({{}, range.name, first, std::min(range.count, kMaxIds - first), {}});
    }
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    return groups;
}

}  // namespace

WavePlan::WavePlan(const RunHeader& header)
    : cq(groups_of(header.cq)),
      qp(groups_of(header.qp)) {
    Scopes cq_scopes;
    std::uint32_t drawn = 0;
    for (Group& group : cq) {
        group.scope = cq_scopes.claim("cqs_", group.name);
        if (group.count > kMaxCqs - drawn) {
            continue;
        }
        drawn += group.count;
        for (std::uint32_t i = 0; i < group.count; ++i) {
            std::string name = header.cq_name(Cqn{group.first + i});
            std::string scope = cq_scopes.claim("cq_", name);
            group.members.push_back({std::move(scope), std::move(name), group.first + i});
        }
    }
    Scopes qp_scopes;
    for (Group& group : qp) {
        group.scope = qp_scopes.claim("qps_", group.name);
        for (std::uint32_t i = 0; group.count <= kMaxGroupQps && i < group.count; ++i) {
            std::string name = header.qp_name(Qpn{group.first + i});
            std::string scope = qp_scopes.claim("qp_", name);
            group.members.push_back({std::move(scope), std::move(name), group.first + i});
        }
    }
}

}  // namespace cqsim::tb
