// SPDX-License-Identifier: Apache-2.0
/// \file
/// The two lists of QPs that a pipeline works through. No SystemC.
#pragma once

#include "models/verbs/ids.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// Each QP is in one list at most; all is O(1).
class QpLists {
  public:
    class List {
      public:
        bool empty() const { return m_head == kNone; }
        Qpn front() const { return Qpn{m_head}; }

      private:
        friend class QpLists;
        std::uint32_t m_head = kNone;
        std::uint32_t m_tail = kNone;
    };

    /// QP numbers are 0 .. qps-1.
    explicit QpLists(std::uint32_t qps)
        : m_next(qps, kNone),
          m_previous(qps, kNone) {}

    List backlog;   ///< queues whose oldest request has ended and is not taken
    List flushing;  ///< queues that flush with more to flush

    /// The QP must be in no list.
    void append(List& list, Qpn qpn);
    /// Takes the QP out of the list that it is in.
    void remove(Qpn qpn);

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFU;

    std::vector<std::uint32_t> m_next;  ///< of a QP in its list
    std::vector<std::uint32_t> m_previous;
};

}  // namespace cqsim::tb
