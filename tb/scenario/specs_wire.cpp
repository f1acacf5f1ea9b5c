// SPDX-License-Identifier: Apache-2.0
// [[connection]], and the steps that disturb one.
#include "tb/scenario/specs.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr const char* kOfFault = "do = \"fault\"";
constexpr std::uint32_t kMaxMessages = 1'000'000'000;
constexpr const char* kEachTime = "all";

bool is_fault(const StepEntry& step) {
    return step.kind == StepKind::Fault;
}

Field<Connection> end_field(const char* key, GroupRef Connection::*member, const char* doc) {
    return leaf<Connection>(key,
                            "QP name or member",
                            "NAME or NAME[i]",
                            doc,
                            member,
                            read_qp_ref,
                            [](const GroupRef& ref, const Scenario& scenario) {
                                return in_quotes(ref_text(ref, scenario.qp.at(ref.group).name));
                            })
        .required();
}

Words<Fault> fault_words() {
    Words<Fault> words;
    for (std::uint32_t i = 1; i < kFaults; ++i) {
        const auto fault = static_cast<Fault>(i);
        words.emplace_back(name(fault), fault);
    }
    return words;
}

bool is_of_packets(const StepEntry& step) {
    return is_fault(step) && (step.fault == Fault::Drop || step.fault == Fault::DropAck);
}

Field<StepEntry> hits_field() {
    const IntegerRange range{1, kMaxMessages};
    return leaf<StepEntry>(
               "hits",
               "integer",
               range.text() + R"(, or "all")",
               "Of drop and drop_ack: how many transmissions of the message, or answers to it, are "
               "lost.",
               &StepEntry::hits,
               [range](const Node& node, ReadContext& context) -> std::optional<std::int64_t> {
                   if (node.type == Node::Type::String && node.text == kEachTime) {
                       return kEveryTime;
                   }
                   return read_integer(node, range, context);
               },
               [](std::uint32_t hits, const Scenario&) {
                   return hits == kEveryTime ? in_quotes(kEachTime) : std::to_string(hits);
               })
        .only("do = \"fault\" of drop or drop_ack", is_of_packets);
}

std::uint32_t members(const GroupRef& ref, const Scenario& scenario) {
    return ref.member ? 1 : scenario.qp[ref.group].count;
}

/// One member or all of a group.
bool overlap(const GroupRef& l, const GroupRef& r) {
    return l.group == r.group && (!l.member || !r.member || *l.member == *r.member);
}

/// "drop, rkey": what can hit messages of this type.
std::string faults_of(QpType type) {
    std::string faults;
    for (const auto& [word, fault] : fault_words()) {
        if (can_hit(fault, type)) {
            faults += (faults.empty() ? "" : ", ") + std::string(word);
        }
    }
    return faults;
}

void check_fault(const StepEntry& step, const Node& node, ReadContext& context) {
    const Node* fault = node.find("fault");
    const QpType type = context.scenario.qp[step.qp.group].type;
    if (fault != nullptr && !context.errors.has_at(fault->where) && !can_hit(step.fault, type)) {
        context.errors.add(fault->where,
                           "no message of a QP of type " + std::string(name(type)) +
                               " can be hit by " + in_quotes(name(step.fault)),
                           "one of " + faults_of(type));
    }
}

/// The receive queues of one group are full when the run begins, or are not: those of each of its
/// members.
void check_fill(const Connection& added,
                const Connection& other,
                const Node& node,
                ReadContext& context) {
    const Node* fill = node.find("fill");
    const auto shares = [&](const GroupRef& end) {
        return end.group == other.a.group || end.group == other.b.group;
    };
    if (added.fill != other.fill && (shares(added.a) || shares(added.b))) {
        context.errors.add(fill != nullptr ? fill->where : node.where,
                           "fill differs from that of another connection of the same group",
                           "one fill for all members of a group; or two groups");
    }
}

}  // namespace

Coverage connected(const Scenario& scenario, const GroupRef& ref) {
    std::uint32_t count = 0;
    for (const Connection& connection : scenario.connection) {
        for (const GroupRef& end : {connection.a, connection.b}) {
            if (overlap(end, ref)) {
                count += end.member ? 1 : members(ref, scenario);
            }
        }
    }
    return count == 0                        ? Coverage::None
           : count >= members(ref, scenario) ? Coverage::All
                                             : Coverage::Some;
}

Words<StepKind> wire_step_words() {
    return {{"fault", StepKind::Fault}};
}

bool is_wire_step(const StepEntry& step) {
    return is_fault(step);
}

void add_wire_fields(std::vector<Field<StepEntry>>& fields) {
    using T = StepEntry;
    fields.push_back(
        choice<T>("fault", &T::fault, fault_words(), "What hits a message that the QP sends.")
            .required()
            .only(kOfFault, is_fault));
    fields.push_back(integer<T>("message",
                                &T::message,
                                {1, kMaxMessages},
                                "Which of the messages from now on that it can hit.")
                         .only(kOfFault, is_fault));
    fields.push_back(hits_field());
}

void check_wire_step(const StepEntry& step, const Node& node, ReadContext& context) {
    const Node* qp = node.find("qp");
    if (qp == nullptr || context.errors.has_at(qp->where)) {
        return;
    }
    const Coverage coverage = connected(context.scenario, step.qp);
    const Node* latency = node.find("latency");
    if (is_fault(step) && coverage != Coverage::All) {
        context.errors.add(
            qp->where, "the QP " + in_quotes(qp->text) + " is not connected", "a [[connection]]");
    } else if (is_fault(step)) {
        check_fault(step, node, context);
    } else if (step.kind == StepKind::Fail && coverage != Coverage::None) {
        context.errors.add(qp->where,
                           "the QP " + in_quotes(qp->text) +
                               " is connected: its requests fail when its peer or the wire fails",
                           R"(do = "fault")");
    } else if (step.kind == StepKind::Post && latency != nullptr && coverage == Coverage::All) {
        context.errors.add(latency->key_where,
                           "latency: the QP is connected, and its requests end with their answers",
                           "leave it out; the [[connection]] has a latency");
    }
}

void check_wire_traffic(const TrafficEntry& entry, const Node& node, ReadContext& context) {
    const Node* send = node.find("send");
    const Node* latency = send == nullptr ? nullptr : send->find("latency");
    const Node* recv = node.find("recv");
    const Coverage coverage = connected(context.scenario, {entry.qp, std::nullopt});
    if (recv != nullptr && coverage != Coverage::None) {
        context.errors.add(recv->key_where,
                           "recv: QPs of this group are connected, and messages come from their "
                           "peers",
                           "leave it out");
    }
    if (latency != nullptr && coverage == Coverage::All) {
        context.errors.add(latency->key_where,
                           "latency: the QPs are connected, and requests end with their answers",
                           "leave it out; the [[connection]] has a latency");
    }
}

void check_connection(const Connection& added, const Node& node, ReadContext& context) {
    const Scenario& scenario = context.scenario;
    const Node* a = node.find("a");
    const Node* b = node.find("b");
    if (a == nullptr || b == nullptr || context.errors.has_at(a->where) ||
        context.errors.has_at(b->where)) {
        return;
    }
    if (overlap(added.a, added.b)) {
        context.errors.add(b->where, "a QP is its own peer", "two groups, or two members");
        return;
    }
    if (members(added.a, scenario) != members(added.b, scenario)) {
        context.errors.add(
            b->where,
            in_quotes(a->text) + " has " + std::to_string(members(added.a, scenario)) + " QPs, " +
                in_quotes(b->text) + " has " + std::to_string(members(added.b, scenario)),
            "as many: member i is connected to member i");
    }
    if (scenario.qp[added.a.group].type != scenario.qp[added.b.group].type) {
        context.errors.add(b->where, "QPs of two types are connected", "one type for both");
    }
    const QpType type = scenario.qp[added.a.group].type;
    if (type != QpType::Rc && type != QpType::Uc && type != QpType::Ud) {
        context.errors.add(a->where,
                           "QPs of type " + std::string(name(type)) + " are not connected here",
                           "RC, UC or UD");
    }
    for (const Connection& other : scenario.connection) {
        check_fill(added, other, node, context);
        for (const auto& [end, said] : {std::pair{added.a, a}, std::pair{added.b, b}}) {
            if (overlap(other.a, end) || overlap(other.b, end)) {
                context.errors.add(said->where,
                                   "the QP " + in_quotes(said->text) + " is connected before",
                                   "one connection for each QP");
            }
        }
    }
}

const Spec<Connection>& connection_spec() {
    using T = Connection;
    static const Spec<T> spec{
        "[[connection]]",
        {},
        {
            end_field("a", &T::a, "A QP, or a group of QPs."),
            end_field("b", &T::b, "Its peer; of two groups member i is connected to member i."),
            duration<T>("latency", &T::latency, {from_ns(1), kSecond}, "Of a packet, one way."),
            duration<T>("service",
                        &T::service,
                        {from_ns(1), kSecond},
                        "A QP puts one message on the wire in so long."),
            duration<T>("timeout",
                        &T::timeout,
                        {from_ns(1), kSecond},
                        "Without progress for so long, what is outstanding is sent again."),
            integer<T>("retry_cnt",
                       &T::retry_cnt,
                       {0, 7},
                       "Without progress so often, then RETRY_EXC_ERR (S2.8 A)."),
            duration<T>("rnr_timer",
                        &T::rnr_timer,
                        {from_ns(1), kSecond},
                        "How long the sender waits when no receive request was there."),
            integer<T>("rnr_retry",
                       &T::rnr_retry,
                       {0, 7},
                       "So often, then RNR_RETRY_EXC_ERR; 7: for ever."),
            integer<T>("ack_every",
                       &T::ack_every,
                       {1, 65535},
                       "So many messages are acknowledged together (S2.7)."),
            duration<T>("ack_delay",
                        &T::ack_delay,
                        {from_ns(1), kSecond},
                        "Fewer of them, so long after the first."),
            boolean<T>("fill", &T::fill, "The receive queues are full when the run begins."),
        },
        {},
        {}};
    return spec;
}

}  // namespace cqsim::tb
