// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/retold.h"

#include "tb/record/event_log_check.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace cqsim::tb::test {
namespace {

/// As far as the record of its end knows it.
Completion completion_of(const Record& record, const std::byte* details) {
    Completion completion;
    completion.serial = record.serial;
    completion.wr_id = record.wr_id;
    completion.qpn = record.qpn;
    completion.wqe_index = record.index;
    completion.generation = record.generation;
    completion.queue = record.queue;
    completion.status = static_cast<WcStatus>(record.state);
    completion.signaled = (record.flags & kSignaled) != 0;
    std::memcpy(&completion.details, details, sizeof(completion.details));
    return completion;
}

}  // namespace

void Retelling::observe(const RecordBatch& batch) {
    for (const Record& record : batch) {
        Record told = record;
        std::array<std::byte, RecordStream::kMaxBytes> bytes{};
        if (record.bytes != nullptr) {
            std::memcpy(bytes.data(), record.bytes, record.b);
            told.bytes = bytes.data();
        }
        if (m_retell(told, bytes.data())) {
            m_checkers.observe({&told, 1});
        }
    }
}

std::set<std::string> Retelling::finish() {
    m_checkers.finish();
    std::set<std::string> failed;
    for (const check::RuleCount& rule : m_checkers.rules()) {
        if (rule.failed != 0) {
            failed.emplace(rule.rule);
        }
    }
    return failed;
}

std::string Retelling::text() const {
    std::string text;
    for (const check::Failure& failure : m_checkers.failures()) {
        text += std::string(failure.rule) + " " + failure.object + ": " + failure.text + "\n";
    }
    return text;
}

RetoldRun run_with_pipeline(const std::string& shipped_scenario,
                            QueueKind queue,
                            const PipelineFault& fault) {
    const Scenario scenario = shipped(shipped_scenario);
    TapHooks hooks;
    hooks.offered = [&fault](const Completion& completion) {
        std::vector<Completion> passed{completion};
        fault(passed.front());
        return passed;
    };
    Retelling retelling(checker_settings(header_of(scenario)),
                        [&](Record& record, std::byte* bytes) {
                            if (record.kind == Kind::Complete && record.queue == queue) {
                                Completion completion = completion_of(record, bytes);
                                fault(completion);
                                record.state = static_cast<std::uint8_t>(completion.status);
                                record.flags &= static_cast<std::uint8_t>(~kFlushed);
                                if (completion.status == WcStatus::WrFlushErr) {
                                    record.flags |= kFlushed;
                                }
                                std::memcpy(bytes, &completion.details, sizeof(completion.details));
                            }
                            return true;
                        });
    RetoldRun retold;
    retold.run = run_with(scenario, spoiled_tap(queue, hooks), &retelling);
    retold.told = retelling.finish();
    retold.text = retelling.text();
    return retold;
}

bool tells(const RetoldRun& run, const std::set<std::string>& rules) {
    UNSCOPED_INFO(run.text);
    return run.told == rules;
}

}  // namespace cqsim::tb::test
