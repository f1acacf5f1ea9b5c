// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/coverage.h"

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
    "runs that end idle",
    "runs that are cut off",
    "runs that stall",
};

}  // namespace

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
