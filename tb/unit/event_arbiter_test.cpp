// SPDX-License-Identifier: Apache-2.0
// The event arbiter under the kernel, before a memory: time, bytes, order, records (S6.15, D1, D7).
#include "models/event/event_arbiter.h"

#include "models/engine/link_delay.h"
#include "models/ring/cq_ring_memory.h"
#include "tb/unit/agenda.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace cqsim;
using namespace cqsim::test;

constexpr TimePs kService = from_ns(4);
constexpr TimePs kLatency = from_ns(600);

/// What became visible, and when.
struct Seen {
    TimePs at{};
    std::string what;

    friend bool operator==(const Seen& l, const Seen& r) {
        return l.at == r.at && l.what == r.what;
    }
    friend std::ostream& operator<<(std::ostream& out, const Seen& seen) {
        return out << seen.what << '@' << seen.at.ps;
    }
};

class ArbiterBench final : public sc_core::sc_module,
                           private NoBackward<PublishProtocol>,
                           private NoBackward<AsyncProtocol>,
                           private NoBackward<NotifyProtocol>,
                           private NoBackward<EventCommandProtocol>,
                           private tlm::tlm_bw_transport_if<>,
                           private RecordSubscriber,
                           private RingWatcher {
  public:
    explicit ArbiterBench(const sc_core::sc_module_name& module_name,
                          std::uint32_t writes_in_flight = 8,
                          TimePs delay = {})
        : sc_module(module_name),
          memory("memory", timeline, {kLatency, {}, 0}),
          msix(memory.bytes().allocate(HostMemory::kPage)),
          ring(memory.bytes().allocate(HostMemory::kPage)),
          arbiter("arbiter", timeline, records, {config(writes_in_flight), {}, Rows<EventRow>(4)}) {
        publish.bind(static_cast<NoBackward<PublishProtocol>&>(*this));
        async.bind(static_cast<NoBackward<AsyncProtocol>&>(*this));
        notify.bind(static_cast<NoBackward<NotifyProtocol>&>(*this));
        command.bind(static_cast<NoBackward<EventCommandProtocol>&>(*this));
        for (auto* unused : {&m_dma, &m_reads, &m_host}) {
            unused->bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        }
        publish.bind(arbiter.publish_tsock);
        async.bind(arbiter.async_tsock);
        notify.bind(arbiter.notify_tsock);
        command.bind(arbiter.command_tsock);
        if (delay == TimePs{}) {
            arbiter.dma_isock().bind(memory.event_dma_tsock);
        } else {
            m_delay = std::make_unique<DmaDelay>("delay", timeline, delay);
            arbiter.dma_isock().bind(m_delay->tsock);
            m_delay->isock.bind(memory.event_dma_tsock);
        }
        m_dma.bind(memory.dma_tsock);
        m_reads.bind(memory.record_tsock);
        m_host.bind(memory.host_tsock);
        memory.watch(*this);
        records.subscribe(*this, kAllKinds);
        agenda.at(TimePs{}, [this] { create(); });
    }

    void entry(std::uint32_t cq, bool failed = false) {
        publish->published({Cqn{cq}, m_next[cq]++, false, failed});
    }
    void arm(std::uint32_t cq, ArmKind kind = ArmKind::Next) {
        CHECK(notify->arm(Cqn{cq}, 0, kind) == CommandResult::Ok);
    }
    void arm_eq(std::uint16_t eqn, std::uint32_t consumer) {
        CHECK(notify->eq_consumer(Eqn{eqn}, consumer, true) == CommandResult::Ok);
    }
    std::vector<Record> of(Kind kind) const {
        std::vector<Record> found;
        for (const Record& record : m_seen_records) {
            if (record.kind == kind) {
                found.push_back(record);
            }
        }
        return found;
    }
    void run() {
        run_to_the_end();
        records.drain();
    }

    KernelTimeline timeline{"timeline"};
    RecordStream records;
    Agenda agenda{timeline, Rank::Script};
    CqRingMemory memory;
    std::uint64_t msix;
    std::uint64_t ring;
    EventArbiter arbiter;
    PublishInitiator publish{"publish"};
    AsyncInitiator async{"async"};
    NotifyInitiator notify{"notify"};
    EventCommandInitiator command{"command"};
    std::vector<Seen> seen;

  private:
    EventConfig config(std::uint32_t writes_in_flight) const {
        EventConfig config;
        config.eqs = 3;
        config.vectors = 4;
        config.eqe_service = kService;
        config.writes_in_flight = writes_in_flight;
        config.msix_address = msix;
        return config;
    }
    /// EQ 0 on vector 2; EQ 1 for asynchronous events on vector 3. CQs 0 .. 2; CQ 2 is moderated.
    void create() {
        using Kind = EqKind;
        CHECK(command->create_eq({Eqn{0}, Kind::Completion, ring, 4, 2}) == CommandResult::Ok);
        CHECK(command->create_eq({Eqn{1}, Kind::Async, ring + 1024, 4, 3}) == CommandResult::Ok);
        for (std::uint32_t cq = 0; cq < 3; ++cq) {
            const Moderation moderation = cq == 2 ? Moderation{4, from_ns(1'000)} : Moderation{};
            CHECK(command->attach_cq({Cqn{cq}, 0, 0, 0, 0, moderation}) == CommandResult::Ok);
        }
    }
    void ring_written(std::uint64_t address) override {
        if (address < ring) {
            std::array<unsigned, 4> data{};
            for (std::size_t i = 0; i < data.size(); ++i) {
                data[i] = std::to_integer<unsigned>(*memory.bytes().at(address + i, 1));
            }
            CHECK(data == std::array<unsigned, 4>{unsigned((address - msix) / 4), 0, 0, 0});
            seen.push_back({timeline.now(), "irq" + std::to_string((address - msix) / 4)});
            return;
        }
        const std::byte* bytes = memory.bytes().at(address, eqe::kBytes);
        const eqe::Decoded event = eqe::decode(bytes);
        CHECK(eqe::is_valid(bytes, 0));
        seen.push_back({timeline.now(),
                        "eq" + std::to_string((address - ring) / 1024) + "[" +
                            std::to_string((address - ring) % 1024 / 64) + "] type " +
                            std::to_string(event.type) + " cq " +
                            (event.cqn == kNoCq ? "-" : std::to_string(index_of(event.cqn)))});
    }
    void observe(const RecordBatch& batch) override {
        m_seen_records.insert(m_seen_records.end(), batch.begin(), batch.end());
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&,
                                       tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    std::unique_ptr<DmaDelay> m_delay;
    tlm::tlm_initiator_socket<> m_dma{"dma"};
    tlm::tlm_initiator_socket<> m_reads{"reads"};
    tlm::tlm_initiator_socket<> m_host{"host"};
    std::array<std::uint32_t, 4> m_next{};
    std::vector<Record> m_seen_records;
};

}  // namespace

TEST_CASE("S6.15 entry, then interrupt: an event takes its service and two writes") {
    ArbiterBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        bench.arm_eq(0, 0);
        bench.arm(1);
    });
    bench.agenda.at(from_ns(100), [&] { bench.entry(1); });
    bench.run();
    CHECK(bench.seen == std::vector<Seen>{{from_ns(704), "eq0[0] type 0 cq 1"},  // 100 + 4 + 600
                                          {from_ns(1'304), "irq2"}});
    const std::vector<Record> events = bench.of(Kind::Event);
    REQUIRE(events.size() == 1);
    CHECK(events[0].time_ps == 100'000);  // S6.14: in the call that published
    CHECK(events[0].cqn == Cqn{1});
    CHECK(events[0].unit == 0);
    CHECK(events[0].index == 0);
    CHECK(events[0].state == static_cast<std::uint8_t>(EventCause::Entry));
    CHECK(events[0].a == 1);
    CHECK(bench.arbiter.rules().idle());
}

TEST_CASE("S6.1 an entry for a CQ that is not armed costs no record and no time") {
    ArbiterBench bench("bench");
    bench.agenda.at(from_ns(100), [&] {
        bench.entry(0);
        bench.entry(3);  // not known to the arbiter
        CHECK(bench.timeline.next_due() == kNever);
    });
    bench.run();
    CHECK(bench.seen.empty());
    CHECK(bench.of(Kind::Event).empty());
}

TEST_CASE("K22 what arrives at one time stamp is chosen among: asynchronous events go first") {
    ArbiterBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        bench.arm(0);
        bench.arm(1);
    });
    bench.agenda.at(from_ns(100), [&] {
        bench.entry(1);
        bench.entry(0);
        bench.async->raise({AsyncEvent::CqErr, Cqn{3}, kNoQp});
    });
    bench.run();
    CHECK(bench.seen == std::vector<Seen>{{from_ns(704), "eq1[0] type 1 cq 3"},
                                          {from_ns(708), "eq0[0] type 0 cq 1"},
                                          {from_ns(712), "eq0[1] type 0 cq 0"}});
}

TEST_CASE("S4.9 the tail of a moderated CQ is reported at the end of its period") {
    ArbiterBench bench("bench");
    bench.agenda.at(from_ns(10), [&] { bench.arm(2); });
    bench.agenda.at(from_ns(100), [&] { bench.entry(2); });
    bench.agenda.at(from_ns(300), [&] { bench.entry(2); });
    bench.run();
    CHECK(bench.seen == std::vector<Seen>{{from_ns(1'704), "eq0[0] type 0 cq 2"}});
    const std::vector<Record> events = bench.of(Kind::Event);
    REQUIRE(events.size() == 1);
    CHECK(events[0].time_ps == 1'100'000);
    CHECK(events[0].state == static_cast<std::uint8_t>(EventCause::Period));
    CHECK(events[0].a == 2);
}

TEST_CASE("S6.16 an event that waits for its entry when its CQ fails is not reported") {
    ArbiterBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        bench.arm(0);
        bench.arm(1);
        bench.entry(0);
        bench.entry(1);
    });
    bench.agenda.at(from_ns(12), [&] { bench.publish->cq_failed(Cqn{1}); });  // CQ 0 is in service
    bench.run();
    CHECK(bench.seen == std::vector<Seen>{{from_ns(614), "eq0[0] type 0 cq 0"}});
}

TEST_CASE("S6.22 an arm of an event queue that comes after the entry interrupts at once") {
    ArbiterBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        bench.arm(0);
        bench.entry(0);
    });
    bench.agenda.at(from_ns(1'000), [&] { bench.arm_eq(0, 0); });
    bench.run();
    CHECK(bench.seen ==
          std::vector<Seen>{{from_ns(614), "eq0[0] type 0 cq 0"}, {from_ns(1'600), "irq2"}});
}

TEST_CASE("K13 an overflow is a record, and DEVICE_FATAL goes to software") {
    ArbiterBench bench("bench");
    for (std::uint64_t i = 1; i <= 5; ++i) {
        bench.agenda.at(from_ns(100 * i), [&] {
            bench.arm(0);
            bench.entry(0);
        });
    }
    bench.run();
    REQUIRE(bench.seen.size() == 5);
    CHECK(bench.seen[4] == Seen{from_ns(1'104), "eq1[0] type 9 cq -"});  // 1 + DEVICE_FATAL
    const std::vector<Record> fatal = bench.of(Kind::Async);
    REQUIRE(fatal.size() == 1);
    CHECK(fatal[0].time_ps == 500'000);
    CHECK(fatal[0].state == static_cast<std::uint8_t>(AsyncEvent::DeviceFatal));
    CHECK(fatal[0].cqn == kNoCq);
    CHECK(fatal[0].unit == 0);
    CHECK(bench.arbiter.rules().queues()[Eqn{0}].dropped == 1);
}

TEST_CASE("D6 what software created and modified is in the records") {
    ArbiterBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        CHECK(bench.command->modify_cq({Cqn{0}, {8, from_ns(50)}}) == CommandResult::Ok);
        CHECK(bench.command->modify_cq({Cqn{3}, {}}) == CommandResult::NoEntry);
        CHECK(bench.command->create_eq({Eqn{0}, EqKind::Completion, bench.ring, 4, 0}) ==
              CommandResult::Invalid);
    });
    bench.run();
    const std::vector<Record> created = bench.of(Kind::Create);
    REQUIRE(created.size() == 2);
    CHECK(created[1].unit == 1);
    CHECK(created[1].a == bench.ring + 1024);
    CHECK(created[1].index == 4);
    CHECK(created[1].b == 64);
    CHECK(created[1].serial == 3);
    CHECK(created[1].state == static_cast<std::uint8_t>(EqKind::Async));
    const std::vector<Record> modified = bench.of(Kind::Modify);
    REQUIRE(modified.size() == 2);  // CQ 2 was moderated from its creation
    CHECK(modified[0].cqn == Cqn{2});
    CHECK(modified[0].index == 4);
    CHECK(modified[1].cqn == Cqn{0});
    CHECK(modified[1].index == 8);
    CHECK(modified[1].a == 50'000);
}

TEST_CASE("D7 a full window of writes holds the next entry up until one is in memory") {
    ArbiterBench bench("bench", 2);
    bench.agenda.at(from_ns(10), [&] {
        for (std::uint32_t cq = 0; cq < 3; ++cq) {
            bench.arm(cq);
            bench.entry(cq, true);  // breaks the moderation of CQ 2
        }
    });
    bench.run();
    CHECK(bench.seen == std::vector<Seen>{{from_ns(614), "eq0[0] type 0 cq 0"},
                                          {from_ns(618), "eq0[1] type 0 cq 1"},
                                          {from_ns(1'218), "eq0[2] type 0 cq 2"}});
    CHECK(bench.arbiter.rules().idle());
}

TEST_CASE("D1 with every DMA call 5 ns late the same is reported, later") {
    ArbiterBench bench("bench", 8, from_ns(5));
    bench.agenda.at(from_ns(10), [&] {
        bench.arm_eq(0, 0);
        bench.arm(0);
        bench.arm(1);
        bench.entry(0);
        bench.entry(1);
    });
    bench.run();
    // Formed at 14 and passed on at 19. Its END_REQ is back at 24: then the second begins. The
    // answer to the first is back at 624, and its interrupt passed on at 629.
    CHECK(bench.seen == std::vector<Seen>{{from_ns(619), "eq0[0] type 0 cq 0"},
                                          {from_ns(633), "eq0[1] type 0 cq 1"},
                                          {from_ns(1'229), "irq2"}});
    CHECK(bench.arbiter.rules().idle());
}
