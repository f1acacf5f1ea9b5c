// SPDX-License-Identifier: Apache-2.0
// The order of blocks within one time stamp (P6, P7), on a timeline moved by hand.
#include "models/time/timeline.h"

#include <catch2/catch.hpp>

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace cqsim;

using Log = std::vector<std::string>;

/// Notes its name and the time whenever it is due, then does what it was told.
class Noting final : public TimedBlock {
  public:
    Noting(Timeline& timeline, Rank rank, std::string name, Log& log)
        : m_timeline(timeline),
          m_slot(timeline.attach(*this, rank)),
          m_name(std::move(name)),
          m_log(log) {}

    void at(std::uint64_t ps) { m_timeline.at(m_slot, TimePs{ps}); }
    /// Once, the next time it is due.
    std::function<void()> then;

  private:
    void due(TimePs now) override {
        CHECK(m_timeline.now() == now);
        m_log.push_back(m_name + "@" + std::to_string(now.ps));
        const std::function<void()> once = std::move(then);
        then = nullptr;
        if (once) {
            once();
        }
    }

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    std::string m_name;
    Log& m_log;
};

}  // namespace

TEST_CASE("P6 blocks of one time stamp run by rank whatever the order of attaching and asking") {
    Log log;
    ManualTimeline timeline;
    Noting host(timeline, Rank::Host, "host", log);
    Noting arbiter(timeline, Rank::Arbiter, "arbiter", log);
    Noting memory(timeline, Rank::Memory, "memory", log);
    Noting rx(timeline, Rank::RxPipeline, "rx", log);
    Noting script(timeline, Rank::Script, "script", log);
    Noting tx(timeline, Rank::TxPipeline, "tx", log);
    Noting event(timeline, Rank::Event, "event", log);
    for (Noting* block : {&event, &host, &rx, &tx, &arbiter, &script, &memory}) {
        block->at(5);
    }
    timeline.run();
    CHECK(log == Log{"memory@5", "script@5", "tx@5", "rx@5", "arbiter@5", "event@5", "host@5"});
}

TEST_CASE("P6 blocks of equal rank run in the order of attaching") {
    Log log;
    ManualTimeline timeline;
    Noting first(timeline, Rank::Host, "first", log);
    Noting memory(timeline, Rank::Memory, "memory", log);
    Noting second(timeline, Rank::Host, "second", log);
    second.at(1);
    memory.at(1);
    first.at(1);
    timeline.run();
    CHECK(log == Log{"memory@1", "first@1", "second@1"});
}

TEST_CASE("P7 times come in order and equal stamps together") {
    Log log;
    ManualTimeline timeline;
    Noting tx(timeline, Rank::TxPipeline, "tx", log);
    Noting rx(timeline, Rank::RxPipeline, "rx", log);
    rx.at(10);
    tx.at(20);
    rx.then = [&] { rx.at(20); };
    timeline.run();
    CHECK(log == Log{"rx@10", "tx@20", "rx@20"});
}

TEST_CASE("P6 a lower rank that becomes due at the running stamp runs before the higher ones") {
    Log log;
    ManualTimeline timeline;
    Noting memory(timeline, Rank::Memory, "memory", log);
    Noting tx(timeline, Rank::TxPipeline, "tx", log);
    Noting arbiter(timeline, Rank::Arbiter, "arbiter", log);
    Noting host(timeline, Rank::Host, "host", log);
    arbiter.at(7);
    host.at(7);
    arbiter.then = [&] {
        tx.at(7);
        memory.at(7);
    };
    timeline.run();
    CHECK(log == Log{"arbiter@7", "memory@7", "tx@7", "host@7"});
}

TEST_CASE("P6 a block that asks for the running stamp runs again after the lower ranks") {
    Log log;
    ManualTimeline timeline;
    Noting tx(timeline, Rank::TxPipeline, "tx", log);
    Noting arbiter(timeline, Rank::Arbiter, "arbiter", log);
    Noting host(timeline, Rank::Host, "host", log);
    arbiter.at(7);
    host.at(7);
    arbiter.then = [&] {
        arbiter.at(7);
        tx.at(7);
    };
    timeline.run();
    CHECK(log == Log{"arbiter@7", "tx@7", "arbiter@7", "host@7"});
}

TEST_CASE("P6 a higher rank that becomes due at the running stamp runs at that stamp") {
    Log log;
    ManualTimeline timeline;
    Noting memory(timeline, Rank::Memory, "memory", log);
    Noting arbiter(timeline, Rank::Arbiter, "arbiter", log);
    Noting host(timeline, Rank::Host, "host", log);
    memory.at(7);
    host.at(7);
    memory.then = [&] { arbiter.at(7); };
    timeline.run();
    CHECK(log == Log{"memory@7", "arbiter@7", "host@7"});
}

TEST_CASE("P7 of several wishes the earliest counts and it is called once") {
    Log log;
    ManualTimeline timeline;
    Noting block(timeline, Rank::Host, "block", log);
    block.at(30);
    block.at(10);
    block.at(20);
    CHECK(timeline.next_due() == TimePs{10});
    timeline.run();
    CHECK(log == Log{"block@10"});
    CHECK(timeline.next_due() == kNever);
}

TEST_CASE("P7 while it runs the earliest of a block's new wishes counts") {
    Log log;
    ManualTimeline timeline;
    Noting block(timeline, Rank::Host, "block", log);
    block.at(10);
    block.then = [&] {
        block.at(50);
        block.at(40);
        block.at(60);
    };
    timeline.run();
    CHECK(log == Log{"block@10", "block@40"});
}

TEST_CASE("P7 a wish for a time that has passed is granted at the present") {
    Log log;
    ManualTimeline timeline;
    Noting early(timeline, Rank::TxPipeline, "early", log);
    Noting late(timeline, Rank::Host, "late", log);
    late.at(100);
    late.then = [&] { early.at(3); };
    timeline.run();
    CHECK(log == Log{"late@100", "early@100"});
    early.at(5);
    timeline.run();
    CHECK(log == Log{"late@100", "early@100", "early@100"});
}

TEST_CASE("P7 advancing runs all that is due up to and including the time and stands there") {
    Log log;
    ManualTimeline timeline;
    Noting block(timeline, Rank::Host, "block", log);
    block.at(10);
    timeline.advance_to(TimePs{9});
    CHECK(log.empty());
    CHECK(timeline.now() == TimePs{9});
    block.then = [&] { block.at(11); };
    timeline.advance_to(TimePs{10});
    CHECK(log == Log{"block@10"});
    CHECK(timeline.now() == TimePs{10});
    CHECK(timeline.next_due() == TimePs{11});
    timeline.advance_to(TimePs{500});
    CHECK(log == Log{"block@10", "block@11"});
    CHECK(timeline.now() == TimePs{500});
}

TEST_CASE("P7 a timeline takes 64 blocks and refuses one more") {
    Log log;
    ManualTimeline timeline;
    std::deque<Noting> blocks;
    for (int i = 0; i < 64; ++i) {
        blocks.emplace_back(timeline, Rank::Host, std::to_string(i), log);
    }
    CHECK_THROWS_AS(blocks.emplace_back(timeline, Rank::Host, "64", log), std::length_error);
    for (Noting& block : blocks) {
        block.at(1);
    }
    timeline.run();
    REQUIRE(log.size() == 64);
    CHECK(log.front() == "0@1");
    CHECK(log.back() == "63@1");
}
