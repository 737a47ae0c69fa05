# Counts the instructions of the program, and keeps tables in benches/README.md. Sourced, not run, from the top of the repository.
# What is counted is the build of the tests as `.ci/run` makes it: it is there anyway, and at its level of optimisation little
# is inlined, so that a figure moves where the work does, while code that is optimised as in a release moves by 13 %
# between two builds although nobody changed it. A run has one thread, no settings, the same few variables
# and a folder with a path of the same length. What else the figures depend on: the compiler, the C library, and a
# processor with AVX2, which memchr and aho-corasick use where there is one. BIN=FILE counts another build.

export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_OPT_LEVEL=1
# Built with the tests: `cargo build` gives dependencies other features, and makes all of them once more.
[ -n "${BIN:-}" ] || cargo test --quiet --locked --no-run
bin=$(realpath "${BIN:-target/debug/reversion}")
top=$(mktemp -d -t counted.XXXXXXXX)
trap 'rm -rf "$top"' EXIT

# count ARGUMENT...: the instructions of one run, in the folder of the trees. Of the tools of valgrind that count, exp-bbv is the fastest.
count() {
  local said
  said=$(mktemp "$top/said.XXXXXXXX")
  run_under "$said" valgrind --tool=exp-bbv --instr-count-only=yes --bb-out-file=/dev/null "$bin" "$@"
  awk '/Total instructions:/ { sum += $NF } END { printf "%.0f\n", sum }' "$said"
}

# estimate ARGUMENT...: the same to one in a thousand, by the counters of the processor where they can be read.
estimate() {
  if perf stat -x, -e instructions:u true 2>&1 | grep -q '^[0-9]'; then
    run_under "$top/said" perf stat -x, -e instructions:u "$bin" "$@"
    awk -F, '/instructions:u/ { print $1 }' "$top/said"
  else
    count "$@"
  fi
}

# run_under FILE COMMAND...: runs the program under a counter, with the same few variables; FILE gets what the two report.
run_under() {
  local said=$1
  shift
  (cd "$top" && env -i HOME=/nonexistent PATH=/usr/bin:/bin "$@" --isolated --threads 1 > /dev/null 2> "$said") || [ $? -eq 1 ] || {
    echo "$*: failed" >&2
    tail -5 "$said" >&2
    return 1
  }
}

# table NAME: the table of that name in benches/README.md.
table() {
  awk -v begin="<!-- $1 -->" '$0 == "<!-- end -->" { inside = 0 } inside; $0 == begin { inside = 1 }' benches/README.md
}

# write_table NAME: puts standard input there.
write_table() {
  awk -v begin="<!-- $1 -->" -v new="$(cat)" '
    $0 == "<!-- end -->" { inside = 0 }
    !inside
    $0 == begin { inside = 1; print new }' benches/README.md > "$top/README.md"
  cp "$top/README.md" benches/README.md
}
