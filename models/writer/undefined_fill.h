// SPDX-License-Identifier: Apache-2.0
/// \file
/// What lies in the fields that a failed completion does not define (S1.2). No SystemC.
#pragma once

#include "models/protocol/completion.h"
#include "models/random/random.h"
#include "models/rows/hash.h"
#include "models/writer/writer_config.h"

namespace cqsim {

/// The fields that a writer of entries leaves in place of those that are defined on success only.
class UndefinedFill {
  public:
    /// \param seed of the run
    UndefinedFill(UndefinedPolicy policy, std::uint64_t seed)
        : m_fields(policy == UndefinedPolicy::Poison ? poison(seed) : CompletionDetails{}),
          m_keeps_last(policy == UndefinedPolicy::Stale ? 1 : 0) {}

    /// For the next entry, if it is of a failed completion. Its vendor_err is of no use.
    const CompletionDetails& fields() const { return m_fields; }

    /// The entry of this completion has been formed. A failed one leaves in place what lay there.
    void formed(const Completion& completion) {
        if (m_keeps_last != 0 && completion.status == WcStatus::Success) {
            m_fields = completion.details;
        }
    }

  private:
    /// Every field begins with DE in hexadecimal (one that is a single byte: with D), goes on with
    /// a digit of its own, and ends in digits of the seed. The opcode is 0x5E or 0xDE, which no
    /// opcode is (S1.15): its bit 7, which would tell sends from receives, is the seed's.
    static CompletionDetails poison(std::uint64_t seed) {
        constexpr std::uint64_t k20Bits = 1U << 20;
        constexpr std::uint64_t k12Bits = 1U << 12;
        constexpr std::uint64_t k4Bits = 1U << 4;
        RandomStream random(seed, "cqe_writer");
        const auto digits = [&random](std::uint32_t first, std::uint64_t bound) {
            return first + static_cast<std::uint32_t>(random.below(bound));
        };
        CompletionDetails fields;
        fields.byte_len = digits(0xDE10'0000, k20Bits);
        fields.imm_data = digits(0xDE20'0000, k20Bits);
        fields.src_qp = digits(0xDE'3000, k12Bits);  // 24 bits, as any QP number
        fields.srqn = digits(0xDE'4000, k12Bits);
        fields.wc_flags = static_cast<std::uint16_t>(digits(0xDE50, k4Bits));
        fields.pkey_index = static_cast<std::uint16_t>(digits(0xDE60, k4Bits));
        fields.slid = static_cast<std::uint16_t>(digits(0xDE70, k4Bits));
        fields.sl = 0xD8;
        fields.dlid_path_bits = 0xD9;
        fields.opcode = random.coin() ? 0xDE : 0x5E;
        return fields;
    }

    auto state() const { return std::tie(m_fields, m_keeps_last); }

    CompletionDetails m_fields;
    std::uint8_t m_keeps_last;

  public:
    friend bool operator==(const UndefinedFill& l, const UndefinedFill& r) {
        return std::memcmp(&l.m_fields, &r.m_fields, sizeof l.m_fields) == 0 &&
               l.m_keeps_last == r.m_keeps_last;
    }
    void hash_into(Hasher& hasher) const { hasher.add(hash_of(state())); }
    std::uint64_t hash() const { return hash_of(state()); }
};

}  // namespace cqsim
