// SPDX-License-Identifier: Apache-2.0
// [[qp]], [[traffic]].
#include "tb/scenario/specs.h"
#include "tb/scenario/type_checks.h"

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kMaxQueueDepth = 32768;
constexpr std::uint32_t kMaxEvery = 65535;

/// Requests of connected QPs have none.
Field<Traffic> latency_field() {
    Field<Traffic> field =
        duration<Traffic>("latency",
                          &Traffic::latency,
                          {{}, kSecond},
                          "Send: post to end in hardware. Recv: first packet to end.");
    field.write = [write = field.write](const Traffic& traffic, const Scenario& scenario) {
        return connected(scenario, {traffic.qp, std::nullopt}) == Coverage::All
                   ? std::nullopt
                   : write(traffic, scenario);
    };
    return field;
}

const Spec<Traffic>& side_spec() {
    using T = Traffic;
    static const Spec<T> spec = [] {
        Spec<T> s;
        s.section = "[[traffic]] send, recv";
        s.fresh.latency = kMicrosecond;
        s.fields = {
            rate<T>("rate", &T::period, "Requests or messages a second of each QP.").required(),
            choice<T>("opcode", &T::opcode, wr_opcode_words(), "Of each work request.")
                .ranged("a work request opcode"),
            integer<T>("bytes", &T::bytes, {0, kMaxMessageBytes}, "Length of the message."),
            integer<T>("count",
                       &T::count,
                       {0, 1'000'000'000'000},
                       "How many for each QP; 0: until the end."),
            latency_field(),
            duration<T>("start", &T::start, {{}, kMaxTime}, "Nothing before."),
            integer<T>("solicited_every",
                       &T::solicited_every,
                       {0, kMaxEvery},
                       "Every k-th is solicited; 0: none."),
            choice<T, bool>("order",
                            &T::shuffled,
                            {{"in_turn", false}, {"shuffled", true}},
                            "Order of the QPs of the group; shuffled: seeded random."),
        };
        s.check = [](T& traffic, const Node& node, ReadContext& context) {
            check_opcode(traffic.queue, traffic.opcode, node, context);
            check_before_end(traffic.start, "start", node, context);
        };
        return s;
    }();
    return spec;
}

Field<TrafficEntry> side(const char* key,
                         std::optional<Traffic> TrafficEntry::*member,
                         QueueKind queue,
                         const char* doc) {
    Field<TrafficEntry> field;
    field.key = key;
    field.type = "table";
    field.standard = "none";
    field.doc = doc;
    field.read = [member, queue](TrafficEntry& entry, const Node& node, ReadContext& context) {
        Traffic traffic = side_spec().fresh;
        traffic.queue = queue;
        read_table(side_spec(), node, traffic, context);
        entry.*member = traffic;
    };
    field.write_tables = [member](const TrafficEntry& entry,
                                  const Scenario& scenario,
                                  const std::string& path,
                                  std::string& out) {
        if (entry.*member) {
            out += "\n[" + path + "]\n";
            write_table(side_spec(), *(entry.*member), scenario, path, out);
        }
    };
    field.list_children = [](const std::string& path, std::vector<KeyInfo>& keys) {
        list_keys(side_spec(), path, keys);
    };
    return field;
}

Words<QpType> qp_type_words() {
    Words<QpType> words;
    words.reserve(kQpTypes.size());
    for (const QpType type : kQpTypes) {
        words.emplace_back(name(type), type);
    }
    return words;
}

/// Shown only when it was said. Whether it is free is known when all groups are read.
Field<QpGroup> first_qpn() {
    const IntegerRange range{0, kMaxIds - 1};
    Field<QpGroup> field;
    field.key = "first_qpn";
    field.type = "integer";
    field.range = range.text();
    field.doc = "Number of member 0, the others follow; not below that of a group before.";
    field.read = [range](QpGroup& group, const Node& node, ReadContext& context) {
        if (const auto number = read_integer(node, range, context)) {
            group.first_qpn = static_cast<std::uint32_t>(*number);
        }
    };
    field.write = [](const QpGroup& group, const Scenario&) -> std::optional<std::string> {
        return group.first_qpn ? std::optional<std::string>(std::to_string(*group.first_qpn))
                               : std::nullopt;
    };
    return std::move(field).standing_for("the next free one");
}

}  // namespace

Words<WrOpcode> wr_opcode_words() {
    Words<WrOpcode> words;
    for (const std::string_view spelling : wr_opcode_names()) {
        words.emplace_back(spelling, *parse_wr_opcode(spelling));
    }
    return words;
}

void check_opcode(QueueKind queue, WrOpcode opcode, const Node& table, ReadContext& context) {
    const Node* node = table.find("opcode");
    if (queue == QueueKind::Receive && node != nullptr && !responder_opcode(opcode)) {
        context.errors.add(
            node->where,
            "a message of opcode " + std::string(name(opcode)) + " consumes no receive (S2.10)",
            "SEND, SEND_WITH_IMM, SEND_WITH_INV or RDMA_WRITE_WITH_IMM");
    }
}

void check_before_end(TimePs at, const char* key, const Node& table, ReadContext& context) {
    const Node* node = table.find(key);
    const TimePs end = context.scenario.end;
    if (node != nullptr && end.ps != 0 && at >= end && !context.errors.has_at(node->where)) {
        context.errors.add(node->where,
                           std::string(key) + " = " + in_quotes(format_duration(at)) +
                               " is not before the end of the scenario",
                           "it ends at " + format_duration(end));
    }
}

const Spec<QpGroup>& qp_spec() {
    using T = QpGroup;
    static const Spec<T> spec{
        "[[qp]]",
        {},
        {
            group_name<T>(&T::name, "Of the QP, or of the group.").required(),
            integer<T>("count", &T::count, {1, kMaxIds}, "QPs in the group; a member is NAME[i]."),
            cq_group<T>("send_cq",
                        &T::send_cq,
                        "Where sends report; QP i of the group reports to CQ i mod count.")
                .required(),
            cq_group<T>("recv_cq", &T::recv_cq, "Where receives report; likewise.").required(),
            integer<T>("send_depth",
                       &T::send_depth,
                       {1, kMaxQueueDepth},
                       "Requests that the send queue holds."),
            integer<T>("recv_depth",
                       &T::recv_depth,
                       {1, kMaxQueueDepth},
                       "Requests that the receive queue holds."),
            integer<T>("signal_every",
                       &T::signal_every,
                       {1, kMaxEvery},
                       "Every k-th send asks for a completion."),
            choice<T, SignalPolicy>(
                "signal_policy",
                &T::signal_policy,
                {{"every_kth", SignalPolicy::EveryKth}, {"safe", SignalPolicy::Safe}},
                "Which others do: none, or as many as the queue needs (S2.6)."),
            boolean<T>("sq_sig_all", &T::sq_sig_all, "Every send asks for a completion (S2.1)."),
            choice<T>("type", &T::type, qp_type_words(), "The transport service (S1.18)."),
            srq_of_qp(),
            first_qpn(),
        },
        {},
        {}};
    return spec;
}

const Spec<TrafficEntry>& traffic_spec() {
    using T = TrafficEntry;
    static const Spec<T> spec{
        "[[traffic]]",
        {},
        {
            qp_group<T>("qp", &T::qp, "The group; each of its QPs gets this traffic.").required(),
            side("send", &T::send, QueueKind::Send, "Send requests that are posted."),
            side("recv",
                 &T::recv,
                 QueueKind::Receive,
                 "Messages that arrive; the receive queues are kept filled."),
        },
        {},
        [](T& entry, const Node& node, ReadContext& context) {
            const bool nothing_else =
                node.children.size() == (node.find("qp") != nullptr ? 1U : 0U);
            if (!entry.send && !entry.recv && nothing_else) {
                context.errors.add(node.where,
                                   "[[traffic]] has neither send nor recv",
                                   "e.g. send = { rate = \"1 M/s\" }");
            }
            check_traffic_type(entry, node, context);
        }};
    return spec;
}

}  // namespace cqsim::tb
