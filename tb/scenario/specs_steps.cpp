// SPDX-License-Identifier: Apache-2.0
// [[step]].
#include "tb/scenario/specs.h"
#include "tb/scenario/type_checks.h"

namespace cqsim::tb {
namespace {

constexpr std::int64_t kMaxPosted = 1'000'000;
// A posted receive has none of what the message brings that takes it.
constexpr const char* kOfSendPost = "do = \"post\" on the send queue";
constexpr const char* kOfFail = "do = \"fail\"";
constexpr const char* kOfWork = R"(do = "post" or "fail" of a QP)";
constexpr const char* kOfQp =
    R"(do = "post" unless it has an srq, "fail", "fault", "create_qp", "modify_qp", "destroy_qp" or "drain_qp")";
constexpr const char* kOfCounted =
    R"(do = "post", "poll", "iterate", "fill_slots", "read_eq" or "ack")";
constexpr const char* kAllWord = "all";

Words<StepKind> step_words() {
    Words<StepKind> words{
        {"post", StepKind::Post}, {"fail", StepKind::Fail}, {"modify_srq", StepKind::ModifySrq}};
    for (auto& word : qp_step_words()) {
        words.push_back(std::move(word));
    }
    for (auto& word : host_step_words()) {
        words.push_back(std::move(word));
    }
    for (auto& word : cq_step_words()) {
        words.push_back(std::move(word));
    }
    for (auto& word : wire_step_words()) {
        words.push_back(std::move(word));
    }
    return words;
}

Words<QueueKind> queue_words() {
    return {{std::string(name(QueueKind::Send)), QueueKind::Send},
            {std::string(name(QueueKind::Receive)), QueueKind::Receive}};
}

/// What can be the reason of a failure: a flushed request is a consequence (S2.19).
Words<WcStatus> cause_words() {
    Words<WcStatus> words;
    for (const std::string_view spelling : wc_status_names()) {
        const WcStatus status = *parse_wc_status(spelling);
        if (status != WcStatus::Success && status != WcStatus::WrFlushErr) {
            words.emplace_back(spelling, status);
        }
    }
    return words;
}

bool is_post(const StepEntry& step) {
    return step.kind == StepKind::Post;
}

bool is_send_post(const StepEntry& step) {
    return is_post(step) && step.queue == QueueKind::Send;
}

bool is_fail(const StepEntry& step) {
    return step.kind == StepKind::Fail;
}

bool is_work(const StepEntry& step) {
    return (is_post(step) && !step.srq) || is_fail(step);
}

/// Whether the count can be "all" that there is.
bool knows_all(const StepEntry& step) {
    return step.kind == StepKind::Poll || step.kind == StepKind::Iterate ||
           step.kind == StepKind::ReadEq || step.kind == StepKind::FillSlots;
}

bool is_counted(const StepEntry& step) {
    return is_post(step) || knows_all(step) || step.kind == StepKind::Ack;
}

Field<StepEntry> count_field() {
    const IntegerRange range{1, kMaxPosted};
    return leaf<StepEntry>(
               "count",
               "integer",
               range.text() + "; \"all\" but to post or ack",
               "Requests for each QP, entries or slots of each queue, or events.",
               &StepEntry::count,
               [range](const Node& node, ReadContext& context) -> std::optional<std::int64_t> {
                   if (node.type == Node::Type::String && node.text == kAllWord) {
                       return Step::kAll;
                   }
                   return read_integer(node, range, context);
               },
               [](std::uint32_t count, const Scenario&) {
                   return count == Step::kAll ? in_quotes(kAllWord) : std::to_string(count);
               })
        .only(kOfCounted, is_counted);
}

/// Shown only when it was said: without it the QP's signal_every decides.
Field<StepEntry> signaled() {
    Field<StepEntry> field;
    field.key = "signaled";
    field.type = "boolean";
    field.range = "true, false";
    field.doc = "Whether the sends ask for a completion.";
    field.read = [](StepEntry& step, const Node& node, ReadContext& context) {
        step.signaled = read_boolean(node, context);
    };
    field.write = [](const StepEntry& step, const Scenario&) -> std::optional<std::string> {
        if (!step.signaled) {
            return std::nullopt;
        }
        return *step.signaled ? "true" : "false";
    };
    return std::move(field)
        .standing_for("by the QP's signal_every")
        .only(kOfSendPost, is_send_post);
}

/// Written once for each step after expansion, so never written.
Field<StepEntry> only_read(Field<StepEntry> field, const char* standard) {
    field.write = nullptr;
    return std::move(field).standing_for(standard);
}

std::optional<std::string> write_target(const GroupRef& ref, const Scenario& scenario) {
    if (ref.group >= scenario.qp.size()) {
        return std::nullopt;
    }
    return in_quotes(ref_text(ref, scenario.qp[ref.group].name));
}

/// `do` decides what else belongs to the step, so it is read first.
bool read_kind_first(StepEntry& step, const Node& node, ReadContext& context) {
    for (const Field<StepEntry>& field : step_spec().fields) {
        if (field.key == "do") {
            const std::size_t before = context.errors.count();
            read_field(step_spec(), field, node, step, context);
            if (context.errors.count() != before) {
                return false;
            }
        }
        // A wrong word or name is reported when its turn comes.
        if (field.key == "srq" && is_post(step) && node.find("srq") != nullptr) {
            step.srq = GroupRef{};
        } else if (field.key == "queue" && is_post(step)) {
            const Node* queue = node.find("queue");
            step.queue = step.srq || (queue != nullptr && queue->text == name(QueueKind::Receive))
                             ? QueueKind::Receive
                             : QueueKind::Send;
        }
    }
    return true;
}

/// A step comes at a time or on a record.
void check_when(const Node& node, ReadContext& context) {
    const Node* at = node.find("at");
    const Node* on = node.find("on");
    const Node* every = node.find("every");
    if (at == nullptr && on == nullptr) {
        context.errors.add(
            node.where, "the step does not say when", R"(at = "1 us", or on = { ev = "overrun" })");
    } else if (at != nullptr && on != nullptr) {
        context.errors.add(on->key_where, "the step has both at and on", "write two [[step]]");
    } else if (on != nullptr && every != nullptr) {
        context.errors.add(every->key_where, "every goes with at, not with on", "leave it out");
    }
}

void check_step(StepEntry& step, const Node& node, ReadContext& context) {
    check_before_end(step.at, "at", node, context);
    check_qp_step(step, node, context);
    check_cq_step(step, node, context);
    check_srq_step(step, node, context);
    check_wire_step(step, node, context);
    check_when(node, context);
    check_step_type(step, node, context);
    if (step.count == Step::kAll && !knows_all(step)) {
        context.errors.add(node.find("count")->where,
                           "count = \"all\" is not for this do",
                           R"(a number, or do = "poll", "iterate", "fill_slots" or "read_eq")");
    }
    const Node* every = node.find("every");
    const Node* times = node.find("times");
    if ((every != nullptr) != (times != nullptr)) {
        const Node* said = every != nullptr ? every : times;
        context.errors.add(said->key_where,
                           "key \"" + said->key + "\" stands alone",
                           "every and times go together");
    } else if (every != nullptr && step.every.ps != 0 && !context.errors.has_at(times->where)) {
        // Products stay far below 2^64: times <= 10^5, every <= 10^15 ps.
        const TimePs last = step.at + step.every * (step.times - 1);
        const TimePs end = context.scenario.end;
        if (end.ps != 0 && step.at < end && last >= end) {
            context.errors.add(times->where,
                               "the last of times = " + std::to_string(step.times) + " is at " +
                                   format_duration(last) + ", not before the end of the scenario",
                               "it ends at " + format_duration(end));
        }
    }
}

std::vector<Field<StepEntry>> timing_fields() {
    using T = StepEntry;
    std::vector<Field<T>> fields;
    Field<T> at =
        duration<T>("at", &T::at, {{}, kMaxTime}, "When; steps of one time go in file order.")
            .standing_for("none");
    at.write = [write = at.write](const T& step, const Scenario& scenario) {
        return step.on ? std::nullopt : write(step, scenario);
    };
    fields.push_back(std::move(at));
    fields.push_back(on_field());
    fields.push_back(choice<T>("do", &T::kind, step_words(), "What happens.").required());
    fields.push_back(only_read(
        duration<T>(
            "every", &T::every, {{1}, kMaxTime}, "Repeat so long after the last; goes with times."),
        "none"));
    fields.push_back(only_read(integer<T>("times",
                                          &T::times,
                                          {1, static_cast<std::int64_t>(kMaxSteps)},
                                          "How many in all; goes with every."),
                               "1"));
    return fields;
}

Field<StepEntry> target_field() {
    return leaf<StepEntry>("qp",
                           "QP name or member",
                           "NAME or NAME[i]",
                           "Which QP; a group means each QP of it.",
                           &StepEntry::qp,
                           read_qp_ref,
                           [](const GroupRef& ref, const Scenario& scenario) {
                               return write_target(ref, scenario).value_or("");
                           })
        .required()
        .only(kOfQp, [](const StepEntry& step) {
            return is_work(step) || is_qp_command(step) || is_wire_step(step);
        });
}

void add_post_fields(std::vector<Field<StepEntry>>& fields) {
    using T = StepEntry;
    fields.push_back(count_field());
    fields.push_back(choice<T>("opcode", &T::opcode, wr_opcode_words(), "Of each work request.")
                         .ranged("a work request opcode")
                         .only(kOfSendPost, is_send_post));
    fields.push_back(integer<T>("bytes", &T::bytes, {0, kMaxMessageBytes}, "Message length.")
                         .only(kOfSendPost, is_send_post));
    fields.push_back(signaled());
    fields.push_back(boolean<T>("solicited", &T::solicited, "Whether the messages are solicited.")
                         .only(kOfSendPost, is_send_post));
    Field<T> latency =
        duration<T>("latency", &T::latency, {{}, kSecond}, "From post to end in hardware.")
            .only(kOfSendPost, is_send_post);
    latency.write = [write = latency.write](const T& step, const Scenario& scenario) {
        return connected(scenario, step.qp) == Coverage::All ? std::nullopt : write(step, scenario);
    };
    fields.push_back(std::move(latency));
}

void add_fail_fields(std::vector<Field<StepEntry>>& fields) {
    using T = StepEntry;
    fields.push_back(choice<T>("status",
                               &T::status,
                               cause_words(),
                               "What the oldest outstanding request of the queue ends with.")
                         .ranged("a status but SUCCESS and WR_FLUSH_ERR")
                         .required()
                         .only(kOfFail, is_fail));
    fields.push_back(
        integer<T>("vendor_err", &T::vendor_err, {0, UINT32_MAX}, "The vendor's syndrome (S1.12).")
            .only(kOfFail, is_fail));
}

}  // namespace

const Spec<StepEntry>& step_spec() {
    static const Spec<StepEntry> spec = [] {
        Spec<StepEntry> s;
        s.section = "[[step]]";
        s.fields = timing_fields();
        s.fields.push_back(target_field());
        add_srq_fields(s.fields);
        s.fields.push_back(
            choice<StepEntry>(
                "queue", &StepEntry::queue, queue_words(), "Which work queue of the QP.")
                .only(kOfWork, is_work));
        add_post_fields(s.fields);
        add_fail_fields(s.fields);
        add_qp_fields(s.fields);
        add_wire_fields(s.fields);
        add_host_fields(s.fields);
        add_cq_fields(s.fields);
        s.prepare = read_kind_first;
        s.check = check_step;
        return s;
    }();
    return spec;
}

}  // namespace cqsim::tb
