// SPDX-License-Identifier: Apache-2.0
// Broken taps and writers, each in a shipped scenario: which rule the checkers name. The expected
// rule is what spec.md says about the fault, before any run.
#include "tb/integration/mutant_run.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace cqsim::tb::test {
namespace {

// Bytes of the native entry (models/cqe/native.h).
constexpr std::size_t kVendorErr = 24;
constexpr std::size_t kWrId = 0;
constexpr std::size_t kByteLen = 12;
constexpr std::size_t kWcFlags = 44;
constexpr std::size_t kStatus = 53;
constexpr std::size_t kOwn = 63;

using Payload = tlm::tlm_generic_payload;
using Socket = tlm::tlm_initiator_socket<>;

bool is_success(const Payload& payload) {
    return payload.get_data_ptr()[kStatus] == 0;
}

bool is_receive(const Payload& payload) {
    return payload.get_data_ptr()[kOwn] >> 4U == 1;
}

/// A writer that flips bits of one byte of the entries that `when` chooses.
EngineFactories writer_that_flips(std::size_t byte,
                                  unsigned char bits,
                                  const std::function<bool(const Payload&)>& when) {
    WriterHooks hooks;
    hooks.dma.write = [byte, bits, when](Payload& payload, Socket& /*socket*/) {
        if (when(payload)) {
            payload.get_data_ptr()[byte] ^= bits;
        }
        return WriteFate::Pass;
    };
    return broken_writer(hooks);
}

/// The text of a file, which is gone afterwards.
std::string taken_away(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::filesystem::remove(path);
    return text;
}

/// A writer whose third write has this fate.
EngineFactories writer_whose_third_write(WriteFate fate) {
    WriterHooks hooks;
    auto count = std::make_shared<int>(0);
    hooks.dma.write = [count, fate](Payload& /*payload*/, Socket& /*socket*/) {
        return ++*count == 3 ? fate : WriteFate::Pass;
    };
    return broken_writer(hooks);
}

void flip_in_memory(Socket& socket, std::uint64_t address) {
    unsigned char byte = 0;
    Payload payload;
    payload.set_address(address);
    payload.set_data_ptr(&byte);
    payload.set_data_length(1);
    payload.set_streaming_width(1);
    payload.set_command(tlm::TLM_READ_COMMAND);
    REQUIRE(socket->transport_dbg(payload) == 1);
    byte ^= 1U;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    REQUIRE(socket->transport_dbg(payload) == 1);
}

}  // namespace

TEST_CASE("control: a writer behind shims without hooks passes") {
    CHECK(passes(run_with("overrun", broken_writer({}))));
}

TEST_CASE("S2.1 a send tap that reports unsignaled successes") {
    CHECK(names_rule(run_with("first_look", broken_tap(QueueKind::Send, TapFault::ReportsAll)),
                     "S2.1"));
}

TEST_CASE("S2.1 a send tap that drops signaled successes") {
    CHECK(names_rule(
        run_with("back_pressure", broken_tap(QueueKind::Send, TapFault::DropsEveryThird)), "S2.1"));
}

TEST_CASE("S2.2 a send tap that drops unsignaled failures") {
    CHECK(names_rule(run_with("first_look", broken_tap(QueueKind::Send, TapFault::DropsFailures)),
                     "S2.2"));
}

TEST_CASE("S2.9 a receive tap that drops a receive") {
    CHECK(names_rule(
        run_with("first_look", broken_tap(QueueKind::Receive, TapFault::DropsEveryThird)), "S2.9"));
}

TEST_CASE("S1.1 two QPs' completions swap their wr_id on the way to the writer") {
    WriterHooks hooks;
    auto last = std::make_shared<Completion>();
    hooks.completions.offered = [last](Completion& completion) {
        const Completion own = completion;
        if (last->qpn != kNoQp && last->qpn != own.qpn) {
            completion.wr_id = last->wr_id;
        }
        *last = own;
        return true;
    };
    CHECK(names_rule(run_with("two_taps", broken_writer(hooks)), "S1.1"));
}

TEST_CASE("S1.1 a writer that corrupts wr_id") {
    CHECK(names_rule(run_with("first_look", writer_that_flips(kWrId, 1, is_success)), "S1.1"));
}

TEST_CASE("A rule that fails is told in the waves at its time, and the save file points there") {
    RunOptions options;
    options.factories = writer_that_flips(kWrId, 1, is_success);
    options.vcd = "mutant_waves.vcd";
    const RunReport report = run_scenario(shipped("first_look"), options);
    const std::string waves = taken_away("mutant_waves.vcd");
    const std::string save_file = taken_away("mutant_waves.gtkw");
    REQUIRE((report.exit == ExitCode::Failed || report.exit == ExitCode::Stalled));
    const auto failures = nlohmann::json::parse(report.result_json).at("failures");
    const auto time = std::to_string(failures.at(0).at("time_ps").get<std::uint64_t>());
    const std::string rule = failures.at(0).at("rule");
    // What changed at that time.
    const std::size_t from = waves.find("\n#" + time + "\n");
    REQUIRE(from != std::string::npos);
    const std::string changes = waves.substr(from + 1, waves.find("\n#", from + 1) - from - 1);
    CHECK_THAT(changes, Catch::Matchers::Contains("sFAIL\\040" + rule + "\\040"));
    // The primary marker, and a named one.
    const std::size_t marks = save_file.find("\n*") + 1;
    CHECK_THAT(save_file.substr(marks, save_file.find('\n', marks) - marks),
               Catch::Matchers::Contains(" " + time + " " + time + " "));
    CHECK_THAT(save_file, Catch::Matchers::Contains("[markername] AFAIL_" + rule + "\n"));
}

TEST_CASE("S1.2 a writer that turns a failure into a success") {
    const auto failed = [](const Payload& payload) { return !is_success(payload); };
    // LOC_QP_OP_ERR is 2: without that bit it is SUCCESS.
    CHECK(names_rule(run_with("receive_fails", writer_that_flips(kStatus, 2, failed)), "S1.2"));
}

TEST_CASE("S1.2 a writer that corrupts vendor_err of a failed entry") {
    const auto failed = [](const Payload& payload) { return !is_success(payload); };
    CHECK(names_rule(run_with("receive_fails", writer_that_flips(kVendorErr, 1, failed)), "S1.2"));
}

TEST_CASE("S1.3 a writer that turns a success into a failure") {
    CHECK(names_rule(run_with("first_look", writer_that_flips(kStatus, 1, is_success)), "S1.3"));
}

TEST_CASE("S1.3 a writer that corrupts byte_len of a receive") {
    const auto received = [](const Payload& payload) {
        return is_success(payload) && is_receive(payload);
    };
    CHECK(names_rule(run_with("receive_fails", writer_that_flips(kByteLen, 4, received)), "S1.3"));
}

TEST_CASE("S1.4 a writer that says WITH_IMM beside WITH_INV") {
    const auto received = [](const Payload& payload) {
        return is_success(payload) && is_receive(payload);
    };
    CHECK(names_rule(run_with("receive_fails", writer_that_flips(kWcFlags, 2, received)), "S1.4"));
}

TEST_CASE("S3.3 a writer that writes a wrong owner bit, once") {
    auto count = std::make_shared<int>(0);
    const auto third = [count](const Payload& /*payload*/) { return ++*count == 3; };
    CHECK(names_rule(run_with("exactly_full", writer_that_flips(kOwn, 1, third)), "S3.3"));
}

TEST_CASE("S3.3 a writer that writes the owner of the previous lap") {
    WriterHooks hooks;
    auto first = std::make_shared<int>(-1);
    hooks.slots.answered = [first](SlotAnswer& answer) {
        if (*first < 0) {
            *first = answer.owner;
        }
        answer.owner = static_cast<std::uint8_t>(*first);
    };
    CHECK(names_rule(run_with("exactly_full", broken_writer(hooks)), "S3.3"));
}

TEST_CASE("S3.6 an entry that changes between its write and its becoming visible") {
    WriterHooks hooks;
    auto in_flight = std::make_shared<Payload*>(nullptr);
    hooks.dma.write = [in_flight](Payload& payload, Socket& /*socket*/) {
        if (*in_flight != nullptr) {  // four writes go out together, and take 300 ns
            (*in_flight)->get_data_ptr()[kWrId] ^= 1U;
        }
        *in_flight = &payload;
        return WriteFate::Pass;
    };
    CHECK(names_rule(run_with("exactly_full", broken_writer(hooks)), "S3.6"));
}

TEST_CASE("S3.8 a device that scribbles over an entry before it is polled") {
    WriterHooks hooks;
    auto address = std::make_shared<std::uint64_t>(0);
    auto count = std::make_shared<int>(0);
    hooks.dma.write = [address, count](Payload& payload, Socket& socket) {
        // 'small' is written around 2 us and polled at 20 us; 'healthy' is written in between.
        const unsigned qp_num = payload.get_data_ptr()[8];
        if (qp_num == 0 && *address == 0) {
            *address = payload.get_address();
        }
        if (++*count == 8) {
            flip_in_memory(socket, *address + kWrId);
        }
        return WriteFate::Pass;
    };
    CHECK(names_rule(run_with("overrun", broken_writer(hooks)), "S3.8"));
}

TEST_CASE("S3.10 a writer that writes an entry twice") {
    CHECK(
        names_rule(run_with("exactly_full", writer_whose_third_write(WriteFate::Twice)), "S3.10"));
}

TEST_CASE("S3.10 an entry that is granted, committed, and never written") {
    CHECK(names_rule(run_with("exactly_full", writer_whose_third_write(WriteFate::Swallow)),
                     "S3.10"));
}

TEST_CASE("S3.10 two writes that overtake each other on the way to memory") {
    CHECK(names_rule(run_with("exactly_full", writer_whose_third_write(WriteFate::AfterNext)),
                     "S3.10"));
}

TEST_CASE("S3.11 an entry that lies beside its slot") {
    WriterHooks hooks;
    hooks.slots.answered = [](SlotAnswer& answer) { answer.address += 8; };
    CHECK(names_rule(run_with("exactly_full", broken_writer(hooks)), "S3.11"));
}

TEST_CASE("D4 a completion that is answered 'granted' and goes nowhere") {
    WriterHooks hooks;
    auto count = std::make_shared<int>(0);
    hooks.completions.offered = [count](Completion& /*completion*/) { return ++*count != 3; };
    CHECK(names_rule(run_with("first_look", broken_writer(hooks)), "D4"));
}

// The run does not end by itself: exit 4 names who waits.
TEST_CASE("D4 D7 a completion that gets no answer: the run stalls") {
    WriterHooks hooks;
    auto count = std::make_shared<int>(0);
    hooks.completions.answered = [count](CompletionAnswer& /*answer*/) {
        return ++*count == 3 ? 0U : 1U;
    };
    const MutantRun run = run_with("first_look", broken_writer(hooks));
    CAPTURE(run.summary);
    CHECK(run.stalled);
    CHECK(names_rule(run, "D4"));
    CHECK(run.summary.find("1 requests wait for an answer") != std::string::npos);
}

TEST_CASE("D4 a completion that gets two answers") {
    WriterHooks hooks;
    auto count = std::make_shared<int>(0);
    hooks.completions.answered = [count](CompletionAnswer& /*answer*/) {
        return ++*count == 3 ? 2U : 1U;
    };
    CHECK(names_rule(run_with("first_look", broken_writer(hooks)), "D4"));
}

TEST_CASE("S5.3f a writer that answers 'granted' for what was refused") {
    WriterHooks hooks;
    hooks.completions.answered = [](CompletionAnswer& answer) {
        answer.outcome = Outcome::Granted;
        answer.cause = LostCause::None;
        return 1U;
    };
    CHECK(names_rule(run_with("overrun", broken_writer(hooks)), "S5.3f"));
}

}  // namespace cqsim::tb::test
