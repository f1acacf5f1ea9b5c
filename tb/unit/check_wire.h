// SPDX-License-Identifier: Apache-2.0
/// \file
/// A story of two connected QPs, told record by record, for tests of their checker.
#pragma once

#include "models/observe/record.h"
#include "models/verbs/verbs.h"
#include "tb/check/wire_checker.h"

#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace cqsim::tb {

/// QPs 0 and 1 are connected, with retry_cnt 2 and rnr_retry 1. Of packets the number of a request
/// is its wqe_index.
class WireStory {
  public:
    explicit WireStory(QpType type = QpType::Rc) {
        for (const std::uint32_t qp : {0U, 1U}) {
            Record create = of(qp, Kind::Create);
            create.state = static_cast<std::uint8_t>(type);
            m_records.push_back(create);
            state(qp, QpState::Rts);
        }
    }

    void later() { m_now += 1000; }
    void state(std::uint32_t qp, QpState state) {
        Record record = of(qp, Kind::QpState);
        record.state = static_cast<std::uint8_t>(state);
        m_records.push_back(record);
    }
    void receives(std::uint32_t qp, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            Record record = of(qp, Kind::Post);
            record.queue = QueueKind::Receive;
            m_records.push_back(record);
        }
    }
    void request(std::uint32_t qp, std::uint32_t number, WrOpcode opcode = WrOpcode::Send) {
        later();
        opcode_of(number) = opcode;
        packet(qp, PacketType::Request, number, kSent);
    }
    void again(std::uint32_t qp, std::uint32_t number) {
        later();
        packet(qp, PacketType::Request, number, kSent);
    }
    /// At the time of what it answers.
    void answer(std::uint32_t qp, PacketType type, std::uint32_t number) {
        packet(qp, type, number, kSent);
    }
    void comes(std::uint32_t qp, PacketType type, std::uint32_t number) {
        later();
        packet(qp, type, number, 0);
    }
    void ended(std::uint32_t qp,
               QueueKind queue,
               std::uint32_t wqe_index,
               WcStatus status = WcStatus::Success,
               WcOpcode opcode = WcOpcode::Send) {
        Record record = of(qp, Kind::Complete);
        record.queue = queue;
        record.index = wqe_index;
        record.state = static_cast<std::uint8_t>(status);
        CompletionDetails details;
        details.opcode = static_cast<std::uint8_t>(opcode);
        m_details.push_back(details);
        record.b = sizeof(CompletionDetails);
        record.wr_id = m_details.size() - 1;  // where the details are, until the story is checked
        m_records.push_back(record);
    }
    void outcome(std::uint32_t qp, std::uint32_t wqe_index, Outcome outcome) {
        Record record = of(qp, Kind::Outcome);
        record.queue = QueueKind::Receive;
        record.index = wqe_index;
        record.state = static_cast<std::uint8_t>(outcome);
        m_records.push_back(record);
    }
    void raise(std::uint32_t qp, AsyncEvent event) {
        Record record = of(qp, Kind::Async);
        record.state = static_cast<std::uint8_t>(event);
        m_records.push_back(record);
    }

    /// The n-th record of this kind of the QP is left out, or changed.
    void erase(std::uint32_t qp, Kind kind, std::size_t n) {
        m_records.erase(m_records.begin() + position(qp, kind, n));
    }
    template <class Change>
    void change(std::uint32_t qp, Kind kind, std::size_t n, Change change) {
        change(m_records[static_cast<std::size_t>(position(qp, kind, n))]);
    }

    /// The rules that fail on it, in order.
    std::vector<std::string> broken() const {
        std::vector<std::string> rules;
        const check::Findings findings = check_it();
        for (const check::Failure& failure : findings.failures()) {
            rules.emplace_back(failure.rule);
        }
        return rules;
    }
    std::uint64_t checked(std::string_view rule) const {
        std::uint64_t checked = 0;
        for (const check::RuleCount& count : check_it().rules()) {
            checked += count.rule == rule ? count.checked : 0;
        }
        return checked;
    }

  private:
    WrOpcode& opcode_of(std::uint32_t number) {
        if (number >= m_opcode.size()) {
            m_opcode.resize(number + std::size_t{1}, WrOpcode::Send);
        }
        return m_opcode[number];
    }
    Record of(std::uint32_t qp, Kind kind) const {
        Record record;
        record.kind = kind;
        record.time_ps = m_now;
        record.qpn = Qpn{qp};
        return record;
    }
    void packet(std::uint32_t qp, PacketType type, std::uint32_t number, std::uint8_t flags) {
        Record record = of(qp, Kind::Packet);
        record.serial = 1 - qp;
        record.state = static_cast<std::uint8_t>(type);
        record.index = number;
        record.wr_id = number;
        record.b = static_cast<std::uint16_t>(opcode_of(number));
        record.flags = flags;
        m_records.push_back(record);
    }
    std::ptrdiff_t position(std::uint32_t qp, Kind kind, std::size_t n) const {
        for (std::size_t i = 0; i < m_records.size(); ++i) {
            if (m_records[i].kind == kind && m_records[i].qpn == Qpn{qp} && n-- == 0) {
                return static_cast<std::ptrdiff_t>(i);
            }
        }
        throw std::logic_error("WireStory: there is no such record");
    }
    check::Findings check_it() const {
        check::Settings settings;
        settings.connection = {{0, 1, 1, 2, 1}};
        check::Findings findings{check::Names{}};
        check::WireChecker checker(settings, findings);
        std::uint64_t now = 0;
        for (const Record& told : m_records) {
            now = told.time_ps;
            feed(checker, told);
        }
        checker.finish(now, true);
        return findings;
    }
    void feed(check::WireChecker& checker, const Record& told) const {
        Record record = told;
        switch (record.kind) {
            case Kind::Create:
                checker.on_create(record);
                break;
            case Kind::QpState:
                checker.on_qp_state(record);
                break;
            case Kind::Post:
                checker.on_post(record);
                break;
            case Kind::Complete:
                record.bytes = reinterpret_cast<const std::byte*>(&m_details[told.wr_id]);
                checker.on_complete(record);
                break;
            case Kind::Outcome:
                checker.on_outcome(record);
                break;
            case Kind::Async:
                checker.on_async(record);
                break;
            default:
                checker.on_packet(record);
                break;
        }
    }

    std::uint64_t m_now = 1000;
    std::vector<WrOpcode> m_opcode;  ///< by number
    std::vector<Record> m_records;
    std::deque<CompletionDetails> m_details;
};

}  // namespace cqsim::tb
