// SPDX-License-Identifier: Apache-2.0
#include "models/cqe/cqe_codec.h"

#include "models/cqe/mlx5.h"
#include "models/cqe/native.h"

namespace cqsim::cqe {

const std::array<Codec, kCqeFormatNames.size()> codecs{
    Codec{CqeFormat::Native,
          stride_of(CqeFormat::Native),
          true,
          true,
          native::encode,
          native::decode},
    Codec{CqeFormat::Mlx5, stride_of(CqeFormat::Mlx5), false, false, mlx5::encode, mlx5::decode},
    Codec{CqeFormat::Mlx5Wide,
          stride_of(CqeFormat::Mlx5Wide),
          false,
          false,
          mlx5::encode_wide,
          mlx5::decode_wide},
};

void encode_end_of_ring(CqeFormat format, std::uint8_t owner, std::byte* entry) {
    const std::uint32_t stride = stride_of(format);
    std::memset(entry, 0, stride);
    entry[stride - 1] = static_cast<std::byte>(kEndOfRing << owner::kKindShift | owner);
}

}  // namespace cqsim::cqe
