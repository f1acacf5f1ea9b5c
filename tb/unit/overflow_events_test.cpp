// SPDX-License-Identifier: Apache-2.0
// What the overflow checker tells the event arbiter, and when (D2, S6.14, S6.16, S5.3b).
#include "models/overflow/overflow_checker.h"
#include "tb/unit/agenda.h"

#include <algorithm>
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
        SlotAnswer answer;
        CHECK(slots->request_slot(request, answer) == SlotStatus::Answered);
        return answer.tag;
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

  private:
    void slot_answered(const SlotAnswer& /*answer*/) override { CHECK(false); }
    void cq_command_done(Cqn /*cqn*/, const CommandAnswer& /*answer*/) override { CHECK(false); }
    void published(const PublishedEntry& entry) override {
        CHECK(entry.cqn == Cqn{0});
        said.push_back("published " + std::to_string(entry.index) +
                       (entry.solicited ? " solicited" : "") + (entry.failed ? " failed" : ""));
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
