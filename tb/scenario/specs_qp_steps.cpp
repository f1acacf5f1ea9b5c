// SPDX-License-Identifier: Apache-2.0
// [[step]]: the commands of software on QPs.
#include "tb/scenario/specs.h"

namespace cqsim::tb {
namespace {

constexpr const char* kOfState = R"(do = "modify_qp" or "create_qp")";
constexpr const char* kOfModify = "do = \"modify_qp\"";

bool is_modify(const StepEntry& step) {
    return step.kind == StepKind::ModifyQp;
}

bool has_state(const StepEntry& step) {
    return is_modify(step) || step.kind == StepKind::CreateQp;
}

Words<QpState> state_words() {
    Words<QpState> words;
    for (std::uint8_t state = 0; state <= static_cast<std::uint8_t>(QpState::Err); ++state) {
        words.emplace_back(name(static_cast<QpState>(state)), static_cast<QpState>(state));
    }
    return words;
}

}  // namespace

bool is_qp_command(const StepEntry& step) {
    return has_state(step) || step.kind == StepKind::DestroyQp || step.kind == StepKind::DrainQp;
}

Words<StepKind> qp_step_words() {
    return {{"modify_qp", StepKind::ModifyQp},
            {"destroy_qp", StepKind::DestroyQp},
            {"create_qp", StepKind::CreateQp},
            {"drain_qp", StepKind::DrainQp}};
}

void add_qp_fields(std::vector<Field<StepEntry>>& fields) {
    using T = StepEntry;
    fields.push_back(choice<T>("state",
                               &T::state,
                               state_words(),
                               "The state that is asked for; or up to which a new QP is brought.")
                         .only(kOfState, has_state));
    fields.push_back(
        boolean<T>("sqd_notify", &T::sqd_notify, "To SQD: SQ_DRAINED when it is drained (S2.23).")
            .only(kOfModify, is_modify));
}

/// A new QP is brought up, no further; only a step to SQD has a queue that drains.
void check_qp_step(const StepEntry& step, const Node& node, ReadContext& context) {
    const Node* state = node.find("state");
    const Node* notify = node.find("sqd_notify");
    if (step.kind == StepKind::CreateQp && state != nullptr && step.state > QpState::Rts) {
        context.errors.add(state->where,
                           "a QP is not created in " + std::string(name(step.state)),
                           "RESET, INIT, RTR or RTS");
    }
    if (is_modify(step) && notify != nullptr && step.state != QpState::Sqd) {
        context.errors.add(
            notify->key_where, R"(key "sqd_notify" belongs to state = "SQD")", "leave it out");
    }
}

}  // namespace cqsim::tb
