// SPDX-License-Identifier: Apache-2.0
#include "tb/check/life_checker.h"

#include <algorithm>

namespace cqsim::tb::check {
namespace {

/// S2.24.
bool takes_posts(QpState state, QueueKind queue) {
    switch (state) {
        case QpState::Reset:
            return false;
        case QpState::Init:
        case QpState::Rtr:
            return queue == QueueKind::Receive;
        default:
            return true;
    }
}

}  // namespace

LifeChecker::CqRow* LifeChecker::cq_at(std::uint64_t cqn) {
    if (cqn >= kMaxIds) {
        return nullptr;
    }
    m_cqs.grow(cqn + 1);
    return &m_cqs[cqn];
}

void LifeChecker::use_cqs(const Targets& targets, bool begins) {
    for (const std::uint32_t cqn : {targets.send_cq, targets.recv_cq}) {
        if (CqRow* cq = cq_at(cqn)) {
            cq->users += begins ? 1 : ~std::uint32_t{0};
        }
    }
}

void LifeChecker::create_cq(const Record& record) {
    CqRow* cq = cq_at(index_of(record.cqn));
    if (cq == nullptr) {
        return;
    }
    m_gone_cqs -= (cq->flags & CqRow::kGone) != 0 ? 1 : 0;
    cq->flags = CqRow::kExists | (record.unit != kNoEqn ? CqRow::kHasEvents : 0);
}

void LifeChecker::on_create(const Record& record) {
    if (record.cqn != kNoCq) {
        create_cq(record);
        return;
    }
    const std::uint32_t qpn = index_of(record.qpn);
    if (qpn >= kMaxIds) {
        return;
    }
    m_rows.grow(std::size_t{qpn} + 1);
    m_targets.grow(std::size_t{qpn} + 1);
    m_first_waiting.grow(std::size_t{qpn} + 1);
    Row& row = m_rows[qpn];
    const bool lived = (row.flags & kKnown) != 0;
    if (lived) {
        m_findings.checked(Rule::DeadLife);
        if ((row.flags & kGone) != 0 && row.generation == record.generation) {
            m_findings.fail(Rule::DeadLife,
                            record.time_ps,
                            record.qpn,
                            "is created with generation ",
                            record.generation,
                            ", which a life before had");
        }
        if ((row.flags & kGone) == 0) {
            use_cqs(m_targets[qpn], false);
        }
    }
    row = Row{};
    row.generation = record.generation;
    row.flags = kKnown;
    row.flags |= lived ? kOld : Flag{0};
    row.flags |= static_cast<QpType>(record.state) == QpType::Rc ? kRc : Flag{0};
    m_targets[qpn] = {static_cast<std::uint32_t>(record.a),
                      static_cast<std::uint32_t>(record.serial)};
    use_cqs(m_targets[qpn], true);
}

void LifeChecker::check_post_state(const Record& record, const Row& row) {
    m_findings.checked(Rule::PostState);
    if (!takes_posts(state_of(row.state), record.queue)) {
        m_findings.fail(Rule::PostState,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": takes index ",
                        record.index,
                        " in state ",
                        name(state_of(row.state)));
    }
}

void LifeChecker::post_of_life(const Record& record) {
    Row& row = *row_at(record.qpn);
    m_findings.checked(Rule::DeadLife);
    if ((row.flags & kFresh) != 0 && row.generation != record.generation) {
        row.generation = record.generation;
        row.flags &= static_cast<Flag>(~kFresh);
        return;
    }
    m_findings.fail(
        Rule::DeadLife,
        record.time_ps,
        record.qpn,
        words(record.queue),
        ": takes index ",
        record.index,
        " for generation ",
        record.generation,
        (row.flags & kHot) != 0 ? ", which has ended" : ", which is not the present one");
}

/// D3: work of a life that ends is dropped when its turn comes. What had its turn before waits at
/// the overflow check, and may still get its slot: the end is not done before it is written.
bool LifeChecker::was_granted_before(const Record& record, const ReadWindow& grants) const {
    const auto ending = std::find_if(
        m_endings.begin(), m_endings.end(), [&](const Ending& e) { return e.qpn == record.qpn; });
    const std::uint64_t number = grants.number(record.serial);
    return ending != m_endings.end() && number != 0 && number <= ending->grants;
}

void LifeChecker::slot_of_life(const Record& record, const Row& row, const ReadWindow& grants) {
    m_findings.checked(Rule::DeadLife);
    const bool fresh = (row.flags & kFresh) != 0;
    const bool present =
        fresh ? row.generation != record.generation : row.generation == record.generation;
    if (present && (row.flags & (kDying | kGone)) == 0) {
        return;
    }
    if (present && (row.flags & kGone) == 0 && was_granted_before(record, grants)) {
        return;
    }
    m_findings.fail(Rule::DeadLife,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": serial ",
                    record.serial,
                    " of generation ",
                    record.generation,
                    " is given a slot, although that life has ended");
}

void LifeChecker::visible_of_life(const Record& record) {
    const Row* row = row_at(record.qpn);
    if (row == nullptr || (row->flags & kOld) == 0) {
        return;
    }
    m_findings.checked(Rule::DeadLife);
    if ((row->flags & (kGone | kFresh)) != 0) {  // the next life has posted nothing yet
        m_findings.fail(
            Rule::DeadLife,
            record.time_ps,
            record.qpn,
            "an entry of it becomes visible after the end of its life was acknowledged");
    }
}

void LifeChecker::check_cq(const Record& record, const char* what) {
    if (index_of(record.cqn) < m_cqs.size() &&
        (m_cqs[index_of(record.cqn)].flags & CqRow::kGone) != 0) {
        m_findings.fail(
            Rule::CqGone, record.time_ps, record.cqn, what, " after its destroy has begun");
    }
}

LifeChecker::End LifeChecker::on_destroy_qp(const Record& record, const ReadWindow& grants) {
    Row* row = row_at(record.qpn);
    const bool begins = static_cast<DestroyPhase>(record.state) == DestroyPhase::Begun;
    m_findings.checked(Rule::DeadLife);
    if (row != nullptr && begins && (row->flags & kFresh) != 0 &&
        row->generation != record.generation) {
        row->generation = record.generation;  // a life without a request
        row->flags &= static_cast<Flag>(~kFresh);
    }
    if (row == nullptr || row->generation != record.generation ||
        ((row->flags & kDying) != 0) == begins || (row->flags & (kGone | kFresh)) != 0) {
        m_findings.fail(
            Rule::RecordContract,
            record.time_ps,
            record.qpn,
            "the end of generation ",
            record.generation,
            begins ? " begins, but that is not its life" : " is done, but did not begin");
        return End::Nothing;
    }
    row->flags |= kOld;
    if (begins) {
        happened(record.qpn, QpState::Reset, true);
        row->flags |= kDying;
        m_endings.push_back({record.qpn, grants.grants()});
        return End::Nothing;
    }
    m_endings.erase(std::remove_if(m_endings.begin(),
                                   m_endings.end(),
                                   [&](const Ending& e) { return e.qpn == record.qpn; }),
                    m_endings.end());
    m_ended = true;
    const bool reset = (row->flags & kResetting) != 0;
    row->flags &= static_cast<Flag>(~(kDying | kResetting | kNotifies | kDrained | kWaiting));
    row->flags |= reset ? kFresh : kGone;
    if (!reset) {
        use_cqs(m_targets[index_of(record.qpn)], false);
    }
    return reset ? End::Life : End::Qp;
}

void LifeChecker::on_destroy_cq(const Record& record) {
    CqRow* cq = cq_at(index_of(record.cqn));
    const bool begins = static_cast<DestroyPhase>(record.state) == DestroyPhase::Begun;
    if (cq == nullptr || (!begins && (cq->flags & CqRow::kGone) != 0)) {
        return;
    }
    m_findings.checked(Rule::CqInUse);
    m_findings.checked(Rule::CqGone);
    if (cq->users != 0) {
        m_findings.fail(Rule::CqInUse,
                        record.time_ps,
                        record.cqn,
                        "is destroyed while ",
                        cq->users,
                        " work queues report to it");
    }
    m_gone_cqs += (cq->flags & CqRow::kGone) == 0 ? 1 : 0;
    cq->flags |= CqRow::kGone;
}

void LifeChecker::finish(std::uint64_t time_ps, bool idle) {
    on_time();
    for (std::uint32_t qpn = 0; idle && qpn < m_rows.size(); ++qpn) {
        const Row& row = m_rows[qpn];
        if ((row.flags & kNotifies) != 0 && state_of(row.state) == QpState::Sqd &&
            m_queues.settled(Qpn{qpn}, QueueKind::Send)) {
            m_findings.fail(Rule::SqDrained,
                            time_ps,
                            Qpn{qpn},
                            "stands in SQD and never raised the SQ_DRAINED that was asked for");
        }
        if ((row.flags & kDying) != 0) {
            m_findings.fail(Rule::LifeAnswered,
                            time_ps,
                            Qpn{qpn},
                            "the end of generation ",
                            row.generation,
                            " has begun and is never done");
        }
    }
}

}  // namespace cqsim::tb::check
