// SPDX-License-Identifier: Apache-2.0
/// \file
/// The payloads of an initiator on a memory-mapped link (design D1).
#pragma once

#include <tlm>

#include <memory>
#include <vector>

namespace cqsim {

/// Payloads that are used again when the last component has released them, and not before.
/// `Payload` is a tlm_generic_payload with whatever the initiator keeps beside it.
template <class Payload>
class PayloadPool final : private tlm::tlm_mm_interface {
  public:
    PayloadPool() = default;
    PayloadPool(const PayloadPool&) = delete;
    PayloadPool& operator=(const PayloadPool&) = delete;
    ~PayloadPool() override {
        for (const auto& payload : m_all) {
            payload->set_data_ptr(nullptr);
        }
    }

    /// One that nobody holds; `acquire` it. Its fields are as after `reset`.
    Payload& take() {
        if (m_free.empty()) {
            m_all.push_back(std::make_unique<Payload>());
            Payload& fresh = *m_all.back();
            fresh.set_mm(this);
            return fresh;
        }
        Payload* payload = m_free.back();
        m_free.pop_back();
        return *payload;
    }

  private:
    void free(tlm::tlm_generic_payload* payload) override {
        payload->reset();
        m_free.push_back(static_cast<Payload*>(payload));
    }

    std::vector<std::unique_ptr<Payload>> m_all;
    std::vector<Payload*> m_free;
};

/// Sets every field of a request that moves `length` bytes at `data`: no byte enables, no
/// streaming.
inline void set_request(tlm::tlm_generic_payload& payload,
                        tlm::tlm_command command,
                        std::uint64_t address,
                        unsigned char* data,
                        std::uint32_t length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_byte_enable_length(0);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace cqsim
