// SPDX-License-Identifier: Apache-2.0
#include "tb/record/vcd_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace cqsim::tb {
namespace {

constexpr char kFirstIdChar = '!';
constexpr std::uint32_t kIdChars = 94;  // '!' .. '~'

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Values of string variables end at a blank: blanks, backslashes and everything that is not
/// printable ASCII become \ooo.
void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte > ' ' && byte < 0x7F && c != '\\') {
            out += c;
        } else {
            const auto digit = [byte](unsigned shift) {
                return static_cast<char>('0' + ((static_cast<unsigned>(byte) >> shift) & 7U));
            };
            out += '\\';
            out += digit(6);
            out += digit(3);
            out += digit(0);
        }
    }
}

std::uint64_t low_bits(std::uint64_t value, std::uint32_t width) {
    return width == VcdWriter::kMaxWidth ? value : value & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

std::string vcd_name(std::string_view name) {
    std::string fit;
    fit.reserve(name.size() + 1);
    for (const char c : name) {
        if (is_letter(c) || is_digit(c) || c == '_') {
            fit += c;
        } else if (c != ']') {
            fit += '_';
        }
    }
    if (fit.empty() || is_digit(fit.front())) {
        fit.insert(fit.begin(), '_');
    }
    return fit;
}

VcdWriter::VcdWriter(std::string path)
    : m_path(std::move(path)),
      m_file(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      m_buffer(new char[kBufferBytes]) {
    if (m_file < 0) {
        m_failed = true;
        throw VcdError(m_path + ": cannot create: " + std::strerror(errno));
    }
    put("$version cqsim $end\n$timescale 1ps $end\n");
}

VcdWriter::~VcdWriter() {
    try {
        close();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody is left to tell
    }
}

void VcdWriter::claim_name(const std::string& name) {
    if (!m_declaring) {
        throw std::logic_error("VcdWriter: '" + name + "' declared after time has moved");
    }
    std::string path;
    for (const std::string& scope : m_scopes) {
        path += scope + '.';
    }
    if (!m_names.insert(path + name).second) {
        throw std::logic_error("VcdWriter: '" + path + name + "' declared twice");
    }
}

void VcdWriter::open_scope(std::string_view name) {
    std::string fit = vcd_name(name);
    claim_name(fit);
    put("$scope module " + fit + " $end\n");
    m_scopes.push_back(std::move(fit));
}

void VcdWriter::close_scope() {
    if (!m_declaring || m_scopes.empty()) {
        throw std::logic_error("VcdWriter: no scope is open");
    }
    m_scopes.pop_back();
    put("$upscope $end\n");
}

VcdWriter::Id VcdWriter::declare(std::string_view type,
                                 std::uint32_t width,
                                 std::string_view name) {
    const std::string fit = vcd_name(name);
    claim_name(fit);
    Id id{};
    auto number = m_wires.size() + m_texts.size();
    do {
        id.text[id.length++] = static_cast<char>(kFirstIdChar + (number % kIdChars));
        number /= kIdChars;
    } while (number > 0 && id.length < sizeof(id.text));
    std::string line = "$var ";
    line.append(type).append(" ").append(std::to_string(width)).append(" ");
    line.append(id.text, id.length).append(" ").append(fit);
    if (width > 1) {
        line += " [" + std::to_string(width - 1) + ":0]";
    }
    put(line + " $end\n");
    return id;
}

VcdWire VcdWriter::add_wire(std::string_view name, std::uint32_t width) {
    if (width < 1 || width > kMaxWidth) {
        throw std::invalid_argument("VcdWriter: '" + std::string(name) + "' is " +
                                    std::to_string(width) + " bits wide, not 1 to 64");
    }
    const Id id = declare("wire", width, name);
    m_wires.push_back({0, 0, id, static_cast<std::uint8_t>(width), false, false, false, false});
    return VcdWire{static_cast<std::uint32_t>(m_wires.size() - 1)};
}

VcdText VcdWriter::add_text(std::string_view name) {
    const Id id = declare("string", 1, name);
    m_texts.push_back({{}, {}, id, 0, false});
    return VcdText{static_cast<std::uint32_t>(m_texts.size() - 1)};
}

VcdPulse VcdWriter::add_pulse(std::string_view name) {
    const Id id = declare("event", 1, name);
    m_wires.push_back({0, 0, id, 1, true, false, false, false});
    return VcdPulse{static_cast<std::uint32_t>(m_wires.size() - 1)};
}

VcdEnum VcdWriter::add_enum(std::string_view name, std::uint32_t width) {
    const VcdWire value = add_wire(name, width);
    return {value, add_text(std::string(name) + "_text")};
}

void VcdWriter::end_declarations() {
    while (!m_scopes.empty()) {
        close_scope();
    }
    put("$enddefinitions $end\n");
    m_declaring = false;
    m_names.clear();
}

void VcdWriter::move_to(std::uint64_t time_ps) {
    if (m_failed) {
        return;
    }
    if (time_ps < m_now) {
        throw VcdError(m_path + ": time runs backwards, from " + std::to_string(m_now) + " ps to " +
                       std::to_string(time_ps) + " ps");
    }
    write_step();
    m_now = time_ps;
}

void VcdWriter::set(VcdWire wire, std::uint64_t value) {
    stage(static_cast<std::uint32_t>(wire), value);
}

void VcdWriter::stage(std::uint32_t number, std::uint64_t value) {
    Wire& target = m_wires[number];
    target.staged = low_bits(value, target.width);
    target.is_defined = true;
    touch(number, target.is_dirty);
}

void VcdWriter::set_undefined(VcdWire wire) {
    const auto number = static_cast<std::uint32_t>(wire);
    m_wires[number].is_defined = false;
    touch(number, m_wires[number].is_dirty);
}

void VcdWriter::set(VcdText text, std::string_view value) {
    const auto number = static_cast<std::uint32_t>(text);
    Text& target = m_texts[number];
    target.staged = value;
    touch(number | kTextBit, target.is_dirty);
}

void VcdWriter::join(VcdText text, std::string_view value) {
    Text& target = m_texts[static_cast<std::uint32_t>(text)];
    if (target.joined == 0) {
        set(text, value);
    } else if (target.joined < kMaxJoined) {
        target.staged.append("; ").append(value);
    }
    ++target.joined;
}

void VcdWriter::write_step() {
    if (m_failed || m_file < 0) {
        return;
    }
    if (!m_has_initial) {
        write_initial();
    }
    for (const std::uint32_t entry : m_dirty) {
        if ((entry & kTextBit) != 0) {
            Text& text = m_texts[entry & ~kTextBit];
            text.is_dirty = false;
            if (text.joined > 0 || text.staged != text.shown) {
                write_time();
                write_text(text);
            }
        } else {
            Wire& wire = m_wires[entry];
            wire.is_dirty = false;
            if (!wire.is_defined) {
                if (wire.is_shown) {
                    write_time();
                    write_undefined(wire);
                    wire.is_shown = false;
                }
            } else if (wire.is_pulse || !wire.is_shown || wire.staged != wire.shown) {
                write_time();
                write_wire(wire);
            }
        }
    }
    m_dirty.clear();
}

/// The values of time 0; those that come later are undefined until then.
void VcdWriter::write_initial() {
    if (m_declaring) {
        end_declarations();
    }
    m_has_initial = true;
    put("#0\n$dumpvars\n");
    const bool is_start = m_now == 0;
    for (Wire& wire : m_wires) {
        if (wire.is_pulse) {
            continue;  // it has no value until it happens
        }
        if (is_start && wire.is_defined) {
            write_wire(wire);
        } else {
            write_undefined(wire);
        }
    }
    for (Text& text : m_texts) {
        if (is_start) {
            write_text(text);
        } else {
            put("s " + std::string(text.id.text, text.id.length) + "\n");
        }
    }
    put("$end\n");
}

void VcdWriter::write_time() {
    if (m_stamp == m_now) {
        return;
    }
    constexpr std::size_t kDigits = 20;
    char* const first = room(kDigits + 2);
    *first = '#';
    char* last = std::to_chars(first + 1, first + 1 + kDigits, m_now).ptr;
    *last++ = '\n';
    m_used += static_cast<std::size_t>(last - first);
    m_stamp = m_now;
}

void VcdWriter::write_wire(Wire& wire) {
    char* const first = room(kMaxWidth + sizeof(wire.id.text) + 3);
    char* out = first;
    wire.shown = wire.staged;
    wire.is_shown = true;
    if (wire.width == 1) {
        *out++ = wire.staged != 0 ? '1' : '0';
    } else {
        // Leading zeros are implied.
        *out++ = 'b';
        std::uint32_t bit = 1;
        while (bit < wire.width && (wire.staged >> bit) != 0) {
            ++bit;
        }
        while (bit-- > 0) {
            *out++ = ((wire.staged >> bit) & 1U) != 0 ? '1' : '0';
        }
        *out++ = ' ';
    }
    std::memcpy(out, wire.id.text, sizeof(wire.id.text));
    out += wire.id.length;
    *out++ = '\n';
    m_used += static_cast<std::size_t>(out - first);
}

void VcdWriter::write_undefined(const Wire& wire) {
    put((wire.width == 1 ? "x" : "bx ") + std::string(wire.id.text, wire.id.length) + "\n");
}

void VcdWriter::write_text(Text& text) {
    std::string line = "s";
    append_escaped(line, text.staged);
    if (text.joined > kMaxJoined) {
        append_escaped(line, " +" + std::to_string(text.joined - kMaxJoined) + " more");
    }
    line += ' ';
    line.append(text.id.text, text.id.length);
    line += '\n';
    put(line);
    text.joined = 0;
    text.shown = text.staged;
}

void VcdWriter::close() {
    if (m_file < 0) {
        return;
    }
    write_step();
    write_time();
    flush();
    const int file = std::exchange(m_file, -1);
    if (::close(file) != 0) {
        fail(errno);
    }
}

void VcdWriter::put(std::string_view text) {
    if (text.size() > kBufferBytes) {
        flush();
        drain_to_file(text.data(), text.size());
        return;
    }
    std::memcpy(room(text.size()), text.data(), text.size());
    m_used += text.size();
}

char* VcdWriter::room(std::size_t bytes) {
    if (kBufferBytes - m_used < bytes) {
        flush();
    }
    return m_buffer.get() + m_used;
}

void VcdWriter::flush() {
    const std::size_t length = std::exchange(m_used, 0);
    drain_to_file(m_buffer.get(), length);
}

void VcdWriter::drain_to_file(const char* data, std::size_t length) {
    std::size_t done = 0;
    while (!m_failed && done < length) {
        const ssize_t written = ::write(m_file, data + done, length - done);
        if (written >= 0) {
            done += static_cast<std::size_t>(written);
        } else if (errno != EINTR) {
            const int error = errno;
            const std::size_t end = std::string_view(data, done).rfind('\n');
            m_kept_bytes += end == std::string_view::npos ? 0 : end + 1;
            fail(error);
        }
    }
    m_kept_bytes += done;
}

void VcdWriter::fail(int error) {
    m_failed = true;
    if (m_file >= 0) {
        // Half a time stamp would read as a time in the past.
        [[maybe_unused]] const int cut = ::ftruncate(m_file, static_cast<off_t>(m_kept_bytes));
        ::close(std::exchange(m_file, -1));
    }
    throw VcdError(m_path + ": cannot write: " + std::strerror(error));
}

}  // namespace cqsim::tb
