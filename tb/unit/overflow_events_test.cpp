// SPDX-License-Identifier: Apache-2.0
// What the overflow checker tells the event arbiter, and when (D2, S6.14, S6.16, S5.3b).
#include "models/observe/record_names.h"
#include "models/overflow/overflow_checker.h"
#include "tb/unit/agenda.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// A checker with one CQ of two entries; everything it says, as text.
class EventsBench final : public sc_core::sc_module,
                          private SlotBackward,
                          private CqCommandBackward,
                          private PublishForward,
                          private AsyncForward,
                          private QpReportForward,
                          private tlm::tlm_fw_transport_if<> {
  public:
    explicit EventsBench(const sc_core::sc_module_name& module_name)
        : sc_module(module_name),
          checker("checker", timeline, records, {OverflowConfig{}, Rows<CqRow>(1)}) {
        slots.bind(static_cast<SlotBackward&>(*this));
        commands.bind(static_cast<CqCommandBackward&>(*this));
        m_publish.bind(static_cast<PublishForward&>(*this));
        m_async.bind(static_cast<AsyncForward&>(*this));
        m_reports.bind(static_cast<QpReportForward&>(*this));
        m_memory.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
        slots.bind(checker.slot_tsock);
        commands.bind(checker.command_tsock);
        checker.publish_isock.bind(m_publish);
        checker.async_isock.bind(m_async);
        checker.qp_isock.bind(m_reports);
        checker.record_isock.bind(m_memory);
    }

    SlotTag grant(bool solicited = false, bool failed = false) {
        SlotRequest request;
        request.cqn = Cqn{0};
        request.qpn = Qpn{7};
        request.solicited = solicited;
        request.failed = failed;
        CHECK(slots->request_slot(request, answer) == SlotStatus::Answered);
        return answer.tag;
    }
    /// To a ring of four entries, by a consumer index that says: nothing is read.
    CommandStatus resize(std::uint32_t slots_of_new = 4) {
        resized = {};
        return commands->resize_cq({Cqn{0}, kNewRing, slots_of_new, 0}, resized);
    }
    /// Runs `things` after the CQ was created.
    template <class Things>
    void run(Things things) {
        Agenda agenda(timeline, Rank::Script);
        agenda.at(TimePs{}, [&] {
            CHECK(commands->create_cq({Cqn{0}, 0x1000, 0x2000, 2}) == CommandResult::Ok);
            things();
        });
        run_to_the_end();
    }

    KernelTimeline timeline{"timeline"};
    RecordStream records;
    OverflowChecker checker;
    SlotInitiator slots{"slots"};
    CqCommandInitiator commands{"commands"};
    std::vector<std::string> said;
    SlotAnswer answer;  ///< of the last request
    SlotAnswer end;     ///< of the entry that ends the ring
    std::optional<bool>
        end_lands{};  ///< it is over as soon as it is given; whether it is in memory
    CommandAnswer resized;
    static constexpr std::uint64_t kNewRing = 0x4000;

  private:
    void slot_answered(const SlotAnswer& given) override {
        CHECK(given.ends_ring);
        end = given;
        said.push_back("end " + std::to_string(given.index));
        if (end_lands) {
            slots->commit(given.tag, *end_lands);
        }
    }
    void cq_command_done(Cqn cqn, const CommandAnswer& done) override {
        said.push_back("done " + std::to_string(index_of(cqn)) + " " +
                       std::string(cqsim::name(done.result)));
    }
    void published(const PublishedEntry& entry) override {
        CHECK(entry.cqn == Cqn{0});
        said.push_back("published " + std::to_string(entry.index) +
                       (entry.solicited ? " solicited" : "") + (entry.failed ? " failed" : "") +
                       (entry.ends_ring ? " end" : ""));
    }
    void cq_failed(Cqn cqn) override { said.push_back("failed " + std::to_string(index_of(cqn))); }
    void hint(Cqn cqn) override { said.push_back("hint " + std::to_string(index_of(cqn))); }
    void raise(const AsyncReport& report) override {
        CHECK(report.qpn == kNoQp);
        said.push_back(std::string(cqsim::name(report.event)) + " " +
                       std::to_string(index_of(report.cqn)));
    }
    bool live(Qpn, std::uint16_t) const override { return true; }
    void left(Qpn /*qpn*/, QueueKind /*queue*/) override {}
    void cq_unusable(Qpn qpn, std::uint16_t /*generation*/) override {
        said.push_back("unusable for " + std::to_string(index_of(qpn)));
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) override {
        std::fill_n(payload.get_data_ptr(), payload.get_data_length(), 0);  // nothing is consumed
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

    PublishTarget m_publish{"publish"};
    AsyncTarget m_async{"async"};
    QpReportTarget m_reports{"reports"};
    tlm::tlm_target_socket<> m_memory{"memory"};
};

using Said = std::vector<std::string>;

}  // namespace

TEST_CASE("S6.14 D2 the event arbiter hears of an entry within the commit that publishes it") {
    EventsBench bench("bench");
    bench.run([&bench] {
        const SlotTag first = bench.grant(true, false);
        const SlotTag second = bench.grant(false, true);
        bench.slots->commit(second, true);
        CHECK(bench.said.empty());  // in index order
        bench.slots->commit(first, true);
        CHECK(bench.said == Said{"published 0 solicited", "published 1 failed"});
    });
}

TEST_CASE("S5.3b S6.16 an overrun: the CQ's failure, then CQ_ERR, then the QP; once") {
    EventsBench bench("bench");
    bench.run([&bench] {
        const SlotTag first = bench.grant();
        bench.grant();
        CHECK(bench.grant() == kNoTag);
        CHECK(bench.said == Said{"failed 0", "CQ_ERR 0", "unusable for 7"});
        CHECK(bench.grant() == kNoTag);
        bench.slots->commit(first, true);  // K08: what was granted still becomes readable
        CHECK(bench.said ==
              Said{"failed 0", "CQ_ERR 0", "unusable for 7", "unusable for 7", "published 0"});
    });
}

TEST_CASE("S5.3j a failed write: the same, and nothing behind it is published") {
    EventsBench bench("bench");
    bench.run([&bench] {
        const SlotTag first = bench.grant();
        const SlotTag second = bench.grant();
        bench.slots->commit(first, false);
        bench.slots->commit(second, true);
        CHECK(bench.said == Said{"failed 0", "CQ_ERR 0", "unusable for 7"});
    });
}

TEST_CASE("P7 a hint goes on to the event arbiter") {
    EventsBench bench("bench");
    bench.run([&bench] {
        bench.slots->hint(Cqn{0});
        CHECK(bench.said == Said{"hint 0"});
    });
}

TEST_CASE("S4.6 S4.7 a resize is done when the end of the old ring is published, the last of all") {
    EventsBench bench("bench");
    bench.run([&bench] {
        const SlotTag first = bench.grant();
        CHECK(bench.resize() == CommandStatus::Accepted);
        CHECK(bench.end.address == 0x1040);  // slot 1 of the old ring
        const SlotTag behind = bench.grant();
        CHECK(bench.answer.address ==
              EventsBench::kNewRing + std::uint64_t{2} * 64);  // index 2 in 4 slots
        bench.slots->commit(behind, true);
        bench.slots->commit(bench.end.tag, true);
        CHECK(bench.said == Said{"end 1"});
        bench.slots->commit(first, true);
        CHECK(bench.said == Said{"end 1", "published 0", "done 0 ok", "published 2"});
    });
}

TEST_CASE("S4.6 D1 an end that is in memory within the call is answered by the call") {
    EventsBench bench("bench");
    bench.run([&bench] {
        bench.end_lands = true;
        CHECK(bench.resize() == CommandStatus::Done);
        CHECK(bench.resized.result == CommandResult::Ok);
        CHECK(bench.said == Said{"end 0"});
    });
}

TEST_CASE("S5.3j D1 an end that cannot be written within the call: the call says so") {
    EventsBench bench("bench");
    bench.run([&bench] {
        bench.end_lands = false;
        CHECK(bench.resize() == CommandStatus::Done);
        CHECK(bench.resized.result == CommandResult::Invalid);
        CHECK(bench.said == Said{"end 0", "failed 0", "CQ_ERR 0"});
    });
}

TEST_CASE("S4.6 S5.3j an end that cannot be written: CQ_ERR of no QP, and the resize is invalid") {
    EventsBench bench("bench");
    bench.run([&bench] {
        const SlotTag first = bench.grant();
        CHECK(bench.resize() == CommandStatus::Accepted);
        const SlotTag behind = bench.grant();
        bench.slots->commit(bench.end.tag, false);
        CHECK(bench.said == Said{"end 1", "failed 0", "CQ_ERR 0"});
        bench.slots->commit(first, true);
        bench.slots->commit(behind, true);  // nobody comes to it
        CHECK(bench.said == Said{"end 1", "failed 0", "CQ_ERR 0", "published 0", "done 0 invalid"});
        CHECK(bench.resize() == CommandStatus::Done);  // in error for ever
        CHECK(bench.resized.result == CommandResult::Invalid);
    });
}

TEST_CASE(
    "S4.6 S5.3j an end behind an entry that cannot be written is invalid, without a second "
    "CQ_ERR") {
    EventsBench bench("bench");
    bench.run([&bench] {
        const SlotTag first = bench.grant();
        CHECK(bench.resize() == CommandStatus::Accepted);
        bench.slots->commit(first, false);
        CHECK(bench.said == Said{"end 1", "failed 0", "CQ_ERR 0", "unusable for 7"});
        bench.slots->commit(bench.end.tag, true);
        CHECK(bench.said ==
              Said{"end 1", "failed 0", "CQ_ERR 0", "unusable for 7", "done 0 invalid"});
    });
}

TEST_CASE("S4.6 a resize that is refused is answered at once and ends nothing") {
    EventsBench bench("bench");
    bench.run([&bench] {
        bench.grant();
        CHECK(bench.resize(3) == CommandStatus::Done);  // no power of two
        CHECK(bench.resized.result == CommandResult::Invalid);
        bench.grant();
        CHECK(bench.resize() == CommandStatus::Done);  // full: the end has no room
        CHECK(bench.resized.result == CommandResult::Busy);
        CHECK(bench.said.empty());
    });
}

TEST_CASE("S4.6 D2 while a resize is open another is busy, and so is a destroy") {
    EventsBench bench("bench");
    bench.run([&bench] {
        CHECK(bench.resize() == CommandStatus::Accepted);
        CHECK(bench.resize() == CommandStatus::Done);
        CHECK(bench.resized.result == CommandResult::Busy);
        CHECK(bench.commands->destroy_cq(Cqn{0}) == CommandResult::Busy);
        bench.slots->commit(bench.end.tag, true);
        CHECK(bench.said == Said{"end 0", "done 0 ok"});
        CHECK(bench.commands->destroy_cq(Cqn{0}) == CommandResult::Ok);
    });
}
