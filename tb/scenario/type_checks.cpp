// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/type_checks.h"

#include "models/qp/qp_capability.h"

namespace cqsim::tb {
namespace {

/// The QP group that the key `qp` of a table names; none if that was not understood.
const QpGroup* group_of(std::uint32_t group, const Node& table, const ReadContext& context) {
    const Node* said = table.find("qp");
    if (said == nullptr || context.errors.has_at(said->where) ||
        group >= context.scenario.qp.size()) {
        return nullptr;
    }
    return &context.scenario.qp[group];
}

template <class Fits>
std::string opcodes_that(const Fits& fits) {
    std::string list;
    for (const std::string_view spelling : wr_opcode_names()) {
        if (fits(*parse_wr_opcode(spelling))) {
            list += (list.empty() ? "" : ", ") + std::string(spelling);
        }
    }
    return list;
}

std::string statuses_that_end(const QpGroup& group, QueueKind queue) {
    std::string list;
    for (const std::string_view spelling : wc_status_names()) {
        const WcStatus status = *parse_wc_status(spelling);
        if (status != WcStatus::Success && status != WcStatus::WrFlushErr &&
            may_end(group.type, queue, status, group.srq.has_value())) {
            list += (list.empty() ? "" : ", ") + std::string(spelling);
        }
    }
    return list;
}

/// Refuses a queue that the QPs do not have. \returns whether they have it, or an SRQ in its place.
bool check_queue(const QpGroup& group, QueueKind queue, const Node& at, ReadContext& context) {
    const QpType type = group.type;
    if (has_queue(type, queue) ||
        (type == QpType::XrcRecv && queue == QueueKind::Receive && group.srq)) {
        return true;
    }
    const bool sends = queue == QueueKind::Send;
    if (sends || type != QpType::XrcRecv) {  // else its [[qp]] must say an SRQ, and hears of it
        context.errors.add(
            at.where,
            "a QP of type " + std::string(name(type)) + " has no " + (sends ? "send" : "receive") +
                " queue (S1.18)",
            std::string("the ") + (sends ? "recv" : "send") + " side, or a QP of another type");
    }
    return false;
}

/// Refuses an opcode that QPs of the type do not have, or that the format has no number for.
void check_opcode_of(
    QpType type, QueueKind queue, WrOpcode opcode, const Node& table, ReadContext& context) {
    const Node* said = table.find("opcode");
    if (said == nullptr || context.errors.has_at(said->where)) {
        return;
    }
    const auto fits = [type, queue](WrOpcode candidate) {
        return queue == QueueKind::Send ? may_post(type, candidate) : may_receive(type, candidate);
    };
    const bool no_number = opcode == WrOpcode::Flush || opcode == WrOpcode::AtomicWrite;
    if (!fits(opcode)) {
        context.errors.add(said->where,
                           "a QP of type " + std::string(name(type)) +
                               (queue == QueueKind::Send ? " posts no " : " gets no ") +
                               std::string(name(opcode)) + " (S1.17)",
                           "one of " + opcodes_that(fits));
    } else if (no_number && context.scenario.cqe_format != CqeFormat::Native) {
        context.errors.add(said->where,
                           "entries of mlx5 have no number for " + std::string(name(opcode)),
                           R"(cqe_format = "native", or another opcode)");
    }
}

void check_side(const QpGroup& group,
                const std::optional<Traffic>& side,
                const char* key,
                const Node& table,
                ReadContext& context) {
    const Node* node = table.find(key);
    if (side && node != nullptr && check_queue(group, side->queue, *node, context)) {
        check_opcode_of(group.type, side->queue, side->opcode, *node, context);
    }
}

/// S7.6: the marker of the send queue is an RDMA WRITE.
void check_drain(const StepEntry& step, const Node& node, ReadContext& context) {
    const QpGroup* group = group_of(step.qp.group, node, context);
    if (group != nullptr && !may_post(group->type, WrOpcode::RdmaWrite)) {
        context.errors.add(node.find("qp")->where,
                           "a QP of type " + std::string(name(group->type)) +
                               " is not drained by markers: it posts no RDMA_WRITE (S7.6)",
                           R"(do = "modify_qp" to ERR, and polls until nothing is left)");
    }
}

}  // namespace

void check_traffic_type(const TrafficEntry& entry, const Node& node, ReadContext& context) {
    if (const QpGroup* group = group_of(entry.qp, node, context)) {
        check_side(*group, entry.send, "send", node, context);
        check_side(*group, entry.recv, "recv", node, context);
    }
}

void check_step_type(const StepEntry& step, const Node& node, ReadContext& context) {
    const bool posts = step.kind == StepKind::Post;
    if (step.kind == StepKind::DrainQp) {
        check_drain(step, node, context);
        return;
    }
    if (!posts && step.kind != StepKind::Fail) {
        return;
    }
    const QpGroup* group = group_of(step.qp.group, node, context);
    const Node* queue = node.find("queue");
    const Node* status = node.find("status");
    if (group == nullptr || (queue != nullptr && context.errors.has_at(queue->where)) ||
        !check_queue(*group, step.queue, queue != nullptr ? *queue : node, context)) {
        return;
    }
    if (posts && step.queue == QueueKind::Send) {
        check_opcode_of(group->type, step.queue, step.opcode, node, context);
    } else if (!posts && status != nullptr && !context.errors.has_at(status->where) &&
               !may_end(group->type, step.queue, step.status, group->srq.has_value())) {
        context.errors.add(status->where,
                           "no " + std::string(name(step.queue)) + " request of a QP of type " +
                               std::string(name(group->type)) + " ends with " +
                               std::string(name(step.status)) + " (S1.2)",
                           "one of " + statuses_that_end(*group, step.queue));
    }
}

}  // namespace cqsim::tb
