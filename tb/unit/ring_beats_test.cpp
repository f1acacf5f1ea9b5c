// SPDX-License-Identifier: Apache-2.0
// The memory when writes become visible beat by beat (S3.6, S6.15).
#include "tb/unit/ring_memory_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// Visible 100 ns after the request; beats of 16 bytes, 10 ns apart.
MemoryConfig in_beats(MemoryOrdering ordering) {
    MemoryConfig config;
    config.write_latency = from_ns(100);
    config.bandwidth = 0;
    config.ordering = ordering;
    config.beat = 16;
    config.beat_gap = from_ns(10);
    config.reorder = {};
    return config;
}

/// Which of the four beats of the write at `offset` are there: bit i is beat i, each as a whole.
unsigned beats_at(MemoryBench& bench, std::uint64_t offset, unsigned fill) {
    unsigned there = 0;
    for (std::uint64_t beat = 0; beat < 4; ++beat) {
        const bool first = bench.byte_at(offset + beat * 16) == fill;
        CHECK((bench.byte_at(offset + beat * 16 + 15) == fill) == first);
        there |= first ? 1U << beat : 0U;
    }
    return there;
}

}  // namespace

TEST_CASE("S3.6 in order the beats come from the first to the last, and then the response") {
    MemoryBench bench("bench", in_beats(MemoryOrdering::Ordered));
    bench.agenda.at(from_ns(0), [&] { bench.write(64, 0xAA); });
    const std::array<unsigned, 5> wanted{0, 1, 3, 7, 15};
    for (std::uint64_t i = 0; i < wanted.size(); ++i) {  // 99 ns, then 1 ns before the next beat
        bench.agenda.at(from_ns(99 + 10 * i), [&bench, &wanted, i] {
            CHECK(beats_at(bench, 64, 0xAA) == wanted.at(i));
            CHECK(bench.memory.pending() == (i == 4 ? 0 : 1));
        });
    }
    run_to_the_end();
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page + 64, from_ns(130), kOk}});
    // Whoever waits for the entry is woken by each beat: any may be the owner's.
    CHECK(bench.watched == std::vector<std::uint64_t>(4, bench.page + 64));
    CHECK(bench.dma.freed == 1);
}

TEST_CASE("S6.15 in order no beat of a write comes before the response of the one before it") {
    MemoryBench bench("bench", in_beats(MemoryOrdering::Ordered));
    bench.dma.answer = Initiator::Answer::EndsLater;
    bench.agenda.at(from_ns(0), [&] {
        bench.write(0, 1);
        bench.write(64, 2);
        bench.event_dma.send(tlm::TLM_WRITE_COMMAND, bench.page + 128, 3);
    });
    bench.agenda.at(from_ns(200), [&] {  // the second is whole at 160 ns, but has no response
        CHECK(beats_at(bench, 0, 1) == 15);
        CHECK(beats_at(bench, 64, 2) == 7);
        CHECK(beats_at(bench, 128, 3) == 0);
        CHECK(bench.memory.pending() == 2);
        bench.dma.answer = Initiator::Answer::Completed;
        bench.dma.end_response();
    });
    run_to_the_end();
    CHECK(beats_at(bench, 128, 3) == 15);
    CHECK(bench.dma.responses == std::vector<Response>{{bench.page, from_ns(130), kOk},
                                                       {bench.page + 64, from_ns(200), kOk}});
    REQUIRE(bench.event_dma.responses.size() == 1);
    CHECK(bench.event_dma.responses.front().at >= from_ns(200));
}

TEST_CASE("S3.6 relaxed, the response comes with the last beat, whichever that is") {
    MemoryBench bench("bench", in_beats(MemoryOrdering::Relaxed));
    bool owner_was_early = false;
    for (std::uint64_t n = 0; n < 32; ++n) {
        bench.agenda.at(from_ns(1'000 * n), [&bench, n] { bench.write(64 * n, 0xAA); });
        for (std::uint64_t i = 0; i < 5; ++i) {
            bench.agenda.at(from_ns(1'000 * n + 99 + 10 * i), [&, n, i] {
                const unsigned there = beats_at(bench, 64 * n, 0xAA);
                CHECK(__builtin_popcount(there) == static_cast<int>(i));
                CHECK(bench.dma.responses.size() == (i == 4 ? n + 1 : n));
                owner_was_early = owner_was_early || (i < 4 && (there & 8U) != 0);
            });
        }
    }
    run_to_the_end();
    CHECK(owner_was_early);  // but for one in 4^32 seeds
    CHECK(bench.dma.responses.back() ==
          Response{bench.page + std::uint64_t{64} * 31, from_ns(31'130), kOk});
}

TEST_CASE("S3.6 a write that memory refuses moves no beat and is answered in its turn") {
    MemoryBench bench("bench", in_beats(MemoryOrdering::Ordered));
    bench.agenda.at(from_ns(0), [&] {
        bench.dma.send(tlm::TLM_WRITE_COMMAND, bench.page + HostMemory::kPage - 32, 5);
        bench.write(0, 6);
    });
    run_to_the_end();
    CHECK(bench.byte_at(HostMemory::kPage - 32) == 0);
    CHECK(bench.dma.responses ==
          std::vector<Response>{
              {bench.page + HostMemory::kPage - 32, from_ns(130), tlm::TLM_ADDRESS_ERROR_RESPONSE},
              {bench.page, from_ns(160), kOk}});
}
