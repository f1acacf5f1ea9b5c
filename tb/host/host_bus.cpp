// SPDX-License-Identifier: Apache-2.0
#include "tb/host/host_bus.h"

#include <array>

namespace cqsim::tb {

bool HostBus::ring(std::uint64_t offset, std::uint64_t value) {
    std::array<unsigned char, 8> bytes{};
    for (unsigned i = 0; i < bytes.size(); ++i) {
        bytes.at(i) = static_cast<unsigned char>(value >> (8 * i));
    }
    access(m_mmio, tlm::TLM_WRITE_COMMAND, offset, bytes.data(), bytes.size());
    return m_payload.is_response_ok();
}

}  // namespace cqsim::tb
