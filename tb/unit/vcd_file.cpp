// SPDX-License-Identifier: Apache-2.0
#include "tb/unit/vcd_file.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace cqsim::tb::test {
namespace {

std::string unescaped(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            out += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

class Reader {
  public:
    VcdFile read(std::istream& in) {
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            std::string first;
            words >> first;
            if (!m_is_defined) {
                definition(first, words);
            } else {
                change(line, first);
            }
        }
        return std::move(m_file);
    }

  private:
    void definition(const std::string& first, std::istringstream& words) {
        if (first == "$scope") {
            std::string module;
            std::string name;
            words >> module >> name;
            m_scopes.push_back(name);
        } else if (first == "$upscope") {
            m_scopes.pop_back();
        } else if (first == "$var") {
            variable(words);
        } else if (first == "$enddefinitions") {
            m_is_defined = true;
        }
    }

    void variable(std::istringstream& words) {
        std::string type;
        std::uint32_t width = 0;
        std::string id;
        std::string name;
        words >> type >> width >> id >> name;
        std::string path;
        for (const std::string& scope : m_scopes) {
            path += scope + ".";
        }
        path += name;
        m_paths[id] = path;
        m_file.variables[path];
        m_file.widths[path] = type == "string" ? 0 : width;
    }

    void change(const std::string& line, const std::string& first) {
        const char kind = line.empty() ? '?' : line.front();
        const std::size_t blank = line.rfind(' ');
        if (kind == '#') {
            const std::uint64_t time = std::stoull(line.substr(1));
            if (time < m_file.end) {
                throw std::runtime_error("time runs backwards: " + line);
            }
            m_file.end = time;
        } else if (kind == '$') {
            return;
        } else if (kind == 's') {
            add(line.substr(blank + 1), unescaped(line.substr(1, blank - 1)));
        } else if (kind == 'b') {
            const std::string bits = first.substr(1);
            add(line.substr(blank + 1),
                bits == "x" ? bits : std::to_string(std::stoull(bits, nullptr, 2)));
        } else if (kind == '0' || kind == '1' || kind == 'x') {
            add(line.substr(1), line.substr(0, 1));
        } else {
            throw std::runtime_error("no VCD: '" + line + "'");
        }
    }

    void add(const std::string& id, const std::string& value) {
        m_file.variables.at(m_paths.at(id)).emplace_back(m_file.end, value);
    }

    VcdFile m_file;
    std::vector<std::string> m_scopes;
    std::map<std::string, std::string> m_paths;
    bool m_is_defined = false;
};

}  // namespace

const VcdChanges& VcdFile::operator[](const std::string& path) const {
    INFO(path);
    REQUIRE(variables.count(path) == 1);
    return variables.at(path);
}

std::string read_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

VcdFile read_vcd(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return Reader().read(in);
}

ScratchFile::ScratchFile(std::string path)
    : m_path(std::move(path)) {
}

ScratchFile::~ScratchFile() {
    std::remove(m_path.c_str());
}

}  // namespace cqsim::tb::test
