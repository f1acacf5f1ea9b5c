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

template <class Name>
void draw_members(WavePlan::Group& group,
                  const std::string& prefix,
                  Scopes& scopes,
                  const Name& name_of) {
    for (std::uint32_t i = 0; i < group.count; ++i) {
        std::string name = name_of(group.first + i);
        std::string scope = scopes.claim(prefix, name);
        group.members.push_back({std::move(scope), std::move(name), group.first + i});
    }
}

/// Groups in the order of their numbers as long as `most` objects suffice.
template <class Name>
void draw(std::vector<WavePlan::Group>& groups,
          const std::string& kind,
          std::uint32_t most,
          const Name& name_of) {
    Scopes scopes;
    for (WavePlan::Group& group : groups) {
        group.scope = scopes.claim(kind + "s_", group.name);
        if (group.count <= most) {
            most -= group.count;
            draw_members(group, kind + "_", scopes, name_of);
        }
    }
}

}  // namespace

WavePlan::WavePlan(const RunHeader& header)
    : cq(groups_of(header.cq)),
      qp(groups_of(header.qp)),
      eq(groups_of(header.eq)),
      vectors(std::min(header.vectors, kMaxVectors)) {
    draw(
        cq, "cq", kMaxCqs, [&header](std::uint32_t number) { return header.cq_name(Cqn{number}); });
    draw(eq, "eq", kMaxEqs, [&header](std::uint32_t number) {
        return header.eq_name(Eqn{static_cast<std::uint16_t>(number)});
    });
    Scopes scopes;
    for (Group& group : qp) {
        group.scope = scopes.claim("qps_", group.name);
        if (group.count <= kMaxGroupQps) {
            draw_members(group, "qp_", scopes, [&header](std::uint32_t number) {
                return header.qp_name(Qpn{number});
            });
        }
    }
}

WavePlaces::WavePlaces(const std::vector<WavePlan::Group>& groups) {
    std::uint32_t members = 0;
    std::uint32_t wholes = 0;
    for (const WavePlan::Group& group : groups) {
        const bool whole = group.members.empty();
        m_ranges.push_back({group.first, group.count, whole, whole ? wholes++ : members});
        members += static_cast<std::uint32_t>(group.members.size());
    }
}

WavePlaces::Place WavePlaces::operator[](std::uint32_t number) const {
    const auto after = std::upper_bound(
        m_ranges.begin(), m_ranges.end(), number, [](std::uint32_t wanted, const Range& range) {
            return wanted < range.first;
        });
    if (after == m_ranges.begin() || number - (after - 1)->first >= (after - 1)->count) {
        return {};
    }
    const Range& range = *(after - 1);
    const auto group = static_cast<std::uint32_t>(&range - m_ranges.data());
    const std::uint32_t index = range.whole ? range.index : range.index + number - range.first;
    return {group, index, true, range.whole};
}

std::uint32_t WavePlaces::end() const {
    return m_ranges.empty() ? 0 : m_ranges.back().first + m_ranges.back().count;
}

}  // namespace cqsim::tb
