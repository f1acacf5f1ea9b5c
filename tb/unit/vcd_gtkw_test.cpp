// SPDX-License-Identifier: Apache-2.0
#include "tb/record/vcd_gtkw.h"

#include "tb/record/wave_catalogue.h"
#include "tb/record/waves.h"
#include "tb/unit/vcd_file.h"
#include "tb/unit/vcd_first_look.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

namespace {

const std::string checker_path = "cqsim.engine.overflow.";

}  // namespace

TEST_CASE("The wave catalogue lists exactly what is written, with its width") {
    RunHeader header = header_of({{"ring", 0, 1}, {"many", 1, 65}}, {{"alice", 0, 1}});
    header.index_width = 24;
    header.eq = {{"ceq", 0, 2}, {"crowd", 2, 64}};
    header.vectors = 3;
    const auto read = waves_of(header, {});
    std::set<std::string> listed;
    for (const WaveInfo& info : wave_catalogue()) {
        std::string path(info.pattern);
        const std::size_t at = path.find("<name>");
        if (at != std::string::npos) {
            const std::string kind = path.substr(0, at).substr(path.rfind('.', at) + 1);
            const std::map<std::string, std::string> names{{"qp_", "alice"},
                                                           {"qps_", "alice"},
                                                           {"cq_", "ring"},
                                                           {"cqs_", "many"},
                                                           {"eq_", "ceq_1"},
                                                           {"eqs_", "crowd"}};
            path.replace(at, 6, names.at(kind));
        }
        if (const std::size_t number = path.find("<number>"); number != std::string::npos) {
            path.replace(number, 8, "2");
        }
        INFO(path);
        REQUIRE(read.widths.count(path) == 1);
        const std::string width =
            read.widths.at(path) == 0 ? "text" : std::to_string(read.widths.at(path));
        CHECK((info.width == width || (info.width == "index" && width == "24") ||
               (info.width == "1 or 3" && width == "1")));
        CHECK(!info.meaning.empty());
        listed.insert(path);
    }
    for (const auto& variable : read.widths) {
        // Of the event queues and vectors one stands for all.
        const std::string of_another = std::regex_replace(
            std::regex_replace(variable.first, std::regex("eq_ceq_0"), "eq_ceq_1"),
            std::regex("vector_[01]"),
            "vector_2");
        INFO(variable.first);
        CHECK(listed.count(of_another) == 1);
    }
}

TEST_CASE("A save file names only waves that exist, with their ranges") {
    const bool with_events = GENERATE(false, true);
    RunHeader header = header_of({{"ring", 0, 2}, {"many", 2, 65}},
                                 {{"alice", 0, 1}, {"pair", 1, 2}, {"crowd", 3, 17}});
    if (with_events) {
        header.eq = {{"ceq", 0, 2}, {"crowd", 2, 65}};
        header.vectors = 5;
    }
    const auto read = waves_of(header, {});
    GtkwOptions options;
    options.vcd = "run.vcd";
    options.view.to_ps = 1'000'000;
    std::istringstream lines(gtkw_text(header, options));
    std::size_t traces = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("+{", 0) != 0) {
            continue;
        }
        ++traces;
        std::string path = line.substr(line.rfind(' ') + 1);
        std::string range;
        if (const std::size_t at = path.find('['); at != std::string::npos) {
            range = path.substr(at);
            path.resize(at);
        }
        INFO(line);
        REQUIRE(read.widths.count(path) == 1);
        const std::uint32_t width = read.widths.at(path);
        CHECK(range == (width > 1 ? "[" + std::to_string(width - 1) + ":0]" : ""));
    }
    CHECK(traces > (with_events ? 60 : 30));
}

TEST_CASE("waveforms/first_look.gtkw is what the generator writes") {
    // Its run ends at 15 us and is short enough to be read as a whole; carol's send fails at 14 us.
    GtkwOptions options;
    options.vcd = "first_look.vcd";
    options.view = {0, 15'000'000, {{14'000'000, "fails"}}};
    CHECK(read_text(CQSIM_SOURCE_DIR "/waveforms/first_look.gtkw") ==
          gtkw_text(first_look_header(), options));
}

TEST_CASE("A save file opens where its view says, with markers") {
    GtkwOptions options;
    options.vcd = "run.vcd";
    options.view = {2000, 2000 + 1150, {{2100, "destroy"}, {2900, "done"}}};
    options.failure_ps = 2500;
    const std::string text = gtkw_text(header_of({{"ring", 0, 1}}, {{"alice", 0, 1}}), options);
    CHECK_THAT(text, Catch::Matchers::Contains("[timestart] 2000\n"));
    // 1150 ps on the 1150 pixels that hold waves: 200 pixels are 200 ps, 2^7.643856.
    std::string marks = "*-7.643856 2500 2100 2900";
    for (int i = 0; i < 24; ++i) {
        marks += " -1";
    }
    CHECK_THAT(text, Catch::Matchers::Contains(marks + "\n[markername] Adestroy\n"));
    CHECK_THAT(text, Catch::Matchers::Contains("[markername] Bdone\n"));
}

TEST_CASE("The filters say what the text variables say") {
    const auto filter = [](const std::string& file_name) {
        std::ifstream file(CQSIM_SOURCE_DIR "/waveforms/filters/" + file_name);
        std::vector<std::string> words;
        for (std::string line; std::getline(file, line);) {
            if (line.front() != '#') {
                CHECK(line.substr(0, line.find(' ')) == std::to_string(words.size()));
                words.push_back(line.substr(line.find_last_of(" ?") + 1));
            }
        }
        return words;
    };
    CHECK(filter("cq_state.filter") == std::vector<std::string>{"NONE", "OK", "ERROR", "FULL"});
    CHECK(filter("armed.filter") == std::vector<std::string>{"NONE", "NEXT", "SOLICITED"});
    const auto qp = filter("qp_state.filter");
    REQUIRE(qp.size() == 8);
    for (std::uint8_t state = 0; state < 7; ++state) {
        CHECK(qp.at(state) == name(static_cast<QpState>(state)));
    }
    CHECK(qp.at(7) == "NONE");
}

TEST_CASE("A save file that cannot be written names itself") {
    CHECK_THROWS_WITH(write_gtkw("no_such_directory/x.gtkw", first_look_header(), {}),
                      Catch::Matchers::StartsWith("no_such_directory/x.gtkw: cannot write"));
}

// The files stay in the build directory: waveforms/render makes pictures of them.
TEST_CASE("GTKWave's own converter reads the waves of first_look") {
    for (const FirstLookHost host : {FirstLookHost::Polls, FirstLookHost::Stops}) {
        const std::string stem =
            host == FirstLookHost::Polls ? "waves_first_look" : "waves_host_stops";
        const auto records = first_look_records(host);
        WaveSubscriber waves(first_look_header(), stem + ".vcd");
        waves.observe({records.data(), records.size()});
        waves.close();
        CHECK(waves.unlisted() == 0);
        const auto read = read_vcd(stem + ".vcd");
        GtkwOptions options;
        options.vcd = stem + ".vcd";
        options.view = waves.view(read.end, 0);
        write_gtkw(stem + ".gtkw", first_look_header(), options);
        // 21 receives, a signaled send of each QP, and Carol's failed one. The host that stops has
        // taken 10 in its first 6 us, and 8 more find room.
        CHECK(read[checker_path + "cq_shared.reserved_index"].back().second ==
              (host == FirstLookHost::Polls ? "25" : "18"));
        if (std::system("command -v vcd2fst >/dev/null 2>&1") != 0) {
            WARN("vcd2fst is not installed (package gtkwave): the conversion is skipped");
            continue;
        }
        const ScratchFile fst(stem + ".fst");
        CHECK(std::system(("vcd2fst " + stem + ".vcd " + fst.path()).c_str()) == 0);
        CHECK(read_text(fst.path()).size() > 100);
    }
}
