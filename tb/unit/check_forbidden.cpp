// SPDX-License-Identifier: Apache-2.0
// Must not compile with the include path of tb/check: a checker shares no code with the model (P3).
#include "models/cqe/native.h"
