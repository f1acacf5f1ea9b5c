// SPDX-License-Identifier: Apache-2.0
// The timeline on the SystemC kernel (P6, P7, D7).
#include "models/time/kernel_timeline.h"

#include "tb/unit/agenda.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace {

using namespace cqsim;
using namespace cqsim::test;

using Log = std::vector<std::string>;

std::string stamp(const char* what, TimePs at) {
    return std::string(what) + "@" + std::to_string(at.ps);
}

/// A process that is not of the timeline: notes its name at 20 ps and 30 ps, and asks an agenda for
/// something at each.
class Foreign final : public sc_core::sc_module {
  public:
    Foreign(const sc_core::sc_module_name& module_name, Agenda& agenda, Log& log)
        : sc_module(module_name),
          m_agenda(agenda),
          m_log(log) {
        SC_HAS_PROCESS(Foreign);
        SC_METHOD(run);
        dont_initialize();
        sensitive << m_wake;
        m_wake.notify(sc_core::sc_time(20, sc_core::SC_PS));
    }

  private:
    void run() {
        const TimePs now = kernel_now();
        m_log.push_back(stamp("foreign", now));
        m_agenda.at(now, [this] { m_log.push_back(stamp("asked", kernel_now())); });
        if (now == TimePs{20}) {
            m_wake.notify(sc_core::sc_time(10, sc_core::SC_PS));
        }
    }

    Agenda& m_agenda;
    Log& m_log;
    sc_core::sc_event m_wake;
};

/// Blocks at 10, 20, 25, 30 and 40 ps among a foreign process at 20 and 30.
Log run_with_foreign(TimePs horizon) {
    Log log;
    KernelTimeline timeline("timeline");
    timeline.run_ahead_until(horizon);
    Agenda host(timeline, Rank::Host);
    Agenda memory(timeline, Rank::Memory);
    Foreign foreign("foreign", memory, log);
    for (const std::uint64_t ps : {10U, 25U, 40U}) {
        host.at(TimePs{ps}, [&log, &timeline] { log.push_back(stamp("host", timeline.now())); });
        memory.at(TimePs{ps},
                  [&log, &timeline] { log.push_back(stamp("memory", timeline.now())); });
    }
    run_to_the_end();
    return log;
}

const Log in_exact_order{"memory@10",
                         "host@10",
                         "foreign@20",
                         "asked@20",
                         "memory@25",
                         "host@25",
                         "foreign@30",
                         "asked@30",
                         "memory@40",
                         "host@40"};

}  // namespace

TEST_CASE("P7 blocks run in kernel time and by rank and foreign processes among them") {
    CHECK(run_with_foreign(TimePs{}) == in_exact_order);
    CHECK(sc_core::sc_time_stamp() == sc_core::sc_time(40, sc_core::SC_PS));
}

TEST_CASE("P7 running ahead keeps the exact order with foreign processes") {
    CHECK(run_with_foreign(TimePs{1000}) == in_exact_order);
    CHECK(sc_core::sc_time_stamp() == sc_core::sc_time(40, sc_core::SC_PS));
}

TEST_CASE("P7 running ahead stops at its horizon and the kernel takes over") {
    CHECK(run_with_foreign(TimePs{25}) == in_exact_order);
}

TEST_CASE("P7 the timeline's time is the kernel's when nothing runs ahead") {
    KernelTimeline timeline("timeline");
    Agenda agenda(timeline, Rank::Host);
    std::vector<TimePs> kernel;
    for (const std::uint64_t ps : {1U, 1'000U, 1'000'000U}) {
        agenda.at(TimePs{ps}, [&] {
            CHECK(timeline.now() == kernel_now());
            kernel.push_back(kernel_now());
        });
    }
    run_to_the_end();
    REQUIRE(kernel == std::vector<TimePs>{{1}, {1'000}, {1'000'000}});
    CHECK(timeline.now() == TimePs{1'000'000});
}

TEST_CASE("P7 a wish made from outside for an earlier time moves the activation forward") {
    KernelTimeline timeline("timeline");
    Agenda late(timeline, Rank::Memory);
    Agenda early(timeline, Rank::Host);
    Log log;
    late.at(from_ns(100), [&log] { log.push_back(stamp("late", kernel_now())); });
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS));
    early.at(from_ns(20), [&log] { log.push_back(stamp("early", kernel_now())); });
    run_to_the_end();
    CHECK(log == Log{"early@20000", "late@100000"});
}

TEST_CASE("P7 a wish from outside for the present is granted one delta later") {
    KernelTimeline timeline("timeline");
    Agenda agenda(timeline, Rank::Host);
    Log log;
    agenda.at(from_ns(5), [&log] { log.push_back("first"); });
    sc_core::sc_start();
    REQUIRE(log == Log{"first"});
    agenda.at(from_ns(5), [&log] { log.push_back(stamp("second", kernel_now())); });
    CHECK(log.size() == 1);
    run_to_the_end();
    CHECK(log == Log{"first", "second@5000"});
}

TEST_CASE("D5 a time resolution other than 1 ps is refused at elaboration") {
    sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
    CHECK_THROWS_WITH(KernelTimeline("timeline"), Catch::Contains("/cqsim/time/resolution"));
}
