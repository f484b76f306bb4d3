#!/usr/bin/env bash
# Builds everything and runs every test: unit, conformance on the emulated device and on QEMU's pvrdma, concurrency.
# On a Debian or Ubuntu machine it installs what is missing. The last line is "N passed, N failed, N skipped".
#
#   ./test.sh              everything, on the default JDK and again on the newest one found
#   ./test.sh --no-qemu    leaves out the tests that boot QEMU, and needs no browser (what is left out counts as skipped)
#   ./test.sh --one-jdk    leaves out the second JDK
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
. tools/lib.sh

qemu=yes
second_jdk=yes
for argument in "$@"; do
    case "$argument" in
        --no-qemu) qemu=no ;;
        --one-jdk) second_jdk=no ;;
        -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "test.sh: unknown option $argument (see ./test.sh --help)" >&2; exit 2 ;;
    esac
done

# give_up: nothing can be tested; what is missing was said.
give_up() {
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}

# Debian's names. Without the first ones nothing can be built; without the others the tests with QEMU, with a browser, and
# those that compare with a C program fail, and say why.
needed=()
find_java javac || needed+=("$RDMA4J_JDK_PACKAGES")
command -v mvn >/dev/null || needed+=(maven)
others=()
{ command -v gcc >/dev/null && [ -e /usr/include/stdio.h ]; } || others+=(gcc libc6-dev)
if [ "$qemu" = yes ]; then
    others+=(qemu-system-x86 busybox-static kmod iproute2 rdma-core ibverbs-providers ibverbs-utils xz-utils zstd
        chromium)
fi
if [ ${#needed[@]} -gt 0 ]; then
    if ! { ensure_packages "${needed[@]}" "${others[@]}" && ensure_jdk_and_maven; }; then
        give_up
    fi
elif [ ${#others[@]} -gt 0 ] && ! ensure_packages "${others[@]}"; then
    note "going on without: tests with QEMU, a browser or a C compiler will fail"
fi
kernels=${XDG_CACHE_HOME:-$HOME/.cache}/rdma4j
if [ "$qemu" = yes ] && { [ ! -d "$kernels/kernel" ] || [ ! -d "$kernels/kernel-small" ]; }; then
    refresh_package_lists # The guests' kernels are about to be downloaded.
fi
jdk=$(readlink -f "$JAVA_HOME")

# newest_jdk: prints the home of the newest JDK in the distribution's folder, nothing if there is none.
newest_jdk() {
    local candidate newest=0 home=
    for candidate in "${RDMA4J_JVMS:-/usr/lib/jvm}"/*; do
        java_major "$candidate"
        if [ -x "$candidate/bin/javac" ] && [ "$REPLY" -gt "$newest" ]; then
            newest=$REPLY
            home=$(readlink -f "$candidate")
        fi
    done
    printf '%s' "$home"
}

# jdk_name HOME: prints what a person calls it.
jdk_name() {
    java_major "$1"
    printf 'JDK %s (%s)' "$REPLY" "$1"
}

newest=$(newest_jdk)
started=$SECONDS
failed=0

# stage NAME COMMAND...: runs it, says how long it took, remembers a failure.
stage() {
    local name=$1 begun=$SECONDS
    shift
    echo "== $name"
    if "$@"; then
        echo "== $name: done in $((SECONDS - begun)) s"
    else
        echo "== $name: FAILED after $((SECONDS - begun)) s"
        failed=1
    fi
}

# tests JDK BUILD_DIR OPTION...: builds and runs the tests of all modules, also of those behind a failed
# test, which the sum at the end counts.
tests() {
    local home=$1 build_dir=$2 maven_options=${MAVEN_OPTS:-}
    shift 2
    java_major "$home"
    if [ "$REPLY" -ge 24 ]; then
        # For Maven itself: its libraries make these JDKs complain.
        maven_options+=" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
    fi
    JAVA_HOME=$home MAVEN_OPTS=$maven_options mvn -B -ntp -q -Dstyle.color=never verify -Dmaven.test.failure.ignore=true -Dbuild.dir="$build_dir" "$@" </dev/null
}

# results REPORT BUILD_DIR...: what Surefire wrote, see tools/results.awk.
results() {
    local report=$1 files=() build_dir
    shift
    for build_dir in "$@"; do
        files+=(*/"$build_dir"/surefire-reports/TEST-*.xml)
    done
    cat -- "${files[@]}" 2>/dev/null | awk -v report="$report" -f tools/results.awk
}

# races BUILD_DIR: how many jcstress tests there were, and what they saw.
races() {
    local console=concurrency-tests/$1/jcstress/console.txt
    [ -f "$console" ] || return 0
    printf 'jcstress     %d tests without a forbidden outcome, %d with one\n' \
        "$(grep -oE '\[OK\] io\.[^ ]+' "$console" | sort -u | wc -l)" \
        "$(grep -oE '\[FAILED\] io\.[^ ]+' "$console" | sort -u | wc -l)"
}

# vfio_suites JDK BUILD_DIR [JDK BUILD_DIR]: pvrdma behind VFIO, in a guest within a guest. That takes minutes and one
# core, so both JDKs do it at once; each line says whose it is.
vfio_suites() {
    local pids=() pid result=0 name report reports=()
    while [ $# -gt 0 ]; do
        java_major "$1"
        name="JDK $REPLY"
        reports+=("qemu-tests/$2/surefire-reports/TEST-io.rdma4j.conformance.VfioConformanceTest.xml")
        (
            set -o pipefail
            tests "$1" "$2" -pl qemu-tests -am -Dgroups=inner -Dsurefire.failIfNoSpecifiedTests=false 2>&1 |
                sed -u "s/^/[$name] /"
        ) &
        pids+=($!)
        shift 2
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || result=1
    done
    for report in "${reports[@]}"; do
        [ -f "$report" ] || { echo "no results: $report is missing"; result=1; }
    done
    return "$result"
}

rm -rf -- */target/surefire-reports */target-second-jdk/surefire-reports
options=()
if [ "$qemu" = no ]; then
    echo "QEMU tests are left out (--no-qemu): nothing here shows that the driver works on a device that we did not write."
    options+=(-Drdma4j.qemu=off)
fi
build_options=("${options[@]}")
if [ "$qemu" = yes ]; then
    build_options+=(-Drdma4j.chromium=required)
    build_options+=(-DexcludedGroups=inner) # These have a stage of their own.
fi
stage "build and tests on $(jdk_name "$jdk")" tests "$jdk" target "${build_options[@]}"
dirs=(target)
suites=("$jdk" target)
if [ "$second_jdk" = yes ] && [ -n "$newest" ] && [ "$newest" != "$jdk" ]; then
    stage "build and tests on $(jdk_name "$newest")" tests "$newest" target-second-jdk "${build_options[@]}"
    dirs+=(target-second-jdk)
    suites+=("$newest" target-second-jdk)
else
    echo "== one JDK only: $(jdk_name "$jdk")"
fi
if [ "$qemu" = yes ]; then
    stage "pvrdma behind VFIO, in a guest within a guest" vfio_suites "${suites[@]}"
fi

for dir in "${dirs[@]}"; do
    echo "== what was shown ($dir)"
    results suites "$dir"
    races "$dir"
    echo "== where the time went ($dir)"
    results slowest "$dir"
done
for dir in "${dirs[@]}"; do
    results failed "$dir" | sed "s|\$| ($dir)|"
done
read -r passed bad skipped < <(results sum "${dirs[@]}")
if [ "$failed" = 1 ] && [ "$bad" = 0 ]; then
    bad=1 # The build itself failed: no test could say so.
fi
echo "== in all: $((SECONDS - started)) s"
echo "$passed passed, $bad failed, $skipped skipped"
[ "$bad" = 0 ]
