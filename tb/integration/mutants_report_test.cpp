// SPDX-License-Identifier: Apache-2.0
// What is reported, where, and how often: each rule of the taps broken in a run of a shipped
// scenario, and which rule the checkers name. The expected rule is what spec.md says about the
// fault, before any run.
#include "tb/integration/retold.h"
#include "tb/record/event_log_check.h"

#include <catch2/catch.hpp>

#include <memory>
#include <unordered_map>

namespace cqsim::tb::test {
namespace {

using Passed = std::vector<Completion>;

// In sqe.toml: RC; its first send fails, five sends and its receives flush.
constexpr std::uint32_t kReliableQp = 1;

MutantRun run_tap(const char* scenario, QueueKind queue, const TapHooks& hooks) {
    return run_with(scenario, spoiled_tap(queue, hooks));
}

/// A tap of which `offered` makes something else of what the pipeline hands on.
MutantRun run_offering(const char* scenario,
                       QueueKind queue,
                       const std::function<Passed(const Completion&)>& offered) {
    TapHooks hooks;
    hooks.offered = offered;
    return run_tap(scenario, queue, hooks);
}

bool is_flush(const Completion& completion) {
    return completion.status == WcStatus::WrFlushErr;
}

/// A tap that hands on this request of a QP behind the one that follows.
std::function<Passed(const Completion&)> overtaken(std::uint32_t qpn, std::uint32_t wqe_index) {
    auto back = std::make_shared<Passed>();
    return [qpn, wqe_index, back](const Completion& completion) {
        if (index_of(completion.qpn) != qpn) {
            return Passed{completion};
        }
        if (completion.wqe_index == wqe_index) {
            back->push_back(completion);
            return Passed{};
        }
        Passed passed{completion};
        passed.insert(passed.end(), back->begin(), back->end());
        back->clear();
        return passed;
    };
}

/// A tap that never sees the flush of this request, nor answers it.
std::function<Passed(const Completion&)> without(std::uint32_t wqe_index) {
    return [wqe_index](const Completion& completion) {
        return is_flush(completion) && completion.wqe_index == wqe_index &&
                       index_of(completion.qpn) == kReliableQp
                   ? Passed{}
                   : Passed{completion};
    };
}

}  // namespace

TEST_CASE("control: taps between shims pass") {
    TapHooks hooks;
    hooks.offered = [](const Completion& completion) { return Passed{completion}; };
    hooks.answered = [](const CompletionAnswer&) { return 1U; };
    hooks.looked_up = [](const QpAdmitForward&, Qpn, QueueKind, Admission&) {};
    CHECK(passes(run_tap("sqe", QueueKind::Receive, hooks)));
}

TEST_CASE("S2.1 unsignaled successes reported beside signaled ones of another queue") {
    CHECK(names_rule(run_with("signaling_modes", broken_tap(QueueKind::Send, TapFault::ReportsAll)),
                     "S2.1"));
}

TEST_CASE("S2.2 unsignaled failures and flushes dropped") {
    CHECK(names_rule(
        run_with("signaling_modes", broken_tap(QueueKind::Send, TapFault::DropsFailures)), "S2.2"));
}

TEST_CASE("S2.2 an unsignaled flush is held for a success, and not reported") {
    CHECK(names_rule(run_offering("signaling_modes",
                                  QueueKind::Send,
                                  [](const Completion& completion) {
                                      Passed passed{completion};
                                      if (is_flush(completion)) {
                                          passed.front().status = WcStatus::Success;
                                      }
                                      return passed;
                                  }),
                     "S2.2"));
}

TEST_CASE("S1.1 an entry names another QP of the CQ, and would retire that one's sends") {
    WriterHooks hooks;
    hooks.dma.write = [](tlm::tlm_generic_payload& payload, tlm::tlm_initiator_socket<>&) {
        unsigned char& qp_num = payload.get_data_ptr()[8];
        qp_num = qp_num == 2 ? 3 : qp_num;  // 'fourth': of 'never', which flags none
        return WriteFate::Pass;
    };
    CHECK(names_rule(run_with("signaling_modes", broken_writer(hooks)), "S1.1"));
}

TEST_CASE("S1.1 an entry of a receive names the send queue, and would retire its sends") {
    WriterHooks hooks;
    hooks.dma.write = [](tlm::tlm_generic_payload& payload, tlm::tlm_initiator_socket<>&) {
        unsigned char& own = payload.get_data_ptr()[63];
        own = static_cast<unsigned char>(own & 0x0FU);  // queue 0
        return WriteFate::Pass;
    };
    CHECK(names_rule(run_with("sqe", broken_writer(hooks)), "S1.1"));
}

TEST_CASE("S3.9 the flushes of a receive queue go to the send CQ") {
    auto flushing = std::make_shared<bool>(false);
    TapHooks hooks;
    hooks.offered = [flushing](const Completion& completion) {
        *flushing = is_flush(completion);
        return Passed{completion};
    };
    hooks.looked_up =
        [flushing](
            const QpAdmitForward& table, Qpn qpn, QueueKind /*queue*/, Admission& admission) {
            if (*flushing) {
                admission.cqn = table.lookup(qpn, QueueKind::Send).cqn;
            }
        };
    CHECK(names_rule(run_tap("error_storm_overflow", QueueKind::Receive, hooks), "S3.9"));
}

TEST_CASE("S3.10 flushes of a queue change places") {
    CHECK(names_rule(run_offering("sqe", QueueKind::Send, overtaken(kReliableQp, 2)), "S3.10"));
}

// Four sends end at 6 us, as by one acknowledgement (S2.7).
TEST_CASE("S3.10 sends that end together change places on their way") {
    CHECK(names_rule(run_offering("sq_drain", QueueKind::Send, overtaken(0, 2)), "S3.10"));
}

TEST_CASE("S2.4 sends that end together end in another order than they were posted in") {
    struct Name {
        std::uint64_t serial;
        std::uint64_t wr_id;
    };
    std::unordered_map<std::uint32_t, Name> posted;
    const Scenario scenario = shipped("sq_drain");
    Retelling retelling(
        checker_settings(header_of(scenario)), [&posted](Record& record, std::byte* /*bytes*/) {
            const bool sent = index_of(record.qpn) == 0 && record.queue == QueueKind::Send;
            if (sent && record.kind == Kind::Post) {
                posted[record.index] = {record.serial, record.wr_id};
            }
            if (sent && record.kind == Kind::Complete && record.index / 2 == 1) {  // 2 and 3
                record.index ^= 1U;
                record.serial = posted.at(record.index).serial;
                record.wr_id = posted.at(record.index).wr_id;
            }
            return true;
        });
    CHECK(passes(run_with(scenario, EngineFactories::standard(), &retelling)));
    const std::set<std::string> told = retelling.finish();
    INFO(retelling.text());
    CHECK(told == std::set<std::string>{"S2.4"});
}

TEST_CASE("D4 a request is answered twice") {
    TapHooks hooks;
    hooks.answered = [](const CompletionAnswer& answer) {
        return answer.queue == QueueKind::Send && answer.wqe_index == 2 ? 2U : 1U;
    };
    CHECK(names_rule(run_tap("sqe", QueueKind::Send, hooks), "D4"));
}

TEST_CASE("S2.9 a receive request is reported twice") {
    TapHooks hooks;
    hooks.offered = [](const Completion& completion) {
        return is_flush(completion) && completion.wqe_index == 10 ? Passed{completion, completion}
                                                                  : Passed{completion};
    };
    hooks.answered =
        [answered = std::make_shared<std::set<std::uint64_t>>()](const CompletionAnswer& answer) {
            return answered->insert(answer.serial).second ? 1U : 0U;
        };
    CHECK(names_rule(run_tap("sqe", QueueKind::Receive, hooks), "S2.9"));
}

TEST_CASE("S3.10 a completion is lost on its way to the tap, and those behind it are not") {
    CHECK(names_rule(run_offering("sqe", QueueKind::Receive, without(10)), "S3.10"));
}

TEST_CASE("D4 the last completion of a queue is lost on its way to the tap") {
    CHECK(names_rule(run_offering("sqe", QueueKind::Send, without(5)), "D4"));
}

TEST_CASE("D4 a completion is lost, and its pipeline is told that it was written") {
    WriterHooks hooks;
    hooks.completions.offered = [](Completion& completion) {
        return completion.queue == QueueKind::Send || completion.wqe_index != 20;
    };
    CHECK(names_rule(run_with("sqe", broken_writer(hooks)), "D4"));
}

// RDMA_WRITE without immediate data takes no receive request (S2.10).
TEST_CASE("S2.10 a receive ends with what an RDMA_WRITE brings") {
    const RetoldRun run = run_with_pipeline("sqe", QueueKind::Receive, [](Completion& completion) {
        if (completion.wqe_index == 5 && completion.status == WcStatus::Success) {
            completion.details.opcode = static_cast<std::uint8_t>(WcOpcode::RdmaWrite);
        }
    });
    CHECK(names_rule(run.run, "S1.3"));
    CHECK(tells(run, {"S2.10"}));
}

TEST_CASE("S2.9 a message that takes no receive request gets an entry all the same") {
    TapHooks hooks;
    hooks.offered = [](const Completion& completion) {
        Passed passed{completion};
        if (completion.wqe_index == 5) {
            Completion surplus = completion;
            surplus.serial = ~std::uint64_t{0};
            surplus.details.opcode = static_cast<std::uint8_t>(WcOpcode::RdmaWrite);
            passed.push_back(surplus);
        }
        return passed;
    };
    hooks.answered = [](const CompletionAnswer& answer) {
        return answer.serial == ~std::uint64_t{0} ? 0U : 1U;
    };
    CHECK(names_rule(run_tap("sqe", QueueKind::Receive, hooks), "S2.9"));
}

TEST_CASE("S2.14 byte_len of a datagram without the 40 bytes of the GRH") {
    const RetoldRun run = run_with_pipeline("sqe", QueueKind::Receive, [](Completion& completion) {
        if (index_of(completion.qpn) == 0 && completion.details.byte_len >= 40) {
            completion.details.byte_len -= 40;
        }
    });
    CHECK(names_rule(run.run, "S1.3"));
    CHECK(tells(run, {"S2.14"}));
}

TEST_CASE("S2.5 slots of a send queue come back without a poll") {
    const Scenario scenario = shipped("signaling_modes", {"device.slot_release=completion"});
    check::Settings settings = checker_settings(header_of(scenario));
    settings.slot_release = "poll";  // what the device is said to do
    Retelling retelling(settings, [](Record&, std::byte*) { return true; });
    run_with(scenario, EngineFactories::standard(), &retelling);
    const std::set<std::string> told = retelling.finish();
    INFO(retelling.text());
    CHECK(told == std::set<std::string>{"S2.5"});
}

}  // namespace cqsim::tb::test
