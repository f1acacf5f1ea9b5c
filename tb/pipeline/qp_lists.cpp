// SPDX-License-Identifier: Apache-2.0
#include "tb/pipeline/qp_lists.h"

namespace cqsim::tb {

void QpLists::append(List& list, Qpn qpn) {
    const std::uint32_t index = index_of(qpn);
    m_next[index] = kNone;
    m_previous[index] = list.m_tail;
    if (list.empty()) {
        list.m_head = index;
    } else {
        m_next[list.m_tail] = index;
    }
    list.m_tail = index;
}

void QpLists::remove(Qpn qpn) {
    const std::uint32_t index = index_of(qpn);
    const std::uint32_t next = m_next[index];
    const std::uint32_t previous = m_previous[index];
    List& list = backlog.m_head == index || backlog.m_tail == index ? backlog : flushing;
    if (previous != kNone) {
        m_next[previous] = next;
    } else {
        list.m_head = next;
    }
    if (next != kNone) {
        m_previous[next] = previous;
    } else {
        list.m_tail = previous;
    }
}

}  // namespace cqsim::tb
