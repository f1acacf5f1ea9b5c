// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/coverage.h"

#include "models/qp/qp_capability.h"

#include <algorithm>

namespace cqsim::tb::test {
namespace {

constexpr std::array<std::string_view, Coverage::kSingles> kSingleNames{
    "unsignaled successes",
    "retired by a later one",
    "unsignaled failures",
    "signaled by sq_sig_all alone",
    "receives of RDMA writes with immediate",
    "flushes of both queues",
    "posted in ERR",
    "sends flushed in SQE",
    "receives in SQE",
    "SQE left for RTS",
    "sends posted in SQD",
    "SQ_DRAINED",
    "failures after which the QP runs on",
    "overruns",
    "refused by a CQ in error",
    "QP_FATAL",
    "told to go to RESET",
    "told to go to ERR",
    "ends of lives",
    "ends of lives in flight",
    "cancelled requests",
    "requests of later lives",
    "stale entries polled",
    "entries swept",
    "completion events",
    "requests taken from SRQs",
    "QP_LAST_WQE_REACHED",
    "SRQ_LIMIT_REACHED",
    "runs that end idle",
    "runs that are cut off",
    "runs that stall",
    "messages over the wire",
    "ACKs and responses",
    "RNR NAKs",
    "other NAKs",
};

}  // namespace

bool Coverage::may_arise(std::size_t number) {
    if (number < kOpcodes) {
        return std::any_of(kQpTypes.begin(), kQpTypes.end(), [number](QpType type) {
            return may_post(type, static_cast<WrOpcode>(number));
        });
    }
    number -= kOpcodes;
    return number >= kStatuses ||
           std::any_of(kQpTypes.begin(), kQpTypes.end(), [number](QpType type) {
               const auto status = static_cast<WcStatus>(number);
               return may_end(type, QueueKind::Send, status) ||
                      may_end(type, QueueKind::Receive, status);
           });
}

std::string Coverage::name_of(std::size_t number) {
    if (number < kOpcodes) {
        return "opcode " + std::string(name(static_cast<WrOpcode>(number)));
    }
    number -= kOpcodes;
    if (number < kStatuses) {
        return "status " + std::string(name(static_cast<WcStatus>(number)));
    }
    number -= kStatuses;
    if (number < kStates) {
        return "state " + std::string(name(static_cast<QpState>(number)));
    }
    return std::string(kSingleNames.at(number - kStates));
}

}  // namespace cqsim::tb::test
