// SPDX-License-Identifier: Apache-2.0
#include "tb/system/connections.h"

namespace cqsim::tb {
namespace {

Qpn first_of(const Scenario& scenario, const GroupRef& ref) {
    return Qpn{scenario.qp[ref.group].first + ref.member.value_or(0)};
}

/// Of the first QPs of both ends.
WireConnection wire_of(const Scenario& scenario, const Connection& connection) {
    WireConnection wire;
    wire.a = first_of(scenario, connection.a);
    wire.b = first_of(scenario, connection.b);
    wire.type = scenario.qp[connection.a.group].type;
    wire.latency = connection.latency;
    wire.service = connection.service;
    wire.timeout = connection.timeout;
    wire.rnr_timer = connection.rnr_timer;
    wire.ack_delay = connection.ack_delay;
    wire.ack_every = connection.ack_every;
    wire.retry_cnt = connection.retry_cnt;
    wire.rnr_retry = connection.rnr_retry;
    wire.shared_a = scenario.qp[connection.a.group].srq.has_value();
    wire.shared_b = scenario.qp[connection.b.group].srq.has_value();
    return wire;
}

std::uint32_t pairs_of(const Scenario& scenario, const Connection& connection) {
    return connection.a.member ? 1 : scenario.qp[connection.a.group].count;
}

}  // namespace

void connect(const Scenario& scenario, Wire& wire, Pipeline& tx, Pipeline& rx) {
    tx.wire_isock.bind(wire.send_tsock);
    wire.receive_isock.bind(rx.wire_tsock);
    for (const Connection& connection : scenario.connection) {
        const WireConnection first = wire_of(scenario, connection);
        for (std::uint32_t i = 0; i < pairs_of(scenario, connection); ++i) {
            WireConnection pair = first;
            pair.a = Qpn{index_of(first.a) + i};
            pair.b = Qpn{index_of(first.b) + i};
            wire.connect(pair);
            for (Pipeline* pipeline : {&tx, &rx}) {
                pipeline->connect(pair.a, pair.b);
                pipeline->connect(pair.b, pair.a);
            }
        }
    }
}

std::vector<ConnectedRange> connected_ranges(const Scenario& scenario) {
    std::vector<ConnectedRange> ranges;
    ranges.reserve(scenario.connection.size());
    for (const Connection& connection : scenario.connection) {
        ranges.push_back({index_of(first_of(scenario, connection.a)),
                          index_of(first_of(scenario, connection.b)),
                          pairs_of(scenario, connection),
                          connection.retry_cnt,
                          connection.rnr_retry});
    }
    return ranges;
}

}  // namespace cqsim::tb
