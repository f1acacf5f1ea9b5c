// SPDX-License-Identifier: Apache-2.0
/// \file
/// An entry's bytes against what its pipeline completed. S1.1 to S1.4.
#pragma once

#include "tb/check/native_entry.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"

namespace cqsim::tb::check {

/// Keeps what the entry of each reported completion must say until it is written.
class ContentChecker {
  public:
    explicit ContentChecker(Findings& findings)
        : m_findings(findings) {}

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
    void on_write(const Record& record, const NativeEntry& entry, std::uint32_t token);
    /// Software used a field that the entry does not define.
    void on_undefined_read(const Record& record);
    /// The fields that a monitor decoded into the record are those of the bytes.
    void check_decoded(const Record& record, const NativeEntry& entry) {
        const bool same = record.qpn == entry.qp_num() && index_of(record.queue) == entry.kind() &&
                          record.wr_id == entry.wr_id() && record.state == entry.status();
        if (!same) {
            wrongly_decoded(record, entry);
        }
    }

    [[gnu::always_inline]] void prefetch_expected(std::uint32_t token) {
        prefetch(&m_expected[token]);
    }

  private:
    /// Which bits of an entry are defined.
    enum class Shape : std::uint8_t {
        Failed,      ///< S1.2
        Send,        ///< requester: byte_len is not defined (S1.3, K19)
        SendLength,  ///< requester READ and atomics: it is
        Receive,     ///< responder
        ReceiveImm,  ///< with imm_data or invalidated_rkey
    };
    static constexpr std::size_t kShapes = 5;

    struct Expected {
        std::array<std::uint64_t, 7> word;
        std::uint8_t own;  ///< without the owner bit
        Shape shape;
        std::uint8_t reserved[6];
    };
    static_assert(sizeof(Expected) == kLine);

    using Mask = std::array<std::uint64_t, 8>;
    static constexpr std::uint64_t kLow = 0xFFFF'FFFFU;
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};
    static constexpr std::uint64_t kKindBits = std::uint64_t{0xF6} << 56;
    static constexpr std::uint64_t kReserved = kAll >> 8;
    static constexpr std::array<Mask, kShapes> kMask{{
        {kAll, kLow, 0, kAll, kAll, 0, kAll << 40, kKindBits | kReserved},
        {kAll, kLow, 0, kLow << 32, kAll, 0xFFFFULL << 32, kLow << 32, kKindBits | kReserved},
        {kAll, kAll, 0, kLow << 32, kAll, 0xFFFFULL << 32, kLow << 32, kKindBits | kReserved},
        {kAll, kAll, kLow << 32, kLow << 32, kAll, kAll, kAll, ~NativeEntry::kOwner},
        {kAll, kAll, kAll, kLow << 32, kAll, kAll, kAll, ~NativeEntry::kOwner},
    }};

    static constexpr std::size_t kTimeWord = 4;

    void wrong_time(const Record& record, std::uint32_t token);
    static Shape shape_of(const Record& record, const CompletionDetails& details);
    void differs(const Record& record, const NativeEntry& entry, const Expected& expected);
    void wrongly_decoded(const Record& record, const NativeEntry& entry);

    Findings& m_findings;
    Pool<Expected> m_expected;
};

}  // namespace cqsim::tb::check
