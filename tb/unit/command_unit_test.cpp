// SPDX-License-Identifier: Apache-2.0
// The command unit at its sockets: routes, tickets, late answers, service time (S4, S7, K16).
#include "tb/unit/command_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Result = CommandResult;
using Answers = std::vector<Answered>;

constexpr bool kAtOnce = false;

class CommandBench final : public CommandBenchBase, private CqCommandForward {
  public:
    explicit CommandBench(const sc_core::sc_module_name& module_name, TimePs service = {})
        : CommandBenchBase(module_name, CommandConfig{service, CommandResult::Busy}) {
        m_cq_tsock.bind(static_cast<CqCommandForward&>(*this));
        unit.cq_isock.bind(m_cq_tsock);
    }

    /// The QP table answers late.
    void qp_done(std::uint32_t qpn, const CommandAnswer& answer) {
        behind.qp_tsock->qp_command_done(Qpn{qpn}, answer);
    }

    RecordList refusals{records, mask_of(Kind::Refuse)};

  private:
    Result create_cq(const CreateCq& command) override { return owners.create_cq(command); }
    CommandStatus resize_cq(const ResizeCq& command, CommandAnswer& answer) override {
        return owners.resize_cq(command, answer);
    }
    Result destroy_cq(Cqn cqn) override { return owners.destroy_cq(cqn); }
    Result query_cq(Cqn cqn, CqContext& context) const override {
        return owners.query_cq(cqn, context);
    }
    bool has_cq(Cqn cqn) const override { return owners.has_cq(cqn); }

    CqCommandTarget m_cq_tsock{"cq_tsock"};
};

void check_record(const Record& record, Cqn cqn, Qpn qpn, unsigned unit, Result result) {
    CHECK(record.kind == Kind::Refuse);
    CHECK(record.cqn == cqn);
    CHECK(record.qpn == qpn);
    CHECK(record.unit == unit);
    CHECK(record.state == static_cast<std::uint8_t>(result));
    CHECK(record.index == 0);
}

}  // namespace

TEST_CASE("D1 without service time each command is answered in its call, by its owner") {
    CommandBench bench("bench");
    bench.owners.cqs = {Cqn{3}};
    bench.owners.qp_created = {Result::Ok, 5};
    bench.owners.qp_answer = {Result::Ok, 6};
    const TimePs t = from_ns(10);
    bench.agenda.at(t, [&] {
        bench.host.submit(1, create_eq(2));
        bench.host.submit(2, create_cq(3));
        bench.host.submit(3, ModifyCq{Cqn{3}, {}});
        bench.host.submit(4, create_qp(7, 3, 3));
        bench.host.submit(5, ModifyQp{Qpn{7}, QpState::Init});
        bench.host.submit(6, DestroyQp{Qpn{7}});
        bench.host.submit(7, DestroyCq{Cqn{3}});
    });
    run_to_the_end();
    CHECK(bench.owners.calls == Calls{"create_eq 2",
                                      "create_cq 3",
                                      "attach_cq 3",
                                      "modify_cq 3",
                                      "create_qp 7",
                                      "modify_qp 7",
                                      "destroy_qp 7",
                                      "destroy_cq 3",
                                      "detach_cq 3"});
    CHECK(bench.host.answers == Answers{{t, 1, Result::Ok, 0, kAtOnce},
                                        {t, 2, Result::Ok, 0, kAtOnce},
                                        {t, 3, Result::Ok, 0, kAtOnce},
                                        {t, 4, Result::Ok, 5, kAtOnce},
                                        {t, 5, Result::Ok, 6, kAtOnce},
                                        {t, 6, Result::Ok, 6, kAtOnce},
                                        {t, 7, Result::Ok, 0, kAtOnce}});
    CHECK(bench.refusals.all().empty());
    CHECK(bench.unit.open() == 0);
}

TEST_CASE("P8 a refused command is answered, counted by its result, and recorded") {
    CommandBench bench("bench");
    bench.owners.cqs = {Cqn{3}};
    bench.owners.eq_created = Result::NoMemory;
    bench.owners.cq_created = Result::Invalid;
    bench.owners.cq_modified = Result::NoEntry;
    bench.owners.work_queues = 1;
    bench.owners.qp_answer = {Result::Busy};
    bench.agenda.at(from_ns(10), [&] {
        bench.host.submit(1, create_eq(2));
        bench.host.submit(2, create_cq(3));
        bench.host.submit(3, ModifyCq{Cqn{4}, {}});
        bench.host.submit(4, create_qp(7, 3, 4));
        bench.host.submit(5, ModifyQp{Qpn{7}});
        bench.host.submit(6, DestroyQp{Qpn{8}});
        bench.host.submit(7, DestroyCq{Cqn{3}});
    });
    run_to_the_end();
    const std::vector<Record>& records = bench.refusals.all();
    REQUIRE(records.size() == 7);
    check_record(records[0], kNoCq, kNoQp, 2, Result::NoMemory);
    check_record(records[1], Cqn{3}, kNoQp, 0, Result::Invalid);
    check_record(records[2], Cqn{4}, kNoQp, 0, Result::NoEntry);
    check_record(records[3], kNoCq, Qpn{7}, 0, Result::Invalid);
    check_record(records[4], kNoCq, Qpn{7}, 0, Result::Busy);
    check_record(records[5], kNoCq, Qpn{8}, 0, Result::Busy);
    check_record(records[6], Cqn{3}, kNoQp, 0, Result::Busy);
    CHECK(bench.records.source_name(records[0].source) == "bench.unit");
    CHECK(records[0].time_ps == 10'000);
    for (std::size_t i = 0; i < records.size(); ++i) {
        CHECK(bench.host.answers[i].result == static_cast<Result>(records[i].state));
        CHECK(bench.host.answers[i].ticket == i + 1);
    }
    CHECK(bench.unit.refused(Result::NoMemory) == 1);
    CHECK(bench.unit.refused(Result::Invalid) == 2);
    CHECK(bench.unit.refused(Result::NoEntry) == 1);
    CHECK(bench.unit.refused(Result::Busy) == 3);
}

TEST_CASE("D3 answers of the QP table reach their tickets in the order in which it gives them") {
    CommandBench bench("bench");
    bench.owners.cqs = {Cqn{3}};
    bench.owners.qp_status = CommandStatus::Accepted;
    bench.agenda.at(from_ns(10), [&] {
        bench.host.submit(11, DestroyQp{Qpn{5}});
        bench.host.submit(12, ModifyQp{Qpn{9}, QpState::Reset});
        bench.host.submit(13, DestroyQp{Qpn{0}});
        CHECK(bench.unit.open() == 3);
        bench.host.submit(14, create_cq(4));  // not held up by them
    });
    bench.agenda.at(from_ns(20), [&] { bench.qp_done(0, {Result::Ok, 1}); });
    bench.agenda.at(from_ns(20), [&] { bench.qp_done(5, {Result::Ok, 2}); });
    bench.agenda.at(from_ns(25), [&] { bench.host.submit(15, DestroyQp{Qpn{5}}); });
    bench.agenda.at(from_ns(30), [&] { bench.qp_done(9, {Result::Invalid, 3}); });
    bench.agenda.at(from_ns(40), [&] { bench.qp_done(5, {Result::Ok, 4}); });
    run_to_the_end();
    CHECK(bench.host.answers == Answers{{from_ns(10), 14, Result::Ok, 0, kAtOnce},
                                        {from_ns(20), 13, Result::Ok, 1},
                                        {from_ns(20), 11, Result::Ok, 2},
                                        {from_ns(30), 12, Result::Invalid, 3},
                                        {from_ns(40), 15, Result::Ok, 4}});
    CHECK(bench.unit.open() == 0);
    REQUIRE(bench.refusals.all().size() == 1);
    check_record(bench.refusals.all()[0], kNoCq, Qpn{9}, 0, Result::Invalid);
    CHECK(bench.unit.refused(Result::Invalid) == 1);
}

TEST_CASE("S7.1 a second command for a QP that has one open gets the QP table's Busy") {
    CommandBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        bench.owners.qp_status = CommandStatus::Accepted;
        bench.host.submit(1, DestroyQp{Qpn{5}});
        bench.owners.qp_status = CommandStatus::Done;
        bench.owners.qp_answer = {Result::Busy};
        bench.host.submit(2, ModifyQp{Qpn{5}});
    });
    bench.agenda.at(from_ns(20), [&] { bench.qp_done(5, {}); });
    run_to_the_end();
    CHECK(bench.host.answers ==
          Answers{{from_ns(10), 2, Result::Busy, 0, kAtOnce}, {from_ns(20), 1, Result::Ok, 0}});
}

TEST_CASE("D7 commands with a service time are carried out one after the other, in order") {
    CommandBench bench("bench", from_ns(100));
    bench.agenda.at(from_ns(10), [&] {
        bench.host.submit(1, create_eq(1));
        bench.host.submit(2, create_eq(2));
        CHECK(bench.unit.open() == 2);
    });
    bench.agenda.at(from_ns(109), [&] { CHECK(bench.owners.calls.empty()); });
    bench.agenda.at(from_ns(150), [&] {
        CHECK(bench.owners.calls == Calls{"create_eq 1"});
        bench.owners.eq_created = Result::Invalid;
        bench.host.submit(3, create_eq(3));
    });
    bench.agenda.at(from_ns(1'000), [&] { bench.host.submit(4, create_eq(4)); });
    run_to_the_end();
    CHECK(bench.host.answers == Answers{{from_ns(110), 1, Result::Ok, 0},
                                        {from_ns(210), 2, Result::Invalid, 0},
                                        {from_ns(310), 3, Result::Invalid, 0},
                                        {from_ns(1'100), 4, Result::Invalid, 0}});
    CHECK(bench.unit.refused(Result::Invalid) == 3);
    CHECK(bench.unit.open() == 0);
}

TEST_CASE("what is there when a run begins takes no service time") {
    CommandBench bench("bench", from_ns(100));
    bench.agenda.at(from_ns(10), [&] {
        bench.host.submit(1, create_eq(1));
        bench.host.set_up(2, create_eq(2));
    });
    run_to_the_end();
    CHECK(bench.host.answers ==
          Answers{{from_ns(10), 2, Result::Ok, 0, kAtOnce}, {from_ns(110), 1, Result::Ok, 0}});
}

TEST_CASE("S4.15 a query is answered with the context, and recorded") {
    CommandBench bench("bench");
    RecordList records{bench.records, mask_of(Kind::Query) | mask_of(Kind::Refuse)};
    bench.agenda.at(from_ns(10), [&] {
        bench.host.submit(1, QueryCq{Cqn{3}});
        CHECK(bench.host.context.producer == 7);
        CHECK(bench.host.context.eqn == 5);
        bench.owners.cq_queried = Result::NoEntry;
        bench.host.submit(2, QueryCq{Cqn{3}});
    });
    run_to_the_end();
    CHECK(bench.host.answers == Answers{{from_ns(10), 1, Result::Ok, 0, kAtOnce},
                                        {from_ns(10), 2, Result::NoEntry, 0, kAtOnce}});
    REQUIRE(records.all().size() == 2);
    const Record& query = records.all()[0];
    CHECK(query.kind == Kind::Query);
    CHECK(query.cqn == Cqn{3});
    CHECK(query.index == 7);
    CHECK(query.state == static_cast<std::uint8_t>(CqState::Ok));
    CHECK(bench.records.source_name(query.source) == "bench.unit");
    check_record(records.all()[1], Cqn{3}, kNoQp, 0, Result::NoEntry);
    CHECK(bench.unit.refused(Result::NoEntry) == 1);
}

TEST_CASE("S4.2 what a device does not support is refused and counted") {
    CommandBench bench("bench");
    bench.agenda.at(from_ns(10), [&] {
        CreateCq command = create_cq(3);
        command.flags = 8;
        bench.host.submit(1, command);
    });
    run_to_the_end();
    REQUIRE(bench.refusals.all().size() == 1);
    check_record(bench.refusals.all()[0], Cqn{3}, kNoQp, 0, Result::Unsupported);
    CHECK(bench.unit.refused(Result::Unsupported) == 1);
}

TEST_CASE("D7 a command that the QP table has accepted does not hold up the next one") {
    CommandBench bench("bench", from_ns(100));
    bench.owners.qp_status = CommandStatus::Accepted;
    bench.agenda.at(from_ns(0), [&] {
        bench.host.submit(1, DestroyQp{Qpn{5}});
        bench.host.submit(2, create_eq(2));
    });
    bench.agenda.at(from_ns(150), [&] { CHECK(bench.unit.open() == 2); });
    bench.agenda.at(from_ns(300), [&] { bench.qp_done(5, {Result::Ok, 8}); });
    run_to_the_end();
    CHECK(bench.host.answers ==
          Answers{{from_ns(200), 2, Result::Ok, 0}, {from_ns(300), 1, Result::Ok, 8}});
}

TEST_CASE("P8 an answer for a QP that has no command open is an error of wiring") {
    CommandBench bench("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    CHECK_THROWS_WITH(bench.qp_done(5, {}), Catch::Contains("bench.unit: a command for QP 5"));
    CHECK(bench.host.answers.empty());
}

TEST_CASE("P8 a QP table that accepts two commands of one QP is an error of wiring") {
    CommandBench bench("bench");
    bench.owners.qp_status = CommandStatus::Accepted;
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench.host.submit(1, DestroyQp{Qpn{5}});
    CHECK_THROWS_WITH(bench.host.submit(2, DestroyQp{Qpn{5}}),
                      Catch::Contains("bench.unit: a command for QP 5"));
}
