// SPDX-License-Identifier: Apache-2.0
#include "tb/record/vcd_gtkw.h"

#include "tb/record/vcd_writer.h"
#include "tb/record/wave_plan.h"

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
constexpr std::string_view kText = "@22";

constexpr std::uint32_t kOpenCqs = 4;
constexpr std::uint32_t kNamesWidth = 450;  // pixels of the window that hold no waves
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
    /// Two lines high.
    void analog(const std::string& name, std::uint32_t width) {
        trace(kAnalogStep, with_range(name, width), name, kOrange);
        line(kAnalogRoom);
        line("-");
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
    save.line("[timestart] 0");
    save.line("[size] " + std::to_string(options.width) + " " + std::to_string(options.height));
    save.line("[pos] -1 -1");
    // 200 pixels are 2^-zoom ps.
    constexpr double kFrame = 200;
    const double pixels =
        options.width > 2 * kNamesWidth ? options.width - kNamesWidth : kNamesWidth;
    const double end = options.end_ps > 0 ? static_cast<double>(options.end_ps) : pixels;
    const auto zoom = std::to_string(-std::log2(end / pixels * kFrame));
    std::string marks = "*" + zoom;
    for (int i = 0; i < 28; ++i) {
        marks += " -1";
    }
    save.line(marks);
    save.line("[treeopen] cqsim.");
    save.line("[treeopen] cqsim.engine.");
    save.line("[sst_width] 200");
    save.line("[signals_width] 200");
    save.line("[sst_expanded] 0");
}

void write_path(SaveFile& save) {
    save.scope("cqsim.engine");
    save.text("notes", "notes", kYellow);
    save.scope("cqsim.engine.tx_tap");
    save.text("notes", "tx_tap notes", kYellow);

    save.group("arbiter");
    save.scope("cqsim.engine.arbiter");
    save.number("queue_length", 32);
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

void write_cqs(SaveFile& save, const WavePlan& plan, std::uint32_t index_width) {
    save.scope("cqsim.engine.overflow");
    save.text("notes", "overflow notes", kYellow);
    std::uint32_t shown = 0;
    for (const WavePlan::Group& group : plan.cq) {
        const std::string overflow = "cqsim.engine.overflow.";
        if (group.members.empty()) {
            save.group(std::to_string(group.count) + " CQs " + group.name);
            save.scope(overflow + group.scope);
            save.analog("occupancy_max", 32);
            save.analog("occupancy_total", 64);
            save.number("full", 32);
            save.number("error", 32);
            save.end_group();
        }
        for (const WavePlan::Member& cq : group.members) {
            save.group("CQ " + cq.name, shown++ < kOpenCqs);
            save.scope(overflow + cq.scope);
            save.text("state_text", "state", kGreen);
            save.analog("occupancy", index_width);
            save.number("occupancy", index_width);
            save.number("reserved_index", index_width);
            save.number("published_index", index_width);
            save.number("polled_index", index_width);
            save.number("consumer_index", index_width);
            save.number("owner", 1);
            save.end_group();
        }
    }
}

void write_qps(SaveFile& save, const WavePlan& plan) {
    save.group("QPs");
    save.scope("cqsim.engine.qp_table");
    save.text("notes", "notes", kYellow);
    for (const WavePlan::Group& group : plan.qp) {
        for (const WavePlan::Member& qp : group.members) {
            save.scope("cqsim.engine.qp_table." + qp.scope);
            save.text("state_text", "QP " + qp.name, kGreen);
        }
        if (group.count > 1) {
            save.scope("cqsim.engine.qp_table." + group.scope);
            save.number("rts", 32, group.name + " ");
            save.number("err", 32, group.name + " ");
        }
    }
    save.end_group();
}

}  // namespace

std::string gtkw_text(const RunHeader& header, const GtkwOptions& options) {
    const WavePlan plan(header);
    SaveFile save;
    write_head(save, header, options);
    write_path(save);
    write_qps(save, plan);
    write_cqs(save, plan, header.index_width);
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
