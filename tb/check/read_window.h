// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which consumer indices a device may have known when it decided. S3.14, K20.
#pragma once

#include "models/verbs/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cqsim::tb::check {

/// A first-in-first-out list in one block of memory that grows; no allocation in steady state.
template <class T>
class Fifo {
  public:
    std::size_t size() const { return m_count; }
    bool empty() const { return m_count == 0; }
    /// The i-th oldest.
    T& operator[](std::size_t i) { return m_cells[(m_first + i) % m_cells.size()]; }
    const T& operator[](std::size_t i) const { return m_cells[(m_first + i) % m_cells.size()]; }
    void pop() {
        m_first = (m_first + 1) % m_cells.size();
        --m_count;
    }
    void push(const T& value) {
        if (m_count == m_cells.size()) {
            std::vector<T> larger(m_cells.empty() ? kFirstCells : m_cells.size() * 2);
            for (std::size_t i = 0; i < m_count; ++i) {
                larger[i] = (*this)[i];
            }
            m_cells.swap(larger);
            m_first = 0;
        }
        ++m_count;
        (*this)[m_count - 1] = value;
    }

  private:
    static constexpr std::size_t kFirstCells = 16;

    std::vector<T> m_cells;
    std::size_t m_first = 0;
    std::size_t m_count = 0;
};

/// A CQ that looks full is decided after its doorbell record was read again, and the answer may be
/// late: what was published between is not in it. No record tells when the read began; it cannot
/// have been before the completion was granted the writer. So a consumer index may have been known
/// if it was still the newest at that time or later.
class ReadWindow {
  public:
    /// The completion was granted the writer.
    void granted(std::uint64_t serial, std::uint64_t time_ps) {
        if (m_granted.size() == kMostGranted) {
            m_granted.pop();
        }
        m_granted.push({serial, time_ps, false});
        ++m_grants;
    }
    /// How many grants there were.
    std::uint64_t grants() const { return m_grants; }
    /// Which of them, from 1, is that of a completion that is not decided yet; 0: none is.
    std::uint64_t number(std::uint64_t serial) const {
        for (std::size_t i = 0; i < m_granted.size(); ++i) {
            if (m_granted[i].serial == serial && !m_granted[i].decided) {
                return m_grants - m_granted.size() + i + 1;
            }
        }
        return 0;
    }
    /// It was given a slot or refused: when it had been granted, if a record said so.
    std::optional<std::uint64_t> decided(std::uint64_t serial) {
        for (std::size_t i = 0; i < m_granted.size(); ++i) {
            Granted& granted = m_granted[i];
            if (granted.serial == serial && !granted.decided) {
                const std::uint64_t time_ps = granted.time_ps;
                granted.decided = true;
                while (!m_granted.empty() && m_granted[0].decided) {
                    m_granted.pop();
                }
                return time_ps;
            }
        }
        return std::nullopt;
    }
    /// A newer consumer index than `index` was published.
    void superseded(Cqn cqn, std::uint32_t index, std::uint64_t time_ps) {
        const std::uint64_t needed = m_granted.empty() ? time_ps : m_granted[0].time_ps;
        while (!m_superseded.empty() && m_superseded[0].time_ps < needed) {
            m_superseded.pop();
        }
        m_superseded.push({time_ps, index, cqn});
    }
    /// Whether `index` was superseded at `since_ps` or later: till then it was the newest.
    bool was_newest(Cqn cqn, std::uint64_t index, std::uint64_t since_ps) const {
        for (std::size_t i = m_superseded.size(); i-- > 0 && m_superseded[i].time_ps >= since_ps;) {
            if (m_superseded[i].cqn == cqn && m_superseded[i].index == index) {
                return true;
            }
        }
        return false;
    }

  private:
    /// Far more than a device has between its arbiter and its overflow check; of what is older
    /// nothing will be decided.
    static constexpr std::size_t kMostGranted = 1024;

    struct Granted {
        std::uint64_t serial;
        std::uint64_t time_ps;
        bool decided;
    };
    struct Superseded {
        std::uint64_t time_ps;
        std::uint32_t index;  ///< device-visible width
        Cqn cqn;
    };

    std::uint64_t m_grants = 0;
    Fifo<Granted> m_granted;        ///< in order of time
    Fifo<Superseded> m_superseded;  ///< in order of time
};

}  // namespace cqsim::tb::check
