// SPDX-License-Identifier: Apache-2.0
/// \file
/// A scenario as a running system: engine, memory, pipelines, host, script.
#pragma once

#include "models/engine/cq_event_engine.h"
#include "models/ring/cq_ring_memory.h"
#include "models/time/kernel_timeline.h"
#include "tb/host/host.h"
#include "tb/pipeline/pipeline.h"
#include "tb/record/memory_monitor.h"
#include "tb/record/run_header.h"
#include "tb/scenario/scenario.h"
#include "tb/system/script.h"
#include "tb/system/setup.h"
#include "tb/wire/wire.h"

#include <systemc>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cqsim::tb {

/// What became of the requests of an SRQ.
struct SrqEnd {
    std::uint64_t posted = 0;
    std::uint64_t taken = 0;
    std::uint64_t returned = 0;  ///< slots that software gave back
    std::uint64_t refused = 0;   ///< slots that it gave back without their having been taken
    std::uint64_t lost = 0;      ///< slots that never came back (S5.3f)
    std::uint64_t waiting = 0;   ///< at the end: posted and not taken
    std::uint64_t free = 0;      ///< at the end: slots without a request
    std::uint64_t held = 0;      ///< at the end: taken, and software has not seen the end
};

/// How a run ended.
struct RunEnd {
    bool interrupted = false;  ///< stopped from outside: `reason` says nothing
    EndReason reason = EndReason::Idle;
    TimePs time{};
    std::vector<std::string> waiting;   ///< stalled: what waits for what, a line each
    std::vector<std::string> warnings;  ///< not stalled: send queues full for ever, a line each
    std::vector<std::string> script;    ///< steps that could not be done, a line each
    std::uint64_t overwrites_seen = 0;  ///< entries that software knows it lost (S3.12)
    std::vector<SrqEnd> srq;            ///< in the order of their numbers, from 1
};

/// What a run reports while it is under way.
struct RunProgress {
    TimePs time{};
    TimePs end{};
    std::uint64_t polled = 0;
};

/// Sees the progress. \returns false to stop the run.
using ProgressWatch = std::function<bool(const RunProgress&)>;

/// What every observer of a run must know beside its records.
RunHeader header_of(const Scenario& scenario);

/// Builds everything; one per process. Subscribe to `records()` before `run`.
class System final : public sc_core::sc_module {
  public:
    /// With `observed` monitors stand on the memory-mapped links; without, there are none.
    System(const sc_core::sc_module_name& module_name,
           const Scenario& scenario,
           bool observed,
           const EngineFactories& factories = EngineFactories::standard());
    ~System() override;

    RecordStream& records() { return m_records; }
    Pipeline& tx() { return m_tx; }
    Pipeline& rx() { return m_rx; }
    Host& host() { return m_host; }
    CqRingMemory& memory() { return m_memory; }
    CqEventEngine& engine() { return m_engine; }

    /// Blocks run ahead of the kernel's time (see KernelTimeline); the results are the same. Not
    /// for systems whose factories build modules with processes of their own. Call it before `run`.
    void run_ahead() { m_runs_ahead = true; }

    /// Creates the objects, plays the scenario to its end, and drains the records. `progress`, if
    /// any, is called between slices of simulated time; slicing has no effect on results. A run
    /// that it stops has no record of its end.
    RunEnd run(const ProgressWatch& progress = {});

    /// The three parts of `run`, for who wants to stop in between.
    void begin();
    /// Simulates until `end`, or until nothing is left to run.
    void advance(TimePs end, const ProgressWatch& progress = {});
    RunEnd finish();

  private:
    void bind();
    void use_credits();
    void add_traffic();
    bool work_left() const;
    std::vector<SrqEnd> srq_ends() const;
    std::vector<std::string> what_waits() const;

    const Scenario& m_scenario;
    RecordStream m_records;
    std::uint8_t m_source;
    KernelTimeline m_timeline;
    ObjectLines m_lines;
    std::uint64_t m_serial = 0;
    sc_core::sc_event m_elaborated{"elaborated"};
    bool m_runs_ahead = false;
    bool m_interrupted = false;
    CqRingMemory m_memory;
    DriverConfig m_driver_config;  ///< where interrupts go: before the engine that sends them
    CqEventEngine m_engine;
    Pipeline m_tx;
    Pipeline m_rx;
    std::unique_ptr<Wire> m_wire;  ///< if there are connections
    Host m_host;
    RingMap m_map;
    Setup m_setup;
    Script m_script;
    std::unique_ptr<DmaMonitor> m_dma_monitor;
    std::unique_ptr<HostMonitor> m_host_monitor;
    std::unique_ptr<DmaMonitor> m_event_monitor;
    std::unique_ptr<MmioMonitor> m_mmio_monitor;
};

}  // namespace cqsim::tb
