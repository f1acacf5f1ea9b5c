// SPDX-License-Identifier: Apache-2.0
#include "tb/record/vcd_writer.h"

#include "tb/unit/vcd_file.h"

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include <csignal>
#include <stdexcept>
#include <string>

using namespace cqsim::tb;
using cqsim::tb::test::read_text;
using cqsim::tb::test::read_vcd;
using cqsim::tb::test::ScratchFile;
using cqsim::tb::test::VcdChanges;

TEST_CASE("The VCD writer writes changes only, byte for byte as expected") {
    const ScratchFile file("vcd_bytes.vcd");
    VcdWriter vcd(file.path());
    vcd.open_scope("top");
    const VcdWire bit = vcd.add_wire("bit", 1);
    const VcdWire count = vcd.add_wire("count", 8);
    const VcdEnum state = vcd.add_enum("state", 2);
    vcd.close_scope();
    vcd.set(bit, 0);
    vcd.set(state, 1, "OK");
    vcd.advance(10);
    vcd.set(count, 5);
    vcd.set(bit, 1);
    vcd.set(bit, 0);  // back to what it was: no change at 10
    vcd.advance(20);
    vcd.set(count, 5);  // no change: no time stamp
    vcd.advance(30);
    vcd.set(state, 2, "IN ERROR\\");
    vcd.set(count, 6);
    vcd.set(count, 255);  // the last one wins
    vcd.advance(40);
    vcd.close();

    CHECK(read_text(file.path()) ==
          "$version cqsim $end\n"
          "$timescale 1ps $end\n"
          "$scope module top $end\n"
          "$var wire 1 ! bit $end\n"
          "$var wire 8 \" count [7:0] $end\n"
          "$var wire 2 # state [1:0] $end\n"
          "$var string 1 $ state_text $end\n"
          "$upscope $end\n"
          "$enddefinitions $end\n"
          "#0\n"
          "$dumpvars\n"
          "0!\n"
          "bx \"\n"
          "b1 #\n"
          "sOK $\n"
          "$end\n"
          "#10\n"
          "b101 \"\n"
          "#30\n"
          "b10 #\n"
          "sIN\\040ERROR\\134 $\n"
          "b11111111 \"\n"
          "#40\n");
}

TEST_CASE("VCD names are fit for GTKWave") {
    CHECK(vcd_name("shared") == "shared");
    CHECK(vcd_name("shared[3]") == "shared_3");
    CHECK(vcd_name("cq 7") == "cq_7");
    CHECK(vcd_name("a.b-c/d") == "a_b_c_d");
    CHECK(vcd_name("7up") == "_7up");
    CHECK(vcd_name("") == "_");
    CHECK(vcd_name("\xC3\xA9") == "__");
    CHECK(vcd_name(vcd_name("a b[1]")) == vcd_name("a b[1]"));
}

TEST_CASE("VCD wires have 1 to 64 bits and keep the lowest ones of a value") {
    const ScratchFile file("vcd_widths.vcd");
    VcdWriter vcd(file.path());
    CHECK_THROWS_AS(vcd.add_wire("none", 0), std::invalid_argument);
    CHECK_THROWS_AS(vcd.add_wire("wide", 65), std::invalid_argument);
    const VcdWire one = vcd.add_wire("one", 1);
    const VcdWire three = vcd.add_wire("three", 3);
    const VcdWire all = vcd.add_wire("all", 64);
    vcd.set(one, 2);
    vcd.set(three, 9);
    vcd.set(all, 0xFFFF'FFFF'FFFF'FFFFU);
    vcd.advance(1);
    vcd.set(all, 0);
    vcd.advance(2);
    vcd.set(all, std::uint64_t{1} << 63U);
    vcd.close();
    const auto read = read_vcd(file.path());
    CHECK(read["one"] == VcdChanges{{0, "0"}});
    CHECK(read["three"] == VcdChanges{{0, "1"}});
    CHECK(read["all"] ==
          VcdChanges{{0, "18446744073709551615"}, {1, "0"}, {2, "9223372036854775808"}});
    CHECK(read.widths.at("all") == 64);
}

TEST_CASE("A VCD wire that is set to be undefined is x until it is set again, written once") {
    const ScratchFile file("vcd_undefined.vcd");
    VcdWriter vcd(file.path());
    const VcdWire bit = vcd.add_wire("bit", 1);
    const VcdEnum code = vcd.add_enum("code", 8);
    vcd.set_undefined(bit);  // as it is anyway
    vcd.set(code, 128, "RECV");
    vcd.advance(10);
    vcd.set(bit, 1);
    vcd.set_undefined(code);
    vcd.advance(20);
    vcd.set_undefined(code);  // no change
    vcd.set_undefined(bit);
    vcd.set(bit, 1);  // the last one wins: no change
    vcd.advance(30);
    vcd.set(code, 128, "RECV");
    vcd.set_undefined(bit);
    vcd.advance(40);
    vcd.set(code, 0, "SEND");
    vcd.set_undefined(code);
    vcd.close();
    CHECK(read_text(file.path()) ==
          "$version cqsim $end\n"
          "$timescale 1ps $end\n"
          "$var wire 1 ! bit $end\n"
          "$var wire 8 \" code [7:0] $end\n"
          "$var string 1 # code_text $end\n"
          "$enddefinitions $end\n"
          "#0\n"
          "$dumpvars\n"
          "x!\n"
          "b10000000 \"\n"
          "sRECV #\n"
          "$end\n"
          "#10\n"
          "1!\n"
          "bx \"\n"
          "sundefined #\n"
          "#30\n"
          "b10000000 \"\n"
          "sRECV #\n"
          "x!\n"
          "#40\n"
          "bx \"\n"
          "sundefined #\n");
}

TEST_CASE("A VCD pulse is written each time that it happens, once for a time, and has no value") {
    const ScratchFile file("vcd_pulse.vcd");
    VcdWriter vcd(file.path());
    const VcdPulse irq = vcd.add_pulse("irq");
    const VcdPulse never = vcd.add_pulse("never");
    vcd.strike(irq);
    vcd.advance(5);
    vcd.strike(irq);
    vcd.strike(irq);
    vcd.advance(6);
    vcd.advance(7);
    vcd.strike(irq);
    vcd.close();
    static_cast<void>(never);
    CHECK(read_text(file.path()) ==
          "$version cqsim $end\n"
          "$timescale 1ps $end\n"
          "$var event 1 ! irq $end\n"
          "$var event 1 \" never $end\n"
          "$enddefinitions $end\n"
          "#0\n"
          "$dumpvars\n"
          "$end\n"
          "1!\n"
          "#5\n"
          "1!\n"
          "#7\n"
          "1!\n");
}

TEST_CASE("VCD texts of one time join, repeat, and are counted when there are too many") {
    const ScratchFile file("vcd_join.vcd");
    VcdWriter vcd(file.path());
    const VcdText notes = vcd.add_text("notes");
    vcd.advance(5);
    vcd.join(notes, "a");
    vcd.join(notes, "b");
    vcd.advance(6);
    vcd.join(notes, "a; b");
    vcd.advance(7);
    for (int i = 0; i < 7; ++i) {
        vcd.join(notes, "x");
    }
    vcd.close();
    CHECK(read_vcd(file.path())["notes"] ==
          VcdChanges{{0, ""}, {5, "a; b"}, {6, "a; b"}, {7, "x; x; x; x +3 more"}});
}

TEST_CASE("VCD identifiers stay different beyond 94 and 94^2 variables") {
    const ScratchFile file("vcd_ids.vcd");
    constexpr std::uint32_t kMany = 94 * 94 + 95;
    {
        VcdWriter vcd(file.path());
        for (std::uint32_t i = 0; i < kMany; ++i) {
            vcd.set(vcd.add_wire("w" + std::to_string(i), 32), i);
        }
    }
    const auto read = read_vcd(file.path());
    REQUIRE(read.variables.size() == kMany);
    for (const std::uint32_t i : {0U, 93U, 94U, 8835U, 8836U, kMany - 1}) {
        CHECK(read["w" + std::to_string(i)] == VcdChanges{{0, std::to_string(i)}});
    }
}

TEST_CASE("A VCD refuses a second variable of a name, and one that comes late") {
    const ScratchFile file("vcd_names.vcd");
    VcdWriter vcd(file.path());
    vcd.open_scope("a[1]");
    vcd.add_wire("x y", 1);
    CHECK_THROWS_AS(vcd.add_text("x_y"), std::logic_error);
    vcd.close_scope();
    CHECK_THROWS_AS(vcd.open_scope("a_1"), std::logic_error);
    vcd.add_wire("x_y", 1);
    CHECK_THROWS_AS(vcd.close_scope(), std::logic_error);
    vcd.advance(3);
    vcd.advance(4);
    CHECK_THROWS_AS(vcd.add_wire("late", 1), std::logic_error);
    CHECK_THROWS_WITH(vcd.advance(3), "vcd_names.vcd: time runs backwards, from 4 ps to 3 ps");
}

TEST_CASE("A VCD is whole when an exception leaves its scope") {
    const ScratchFile file("vcd_exception.vcd");
    try {
        VcdWriter vcd(file.path());
        vcd.open_scope("top");
        const VcdWire wire = vcd.add_wire("wire", 4);
        vcd.advance(100);
        vcd.set(wire, 9);
        throw std::runtime_error("the run broke");
    } catch (const std::runtime_error&) {
        const auto read = read_vcd(file.path());
        CHECK(read["top.wire"] == VcdChanges{{0, "x"}, {100, "9"}});
        CHECK(read.end == 100);
    }
}

TEST_CASE("A VCD without a time or a variable is still one") {
    const ScratchFile file("vcd_empty.vcd");
    { const VcdWriter vcd(file.path()); }
    CHECK(read_text(file.path()) ==
          "$version cqsim $end\n$timescale 1ps $end\n$enddefinitions $end\n"
          "#0\n$dumpvars\n$end\n");
}

TEST_CASE("A VCD that cannot be created names its file") {
    CHECK_THROWS_WITH(VcdWriter("no_such_directory/run.vcd"),
                      "no_such_directory/run.vcd: cannot create: No such file or directory");
    CHECK_THROWS_WITH(VcdWriter("."), ".: cannot create: Is a directory");
}

TEST_CASE("A full disk is told once, with the file's name") {
    VcdWriter vcd("/dev/full");
    const VcdWire wire = vcd.add_wire("wire", 64);
    std::uint64_t time = 0;
    const auto write_much = [&] {
        for (int i = 0; i < 100'000; ++i) {
            vcd.set(wire, time);
            vcd.advance(++time);
        }
    };
    CHECK_THROWS_WITH(write_much(), "/dev/full: cannot write: No space left on device");
    CHECK(vcd.failed());
    CHECK_NOTHROW(write_much());
    CHECK_NOTHROW(vcd.close());
}

TEST_CASE("A full disk is found at the end of a short VCD as well") {
    VcdWriter vcd("/dev/full");
    vcd.add_wire("wire", 1);
    CHECK_THROWS_AS(vcd.close(), VcdError);
    CHECK_NOTHROW(vcd.close());
}

TEST_CASE("A disk that fills leaves a VCD that ends with a whole line") {
    const ScratchFile file("vcd_cut.vcd");
    // A process may not write files beyond this size: the disk is full in mid-line.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1'500'001, 1'500'001};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    VcdWriter vcd(file.path());
    const VcdWire wire = vcd.add_wire("wire", 64);
    const auto write_much = [&] {
        for (std::uint64_t time = 1; time < 100'000; ++time) {
            vcd.set(wire, ~time);
            vcd.advance(time);
        }
    };
    CHECK_THROWS_WITH(write_much(), "vcd_cut.vcd: cannot write: File too large");
    const std::string text = read_text(file.path());
    CHECK(text.size() > 1'400'000);
    CHECK(text.size() < 1'500'001);
    CHECK(text.back() == '\n');
    const auto read = read_vcd(file.path());
    CHECK(read["wire"].size() > 10'000);
}
