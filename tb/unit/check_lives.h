// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lives of QPs, for tests of the checkers.
#pragma once

#include "tb/unit/check_verdict.h"

namespace cqsim::tb {

/// Three QPs of a CQ without an event queue.
struct Lives {
    Trace trace;
    LegalStream stream;

    explicit Lives(QpType type = QpType::Uc)
        : stream(options(type), trace.sink()) {}
    Lives(const Lives&) = delete;
    Lives& operator=(const Lives&) = delete;

    static LegalStream::Options options(QpType type) {
        LegalStream::Options options;
        options.qps = 3;
        options.type = type;
        return options;
    }
    void destroy(std::uint32_t qp) {
        stream.destroy_qp(qp, DestroyPhase::Begun);
        stream.cancel(qp);
        stream.destroy_qp(qp, DestroyPhase::Done);
    }
    /// A record of this time that the stream does not know.
    Record& add(Kind kind) {
        Record record;
        record.kind = kind;
        record.time_ps = trace.records().back().time_ps;
        trace.add(record);
        return trace.records().back();
    }
    Trace& end(EndReason reason = EndReason::Idle) {
        stream.end(reason);
        return trace;
    }
};

}  // namespace cqsim::tb
