// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_catalogue.h"

namespace cqsim::tb {

std::vector<WaveInfo> wave_catalogue() {
    return {
        {"cqsim.engine.notes",
         "text",
         "all that happened, with the rule's number: failures, overruns, losses, flushes, "
         "asynchronous events, the end"},
        {"cqsim.engine.tx_tap.suppressed", "64", "sends that were not reported (S2.1), so far"},
        {"cqsim.engine.tx_tap.notes", "text", "the last of them"},

        {"cqsim.engine.arbiter.queue_length", "32", "completions that wait for a grant"},
        {"cqsim.engine.arbiter.grants", "64", "grants so far"},
        {"cqsim.engine.arbiter.granted_qpn", "24", "QP of the last grant"},
        {"cqsim.engine.arbiter.granted_cqn", "24", "CQ of the last grant"},
        {"cqsim.engine.arbiter.granted_queue", "1", "its work queue: 0 send, 1 receive"},
        {"cqsim.engine.arbiter.granted_queue_text", "text", "the same in words: send, recv"},
        {"cqsim.engine.arbiter.granted_qp", "text", "name of the QP"},
        {"cqsim.engine.arbiter.granted_cq", "text", "name of the CQ"},
        {"cqsim.engine.arbiter.wait_ps", "64", "how long it had waited, ps"},

        {"cqsim.engine.writer.writes_in_flight", "32", "entries on their way to memory"},
        {"cqsim.engine.writer.writes", "64", "entries sent to memory so far"},
        {"cqsim.engine.writer.entry_status", "8", "status of the last entry sent (S1.10)"},
        {"cqsim.engine.writer.entry_status_text", "text", "the same in words, e.g. WR_FLUSH_ERR"},
        {"cqsim.engine.writer.entry_qp", "text", "name of the QP that it is about"},
        {"cqsim.engine.writer.entry_cq", "text", "name of the CQ that it goes to"},

        {"cqsim.engine.writer.notes", "text", "failed work reported (S2.2), writes that failed"},

        {"cqsim.engine.overflow.notes", "text", "overruns and CQ errors (S5.3a, S5.3b)"},
        {"cqsim.engine.overflow.cqs_<name>.occupancy_max",
         "32",
         "a group drawn as a whole: the fullest CQ"},
        {"cqsim.engine.overflow.cqs_<name>.occupancy_total", "64", "entries in all its CQs"},
        {"cqsim.engine.overflow.cqs_<name>.full", "32", "CQs that are full"},
        {"cqsim.engine.overflow.cqs_<name>.error", "32", "CQs in error"},
        {"cqsim.engine.overflow.cq_<name>.depth", "32", "entries that the ring holds"},
        {"cqsim.engine.overflow.cq_<name>.reserved_index",
         "index",
         "producer index: the next slot to be granted"},
        {"cqsim.engine.overflow.cq_<name>.published_index",
         "index",
         "producer index as software sees it: every entry before it is in memory"},
        {"cqsim.engine.overflow.cq_<name>.polled_index", "index", "the next entry the host reads"},
        {"cqsim.engine.overflow.cq_<name>.consumer_index",
         "index",
         "consumer index as the host published it"},
        {"cqsim.engine.overflow.cq_<name>.occupancy",
         "index",
         "reserved_index - consumer_index: what the full test sees (S3.14)"},
        {"cqsim.engine.overflow.cq_<name>.owner", "1", "owner bit of the last slot granted (S3.3)"},
        {"cqsim.engine.overflow.cq_<name>.state", "2", "0 none, 1 OK, 2 in error (S5.3c), 3 full"},
        {"cqsim.engine.overflow.cq_<name>.state_text",
         "text",
         "the same in words: NONE, OK, ERROR, FULL"},

        {"cqsim.engine.qp_table.notes", "text", "QPs that fail or flush (S5.3d, S2.18)"},
        {"cqsim.engine.qp_table.qps_<name>.reset", "32", "QPs of the group in state RESET"},
        {"cqsim.engine.qp_table.qps_<name>.init", "32", "in INIT"},
        {"cqsim.engine.qp_table.qps_<name>.rtr", "32", "in RTR"},
        {"cqsim.engine.qp_table.qps_<name>.rts", "32", "in RTS"},
        {"cqsim.engine.qp_table.qps_<name>.sqd", "32", "in SQD"},
        {"cqsim.engine.qp_table.qps_<name>.sqe", "32", "in SQE"},
        {"cqsim.engine.qp_table.qps_<name>.err", "32", "in ERR"},
        {"cqsim.engine.qp_table.qp_<name>.state",
         "3",
         "a QP of a group of at most 16: its state (S1.18); 7 none"},
        {"cqsim.engine.qp_table.qp_<name>.state_text", "text", "the same in words, e.g. RTS"},

        {"cqsim.engine.answers.suppressed", "64", "completions answered so (D4), so far"},
        {"cqsim.engine.answers.granted", "64", "reported: the entry is in memory"},
        {"cqsim.engine.answers.lost", "64", "lost: CQ full or in error, or the write failed"},
        {"cqsim.engine.answers.cancelled", "64", "dropped: the QP was destroyed"},
    };
}

}  // namespace cqsim::tb
