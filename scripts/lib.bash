# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts have in common. To be sourced; sets `root`, the top of the repository.

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

# Where build trees go: one folder for each preset.
build_root=${CQSIM_BUILD_DIR:-$root/build}

# say TEXT...: a line for the person, never on standard output: that belongs to the results.
say() { echo "$(basename "$0"): $*" >&2; }

# usage: the comment at the top of the calling script.
usage() { sed -n '3,/^[^#]/s/^#\( \|$\)//p' "$0" >&2; }

# follow NAME < OUTPUT: shows Ninja's steps as one line that changes; off a terminal, one line in all.
follow() {
  local line steps shown=
  while IFS= read -r line; do
    [[ $line == \[*/*\]* && $line != *"] Re-"* ]] || continue  # CMake's own checks are no steps
    if [[ -t 2 ]]; then
      printf '\r\e[K%.79s' "$line" >&2
    elif [[ -z $shown ]]; then
      steps=${line#*/}
      say "building $1, ${steps%%]*} to do"
    fi
    shown=1
  done
  [[ -n $shown && -t 2 ]] && printf '\r\e[K' >&2
  return 0
}

# configure PRESET: unless it is done. A tree that was copied here from elsewhere, or is of older
# presets or of the packages of before (what is not there is left out: tests in Python, say), is made
# anew.
configure() (
  tree=$build_root/$1
  if [[ $tree/build.ninja -nt $root/CMakePresets.json &&
        $tree/build.ninja -nt /var/lib/dpkg/status ]] &&
     grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$tree/CMakeCache.txt"; then
    return
  fi
  say "configuring $1"
  output=$(cd "$root" && cmake --fresh --preset "$1" -B "$tree" 2>&1) ||
    { echo "$output" >&2; say "could not configure $1"; return 1; }
)

# build PRESET TARGET: configures if needed and builds. Silent when there is nothing to do, one line
# of progress when there is, and the output of the compiler when it fails.
build() (
  set -o pipefail  # whatever the caller has: a compiler that fails stands at the head of a pipe
  tree=$build_root/$1
  mkdir -p "$tree"
  exec 9> "$tree/.lock"
  flock 9  # another call may be building the same tree
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  start=$SECONDS

  configure "$1"
  cmake --build "$tree" --target "$2" 2>&1 | tee "$log" | follow "$2" ||
    { grep -v '^\[[0-9]*/[0-9]*\]' "$log" >&2 || true; say "could not build $2"; return 1; }
  if grep '^\[' "$log" | grep -qv '] Re-'; then
    say "built $2 in $((SECONDS - start)) s"
  fi
)
