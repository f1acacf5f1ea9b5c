// SPDX-License-Identifier: Apache-2.0
// The writer of entries: the ends of rings among completions, when it cannot write at once (S4.7).
#include "models/writer/cqe_writer.h"

#include "models/observe/record_names.h"
#include "tb/unit/dma_port_bench.h"

#include <string>

namespace {

using namespace cqsim;
using namespace cqsim::test;

constexpr std::uint64_t kLatencyNs = 100;

WriterRules window_of(std::uint32_t writes, std::uint64_t service_ns) {
    WriterConfig config;
    config.service = from_ns(service_ns);
    config.writes_in_flight = writes;
    return WriterRules(config);
}

/// A write whose request is over at once, in memory after kLatencyNs.
Plan prompt() {
    Plan plan;
    plan.answer = tlm::TLM_UPDATED;
    plan.phase = tlm::END_REQ;
    plan.begin_resp = from_ns(kLatencyNs);
    return plan;
}

/// A writer between a test that offers completions and gives slots, and a memory. What it does, as
/// text with the time in ns.
class WriterBench final : public sc_core::sc_module,
                          private CompletionBackward,
                          private SlotForward,
                          private QpReportForward {
  public:
    WriterBench(const sc_core::sc_module_name& module_name,
                std::uint32_t writes,
                std::uint64_t service_ns = 0)
        : sc_module(module_name),
          writer("writer",
                 timeline,
                 window_of(writes, service_ns),
                 UndefinedFill(UndefinedPolicy::Zero, 1)) {
        m_offers.bind(static_cast<CompletionBackward&>(*this));
        m_slots.bind(static_cast<SlotForward&>(*this));
        m_reports.bind(static_cast<QpReportForward&>(*this));
        m_offers.bind(writer.arbiter_tsock);
        writer.slot_isock.bind(m_slots);
        writer.qp_isock.bind(m_reports);
        writer.dma_isock().bind(target.socket);
    }

    void at_ns(std::uint64_t ns, std::function<void()> thing) {
        agenda.at(from_ns(ns), std::move(thing));
    }
    OfferStatus offer(std::uint32_t qpn) {
        Completion completion;
        completion.cqn = Cqn{0};
        completion.qpn = Qpn{qpn};
        completion.generation = 1;
        return m_offers->offer(completion).status;
    }
    /// The entry with this tag is the n-th of a ring at 0x1000.
    static SlotAnswer slot(SlotTag tag, bool ends_ring = false) {
        SlotAnswer answer;
        answer.tag = tag;
        answer.address = 0x1000 + std::uint64_t{64} * tag;
        answer.owner = 1;
        answer.ends_ring = ends_ring;
        return answer;
    }
    void give(const SlotAnswer& answer) { m_slots->slot_answered(answer); }
    void give_end(SlotTag tag) { give(slot(tag, true)); }

    KernelTimeline timeline{"timeline"};
    Agenda agenda{timeline, Rank::Script};
    PlannedTarget target{"target", agenda};
    CqeWriter writer;
    bool waits = false;  ///< slots are given later
    std::vector<std::string> said;

  private:
    void say(const std::string& what) {
        said.push_back(std::to_string(timeline.now().ps / 1000) + " " + what);
    }
    void offer_done(const OfferReply& reply) override {
        CHECK(reply.status == OfferStatus::Taken);
        say("held one taken");
    }
    void credit(Qpn /*qpn*/, QueueKind /*queue*/) override { CHECK(false); }
    void answered(const CompletionAnswer& answer) override {
        say("QP " + std::to_string(index_of(answer.qpn)) + " " +
            std::string(cqsim::name(answer.outcome)));
    }
    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& answer) override {
        answer = slot(index_of(request.qpn));
        return waits ? SlotStatus::Accepted : SlotStatus::Answered;
    }
    /// Writes are over in the order in which they were sent: the same latency for all.
    void commit(SlotTag tag, bool ok) override {
        const tlm::tlm_generic_payload& written = *target.open.at(m_commits++);
        CHECK(written.get_address() == slot(tag).address);
        const bool ends_ring = written.get_data_ptr()[63] == 0x51;  // kind 5, owner 1
        say((ends_ring ? "end " : "entry ") + std::to_string(tag) + (ok ? "" : " failed"));
    }
    void hint(Cqn /*cqn*/) override {}
    bool live(Qpn, std::uint16_t) const override { return true; }
    void left(Qpn qpn, QueueKind /*queue*/) override {
        say("QP " + std::to_string(index_of(qpn)) + " left");
    }
    void cq_unusable(Qpn, std::uint16_t) override { CHECK(false); }

    CompletionInitiator m_offers{"offers"};
    SlotTarget m_slots{"slots"};
    QpReportTarget m_reports{"reports"};
    std::size_t m_commits = 0;
};

using Said = std::vector<std::string>;

}  // namespace

TEST_CASE("S4.7 the end of a ring waits while the window is full, and goes before what is held") {
    WriterBench bench("bench", 1);
    bench.target.plans = {prompt(), prompt(), prompt()};
    bench.at_ns(0, [&] { CHECK(bench.offer(1) == OfferStatus::Taken); });
    bench.at_ns(10, [&] { CHECK(bench.offer(3) == OfferStatus::Held); });
    bench.at_ns(20, [&] {
        bench.give_end(2);
        CHECK(bench.target.open.size() == 1);
    });
    run_to_the_end();
    CHECK(bench.said == Said{"0 QP 1 granted",
                             "100 entry 1",
                             "100 QP 1 left",
                             "200 end 2",
                             "200 QP 3 granted",
                             "200 held one taken",
                             "300 entry 3",
                             "300 QP 3 left"});
}

TEST_CASE("S4.7 the end of a ring waits for the open request of an entry, and makes others wait") {
    WriterBench bench("bench", 4);
    Plan slow;
    slow.end_req = from_ns(40);
    slow.begin_resp = from_ns(kLatencyNs);
    bench.target.plans = {slow, slow, prompt()};
    bench.at_ns(0, [&] { CHECK(bench.offer(1) == OfferStatus::Taken); });
    bench.at_ns(10, [&] {
        bench.give_end(2);
        CHECK(bench.target.open.size() == 1);
        CHECK(bench.offer(3) == OfferStatus::Held);
    });
    run_to_the_end();
    CHECK(bench.said == Said{"0 QP 1 granted",
                             "80 QP 3 granted",  // the end's request was open from 40 on
                             "80 held one taken",
                             "100 entry 1",
                             "100 QP 1 left",
                             "140 end 2",
                             "180 entry 3",
                             "180 QP 3 left"});
}

TEST_CASE("S4.7 K20 while a completion waits for its slot the end of a ring is written") {
    WriterBench bench("bench", 4);
    bench.waits = true;
    bench.target.plans = {prompt(), prompt()};
    bench.at_ns(0, [&] { CHECK(bench.offer(2) == OfferStatus::Taken); });
    bench.at_ns(10, [&] {
        bench.give_end(1);
        CHECK(bench.target.open.size() == 1);
        CHECK(bench.offer(3) == OfferStatus::Held);  // still one request for a slot
        bench.waits = false;
    });
    bench.target.plans.push_back(prompt());
    bench.at_ns(30, [&] { bench.give(WriterBench::slot(2)); });
    run_to_the_end();
    CHECK(bench.said == Said{"30 QP 2 granted",
                             "30 QP 3 granted",
                             "30 held one taken",
                             "110 end 1",
                             "130 entry 2",
                             "130 QP 2 left",
                             "130 entry 3",
                             "130 QP 3 left"});
}

TEST_CASE("S4.7 answers that cannot be written yet are written in the order of their slots") {
    WriterBench bench("bench", 1);
    bench.waits = true;
    bench.target.plans = {prompt(), prompt(), prompt()};
    bench.at_ns(0, [&] { bench.offer(2); });
    bench.at_ns(10, [&] { bench.give_end(1); });
    bench.at_ns(20, [&] { bench.give(WriterBench::slot(2)); });
    bench.at_ns(30, [&] {
        bench.give_end(3);
        CHECK(bench.target.open.size() == 1);
    });
    run_to_the_end();
    CHECK(bench.said ==
          Said{"110 end 1", "110 QP 2 granted", "210 entry 2", "210 QP 2 left", "310 end 3"});
}

TEST_CASE("S4.7 D4 a refusal behind the end of a ring is told in its turn, and takes no window") {
    WriterBench bench("bench", 1);
    bench.waits = true;
    bench.target.plans = {prompt(), prompt()};
    bench.at_ns(0, [&] { bench.offer(9); });
    bench.at_ns(10, [&] { bench.give_end(1); });
    bench.at_ns(20, [&] { bench.give_end(2); });
    bench.at_ns(30, [&] {
        SlotAnswer refused;
        refused.cause = LostCause::Overrun;
        bench.give(refused);
    });
    run_to_the_end();
    CHECK(bench.said == Said{"110 end 1", "110 QP 9 lost", "110 QP 9 left", "210 end 2"});
}

TEST_CASE("D7 the end of a ring is formed in its turn, as any entry") {
    WriterBench bench("bench", 4, 4);
    bench.target.plans = {prompt(), prompt(), prompt()};
    bench.at_ns(0, [&] {
        bench.offer(1);
        bench.give_end(2);
        bench.offer(3);
    });
    run_to_the_end();
    // A request is open until its entry is formed: the end's from 4 to 8.
    CHECK(bench.said == Said{"0 QP 1 granted",
                             "8 QP 3 granted",
                             "8 held one taken",
                             "104 entry 1",
                             "104 QP 1 left",
                             "108 end 2",
                             "112 entry 3",
                             "112 QP 3 left"});
}

TEST_CASE("S5.3j the end of a ring that cannot be written is committed as failed, and of no QP") {
    WriterBench bench("bench", 4);
    Plan fails = prompt();
    fails.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    bench.target.plans = {fails};
    bench.at_ns(0, [&] { bench.give_end(1); });
    run_to_the_end();
    CHECK(bench.said == Said{"100 end 1 failed"});
    CHECK(bench.writer.in_flight() == 0);
}
