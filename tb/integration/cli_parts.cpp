// SPDX-License-Identifier: Apache-2.0
// What of the program cannot be seen from outside in a short time.
#include "tb/app/kernel_reports.h"
#include "tb/app/progress_line.h"

#include <systemc>

#include <catch2/catch.hpp>

#include <iostream>
#include <sstream>

using cqsim::TimePs;
using cqsim::tb::RunProgress;
using namespace cqsim::tb::app;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000'000;  // ps
using std::chrono::milliseconds;

RunProgress at_ms(std::uint64_t now, std::uint64_t end, std::uint64_t polled) {
    return {TimePs{now * kMillisecond}, TimePs{end * kMillisecond}, polled};
}

/// Redirects a stream for as long as it lives.
class Captured {
  public:
    explicit Captured(std::ostream& stream)
        : m_stream(stream),
          m_before(stream.rdbuf(m_text.rdbuf())) {}
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    ~Captured() { m_stream.rdbuf(m_before); }
    std::string text() const { return m_text.str(); }

  private:
    std::ostringstream m_text;
    std::ostream& m_stream;
    std::streambuf* m_before;
};

}  // namespace

TEST_CASE("a run of less than two seconds shows no progress") {
    std::ostringstream out;
    const ProgressLine::Time begin{};
    {
        ProgressLine line(out, "name", 0, begin);
        line.show(at_ms(1, 10, 5), begin + milliseconds(1999));
    }
    CHECK(out.str().empty());
}

TEST_CASE("the progress line shows simulated time, completions, rate and what remains") {
    std::ostringstream out;
    const ProgressLine::Time begin{};
    ProgressLine line(out, "name", 0, begin);
    line.show(at_ms(10, 50, 3'000'000), begin + milliseconds(2000));
    // 3 M in 2 s; a fifth took 2 s, so the rest takes 8 s.
    CHECK(out.str() ==
          "\rname: 10.000 ms of 50.000 ms, 3000000 polled, 1.50 M/s, at most 8 s left\033[K");

    out.str("");
    line.show(at_ms(11, 50, 3'100'000), begin + milliseconds(2199));
    CHECK(out.str().empty());  // too soon after the last one

    line.show(at_ms(25, 50, 3'000'500), begin + milliseconds(3000));
    // The rate is that since the last line.
    CHECK(out.str() ==
          "\rname: 25.000 ms of 50.000 ms, 3000500 polled, 500 /s, at most 3 s left\033[K");

    out.str("");
    line.erase();
    line.erase();
    CHECK(out.str() == "\r\033[K");
}

TEST_CASE("the progress line does not wrap") {
    std::ostringstream out;
    const ProgressLine::Time begin{};
    ProgressLine line(out, "name", 20, begin);
    line.show(at_ms(10, 50, 3'000'000), begin + milliseconds(2000));
    CHECK(out.str() == "\rname: 10.000 ms of \033[K");
}

TEST_CASE("an error of the models is thrown, and is one line") {
    direct_kernel_reports(LogLevel::Warning);
    std::string text;
    try {
        SC_REPORT_ERROR("/cqsim/block/what", "it is wired wrongly");
    } catch (const std::exception& error) {
        text = one_line(error.what());
    }
    CHECK(text == "/cqsim/block/what: it is wired wrongly");
}

TEST_CASE("reports go to standard error, from their level on") {
    const auto shown_at = [](LogLevel level) {
        const Captured out(std::cout);
        const Captured err(std::cerr);
        direct_kernel_reports(level);
        SC_REPORT_WARNING("/cqsim/block/odd", "a warning");
        SC_REPORT_INFO("/cqsim/block/note", "a note");
        SC_REPORT_INFO_VERB("/cqsim/block/trace", "a trace", sc_core::SC_DEBUG);
        CHECK(out.text().empty());
        return err.text();
    };
    const std::string warning = "cqsim: Warning: /cqsim/block/odd: a warning\n";
    const std::string note = "cqsim: Info: /cqsim/block/note: a note\n";
    CHECK(shown_at(LogLevel::Error).empty());
    CHECK(shown_at(LogLevel::Warning) == warning);
    CHECK(shown_at(LogLevel::Info) == warning + note);
    CHECK(shown_at(LogLevel::Debug) ==
          warning + note + "cqsim: Info: /cqsim/block/trace: a trace\n");
}
