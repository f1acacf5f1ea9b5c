// SPDX-License-Identifier: Apache-2.0
// Writes an event log with every kind of record, for the test of the JSON schema.
#include "tb/unit/event_log_files.h"

#include <iostream>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: event_log_sample FILE\n";
        return 2;
    }
    cqsim::tb::write_log(argv[1], cqsim::tb::rich_trace(), cqsim::tb::rich_header());
    return 0;
}
