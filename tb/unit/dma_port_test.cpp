// SPDX-License-Identifier: Apache-2.0
// Every legal answer of a target of the base protocol (D1), and what the port makes of it.
#include "tb/unit/dma_port_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;

using Dones = std::vector<Done>;
using Times = std::vector<TimePs>;

/// TLM_UPDATED with END_REQ; the response comes later.
Plan accepted_at_once(TimePs response_after) {
    Plan plan;
    plan.answer = tlm::TLM_UPDATED;
    plan.phase = tlm::END_REQ;
    plan.begin_resp = response_after;
    return plan;
}

Plan completed(TimePs delay) {
    Plan plan;
    plan.answer = tlm::TLM_COMPLETED;
    plan.delay = delay;
    return plan;
}

}  // namespace

TEST_CASE("D1 four phases: accepted then END_REQ then BEGIN_RESP") {
    DmaBench bench("bench");
    Plan plan;
    plan.end_req = from_ns(10);
    plan.begin_resp = from_ns(30);
    bench.send_at(from_ns(100), 1, plan);
    bench.agenda.at(from_ns(105), [&] { CHECK_FALSE(bench.port.can_send()); });
    bench.agenda.at(from_ns(115), [&] { CHECK(bench.port.can_send()); });
    run_to_the_end();
    CHECK(bench.again == Times{from_ns(110)});
    CHECK(bench.done == Dones{{1, true, from_ns(130)}});
    // The answer to BEGIN_RESP ends the transaction: no END_RESP of its own.
    CHECK(bench.target.said ==
          std::vector<tlm::tlm_sync_enum>{tlm::TLM_ACCEPTED, tlm::TLM_COMPLETED});
    CHECK(bench.target.end_resps.empty());
    CHECK(bench.all_free());
}

TEST_CASE("D1 the request ended in the answer: updated with END_REQ") {
    DmaBench bench("bench");
    bench.send_at(from_ns(100), 1, accepted_at_once(from_ns(30)));
    bench.agenda.at(from_ns(100), [&] {
        CHECK(bench.port.can_send());
        bench.send(2, accepted_at_once(from_ns(50)));  // two are in flight
    });
    run_to_the_end();
    CHECK(bench.again.empty());  // it could always send
    CHECK(bench.done == Dones{{1, true, from_ns(130)}, {2, true, from_ns(150)}});
    CHECK(bench.all_free());
}

TEST_CASE("D1 the response began in the answer: updated with BEGIN_RESP") {
    DmaBench bench("bench");
    Plan plan;
    plan.answer = tlm::TLM_UPDATED;
    plan.phase = tlm::BEGIN_RESP;
    bench.send_at(from_ns(100), 1, plan);  // at once, but not from inside `send`
    plan.delay = from_ns(7);
    bench.send_at(from_ns(200), 2, plan);
    run_to_the_end();
    CHECK(bench.done == Dones{{1, true, from_ns(100)}, {2, true, from_ns(207)}});
    CHECK(bench.target.end_resps == Times{from_ns(100), from_ns(207)});
    CHECK(bench.again.empty());
    CHECK(bench.all_free());
}

TEST_CASE("D1 all in one call: completed with an annotated delay") {
    DmaBench bench("bench");
    bench.send_at(from_ns(100), 1, completed(from_ns(9)));
    bench.send_at(from_ns(200), 2, completed(TimePs{}));
    run_to_the_end();
    CHECK(bench.done == Dones{{1, true, from_ns(109)}, {2, true, from_ns(200)}});
    CHECK(bench.target.end_resps.empty());
    CHECK(bench.again.empty());
    CHECK(bench.all_free());
}

TEST_CASE("D1 completed writes with delays end in the order of their times") {
    DmaBench bench("bench");
    bench.agenda.at(from_ns(100), [&] {
        bench.send(1, completed(from_ns(30)));
        bench.send(2, completed(from_ns(10)));
        bench.send(3, completed(from_ns(20)));
        bench.send(4, completed(from_ns(10)));  // equal times: in the order of the calls
    });
    run_to_the_end();
    CHECK(bench.done == Dones{{2, true, from_ns(110)},
                              {4, true, from_ns(110)},
                              {3, true, from_ns(120)},
                              {1, true, from_ns(130)}});
    CHECK(bench.all_free());
}

TEST_CASE("D1 a response without END_REQ ends the request as well") {
    DmaBench bench("bench");
    Plan plan;
    plan.begin_resp = from_ns(20);
    bench.send_at(from_ns(100), 1, plan);
    bench.agenda.at(from_ns(119), [&] { CHECK_FALSE(bench.port.can_send()); });
    run_to_the_end();
    CHECK(bench.again == Times{from_ns(120)});
    CHECK(bench.done == Dones{{1, true, from_ns(120)}});
    CHECK(bench.all_free());
}

TEST_CASE("D1 the delay annotated to a response is honoured") {
    DmaBench bench("bench");
    Plan plan = accepted_at_once(from_ns(20));
    plan.resp_delay = from_ns(5);
    bench.send_at(from_ns(100), 1, plan);
    run_to_the_end();
    CHECK(bench.done == Dones{{1, true, from_ns(125)}});
    CHECK(bench.all_free());
}

TEST_CASE("D1 a target may respond before it answers the request") {
    DmaBench bench("bench");
    Plan plan;
    plan.resp_from_inside = true;
    bench.send_at(from_ns(100), 1, plan);
    plan.resp_delay = from_ns(3);
    bench.send_at(from_ns(200), 2, plan);
    run_to_the_end();
    CHECK(bench.done == Dones{{1, true, from_ns(100)}, {2, true, from_ns(203)}});
    CHECK(bench.all_free());
}

TEST_CASE("D1 the delay of a request is annotated to it") {
    DmaBench bench("bench");
    bench.send_at(from_ns(100), 1, accepted_at_once(from_ns(30)), from_ns(4));
    bench.send_at(from_ns(200), 2, completed(from_ns(9)), from_ns(4));
    run_to_the_end();
    CHECK(bench.done == Dones{{1, true, from_ns(134)}, {2, true, from_ns(213)}});
}

TEST_CASE("D1 responses out of order end the writes that they belong to") {
    DmaBench bench("bench");
    bench.agenda.at(from_ns(100), [&] {
        bench.send(1, accepted_at_once(from_ns(50)));
        bench.send(2, accepted_at_once(from_ns(30)));
        bench.send(3, accepted_at_once(from_ns(40)));
    });
    run_to_the_end();
    CHECK(bench.done ==
          Dones{{2, true, from_ns(130)}, {3, true, from_ns(140)}, {1, true, from_ns(150)}});
    CHECK(bench.target.first_bytes == std::vector<unsigned char>{1, 2, 3});
    CHECK(bench.all_free());
}

TEST_CASE("S5.3j every error status is a write that failed") {
    DmaBench bench("bench");
    constexpr tlm::tlm_response_status kErrors[] = {tlm::TLM_GENERIC_ERROR_RESPONSE,
                                                    tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                    tlm::TLM_COMMAND_ERROR_RESPONSE,
                                                    tlm::TLM_BURST_ERROR_RESPONSE,
                                                    tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
                                                    tlm::TLM_INCOMPLETE_RESPONSE};
    Dones expected;
    std::uint8_t number = 0;
    for (const tlm::tlm_response_status status : kErrors) {
        for (Plan plan : {completed(from_ns(1)), accepted_at_once(from_ns(1))}) {
            const TimePs t = from_ns(100 + std::uint64_t{number} * 10);
            plan.status = status;
            bench.send_at(t, number, plan);
            expected.push_back({number, false, t + from_ns(1)});
            ++number;
        }
    }
    run_to_the_end();
    CHECK(bench.done == expected);
    CHECK(bench.all_free());
}

TEST_CASE("D1 a payload goes back to the pool and is used again") {
    DmaBench bench("bench");
    for (std::uint8_t i = 0; i < 100; ++i) {
        bench.send_at(from_ns(100 + std::uint64_t{i} * 10), i, accepted_at_once(from_ns(5)));
    }
    run_to_the_end();
    CHECK(bench.done.size() == 100);
    CHECK(bench.target.payloads.size() == 1);
    CHECK(bench.target.first_bytes.back() == 99);
    CHECK(bench.all_free());
}

TEST_CASE("D1 a payload that another component still holds is not used again") {
    DmaBench bench("bench");
    bench.agenda.at(from_ns(100), [&] {
        bench.send(1, accepted_at_once(from_ns(5)));
        bench.target.open[0]->acquire();  // a monitor, say
    });
    bench.send_at(from_ns(200), 2, accepted_at_once(from_ns(5)));
    bench.agenda.at(from_ns(300), [&] {
        CHECK(bench.target.payloads.size() == 2);
        CHECK(unsigned{*bench.target.open[0]->get_data_ptr()} == 1);
        CHECK(bench.target.open[0]->get_address() == 0x1040);
        bench.target.open[0]->release();
    });
    bench.send_at(from_ns(400), 3, accepted_at_once(from_ns(5)));
    run_to_the_end();
    CHECK(bench.done.size() == 3);
    CHECK(bench.target.payloads.size() == 2);
    CHECK(bench.all_free());
}

TEST_CASE("D1 the delay annotated to the end of a request keeps the next one back") {
    DmaBench bench("bench");
    Plan in_the_answer = accepted_at_once(from_ns(30));
    in_the_answer.delay = from_ns(10);
    Plan in_a_call;
    in_a_call.end_req = from_ns(5);
    in_a_call.end_req_delay = from_ns(10);
    in_a_call.begin_resp = from_ns(30);
    Plan with_the_response;
    with_the_response.answer = tlm::TLM_UPDATED;
    with_the_response.phase = tlm::BEGIN_RESP;
    with_the_response.delay = from_ns(10);
    bench.send_at(from_ns(100), 1, in_the_answer);
    bench.agenda.at(TimePs{109'999}, [&] { CHECK_FALSE(bench.port.can_send()); });
    bench.send_at(from_ns(200), 2, in_a_call);
    bench.agenda.at(TimePs{214'999}, [&] { CHECK_FALSE(bench.port.can_send()); });
    bench.send_at(from_ns(300), 3, with_the_response);
    bench.agenda.at(TimePs{309'999}, [&] { CHECK_FALSE(bench.port.can_send()); });
    bench.send_at(from_ns(400), 4, in_the_answer);  // nobody asks before it is over
    bench.agenda.at(from_ns(410), [&] { CHECK(bench.port.can_send()); });
    run_to_the_end();
    CHECK(bench.again == Times{from_ns(110), from_ns(215), from_ns(310)});
    CHECK(bench.done == Dones{{1, true, from_ns(130)},
                              {2, true, from_ns(230)},
                              {3, true, from_ns(310)},
                              {4, true, from_ns(430)}});
    CHECK(bench.all_free());
}

TEST_CASE("D1 a phase that may be ignored is") {
    DmaBench bench("bench");
    bench.send_at(from_ns(100), 1, accepted_at_once(from_ns(30)));
    bench.agenda.at(from_ns(110), [&] {
        CHECK(bench.target.send(*bench.target.open[0], ignorable_phase) == tlm::TLM_ACCEPTED);
    });
    Plan ignorable_answer;
    ignorable_answer.answer = tlm::TLM_UPDATED;
    ignorable_answer.phase = ignorable_phase;
    ignorable_answer.end_req = from_ns(10);
    ignorable_answer.begin_resp = from_ns(30);
    bench.send_at(from_ns(200), 2, ignorable_answer);
    bench.agenda.at(from_ns(205), [&] { CHECK_FALSE(bench.port.can_send()); });
    run_to_the_end();
    CHECK(bench.again == Times{from_ns(210)});
    CHECK(bench.done == Dones{{1, true, from_ns(130)}, {2, true, from_ns(230)}});
}

TEST_CASE("P8 a phase that no target may send is an error of the wiring with the block's name") {
    DmaBench bench("bench");
    std::string message;
    bench.send_at(from_ns(100), 1, accepted_at_once(from_ns(30)));
    bench.agenda.at(from_ns(110), [&] {
        try {
            bench.target.send(*bench.target.open[0], tlm::BEGIN_REQ);
        } catch (const sc_core::sc_report& report) {
            message = report.get_msg_type();
        }
    });
    sc_core::sc_start();
    CHECK(message == "/cqsim/dma/phase");
    CHECK(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR) == 1);
    CHECK(bench.done == Dones{{1, true, from_ns(130)}});  // the write itself is not disturbed
}
