// SPDX-License-Identifier: Apache-2.0
// S7.7: taking one QP's entries out of a ring, against a list.
#include "tb/host/sweep.h"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

namespace cqsim::tb {
namespace {

/// A ring of its own bytes, filled from `consumer` on as a device would.
class ListRing final : public SweptRing {
  public:
    ListRing(std::uint32_t depth, std::uint32_t consumer, const std::vector<std::uint32_t>& qpns)
        : m_depth(depth),
          m_slots(depth) {
        for (std::uint32_t i = 0; i < depth; ++i) {  // the lap before, or none yet
            const std::uint32_t index = consumer + i;
            store(index, 0xABCDEF, 1000 + i, static_cast<std::uint8_t>(owner(index) ^ 1U));
        }
        for (std::uint32_t i = 0; i < qpns.size(); ++i) {
            store(consumer + i, qpns[i], i, owner(consumer + i));
        }
    }

    bool valid(std::uint32_t index) override {
        return native::is_valid(slot(index).data(), owner(index));
    }
    native::Entry read(std::uint32_t index) override { return slot(index); }
    void write(std::uint32_t index, const native::Entry& entry) override {
        const std::byte own = slot(index)[native::kOwnByte];
        slot(index) = entry;
        slot(index)[native::kOwnByte] =
            (entry[native::kOwnByte] & ~std::byte{1}) | (own & std::byte{1});
        ++writes;
    }
    native::Decoded at(std::uint32_t index) { return native::decode(slot(index).data()); }

    std::uint32_t writes = 0;

  private:
    std::uint8_t owner(std::uint32_t index) const {
        return static_cast<std::uint8_t>(index / m_depth & 1U);
    }
    native::Entry& slot(std::uint32_t index) { return m_slots[index % m_depth]; }
    void store(std::uint32_t index, std::uint32_t qpn, std::uint32_t wqe, std::uint8_t owner) {
        Completion completion;
        completion.qpn = Qpn{qpn};
        completion.wqe_index = wqe;
        completion.wr_id = 7000 + wqe;
        native::encode(completion, owner, {}, slot(index).data());
    }

    std::uint32_t m_depth;
    std::vector<native::Entry> m_slots;
};

/// What must be left (S7.7): the others in their order, each valid once, up to the same producer.
void check_swept(std::uint32_t depth,
                 std::uint32_t consumer,
                 const std::vector<std::uint32_t>& qpns,
                 std::uint32_t dead) {
    ListRing ring(depth, consumer, qpns);
    const std::uint32_t freed = sweep(ring, consumer, depth, Qpn{dead});
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < qpns.size(); ++i) {
        if (qpns[i] != dead) {
            left.push_back(i);
        }
    }
    INFO("depth " << depth << ", consumer " << consumer << ", entries " << qpns.size());
    REQUIRE(freed == qpns.size() - left.size());
    const std::uint32_t begin = consumer + freed;
    for (std::uint32_t i = 0; i < left.size(); ++i) {
        CHECK(ring.valid(begin + i));
        CHECK(index_of(ring.at(begin + i).qpn) == qpns[left[i]]);
        CHECK(ring.at(begin + i).wqe_index == left[i]);
        CHECK(ring.at(begin + i).wr_id == 7000 + left[i]);
    }
    // The producer did not move: the slot after the last entry is the device's, if there is one.
    if (qpns.size() < depth) {
        CHECK_FALSE(ring.valid(consumer + static_cast<std::uint32_t>(qpns.size())));
    }
    CHECK(ring.writes <= left.size());
}

}  // namespace

TEST_CASE("S7.7 a sweep leaves the entries of other QPs in their order") {
    std::mt19937_64 random(20261130);
    for (int round = 0; round < 4000; ++round) {
        const std::uint32_t depth = 1U << (random() % 7);
        const auto count = static_cast<std::size_t>(random() % (depth + 1));
        auto consumer = static_cast<std::uint32_t>(random());
        if (round % 3 == 0) {
            consumer = 0U - static_cast<std::uint32_t>(random() % (depth + 1));  // wraps at 2^32
        } else if (round % 3 == 1) {
            consumer = (1U << 31U) - static_cast<std::uint32_t>(random() % (depth + 1));
        }
        std::vector<std::uint32_t> qpns(count);
        for (std::uint32_t& qpn : qpns) {
            qpn = static_cast<std::uint32_t>(random() % 3);
        }
        check_swept(depth, consumer, qpns, 1);
    }
}

TEST_CASE("S7.7 first, last, all and none of a ring are swept, one that is full included") {
    for (const std::uint32_t depth : {1U, 2U, 4U, 8U, 64U}) {
        for (const std::uint32_t consumer : {0U, depth - 1, 5 * depth + depth / 2}) {
            for (std::uint32_t count = 0; count <= depth; ++count) {
                std::vector<std::uint32_t> none(count, 2);
                check_swept(depth, consumer, none, 1);
                check_swept(depth, consumer, std::vector<std::uint32_t>(count, 1), 1);
                if (count > 0) {
                    std::vector<std::uint32_t> first = none;
                    first.front() = 1;
                    check_swept(depth, consumer, first, 1);
                    std::vector<std::uint32_t> last = none;
                    last.back() = 1;
                    check_swept(depth, consumer, last, 1);
                }
            }
        }
    }
}

TEST_CASE("S7.8a with all slots valid the newest entry is looked at too") {
    ListRing ring(4, 0, {2, 2, 2, 1});
    CHECK(sweep(ring, 0, 4, Qpn{1}) == 1);
    CHECK(ring.at(1).wqe_index == 0);
    CHECK(ring.at(3).wqe_index == 2);
}

TEST_CASE("S7.7 a sweep compares whole QP numbers") {  // no mask, no byte order mistaken
    ListRing ring(4, 0, {0x000101, 0x010001, 0x000001});
    CHECK(sweep(ring, 0, 4, Qpn{0x000101}) == 1);
}

}  // namespace cqsim::tb
