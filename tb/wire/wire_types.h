// SPDX-License-Identifier: Apache-2.0
/// \file
/// Messages between two connected QPs, and their packets. No SystemC.
#pragma once

#include "models/observe/record.h"
#include "models/verbs/verbs.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cqsim::tb {

/// What a fault does to the message that it hits. The letters are the classes of S2.8 and S2.16.
enum class Fault : std::uint8_t {
    None,
    Drop,            ///< the request is lost on its way
    DropAck,         ///< an answer that covers it is lost on its way
    Rkey,            ///< responder class C: its remote key is not valid
    InvalidRequest,  ///< responder class C: it is malformed
    Length,          ///< responder class C: it is longer than the receive request
    ResponderWqe,    ///< responder class A: the receive request that it takes is malformed
    InvKey,          ///< responder class J: the key that it invalidates is not valid
    BadResponse,     ///< requester class B: its response is of another operation
    LocalProt,       ///< requester class B: its buffer is not the requester's; it is not sent
};
inline constexpr std::uint32_t kFaults = static_cast<std::uint32_t>(Fault::LocalProt) + 1;
/// In the language of scenarios: "drop", "drop_ack", ...; "" for None.
std::string_view name(Fault fault);
/// Whether a message of this opcode can be hit by it.
bool can_hit(Fault fault, WrOpcode opcode);
/// Whether a QP of this type has messages that it can hit, S1.17.
bool can_hit(Fault fault, QpType type);

/// S2.10: takes a receive request.
inline bool takes_receive(WrOpcode opcode) {
    return responder_opcode(opcode).has_value();
}
/// S2.7: ends with a response, not with an ACK. Of FLUSH and ATOMIC_WRITE it is an empty one.
constexpr bool has_response(WrOpcode opcode) {
    return opcode == WrOpcode::RdmaRead || opcode == WrOpcode::AtomicCmpAndSwp ||
           opcode == WrOpcode::AtomicFetchAndAdd || opcode == WrOpcode::Flush ||
           opcode == WrOpcode::AtomicWrite;
}
/// Nothing of it goes onto the wire.
constexpr bool is_local(WrOpcode opcode) {
    return opcode == WrOpcode::LocalInv || opcode == WrOpcode::BindMw;
}

/// Request numbers have 24 bits and count on round zero.
inline constexpr std::uint32_t kNumberMask = 0xFF'FFFF;
constexpr std::uint32_t number_after(std::uint32_t number) {
    return (number + 1) & kNumberMask;
}
/// How far `number` lies ahead of `from`; half the circle and more: it lies behind.
constexpr std::uint32_t ahead(std::uint32_t number, std::uint32_t from) {
    return (number - from) & kNumberMask;
}
inline constexpr std::uint32_t kHalfTheNumbers = 1U << 23U;

/// A request as it goes onto the wire. 20 bytes.
struct WireMessage {
    std::uint32_t wqe_index = 0;  ///< of the request
    std::uint32_t number = 0;
    std::uint32_t bytes = 0;
    std::uint32_t hits = 0;  ///< Drop, DropAck: so many more times it, or its answer, is lost
    WrOpcode opcode{};
    Fault fault = Fault::None;
    bool solicited = false;

    friend bool operator==(const WireMessage& l, const WireMessage& r) {
        return l.wqe_index == r.wqe_index && l.number == r.number && l.bytes == r.bytes &&
               l.hits == r.hits && l.opcode == r.opcode && l.fault == r.fault &&
               l.solicited == r.solicited;
    }
};
/// Drop, DropAck: every time.
inline constexpr std::uint32_t kEveryTime = 0xFFFF'FFFFU;

/// Packets of the responder.
struct WireAnswer {
    PacketType type{};
    std::uint32_t number = 0;
    std::uint32_t wqe_index = 0;  ///< of the request
    std::uint32_t bytes = 0;      ///< of the request
    WrOpcode opcode{};            ///< of the request
    bool bad = false;             ///< by a fault: of another operation

    friend bool operator==(const WireAnswer& l, const WireAnswer& r) {
        return l.type == r.type && l.number == r.number && l.wqe_index == r.wqe_index &&
               l.bytes == r.bytes && l.opcode == r.opcode && l.bad == r.bad;
    }
};

/// First in, first out, with access to every item; starts without memory.
template <class T>
class Window {
  public:
    bool empty() const { return m_size == 0; }
    std::size_t size() const { return m_size; }
    T& operator[](std::size_t ahead) { return m_items[(m_head + ahead) % m_items.size()]; }
    const T& operator[](std::size_t ahead) const {
        return m_items[(m_head + ahead) % m_items.size()];
    }
    void pop() {
        m_head = (m_head + 1) % m_items.size();
        --m_size;
    }
    void push(const T& item) {
        if (m_size == m_items.size()) {
            std::vector<T> larger(m_items.empty() ? 4 : 2 * m_items.size());
            for (std::size_t i = 0; i < m_size; ++i) {
                larger[i] = (*this)[i];
            }
            m_items.swap(larger);
            m_head = 0;
        }
        ++m_size;
        (*this)[m_size - 1] = item;
    }
    void pop_last() { --m_size; }
    void clear() { m_size = 0; }

    friend bool operator==(const Window& l, const Window& r) {
        if (l.m_size != r.m_size) {
            return false;
        }
        for (std::size_t i = 0; i < l.m_size; ++i) {
            if (!(l[i] == r[i])) {
                return false;
            }
        }
        return true;
    }

  private:
    std::vector<T> m_items;
    std::size_t m_head = 0;
    std::size_t m_size = 0;
};

}  // namespace cqsim::tb
