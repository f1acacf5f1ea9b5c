// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stands where the event arbiter would, for tests that ask nothing of it.
#pragma once

#include "models/overflow/overflow_checker.h"

namespace cqsim::test {

/// Takes all that an overflow checker tells, and does nothing.
class EventSink final : private PublishForward, private AsyncForward {
  public:
    explicit EventSink(OverflowCheckerPorts& checker) {
        m_publish.bind(static_cast<PublishForward&>(*this));
        m_async.bind(static_cast<AsyncForward&>(*this));
        checker.publish_isock.bind(m_publish);
        checker.async_isock.bind(m_async);
    }

  private:
    void published(const PublishedEntry& /*entry*/) override {}
    void cq_failed(Cqn /*cqn*/) override {}
    void hint(Cqn /*cqn*/) override {}
    void raise(const AsyncReport& /*report*/) override {}

    PublishTarget m_publish{"sink_publish"};
    AsyncTarget m_async{"sink_async"};
};

}  // namespace cqsim::test
