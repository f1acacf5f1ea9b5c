// SPDX-License-Identifier: Apache-2.0
/// \file
/// A value change dump, written when a value changes. Byte-identical for identical calls (P6): it
/// holds no date.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace cqsim::tb {

/// The file could not be written. `what()` begins with the file's name.
class VcdError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The name as viewers take it: letters, digits and '_'. GTKWave refuses a space, splits at a dot
/// and reads brackets as a range: "shared[3]" becomes "shared_3", any other byte '_'. Never empty,
/// never begins with a digit. A name that is fit stays as it is.
std::string vcd_name(std::string_view name);

/// Variables of one writer.
enum class VcdWire : std::uint32_t {};
enum class VcdText : std::uint32_t {};
/// Something that happens and has no value: an arrow in the viewer.
enum class VcdPulse : std::uint32_t {};
/// A number and what it means.
struct VcdEnum {
    VcdWire value{};
    VcdText text{};
};

/// Order of use: scopes and variables, then times, then `close`; values can be set all along.
/// Values set at one time are written together when time moves on, so the last one of a wire wins.
/// A value never set is undefined (x, or an empty text), and so is one that was set to be.
///
/// Every write is checked. The first that fails throws VcdError, once: afterwards all calls do
/// nothing, and the file ends after the last whole line that fitted. The destructor closes the file
/// properly on any path but cannot report.
class VcdWriter {
  public:
    static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
    static constexpr std::uint32_t kMaxWidth = 64;
    /// Texts joined at one time; what exceeds it is counted.
    static constexpr std::uint32_t kMaxJoined = 4;
    /// The words of a number that was set to be undefined.
    static constexpr std::string_view kUndefinedText = "undefined";

    /// \throws VcdError when the file cannot be created.
    explicit VcdWriter(std::string path);
    ~VcdWriter();
    VcdWriter(const VcdWriter&) = delete;
    VcdWriter& operator=(const VcdWriter&) = delete;

    /// Names are made fit by `vcd_name`.
    /// \throws std::logic_error once time has moved, or for a name that its scope already has.
    void open_scope(std::string_view name);
    void close_scope();
    /// \throws std::invalid_argument unless width is 1 .. kMaxWidth bits.
    VcdWire add_wire(std::string_view name, std::uint32_t width);
    /// A string variable (GTKWave's extension of the format).
    VcdText add_text(std::string_view name);
    /// `name` as a wire and `name`_text as a text, for viewers without string variables.
    VcdEnum add_enum(std::string_view name, std::uint32_t width);

    VcdPulse add_pulse(std::string_view name);

    /// The time of the values that follow, in ps. \throws VcdError if time runs backwards.
    void advance(std::uint64_t time_ps) {
        if (time_ps != m_now) {
            move_to(time_ps);
        }
    }
    std::uint64_t now() const { return m_now; }

    /// Only the lowest `width` bits count.
    void set(VcdWire wire, std::uint64_t value);
    void set(VcdText text, std::string_view value);
    void set(VcdEnum variable, std::uint64_t value, std::string_view text) {
        set(variable.value, value);
        set(variable.text, text);
    }
    /// It has no value from now on.
    void set_undefined(VcdWire wire);
    void set_undefined(VcdEnum variable) {
        set_undefined(variable.value);
        set(variable.text, kUndefinedText);
    }
    /// It happens now; several times at one time are once.
    void strike(VcdPulse pulse) { stage(static_cast<std::uint32_t>(pulse), 1); }
    /// Something that happened: written even if it repeats the value before. Joined with "; " to
    /// what happened at the same time.
    void join(VcdText text, std::string_view value);

    /// Writes what is left and the final time. Further calls do nothing.
    void close();
    bool failed() const { return m_failed; }

  private:
    struct Id {
        char text[5];
        std::uint8_t length;
    };
    struct Wire {
        std::uint64_t staged;
        std::uint64_t shown;
        Id id;
        std::uint8_t width;
        bool is_pulse;
        bool is_defined;  ///< `staged` holds a value
        bool is_shown;    ///< `shown` holds a value
        bool is_dirty;
    };
    struct Text {
        std::string staged;
        std::string shown;
        Id id;
        std::uint32_t joined;  ///< at this time
        bool is_dirty;
    };

    Id declare(std::string_view type, std::uint32_t width, std::string_view name);
    void stage(std::uint32_t number, std::uint64_t value);
    void touch(std::uint32_t entry, bool& is_dirty) {
        if (!is_dirty) {
            is_dirty = true;
            m_dirty.push_back(entry);
        }
    }
    void claim_name(const std::string& name);
    void end_declarations();
    void move_to(std::uint64_t time_ps);
    void write_step();
    void write_initial();
    void write_time();
    void write_wire(Wire& wire);
    void write_undefined(const Wire& wire);
    void write_text(Text& text);
    void put(std::string_view text);
    char* room(std::size_t bytes);
    void flush();
    void drain_to_file(const char* data, std::size_t length);
    [[noreturn]] void fail(int error);

    static constexpr std::uint32_t kTextBit = 1U << 31;

    std::string m_path;
    int m_file = -1;
    bool m_failed = false;
    bool m_declaring = true;
    bool m_has_initial = false;
    std::uint64_t m_now = 0;
    std::uint64_t m_stamp = 0;       ///< last time written
    std::uint64_t m_kept_bytes = 0;  ///< in the file, whole lines
    std::size_t m_used = 0;
    std::unique_ptr<char[]> m_buffer;
    std::vector<Wire> m_wires;
    std::vector<Text> m_texts;
    std::vector<std::uint32_t> m_dirty;  ///< in order of the first change; kTextBit: a text
    std::vector<std::string> m_scopes;
    std::unordered_set<std::string> m_names;  ///< full paths, while declaring
};

}  // namespace cqsim::tb
