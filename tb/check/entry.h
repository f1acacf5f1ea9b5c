// SPDX-License-Identifier: Apache-2.0
/// \file
/// An entry of a CQ in the format of its ring, as the checkers and the monitors read it.
#pragma once

#include "models/verbs/cq.h"
#include "tb/check/mlx5_entry.h"
#include "tb/check/native_entry.h"

#include <cstring>

namespace cqsim::tb::check {

/// The 64 bytes of an entry proper (S3.15). Both formats end with the own byte, whose low bits are
/// the owner value.
struct Entry {
    static constexpr std::size_t kBytes = 64;
    static constexpr unsigned kOwnShift = 56;

    EntryWords word{};
    CqeFormat format{};
    /// S3.6: the half of a wide slot before the entry proper is zero, or was not looked at.
    bool clean = true;

    /// Of a slot's content: `length` is that of the format, or of the entry proper alone.
    static Entry at(const std::byte* bytes, std::size_t length, CqeFormat format) {
        Entry entry;
        entry.format = format;
        std::memcpy(entry.word.data(), bytes + length - kBytes, kBytes);
        for (std::size_t i = 0; i + kBytes < length; ++i) {
            entry.clean = entry.clean && bytes[i] == std::byte{0};
        }
        return entry;
    }
    /// Whether so many bytes are a whole entry.
    static bool is_whole(std::size_t length, CqeFormat format) {
        return length == kBytes || length == stride_of(format);
    }

    bool is_native() const { return format == CqeFormat::Native; }
    NativeEntry native() const { return {word}; }
    Mlx5Entry mlx5() const { return {word}; }

    /// `bits`: those that are the owner value.
    std::uint8_t owner(std::uint8_t bits) const {
        return static_cast<std::uint8_t>(word[7] >> kOwnShift) & bits;
    }
    void set_owner(std::uint8_t value, std::uint8_t bits) {
        word[7] = (word[7] & ~(std::uint64_t{bits} << kOwnShift)) | std::uint64_t{value}
                                                                        << kOwnShift;
    }
    /// A slot that software preset to 'no entry' (S3.3, A).
    bool is_invalid() const { return own_kind() == NativeEntry::kInvalid; }
    /// The entry that ends a ring which is replaced (S4.7, S4.8).
    bool is_resize() const { return own_kind() == NativeEntry::kResize; }

    Qpn qp_num() const { return is_native() ? native().qp_num() : mlx5().qp_num(); }
    /// Format mlx5 has none (S1.8): its wqe_counter.
    std::uint64_t wr_id() const { return is_native() ? native().wr_id() : mlx5().wqe_counter(); }
    /// The request's number, as far as the format has it: mlx5 its low 16 bits.
    std::uint32_t wqe_number() const {
        return is_native() ? native().wqe_index() : mlx5().wqe_counter();
    }
    std::uint8_t status() const { return is_native() ? native().status() : mlx5().status(); }
    /// Of a successful entry.
    std::optional<WcOpcode> opcode() const {
        return is_native() ? static_cast<WcOpcode>(native().opcode()) : mlx5().wc_opcode();
    }
    std::uint32_t byte_len() const { return is_native() ? native().byte_len() : mlx5().byte_len(); }
    bool solicited() const { return is_native() ? native().solicited() : mlx5().solicited(); }
    /// As a record names it: what is not of a receive queue counts as of a send queue.
    QueueKind queue() const { return queue_number() == 1 ? QueueKind::Receive : QueueKind::Send; }
    /// 0 send queue, 1 receive queue, else something that no work request's end has.
    std::uint8_t queue_number() const {
        if (is_native()) {
            return native().kind();
        }
        const auto queue = mlx5().queue();
        return queue ? static_cast<std::uint8_t>(*queue) : kNoQueue;
    }
    std::uint64_t digest() const { return is_native() ? native().digest() : mlx5().digest(); }

  private:
    static constexpr std::uint8_t kNoQueue = 0xFF;
    static_assert(NativeEntry::kInvalid == Mlx5Entry::kInvalid &&
                  NativeEntry::kResize == Mlx5Entry::kResize);

    std::uint8_t own_kind() const { return static_cast<std::uint8_t>(word[7] >> (kOwnShift + 4)); }
};

}  // namespace cqsim::tb::check
