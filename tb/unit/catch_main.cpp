// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

/// libsystemc.so wants this symbol; elaboration happens inside the tests.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) {
    return 0;
}
