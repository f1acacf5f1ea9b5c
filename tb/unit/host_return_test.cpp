// SPDX-License-Identifier: Apache-2.0
// How software returns slots: doorbell record, register, increments (S3.1, S3.2, K20).
#include "tb/unit/host_bench.h"

namespace cqsim::test {
namespace {

using Values = std::vector<std::uint64_t>;

/// A bench with a CQ of 64 whose indices are returned so.
class ReturnBench final {
  public:
    explicit ReturnBench(const tb::IndexReturnConfig& config) {
        bench.begin();
        bench.host.rings().return_indices(config);
        bench.host.rings().reserve(64);
        bench.create_cq(kCq, 64);
    }
    /// So many entries come, and are read.
    void read(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            bench.entry(kCq, Qpn{2}, m_next++);
        }
        CHECK(bench.host.rings().take_unpublished(kCq, count) == count);
    }
    /// What is written into a register when the index is published.
    Values published(std::uint64_t offset) {
        bench.rings.clear();
        bench.host.rings().publish(kCq);
        Values values;
        for (const Ring& ring : bench.rings) {
            CHECK(ring.offset == offset);
            values.push_back(ring.value);
        }
        return values;
    }

    HostBench bench{"bench"};

  private:
    std::uint32_t m_next = 0;
};

std::uint64_t credit(std::uint32_t increment) {
    return bar::cq_credit(kCq, increment);
}

}  // namespace

TEST_CASE("S3.1 by doorbell record nothing goes to the BAR") {
    ReturnBench host({});
    host.read(20);
    CHECK(host.published(0).empty());
    CHECK(host.bench.published(kCq) == 20);
}

TEST_CASE("S3.1 by register the index goes to the BAR, and the doorbell record stays") {
    ReturnBench host({ConsumerPath::Mmio, 8, {}});
    host.read(20);
    CHECK(host.bench.host.rings().unreturned(kCq) == 20);
    CHECK(host.published(0x28) == Values{bar::cq_consumer(kCq, 20)});
    CHECK(host.bench.host.rings().unreturned(kCq) == 0);
    host.read(3);
    CHECK(host.published(0x28) == Values{bar::cq_consumer(kCq, 23)});
    CHECK(host.bench.published(kCq) == 0);
}

TEST_CASE("6 an increment that is too large for its field is written as several") {
    ReturnBench host({ConsumerPath::Increment, 4, tb::IncrementPolicy::Split});
    host.read(20);
    CHECK(host.published(0x30) == Values{credit(15), credit(5)});
    CHECK(host.published(0x30).empty());  // nothing was read: no doorbell (54)
    host.read(30);
    CHECK(host.published(0x30) == Values{credit(15), credit(15)});
    CHECK(host.bench.published(kCq) == 0);
}

TEST_CASE("6 cut to its field, an increment of 20 is one of 4, and 16 entries are lost") {
    ReturnBench host({ConsumerPath::Increment, 4, tb::IncrementPolicy::Truncate});
    host.read(20);
    CHECK(host.published(0x30) == Values{credit(4)});
    CHECK(host.bench.host.rings().unreturned(kCq) == 0);  // it believes so
    host.read(16);
    CHECK(host.published(0x30) == Values{credit(0)});
    host.read(3);
    CHECK(host.published(0x30) == Values{credit(3)});
}

TEST_CASE("6 held at its largest, an increment of 20 is one of 15, and 5 entries are lost") {
    ReturnBench host({ConsumerPath::Increment, 4, tb::IncrementPolicy::Clamp});
    host.read(20);
    CHECK(host.published(0x30) == Values{credit(15)});
    host.read(3);
    CHECK(host.published(0x30) == Values{credit(3)});
}

TEST_CASE("S4.6 entries that a resize tells of are not counted again by a later increment") {
    ReturnBench host({ConsumerPath::Increment, 8, tb::IncrementPolicy::Split});
    host.read(20);
    host.bench.rings.clear();
    host.bench.host.driver().resize_cq(1, kCq, 128);
    REQUIRE(host.bench.rings.size() == 2);
    CHECK(host.bench.rings[0].value == credit(20));
    CHECK(host.bench.rings[1].value == credit(1));  // S4.7: the marker of the old ring
    CHECK(host.bench.host.rings().unreturned(kCq) == 0);
}

TEST_CASE("S3.2 a CQ that is made again has told the device nothing") {
    ReturnBench host({ConsumerPath::Increment, 8, tb::IncrementPolicy::Split});
    host.read(20);
    host.published(0x30);
    host.bench.host.driver().destroy_cq(1, kCq);
    host.bench.create_cq(kCq, 64);
    host.read(2);
    CHECK(host.published(0x30) == Values{credit(2)});
}

}  // namespace cqsim::test
