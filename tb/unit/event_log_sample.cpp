// SPDX-License-Identifier: Apache-2.0
// Writes an event log with every kind of record, for the test of the JSON schema.
#include "tb/unit/event_log_files.h"

#include <iostream>
#include <vector>

namespace {

/// Before the run ends a QP is reset (S7.3), and a CQ gets other moderation and goes (S4.9, S4.12).
void end_a_life(cqsim::tb::Trace& trace) {
    using namespace cqsim;
    std::vector<Record>& records = trace.records();
    Record record;
    record.time_ps = records.back().time_ps;
    record.qpn = Qpn{1};
    record.generation = 1;
    record.kind = Kind::Modify;
    record.state = static_cast<std::uint8_t>(QpState::Reset);
    records.insert(records.end() - 1, record);
    record.kind = Kind::Destroy;
    for (const DestroyPhase phase : {DestroyPhase::Begun, DestroyPhase::Done}) {
        record.state = static_cast<std::uint8_t>(phase);
        records.insert(records.end() - 1, record);
    }
    Record of_cq;
    of_cq.time_ps = record.time_ps;
    of_cq.cqn = Cqn{1};
    of_cq.kind = Kind::Modify;
    of_cq.index = 8;
    of_cq.a = 1'000'000;
    records.insert(records.end() - 1, of_cq);
    of_cq.kind = Kind::Destroy;
    of_cq.state = static_cast<std::uint8_t>(DestroyPhase::Done);
    records.insert(records.end() - 1, of_cq);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: event_log_sample FILE\n";
        return 2;
    }
    cqsim::tb::Trace trace = cqsim::tb::rich_trace();
    end_a_life(trace);
    cqsim::tb::write_log(argv[1], trace, cqsim::tb::rich_header());
    return 0;
}
