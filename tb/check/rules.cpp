// SPDX-License-Identifier: Apache-2.0
#include "tb/check/rules.h"

namespace cqsim::tb::check {
namespace {

struct Statement {
    Rule rule;
    std::string_view id;
    std::string_view text;
};

// Indexed by Rule.
constexpr std::array<Statement, kRules> kStatements{{
    {Rule::EntryIdentity, "S1.1", "an entry names its request: wr_id, qp_num, queue, index, time"},
    {Rule::FailedContent, "S1.2", "of a failed entry status and vendor_err count, and no more"},
    {Rule::DefinedReads, "S1.2", "software uses only those fields of an entry that are defined"},
    {Rule::SuccessContent, "S1.3", "a successful entry has what the pipeline completed"},
    {Rule::ImmOrInv, "S1.4", "WITH_IMM and WITH_INV exclude each other"},
    {Rule::PollOrder, "S1.7", "every entry is polled in order and once"},
    {Rule::StatusOfSide, "S1.10", "a request ends as its side and the type of its QP allow"},
    {Rule::FailureMoves, "S1.11", "a failure moves its QP as status, side and type ask for"},
    {Rule::Opcode, "S1.15", "a success completes with the opcode of its request"},
    {Rule::OpcodeOfType, "S1.17", "a QP is posted only what its type has"},
    {Rule::QpStates, "S1.18", "a QP goes where its state machine allows, and where it was told to"},
    {Rule::ReportSignaled, "S2.1", "a successful send is reported if and only if it was asked for"},
    {Rule::ReportFailed, "S2.2", "a failed request is reported, signaled or not"},
    {Rule::CompletionOrder, "S2.4", "requests complete in the order in which they were posted"},
    {Rule::SendCredit, "S2.5", "a send queue holds no more requests than it has slots given back"},
    {Rule::AnswerEnds,
     "S2.7",
     "a request ends when an answer covers it; of UC and UD when it is sent"},
    {Rule::RetryLimit, "S2.8", "a request is sent again as often as is allowed, then it fails"},
    {Rule::ReportReceive, "S2.9", "every consumed receive request is reported once"},
    {Rule::ConsumesReceive, "S2.10", "only SENDs and RDMA_WRITE_WITH_IMM take a receive request"},
    {Rule::SharedRequest,
     "S2.11",
     "a request of an SRQ is taken in order and by one QP, and its slot used again after its end"},
    {Rule::AckAfterReport, "S2.13", "a message is answered when its completion has its slot"},
    {Rule::DatagramLength, "S2.14", "byte_len of a datagram counts 40 bytes of GRH beside its own"},
    {Rule::ResponderClass,
     "S2.16",
     "what a message does, what is reported, what is answered agree"},
    {Rule::NakStatus, "S2.17", "a NAK says how the receive request ended, and how the send does"},
    {Rule::FlushInError, "S2.18", "a queue is flushed in error, with WR_FLUSH_ERR, all of it"},
    {Rule::ErrorThenFlush, "S2.19", "after a failed request only WR_FLUSH_ERR in its work queue"},
    {Rule::FlushOrder, "S2.21", "of a failed QP one queue flushes first, where that is promised"},
    {Rule::SqeReceives, "S2.22", "in SQE the send queue is flushed, it alone; an RC QP has no SQE"},
    {Rule::SqDrained,
     "S2.23",
     "in SQD no send starts; SQ_DRAINED comes once, behind those in progress"},
    {Rule::PostState, "S2.24", "a queue takes requests only in states that allow it"},
    {Rule::SilentInError, "S2.25", "a QP in error sends nothing but the NAK that says why"},
    {Rule::LastWqe,
     "S2.26",
     "of an SRQ only what was taken is flushed; in ERR LAST_WQE_REACHED comes once, behind it"},
    {Rule::ConsumerIndex, "S3.1", "the consumer index never passes what is visible in the ring"},
    {Rule::OwnerBit, "S3.3", "the owner bit of an entry tells its lap"},
    {Rule::WholeEntry, "S3.6", "an entry is visible whole, as it was written"},
    {Rule::ReadThenRelease, "S3.7", "software reads an entry before it gives its slot back"},
    {Rule::SlotReuse, "S3.8", "an entry keeps its bytes until it is polled"},
    {Rule::QueueToCq, "S3.9", "a completion goes to the CQ of its work queue"},
    {Rule::EqPlace, "S3.5", "entries of an event queue: index mod depth, owner bit of the lap"},
    {Rule::EntryOrder, "S3.10", "entries go through the ring in order, without a hole"},
    {Rule::SlotPlace, "S3.11", "slot = index mod depth, at ring + slot * stride"},
    {Rule::FreeRunning, "S3.13", "the producer index counts the slots that were given"},
    {Rule::PublishedFull, "S3.14", "a slot is given only if the published index leaves room"},
    {Rule::IgnoreOverrun, "S4.3", "a CQ that ignores overruns refuses nothing: it overwrites"},
    {Rule::NotArmedAtFirst, "S4.5", "a CQ reports nothing before it was armed the first time"},
    {Rule::ResizeKeeps, "S4.6", "a resize loses no entry and doubles none, and keeps their order"},
    {Rule::ModerationLimit, "S4.9", "moderation delays an event to its count or period, no more"},
    {Rule::CqInUse, "S4.11", "a CQ is not destroyed while a QP reports to it"},
    {Rule::CqGone, "S4.12", "nothing is given or reported for a CQ that was destroyed"},
    {Rule::QueryAnswer, "S4.15", "a query of a CQ is answered with what the records say"},
    {Rule::CqErrFirst, "S5.2", "CQ_ERR is raised before the QP_FATAL of any of its QPs"},
    {Rule::OverrunCause, "S5.3a", "an overrun is an attempt to add to a full CQ"},
    {Rule::CqErrOnce, "S5.3b", "a CQ that overruns raises CQ_ERR, once"},
    {Rule::StickyError, "S5.3c", "a CQ in error takes no entry, even after it was drained"},
    {Rule::QpFatal, "S5.3d", "a QP whose completion was refused goes to ERR with QP_FATAL"},
    {Rule::LazyError, "S5.3e", "no other QP of that CQ gets QP_FATAL before it tries to use it"},
    {Rule::LostNotReported, "S5.3f", "a refused completion is not reported as delivered"},
    {Rule::NoOverwrite, "S5.3i", "no entry is written over one that was not given back"},
    {Rule::LostIsSilent, "S5.5", "a message whose completion is lost is not answered"},
    {Rule::SrqLimit, "S5.9", "SRQ_LIMIT_REACHED comes once for an armed limit, below it"},
    {Rule::EventPerArm, "S6.1", "at most one event for an arm, for an entry added after it"},
    {Rule::SolicitedEvent, "S6.2", "armed for solicited: only a solicited or failed entry reports"},
    {Rule::ArmMerge, "S6.5", "of two arms the one for any entry counts, in either order"},
    {Rule::LevelEvent, "S6.7", "by level: an arm reports at once if it leaves entries unread"},
    {Rule::EventAfterEntry, "S6.15", "entry, then event, then event queue entry, then interrupt"},
    {Rule::NoEventInError, "S6.16", "a CQ in error raises no completion event"},
    {Rule::EntryPerEvent, "S6.21", "each event gets one entry, of its object, in its event queue"},
    {Rule::InterruptPerArm, "S6.22", "an armed event queue with unread entries interrupts, once"},
    {Rule::EqFault, "S6.23", "DEVICE_FATAL is about an event queue that misses an event, once"},
    {Rule::EqOverwrite, "S6.24", "no event queue entry is written over one that was not read"},
    {Rule::DeadLife, "S7.2", "nothing is given or written for a life of a QP that has ended"},
    {Rule::LifeAnswered, "S7.3", "a life ends after each of its requests got its answer"},
    {Rule::ResetFrom,
     "S7.4",
     "a QP is reset from the states that the device promises, and no other"},
    {Rule::DrainedEmpty, "S7.6", "a QP that software has drained holds no request"},
    {Rule::Compaction, "S7.7", "a sweep takes out entries of dead QPs and keeps all others"},
    {Rule::NoLostWakeUp, "I6", "an armed CQ with an entry to report reports it in time"},
    {Rule::Conservation, "D4", "every posted request ends once: reported, retired, lost or open"},
    {Rule::RecordContract, "D6", "records keep the contract of the event log"},
}};

constexpr bool in_order() {
    for (std::size_t i = 0; i < kRules; ++i) {
        if (static_cast<std::size_t>(kStatements.at(i).rule) != i) {
            return false;
        }
    }
    return true;
}
static_assert(in_order(), "kStatements is indexed by Rule");

}  // namespace

std::string_view id(Rule rule) {
    return kStatements.at(static_cast<std::size_t>(rule)).id;
}

std::string_view statement(Rule rule) {
    return kStatements.at(static_cast<std::size_t>(rule)).text;
}

std::vector<RuleCount> Findings::rules() const {
    std::vector<RuleCount> rules;
    rules.reserve(kRules);
    for (std::size_t i = 0; i < kRules; ++i) {
        const Count& count = m_counts.at(i);
        if (i != 0 && kStatements.at(i).id == rules.back().rule) {
            rules.back().checked += count.checked;  // two sides of one rule of the sheet
            rules.back().failed += count.failed;
            continue;
        }
        rules.push_back(
            {kStatements.at(i).id, kStatements.at(i).text, count.checked, count.failed});
    }
    return rules;
}

std::string Findings::object_name(Cqn cqn) const {
    return "cq." + (m_names.cq ? m_names.cq(cqn) : std::to_string(index_of(cqn)));
}

std::string Findings::object_name(Qpn qpn) const {
    return "qp." + (m_names.qp ? m_names.qp(qpn) : std::to_string(index_of(qpn)));
}

std::string Findings::object_name(Eqn eqn) const {
    return "eq." + (m_names.eq ? m_names.eq(eqn) : std::to_string(index_of(eqn)));
}

std::string hex(std::uint64_t value) {
    std::ostringstream text;
    text << "0x" << std::hex << value;
    return text.str();
}

}  // namespace cqsim::tb::check
