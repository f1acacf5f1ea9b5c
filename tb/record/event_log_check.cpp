// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_check.h"

#include "models/observe/record_names.h"
#include "tb/check/rule_checkers.h"
#include "tb/record/event_log_reader.h"

#include <stdexcept>

namespace cqsim::tb {

check::Settings checker_settings(const RunHeader& header) {
    check::Settings settings;
    settings.index_width = header.index_width;
    settings.cqe_format = header.cqe_format;
    const auto says = [](const std::string& value, std::string_view word) { return value == word; };
    settings.memory_ordering = header.memory_ordering;
    settings.cq_full = header.cq_full;
    settings.owner = header.owner;
    settings.consumer_index = header.consumer_index;
    settings.send_byte_len = header.send_byte_len;
    settings.slot_release = header.slot_release;
    settings.flush_order = header.flush_order;
    settings.reset_from = header.reset_from;
    settings.failed_sends = header.failed_sends;
    settings.sticky_error = says(header.cq_error, "sticky");
    settings.cq_err_once = says(header.cq_err, "once");
    settings.qp_fatal_once = says(header.qp_fatal, "once");
    settings.overrun_ignored = !says(header.overrun_ignore, "off");
    settings.arm = header.arm;
    settings.event_latency_ps = header.event_latency_ps;
    settings.moderation_break = header.moderation_break;
    settings.eq_overflow = header.eq_overflow;
    for (const ConnectedRange& range : header.connection) {
        settings.connection.push_back(
            {range.first, range.peer, range.count, range.retry_cnt, range.rnr_retry});
    }
    settings.names.cq = [header](Cqn cqn) { return header.cq_name(cqn); };
    settings.names.qp = [header](Qpn qpn) { return header.qp_name(qpn); };
    settings.names.eq = [header](Eqn eqn) { return header.eq_name(eqn); };
    return settings;
}

namespace {

/// What only software knows of itself: a log of a device's monitors does not have it.
constexpr KindMask kOfSoftware = mask_of(Kind::UndefinedRead);

void refuse_missing_kinds(const std::string& path, KindMask kinds) {
    std::string missing;
    kinds |= kOfSoftware;
    for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
        const KindMask mask = mask_of(static_cast<Kind>(kind));
        if ((check::RuleCheckers::needed_kinds() & mask) != 0 && (kinds & mask) == 0) {
            missing += (missing.empty() ? "" : ", ") + std::string(name(static_cast<Kind>(kind)));
        }
    }
    if (!missing.empty()) {
        throw EventLogError(path,
                            1,
                            1,
                            "this log was written without the kinds " + missing +
                                "; the checkers need them (run with --events all)");
    }
}

}  // namespace

EventLogVerdict check_event_log(const std::string& path) {
    EventLogReader reader(path);
    refuse_missing_kinds(path, reader.kinds());
    EventLogVerdict verdict;
    verdict.header = reader.header();
    try {
        check::Settings settings = checker_settings(reader.header());
        if ((reader.kinds() & mask_of(Kind::Packet)) == 0) {
            settings.connection.clear();  // nobody looked at what travels between them
        }
        check::RuleCheckers checkers(settings);
        Record record;
        while (reader.next(record)) {
            checkers.observe({&record, 1});
            ++verdict.records;
            verdict.end_ps = record.time_ps;
        }
        checkers.finish();
        verdict.rules = checkers.rules();
        verdict.failures = checkers.failures();
        verdict.failed = checkers.failed();
    } catch (const std::invalid_argument& error) {
        throw EventLogError(path, 1, 1, error.what());
    }
    return verdict;
}

}  // namespace cqsim::tb
