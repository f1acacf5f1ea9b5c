// SPDX-License-Identifier: Apache-2.0
#include "tb/system/system.h"

#include "models/cqe/native.h"
#include "models/ring/doorbell_record.h"

#include <algorithm>
#include <chrono>

namespace cqsim::tb {
namespace {

/// How much real time passes between two looks at the progress.
constexpr std::chrono::milliseconds kSlice{100};

StreamConfig stream_of(const Scenario& scenario, const Traffic& traffic) {
    const QpGroup& group = scenario.qp[traffic.qp];
    StreamConfig stream;
    stream.first = Qpn{group.first};
    stream.qps = group.count;
    stream.period = traffic.period;
    stream.latency = traffic.latency;
    stream.start = traffic.start;
    stream.count = traffic.count;
    stream.opcode = traffic.opcode;
    stream.bytes = traffic.bytes;
    stream.signal_every = traffic.queue == QueueKind::Send ? group.signal_every : 1;
    stream.solicited_every = traffic.solicited_every;
    stream.shuffled = traffic.shuffled;
    return stream;
}

PipelineConfig pipeline_config(const Scenario& scenario, QueueKind queue) {
    PipelineConfig config;
    config.queue = queue;
    config.seed = scenario.seed;
    return config;
}

}  // namespace

RunHeader header_of(const Scenario& scenario) {
    RunHeader header;
    header.scenario = scenario.name;
    header.seed = scenario.seed;
    header.index_width = scenario.device.overflow.index_width;
    for (const CqGroup& group : scenario.cq) {
        header.cq.push_back({group.name, group.first, group.count});
    }
    for (const QpGroup& group : scenario.qp) {
        header.qp.push_back({group.name, group.first, group.count});
    }
    return header;
}

System::System(const sc_core::sc_module_name& module_name,
               const Scenario& scenario,
               bool observed,
               const EngineFactories& factories)
    : sc_module(module_name),
      m_scenario(scenario),
      m_source(m_records.intern(name())),
      m_timeline("timeline"),
      m_lines(scenario.device.qps, scenario.device.cqs),
      m_memory("memory", m_timeline, scenario.memory),
      m_engine("engine", m_timeline, m_records, scenario.device, m_lines, factories),
      m_tx("tx_pipeline",
           m_timeline,
           m_records,
           pipeline_config(scenario, QueueKind::Send),
           Rows<WorkQueueRow>(m_lines.qp, ObjectLines::kTxPipelineOffset),
           m_serial),
      m_rx("rx_pipeline",
           m_timeline,
           m_records,
           pipeline_config(scenario, QueueKind::Receive),
           Rows<WorkQueueRow>(m_lines.qp, ObjectLines::kRxPipelineOffset),
           m_serial),
      m_host("host",
             m_timeline,
             m_memory,
             Rows<Host::CqRow>(m_lines.cq, ObjectLines::kHostOffset),
             scenario.device.qps),
      m_qps(scenario, m_tx, m_rx),
      m_script(m_timeline, scenario, m_tx, m_rx, m_qps) {
    if (observed) {
        m_dma_monitor = std::make_unique<DmaMonitor>("dma_monitor", m_timeline, m_records, m_map);
        m_host_monitor =
            std::make_unique<HostMonitor>("host_monitor", m_timeline, m_records, m_map);
    }
    bind();
}

System::~System() = default;

void System::bind() {
    m_tx.tap_isock.bind(m_engine.tx_tsock);
    m_rx.tap_isock.bind(m_engine.rx_tsock);
    m_engine.tx_state_isock.bind(m_tx.state_tsock);
    m_engine.rx_state_isock.bind(m_rx.state_tsock);
    m_host.tx_isock.bind(m_tx.software_tsock);
    m_host.rx_isock.bind(m_rx.software_tsock);
    m_engine.record_isock.bind(m_memory.record_tsock);
    if (m_dma_monitor) {
        m_engine.dma_isock.bind(m_dma_monitor->tsock);
        m_dma_monitor->isock.bind(m_memory.dma_tsock);
        m_host.memory_isock.bind(m_host_monitor->tsock);
        m_host_monitor->isock.bind(m_memory.host_tsock);
    } else {
        m_engine.dma_isock.bind(m_memory.dma_tsock);
        m_host.memory_isock.bind(m_memory.host_tsock);
    }
    m_cq_command_isock.bind(static_cast<NoBackward<CqCommandProtocol>&>(*this));
    m_cq_command_isock.bind(m_engine.cq_command_tsock);
    m_qps.isock.bind(m_engine.qp_command_tsock);
}

void System::create_cqs() {
    const std::uint64_t records =
        m_memory.bytes().allocate(std::uint64_t{m_scenario.device.cqs} * doorbell_record::kBytes);
    const OverflowConfig& overflow = m_scenario.device.overflow;
    for (const CqGroup& group : m_scenario.cq) {
        const std::uint64_t bytes = std::uint64_t{group.capacity} * native::kStride;
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const Cqn cqn{group.first + i};
            const std::uint64_t ring = m_memory.bytes().allocate(bytes);
            const std::uint64_t record =
                records + std::uint64_t{index_of(cqn)} * doorbell_record::kBytes;
            std::byte* slots = m_memory.bytes().at(ring, bytes);
            for (std::uint32_t slot = 0; slot < group.capacity; ++slot) {  // S3.3
                slots[std::size_t{slot} * native::kStride + native::kOwnByte] = native::kInvalidOwn;
            }
            doorbell_record::store(reinterpret_cast<unsigned char*>(
                                       m_memory.bytes().at(record, doorbell_record::kBytes)),
                                   overflow.first_index);
            m_map.add(cqn, {ring, record, group.capacity, overflow.first_index, 0, 0});
            m_host.add_ring(
                cqn, {ring, record, group.capacity, overflow.first_index, overflow.index_width});
            const CommandResult result =
                m_cq_command_isock->create_cq({cqn, ring, record, group.capacity});
            if (result != CommandResult::Ok) {
                SC_REPORT_ERROR("/cqsim/system/create_cq", m_scenario.cq_name(cqn).c_str());
            }
        }
    }
    for (const HostLoop& loop : m_scenario.host) {
        const CqGroup& group = m_scenario.cq[loop.cq];
        for (std::uint32_t i = 0; i < group.count; ++i) {
            // The members of a group take turns within the interval.
            const TimePs offset{loop.interval.ps / group.count * i};
            m_host.poll(Cqn{group.first + i}, {loop.batch, loop.interval, loop.start + offset});
        }
    }
}

void System::add_traffic() {
    for (const Traffic& traffic : m_scenario.traffic) {
        (traffic.queue == QueueKind::Send ? m_tx : m_rx).add_stream(stream_of(m_scenario, traffic));
    }
}

RunEnd System::run(const std::function<void(const RunProgress&)>& progress) {
    begin();
    advance(m_scenario.end, progress);
    return finish();
}

void System::begin() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates: sockets are usable from here on
    create_cqs();
    m_qps.create_all();
    add_traffic();
    m_script.begin();
}

void System::advance(TimePs end, const std::function<void(const RunProgress&)>& progress) {
    using Clock = std::chrono::steady_clock;
    TimePs slice = progress ? from_ns(1000) : end;
    for (TimePs now = kernel_now(); now < end; now = kernel_now()) {
        const auto began = Clock::now();
        const TimePs until = std::min(end, now + slice);
        if (m_runs_ahead) {
            m_timeline.run_ahead_until(until);
        }
        // With nothing due before `until` time must still get there: the kernel would stand for
        // ever.
        const TimePs next = m_timeline.next_due();
        const bool gap = next != kNever && next >= until;
        sc_core::sc_start(to_sc_time(until - now),
                          gap ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
        if (m_timeline.next_due() == kNever && kernel_now() < until) {
            return;
        }
        if (progress) {
            progress({kernel_now(), end, m_host.polled()});
            const auto took = Clock::now() - began;
            if (took < kSlice / 2) {
                slice = std::min(slice * 2, end);
            } else if (took > kSlice * 2 && slice.ps > 1) {
                slice.ps /= 2;
            }
        }
    }
}

bool System::work_left() const {
    return m_tx.unanswered() != 0 || m_rx.begun_unanswered() != 0 || m_script.left() != 0 ||
           m_qps.open() != 0 || !m_tx.parked().empty() || !m_rx.parked().empty() ||
           m_memory.pending() != 0;
}

RunEnd System::finish() {
    RunEnd end;
    end.time = kernel_now();
    end.script = m_script.complaints();
    if (m_timeline.next_due() != kNever) {
        end.reason = EndReason::End;
    } else if (work_left()) {
        end.reason = EndReason::Stalled;
        end.waiting = what_waits();
    }
    if (Record* record = m_records.open(Kind::End, m_source, end.time)) {
        record->state = static_cast<std::uint8_t>(end.reason);
        record->a = m_tx.unanswered();
        record->serial = m_rx.unanswered();
    }
    m_records.drain();
    return end;
}

std::vector<std::string> System::what_waits() const {
    std::vector<std::string> lines;
    if (m_qps.open() != 0) {
        lines.push_back("qp_table: " + std::to_string(m_qps.open()) +
                        " resets or destroys of QPs wait for completions inside the block (D3)");
    }
    for (const Pipeline* pipeline : {&m_tx, &m_rx}) {
        const bool sends = pipeline == &m_tx;
        const std::string who = sends ? "tx_pipeline: " : "rx_pipeline: ";
        const std::uint64_t open = sends ? pipeline->unanswered() : pipeline->begun_unanswered();
        if (open != 0) {
            lines.push_back(who + std::to_string(open) + " requests wait for an answer");
        }
        for (const StreamConfig& stream : pipeline->parked()) {
            const std::string group = m_scenario.group_of(stream.first).name;
            std::string line = who;
            line += "traffic of QP group ";
            line += group;
            line +=
                sends ? " waits for a free send-queue slot: only polling a completion that retires "
                        "requests gives one back (S2.5, S2.6)"
                      : " waits for a posted receive request (S2.14)";
            lines.push_back(line);
        }
    }
    return lines;
}

}  // namespace cqsim::tb
