// SPDX-License-Identifier: Apache-2.0
// Writes an event log with every kind of record, for the test of the JSON schema.
#include "models/verbs/wc_field.h"
#include "tb/unit/event_log_files.h"

#include <iostream>

namespace {

void write_sample(const char* path) {
    using namespace cqsim::tb;
    RunHeader header = rich_header();
    header.eq = {{"ceq", 0, 1}, {"aeq", 1, 1}};
    header.srq = {{"pool", 1, 1}};
    header.vectors = 2;
    header.connection = {{0, 1, 1, 2, 7}};
    EventLogWriter writer(path, header, cqsim::kAllKinds, [](std::uint8_t) { return "nic"; });
    for (const Trace& trace :
         {rich_trace(), event_trace(), life_trace(), drained_trace(cqsim::QueueKind::Send)}) {
        writer.observe({trace.records().data(), trace.records().size()});
    }
    for (const cqsim::Kind kind : {cqsim::Kind::Resize, cqsim::Kind::Query}) {
        cqsim::Record record;
        record.kind = kind;
        record.cqn = cqsim::Cqn{0};
        record.state = 1;
        writer.observe({&record, 1});
    }
    for (const cqsim::Kind kind : {cqsim::Kind::Create, cqsim::Kind::Post, cqsim::Kind::Modify}) {
        cqsim::Record record;
        record.kind = kind;
        record.flags = cqsim::kShared;
        record.unit = 1;
        record.index = 4;
        record.queue = cqsim::QueueKind::Receive;
        writer.observe({&record, 1});
    }
    cqsim::Record read;  // by software that errs: in no legal trace
    read.kind = cqsim::Kind::UndefinedRead;
    read.cqn = cqsim::Cqn{0};
    read.qpn = cqsim::Qpn{0};
    read.state = static_cast<std::uint8_t>(cqsim::WcStatus::WrFlushErr);
    read.a = static_cast<std::uint64_t>(cqsim::WcField::Opcode);
    writer.observe({&read, 1});
    cqsim::Record packet;
    packet.kind = cqsim::Kind::Packet;
    packet.qpn = cqsim::Qpn{0};
    packet.serial = 1;
    packet.state = static_cast<std::uint8_t>(cqsim::PacketType::RnrNak);
    packet.b = static_cast<std::uint16_t>(cqsim::WrOpcode::Send);
    packet.flags = cqsim::kSent;
    writer.observe({&packet, 1});
    writer.close();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: event_log_sample FILE\n";
        return 2;
    }
    try {
        write_sample(argv[1]);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
    return 0;
}
