// SPDX-License-Identifier: Apache-2.0
/// \file
/// Both pipelines and the QP table in front of taps that do as they are told.
#pragma once

#include "models/observe/record_names.h"
#include "models/qp/qp_table.h"
#include "models/time/kernel_timeline.h"
#include "tb/pipeline/pipeline.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cqsim::tb::test {

/// Plays tap and block: replies to offers as told, counts with the QP table, answers when told.
class PlayedTap final : public sc_core::sc_module,
                        private CompletionForward,
                        private NoBackward<QpAdmitProtocol>,
                        private NoBackward<QpReportProtocol> {
  public:
    CompletionTarget tsock{"tsock"};
    QpAdmitInitiator admit_isock{"admit_isock"};
    QpReportInitiator report_isock{"report_isock"};

    OfferStatus reply = OfferStatus::Taken;
    std::vector<Completion> taken;  ///< by the block, not answered
    std::vector<Completion> held;   ///< at most one
    std::vector<Qpn> waiting;       ///< got NoCredit
    std::vector<Qpn> declined;

    explicit PlayedTap(const sc_core::sc_module_name& module_name)
        : sc_module(module_name) {
        tsock.bind(static_cast<CompletionForward&>(*this));
        admit_isock.bind(static_cast<NoBackward<QpAdmitProtocol>&>(*this));
        report_isock.bind(static_cast<NoBackward<QpReportProtocol>&>(*this));
    }

    /// The held one is decided.
    void decide(OfferStatus status) {
        const Completion completion = held.front();
        held.clear();
        if (status == OfferStatus::Taken) {
            taken.push_back(completion);
        }
        tsock->offer_done({status, {}});
        if (status == OfferStatus::NoCredit) {
            admit_isock->turned_away(completion);
        }
    }
    void give_credit(Qpn qpn, QueueKind queue) { tsock->credit(qpn, queue); }
    /// The oldest that is inside leaves.
    void answer(Outcome outcome) {
        const Completion completion = taken.front();
        taken.erase(taken.begin());
        tsock->answered(answer_to(completion, outcome));
        report_isock->left(completion.qpn, completion.queue);
    }

  private:
    OfferReply offer(Completion& completion) override {
        if (reply == OfferStatus::NoCredit) {
            waiting.push_back(completion.qpn);
            return {reply, {}};
        }
        admit_isock->entered(completion);
        (reply == OfferStatus::Held ? held : taken).push_back(completion);
        return {reply, {}};
    }
    void decline(Qpn qpn, QueueKind /*queue*/) override { declined.push_back(qpn); }
    void hint(Qpn /*qpn*/, Cqn /*cqn*/) override {}
};

/// An RC and a UD QP. Times are in ns.
class PipelineModules : public sc_core::sc_module,
                        private RecordSubscriber,
                        protected QpCommandBackward,
                        protected AsyncForward,
                        protected NoBackward<SoftwareProtocol> {
  public:
    static constexpr Qpn kRc{0};
    static constexpr Qpn kUd{1};
    static constexpr std::uint32_t kDepth = 8;

    RecordStream stream;
    KernelTimeline timeline{"timeline"};
    std::uint64_t serial = 0;
    QpTable table;
    Pipeline tx;
    Pipeline rx;
    PlayedTap tx_tap{"tx_tap"};
    PlayedTap rx_tap{"rx_tap"};
    std::vector<CommandAnswer> done;  ///< late answers to commands
    std::vector<AsyncEvent> raised;

    explicit PipelineModules(const sc_core::sc_module_name& module_name,
                             SlotRelease slots,
                             const QpConfig& config)
        : sc_module(module_name),
          table("qp_table", timeline, stream, QpRules(Rows<QpRow>(2), 1, config)),
          tx("tx", timeline, stream, sends_with(slots), Rows<WorkQueueRow>(2), serial),
          rx("rx", timeline, stream, {QueueKind::Receive}, Rows<WorkQueueRow>(2), serial) {
        tx.tap_isock.bind(tx_tap.tsock);
        rx.tap_isock.bind(rx_tap.tsock);
        for (PlayedTap* tap : {&tx_tap, &rx_tap}) {
            tap->admit_isock.bind(table.admit_tsock);
            tap->report_isock.bind(table.report_tsock);
        }
        table.tx_isock.bind(tx.state_tsock);
        table.rx_isock.bind(rx.state_tsock);
        m_async.bind(static_cast<AsyncForward&>(*this));
        table.async_isock.bind(m_async);
        m_commands.bind(static_cast<QpCommandBackward&>(*this));
        m_commands.bind(table.command_tsock);
        tx_software.bind(static_cast<NoBackward<SoftwareProtocol>&>(*this));
        rx_software.bind(static_cast<NoBackward<SoftwareProtocol>&>(*this));
        tx_software.bind(tx.software_tsock);
        rx_software.bind(rx.software_tsock);
        stream.subscribe(*this, kAllKinds);
    }

    SoftwareInitiator tx_software{"tx_software"};
    SoftwareInitiator rx_software{"rx_software"};
    /// What was observed, e.g. "complete send 0 SUCCESS".
    std::vector<std::string> log;

    void create(Qpn qpn) {
        const QpType type = qpn == kRc ? QpType::Rc : QpType::Ud;
        const CommandAnswer answer =
            m_commands->create_qp({qpn, Cqn{0}, Cqn{0}, kDepth, kDepth, false, type});
        REQUIRE(answer.result == CommandResult::Ok);
        tx.create_queue(qpn, kDepth, answer.generation, QpType::Rc, Cqn{0});
        rx.create_queue(qpn, kDepth, answer.generation);
    }
    /// Its receives take requests of the SRQ.
    void create_shared(Qpn qpn, Srqn srqn) {
        CreateQp command{qpn, Cqn{0}, Cqn{0}, kDepth, kDepth};
        command.srqn = srqn;
        const CommandAnswer answer = m_commands->create_qp(command);
        REQUIRE(answer.result == CommandResult::Ok);
        tx.create_queue(qpn, kDepth, answer.generation);
        rx.create_shared_queue(qpn, srqn, answer.generation);
    }
    void bring_up(Qpn qpn) {
        for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
            REQUIRE(modify(qpn, state) == CommandStatus::Done);
        }
    }
    CommandStatus modify(Qpn qpn, QpState state, bool notify = false) {
        CommandAnswer answer;
        const CommandStatus status = m_commands->modify_qp({qpn, state, notify}, answer);
        CHECK(answer.result == CommandResult::Ok);
        return status;
    }
    CommandStatus destroy(Qpn qpn) {
        CommandAnswer answer;
        const CommandStatus status = m_commands->destroy_qp({qpn}, answer);
        CHECK(answer.result == CommandResult::Ok);
        return status;
    }
    /// Posts sends that take so long each.
    void send(Qpn qpn, std::uint32_t count, std::uint64_t latency_ns) {
        PostRequest request;
        request.latency = from_ns(latency_ns);
        for (std::uint32_t i = 0; i < count; ++i) {
            REQUIRE(tx.post(qpn, request) == PostResult::Done);
        }
    }
    /// Everything inside the tap leaves the block, and is polled.
    void answer_all(PlayedTap& tap) {
        while (!tap.taken.empty()) {
            const Completion polled = tap.taken.front();
            tap.answer(Outcome::Granted);
            (polled.queue == QueueKind::Send ? tx_software : rx_software)
                ->polled(polled.qpn, polled.wqe_index, polled.wr_id);
        }
    }
    void run(std::uint64_t ns) {
        sc_core::sc_start(sc_core::sc_time(static_cast<double>(ns), sc_core::SC_NS),
                          sc_core::SC_RUN_TO_TIME);
        stream.drain();
    }
    /// How many lines of the log begin so.
    std::size_t count(const std::string& text) {
        stream.drain();
        return static_cast<std::size_t>(
            std::count_if(log.begin(), log.end(), [&text](const std::string& line) {
                return line.compare(0, text.size(), text) == 0;
            }));
    }

  private:
    static PipelineConfig sends_with(SlotRelease slots) {
        PipelineConfig config;
        config.slot_release = slots;
        return config;
    }
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            std::string line(cqsim::name(record.kind));
            switch (record.kind) {
                case Kind::Complete:
                    line += request_text(record, cqsim::name(static_cast<WcStatus>(record.state)));
                    break;
                case Kind::Outcome:
                    line += request_text(record, cqsim::name(static_cast<Outcome>(record.state)));
                    break;
                case Kind::QpState:
                    line += ' ' + std::string(cqsim::name(static_cast<QpState>(record.state)));
                    break;
                case Kind::Destroy:
                    line += record.state == 0 ? " begun" : " done";
                    break;
                default:
                    break;
            }
            log.push_back(line);
        }
    }
    static std::string request_text(const Record& record, std::string_view word) {
        return ' ' + std::string(cqsim::name(record.queue)) + ' ' + std::to_string(record.index) +
               ' ' + std::string(word) + " of life " + std::to_string(record.generation);
    }
    void qp_command_done(Qpn /*qpn*/, const CommandAnswer& answer) override {
        done.push_back(answer);
    }
    void raise(const AsyncReport& report) override { raised.push_back(report.event); }

    AsyncTarget m_async{"async"};
    QpCommandInitiator m_commands{"commands"};
};

/// The same, elaborated, with both QPs in RTS and an empty log.
class PipelineBench final : public PipelineModules {
  public:
    explicit PipelineBench(const QpConfig& config)
        : PipelineBench(SlotRelease::Poll, {}, config) {}
    explicit PipelineBench(SlotRelease slots = SlotRelease::Poll,
                           CqCredits credits = {},
                           const QpConfig& config = {})
        : PipelineModules("bench", slots, config) {
        tx.use_credits(std::move(credits));
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        for (const Qpn qpn : {kRc, kUd}) {
            create(qpn);
            bring_up(qpn);
        }
        stream.drain();
        log.clear();
    }
};

}  // namespace cqsim::tb::test
