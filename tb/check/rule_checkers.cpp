// SPDX-License-Identifier: Apache-2.0
#include "tb/check/rule_checkers.h"

#include <algorithm>
#include <stdexcept>

namespace cqsim::tb::check {
namespace {

// Rows that caches hold anyway.
constexpr std::size_t kNear = 1024;

constexpr std::uint32_t kMaxIndexWidth = 32;

const Settings& validated(const Settings& settings) {
    if (settings.index_width == 0 || settings.index_width > kMaxIndexWidth) {
        throw std::invalid_argument("the index width is " + std::to_string(settings.index_width) +
                                    " bits: it should be 1 to 32");
    }
    const auto require = [](bool known, const char* what) {
        if (!known) {
            throw std::invalid_argument(std::string("the checkers know no device ") + what);
        }
    };
    require(settings.send_byte_len == "undefined" || settings.send_byte_len == "length",
            "that tells of the length of sends in another way");
    require(settings.slot_release == "poll" || settings.slot_release == "completion",
            "that frees slots of send queues in another way");
    require(settings.sticky_error, "whose CQ in error takes entries again");
    require(settings.cq_err_once, "that raises CQ_ERR more than once for a CQ");
    require(settings.qp_fatal_once, "that raises no QP_FATAL for a QP that is refused");
    require(!settings.overrun_ignored, "that overwrites what was not consumed");
    const auto one_of = [](const char* what, const std::string& word, const auto& words) {
        std::string known;
        for (const std::string_view candidate : words) {
            if (word == candidate) {
                return;
            }
            known += (known.empty() ? "" : ", ") + std::string(candidate);
        }
        throw std::invalid_argument("the checkers know no device whose " + std::string(what) +
                                    " is '" + word + "': it should be one of " + known);
    };
    using Words = std::initializer_list<std::string_view>;
    one_of("cqe_format", settings.cqe_format, kCqeFormatNames);
    one_of("memory_ordering", settings.memory_ordering, Words{"in_order", "relaxed"});
    one_of("cq_full", settings.cq_full, Words{"depth", "depth_minus_one"});
    one_of("owner", settings.owner, kOwnerSchemeNames);
    one_of("consumer_index", settings.consumer_index, Words{"record", "mmio", "increment"});
    one_of("flush_order", settings.flush_order, Words{"interleaved", "sq_then_rq", "rq_then_sq"});
    one_of("reset_from", settings.reset_from, Words{"any", "error"});
    one_of("failed_sends", settings.failed_sends, Words{"solicited", "plain"});
    one_of("arm", settings.arm, Words{"edge", "level"});
    one_of("eq_overflow", settings.eq_overflow, Words{"fatal", "drop", "back_pressure"});
    return settings;
}

}  // namespace

RuleCheckers::RuleCheckers(const Settings& settings)
    : m_findings(validated(settings).names),
      m_rings(settings, m_findings),
      m_content(settings, m_findings),
      m_errors(m_findings),
      m_queues(m_content, m_errors, m_findings),
      m_srqs(m_findings),
      m_credits(settings, m_findings),
      m_flush_order(settings, m_queues, m_findings),
      m_drains(m_queues, m_findings),
      m_lives(settings, m_queues, m_findings),
      m_types(m_findings),
      m_eqs(settings, m_findings),
      m_events(settings, m_findings),
      m_faults(m_findings),
      m_wire(settings, m_findings) {
}

/// The rows that a record is the first to need: what follows finds them in the caches.
[[gnu::always_inline]] inline void RuleCheckers::prefetch_rows(const Record& record) {
    switch (record.kind) {
        case Kind::Post:
            m_credits.prefetch_row(record);
            [[fallthrough]];
        case Kind::Complete:
            m_queues.prefetch_row(record);
            m_lives.prefetch_row(record);
            break;
        case Kind::CqeVisible:
            m_events.prefetch_row(record);
            m_rings.prefetch_row(record);
            break;
        case Kind::Poll:
            m_credits.prefetch_row(record);
            [[fallthrough]];
        case Kind::Slot:
            m_rings.prefetch_row(record);
            break;
        default:
            break;
    }
}

[[gnu::always_inline]] inline void RuleCheckers::prefetch_details(const Record& record) {
    switch (record.kind) {
        case Kind::Post:
        case Kind::Complete:
            m_queues.prefetch_request(record);
            break;
        case Kind::Slot:
        case Kind::CqeVisible:
        case Kind::Poll:
            m_rings.prefetch_cell(record);
            break;
        default:
            break;
    }
}

void RuleCheckers::observe(const RecordBatch& batch) {
    if (m_queues.rows() + m_rings.rows() > kNear) {
        // A pass for each step of the way to the data: what is fetched together comes together.
        for (const Record& record : batch) {
            prefetch_rows(record);
        }
        for (const Record& record : batch) {
            prefetch_details(record);
        }
    }
    for (const Record& record : batch) {
        check(record);
    }
}

void RuleCheckers::check(const Record& record) {
    if (record.time_ps < m_now_ps || m_ended) {
        m_findings.fail(
            Rule::RecordContract,
            record.time_ps,
            "run",
            m_ended ? "a record after the end of the run" : "time runs backwards in the records");
    }
    if (record.time_ps != m_now_ps) {
        m_now_ps = record.time_ps;
        m_lives.on_time();
    }
    if (index_of(record.queue) > index_of(QueueKind::Receive)) {
        no_queue(record);
        return;
    }
    switch (record.kind) {
        case Kind::Post:
            if ((record.flags & kShared) != 0) {
                m_srqs.on_post(record);
                if (record.qpn == kNoQp) {
                    break;  // no QP's yet
                }
            }
            m_queues.on_post(record);
            m_lives.on_post(record);
            m_types.on_post(record);
            m_credits.on_post(record);
            if (!m_wire.idle()) {
                m_wire.on_post(record);
            }
            break;
        case Kind::Complete:
            if (record.bytes != nullptr && record.b != sizeof(CompletionDetails)) {
                no_bytes(record);
                break;
            }
            if (m_srqs.any() && record.queue == QueueKind::Receive) {
                m_srqs.on_complete(record);
            }
            m_queues.on_complete(record);
            m_lives.on_complete(record);
            m_types.on_complete(record);
            m_credits.on_complete(record);
            if (record.state != static_cast<std::uint8_t>(WcStatus::Success)) {
                m_errors.on_failed(record);
                m_flush_order.on_failed(record);
            }
            if (!m_wire.idle()) {
                m_wire.on_complete(record);
            }
            break;
        case Kind::Suppress:
            m_queues.on_suppress(record);
            break;
        case Kind::Request:
            m_requests.add(record);
            break;
        case Kind::Grant:
            m_grants.add(record);
            m_rings.on_grant(record);
            break;
        case Kind::Slot: {
            m_lives.on_slot(record, m_rings.grants());
            const bool repeats = m_rings.repeats_last_slot(record);
            const QueueChecker::Claim claim = m_queues.on_slot(record, repeats);
            if (!claim.repeated || !repeats) {
                m_decisions.add(record);
                m_rings.on_slot(record, claim.token);
            }
            break;
        }
        case Kind::CqeWrite:
        case Kind::CqeVisible:
        case Kind::Poll:
        case Kind::Sweep:
            check_entry(record);
            break;
        case Kind::Ci:
            m_rings.on_ci(record, m_lives);
            break;
        case Kind::Outcome: {
            if (m_srqs.any() && record.queue == QueueKind::Receive) {
                m_srqs.on_outcome(record);
            }
            const Cqn write_failed = m_queues.on_outcome(record);
            if (static_cast<Outcome>(record.state) == Outcome::Lost) {
                m_errors.on_lost(record);
                m_types.on_refused(record);
                m_rings.on_write_failed(write_failed);
            }
            if (!m_wire.idle()) {
                m_wire.on_outcome(record);
            }
            break;
        }
        default:
            check_rare(record);
            break;
    }
}

inline void RuleCheckers::check_entry(const Record& record) {
    const CqeFormat format = m_rings.format_of(record.cqn);
    if (record.bytes == nullptr || !Entry::is_whole(record.b, format)) {
        no_bytes(record);
        return;
    }
    const Entry entry = Entry::at(record.bytes, record.b, format);
    if (record.b < stride_of(format)) {
        check_entry(at_slot(record), entry);  // of a wide slot its second half alone
    } else {
        check_entry(record, entry);
    }
}

[[gnu::always_inline]] inline void RuleCheckers::check_entry(const Record& record,
                                                             const Entry& entry) {
    switch (record.kind) {
        case Kind::CqeWrite:
            if (const std::uint32_t token = m_rings.on_write(record, entry);
                token != 0 || !entry.is_resize()) {
                m_content.on_write(record, entry, token);
            }
            break;
        case Kind::Sweep:
            m_rings.on_sweep(record, entry);
            break;
        case Kind::CqeVisible:
            if (!entry.is_resize()) {
                m_lives.on_visible(record);
            }
            check_visible(record, entry);
            break;
        default:
            if (!entry.is_resize()) {
                m_content.on_poll(record);
                if (m_srqs.any() && record.queue == QueueKind::Receive) {
                    m_srqs.on_poll(record, entry.wqe_number());
                }
                m_credits.on_poll(record, entry);
                m_drains.on_poll(record, entry);
            }
            if (m_rings.on_poll(record, entry) && !entry.is_resize()) {
                m_content.check_decoded(record, entry);
            }
            break;
    }
}

[[gnu::always_inline]] inline void RuleCheckers::check_visible(const Record& record,
                                                               const Entry& entry) {
    if (m_rings.before_earlier_ones(record, entry)) {
        m_held.push_back({record, entry});
        return;
    }
    if (entry.is_resize()) {
        m_events.on_ring_end(record);
        m_rings.on_visible(record, entry);
    } else {
        m_events.on_visible(record, entry);
        if (m_rings.on_visible(record, entry)) {
            m_content.check_decoded(record, entry);
        }
    }
    if (!m_held.empty()) {
        check_held(record);
    }
}

void RuleCheckers::check_held(const Record& visible) {
    const auto next = std::find_if(m_held.begin(), m_held.end(), [&](const Held& held) {
        if (held.record.kind != visible.kind) {
            return false;
        }
        if (const auto* entry = std::get_if<Entry>(&held.entry)) {
            return held.record.cqn == visible.cqn &&
                   !m_rings.before_earlier_ones(held.record, *entry);
        }
        return held.record.unit == visible.unit && !m_eqs.before_earlier_ones(held.record);
    });
    if (next == m_held.end()) {
        return;
    }
    Held held = *next;
    m_held.erase(next);
    held.record.time_ps = visible.time_ps;
    if (const auto* entry = std::get_if<Entry>(&held.entry)) {  // and those behind it
        m_events.on_released(held.record);
        check_visible(held.record, *entry);
    } else {
        check_event_entry(held.record, std::get<EventEntry>(held.entry));
    }
}

void RuleCheckers::no_queue(const Record& record) {
    m_findings.fail(Rule::RecordContract,
                    record.time_ps,
                    "run",
                    "a record of kind ",
                    static_cast<unsigned>(record.kind),
                    " names work queue ",
                    index_of(record.queue),
                    " of a QP");
}

void RuleCheckers::no_bytes(const Record& record) {
    m_findings.fail(Rule::RecordContract,
                    record.time_ps,
                    "run",
                    "a record of kind ",
                    static_cast<unsigned>(record.kind),
                    " has ",
                    record.bytes == nullptr ? 0 : record.b,
                    " bytes");
}

void RuleCheckers::end(const Record& record) {
    m_queues.on_end(record);
    check_passages(record);
    const auto reason = static_cast<EndReason>(record.state);
    m_idle = reason == EndReason::Idle;
    // A stalled run may keep a flush waiting behind what is stuck, but not if nothing is.
    if (m_idle || (reason == EndReason::Stalled && m_queues.all_settled())) {
        m_queues.check_flushed(record);
    }
    m_events.finish(record, m_eqs);
    m_eqs.finish(record.time_ps, reason != EndReason::End);
    m_ended = true;
}

void RuleCheckers::check_passages(const Record& end) {
    const std::uint64_t cancelled =
        m_queues.ends(QueueKind::Send).cancelled + m_queues.ends(QueueKind::Receive).cancelled;
    if (m_requests.count == 0 && m_grants.count == 0) {
        return;  // a trace of a block without a visible arbiter
    }
    m_findings.checked(Rule::Conservation, 2);
    const bool idle = static_cast<EndReason>(end.state) == EndReason::Idle && cancelled == 0;
    const bool clean = m_findings.failed() == 0;  // else it was said who went astray
    const auto leads = [idle, clean](const Passage& from, const Passage& to) {
        return idle ? from.count == to.count && (from.which == to.which || !clean)
                    : from.count >= to.count;
    };
    if (!leads(m_requests, m_grants)) {
        m_findings.fail(Rule::Conservation,
                        end.time_ps,
                        "run",
                        m_requests.count,
                        " completions reached the arbiter and ",
                        m_grants.count,
                        " were granted",
                        m_requests.count == m_grants.count ? ", but not the same ones" : "");
    }
    if (!leads(m_grants, m_decisions)) {
        m_findings.fail(Rule::Conservation,
                        end.time_ps,
                        "run",
                        m_grants.count,
                        " completions were granted and ",
                        m_decisions.count,
                        " were given a slot or refused",
                        m_grants.count == m_decisions.count ? ", but not the same ones" : "");
    }
}

}  // namespace cqsim::tb::check
