// SPDX-License-Identifier: Apache-2.0
#include "tb/record/vcd_gtkw.h"

#include "tb/record/vcd_writer.h"
#include "tb/record/wave_plan.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>

namespace cqsim::tb {
namespace {

// Flags of GTKWave's save file: sums of its TR_ constants, in hexadecimal.
constexpr std::string_view kOpenGroup = "@800200";
constexpr std::string_view kOpenGroupEnd = "@1000200";
constexpr std::string_view kClosedGroup = "@c00200";
constexpr std::string_view kClosedGroupEnd = "@1401200";
constexpr std::string_view kDecimal = "@24";
constexpr std::string_view kAnalogStep = "@88024";  // scaled over all time
constexpr std::string_view kAnalogRoom = "@20000";  // a line more for the analog trace above
constexpr std::string_view kBinary = "@28";
constexpr std::string_view kText = "@22";

// Of more than these, groups are closed.
constexpr std::uint32_t kOpenCqs = 4;
constexpr std::uint32_t kOpenCqsWithEvents = 1;
constexpr std::uint32_t kOpenEqs = 1;
constexpr std::uint32_t kOpenVectors = 4;
constexpr std::size_t kNamedMarkers = 26;
constexpr std::uint32_t kNamesWidth = 450;  // pixels of the window that hold no waves
constexpr int kAnalogLines = 3;
constexpr int kRed = 1;
constexpr int kOrange = 2;
constexpr int kYellow = 3;
constexpr int kGreen = 4;
constexpr int kBlue = 5;

/// Collects the lines.
class SaveFile {
  public:
    void line(std::string_view text) { m_text.append(text).append("\n"); }

    void group(const std::string& title, bool is_open = true) {
        m_is_open = is_open;
        m_title = title;
        line(is_open ? kOpenGroup : kClosedGroup);
        line("-" + title);
    }
    void end_group() {
        line(m_is_open ? kOpenGroupEnd : kClosedGroupEnd);
        line("-" + m_title);
    }

    void scope(const std::string& path) { m_scope = path + "."; }
    void text(const std::string& name, const std::string& shown, int colour) {
        trace(kText, name, shown, colour);
    }
    void number(const std::string& name, std::uint32_t width, const std::string& of = "") {
        trace(kDecimal, with_range(name, width), of + name, kBlue);
    }
    void pulse(const std::string& name, const std::string& shown) {
        trace(kBinary, name, shown, kRed);
    }
    void analog(const std::string& name,
                std::uint32_t width,
                const std::string& of = "",
                int lines = kAnalogLines) {
        trace(kAnalogStep, with_range(name, width), of + name, kOrange);
        for (int i = 1; i < lines; ++i) {
            line(kAnalogRoom);
            line("-");
        }
    }

    std::string take() { return std::move(m_text); }

  private:
    static std::string with_range(const std::string& name, std::uint32_t width) {
        return width == 1 ? name : name + "[" + std::to_string(width - 1) + ":0]";
    }
    void trace(std::string_view flags,
               const std::string& name,
               const std::string& shown,
               int colour) {
        line(flags);
        line("[color] " + std::to_string(colour));
        line("+{" + shown + "} " + m_scope + name);
    }

    std::string m_text;
    std::string m_scope;
    std::string m_title;
    bool m_is_open = true;
};

void write_head(SaveFile& save, const RunHeader& header, const GtkwOptions& options) {
    save.line("[*] waves of cqsim: " + vcd_name(header.scenario));
    save.line("[dumpfile] \"" + options.vcd + "\"");
    save.line("[timestart] " + std::to_string(options.view.from_ps));
    save.line("[size] " + std::to_string(options.width) + " " + std::to_string(options.height));
    save.line("[pos] -1 -1");
    // 200 pixels are 2^-zoom ps.
    constexpr double kFrame = 200;
    const double pixels =
        options.width > 2 * kNamesWidth ? options.width - kNamesWidth : kNamesWidth;
    const std::uint64_t span = options.view.to_ps - options.view.from_ps;
    const double shown = span > 0 ? static_cast<double>(span) : pixels;
    std::string marks = "*" + std::to_string(-std::log2(shown / pixels * kFrame));
    const auto mark = [&marks](std::uint64_t time_ps, bool is_set) {
        marks += is_set ? " " + std::to_string(time_ps) : " -1";
    };
    mark(options.failure_ps, options.failure_ps != 0);
    const std::vector<WaveMoment>& moments = options.view.moments;
    for (std::size_t i = 0; i < kNamedMarkers; ++i) {
        mark(i < moments.size() ? moments[i].time_ps : 0, i < moments.size());
    }
    save.line(marks);
    for (std::size_t i = 0; i < std::min(moments.size(), kNamedMarkers); ++i) {
        save.line(std::string("[markername] ") + static_cast<char>('A' + i) + moments[i].label);
    }
    save.line("[treeopen] cqsim.");
    save.line("[treeopen] cqsim.engine.");
    save.line("[sst_width] 200");
    save.line("[signals_width] 200");
    save.line("[sst_expanded] 0");
}

/// The one serialized path.
void write_path(SaveFile& save) {
    save.group("arbiter");
    save.scope("cqsim.engine.arbiter");
    save.analog("queue_length", 32, "", 2);
    save.number("grants", 64);
    save.text("granted_qp", "granted_qp", kGreen);
    save.text("granted_queue_text", "granted_queue", kGreen);
    save.end_group();

    save.group("writer");
    save.scope("cqsim.engine.writer");
    save.number("writes_in_flight", 32);
    save.text("entry_qp", "entry_qp", kGreen);
    save.text("entry_cq", "entry_cq", kGreen);
    save.text("entry_status_text", "entry_status", kGreen);
    save.end_group();
}

/// What QPs got for an answer beside an entry: the damage.
void write_answers(SaveFile& save) {
    save.group("answers");
    save.scope("cqsim.engine.answers");
    save.number("lost", 64);
    save.number("cancelled", 64);
    save.end_group();
}

/// Every note, module by module; `notable` is the best of them.
void write_notes(SaveFile& save, bool has_events) {
    save.group("all notes", false);
    save.scope("cqsim.engine");
    save.text("notes", "notes", kYellow);
    for (const char* module : {"tx_tap", "writer", "overflow", "qp_table", "event_arbiter"}) {
        if (has_events || module != std::string_view("event_arbiter")) {
            save.scope(std::string("cqsim.engine.") + module);
            save.text("notes", std::string(module) + " notes", kYellow);
        }
    }
    save.end_group();
}

void write_events(SaveFile& save, const WavePlan& plan) {
    const std::string arbiter = "cqsim.engine.event_arbiter";
    std::uint32_t shown = 0;
    for (const WavePlan::Group& group : plan.eq) {
        if (group.members.empty()) {
            save.group(std::to_string(group.count) + " event queues " + group.name);
            save.scope(arbiter + "." + group.scope);
            save.analog("occupancy_total", 64);
            save.number("waiting", 32);
            save.number("full", 32);
            save.number("error", 32);
            save.end_group();
        }
        for (const WavePlan::Member& eq : group.members) {
            save.group("EQ " + eq.name, shown++ < kOpenEqs);
            save.scope(arbiter + "." + eq.scope);
            save.text("state_text", "state", kGreen);
            save.number("waiting", 32);
            save.number("producer_index", 32);
            save.number("consumer_index", 32);
            save.number("occupancy", 32);
            save.number("armed", 1);
            save.end_group();
        }
    }
    save.group("interrupts", plan.vectors <= kOpenVectors);
    for (std::uint32_t vector = 0; vector < plan.vectors; ++vector) {
        const std::string name = "vector_" + std::to_string(vector);
        std::string scope = arbiter;
        save.scope(scope.append(".").append(name));
        save.pulse("irq", name + " irq");
        save.number("interrupts", 64, name + " ");
    }
    save.end_group();
}

void write_cq(SaveFile& save,
              const WavePlan::Member& cq,
              std::uint32_t index_width,
              bool has_events,
              bool is_open) {
    save.group("CQ " + cq.name, is_open);
    save.scope("cqsim.engine.overflow." + cq.scope);
    save.text("state_text", "state", kGreen);
    save.analog("occupancy", index_width);
    save.number("occupancy", index_width);
    if (has_events) {
        save.scope("cqsim.engine.event_arbiter." + cq.scope);
        save.text("armed_text", "armed", kGreen);
        save.number("pending", 16);
        save.number("timer", 1);
        save.scope("cqsim.engine.overflow." + cq.scope);
    }
    save.number("reserved_index", index_width);
    save.number("published_index", index_width);
    save.number("polled_index", index_width);
    save.number("consumer_index", index_width);
    save.number("owner", 1);
    save.text("entry_status_text", "entry_status", kGreen);
    save.text("entry_opcode_text", "entry_opcode", kGreen);
    save.number("entry_byte_len", 32);
    save.end_group();
}

void write_cqs(SaveFile& save, const WavePlan& plan, std::uint32_t index_width) {
    const bool has_events = !plan.eq.empty();
    const std::uint32_t open = has_events ? kOpenCqsWithEvents : kOpenCqs;
    std::uint32_t shown = 0;
    for (const WavePlan::Group& group : plan.cq) {
        if (group.members.empty()) {
            save.group(std::to_string(group.count) + " CQs " + group.name);
            save.scope("cqsim.engine.overflow." + group.scope);
            save.analog("occupancy_max", 32);
            save.analog("occupancy_total", 64);
            save.number("full", 32);
            save.number("error", 32);
            if (has_events) {
                save.scope("cqsim.engine.event_arbiter." + group.scope);
                save.number("armed_next", 32);
                save.number("armed_solicited", 32);
                save.number("pending", 64);
            }
            save.end_group();
        }
        for (const WavePlan::Member& cq : group.members) {
            write_cq(save, cq, index_width, has_events, shown++ < open);
        }
    }
}

void write_qps(SaveFile& save, const WavePlan& plan) {
    save.group("QPs");
    for (const WavePlan::Group& group : plan.qp) {
        for (const WavePlan::Member& qp : group.members) {
            save.scope("cqsim.engine.qp_table." + qp.scope);
            save.text("state_text", "QP " + qp.name, kGreen);
        }
        save.scope("cqsim.engine.qp_table." + group.scope);
        if (group.members.empty()) {
            save.number("rts", 32, group.name + " ");
            save.analog("err", 32, group.name + " ");
            save.number("err", 32, group.name + " ");
        } else if (group.count > 1) {
            save.number("rts", 32, group.name + " ");
            save.number("err", 32, group.name + " ");
        }
    }
    save.end_group();
}

}  // namespace

std::string gtkw_text(const RunHeader& header, const GtkwOptions& options) {
    const WavePlan plan(header);
    const bool has_events = !plan.eq.empty();
    SaveFile save;
    write_head(save, header, options);
    save.scope("cqsim.engine");
    save.text("notable", "notable", kYellow);
    if (has_events) {
        write_events(save, plan);
        write_cqs(save, plan, header.index_width);
        write_qps(save, plan);
        write_answers(save);
    } else {
        write_qps(save, plan);
        write_answers(save);
        write_cqs(save, plan, header.index_width);
    }
    write_path(save);
    write_notes(save, has_events);
    return save.take();
}

void write_gtkw(const std::string& path, const RunHeader& header, const GtkwOptions& options) {
    std::ofstream file(path, std::ios::binary);
    file << gtkw_text(header, options);
    file.close();
    if (!file) {
        throw VcdError(path + ": cannot write: " + std::strerror(errno));
    }
}

}  // namespace cqsim::tb
