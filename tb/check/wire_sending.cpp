// SPDX-License-Identifier: Apache-2.0
// The sending side of a connection: S2.7, S2.8, S2.17.
#include "tb/check/wire_checker.h"
#include "tb/check/wire_numbers.h"

#include <algorithm>
#include <cstring>

namespace cqsim::tb::check {
namespace {

constexpr std::uint32_t kForEver = 7;  // an rnr_retry

/// S1.10, S2.17: what a request that was refused with it ends with.
constexpr WcStatus status_of(PacketType nak) {
    switch (nak) {
        case PacketType::NakInvalidRequest:
            return WcStatus::RemInvReqErr;
        case PacketType::NakRemoteAccess:
            return WcStatus::RemAccessErr;
        case PacketType::NakRemoteOperational:
            return WcStatus::RemOpErr;
        default:
            return WcStatus::Success;
    }
}

/// Of what ends here, without the peer.
bool is_local(const Record& complete) {
    if (complete.bytes == nullptr || complete.b != sizeof(CompletionDetails)) {
        return false;
    }
    CompletionDetails details;
    std::memcpy(&details, complete.bytes, sizeof(details));
    return details.opcode == static_cast<std::uint8_t>(WcOpcode::BindMw) ||
           details.opcode == static_cast<std::uint8_t>(WcOpcode::LocalInv);
}

}  // namespace

void WireChecker::on_request_sent(End& end, const Record& record) {
    m_findings.checked(Rule::SilentInError);
    if (end.state != QpState::Rts && end.state != QpState::Sqd) {
        m_findings.fail(Rule::SilentInError,
                        record.time_ps,
                        record.qpn,
                        "sends request ",
                        record.wr_id,
                        " in state ",
                        name(end.state));
    }
    const auto wqe_index = static_cast<std::uint32_t>(record.wr_id);
    if (!end.begun) {
        end.begun = true;
        end.first = end.next = record.index;
        End& peer = m_ends[end.peer];
        peer.expected = peer.bound ? peer.expected : end.first;
    }
    const bool goes_on = record.index == end.cursor;
    const bool caused = !end.moved;
    end.cursor = (record.index + 1) % kNumbers;
    end.moved = false;
    if (record.index == end.next) {
        end.next = (end.next + 1) % kNumbers;
        end.sent.push_back({record.index, wqe_index, static_cast<WrOpcode>(record.b), false});
        end.sent_since_rnr |= end.sent.size() == end.answered + 1;
        return;
    }
    m_findings.checked(Rule::RetryLimit);
    // Its answer may have come just now.
    const auto found = std::find_if(end.sent.begin(), end.sent.end(), [&](const Sent& sent) {
        return sent.number == record.index;
    });
    if (found == end.sent.end() || found->wqe_index != wqe_index ||
        found->opcode != static_cast<WrOpcode>(record.b)) {
        m_findings.fail(Rule::AnswerEnds,
                        record.time_ps,
                        record.qpn,
                        "sends request ",
                        wqe_index,
                        " as number ",
                        record.index,
                        ": not the next one, and not that of one that has not ended");
    } else if (found == end.sent.begin() + static_cast<std::ptrdiff_t>(end.answered)) {
        end.sent_since_rnr = true;
        if (goes_on) {
            return;  // of the round that began with one that has ended
        }
        ++end.resends;
        end.retries += caused ? 1U : 0U;
        if (end.retries > end.retry_cnt + end.rnrs) {
            m_findings.fail(Rule::RetryLimit,
                            record.time_ps,
                            record.qpn,
                            "sends request ",
                            wqe_index,
                            " again, for the ",
                            end.retries,
                            ". time, after ",
                            end.rnrs,
                            " RNR NAKs; retry_cnt is ",
                            end.retry_cnt);
        }
    }
}

/// S2.7: an answer covers the requests before it, but for those that need a response of their own.
void WireChecker::on_answer(End& end, const Record& record) {
    if (end.state != QpState::Rts && end.state != QpState::Sqd) {
        return;  // S2.25
    }
    const auto covered =
        std::find_if(end.sent.begin() + static_cast<std::ptrdiff_t>(end.answered),
                     end.sent.end(),
                     [&](const Sent& sent) { return sent.number == record.index; });
    if (covered == end.sent.end()) {
        return;  // S2.8 E: to one that has ended
    }
    if (end.owed != WcStatus::Success) {
        return;  // it fails
    }
    const auto last = static_cast<std::size_t>(covered - end.sent.begin());
    while (end.answered < last && !responds(end.sent[end.answered].opcode)) {
        progress(end);
    }
    if (end.answered == last) {
        answer_to_oldest(end, static_cast<PacketType>(record.state));
    }
}

void WireChecker::progress(End& end) {
    m_findings.checked(Rule::AnswerEnds);
    ++end.answered;
    end.resends = 0;
    end.retries = 0;
    end.rnrs = 0;
    end.moved = true;
    end.sent_since_rnr = true;
}

void WireChecker::answer_to_oldest(End& end, PacketType type) {
    Sent& oldest = end.sent[end.answered];
    switch (type) {
        case PacketType::Ack:
            if (!responds(oldest.opcode)) {
                progress(end);
            }
            break;
        case PacketType::Response:
            if (responds(oldest.opcode)) {
                oldest.response = true;
                progress(end);
            } else {
                end.owed = WcStatus::BadRespErr;
            }
            break;
        case PacketType::RnrNak:
            m_findings.checked(Rule::RetryLimit);
            end.rnrs += end.sent_since_rnr ? 1U : 0U;
            end.sent_since_rnr = false;
            if (end.rnr_retry != kForEver && end.rnrs > end.rnr_retry) {
                end.owed = WcStatus::RnrRetryExcErr;
            }
            break;
        default:
            end.owed = status_of(type);
            break;
    }
}

void WireChecker::on_send_ended(End& end, const Record& record) {
    const auto found = std::find_if(end.sent.begin(), end.sent.end(), [&](const Sent& sent) {
        return sent.wqe_index == record.index;
    });
    const auto at = static_cast<std::size_t>(found - end.sent.begin());
    const auto status = static_cast<WcStatus>(record.state);
    if (status == WcStatus::Success) {
        check_success(end, record, at);
        if (at < end.sent.size() && consumes(end.sent[at].opcode) && end.type == QpType::Rc) {
            check_heard(end, record);
        }
    } else if (status != WcStatus::WrFlushErr) {
        check_failure(end, record, at);
    }
    if (found != end.sent.end()) {
        end.sent.erase(end.sent.begin(), found + 1);
        end.answered -= std::min(end.answered, at + 1);
    }
}

void WireChecker::check_success(End& end, const Record& record, std::size_t at) {
    const bool on_wire = at < end.sent.size();
    if (!on_wire && is_local(record)) {
        return;
    }
    m_findings.checked(Rule::AnswerEnds);
    if (!on_wire || (end.type == QpType::Rc && at >= end.answered)) {
        m_findings.fail(Rule::AnswerEnds,
                        record.time_ps,
                        record.qpn,
                        "request ",
                        record.index,
                        " ends SUCCESS, but ",
                        on_wire ? "no answer that covers it came" : "it was not sent");
    }
}

/// S2.10, S2.16, whatever packets say: as many receive requests of the peer have succeeded.
void WireChecker::check_heard(End& end, const Record& record) {
    if (++end.told > end.heard) {
        m_findings.fail(Rule::AnswerEnds,
                        record.time_ps,
                        record.qpn,
                        "request ",
                        record.index,
                        " ends SUCCESS, the ",
                        end.told,
                        ". that takes a receive request of its peer, and only ",
                        end.heard,
                        " have succeeded there");
    }
}

void WireChecker::check_failure(End& end, const Record& record, std::size_t at) {
    const auto status = static_cast<WcStatus>(record.state);
    const bool oldest = at < end.sent.size() && at == end.answered;
    const auto wrong = [&](Rule rule, auto... why) {
        m_findings.fail(rule,
                        record.time_ps,
                        record.qpn,
                        "request ",
                        record.index,
                        " ends ",
                        name(status),
                        why...);
    };
    switch (status) {
        case WcStatus::RemInvReqErr:
        case WcStatus::RemAccessErr:
        case WcStatus::RemOpErr:
            m_findings.checked(Rule::NakStatus);
            if (!oldest || end.owed != status) {
                wrong(Rule::NakStatus, ", but was not refused with that NAK");
            }
            break;
        case WcStatus::BadRespErr:
            m_findings.checked(Rule::NakStatus);
            if (!(oldest && end.owed == status) && !(at < end.answered && end.sent[at].response)) {
                wrong(Rule::NakStatus, ", but no response to it came");
            }
            break;
        case WcStatus::RnrRetryExcErr:
            m_findings.checked(Rule::RetryLimit);
            if (!oldest || end.owed != status) {
                wrong(Rule::RetryLimit,
                      " after ",
                      end.rnrs,
                      " RNR NAKs; rnr_retry is ",
                      end.rnr_retry);
            }
            break;
        case WcStatus::RetryExcErr:
            m_findings.checked(Rule::RetryLimit);
            if (!oldest || end.resends < end.retry_cnt) {
                wrong(Rule::RetryLimit,
                      " after it was sent again ",
                      end.resends,
                      " times; retry_cnt is ",
                      end.retry_cnt);
            }
            break;
        case WcStatus::LocLenErr:
        case WcStatus::LocQpOpErr:
        case WcStatus::LocProtErr:
            m_findings.checked(Rule::RetryLimit);
            if (at < end.sent.size() && !responds(end.sent[at].opcode)) {
                wrong(Rule::RetryLimit, " here, but it was sent");
            }
            break;
        default:
            break;
    }
    end.owed = WcStatus::Success;
}

}  // namespace cqsim::tb::check
