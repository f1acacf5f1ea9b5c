// SPDX-License-Identifier: Apache-2.0
// The BAR, byte by byte (bar_map.h, S6.11, S6.22).
#include "models/doorbell/doorbell_rules.h"

#include <catch2/catch.hpp>

#include <array>
#include <vector>

namespace {

using namespace cqsim;
using What = Doorbell::What;

constexpr std::array<std::uint64_t, 5> kRegisters{0x20, 0x28, 0x30, 0x40, 0x48};

/// An access with a value in the bytes that the map gives it, and shorthands to spoil it.
class Access {
  public:
    explicit Access(std::uint64_t address, std::uint64_t value = 0) {
        for (unsigned i = 0; i < 8; ++i) {
            m_bytes[i] = static_cast<unsigned char>(value >> (8 * i));
        }
        m_access.address = address;
        m_access.data = m_bytes.data();
        m_access.bytes = m_access.streaming_width = 8;
        m_access.write = true;
    }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

    BarAccess& operator*() { return m_access; }
    Doorbell decoded(std::uint64_t bar_address = 0, std::uint32_t index_width = 32) const {
        return decoded(ConsumerPath::Record, 8, bar_address, index_width);
    }
    Doorbell decoded(ConsumerPath path,
                     std::uint32_t increment_bits,
                     std::uint64_t bar_address = 0,
                     std::uint32_t index_width = 32) const {
        return decode(m_access, DoorbellConfig{bar_address, index_width, path, increment_bits});
    }

  private:
    std::array<unsigned char, 64> m_bytes{};
    BarAccess m_access;
};

Doorbell written(std::uint64_t offset, std::uint64_t value, std::uint32_t index_width = 32) {
    return Access(offset, value).decoded(0, index_width);
}

}  // namespace

TEST_CASE("D5 every byte of the BAR is the first of a register, one inside, or reserved") {
    for (std::uint64_t offset = 0; offset < 0x1010; ++offset) {
        const bool reg = (offset >= 0x20 && offset < 0x38) || (offset >= 0x40 && offset < 0x50);
        const bool first = reg && offset % 8 == 0;
        const bool inside = reg && !first;
        const BusAnswer expected = first    ? BusAnswer::Ok
                                   : inside ? BusAnswer::BurstError
                                            : BusAnswer::AddressError;
        const Doorbell doorbell = written(offset, 0);
        CAPTURE(offset);
        CHECK(doorbell.bus == expected);
        CHECK((doorbell.what == What::Nothing) == !first);
    }
}

TEST_CASE("D5 a register takes 8 bytes at once and nothing else") {
    for (const std::uint64_t offset : kRegisters) {
        for (unsigned bytes = 0; bytes <= 64; ++bytes) {
            Access access(offset);
            (*access).bytes = (*access).streaming_width = bytes;
            CAPTURE(offset, bytes);
            CHECK(access.decoded().bus == (bytes == 8 ? BusAnswer::Ok : BusAnswer::BurstError));
        }
        for (unsigned width = 0; width <= 16; ++width) {  // below 8: the same bytes again and again
            Access access(offset);
            (*access).streaming_width = width;
            CAPTURE(offset, width);
            CHECK(access.decoded().bus == (width >= 8 ? BusAnswer::Ok : BusAnswer::BurstError));
        }
        for (const unsigned bytes : {1U, 2U, 4U}) {  // the upper half of a register alone
            Access access(offset + 4);
            (*access).bytes = (*access).streaming_width = bytes;
            CHECK(access.decoded().bus == BusAnswer::BurstError);
        }
    }
}

TEST_CASE("D5 registers are write-only and take no byte enables, and an error does nothing") {
    for (const std::uint64_t offset : kRegisters) {
        Access read(offset);
        (*read).write = false;
        CHECK(read.decoded().bus == BusAnswer::CommandError);
        CHECK(read.decoded().what == What::Nothing);
        Access enables(offset);
        (*enables).byte_enables = true;
        CHECK(enables.decoded().bus == BusAnswer::ByteEnableError);
        CHECK(enables.decoded().what == What::Nothing);
    }
    Access reserved(0x38);
    (*reserved).write = false;
    (*reserved).bytes = 4;
    CHECK(reserved.decoded().bus == BusAnswer::AddressError);
}

TEST_CASE("D5 the BAR lies at its base") {
    constexpr std::uint64_t kBase = 0xFFFF'FFFF'FFFF'F000;  // its last byte is that of the space
    for (const std::uint64_t base : {std::uint64_t{0x1000}, std::uint64_t{0x8000'3000}, kBase}) {
        for (const std::uint64_t offset : kRegisters) {
            const Doorbell doorbell = Access(base + offset).decoded(base);
            CHECK(doorbell.bus == BusAnswer::Ok);
            CHECK(doorbell.offset == offset);
            CHECK(Access(base + offset - 0x1000).decoded(base).bus == BusAnswer::AddressError);
            CHECK(Access(base + offset + 0x1000).decoded(base).bus == BusAnswer::AddressError);
        }
    }
}

TEST_CASE("S6.11 registers are little-endian") {
    Access access(0x20);
    const std::array<unsigned char, 8> bytes{0x01, 0x02, 0x03, 0x01, 0x04, 0x05, 0x06, 0x07};
    (*access).data = bytes.data();
    const Doorbell arm = access.decoded();
    CHECK(arm.cqn == Cqn{0x030201});
    CHECK(arm.kind == ArmKind::Solicited);
    CHECK(arm.consumer == 0x0706'0504);
    const std::array<unsigned char, 8> eq{0x01, 0x02, 0, 0, 0x04, 0x05, 0x06, 0x07};
    (*access).data = eq.data();
    (*access).address = 0x40;
    const Doorbell update = access.decoded();
    CHECK(update.eqn == Eqn{0x0201});
    CHECK(update.consumer == 0x0706'0504);
}

TEST_CASE("S6.11 each bit of CQ_ARM") {
    for (unsigned bit = 0; bit < 64; ++bit) {
        const std::uint64_t value = std::uint64_t{1} << bit;
        const Doorbell arm = written(0x20, value);
        CAPTURE(bit);
        CHECK(arm.bus == BusAnswer::Ok);
        CHECK(arm.what == What::ArmCq);
        CHECK(arm.offset == 0x20);
        CHECK(arm.cqn == Cqn{bit < 24 ? 1U << bit : 0U});
        CHECK(arm.kind == (bit == 24 ? ArmKind::Solicited : ArmKind::Next));
        CHECK(arm.refusal ==
              (bit > 24 && bit < 32 ? DoorbellRefusal::ReservedBits : DoorbellRefusal::None));
        CHECK(arm.consumer == (bit >= 32 ? 1U << (bit - 32) : 0U));
    }
}

TEST_CASE("S6.22 each bit of EQ_ARM and EQ_UPDATE") {
    for (const std::uint64_t offset : {std::uint64_t{0x40}, std::uint64_t{0x48}}) {
        for (unsigned bit = 0; bit < 64; ++bit) {
            const Doorbell update = written(offset, std::uint64_t{1} << bit);
            CAPTURE(offset, bit);
            CHECK(update.bus == BusAnswer::Ok);
            CHECK(update.what == What::EqConsumer);
            CHECK(update.offset == offset);
            CHECK(update.arms == (offset == 0x40));
            CHECK(update.cqn == kNoCq);
            CHECK(update.eqn == Eqn{static_cast<std::uint16_t>(bit < 16 ? 1U << bit : 0U)});
            CHECK(update.refusal ==
                  (bit >= 16 && bit < 32 ? DoorbellRefusal::ReservedBits : DoorbellRefusal::None));
            CHECK(update.consumer == (bit >= 32 ? 1U << (bit - 32) : 0U));
        }
    }
}

TEST_CASE("S6.11 a consumer index of a CQ has no more bits than the device's indices") {
    for (std::uint32_t width = 4; width <= 32; ++width) {
        for (std::uint32_t bit = 0; bit < 32; ++bit) {
            const Doorbell arm = written(0x20, std::uint64_t{1} << (32 + bit), width);
            CAPTURE(width, bit);
            CHECK(arm.bus == BusAnswer::Ok);
            CHECK(arm.refusal ==
                  (bit < width ? DoorbellRefusal::None : DoorbellRefusal::WideIndex));
            CHECK(written(0x40, std::uint64_t{1} << (32 + bit), width).refusal ==
                  DoorbellRefusal::None);
        }
    }
    CHECK(written(0x20, 0xFFFF'FFFF'0200'0000, 4).refusal == DoorbellRefusal::ReservedBits);
}

TEST_CASE("S3.1 each bit of CQ_CI, on the path for which the device is configured") {
    for (unsigned bit = 0; bit < 64; ++bit) {
        const Access access(0x28, std::uint64_t{1} << bit);
        const Doorbell index = access.decoded(ConsumerPath::Mmio, 4, 0, 24);
        CAPTURE(bit);
        CHECK(index.bus == BusAnswer::Ok);
        CHECK(index.what == What::CqConsumer);
        CHECK(index.offset == 0x28);
        CHECK(index.cqn == Cqn{bit < 24 ? 1U << bit : 0U});
        CHECK(index.consumer == (bit >= 32 ? 1U << (bit - 32) : 0U));
        CHECK(index.refusal == (bit < 24   ? DoorbellRefusal::None
                                : bit < 32 ? DoorbellRefusal::ReservedBits
                                : bit < 56 ? DoorbellRefusal::None
                                           : DoorbellRefusal::WideIndex));
        for (const ConsumerPath other : {ConsumerPath::Record, ConsumerPath::Increment}) {
            CHECK(access.decoded(other, 4, 0, 24).refusal == DoorbellRefusal::OtherPath);
        }
    }
}

TEST_CASE("S3.2 each bit of CQ_CREDIT, whose increment has as many bits as are configured") {
    for (std::uint32_t bits = 4; bits <= 16; ++bits) {
        for (unsigned bit = 0; bit < 64; ++bit) {
            const Access access(0x30, std::uint64_t{1} << bit);
            const Doorbell credit = access.decoded(ConsumerPath::Increment, bits);
            CAPTURE(bits, bit);
            CHECK(credit.bus == BusAnswer::Ok);
            CHECK(credit.what == What::CqCredit);
            CHECK(credit.offset == 0x30);
            CHECK(credit.cqn == Cqn{bit < 24 ? 1U << bit : 0U});
            CHECK(credit.consumer == (bit >= 32 ? 1U << (bit - 32) : 0U));
            CHECK(credit.refusal == (bit < 24          ? DoorbellRefusal::None
                                     : bit < 32        ? DoorbellRefusal::ReservedBits
                                     : bit < 32 + bits ? DoorbellRefusal::None
                                                       : DoorbellRefusal::WideIndex));
            for (const ConsumerPath other : {ConsumerPath::Record, ConsumerPath::Mmio}) {
                CHECK(access.decoded(other, bits).refusal == DoorbellRefusal::OtherPath);
            }
        }
    }
}

TEST_CASE("D5 what software composes by the map is what the device reads") {
    const Doorbell arm =
        written(0x20, bar::cq_arm(Cqn{0xFF'FFFE}, 0x89AB'CDEF, ArmKind::Solicited));
    CHECK(arm.cqn == Cqn{0xFF'FFFE});
    CHECK(arm.consumer == 0x89AB'CDEF);
    CHECK(arm.kind == ArmKind::Solicited);
    CHECK(arm.refusal == DoorbellRefusal::None);
    const Doorbell update = written(0x48, bar::eq_index(Eqn{0xFFFE}, 0x89AB'CDEF));
    CHECK(update.eqn == Eqn{0xFFFE});
    CHECK(update.consumer == 0x89AB'CDEF);
    CHECK(update.refusal == DoorbellRefusal::None);
    const Doorbell index =
        Access(0x28, bar::cq_consumer(Cqn{0xFF'FFFE}, 0x89AB'CDEF)).decoded(ConsumerPath::Mmio, 4);
    CHECK(index.cqn == Cqn{0xFF'FFFE});
    CHECK(index.consumer == 0x89AB'CDEF);
    CHECK(index.refusal == DoorbellRefusal::None);
    const Doorbell credit =
        Access(0x30, bar::cq_credit(Cqn{0xFF'FFFE}, 15)).decoded(ConsumerPath::Increment, 4);
    CHECK(credit.cqn == Cqn{0xFF'FFFE});
    CHECK(credit.consumer == 15);
    CHECK(credit.refusal == DoorbellRefusal::None);
}

TEST_CASE("S6.1 S6.22 what the event arbiter refuses is told apart") {
    using Result = CommandResult;
    CHECK(refusal_of_arm(Result::Ok) == DoorbellRefusal::None);
    CHECK(refusal_of_arm(Result::NoEntry) == DoorbellRefusal::UnknownCq);
    CHECK(refusal_of_arm(Result::Invalid) == DoorbellRefusal::CqWithoutEq);
    CHECK(refusal_of_eq_consumer(Result::Ok) == DoorbellRefusal::None);
    CHECK(refusal_of_eq_consumer(Result::NoEntry) == DoorbellRefusal::UnknownEq);
    CHECK(refusal_of_eq_consumer(Result::Invalid) == DoorbellRefusal::EqIndex);
    CHECK(refusal_of_consumer(Result::Ok) == DoorbellRefusal::None);
    CHECK(refusal_of_consumer(Result::NoEntry) == DoorbellRefusal::UnknownCq);
    CHECK(refusal_of_consumer(Result::Invalid) == DoorbellRefusal::CqIndex);
}
