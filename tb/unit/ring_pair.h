// SPDX-License-Identifier: Apache-2.0
/// \file
/// The overflow checker's rules and the reference side by side, with software on the rings' bytes.
#pragma once

#include "tb/unit/ring_reader.h"

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cqsim::test {

/// What arose: a property says nothing of what never happened.
struct RingCoverage {
    enum What : std::size_t {
        ThreeLaps,
        Passed24,
        Passed32,
        ExactlyFull,
        Overruns,
        FailedWrites,
        CopiedByMarker,
        ReadToMarker,
        ReadToCutOff,
        UnreadAtMarker,
        UnreadAtCutOff,
        WrittenBeforeEnd,
        ChainedRings,
        EndsLost,
        Overwritten,
        LappedGeneration,
        CollapsedRead,
        ConsumerRefused,
        CreateInvalid,
        CreateUnsupported,
        CreateNoMemory,
        DestroyBusy,
        DestroyNoEntry,
        QueryInError,
    };
    static constexpr std::size_t kWhats = std::size_t{QueryInError} + 1;
    static constexpr std::array<std::string_view, kWhats> kNames{
        "rings with three laps",
        "index passes of 2^24",
        "index passes of 2^32",
        "CQs full to the last slot",
        "overruns",
        "failed writes",
        "entries copied by S4.7",
        "markers reached by reading",
        "cut-offs reached by reading",
        "rings replaced by marker with entries unread",
        "rings replaced by cut-off with entries unread",
        "entries in the new ring before the old one is over",
        "rings replaced before the one before was left",
        "ends of rings that nobody can read",
        "entries read in the place of overwritten ones",
        "lapped generations",
        "entries read from collapsed CQs",
        "consumer indices refused",
        "CQs refused as invalid",
        "CQs refused as unsupported",
        "CQs refused for want of memory",
        "CQs not destroyed: busy",
        "CQs not destroyed: none",
        "queries of failed CQs",
    };

    std::array<std::uint64_t, kWhats> arisen{};
    std::array<std::uint64_t, kOwnerSchemeNames.size()> read_in_scheme{};
    std::array<std::uint64_t, kResizeRefusals> refusals{};
};

/// Plays a step after the other. Each throws std::runtime_error where rules and reference part.
class RingPair {
  public:
    RingPair(RandomStream& random, RingCoverage& coverage)
        : m_random(random),
          m_coverage(coverage),
          m_device(draw_device(random)),
          m_failures_of_1000(random.below(4) == 0 ? 20 : 0),
          m_rules(m_device, Rows<CqRow>(kCqs)),
          m_lives(kCqs) {}

    void play();
    /// Everything lands, and software reads what is left.
    void finish();

  private:
    static constexpr std::uint32_t kCqs = 3;

    /// A slot that was granted, in the order of the reference.
    struct Granted {
        SlotAnswer slot;
        Completion completion{};
    };
    struct Life {
        RingReference reference;
        RingReader reader;
        std::deque<Granted> granted{};
        std::uint64_t in_ring = 0;  ///< granted since the ring began
    };

    static OverflowConfig draw_device(RandomStream& random);
    CreateCq draw_cq(std::uint32_t cq);
    ResizeCq draw_resize(std::uint32_t cq);
    CommandResult answer_to(const CreateCq& command) const;

    void create(std::uint32_t cq);
    void destroy(std::uint32_t cq);
    void query(std::uint32_t cq);
    void resize(std::uint32_t cq);
    void request(std::uint32_t cq);
    void note_slot(std::uint32_t cq, const SlotAnswer& answer);
    void commit(std::uint32_t cq, std::size_t place, bool ok);
    void publish(std::uint32_t cq);
    bool read(std::uint32_t cq);
    bool read_overwritten(Life& life);
    void copy(Life& life);
    void consume(std::uint32_t cq);
    void tell_consumer(std::uint32_t cq, std::uint32_t value);

    std::uint32_t below(std::uint64_t bound) {
        return static_cast<std::uint32_t>(m_random.below(bound));
    }
    bool one_in(std::uint32_t n) { return below(n) == 0; }
    void tally(RingCoverage::What what, std::uint64_t more = 1) { m_coverage.arisen[what] += more; }
    static void require(bool agree, const char* what) {
        if (!agree) {
            throw std::runtime_error(what);
        }
    }

    RandomStream& m_random;
    RingCoverage& m_coverage;
    OverflowConfig m_device;
    std::uint64_t m_failures_of_1000;
    OverflowRules m_rules;
    std::vector<std::optional<Life>> m_lives;
    std::uint64_t m_serial = 0;
    std::uint64_t m_rings = 0;
};

}  // namespace cqsim::test
