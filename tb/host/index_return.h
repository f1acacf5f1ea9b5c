// SPDX-License-Identifier: Apache-2.0
/// \file
/// How software tells the device up to where it has read a CQ (S3.1, S3.2).
#pragma once

#include "models/doorbell/bar_map.h"
#include "models/overflow/overflow_config.h"
#include "models/ring/doorbell_record.h"
#include "tb/host/host_bus.h"
#include "tb/host/host_policies.h"
#include "tb/host/ring_place.h"

#include <algorithm>
#include <array>
#include <vector>

namespace cqsim::tb {

/// The path that the device was configured with, and what software makes of its narrow field.
struct IndexReturnConfig {
    ConsumerPath path = ConsumerPath::Record;
    std::uint32_t increment_bits = OverflowConfig{}.increment_bits;  ///< 4 .. 16
    IncrementPolicy increment = IncrementPolicy::Split;
};

/// Writes consumer indices on the one path. It owns what software has told the device so far.
class IndexReturn {
  public:
    explicit IndexReturn(HostBus& bus)
        : m_bus(bus) {}

    void configure(const IndexReturnConfig& config, std::uint32_t cqs) {
        m_config = config;
        m_told.resize(config.path == ConsumerPath::Record ? 0 : cqs);
    }
    bool by_increments() const { return m_config.path == ConsumerPath::Increment; }
    /// A CQ starts anew at its first index.
    void start(Cqn cqn, const RingPlace& place) {
        if (m_config.path != ConsumerPath::Record) {
            m_told[index_of(cqn)] = place.first_index;
        }
    }
    /// Tells the device the consumer index, device-visible width.
    void publish(Cqn cqn, const RingPlace& place, std::uint32_t consumer) {
        if (m_config.path == ConsumerPath::Record) {
            std::array<unsigned char, 4> bytes{};
            doorbell_record::store(bytes.data(), consumer);
            m_bus.write(place.record + doorbell_record::kConsumerIndex,
                        bytes.data(),
                        static_cast<unsigned>(bytes.size()));
        } else {
            ring(cqn, place, consumer);
        }
    }
    /// Entries that software has read up to `consumer` and not told the device of.
    std::uint32_t untold(Cqn cqn, const RingPlace& place, std::uint32_t consumer) {
        return (consumer - told(cqn, place)) & index_mask(place.index_width);
    }

  private:
    std::uint32_t told(Cqn cqn, const RingPlace& place) {
        if (m_config.path != ConsumerPath::Record) {
            return m_told[index_of(cqn)];
        }
        std::array<unsigned char, 4> bytes{};
        m_bus.read(place.record + doorbell_record::kConsumerIndex,
                   bytes.data(),
                   static_cast<unsigned>(bytes.size()));
        return doorbell_record::load(bytes.data());
    }
    void ring(Cqn cqn, const RingPlace& place, std::uint32_t consumer) {
        std::uint32_t untold_entries = untold(cqn, place, consumer);
        m_told[index_of(cqn)] = consumer;
        if (m_config.path == ConsumerPath::Mmio) {
            m_bus.ring(bar::kCqConsumer, bar::cq_consumer(cqn, consumer));
            return;
        }
        const std::uint32_t most = index_mask(m_config.increment_bits);
        switch (m_config.increment) {
            case IncrementPolicy::Split:
                while (untold_entries > 0) {
                    const std::uint32_t increment = std::min(untold_entries, most);
                    m_bus.ring(bar::kCqCredit, bar::cq_credit(cqn, increment));
                    untold_entries -= increment;
                }
                break;
            case IncrementPolicy::Truncate:
                m_bus.ring(bar::kCqCredit, bar::cq_credit(cqn, untold_entries & most));
                break;
            case IncrementPolicy::Clamp:
                m_bus.ring(bar::kCqCredit, bar::cq_credit(cqn, std::min(untold_entries, most)));
                break;
        }
    }

    HostBus& m_bus;
    IndexReturnConfig m_config;
    std::vector<std::uint32_t> m_told;  ///< by CQ; empty: the doorbell records hold it
};

}  // namespace cqsim::tb
