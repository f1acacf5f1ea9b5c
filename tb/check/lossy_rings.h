// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rings whose entries may be overwritten before they were read: of CQs that ignore overruns.
/// S1.7, S3.1, S3.3, S3.4, S3.6, S3.8, S3.11, S3.13, S3.16, S4.3.
#pragma once

#include "models/observe/record.h"
#include "tb/check/entry.h"
#include "tb/check/owner.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cqsim::tb::check {

/// The counterpart of RingChecker for such rings, where it hands on what is about them. Entries are
/// known by counts that do not wrap, and each slot by what it shows now.
class LossyRings {
  public:
    LossyRings(const Settings& settings, Findings& findings);

    /// As the functions of the same names of RingChecker; each CQ was added before.
    void add(const Record& create);
    void on_slot(const Record& record, std::uint32_t token);
    bool repeats_last_slot(const Record& record) const;
    std::uint32_t on_write(const Record& record, const Entry& entry);
    bool on_visible(const Record& record, const Entry& entry);
    bool on_poll(const Record& record, const Entry& entry);
    void on_ci(const Record& record);
    void on_sweep(const Record& record, const Entry& entry);
    void on_overrun(const Record& record);
    bool on_cq_error_event(const Record& record);
    void on_write_failed(Cqn cqn);
    /// What of the answer to a query is wrong, or nothing (S4.15).
    std::string query_fault(const Record& record) const;
    void remove(const Record& record);
    void finish(std::uint64_t time_ps, bool idle) const;

  private:
    static constexpr std::uint64_t kNothing = UINT64_MAX;

    /// What a slot shows.
    struct Shown {
        std::uint64_t count = kNothing;  ///< of the entry; kNothing: none was there ever
        std::uint64_t digest = 0;
        bool read = false;
    };
    /// Written, and not visible yet.
    struct Pending {
        std::uint64_t count;
        std::uint64_t digest;
    };
    struct Ring {
        std::uint64_t address = 0;
        std::uint64_t doorbell = 0;
        std::uint32_t depth = 0;
        std::uint32_t stride = 0;
        std::uint32_t first_index = 0;
        std::uint64_t first_place = 0;  ///< slot of the first index, and laps before it
        bool collapsed = false;         ///< S3.16
        bool write_failed = false;      ///< S5.3j
        bool in_error = false;
        /// When CQ_ERR was raised, if only a write that nobody said to have failed can be why.
        std::optional<std::uint64_t> unexplained_ps;
        // Entries since the CQ was created.
        std::uint64_t granted = 0;
        std::uint64_t written = 0;
        std::uint64_t visible = 0;  ///< behind the newest one
        std::uint64_t polled = 0;
        std::uint64_t released = 0;
        std::deque<std::uint32_t> tokens;  ///< of those granted and not written
        std::vector<Pending> pending;      ///< in the order of their writes
        std::vector<Shown> shown;

        std::uint32_t slot_of(std::uint64_t count) const {
            return collapsed ? 0 : static_cast<std::uint32_t>((first_place + count) % depth);
        }
        /// S3.16: in a collapsed ring each entry comes round.
        std::size_t lap_of(std::uint64_t count) const {
            return (collapsed ? first_place / depth + count : (first_place + count) / depth) %
                   kLaps;
        }
    };

    Ring& ring_of(const Record& record) { return m_rings.at(index_of(record.cqn)); }
    std::uint32_t index_at(const Ring& ring, std::uint64_t count) const {
        return (ring.first_index + static_cast<std::uint32_t>(count)) & m_mask;
    }
    bool well_placed(const Ring& ring, const Record& record) const;
    void check_owner(const Ring& ring,
                     const Record& record,
                     std::uint8_t owner,
                     std::uint64_t count) const;
    static void show(Ring& ring, Shown& shown, const Pending& pending);
    static void show_early(Ring& ring, const Record& record, const Entry& entry);
    void settle_error(Cqn cqn, const Ring& ring) const;
    std::size_t pending_of(const Ring& ring, const Record& record, const Entry& entry) const;

    Findings& m_findings;
    std::uint32_t m_mask;
    OwnerScheme m_scheme;
    OwnerOfLap m_owners;
    std::uint8_t m_owner_bits;
    std::uint32_t m_unused;
    bool m_in_order;
    std::uint64_t m_ci_register;  ///< Settings::consumer_register
    std::unordered_map<std::uint32_t, Ring> m_rings;
};

}  // namespace cqsim::tb::check
