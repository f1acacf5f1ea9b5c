// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/resident.h"

#include <unistd.h>

#include <fstream>

namespace cqsim::tb::bench {

double resident_now() {
    std::ifstream statm("/proc/self/statm");
    double pages = 0;
    double resident = 0;
    statm >> pages >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace cqsim::tb::bench
