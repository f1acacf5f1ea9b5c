// SPDX-License-Identifier: Apache-2.0
#include "tb/record/run_header.h"

namespace cqsim::tb {
namespace {

std::string name_in(const std::vector<NamedRange>& ranges, std::uint32_t number, const char* kind) {
    for (const NamedRange& range : ranges) {
        if (number >= range.first && number - range.first < range.count) {
            return range.count == 1 ? range.name
                                    : range.name + "[" + std::to_string(number - range.first) + "]";
        }
    }
    return std::string(kind) + " " + std::to_string(number);
}

}  // namespace

std::string RunHeader::cq_name(Cqn cqn) const {
    return name_in(cq, index_of(cqn), "cq");
}

std::string RunHeader::qp_name(Qpn qpn) const {
    return name_in(qp, index_of(qpn), "qp");
}

std::string RunHeader::eq_name(Eqn eqn) const {
    return name_in(eq, index_of(eqn), "eq");
}

std::string RunHeader::srq_name(Srqn srqn) const {
    return name_in(srq, index_of(srqn), "srq");
}

}  // namespace cqsim::tb
