// SPDX-License-Identifier: Apache-2.0
#include "tb/system/system.h"

#include "tb/system/connections.h"
#include "tb/system/waiting.h"

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
    stream.signal_every = traffic.queue == QueueKind::Send ? Scenario::signal_every(group) : 1;
    stream.signal_last = group.signal_policy == SignalPolicy::Safe;
    stream.solicited_every = traffic.solicited_every;
    stream.shuffled = traffic.shuffled;
    return stream;
}

PipelineConfig pipeline_config(const Scenario& scenario, QueueKind queue) {
    PipelineConfig config;
    config.queue = queue;
    config.seed = scenario.seed;
    config.flush_service = scenario.flush_service;
    config.send_length = scenario.send_length;
    config.slot_release = scenario.slot_release;
    return config;
}

/// The MSI-X table has a page of host memory of its own; without event queues there is none.
DriverConfig driver_config(const Scenario& scenario, CqRingMemory& memory) {
    DriverConfig config;
    config.cqs = scenario.device.cqs;
    config.first_index = scenario.device.overflow.first_index;
    config.index_width = scenario.device.overflow.index_width;
    config.format = scenario.cqe_format;
    config.owner = scenario.device.overflow.owner;
    config.resize = scenario.device.overflow.resize.value_or(ResizeMode::Marker);
    config.index_return = {scenario.device.overflow.consumer_index,
                           scenario.device.overflow.increment_bits,
                           scenario.host_driver.increment};
    config.stale = scenario.host_driver.stale;
    config.classify = scenario.host_driver.classify;
    config.interrupt_latency = scenario.host_driver.interrupt_latency;
    config.command_timeout = scenario.host_driver.command_timeout;
    config.max_depth = scenario.device.overflow.max_depth;
    config.vectors = scenario.device.event.vectors;
    if (config.vectors != 0) {
        config.msix_address =
            memory.bytes().allocate(std::uint64_t{config.vectors} * sizeof(std::uint32_t));
    }
    return config;
}

const char* word_of(ConsumerPath path) {
    switch (path) {
        case ConsumerPath::Mmio:
            return "mmio";
        case ConsumerPath::Increment:
            return "increment";
        case ConsumerPath::Record:
            break;
    }
    return "record";
}

const char* word_of(FlushOrder order) {
    switch (order) {
        case FlushOrder::SqThenRq:
            return "sq_then_rq";
        case FlushOrder::RqThenSq:
            return "rq_then_sq";
        case FlushOrder::Interleaved:
            break;
    }
    return "interleaved";
}

/// From an entry in memory to its event, at most. On links with a delay the write's answer and the
/// commit take one each. An answer that came with the request's end waits until the link has passed
/// that on, and may besides stand behind the next write's request, which is handed over before it
/// is formed, and before the one before it is, a `service` for each: a link passes nothing on out
/// of order. Nothing else holds it up: the memory gives one answer at a time.
TimePs event_latency(const Scenario& scenario) {
    const TimePs link = scenario.device.link_delay;
    return link == TimePs{} ? link : link * 3 + scenario.device.writer.service * 2;
}

/// The device of the scenario, and where software wants its interrupts.
EngineConfig engine_config(const Scenario& scenario, const DriverConfig& driver) {
    EngineConfig config = scenario.device;
    config.event.msix_address = driver.msix_address;
    return config;
}

/// Binds one end to the other, with the monitor between them if there is one.
template <class From, class Monitor, class To>
void bind_observed(From& from, const std::unique_ptr<Monitor>& monitor, To& to) {
    if (monitor == nullptr) {
        from.bind(to);
        return;
    }
    from.bind(monitor->tsock);
    monitor->isock.bind(to);
}

}  // namespace

RunHeader header_of(const Scenario& scenario) {
    RunHeader header;
    header.scenario = scenario.name;
    header.seed = scenario.seed;
    header.index_width = scenario.device.overflow.index_width;
    header.send_byte_len = scenario.send_length ? "length" : "undefined";
    header.slot_release = kSlotReleaseNames.at(static_cast<std::size_t>(scenario.slot_release));
    header.consumer_index = word_of(scenario.device.overflow.consumer_index);
    header.memory_ordering =
        scenario.memory.ordering == MemoryOrdering::Ordered ? "in_order" : "relaxed";
    for (const CqGroup& group : scenario.cq) {
        header.cq.push_back({group.name, group.first, group.count});
    }
    for (const SrqGroup& group : scenario.srq) {
        header.srq.push_back({group.name, group.first, group.count});
    }
    for (const QpGroup& group : scenario.qp) {
        header.qp.push_back({group.name, group.first, group.count});
    }
    const OverflowConfig& overflow = scenario.device.overflow;
    header.cqe_format = kCqeFormatNames.at(static_cast<std::size_t>(scenario.cqe_format));
    header.owner = kOwnerSchemeNames.at(static_cast<std::size_t>(overflow.owner));
    header.cq_full = overflow.spare_slots == 0 ? "depth" : "depth_minus_one";
    const EventConfig& event = scenario.device.event;
    for (const EqGroup& group : scenario.eq) {
        header.eq.push_back({group.name, group.first, group.count});
    }
    header.vectors = event.vectors;
    header.failed_sends = event.failed_sends_solicited ? "solicited" : "plain";
    header.flush_order = word_of(scenario.device.qp.flush_order);
    header.reset_from = scenario.device.qp.reset_from == ResetFrom::Any ? "any" : "error";
    header.arm = event.arm == ArmPolicy::Edge ? "edge" : "level";
    header.event_latency_ps = event_latency(scenario).ps;
    header.moderation_break = event.solicited == ModerationBreak::Break;
    header.eq_overflow =
        event.eq_overflow == EqOverflowPolicy::DeviceFatal ? "fatal" : "back_pressure";
    header.connection = connected_ranges(scenario);
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
      m_memory("memory", m_timeline, scenario.memory, scenario.seed),
      m_driver_config(driver_config(scenario, m_memory)),
      m_engine("engine",
               m_timeline,
               m_records,
               engine_config(scenario, m_driver_config),
               m_lines,
               factories),
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
      m_wire(scenario.connection.empty()
                 ? nullptr
                 : std::make_unique<Wire>("wire", m_timeline, m_records, scenario.device.qps)),
      m_host("host",
             m_timeline,
             m_records,
             m_memory,
             Rows<CqRow>(m_lines.cq, ObjectLines::kHostOffset),
             scenario.device.qps,
             m_driver_config),
      m_setup(scenario, m_host, m_map, m_tx, m_rx),
      m_script(m_timeline, scenario, m_records, m_setup, m_host, m_tx, m_rx, m_wire.get()) {
    if (observed || !scenario.triggered.empty()) {
        m_dma_monitor = std::make_unique<DmaMonitor>("dma_monitor", m_timeline, m_records, m_map);
        m_host_monitor =
            std::make_unique<HostMonitor>("host_monitor", m_timeline, m_records, m_map);
        m_event_monitor =
            std::make_unique<DmaMonitor>("event_monitor", m_timeline, m_records, m_map);
        m_mmio_monitor =
            std::make_unique<MmioMonitor>("mmio_monitor", m_timeline, m_records, m_map);
    }
    m_map.set_indices(scenario.device.overflow.owner, scenario.device.overflow.index_width);
    m_map.set_vectors(
        {m_driver_config.msix_address, m_driver_config.vectors, EventConfig::kMsixBytes});
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
    bind_observed(m_engine.dma_isock, m_dma_monitor, m_memory.dma_tsock);
    bind_observed(m_engine.event_dma_isock, m_event_monitor, m_memory.event_dma_tsock);
    bind_observed(m_host.memory_isock, m_host_monitor, m_memory.host_tsock);
    bind_observed(m_host.mmio_isock, m_mmio_monitor, m_engine.mmio_tsock);
    m_host.command_isock.bind(m_engine.command_tsock);
    if (m_wire) {
        m_tx.wire_isock.bind(m_wire->send_tsock);
        m_wire->receive_isock.bind(m_rx.wire_tsock);
        connect(m_scenario, *m_wire, m_tx, m_rx);
    }
}

/// S5.13: an account of the entries of all CQs, if software keeps one.
void System::use_credits() {
    if (m_scenario.host_driver.cq_credits == CqCreditPolicy::None) {
        return;
    }
    std::vector<std::uint32_t> entries(m_scenario.device.cqs);
    for (const CqGroup& group : m_scenario.cq) {
        std::fill_n(entries.begin() + group.first, group.count, group.capacity);
    }
    m_tx.use_credits(CqCredits(m_scenario.host_driver.cq_credits, entries, m_scenario.device.qps));
}

void System::add_traffic() {
    for (const Traffic& traffic : m_scenario.traffic) {
        (traffic.queue == QueueKind::Send ? m_tx : m_rx).add_stream(stream_of(m_scenario, traffic));
    }
}

RunEnd System::run(const ProgressWatch& progress) {
    begin();
    advance(m_scenario.end, progress);
    return finish();
}

void System::begin() {
    m_elaborated.notify(sc_core::SC_ZERO_TIME);  // to start without anything to do is a warning
    sc_core::sc_start(sc_core::SC_ZERO_TIME);    // elaborates: sockets are usable from here on
    use_credits();
    m_setup.create_all();
    add_traffic();
    m_script.begin();
}

void System::advance(TimePs end, const ProgressWatch& progress) {
    using Clock = std::chrono::steady_clock;
    TimePs slice = progress ? from_ns(1000) : end;
    for (TimePs now = kernel_now(); now < end; now = kernel_now()) {
        const auto began = Clock::now();
        const TimePs until = std::min(end, now + slice);
        if (m_runs_ahead) {
            m_timeline.run_ahead_until(until);
        }
        if (!sc_core::sc_pending_activity()) {
            return;
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
            m_interrupted = !progress({kernel_now(), end, m_host.polled()});
            if (m_interrupted) {
                return;
            }
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
           !m_tx.parked().empty() || !m_rx.parked().empty() || m_memory.pending() != 0 ||
           m_host.driver().open() != 0;
}

RunEnd System::finish() {
    RunEnd end;
    end.time = kernel_now();
    m_script.finish();
    end.script = m_script.complaints();
    end.overwrites_seen = m_host.rings().overwritten();
    end.srq = srq_ends();
    if (m_interrupted) {
        end.interrupted = true;
        m_records.drain();
        return end;
    }
    const TimePs gives_up = std::min(m_host.driver().gives_up_at(), m_script.gives_up_at());
    if (m_timeline.next_due() < gives_up) {
        end.reason = EndReason::End;
        for (const ParkedStream& stream : m_tx.parked()) {
            if (const std::string line = never_retired(m_scenario, stream); !line.empty()) {
                end.warnings.push_back(line);
            }
        }
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

std::vector<SrqEnd> System::srq_ends() const {
    const SharedReceiveQueues& queues = m_rx.shared();
    std::vector<SrqEnd> ends;
    ends.reserve(queues.count());
    for (std::uint32_t number = 1; number <= queues.count(); ++number) {
        const SharedReceiveQueue& srq = queues.at(Srqn{static_cast<std::uint16_t>(number)});
        ends.push_back({srq.posted(),
                        srq.taken(),
                        srq.returned(),
                        srq.refused(),
                        srq.lost(),
                        srq.waiting(),
                        srq.free(),
                        srq.held()});
    }
    return ends;
}

std::vector<std::string> System::what_waits() const {
    std::vector<std::string> lines;
    if (m_host.driver().open() != 0) {
        lines.push_back("host: " + std::to_string(m_host.driver().open()) +
                        " commands wait: resets and destroys of QPs for completions inside the "
                        "block (D3), destroys of CQs for acknowledgements of events (S4.13), "
                        "others for an answer of the device");
    }
    for (const Pipeline* pipeline : {&m_tx, &m_rx}) {
        const bool sends = pipeline == &m_tx;
        const std::string who = sends ? "tx_pipeline: " : "rx_pipeline: ";
        const std::uint64_t open = sends ? pipeline->unanswered() : pipeline->begun_unanswered();
        if (open != 0) {
            lines.push_back(who + std::to_string(open) + " requests wait for an answer");
        }
        for (const ParkedStream& stream : pipeline->parked()) {
            if (!sends) {
                lines.push_back(who + messages_wait(m_scenario, stream));
                continue;
            }
            for (const std::string& line : sends_wait(m_scenario, stream)) {
                lines.push_back(who);
                lines.back() += line;
            }
        }
    }
    if (m_memory.pending() != 0) {
        lines.push_back("memory: " + std::to_string(m_memory.pending()) +
                        " writes are not visible: the device has not ended the response to the "
                        "write before them (END_RESP)");
    }
    return lines;
}

}  // namespace cqsim::tb
