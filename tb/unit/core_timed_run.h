// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random arrivals and ends of lives, and the timed engine that plays them at zero latency (P2).
#pragma once

#include "models/core/core.h"
#include "models/engine/cq_event_engine.h"
#include "models/ring/cq_ring_memory.h"
#include "models/ring/doorbell_record.h"
#include "models/time/kernel_timeline.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>

#include <array>
#include <vector>

namespace cqsim::test {

inline constexpr std::uint32_t kQps = 6;
inline constexpr std::uint32_t kCqs = 3;
inline constexpr std::uint32_t kDepth = 4;
inline constexpr std::uint32_t kIndexWidth = 6;  // wraps every 64 entries
inline constexpr std::uint64_t kStamp = 1000;    // ps between two groups of arrivals

/// What was decided for one completion.
struct Decision {
    std::uint64_t serial;
    Outcome outcome;
    std::uint32_t index;
    std::uint8_t owner;

    friend bool operator==(const Decision& l, const Decision& r) {
        return l.serial == r.serial && l.outcome == r.outcome && l.index == r.index &&
               l.owner == r.owner;
    }
};

/// The arrivals of one time stamp, the life of a QP that ends in the same instant, after they are
/// offered and before they are decided, and what software consumes after them.
struct Group {
    std::vector<Completion> arrivals;
    std::uint32_t end_of = kQps;  ///< a QP that is reset, or destroyed and created again
    bool destroyed = false;
    std::uint32_t consume_from = 0;  ///< a CQ; kCqs: none
};

inline std::vector<Group> random_groups(std::uint64_t seed, std::uint32_t count) {
    RandomStream random(seed, "core_test");
    std::vector<Group> groups;
    std::uint64_t serial = 0;
    std::vector<std::uint32_t> wqe(std::size_t{kQps} * 2);
    for (std::uint32_t g = 0; g < count; ++g) {
        Group group;
        for (std::uint64_t i = random.below(4); i > 0; --i) {
            Completion completion;
            completion.serial = ++serial;
            completion.qpn = Qpn{static_cast<std::uint32_t>(random.below(kQps))};
            completion.queue = random.coin() ? QueueKind::Send : QueueKind::Receive;
            completion.wqe_index = wqe[index_of(completion.qpn) * 2 + index_of(completion.queue)]++;
            completion.signaled = random.below(3) != 0;
            completion.status = random.below(200) == 0 ? WcStatus::RetryExcErr : WcStatus::Success;
            completion.completed = TimePs{(g + 1) * kStamp};
            group.arrivals.push_back(completion);
        }
        if (random.below(10) == 0) {
            group.end_of = static_cast<std::uint32_t>(random.below(kQps));
            group.destroyed = random.coin();
        }
        group.consume_from = static_cast<std::uint32_t>(random.below(kCqs + 1));
        groups.push_back(group);
    }
    return groups;
}

inline ArbiterConfig arbiter_of(std::uint64_t seed) {
    ArbiterConfig config;
    config.policy = (seed & 1U) != 0 ? ArbiterPolicy::Fifo : ArbiterPolicy::RoundRobin;
    config.requester = static_cast<Requester>(seed / 2 % 3);
    config.tie_break = static_cast<TieBreak>(seed / 6 % 3);
    return config;
}

inline constexpr std::array<QpState, 3> kBringUp{QpState::Init, QpState::Rtr, QpState::Rts};

inline CreateQp qp_of(std::uint32_t i) {
    CreateQp command;
    command.qpn = Qpn{i};
    command.send_cq = Cqn{i % kCqs};
    command.recv_cq = Cqn{(i + 1) % kCqs};
    command.sq_sig_all = i == 0;
    return command;
}

inline OverflowConfig overflow_config() {
    OverflowConfig config;
    config.index_width = kIndexWidth;
    return config;
}

/// Offers the groups to a timed engine whose every latency is zero.
class TimedRun final : public sc_core::sc_module,
                       private CompletionBackward,
                       private QpStateForward,
                       private NoBackward<CqCommandProtocol>,
                       private QpCommandBackward,
                       private RecordSubscriber,
                       private TimedBlock {
  public:
    std::vector<Decision> decisions;

    TimedRun(const sc_core::sc_module_name& module_name,
             std::uint64_t seed,
             const std::vector<Group>& groups)
        : sc_module(module_name),
          m_groups(groups),
          m_slot(m_timeline.attach(*this, Rank::TxPipeline)),
          m_engine("engine", m_timeline, m_records, config(seed), m_lines) {
        m_tx.bind(static_cast<CompletionBackward&>(*this));
        m_rx.bind(static_cast<CompletionBackward&>(*this));
        m_tx_state.bind(static_cast<QpStateForward&>(*this));
        m_rx_state.bind(static_cast<QpStateForward&>(*this));
        m_cq_command.bind(static_cast<NoBackward<CqCommandProtocol>&>(*this));
        m_qp_command.bind(static_cast<QpCommandBackward&>(*this));
        m_tx.bind(m_engine.tx_tsock);
        m_rx.bind(m_engine.rx_tsock);
        m_engine.tx_state_isock.bind(m_tx_state);
        m_engine.rx_state_isock.bind(m_rx_state);
        m_cq_command.bind(m_engine.cq_command_tsock);
        m_qp_command.bind(m_engine.qp_command_tsock);
        m_engine.dma_isock.bind(m_memory.dma_tsock);
        m_engine.record_isock.bind(m_memory.record_tsock);
        m_host.bind(m_memory.host_tsock);
        m_records.subscribe(*this,
                            mask_of(Kind::Slot) | mask_of(Kind::Overrun) | mask_of(Kind::Outcome));
    }

    void play() {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        for (std::uint32_t i = 0; i < kCqs; ++i) {
            m_ring[i] = m_memory.bytes().allocate(HostMemory::kPage);
            m_record[i] = m_memory.bytes().allocate(HostMemory::kPage);
            REQUIRE(m_cq_command->create_cq({Cqn{i}, m_ring[i], m_record[i], kDepth}) ==
                    CommandResult::Ok);
        }
        for (std::uint32_t i = 0; i < kQps; ++i) {
            create(i);
        }
        m_timeline.at(m_slot, TimePs{kStamp});
        sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC), sc_core::SC_EXIT_ON_STARVATION);
        m_records.drain();
    }

  private:
    void create(std::uint32_t qp) {
        const CommandAnswer created = m_qp_command->create_qp(qp_of(qp));
        REQUIRE(created.result == CommandResult::Ok);
        m_generation[qp] = created.generation;
        bring_up(qp);
    }
    void bring_up(std::uint32_t qp) {
        for (const QpState state : kBringUp) {
            CommandAnswer answer;
            REQUIRE(m_qp_command->modify_qp({Qpn{qp}, state}, answer) == CommandStatus::Done);
            REQUIRE(answer.result == CommandResult::Ok);
        }
    }
    void end_life(const Group& group) {
        if (group.end_of == kQps) {
            return;
        }
        CommandAnswer answer;
        const Qpn qpn{group.end_of};
        const CommandStatus status = group.destroyed
                                         ? m_qp_command->destroy_qp({qpn}, answer)
                                         : m_qp_command->modify_qp({qpn, QpState::Reset}, answer);
        m_ending = group;
        if (status == CommandStatus::Done) {
            CHECK(answer.result == CommandResult::Ok);
            m_life_over = true;
        }
    }
    /// The next life begins, if the last one is over by now: at zero latency it must be.
    void begin_life() {
        if (m_ending.end_of == kQps) {
            return;
        }
        CHECK(m_life_over);
        m_life_over = false;
        if (m_ending.destroyed) {
            create(m_ending.end_of);
        } else {
            ++m_generation[m_ending.end_of];
            bring_up(m_ending.end_of);
        }
        m_ending = Group{};
    }
    void qp_command_done(Qpn qpn, const CommandAnswer& answer) override {
        CHECK(index_of(qpn) == m_ending.end_of);
        CHECK(answer.result == CommandResult::Ok);
        m_life_over = true;
    }
    static EngineConfig config(std::uint64_t seed) {
        EngineConfig config;
        config.qps = kQps;
        config.cqs = kCqs;
        config.seed = seed;
        config.arbiter = arbiter_of(seed);
        config.writer.service = TimePs{};
        config.overflow = overflow_config();
        return config;
    }

    void due(TimePs now) override {
        begin_life();
        if (m_next != 0) {
            consume(m_groups[m_next - 1].consume_from);
        }
        if (m_next == m_groups.size()) {
            return;
        }
        for (const Completion& arrival : m_groups[m_next].arrivals) {
            Completion completion = arrival;
            completion.generation = m_generation[index_of(completion.qpn)];
            CompletionInitiator& tap = completion.queue == QueueKind::Send ? m_tx : m_rx;
            CHECK(tap->offer(completion).status == OfferStatus::Taken);
            if (completion.status != WcStatus::Success) {
                (completion.queue == QueueKind::Send ? m_tx_state : m_rx_state)
                    ->request_failed(
                        completion.qpn, completion.generation, completion.queue, completion.status);
            }
        }
        end_life(m_groups[m_next]);
        ++m_next;
        m_timeline.at(m_slot, now + TimePs{kStamp});
    }

    /// Software has read everything that is visible.
    void consume(std::uint32_t cq) {
        if (cq == kCqs) {
            return;
        }
        std::array<unsigned char, 4> bytes{};
        doorbell_record::store(bytes.data(), m_granted[cq] & ((1U << kIndexWidth) - 1));
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_WRITE_COMMAND);
        payload.set_address(m_record[cq]);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        m_host->b_transport(payload, delay);
        CHECK(payload.is_response_ok());
    }

    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            const bool granted = record.kind == Kind::Slot;
            const Outcome refused =
                record.kind == Kind::Outcome ? Outcome::Cancelled : Outcome::Lost;
            decisions.push_back({record.serial,
                                 granted ? Outcome::Granted : refused,
                                 record.index,
                                 granted ? record.state : std::uint8_t{0}});
        }
    }

    void offer_done(const OfferReply&) override { FAIL_CHECK("nothing was held"); }
    void credit(Qpn, QueueKind) override { FAIL_CHECK("nothing waits for credit"); }
    void answered(const CompletionAnswer& answer) override {
        if (answer.outcome == Outcome::Granted) {
            const CreateQp qp = qp_of(index_of(answer.qpn));
            ++m_granted[index_of(answer.queue == QueueKind::Send ? qp.send_cq : qp.recv_cq)];
        } else if (answer.outcome == Outcome::Cancelled) {
            if (Record* record = m_records.open(Kind::Outcome, 0, m_timeline.now())) {
                record->serial = answer.serial;
            }
        }
    }
    void qp_changed(const QpChange&) override {}

    const std::vector<Group>& m_groups;
    std::size_t m_next = 0;
    RecordStream m_records;
    KernelTimeline m_timeline{"timeline"};
    Timeline::Slot m_slot;
    ObjectLines m_lines{kQps, kCqs};
    CqRingMemory m_memory{"memory", m_timeline, MemoryConfig{{}, {}, 0}};
    CqEventEngine m_engine;
    tlm_utils::simple_initiator_socket<TimedRun> m_host{"host"};
    CompletionInitiator m_tx{"tx"};
    CompletionInitiator m_rx{"rx"};
    QpStateTarget m_tx_state{"tx_state"};
    QpStateTarget m_rx_state{"rx_state"};
    CqCommandInitiator m_cq_command{"cq_command"};
    QpCommandInitiator m_qp_command{"qp_command"};
    std::array<std::uint64_t, kCqs> m_ring{};
    std::array<std::uint64_t, kCqs> m_record{};
    std::array<std::uint32_t, kCqs> m_granted{};
    std::array<std::uint16_t, kQps> m_generation{};
    Group m_ending;  ///< whose end of a life is under way
    bool m_life_over = false;
};

}  // namespace cqsim::test
