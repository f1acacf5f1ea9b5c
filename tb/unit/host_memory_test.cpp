// SPDX-License-Identifier: Apache-2.0
// The bytes of host memory (D5).
#include "models/ring/host_memory.h"

#include <catch2/catch.hpp>

#include <new>

namespace {

using namespace cqsim;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBase = 0x1'0000'0000;

}  // namespace

TEST_CASE("D5 memory is given out in whole pages one after the other") {
    HostMemory memory;
    CHECK(memory.pages() == 0);
    CHECK(memory.allocate(1) == kBase);
    CHECK(memory.allocate(kPage) == kBase + kPage);
    CHECK(memory.allocate(kPage + 1) == kBase + 2 * kPage);
    CHECK(memory.allocate(8) == kBase + 4 * kPage);
    CHECK(memory.pages() == 5);
}

TEST_CASE("D5 fresh pages are zero") {
    HostMemory memory;
    const std::uint64_t address = memory.allocate(2 * kPage);
    const std::byte* bytes = memory.at(address, 2 * kPage);
    REQUIRE(bytes != nullptr);
    for (std::uint64_t i = 0; i < 2 * kPage; ++i) {
        REQUIRE(bytes[i] == std::byte{0});
    }
}

TEST_CASE("D5 only allocated pages can be reached") {
    HostMemory memory;
    CHECK(memory.at(kBase, 1) == nullptr);
    memory.allocate(kPage);
    CHECK(memory.at(kBase, 1) != nullptr);
    CHECK(memory.at(kBase, kPage) != nullptr);
    CHECK(memory.at(kBase + kPage - 1, 1) != nullptr);
    CHECK(memory.at(kBase + kPage - 1, 2) == nullptr);
    CHECK(memory.at(kBase + kPage, 1) == nullptr);
    CHECK(memory.at(kBase - 1, 1) == nullptr);
    CHECK(memory.at(0, 8) == nullptr);
    CHECK(memory.at(UINT64_MAX, 1) == nullptr);
    CHECK(memory.at(kBase, UINT64_MAX) == nullptr);
}

TEST_CASE("D5 an access may cross pages that are both allocated") {
    HostMemory memory;
    memory.allocate(kPage);
    memory.allocate(kPage);
    std::byte* crossing = memory.at(kBase + kPage - 32, 64);
    REQUIRE(crossing != nullptr);
    crossing[32] = std::byte{0x5A};
    CHECK(*memory.at(kBase + kPage, 1) == std::byte{0x5A});
}

TEST_CASE("D5 bytes stay where they are while more is allocated") {
    HostMemory memory;
    const std::uint64_t address = memory.allocate(kPage);
    *memory.at(address, 1) = std::byte{0x17};
    const std::byte* before = memory.at(address, 1);
    for (int i = 0; i < 100; ++i) {
        memory.allocate(kPage);
    }
    CHECK(memory.at(address, 1) == before);
    CHECK(*before == std::byte{0x17});
}

TEST_CASE("D5 an allocation never spans two segments of 1 GiB") {
    constexpr std::uint64_t kSegment = std::uint64_t{1} << 30;
    HostMemory memory;
    CHECK(memory.allocate(kSegment - kPage) == kBase);
    const std::uint64_t second = memory.allocate(2 * kPage);
    CHECK(second == kBase + kSegment);
    CHECK(memory.at(second, 2 * kPage) != nullptr);
    *memory.at(second, 1) = std::byte{0x2B};
    CHECK(memory.at(second - 1, 2) == nullptr);
    // The page before the boundary was given to nobody.
    CHECK(memory.at(second - kPage, 1) == nullptr);
    CHECK(memory.at(second - 1, 1) == nullptr);
    CHECK(memory.at(second - kPage - 1, 1) != nullptr);
    CHECK(memory.at(second - kPage - 1, 2) == nullptr);
    CHECK(memory.at(kBase, kSegment - kPage) != nullptr);
    CHECK(memory.at(kBase, kSegment) == nullptr);
    CHECK(*memory.at(kBase, 1) == std::byte{0});
    CHECK_THROWS_AS(memory.allocate(kSegment + 1), std::bad_alloc);
}
