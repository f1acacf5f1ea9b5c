// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/scenario_draw.h"

namespace cqsim::tb::test {
namespace {

/// S1.17, and which transport has which operation (ibv_post_send).
const std::vector<DrawnType>& drawn_types() {
    static const std::vector<DrawnType> types{
        {"RC",
         {"RDMA_WRITE",
          "RDMA_WRITE_WITH_IMM",
          "SEND",
          "SEND_WITH_IMM",
          "RDMA_READ",
          "ATOMIC_CMP_AND_SWP",
          "ATOMIC_FETCH_AND_ADD",
          "LOCAL_INV",
          "BIND_MW",
          "SEND_WITH_INV"},
         {"SEND", "SEND_WITH_IMM", "SEND_WITH_INV", "RDMA_WRITE_WITH_IMM"}},
        {"UC",
         {"RDMA_WRITE",
          "RDMA_WRITE_WITH_IMM",
          "SEND",
          "SEND_WITH_IMM",
          "LOCAL_INV",
          "BIND_MW",
          "SEND_WITH_INV"},
         {"SEND", "SEND_WITH_IMM", "SEND_WITH_INV", "RDMA_WRITE_WITH_IMM"}},
        {"UD", {"SEND", "SEND_WITH_IMM", "TSO"}, {"SEND", "SEND_WITH_IMM"}},
        {"RAW_PACKET", {"SEND", "TSO"}, {"SEND"}},
        {"XRC_SEND",
         {"RDMA_WRITE", "SEND", "SEND_WITH_INV", "RDMA_READ", "FLUSH", "ATOMIC_WRITE"},
         {}},
        {"XRC_RECV", {}, {"SEND", "SEND_WITH_IMM", "SEND_WITH_INV", "RDMA_WRITE_WITH_IMM"}},
    };
    return types;
}

constexpr std::uint64_t kMostSlots = 128;  ///< of a ring: 65 .. 128 entries

void draw_overflow(Draw& draw) {
    const bool native = draw.native;
    draw.word("cqe_format", native ? "native" : draw.one_of({"mlx5", "mlx5_128"}));
    const std::string_view owner =
        native ? draw.one_of({"parity", "parity_preset", "phase", "generation"}) : "parity";
    draw.word("overflow.owner", owner);
    const auto width = draw.one_of<std::uint64_t>({8, 9, 12, 24, 32, 32});
    draw.number("overflow.index_width", width);
    // A ring behind a wrap of the index, or at one.
    draw.number("overflow.first_index",
                draw.percent(50) ? 0 : (std::uint64_t{1} << width) - kMostSlots);
    draw.word("overflow.full", draw.one_of({"depth", "depth", "depth_minus_one"}));
    draw.word("overflow.consumer_index", draw.one_of({"record", "record", "mmio", "increment"}));
    // What a sweep takes out is given back as one: increments are not split then.
    draw.number("overflow.increment_bits", draw.sweeps ? draw.between(8, 16) : draw.between(4, 16));
}

void draw_path(Draw& draw) {
    draw.word("completion_arbiter.policy", draw.one_of({"fifo", "round_robin"}));
    draw.word("completion_arbiter.requester", draw.one_of({"tap", "qp", "cq"}));
    draw.word("completion_arbiter.admission", draw.one_of({"shared_pool", "credits"}));
    draw.number("completion_arbiter.depth", draw.one_of<std::uint64_t>({1, 2, 5, 16, 64}));
    draw.number("completion_arbiter.credits", draw.between(1, 4));
    draw.word("completion_arbiter.tie_break", draw.one_of({"tx_first", "rx_first", "seeded"}));
    draw.ns("cqe_writer.service", draw.one_of<std::uint64_t>({0, 4, 4, 40}));
    draw.number("cqe_writer.writes_in_flight", draw.one_of<std::uint64_t>({1, 2, 3, 8, 32}));
    draw.word("cqe_writer.undefined", draw.one_of({"poison", "stale", "zero"}));
}

void draw_times(Draw& draw) {
    draw.word("send_byte_len", draw.one_of({"undefined", "length"}));
    draw.word("flush_order", draw.one_of({"sq_then_rq", "rq_then_sq", "interleaved"}));
    draw.word("reset_from", draw.one_of({"any", "any", "any", "error"}));
    draw.word("slot_release", draw.native ? draw.one_of({"poll", "completion"}) : "poll");
    draw.ns("link_delay", draw.percent(70) ? 0 : draw.between(1, 20));
    draw.ns("flush_service", draw.one_of<std::uint64_t>({0, 4, 4, 50}));
    draw.ns("memory.write_latency", draw.one_of<std::uint64_t>({0, 10, 200, 600}));
    draw.ns("memory.read_latency", draw.one_of<std::uint64_t>({0, 10, 800}));
    draw.word("memory.bandwidth", draw.one_of({"16 GB/s", "1 GB/s", "unlimited"}));
    draw.number("memory.beat", draw.one_of<std::uint64_t>({8, 32, 64}));
    draw.ns("memory.beat_gap", draw.percent(70) ? 0 : draw.between(1, 10));
    draw.ns("command_unit.service", draw.one_of<std::uint64_t>({0, 0, 100, 700}));
}

void draw_moderation(Draw& draw) {
    if (draw.percent(40)) {
        draw.number("moderation.count", draw.between(2, 8));
        draw.ns("moderation.period", draw.between(1, 4) * 1000);
    }
}

void draw_host(Draw& draw, const DrawnCq& cq, bool has_events) {
    draw.table("[[host]]");
    draw.word("cq", cq.name);
    draw.word("mode", has_events && draw.percent(60) ? "event" : "poll");
    draw.number("batch", draw.one_of<std::uint64_t>({1, 2, 4, 16, 64}));
    draw.ns("interval", draw.one_of<std::uint64_t>({20, 100, 500, 2500}));
    draw.ns("start", draw.percent(70) ? 0 : draw.between(0, 10'000));
}

void draw_cqs(Draw& draw) {
    const bool events = draw.percent(50);
    if (events) {
        draw.table("[[eq]]");
        draw.raw("name = \"ceq\"\ndepth = 256\nvector = 0\n");
    }
    const std::uint64_t groups = draw.between(1, 3);
    for (std::uint64_t i = 0; i < groups; ++i) {
        DrawnCq cq;
        cq.name = "cq" + std::to_string(i);
        cq.count = draw.percent(80) ? 1 : 2;
        cq.by_steps = draw.percent(12);
        draw.table("[[cq]]");
        draw.word("name", cq.name);
        draw.number("count", cq.count);
        draw.number("depth",
                    draw.percent(70) ? draw.one_of<std::uint64_t>({31, 64, 100, 100})
                                     : draw.one_of<std::uint64_t>({1, 2, 3, 5, 7, 8, 13, 16}));
        const bool reports = events && draw.percent(70);
        if (reports) {
            draw.word("eq", "ceq");
            draw_moderation(draw);
        }
        if (!cq.by_steps) {
            draw_host(draw, cq, reports);
        }
        draw.cqs.push_back(cq);
    }
}

void draw_srqs(Draw& draw) {
    const std::uint64_t groups = draw.percent(40) ? 0 : draw.between(1, 2);
    for (std::uint64_t i = 0; i < groups; ++i) {
        const DrawnSrq srq{"srq" + std::to_string(i), draw.one_of(draw.cqs).name};
        const auto depth = draw.one_of<std::uint64_t>({1, 2, 3, 7, 16, 40});
        draw.table("[[srq]]");
        draw.word("name", srq.name);
        draw.word("cq", srq.cq);
        draw.number("count", draw.percent(80) ? 1 : 2);
        draw.number("depth", depth);
        draw.number("limit", draw.percent(50) ? 0 : draw.between(1, depth));
        draw.flag("kept_full", draw.percent(80));
        draw.srqs.push_back(srq);
    }
}

const DrawnType& drawn_type(Draw& draw) {
    // More reliable ones: those can fail in the most ways.
    const DrawnType& type = draw.percent(50) ? drawn_types().front() : draw.one_of(drawn_types());
    return type.shares() && draw.srqs.empty() ? drawn_types().front() : type;
}

/// Where its receives come from, and where they are reported.
void draw_receives(Draw& draw, DrawnQp& qp) {
    std::string recv_cq = draw.one_of(draw.cqs).name;
    if (!draw.srqs.empty() && qp.type->receives() && (qp.type->shares() || draw.percent(50))) {
        const DrawnSrq& srq = draw.one_of(draw.srqs);
        qp.srq = srq.name;
        draw.word("srq", srq.name);
        recv_cq = qp.type->shares() ? srq.cq : recv_cq;
    }
    draw.word("recv_cq", recv_cq);
}

/// A group of QPs of this name; those of one name and its type differ in all else.
DrawnQp draw_qp(Draw& draw, const std::string& name, const DrawnType& type, std::uint32_t count) {
    DrawnQp qp;
    qp.name = name;
    qp.type = &type;
    qp.count = count;
    draw.table("[[qp]]");
    draw.word("name", qp.name);
    draw.word("type", qp.type->name);
    draw.number("count", qp.count);
    draw.word("send_cq", draw.one_of(draw.cqs).name);
    draw_receives(draw, qp);
    draw.number("send_depth", draw.one_of<std::uint64_t>({1, 2, 3, 5, 7, 8, 16, 19, 32}));
    draw.number("recv_depth", draw.one_of<std::uint64_t>({1, 2, 3, 5, 7, 8, 16, 19, 32}));
    draw.number("signal_every", draw.one_of<std::uint64_t>({1, 1, 2, 3, 4, 7}));
    draw.flag("sq_sig_all", draw.percent(20));
    draw.word("signal_policy", draw.one_of({"every_kth", "every_kth", "safe"}));
    return qp;
}

void draw_connection(Draw& draw, const std::string& a, const std::string& b) {
    draw.table("[[connection]]");
    draw.word("a", a);
    draw.word("b", b);
    draw.ns("latency", draw.one_of<std::uint64_t>({1, 100, 1000}));
    draw.ns("service", draw.one_of<std::uint64_t>({1, 10, 200}));
    draw.ns("timeout", draw.one_of<std::uint64_t>({500, 5000, 20'000}));
    draw.number("retry_cnt", draw.between(0, 3));
    draw.ns("rnr_timer", draw.one_of<std::uint64_t>({100, 3000}));
    draw.number("rnr_retry", draw.between(0, 3));
    draw.number("ack_every", draw.between(1, 4));
    draw.ns("ack_delay", draw.one_of<std::uint64_t>({1, 500, 2000}));
    draw.flag("fill", draw.percent(70));
}

/// Whether a connection can be between QPs of the type: both ends send and receive.
bool connects(const DrawnType& type) {
    return type.name == "RC" || type.name == "UC" || type.name == "UD";
}

void draw_qps(Draw& draw) {
    const std::uint64_t groups = draw.between(2, 6);
    for (std::uint64_t i = 0; i < groups; ++i) {
        const std::string name = "qp" + std::to_string(i);
        const DrawnType& type = drawn_type(draw);
        const auto count = static_cast<std::uint32_t>(draw.percent(60) ? 1 : draw.between(2, 3));
        DrawnQp qp = draw_qp(draw, name, type, count);
        qp.wired = connects(type) && draw.percent(30);
        draw.qps.push_back(qp);
        if (qp.wired) {
            DrawnQp peer = draw_qp(draw, name + "_peer", type, count);
            peer.wired = true;
            draw.qps.push_back(peer);
            draw_connection(draw, name, peer.name);
        }
    }
}

}  // namespace

std::string_view drawn_send(Draw& draw, const DrawnQp& qp) {
    for (;;) {
        const std::string_view opcode = draw.one_of(qp.type->sends);
        if (draw.native || (opcode != "FLUSH" && opcode != "ATOMIC_WRITE")) {
            return opcode;
        }
    }
}

void draw_device(Draw& draw) {
    draw.sweeps = draw.percent(33);
    draw.native = draw.percent(60);
    draw.table("[device]");
    draw_overflow(draw);
    draw_path(draw);
    draw_times(draw);
    draw.word("event_arbiter.arm", draw.one_of({"edge", "level"}));
    draw.word("event_arbiter.solicited", draw.one_of({"break", "wait"}));
    draw.flag("event_arbiter.failed_sends_solicited", draw.percent(70));
    draw.table("[host_driver]");
    draw.word("stale", draw.sweeps ? "compact" : "none");
    draw.ns("interrupt_latency", draw.one_of<std::uint64_t>({0, 100, 1000}));
}

void draw_objects(Draw& draw) {
    draw_cqs(draw);
    draw_srqs(draw);
    draw_qps(draw);
}

void draw_traffic(Draw& draw) {
    for (const DrawnQp& qp : draw.qps) {
        const std::uint64_t streams = draw.between(1, 3);
        for (std::uint64_t i = 0; i < streams; ++i) {
            const bool sends =
                qp.wired || !qp.type->receives() || (!qp.type->shares() && draw.percent(60));
            std::ostringstream stream;
            stream << (sends ? "send" : "recv") << " = { rate = \""
                   << draw.one_of({"500 k/s", "1 M/s", "2 M/s", "5 M/s"}) << "\", opcode = \""
                   << (sends ? drawn_send(draw, qp) : draw.one_of(qp.type->messages))
                   << "\", bytes = " << draw.one_of<std::uint64_t>({0, 8, 64, 4096})
                   << ", count = " << draw.between(1, 25);
            if (!qp.wired) {
                stream << ", latency = \"" << draw.one_of<std::uint64_t>({0, 100, 1000, 3000})
                       << " ns\"";
            }
            stream << ", start = \"" << draw.between(0, 4000)
                   << " ns\", solicited_every = " << draw.one_of<std::uint64_t>({0, 0, 1, 3})
                   << ", order = \"" << draw.one_of({"in_turn", "shuffled"}) << "\" }\n";
            draw.table("[[traffic]]");
            draw.word("qp", qp.name);
            draw.raw(stream.str());
        }
    }
}

std::string drawn_scenario(std::uint64_t seed) {
    Draw draw(seed);
    draw.word("name", "drawn_" + std::to_string(seed));
    draw.word("about",
              "Drawn by the property test of whole runs, seed " + std::to_string(seed) + ".");
    draw.number("seed", seed);
    // Most runs come to rest; the others are cut off in the midst.
    const bool cut = draw.percent(25);
    draw.last_step_ns = cut ? 8'000 : 40'000;
    draw.ns("end", cut ? draw.between(12'000, 30'000) : 10'000'000);
    draw_device(draw);
    draw_objects(draw);
    draw_traffic(draw);
    draw_steps(draw);
    return draw.text();
}

}  // namespace cqsim::tb::test
