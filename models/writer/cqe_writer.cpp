// SPDX-License-Identifier: Apache-2.0
#include "models/writer/cqe_writer.h"

#include "models/cqe/cqe_codec.h"

#include <utility>

namespace cqsim {

CqeWriter::CqeWriter(const sc_core::sc_module_name& module_name,
                     Timeline& timeline,
                     WriterRules rules,
                     const UndefinedFill& fill)
    : CqeWriterPorts(module_name),
      m_timeline(timeline),
      m_dma("dma_isock", timeline, *this),
      m_rules(std::move(rules)),
      m_fill(fill) {
    arbiter_tsock.bind(static_cast<CompletionForward&>(*this));
    slot_isock.bind(static_cast<SlotBackward&>(*this));
    qp_isock.bind(static_cast<NoBackward<QpReportProtocol>&>(*this));
}

OfferReply CqeWriter::offer(Completion& completion) {
    if (busy()) {
        m_held = completion;
        m_holds = true;
        return {OfferStatus::Held, {}};
    }
    take(completion);
    return {OfferStatus::Taken, m_rules.free_at()};
}

void CqeWriter::take(const Completion& completion) {
    if (!drop_if_dead(completion)) {
        start(completion);
    }
}

/// D3: what is left of a QP's life that is over gets no slot and takes no time.
bool CqeWriter::drop_if_dead(const Completion& completion) {
    if (qp_isock->live(completion.qpn, completion.generation)) {
        return false;
    }
    leave(completion, Outcome::Cancelled, LostCause::None);
    return true;
}

/// The pipeline has its answer before the QP table may say that nothing is in flight.
void CqeWriter::leave(const Completion& completion, Outcome outcome, LostCause cause) {
    arbiter_tsock->answered(answer_to(completion, outcome, cause));
    qp_isock->left(completion.qpn, completion.queue);
}

void CqeWriter::decline(Qpn /*qpn*/, QueueKind /*queue*/) {
    SC_REPORT_ERROR("/cqsim/writer/decline", "a CQE writer gives no credits");
}

void CqeWriter::hint(Qpn /*qpn*/, Cqn cqn) {
    slot_isock->hint(cqn);
}

void CqeWriter::start(const Completion& completion) {
    SlotAnswer answer;
    if (slot_isock->request_slot(slot_request_for(completion), answer) == SlotStatus::Answered) {
        finish(completion, answer);
    } else {
        m_asking = completion;
        m_waits_for_slot = true;
    }
}

void CqeWriter::finish(const Completion& completion, const SlotAnswer& answer) {
    const TimePs now = m_timeline.now();
    const TimePs formed = m_rules.form(now);
    if (!answer.granted()) {
        leave(completion, Outcome::Lost, answer.cause);
        return;
    }
    const cqe::Codec& codec = cqe::codec_of(answer.format);
    codec.encode(completion, answer.owner, m_fill.fields(), m_dma.buffer());
    m_fill.formed(completion);
    const std::uint32_t place = m_rules.launch(answer.tag, completion.qpn, completion.queue);
    m_dma.send(answer.address, codec.stride, place, formed - now);
    arbiter_tsock->answered(answer_to(completion, Outcome::Granted));
}

void CqeWriter::slot_answered(const SlotAnswer& answer) {
    m_answered.push_back(answer);
    write_answered();
    take_held();
}

/// In the order in which the slots were given, as far as the window has room.
void CqeWriter::write_answered() {
    while (!m_answered.empty()) {
        const SlotAnswer next = m_answered.front();
        if (next.granted() && (m_rules.window_full() || !m_dma.can_send())) {
            return;
        }
        m_answered.erase(m_answered.begin());
        if (next.ends_ring) {
            end_ring(next);
        } else {
            const Completion asked = m_asking;  // finishing may start the next one
            m_waits_for_slot = false;
            finish(asked, next);
        }
    }
}

void CqeWriter::end_ring(const SlotAnswer& end) {
    const TimePs now = m_timeline.now();
    const TimePs formed = m_rules.form(now);
    cqe::encode_end_of_ring(end.format, end.owner, m_dma.buffer());
    const std::uint32_t place = m_rules.launch(end.tag, kNoQp, QueueKind::Send);
    m_dma.send(end.address, stride_of(end.format), place, formed - now);
}

void CqeWriter::write_done(std::uint32_t cookie, bool ok) {
    const WriterRules::Flight landed = m_rules.land(cookie);
    slot_isock->commit(landed.tag, ok);
    if (landed.qpn != kNoQp) {  // not the end of a ring
        qp_isock->left(landed.qpn, static_cast<QueueKind>(landed.queue));
    }
    take_held();
}

void CqeWriter::take_held() {
    write_answered();
    if (!m_holds || busy()) {
        return;
    }
    m_holds = false;
    take(m_held);
    arbiter_tsock->offer_done({OfferStatus::Taken, m_rules.free_at()});
}

}  // namespace cqsim
