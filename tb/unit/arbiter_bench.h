// SPDX-License-Identifier: Apache-2.0
/// \file
/// Completions for the tests of the arbiter's rules, told apart by their serial numbers.
#pragma once

#include "models/arbiter/arbiter_rules.h"

#include <vector>

namespace cqsim::test {

inline constexpr std::uint32_t kArbiterQps = 6;
inline constexpr std::uint32_t kArbiterCqs = 3;

constexpr ArbiterPort port_of(QueueKind queue) {
    return queue == QueueKind::Send ? ArbiterPort::Tx : ArbiterPort::Rx;
}

/// A completion of one work queue.
inline Completion completion_of(std::uint64_t serial,
                                QueueKind queue,
                                std::uint32_t qp,
                                std::uint32_t cq = 0) {
    Completion completion;
    completion.serial = serial;
    completion.queue = queue;
    completion.qpn = Qpn{qp};
    completion.cqn = Cqn{cq};
    return completion;
}

/// The rules, driven as the module drives them.
class ArbiterBench {
  public:
    using Offer = ArbiterRules::Offer;

    explicit ArbiterBench(const ArbiterConfig& config, std::uint64_t seed = 1)
        : rules(config, kArbiterQps, kArbiterCqs, seed, Rows<RequesterRow>(kArbiterQps)) {}

    Offer offer(const Completion& completion, std::uint64_t at_ps) {
        return rules.offer(port_of(completion.queue), completion, TimePs{at_ps});
    }
    Offer send(std::uint64_t serial, std::uint64_t at_ps, std::uint32_t qp, std::uint32_t cq = 0) {
        return offer(completion_of(serial, QueueKind::Send, qp, cq), at_ps);
    }
    Offer receive(std::uint64_t serial,
                  std::uint64_t at_ps,
                  std::uint32_t qp,
                  std::uint32_t cq = 0) {
        return offer(completion_of(serial, QueueKind::Receive, qp, cq), at_ps);
    }

    /// Serves one. \returns its serial number; what it made room for is in `room`.
    std::uint64_t serve() {
        const EntryId entry = rules.next();
        const std::uint64_t serial = rules.completion(entry).serial;
        room = rules.release(entry);
        return serial;
    }
    /// Serves until nothing is inside. \returns the serial numbers in the order of service.
    std::vector<std::uint64_t> serve_all() {
        std::vector<std::uint64_t> serials;
        while (!rules.empty()) {
            serials.push_back(serve());
        }
        return serials;
    }

    ArbiterRules rules;
    ArbiterRules::Room room;
};

using Serials = std::vector<std::uint64_t>;

}  // namespace cqsim::test
