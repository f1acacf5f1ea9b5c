// SPDX-License-Identifier: Apache-2.0
// What a query of a CQ may be answered with (S4.15).
#include "tb/check/event_checker.h"
#include "tb/check/ring_checker.h"

namespace cqsim::tb::check {
namespace {

constexpr std::uint8_t kStateOk = 1;
constexpr std::uint8_t kStateError = 2;

std::string not_of(const char* what, std::uint64_t is, std::uint64_t from, std::uint64_t to) {
    return std::string(what) + " " + std::to_string(is) +
           (from == to ? "; it is " + std::to_string(to)
                       : "; it is " + std::to_string(from) + " to " + std::to_string(to));
}

}  // namespace

std::string RingChecker::query_fault(const Row& row, const Record& record) const {
    // Entries count as the device's from their slots on, or from when they are visible.
    const std::uint32_t behind = (row.slots - record.index) & m_mask;
    if (record.index > m_mask || (behind > row.slots - row.visible && !may_have_holes(row))) {
        return not_of("producer index", record.index, row.visible & m_mask, row.slots & m_mask);
    }
    // What it knows may be old (S3.14), but not so old that the slots it gave had no room.
    const std::uint32_t unknown = (row.released - static_cast<std::uint32_t>(record.a)) & m_mask;
    const std::uint32_t oldest = row.released - known_from(row, record.cqn);
    if (record.a > m_mask || unknown > oldest) {
        return not_of(
            "consumer index", record.a, (row.released - oldest) & m_mask, row.released & m_mask);
    }
    if (record.wr_id != row.depth) {
        return not_of("depth", record.wr_id, row.depth, row.depth);
    }
    const bool error = (row.flags & (kError | kExplained | kEventSeen)) != 0;
    if (record.state != (error ? kStateError : kStateOk)) {
        return std::string("state ") + std::to_string(record.state) +
               (error ? "; it is in error" : "; it is not in error");
    }
    return {};
}

void RingChecker::on_query(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::QueryAnswer);
    const std::string fault =
        (row->traits & kLossy) != 0 ? m_lossy.query_fault(record) : query_fault(*row, record);
    if (!fault.empty()) {
        m_findings.fail(
            Rule::QueryAnswer, record.time_ps, record.cqn, "a query is answered with ", fault);
    }
}

std::string LossyRings::query_fault(const Record& record) const {
    const Ring& ring = m_rings.at(index_of(record.cqn));
    const std::uint32_t behind = (index_at(ring, ring.granted) - record.index) & m_mask;
    if (behind > ring.granted - ring.visible && !ring.write_failed) {
        return not_of("producer index",
                      record.index,
                      index_at(ring, ring.visible),
                      index_at(ring, ring.granted));
    }
    if (record.wr_id != ring.depth) {
        return not_of("depth", record.wr_id, ring.depth, ring.depth);
    }
    if (record.state != kStateOk && !ring.write_failed) {
        return "state " + std::to_string(record.state) + "; it ignores overruns";
    }
    return {};
}

void EventChecker::on_query(const Record& record) {
    const Row* row = row_of(record);
    if (row == nullptr || record.b == 0) {
        return;  // an arm may be on its way
    }
    const bool solicited = record.b == static_cast<std::uint8_t>(ArmKind::Solicited) + 1;
    // Of arms of both kinds the one for any entry may be on its way.
    if ((row->flags & kArmed) == 0 ||
        (!solicited && (row->flags & (kSolicitedOnly | kBlurred)) == kSolicitedOnly)) {
        m_findings.fail(Rule::QueryAnswer,
                        record.time_ps,
                        record.cqn,
                        "a query says that it is armed for ",
                        solicited ? "solicited entries" : "the next entry",
                        (row->flags & kArmed) == 0 ? "; no arm waits for its event"
                                                   : "; it is armed for solicited entries");
    }
}

}  // namespace cqsim::tb::check
