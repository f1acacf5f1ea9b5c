// SPDX-License-Identifier: Apache-2.0
// The steps of a drawn scenario. A step may come at a bad moment: what is then refused is no fault.
#include "models/qp/qp_capability.h"
#include "models/verbs/verbs.h"
#include "tb/integration/scenario_draw.h"

namespace cqsim::tb::test {
namespace {

/// The QP or the member that a step is about.
std::string drawn_member(Draw& draw, const DrawnQp& qp) {
    if (qp.count == 1 || draw.percent(50)) {
        return qp.name;
    }
    return qp.name + "[" + std::to_string(draw.between(0, qp.count - 1)) + "]";
}

void begin_step(Draw& draw, std::uint64_t at_ns, std::string_view what) {
    draw.table("[[step]]");
    draw.ns("at", at_ns);
    draw.word("do", what);
}

void modify(Draw& draw, std::uint64_t at_ns, const std::string& qp, std::string_view state) {
    begin_step(draw, at_ns, "modify_qp");
    draw.word("qp", qp);
    draw.word("state", state);
}

void post_sends(Draw& draw,
                std::uint64_t at_ns,
                const DrawnQp& qp,
                const std::string& member,
                std::uint64_t latency_ns) {
    if (qp.type->shares()) {
        return;
    }
    begin_step(draw, at_ns, "post");
    draw.word("qp", member);
    draw.number("count", draw.between(1, 5));
    draw.word("opcode", drawn_send(draw, qp));
    if (!qp.wired) {
        draw.ns("latency", latency_ns);
    }
    if (draw.percent(40)) {
        draw.flag("signaled", draw.percent(50));
    }
    draw.flag("solicited", draw.percent(30));
}

void post_receives(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp, const std::string& member) {
    if (!qp.type->receives()) {
        return;
    }
    begin_step(draw, at_ns, "post");
    if (qp.srq.empty()) {
        draw.word("qp", member);
        draw.word("queue", "recv");
    } else {
        draw.word("srq", qp.srq);
    }
    draw.number("count", draw.between(1, 4));
}

/// Any status that a request of the queue can end with by itself. GENERAL_ERR more often, for with
/// it a QP may run on (S1.11).
std::string_view drawn_status(Draw& draw, const DrawnQp& qp, QueueKind queue) {
    const QpType type = *parse_qp_type(qp.type->name);
    if (draw.percent(12)) {
        return name(WcStatus::GeneralErr);
    }
    for (;;) {
        const auto status = static_cast<WcStatus>(
            draw.between(1, static_cast<std::uint64_t>(WcStatus::TmRndvIncomplete)));
        if (status != WcStatus::WrFlushErr && may_end(type, queue, status, !qp.srq.empty())) {
            return name(status);
        }
    }
}

/// Of what a connected QP sends, something goes wrong on the wire or at its peer. A fault may find
/// no message that it can hit.
void fault(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp, const std::string& member) {
    const bool reliable = is_reliable(*parse_qp_type(qp.type->name));
    begin_step(draw, at_ns, "fault");
    draw.word("qp", member);
    const std::string_view what = !reliable ? "drop"
                                            : draw.one_of({"drop",
                                                           "drop",
                                                           "drop_ack",
                                                           "rkey",
                                                           "invalid_request",
                                                           "length",
                                                           "responder_wqe",
                                                           "inv_key",
                                                           "bad_response",
                                                           "local_prot"});
    draw.word("fault", what);
    draw.number("message", draw.between(1, 6));
    if (what == "drop" || what == "drop_ack") {
        draw.raw(draw.percent(10)   ? "hits = \"all\"\n"
                 : draw.percent(50) ? "hits = 1\n"
                                    : "hits = 3\n");
    }
}

void fail_oldest(Draw& draw,
                 std::uint64_t at_ns,
                 const DrawnQp& qp,
                 const std::string& member,
                 QueueKind queue) {
    if (qp.wired) {
        fault(draw, at_ns, qp, member);
        return;
    }
    begin_step(draw, at_ns, "fail");
    draw.word("qp", member);
    draw.word("queue", name(queue));
    draw.word("status", drawn_status(draw, qp, queue));
    draw.number("vendor_err", draw.between(0, 255));
}

void up_again(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp, const std::string& member) {
    modify(draw, at_ns, member, "INIT");
    if (draw.percent(50)) {
        post_receives(draw, at_ns, qp, member);
    }
    modify(draw, at_ns + 100, member, "RTR");
    modify(draw, at_ns + 200, member, "RTS");
}

// What happens to a QP, from `at_ns` on. To draw more, add a row to `kHappenings`.

void sends_by_hand(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    post_sends(draw, at_ns, qp, drawn_member(draw, qp), draw.between(0, 4000));
}

void receives_by_hand(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    post_receives(draw, at_ns, qp, drawn_member(draw, qp));
}

void failing_send(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    if (qp.type->shares()) {
        return;
    }
    const std::string member = drawn_member(draw, qp);
    post_sends(draw, at_ns, qp, member, 3000);
    fail_oldest(draw, at_ns + draw.between(0, 1000), qp, member, QueueKind::Send);
    if (draw.percent(50)) {
        post_sends(draw, at_ns + draw.between(1000, 4000), qp, member, 500);
    }
    if (draw.percent(40)) {  // SQE is left again; in ERR this is refused
        modify(draw, at_ns + draw.between(1000, 3000), member, "RTS");
    }
}

void failing_receive(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    if (!qp.type->receives()) {
        return;
    }
    const std::string member = drawn_member(draw, qp);
    post_receives(draw, at_ns, qp, member);
    fail_oldest(draw, at_ns, qp, member, QueueKind::Receive);
    if (draw.percent(50)) {
        post_receives(draw, at_ns + draw.between(500, 3000), qp, member);
    }
}

void told_to_fail(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    const std::string member = drawn_member(draw, qp);
    modify(draw, at_ns, member, "ERR");
    post_sends(draw, at_ns + draw.between(0, 3000), qp, member, 500);
    post_receives(draw, at_ns + draw.between(0, 3000), qp, member);
}

void drained(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    const std::string member = drawn_member(draw, qp);
    modify(draw, at_ns, member, "SQD");
    draw.flag("sqd_notify", draw.percent(60));
    post_sends(draw, at_ns + draw.between(0, 2000), qp, member, 500);
    if (draw.percent(80)) {
        modify(draw, at_ns + draw.between(500, 4000), member, draw.one_of({"RTS", "RTS", "ERR"}));
    }
}

void begun_anew(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    const std::string member = drawn_member(draw, qp);
    post_sends(draw, at_ns, qp, member, draw.between(0, 2000));
    modify(draw, at_ns + draw.between(0, 2000), member, "RESET");
    up_again(draw, at_ns + draw.between(2000, 6000), qp, member);
    post_sends(draw, at_ns + 7000, qp, member, draw.between(0, 2000));
}

void destroyed(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    const std::string member = drawn_member(draw, qp);
    post_sends(draw, at_ns, qp, member, draw.between(0, 2000));
    begin_step(draw, at_ns + draw.between(0, 2000), "destroy_qp");
    draw.word("qp", member);
    if (draw.percent(70)) {
        begin_step(draw, at_ns + draw.between(3000, 6000), "create_qp");
        draw.word("qp", member);
        draw.word("state", draw.one_of({"RTS", "RTS", "RTS", "RTR", "INIT"}));
        post_sends(draw, at_ns + 7000, qp, member, draw.between(0, 2000));
    }
}

/// A reset at a moment when something of the QP is on its way through the block.
void reset_in_flight(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    const std::string member = drawn_member(draw, qp);
    draw.table("[[step]]");
    draw.raw("on = { ev = \"" + std::string(draw.one_of({"request", "grant", "slot"})) +
             "\", qp = \"" + member + "\", nth = " + std::to_string(draw.between(1, 12)) +
             ", after = \"" + std::to_string(draw.between(0, 300)) + " ns\" }\n");
    draw.word("do", "modify_qp");
    draw.word("qp", member);
    draw.word("state", draw.one_of({"RESET", "RESET", "ERR"}));
    up_again(draw, at_ns + 5000, qp, member);
}

/// It is passed when a message takes the last request that waits.
void armed_limit(Draw& draw, std::uint64_t at_ns, const DrawnQp& qp) {
    if (!qp.srq.empty()) {
        begin_step(draw, at_ns, "modify_srq");
        draw.word("srq", qp.srq);
        draw.number("limit", 1);
    }
}

struct Happening {
    std::uint64_t weight;
    void (*draw)(Draw&, std::uint64_t at_ns, const DrawnQp& qp);
};
constexpr std::array kHappenings{Happening{3, sends_by_hand},
                                 Happening{1, receives_by_hand},
                                 Happening{11, failing_send},
                                 Happening{5, failing_receive},
                                 Happening{2, told_to_fail},
                                 Happening{2, drained},
                                 Happening{2, begun_anew},
                                 Happening{2, destroyed},
                                 Happening{2, reset_in_flight},
                                 Happening{1, armed_limit}};

const Happening& drawn_happening(Draw& draw) {
    std::uint64_t sum = 0;
    for (const Happening& happening : kHappenings) {
        sum += happening.weight;
    }
    std::uint64_t left = draw.between(0, sum - 1);
    const Happening* happening = kHappenings.data();
    while (left >= happening->weight) {
        left -= happening->weight;
        ++happening;
    }
    return *happening;
}

/// A CQ without a loop is emptied now and then, and more or less of it given back.
void poll_by_steps(Draw& draw, const DrawnCq& cq) {
    const std::uint64_t polls = draw.between(0, 4);
    for (std::uint64_t i = 0; i < polls; ++i) {
        const std::uint64_t at_ns = draw.between(0, draw.last_step_ns - 1);
        begin_step(draw, at_ns, "poll");
        draw.word("cq", cq.name);
        draw.raw(draw.percent(50) ? "count = \"all\"\n" : "count = 3\n");
        begin_step(draw, at_ns, "write_ci");
        draw.word("cq", cq.name);
    }
}

}  // namespace

void draw_steps(Draw& draw) {
    for (const DrawnCq& cq : draw.cqs) {
        if (cq.by_steps) {
            poll_by_steps(draw, cq);
        }
    }
    const std::uint64_t happenings = draw.between(8, 50);
    for (std::uint64_t i = 0; i < happenings; ++i) {
        const DrawnQp& qp = draw.one_of(draw.qps);
        drawn_happening(draw).draw(draw, draw.between(0, draw.last_step_ns / 2), qp);
    }
}

}  // namespace cqsim::tb::test
