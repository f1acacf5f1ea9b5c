// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keeps the records of the kinds that a test looks at.
#pragma once

#include "models/observe/record_stream.h"

#include <vector>

namespace cqsim::test {

class RecordList final : private RecordSubscriber {
  public:
    RecordList(RecordStream& stream, KindMask kinds)
        : m_stream(stream) {
        stream.subscribe(*this, kinds);
    }

    /// Everything up to now.
    const std::vector<Record>& all() {
        m_stream.drain();
        return m_records;
    }

  private:
    void observe(const RecordBatch& batch) override {
        m_records.insert(m_records.end(), batch.begin(), batch.end());
    }

    RecordStream& m_stream;
    std::vector<Record> m_records;
};

}  // namespace cqsim::test
