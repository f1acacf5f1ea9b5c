// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/soak_scenario.h"

#include "tb/scenario/reader.h"

#include <string>
#include <vector>

namespace cqsim::tb::bench {
namespace {

/// CQ indices begin 2^18 before 2^32, so that the busy CQ passes 2^32 soon and 2^24 later.
constexpr const char* kObjects = R"(
about = "Everything that the block does, again and again."
size = "full"

[device]
cqe_writer = { writes_in_flight = 128 }
overflow = { first_index = 4294705152 }
memory = { read_latency = "100 ns" }

[host_driver]
stale = "compact"

[[eq]]
name = "ceq"
count = 2
depth = 64
vector = 0
[[eq]]
name = "by_hand"
depth = 16
vector = 2
reader = "script"
[[eq]]
name = "aeq"
kind = "async"
depth = 64
vector = 3

[[cq]]
name = "busy"
depth = 4096
[[cq]]
name = "moderated"
count = 4
depth = 256
eq = "ceq"
moderation = { count = 16, period = "5 us" }
[[cq]]
name = "each"
count = 2
depth = 64
eq = "ceq"
[[cq]]
name = "solicited"
depth = 64
eq = "ceq"
[[cq]]
name = "by_hand"
depth = 64
eq = "by_hand"
[[cq]]
name = "failing"
depth = 1024
[[cq]]
name = "swept"
depth = 512
[[cq]]
name = "polled_anew"
depth = 64
[[cq]]
name = "woken_anew"
depth = 64
eq = "ceq"
[[cq]]
name = "small"
depth = 16

[[qp]]
name = "busy"
count = 32
send_cq = "busy"
recv_cq = "busy"
send_depth = 64
recv_depth = 64
[[qp]]
name = "drained"
send_cq = "busy"
recv_cq = "busy"
[[qp]]
name = "seldom"
count = 16
send_cq = "busy"
recv_cq = "busy"
signal_every = 8
[[qp]]
name = "moderated"
count = 16
send_cq = "moderated"
recv_cq = "moderated"
send_depth = 64
recv_depth = 64
[[qp]]
name = "each"
count = 4
send_cq = "each"
recv_cq = "each"
[[qp]]
name = "solicited"
count = 4
send_cq = "solicited"
recv_cq = "solicited"
[[qp]]
name = "by_hand"
send_cq = "by_hand"
recv_cq = "by_hand"
[[qp]]
name = "failing"
count = 4
send_cq = "failing"
recv_cq = "failing"
send_depth = 64
[[qp]]
name = "datagram"
send_cq = "failing"
recv_cq = "failing"
send_depth = 64
type = "UD"
[[qp]]
name = "mortal"
count = 2
send_cq = "swept"
recv_cq = "swept"
send_depth = 128
recv_depth = 128
[[qp]]
name = "anew"
send_cq = "polled_anew"
recv_cq = "woken_anew"
[[qp]]
name = "overrunning"
send_cq = "small"
recv_cq = "small"
send_depth = 32
[[qp]]
name = "near"
count = 2
send_cq = "busy"
recv_cq = "busy"
[[qp]]
name = "far"
count = 2
send_cq = "busy"
recv_cq = "busy"
[[connection]]
a = "near"
b = "far"
ack_every = 2

[[traffic]]
qp = "near"
send = { rate = "100 k/s" }
[[traffic]]
qp = "busy"
send = { rate = "1 M/s", order = "shuffled" }
recv = { rate = "1 M/s", order = "shuffled", opcode = "SEND_WITH_IMM" }
[[traffic]]
qp = "seldom"
send = { rate = "1 M/s", opcode = "RDMA_WRITE" }
[[traffic]]
qp = "moderated"
send = { rate = "500 k/s" }
recv = { rate = "500 k/s" }
[[traffic]]
qp = "each"
send = { rate = "25 k/s" }
recv = { rate = "25 k/s" }
[[traffic]]
qp = "solicited"
recv = { rate = "200 k/s", solicited_every = 4 }
[[traffic]]
qp = "by_hand"
send = { rate = "100 k/s" }
[[traffic]]
qp = "failing"
send = { rate = "1 M/s" }
recv = { rate = "1 M/s" }
[[traffic]]
qp = "datagram"
send = { rate = "1 M/s" }
[[traffic]]
qp = "mortal"
send = { rate = "1 M/s" }
recv = { rate = "500 k/s" }
[[traffic]]
qp = "anew"
send = { rate = "100 k/s" }
recv = { rate = "100 k/s" }
[[traffic]]
qp = "overrunning"
send = { rate = "500 k/s" }

[[host]]
cq = "busy"
batch = 64
interval = "400 ns"
[[host]]
cq = "moderated"
mode = "event"
batch = 64
[[host]]
cq = "each"
mode = "event"
[[host]]
cq = "solicited"
mode = "event"
arm = "solicited"
[[host]]
cq = "by_hand"
mode = "script"
[[host]]
cq = "failing"
batch = 64
interval = "1 us"
[[host]]
cq = "swept"
batch = 128
interval = "10 us"
[[host]]
cq = "polled_anew"
[[host]]
cq = "woken_anew"
mode = "event"
[[host]]
cq = "small"
mode = "script"
)";

/// A step of each cycle: when, in us from the cycle's start, and what.
struct CycleStep {
    unsigned at_us;
    const char* what;
};

constexpr CycleStep kSteps[] = {
    {90, R"(do = "destroy_cq"
cq = "busy"
expect_result = "busy")"},
    {95, R"(do = "post"
qp = "failing"
count = 4
latency = "20 us")"},
    {95, R"(do = "post"
qp = "datagram"
count = 4
latency = "20 us")"},
    {95, R"(do = "post"
qp = "drained"
count = 4
latency = "20 us")"},
    {97, R"(do = "drain_qp"
qp = "drained")"},
    {100, R"(do = "fail"
qp = "failing"
status = "RETRY_EXC_ERR")"},
    {102, R"(do = "fail"
qp = "datagram"
status = "LOC_LEN_ERR")"},
    {110, R"(do = "modify_qp"
qp = "datagram")"},
    {115, R"(do = "destroy_qp"
qp = "drained")"},
    {118, R"(do = "create_qp"
qp = "drained")"},
    {120, R"(do = "modify_qp"
qp = "failing"
state = "RESET")"},
    {130, R"(do = "modify_qp"
qp = "failing"
state = "INIT")"},
    {131, R"(do = "modify_qp"
qp = "failing"
state = "RTR")"},
    {132, R"(do = "modify_qp"
qp = "failing")"},
    {145, R"(do = "destroy_qp"
qp = "mortal[0]")"},
    {170, R"(do = "create_qp"
qp = "mortal[0]")"},
    {200, R"(do = "destroy_qp"
qp = "overrunning")"},
    {210, R"(do = "destroy_cq"
cq = "small")"},
    {215, R"(do = "create_cq"
cq = "small")"},
    {216, R"(do = "query_cq"
cq = "small"
expect = { state = "ok", armed = "no" })"},
    {220, R"(do = "create_qp"
qp = "overrunning")"},
    {230, R"(do = "destroy_qp"
qp = "anew")"},
    {240, R"(do = "destroy_cq"
cq = "polled_anew")"},
    {241, R"(do = "destroy_cq"
cq = "woken_anew")"},
    {250, R"(do = "create_cq"
cq = "polled_anew")"},
    {251, R"(do = "create_cq"
cq = "woken_anew")"},
    {252, R"(do = "create_qp"
qp = "anew")"},
    {300, R"(do = "modify_cq"
cq = "moderated"
moderation = { count = 8, period = "5 us" })"},
    {310, R"(do = "modify_cq"
cq = "moderated"
moderation = { count = 16, period = "5 us" })"},
    {325, R"(do = "modify_qp"
qp = "mortal[1]"
state = "RESET")"},
    {340, R"(do = "modify_qp"
qp = "mortal[1]"
state = "INIT")"},
    {341, R"(do = "modify_qp"
qp = "mortal[1]"
state = "RTR")"},
    {342, R"(do = "modify_qp"
qp = "mortal[1]")"},
    {350, R"(do = "modify_qp"
qp = "busy[0]"
state = "SQD"
sqd_notify = true)"},
    {360, R"(do = "modify_qp"
qp = "busy[0]")"},
    {390, R"(do = "poll"
cq = "by_hand"
count = "all")"},
    {391, R"(do = "write_ci"
cq = "by_hand")"},
    {400, R"(do = "arm"
cq = "by_hand")"},
    {450, R"(do = "read_eq"
eq = "by_hand"
count = "all")"},
    {451, R"(do = "ack"
cq = "by_hand")"},
    {452, R"(do = "arm_eq"
eq = "by_hand")"},
    {453, R"(do = "poll"
cq = "by_hand"
count = "all")"},
    {454, R"(do = "write_ci"
cq = "by_hand")"},
};

std::vector<std::string> overrides_of(bool other_policies) {
    if (!other_policies) {
        return {};
    }
    return {"device.event_arbiter.arm=level",
            "device.event_arbiter.eq_overflow=back_pressure",
            "device.event_arbiter.solicited=wait",
            "device.completion_arbiter.admission=credits",
            "device.completion_arbiter.policy=fifo"};
}

std::string us(std::uint64_t count) {
    return '"' + std::to_string(count) + " us\"";
}

}  // namespace

Scenario soak_scenario(std::uint64_t cycles, bool other_policies) {
    constexpr std::uint64_t kCycleUs = kSoakCycle.ps / 1'000'000;
    std::string text = "end = " + us(cycles * kCycleUs) + kObjects;
    for (const CycleStep& step : kSteps) {
        text += "[[step]]\nat = " + us(step.at_us) + "\nevery = " + us(kCycleUs) +
                "\ntimes = " + std::to_string(cycles) + '\n' + step.what + '\n';
    }
    return read_scenario_text(text, "soak", overrides_of(other_policies));
}

}  // namespace cqsim::tb::bench
