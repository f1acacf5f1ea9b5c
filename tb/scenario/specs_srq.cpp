// SPDX-License-Identifier: Apache-2.0
// [[srq]], and [[step]]: what software does with SRQs.
#include "tb/scenario/specs.h"

namespace cqsim::tb {
namespace {

constexpr std::int64_t kMaxSrqs = 65535;
constexpr std::int64_t kMaxSrqDepth = 32768;
constexpr const char* kOfSrq = R"(do = "post" in place of qp, or "modify_srq")";
constexpr const char* kOfModifySrq = "do = \"modify_srq\"";

/// It would be passed by every message.
void check_limit(std::uint32_t limit,
                 const SrqGroup& group,
                 const Node& table,
                 ReadContext& context) {
    const Node* node = table.find("limit");
    if (node != nullptr && limit > group.depth) {
        context.errors.add(node->where,
                           "a limit of " + node->text + ", but the SRQ holds no more than " +
                               std::to_string(group.depth),
                           "at most the depth");
    }
}

/// Shown only when it was said.
Field<SrqGroup> cq_of_srq() {
    Field<SrqGroup> field;
    field.key = "cq";
    field.type = "CQ name";
    field.doc =
        "Where XRC_RECV QPs report what they take (S2.11); SRQ i of the group to CQ i mod count.";
    field.read = [](SrqGroup& srq, const Node& node, ReadContext& context) {
        srq.cq = read_cq_group(node, context);
    };
    field.write = [](const SrqGroup& srq, const Scenario& scenario) -> std::optional<std::string> {
        return srq.cq ? std::optional<std::string>(in_quotes(scenario.cq.at(*srq.cq).name))
                      : std::nullopt;
    };
    return std::move(field).standing_for("none: no XRC_RECV QP is on it");
}

}  // namespace

const Spec<SrqGroup>& srq_spec() {
    using T = SrqGroup;
    static const Spec<T> spec{
        "[[srq]]",
        {},
        {
            group_name<T>(&T::name, "Of the SRQ, or of the group.").required(),
            integer<T>(
                "count", &T::count, {1, kMaxSrqs}, "SRQs in the group; a member is NAME[i]."),
            integer<T>("depth", &T::depth, {1, kMaxSrqDepth}, "Requests that it holds.").required(),
            integer<T>("limit",
                       &T::limit,
                       {0, kMaxSrqDepth},
                       "SRQ_LIMIT_REACHED once when a message leaves fewer (S5.9); 0: none."),
            boolean<T>("kept_full",
                       &T::kept_full,
                       "Software fills it when the run begins, and each slot that comes back."),
            cq_of_srq(),
        },
        {},
        [](T& group, const Node& node, ReadContext& context) {
            check_limit(group.limit, group, node, context);
        }};
    return spec;
}

/// Shown only when it was said.
Field<QpGroup> srq_of_qp() {
    Field<QpGroup> field;
    field.key = "srq";
    field.type = "SRQ name";
    field.doc = "Whose requests messages take; QP i of the group takes those of SRQ i mod count.";
    field.read = [](QpGroup& qp, const Node& node, ReadContext& context) {
        qp.srq = read_srq_group(node, context);
    };
    field.write = [](const QpGroup& qp, const Scenario& scenario) -> std::optional<std::string> {
        return qp.srq ? std::optional<std::string>(in_quotes(scenario.srq.at(*qp.srq).name))
                      : std::nullopt;
    };
    return std::move(field).standing_for("none: a receive queue of its own");
}

void add_srq_fields(std::vector<Field<StepEntry>>& fields) {
    using T = StepEntry;
    Field<T> target;
    target.key = "srq";
    target.type = "SRQ name or member";
    target.range = "NAME or NAME[i]";
    target.doc = "Which SRQ; a group means each of it.";
    target.read = [](T& step, const Node& node, ReadContext& context) {
        step.srq = read_srq_ref(node, context);
    };
    target.write = [](const T& step, const Scenario& scenario) -> std::optional<std::string> {
        return step.srq ? std::optional<std::string>(
                              in_quotes(ref_text(*step.srq, scenario.srq.at(step.srq->group).name)))
                        : std::nullopt;
    };
    fields.push_back(std::move(target).standing_for("none").only(kOfSrq, [](const T& step) {
        return step.kind == StepKind::Post || step.kind == StepKind::ModifySrq;
    }));
    fields.push_back(
        integer<T>(
            "limit", &T::limit, {0, kMaxSrqDepth}, "The limit that is armed (S5.9); 0: none.")
            .required()
            .only(kOfModifySrq, [](const T& step) { return step.kind == StepKind::ModifySrq; }));
}

void check_srq_step(const StepEntry& step, const Node& node, ReadContext& context) {
    if (step.kind == StepKind::ModifySrq && node.find("srq") == nullptr) {
        context.errors.add(node.where,
                           "key \"srq\" is missing in [[step]]",
                           "SRQ name or member, NAME or NAME[i]");
    }
    if (step.kind == StepKind::ModifySrq && step.srq &&
        step.srq->group < context.scenario.srq.size()) {
        check_limit(step.limit, context.scenario.srq[step.srq->group], node, context);
    }
    const Node* receives = node.find("queue");
    if (step.kind == StepKind::Post && !step.srq && receives != nullptr &&
        step.queue == QueueKind::Receive && step.qp.group < context.scenario.qp.size() &&
        context.scenario.qp[step.qp.group].srq) {
        context.errors.add(
            receives->where,
            "the QP takes its receive requests of an SRQ (S2.11)",
            "post to it: srq = " +
                in_quotes(context.scenario.srq[*context.scenario.qp[step.qp.group].srq].name) +
                " in place of qp");
    }
}

}  // namespace cqsim::tb
