// SPDX-License-Identifier: Apache-2.0
// Streams that wait for a slot of their own QPs.
#include "tb/scenario/reader.h"
#include "tb/system/system.h"

#include <catch2/catch.hpp>

namespace cqsim::tb::test {

TEST_CASE("S2.5 a stream without slots is not tried again for another QP's completions") {
    // `stuck` is never polled: after 4 posts its queue is full, the fifth turn is refused, and the
    // stream waits. `other` is polled all the time.
    const Scenario scenario = read_scenario_text(R"(
end = "1 ms"
[[cq]]
name = "never"
depth = 8
[[cq]]
name = "polled"
depth = 8
[[qp]]
name = "stuck"
send_cq = "never"
recv_cq = "never"
send_depth = 4
[[qp]]
name = "other"
send_cq = "polled"
recv_cq = "polled"
[[traffic]]
qp = "stuck"
send = { rate = "1 M/s" }
[[traffic]]
qp = "other"
send = { rate = "1 M/s" }
[[host]]
cq = "polled"
)",
                                                 "stuck.toml");
    System system("cqsim", scenario, false);
    system.run();
    CHECK(system.host().polled() > 900);
    CHECK(system.tx().posted(Qpn{0}) == 4);
    CHECK(system.tx().refusals() == 1);
    CHECK(system.tx().parked().size() == 1);
}

}  // namespace cqsim::tb::test
