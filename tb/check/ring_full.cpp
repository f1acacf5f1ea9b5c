// SPDX-License-Identifier: Apache-2.0
// What RingChecker does when a CQ is full, or goes to error.
#include "tb/check/ring_checker.h"

#include <algorithm>

namespace cqsim::tb::check {

void RingChecker::slot_without_room(Row& row, const Record& record, std::int32_t in_use) {
    if ((row.flags & kFullReported) != 0) {
        return;
    }
    const bool full = in_use > static_cast<std::int32_t>(capacity(row));
    // Behind a cut-off a device may also count what is unread in the old ring.
    if (const NewRing* ring = new_ring(row, record.cqn);
        !full && ring != nullptr && ring->mode == ResizeMode::CutOff && record.b >= in_use &&
        record.b <= row.slots - ring->known + 1) {
        return;
    }
    // Without room, the write that follows says so (S5.3i).
    row.flags |= full ? 0 : kFullReported;
    m_findings.fail(Rule::PublishedFull,
                    record.time_ps,
                    record.cqn,
                    "index ",
                    record.index,
                    full ? " got a slot without room" : " got a slot",
                    "; by the published consumer index, ",
                    row.released & m_mask,
                    ", ",
                    in_use,
                    " of ",
                    capacity(row),
                    " slots are in use, and the device counts ",
                    record.b);
}

void RingChecker::slot_in_error(Row& row, const Record& record) {
    m_findings.checked(Rule::StickyError);
    if ((row.flags & kStickyReported) == 0) {
        row.flags |= kStickyReported;
        m_findings.fail(Rule::StickyError,
                        record.time_ps,
                        record.cqn,
                        "index ",
                        record.index,
                        " got a slot after the CQ went to error");
    }
}

void RingChecker::check_full(const Row& row,
                             const Record& record,
                             std::uint64_t since_ps,
                             bool in_error) {
    const std::uint32_t newest = row.released & m_mask;
    const bool knowable = record.a == newest || m_window.was_newest(record.cqn, record.a, since_ps);
    // What the device did not know by then does not excuse it.
    const std::uint32_t known = knowable ? static_cast<std::uint32_t>(record.a) : newest;
    const std::uint32_t from =
        counted_from(row, record.cqn, row.released - ((newest - known) & m_mask));
    const auto in_use = static_cast<std::int32_t>(row.slots - from);
    if (in_error || in_use < static_cast<std::int32_t>(capacity(row))) {
        m_findings.fail(Rule::OverrunCause,
                        record.time_ps,
                        record.cqn,
                        "overrun with ",
                        in_use,
                        " of ",
                        capacity(row),
                        " slots in use by the published consumer index ",
                        known,
                        in_error ? ", in a CQ that is in error already" : "");
    } else if (!knowable) {
        m_findings.fail(Rule::PublishedFull,
                        record.time_ps,
                        record.cqn,
                        "overrun with the consumer index at ",
                        record.a,
                        "; published is ",
                        newest);
    }
}

void RingChecker::on_overrun(const Record& record, bool claimed) {
    // Without a record of the grant, only the newest index could have been read.
    const std::uint64_t since_ps = m_window.decided(record.serial).value_or(record.time_ps);
    Row* row = row_of(record);
    if (row == nullptr || (!claimed && (row->flags & kError) != 0)) {
        return;
    }
    if ((row->traits & kLossy) != 0) {
        m_lossy.on_overrun(record);
        return;
    }
    m_findings.checked(Rule::FreeRunning);
    if (record.index != (row->slots & m_mask)) {
        m_findings.fail(Rule::FreeRunning,
                        record.time_ps,
                        record.cqn,
                        "refused at index ",
                        record.index,
                        "; the next index is ",
                        row->slots & m_mask);
    }
    const auto cause = static_cast<LostCause>(record.state);
    const bool in_error = (row->flags & (kError | kEventSeen)) != 0;
    if (cause == LostCause::Overrun) {
        m_findings.checked(Rule::OverrunCause);
        m_findings.checked(Rule::PublishedFull);
        check_full(*row, record, since_ps, in_error);
        m_findings.checked(Rule::CqErrOnce);
        row->flags |= kExplained;
    } else if (cause == LostCause::WriteFailed) {
        row->flags |= kExplained | kWriteFailed;
    } else {
        m_findings.checked(Rule::StickyError);
        if (cause != LostCause::CqError || !in_error) {
            m_findings.fail(Rule::OverrunCause,
                            record.time_ps,
                            record.cqn,
                            "refused for an error of the CQ, which has none");
        } else if (((row->released - static_cast<std::uint32_t>(record.a)) & m_mask) >
                   std::max(capacity(*row), row->released - known_from(*row, record.cqn))) {
            m_findings.fail(Rule::PublishedFull,
                            record.time_ps,
                            record.cqn,
                            "the device knows consumer index ",
                            record.a,
                            "; published is ",
                            row->released & m_mask);
        }
    }
    row->flags |= kError;
}

bool RingChecker::on_cq_error_event(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return false;
    }
    if ((row->traits & kLossy) != 0) {
        return m_lossy.on_cq_error_event(record);
    }
    const bool explained = (row->flags & (kExplained | kEventSeen)) != 0;
    if ((row->flags & kEventSeen) != 0) {
        m_findings.fail(
            Rule::CqErrOnce, record.time_ps, record.cqn, "CQ_ERR was raised a second time");
    }
    if ((row->flags & kExplained) == 0) {
        m_unexplained.push_back({record.cqn, record.time_ps});
    }
    row->flags |= kEventSeen;
    return !explained;
}

void RingChecker::on_write_failed(Cqn cqn) {
    if (index_of(cqn) >= m_rows.size()) {
        return;
    }
    Row& row = m_rows[index_of(cqn)];
    if ((row.traits & kLossy) != 0) {
        m_lossy.on_write_failed(cqn);
        return;
    }
    if ((row.flags & kExplained) == 0) {
        m_findings.checked(Rule::CqErrOnce);
    }
    row.flags |= kError | kExplained | kWriteFailed;
}

}  // namespace cqsim::tb::check
