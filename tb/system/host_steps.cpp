// SPDX-License-Identifier: Apache-2.0
#include "tb/system/host_steps.h"

#include "models/observe/record_names.h"
#include "tb/host/poll_iterator.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kChunk = 64;  ///< entries of one poll of all

bool is_of_qp(const Step& step) {
    return step.kind == StepKind::CreateQp || step.kind == StepKind::ModifyQp ||
           step.kind == StepKind::DestroyQp || step.kind == StepKind::DrainQp;
}

/// What a refusal means, where the answer alone does not say it.
std::string why(const Command& command, CommandResult result) {
    if (result == CommandResult::Busy && std::holds_alternative<ResizeCq>(command)) {
        return ": it is being resized, or its ring has no slot left for the entry that ends it";
    }
    if (result == CommandResult::Busy && !std::holds_alternative<DestroyCq>(command)) {
        return ": it is being reset or destroyed";
    }
    if (result != CommandResult::Invalid) {
        return {};
    }
    if (const auto* modify = std::get_if<ModifyQp>(&command)) {
        return ": its state does not allow it to go to " + std::string(name(modify->state)) +
               " (S2.22 to S2.24)";
    }
    return std::holds_alternative<CreateQp>(command)
               ? ": it exists or is still being destroyed, or its CQs do not exist"
               : "";
}

/// The same for a drain.
std::string why_not_drained(CommandResult result) {
    switch (result) {
        case CommandResult::TimedOut:
            return ": a marker was lost, or not polled in time (S7.6)";
        case CommandResult::NoMemory:
            return ": a queue of it, or the account of its CQ, has no room for a marker (S7.6); "
                   "whoever "
                   "drains sees to it that there is some";
        case CommandResult::Invalid:
            return ": it takes no markers, or they were not flushed (S7.6)";
        default:
            return {};
    }
}

}  // namespace

HostSteps::HostSteps(Timeline& timeline,
                     const Scenario& scenario,
                     RecordStream& records,
                     Setup& setup,
                     Host& host,
                     Pipeline& tx,
                     Pipeline& rx,
                     Complaints& complaints)
    : m_timeline(timeline),
      m_scenario(scenario),
      m_setup(setup),
      m_host(host),
      m_complaints(complaints),
      m_drains(timeline, records, host.rings(), tx, rx, scenario.host_driver.command_timeout) {
    setup.forward_to(*this);
    m_drains.listen(*this);
    host.rings().reserve(kChunk);
}

void HostSteps::play(const Step& step) {
    if (step.kind == StepKind::LoseCommand) {
        m_host.driver().lose_next();
    } else if (step.kind == StepKind::ReadEq || step.kind == StepKind::ArmEq) {
        for_each_member(step.eq, m_scenario.eq, [&](std::uint32_t number) {
            play_on(step, Eqn{static_cast<std::uint16_t>(number)});
        });
    } else if (is_of_qp(step)) {
        for_each_member(
            step.qp, m_scenario.qp, [&](std::uint32_t number) { play_on(step, Qpn{number}); });
    } else {
        for_each_member(
            step.cq, m_scenario.cq, [&](std::uint32_t number) { play_on(step, Cqn{number}); });
    }
}

void HostSteps::play_on(const Step& step, Eqn eqn) {
    if (step.kind == StepKind::ArmEq) {
        m_host.queues().arm(eqn);
        return;
    }
    for (std::uint32_t i = 0; step.count == Step::kAll || i < step.count; ++i) {
        if (!m_host.event_loop().read(eqn)) {
            return;
        }
    }
}

void HostSteps::play_on(const Step& step, Qpn qpn) {
    const std::uint32_t tag = tag_of(step, m_scenario.qp_name(qpn));
    switch (step.kind) {
        case StepKind::CreateQp:
            m_setup.create_qp(tag, qpn, step.state);
            break;
        case StepKind::ModifyQp:
            m_host.driver().modify_qp(tag, {qpn, step.state, step.sqd_notify}, m_setup.cqs_of(qpn));
            break;
        case StepKind::DestroyQp:
            m_host.driver().destroy_qp(tag, qpn, m_setup.cqs_of(qpn));
            break;
        case StepKind::DrainQp:
            m_host.driver().modify_qp(tag, {qpn, QpState::Err, false}, m_setup.cqs_of(qpn));
            break;
        default:
            break;  // of CQs and event queues
    }
}

void HostSteps::play_on(const Step& step, Cqn cqn) {
    switch (step.kind) {
        case StepKind::Poll:
            poll(step, cqn);
            break;
        case StepKind::WriteCi:
            if (exists(step, cqn)) {
                m_host.rings().publish(cqn);
            }
            break;
        case StepKind::FillSlots:
            fill(step, cqn);
            break;
        case StepKind::Arm:
            if (exists(step, cqn)) {
                m_host.event_loop().arm(cqn, step.arm);
            }
            break;
        case StepKind::Ack:
            acknowledge(step, cqn);
            break;
        case StepKind::CreateCq:
            m_setup.create_cq(tag_of(step, cqn), cqn, step.wish);
            break;
        case StepKind::DestroyCq:
            m_host.driver().destroy_cq(tag_of(step, cqn), cqn);
            break;
        case StepKind::ModifyCq:
            m_host.driver().modify_cq(tag_of(step, cqn), {cqn, step.moderation});
            break;
        case StepKind::ResizeCq:
            m_setup.resize_cq(
                tag_of(step, cqn), cqn, step.wish.depth.value_or(m_scenario.group_of(cqn).depth));
            break;
        case StepKind::QueryCq:
            m_host.driver().query_cq(tag_of(step, cqn), cqn);
            break;
        case StepKind::Iterate:
            iterate(step, cqn);
            break;
        default:
            break;  // of QPs and event queues
    }
}

bool HostSteps::exists(const Step& step, Cqn cqn) {
    if (m_host.rings().has_ring(cqn)) {
        return true;
    }
    m_complaints.add(step, m_timeline.now(), "there is no CQ " + m_scenario.cq_name(cqn) + " now");
    return false;
}

void HostSteps::poll(const Step& step, Cqn cqn) {
    if (!exists(step, cqn)) {
        return;
    }
    std::uint32_t left = step.count;
    for (;;) {
        const std::uint32_t most = step.count == Step::kAll ? kChunk : std::min(left, kChunk);
        const std::uint32_t count = m_host.rings().take_unpublished(cqn, most);
        left -= count;
        if (count < most || left == 0) {
            return;
        }
    }
}

/// S1.6: start_poll, next_poll until it has `count` entries or finds no more, end_poll.
void HostSteps::iterate(const Step& step, Cqn cqn) {
    if (!exists(step, cqn)) {
        return;
    }
    PollIterator pass(m_host.rings());
    std::uint32_t found = 0;
    if (pass.start(cqn)) {
        found = 1;
        while (found != step.count && pass.next()) {
            ++found;
        }
        pass.end();
    }
    if (step.expect_entries && found != *step.expect_entries) {
        m_complaints.add(step,
                         m_timeline.now(),
                         "of CQ " + m_scenario.cq_name(cqn) + " the host read " +
                             std::to_string(found) + " entries, expected " +
                             std::to_string(*step.expect_entries));
    }
}

void HostSteps::fill(const Step& step, Cqn cqn) {
    if (!exists(step, cqn)) {
        return;
    }
    const std::uint32_t most = m_host.rings().unreturned(cqn);
    const std::uint32_t count = step.count == Step::kAll ? most : step.count;
    if (count > most) {
        m_complaints.add(step,
                         m_timeline.now(),
                         "of CQ " + m_scenario.cq_name(cqn) + " the host has read " +
                             std::to_string(most) +
                             " entries whose slots it has not returned, fewer than " +
                             std::to_string(count) + "; the other slots are the device's (S3.8)");
        return;
    }
    m_host.rings().fill(cqn, count, std::byte{step.byte});
}

void HostSteps::acknowledge(const Step& step, Cqn cqn) {
    if (!m_host.event_loop().acknowledge(cqn, step.count)) {
        m_complaints.add(step,
                         m_timeline.now(),
                         "CQ " + m_scenario.cq_name(cqn) + " has " +
                             std::to_string(m_host.event_loop().unacknowledged(cqn)) +
                             " events to acknowledge, fewer than " + std::to_string(step.count) +
                             " (S6.18)");
        return;
    }
    m_host.driver().acknowledged(cqn);
}

std::uint32_t HostSteps::tag_of(const Step& step, const std::string& target) {
    const std::uint32_t tag = m_given.take();
    m_given[tag] = {&step, target};
    return tag;
}

/// S7.6: the QP is in ERR; its markers go behind all that was posted.
void HostSteps::answered(std::uint32_t tag, const Command& command, const CommandAnswer& answer) {
    CommandAnswer result = answer;
    if (m_given[tag].step->kind == StepKind::DrainQp && answer.result == CommandResult::Ok) {
        result.result = m_drains.begin(tag, std::get<ModifyQp>(command).qpn);
        if (result.result == CommandResult::Ok) {
            m_draining.push_back(tag);
            return;
        }
    }
    judge(tag, command, result);
}

void HostSteps::drained(std::uint32_t tag, CommandResult result) {
    m_draining.erase(std::find(m_draining.begin(), m_draining.end(), tag));
    CommandAnswer answer;
    answer.result = result;
    judge(tag, ModifyQp{}, answer);
}

void HostSteps::finish() {
    for (const std::uint32_t tag : m_draining) {
        m_complaints.add(*m_given[tag].step,
                         m_timeline.now(),
                         "the markers of " + m_given[tag].target +
                             " have not both been polled when the run ends (S7.6)");
    }
}

void HostSteps::judge(std::uint32_t tag, const Command& command, const CommandAnswer& answer) {
    m_given.give_back(tag);
    const Given& given = m_given[tag];
    const Step& step = *given.step;
    if (answer.result != step.expect_result) {
        m_complaints.add(step,
                         m_timeline.now(),
                         (step.kind == StepKind::DrainQp ? "the drain of " : "the command on ") +
                             given.target + " was answered " + std::string(name(answer.result)) +
                             ", expected " + std::string(name(step.expect_result)) +
                             (step.kind == StepKind::DrainQp ? why_not_drained(answer.result)
                                                             : why(command, answer.result)));
    } else if (step.kind == StepKind::QueryCq && answer.result == CommandResult::Ok) {
        compare(given, answer.cq);
    }
}

/// What the device answered to a query, with what the step expects.
void HostSteps::compare(const Given& given, const CqContext& context) {
    const CqExpectation& wanted = given.step->expect;
    std::string differs;
    const auto look_at = [&](const char* what, auto is, auto expected, auto spell) {
        if (expected && *expected != is) {
            differs += (differs.empty() ? "" : ", ") + std::string(what) + " = " + spell(is) +
                       " (expected " + spell(*expected) + ")";
        }
    };
    const auto number = [](std::uint32_t value) { return std::to_string(value); };
    const auto word = [](auto value) { return std::string(name(value)); };
    look_at("state", context.state, wanted.state, word);
    look_at("slots", context.depth, wanted.slots, number);
    look_at("producer", context.producer, wanted.producer, number);
    look_at("consumer", context.consumer, wanted.consumer, number);
    look_at("armed", context.armed, wanted.armed, word);
    if (!differs.empty()) {
        m_complaints.add(
            *given.step, m_timeline.now(), "the query of CQ " + given.target + " says " + differs);
    }
}

}  // namespace cqsim::tb
