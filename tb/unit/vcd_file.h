// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads a VCD back, with nothing of the writer's, for the tests of the waves.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cqsim::tb::test {

/// One value: decimal for a wire ("x" if undefined), the text for a string variable.
using VcdChange = std::pair<std::uint64_t, std::string>;
using VcdChanges = std::vector<VcdChange>;

struct VcdFile {
    std::map<std::string, VcdChanges> variables;  ///< by full path
    std::map<std::string, std::uint32_t> widths;  ///< 0: a string variable
    std::uint64_t end = 0;                        ///< last time stamp

    /// The changes of a variable; a failed REQUIRE if there is none.
    const VcdChanges& operator[](const std::string& path) const;
};

/// The whole file as text.
std::string read_text(const std::string& path);
/// \throws std::runtime_error, with the line, for what is no VCD.
VcdFile read_vcd(const std::string& path);

/// A file that is removed at the end of the test.
class ScratchFile {
  public:
    explicit ScratchFile(std::string path);
    ~ScratchFile();
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    const std::string& path() const { return m_path; }

  private:
    std::string m_path;
};

}  // namespace cqsim::tb::test
