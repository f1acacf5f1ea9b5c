// SPDX-License-Identifier: Apache-2.0
/// \file
/// An entry's bytes against what its pipeline completed. S1.1 to S1.4, S1.8, S1.13, S1.19, S1.20.
#pragma once

#include "tb/check/defined_fields.h"
#include "tb/check/entry.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

#include <vector>

namespace cqsim::tb::check {

/// Keeps what the entry of each reported completion must say until it is written.
class ContentChecker {
  public:
    ContentChecker(const Settings& settings, Findings& findings);

    /// A QP was created.
    void on_create(const Record& record);
    /// A `complete` record that must be reported: the token of its expected entry.
    std::uint32_t expect(const Record& record);
    /// It will not be written.
    void forget(std::uint32_t token) {
        if (token != 0) {
            m_expected.give_back(token);
        }
    }
    /// Its slot was given: the record tells when the request completed.
    void check_slot(const Record& record, std::uint32_t token) {
        if (token != 0 && record.a != m_expected[token].word[kTimeWord]) {
            wrong_time(record, token);
        }
    }
    /// The entry was written. `token` 0: what it should say is not known.
    void on_write(const Record& record, const Entry& entry, std::uint32_t token);
    /// The fields that a monitor decoded into the record are those of the bytes.
    void check_decoded(const Record& record, const Entry& entry) {
        const bool same = record.qpn == entry.qp_num() &&
                          index_of(record.queue) == entry.queue_number() &&
                          record.wr_id == entry.wr_id() && record.state == entry.status();
        if (!same) {
            wrongly_decoded(record, entry);
        }
    }
    /// An entry was polled: it may be one of which little is defined.
    void on_poll(const Record& record) {
        if (record.state != static_cast<std::uint8_t>(WcStatus::Success)) {
            m_findings.checked(Rule::DefinedReads);
        }
    }
    /// Software used a field that is not defined.
    void on_undefined_read(const Record& record);

    [[gnu::always_inline]] void prefetch_expected(std::uint32_t token) {
        prefetch(&m_expected[token]);
    }

  private:
    /// In the words of a native entry, whatever the format of the CQ.
    struct Expected {
        std::array<std::uint64_t, 7> word;
        std::uint8_t own;  ///< without the owner value
        Shape shape;
        std::uint8_t reserved[6];
    };
    static_assert(sizeof(Expected) == kLine);
    static constexpr std::size_t kTimeWord = 4;

    bool is_datagram(Qpn qpn) const {
        return index_of(qpn) < m_datagram.size() && m_datagram[index_of(qpn)];
    }
    bool is_as_expected(const Entry& entry, const Expected& expected) const;
    void wrong_time(const Record& record, std::uint32_t token);
    void native_differs(const Record& record, const Entry& entry, const Expected& expected);
    /// Names the first field that is wrong; true if there is one.
    bool mlx5_differs(const Record& record, const Mlx5Entry& entry, const Expected& expected);
    void wrong_field(Rule rule,
                     const Record& record,
                     const Expected& expected,
                     std::string_view field,
                     std::uint64_t is,
                     std::uint64_t should);
    void wrongly_decoded(const Record& record, const Entry& entry);

    Findings& m_findings;
    /// The native own byte's bits that are no owner value and always the same.
    std::uint64_t m_own_mask;
    bool m_send_length;            ///< K19
    std::vector<bool> m_datagram;  ///< QPs of type UD, if there are any
    Pool<Expected> m_expected;
};

}  // namespace cqsim::tb::check
