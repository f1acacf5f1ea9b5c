// SPDX-License-Identifier: Apache-2.0
// Turns of a stream over the QPs of a group.
#include "tb/pipeline/stream.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace {

using namespace cqsim;
using namespace cqsim::tb;

StreamConfig config_of(std::uint32_t qps, std::uint64_t period_ps, std::uint64_t start_ps = 0) {
    StreamConfig config;
    config.first = Qpn{10};
    config.qps = qps;
    config.period = TimePs{period_ps};
    config.start = TimePs{start_ps};
    return config;
}

Stream stream_of(const StreamConfig& config, std::uint64_t seed = 1) {
    return {config, RandomStream(seed, "stream_test")};
}

/// Uses a whole round. \returns the members in their order.
std::vector<std::uint32_t> round_of(Stream& stream) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < stream.config().qps; ++i) {
        members.push_back(index_of(stream.qp_of_turn()) - 10);
        stream.used();
    }
    return members;
}

}  // namespace

TEST_CASE("Turns of a stream are evenly spaced and each QP has one in a period") {
    Stream stream = stream_of(config_of(4, 10, 100));
    constexpr std::uint64_t kTimes[] = {100, 102, 105, 107, 110, 112, 115, 117, 120};
    std::uint32_t member = 0;
    for (const std::uint64_t time : kTimes) {
        CHECK(stream.next_turn() == TimePs{time});
        CHECK(stream.qp_of_turn() == Qpn{10 + member % 4});
        stream.used();
        ++member;
    }
}

TEST_CASE("Turns of a stream do not drift however the period divides") {
    for (const std::uint32_t qps : {1U, 3U, 7U, 1000U}) {
        for (const std::uint64_t period : {1U, 7U, 1000U, 999'999U}) {
            Stream stream = stream_of(config_of(qps, period));
            for (std::uint64_t turn = 0; turn < 3000; ++turn) {
                REQUIRE(stream.next_turn() == TimePs{turn * period / qps});
                stream.used();
            }
        }
    }
}

TEST_CASE("A stream tells whose turns come next") {
    Stream stream = stream_of(config_of(3, 30));
    stream.used();
    CHECK(stream.qp_ahead(0) == Qpn{11});
    CHECK(stream.qp_ahead(1) == Qpn{12});
    CHECK(stream.qp_ahead(2) == Qpn{10});
    CHECK(stream.qp_ahead(3) == Qpn{11});
}

TEST_CASE("A counted stream tells the last turn of each QP") {
    StreamConfig config = config_of(2, 20);
    CHECK_FALSE(stream_of(config).last_of_qp());  // for ever
    config.count = 2;
    Stream stream = stream_of(config);
    stream.used();
    stream.skip();  // of member 1: not used
    CHECK(stream.last_of_qp());
    stream.used();
    CHECK_FALSE(stream.last_of_qp());
    stream.used();
    stream.skip();  // member 0 has none left
    CHECK(stream.last_of_qp());
    stream.used();
    CHECK(stream.done());
}

TEST_CASE("A counted stream is done when every QP has used its turns") {
    StreamConfig config = config_of(3, 30);
    config.count = 2;
    Stream stream = stream_of(config);
    for (std::uint64_t turn = 0; turn < 6; ++turn) {
        REQUIRE_FALSE(stream.done());
        REQUIRE(stream.wanted());
        REQUIRE(stream.next_turn() == TimePs{10 * turn});
        stream.used();
    }
    CHECK(stream.done());
    CHECK(stream.next_turn() == kNever);
}

TEST_CASE("A QP that missed turns of a counted stream makes them up later") {
    StreamConfig config = config_of(2, 20);
    config.count = 2;
    Stream stream = stream_of(config);
    stream.used();     // QP 10: one left
    stream.refused();  // QP 11: two left
    stream.used();     // QP 10 has done its part
    stream.used();     // QP 11: one left
    REQUIRE_FALSE(stream.done());
    CHECK_FALSE(stream.wanted());
    stream.skip();  // a turn of QP 10
    CHECK(stream.qp_of_turn() == Qpn{11});
    CHECK(stream.wanted());
    CHECK(stream.next_turn() == TimePs{50});
    stream.used();
    CHECK(stream.done());
}

TEST_CASE("A stream parks after a whole round in which no turn was used") {
    Stream stream = stream_of(config_of(3, 30));
    stream.refused();
    stream.refused();
    CHECK_FALSE(stream.parked());
    stream.used();
    stream.refused();
    stream.refused();
    CHECK_FALSE(stream.parked());
    stream.refused();
    CHECK(stream.parked());
    CHECK_FALSE(stream.done());
    CHECK(stream.next_turn() == kNever);
    CHECK(stream.refusals() == 5);
}

TEST_CASE("A parked stream goes on at its next turn and each QP keeps its phase") {
    const auto parked = [] {
        Stream stream = stream_of(config_of(3, 9));  // turns at 0, 3, 6; the next would be at 9
        for (int i = 0; i < 3; ++i) {
            stream.refused();
        }
        REQUIRE(stream.parked());
        return stream;
    };
    Stream much_later = parked();
    much_later.unpark(TimePs{100});
    CHECK_FALSE(much_later.parked());
    CHECK(much_later.next_turn() == TimePs{108});  // a multiple of 9, as all of QP 10's
    CHECK(much_later.qp_of_turn() == Qpn{10});
    much_later.used();
    CHECK(much_later.next_turn() == TimePs{111});
    Stream before_its_turn = parked();
    before_its_turn.unpark(TimePs{7});
    CHECK(before_its_turn.next_turn() == TimePs{9});
    Stream exactly = parked();
    exactly.unpark(TimePs{18});
    CHECK(exactly.next_turn() == TimePs{18});
}

TEST_CASE("A stream of which no QP runs parks, and none of its turns was refused") {
    Stream stream = stream_of(config_of(3, 30));
    stream.skip();
    stream.skip();
    CHECK_FALSE(stream.parked());
    stream.skip();
    CHECK(stream.parked());
    CHECK_FALSE(stream.done());
    CHECK(stream.refusals() == 0);
    CHECK(stream.next_turn() == kNever);
    stream.unpark(TimePs{40});
    CHECK_FALSE(stream.parked());
    CHECK(stream.next_turn() == TimePs{60});
}

TEST_CASE("A QP that does not run keeps its turns of a counted stream") {
    StreamConfig config = config_of(2, 20);
    config.count = 2;
    Stream stream = stream_of(config);
    stream.used();  // QP 10: one left
    stream.skip();  // QP 11 does not run: two left
    stream.used();
    stream.skip();
    REQUIRE_FALSE(stream.done());
    stream.skip();  // QP 10 has done its part
    CHECK(stream.wanted());
    stream.used();
    stream.skip();
    stream.used();
    CHECK(stream.done());
}

TEST_CASE("A stream covers the QPs of its group") {
    const Stream stream = stream_of(config_of(3, 30));  // from QP 10 on
    CHECK_FALSE(stream.covers(Qpn{9}));
    CHECK(stream.covers(Qpn{10}));
    CHECK(stream.covers(Qpn{12}));
    CHECK_FALSE(stream.covers(Qpn{13}));
}

TEST_CASE("P6 a shuffled stream visits every QP once a round in an order of its seed") {
    StreamConfig config = config_of(100, 1000);
    config.shuffled = true;
    Stream stream = stream_of(config, 1);
    Stream again = stream_of(config, 1);
    Stream other = stream_of(config, 2);
    const std::vector<std::uint32_t> first = round_of(stream);
    CHECK(std::set<std::uint32_t>(first.begin(), first.end()).size() == 100);
    CHECK(*std::max_element(first.begin(), first.end()) == 99);
    CHECK(round_of(stream) == first);
    CHECK(round_of(again) == first);
    CHECK(round_of(other) != first);
    CHECK_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST_CASE("What a stream began comes back first in and first out") {
    Stream stream = stream_of(config_of(1, 1));
    for (std::uint32_t i = 0; i < 1000; ++i) {  // more than the buffer begins with
        stream.pending.push({TimePs{i}, Qpn{i}, i, 1});
        if (i % 3 == 2) {
            REQUIRE(stream.pending.front().wqe_index == i / 3);
            stream.pending.pop();
        }
    }
    REQUIRE(stream.pending.size() == 667);
    CHECK(stream.pending.peek(3).wqe_index == 336);
    for (std::uint32_t i = 333; i < 1000; ++i) {
        REQUIRE(stream.pending.front().at == TimePs{i});
        stream.pending.pop();
    }
    CHECK(stream.pending.empty());
}
