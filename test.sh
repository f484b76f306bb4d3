#!/usr/bin/env bash
# Builds everything and runs the tests: unit, conformance on the emulated device and on QEMU's pvrdma, concurrency.
# On a Debian or Ubuntu machine it installs what is missing. The last line is "N passed, N failed, N skipped".
#
#   ./test.sh              everything once, on the default JDK, but for what is thorough
#   ./test.sh --all        also on the newest JDK found, with all profiles and wires, many processes, VFIO without an
#                          IOMMU, long searches
#   ./test.sh --quick      without QEMU: for use while writing
#   ./test.sh --only NAME  one test class, or Class#method; "static": faults that need no run to be found; "style"
#   ./test.sh --soak N     N rounds of what --quick runs, without examples, beside four processes that want the processors
#   ./test.sh --campaign NAME [--seconds N] [--seed S]
#                          random cases with new seeds until the time (60) is over; NAME "all" for each of them
#
# Details are in target/test-run: a log and a list of results for each suite. See docs/testing.md.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
. tools/lib.sh

usage() {
    sed -n '2,14s/^# \{0,1\}//p' test.sh
}

mode=usual
only=
lacks=
rounds=1
campaign=
seconds=60
seed=$(date +%s)
while [ $# -gt 0 ]; do
    case "$1" in
        --all | --quick) mode=${1#--} ;;
        --only) mode=only only=${2:-} && shift ;;
        --soak) mode=soak rounds=${2:-} && shift ;;
        --campaign) mode=campaign campaign=${2:-} && shift ;;
        --seconds) seconds=${2:-} && shift ;;
        --seed) seed=${2:-} && shift ;;
        -h | --help) usage; exit 0 ;;
        *) echo "test.sh: unknown option $1 (see ./test.sh --help)" >&2; exit 2 ;;
    esac
    shift
done
if [ "$mode" = only ] && [ -z "$only" ] || ! [[ $rounds =~ ^[1-9][0-9]*$ ]] || ! [[ $seconds =~ ^[0-9]+$ ]] ||
    ! [[ $seed =~ ^-?[0-9]+$ ]]; then
    usage >&2
    exit 2
fi

# campaigns: a line for each of their methods, its campaign and its module.
campaigns() {
    grep -roE '@Campaign\((value = )?"[a-z-]+"' --include='*Test.java' . |
        sed -nE '/test-support/d; s:^\./(.*)/src/test/java/.*"(.*)"$:\2 \1:p'
}

if [ "$mode" = campaign ] && [ "$campaign" != all ] && ! campaigns | grep -q "^$campaign "; then
    echo "test.sh: there is no campaign '$campaign'; there are: $(campaigns | cut -d ' ' -f 1 | sort -u | xargs)" >&2
    exit 2
fi
# With --all, what each campaign finds in a third of a minute with seeds that nobody has tried.
[ "$mode" != all ] || campaign=all seconds=20
qemu=yes
case $mode in quick | soak | campaign) qemu=no ;; esac
case $only in static | style) qemu=no ;; esac

out=$PWD/target/test-run
# One more than processors: who waits for a guest needs none.
slots=$(($(nproc) + 1))
# Longest time for one suite, in seconds.
limit=3900
if [ "$mode" = soak ]; then
    # Each suite is one JVM for all rounds. More of them leave less to the four that are busy, and need 12 GiB.
    slots=$((12 * $(nproc)))
    limit=$((limit * rounds))
elif [ "$mode" = campaign ]; then
    limit=$((limit + 10 * seconds))
fi
started=$SECONDS

# give_up: nothing can be tested; what is missing was said.
give_up() {
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}

# install: Debian's names. Without the first ones nothing can be built; without the others the tests with QEMU, with a
# browser, and those that compare with a C program fail, and say why.
install() {
    local needed=() others=()
    find_java javac || needed+=("$RDMA4J_JDK_PACKAGES")
    command -v mvn >/dev/null || needed+=(maven)
    { command -v gcc >/dev/null && [ -e /usr/include/stdio.h ]; } || others+=(gcc libc6-dev)
    [ -e /usr/include/infiniband/verbs.h ] || others+=(libibverbs-dev)
    if [ "$qemu" = yes ]; then
        others+=(qemu-system-x86 busybox-static kmod iproute2 rdma-core ibverbs-providers ibverbs-utils perftest python3
            xz-utils zstd make flex bison bc chromium tshark)
    fi
    if [ ${#needed[@]} -gt 0 ]; then
        ensure_packages "${needed[@]}" "${others[@]}" || give_up
    elif [ ${#others[@]} -gt 0 ] && ! ensure_packages "${others[@]}"; then
        lacks="went on without what it could not install (${others[*]}): tests with QEMU, a browser or a C compiler fail"
        note "$lacks"
    fi
    ensure_jdk_and_maven || give_up
}

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

# property NAME: prints what the root pom says.
property() {
    sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" pom.xml | head -n 1
}

# needs_time: whether the one class that is asked for runs only where there is time.
needs_time() {
    local class=${only%%#*}
    [ -n "$only" ] && find . -path '*/src/test/java/*' -name "${class##*.}.java" \
        -exec grep -q 'named = TestBudget.PROPERTY' {} \; -print | grep -q .
}

# is_repeated JDK: whether another one runs the same tests, and more.
is_repeated() {
    [ "$mode" = all ] && [ "$1" != "${jdks[0]}" ]
}

# jvm_options JDK: sets OPTIONS to those of every test's JVM; the pom has them for whoever uses Maven.
jvm_options() {
    read -r -a OPTIONS <<<"$(property jvm.opens)"
    java_major "$1"
    if [ "$REPLY" -ge 24 ]; then
        OPTIONS+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
    fi
    while read -r REPLY; do
        OPTIONS+=("$REPLY")
    done < <(sed -n 's:.*<\(junit\.jupiter[^>]*\)>\(.*\)</.*:-D\1=\2:p' pom.xml)
    OPTIONS+=(-ea -Dslf4j.internal.verbosity=ERROR)
    # G1 has threads that work beside the tests: a seventh of their time where JVMs outnumber the processors.
    [ "$1" != "${jdks[0]}" ] || OPTIONS+=(-XX:+UseSerialGC)
    [ "$qemu" = no ] || OPTIONS+=(-Drdma4j.chromium=required)
    # Jazzer's sanitizers look at kept seeds only where there is time. What is found by going on longer is found on one JDK.
    if { [ "$mode" = all ] && [ "$1" = "${jdks[0]}" ]; } || needs_time; then
        OPTIONS+=(-Drdma4j.tests.long=true -Djazzer.hooks=true)
    else
        OPTIONS+=(-Djazzer.hooks=false)
    fi
    # What is the same through VFIO as by qtest, where the whole is run on another JDK, or there is little time: then
    # what is left is each operation once, and what maps memory, and what waits for interrupts. Likewise over the cable,
    # and what loads it; order is looked at there with loss.
    local on_verbs=rdm.,av.,cm.,cntr.,eq.,datagram.
    local each_once="!$on_verbs,fabric.,cq.,qp.,limit.,order.,post.,template."
    if [ "$mode" = usual ] || is_repeated "$1"; then
        OPTIONS+=(-Drdma4j.qemu.inner.only="$each_once,load."
            -Drdma4j.qemu.inner.stages=conformance,kill,users,unbind -Drdma4j.judged.only="$each_once")
    fi
    ! is_repeated "$1" || OPTIONS+=(-Drdma4j.qtest.only="$each_once")
    if [ "$mode" = soak ]; then
        # Timeouts of tests are for a machine that has time: here a test hangs that takes a quarter of an hour.
        OPTIONS+=(-Drdma4j.rounds="$rounds" -Djunit.jupiter.execution.timeout.mode=disabled
            -Drdma4j.longest.test=900 -Drdma4j.patience=8 -Drdma4j.resolve.timeout.ms=60000)
    fi
}

# build JDK BUILD_DIR: compiles and packages everything. The style is a suite of its own: in each module
# it would hold up those that need it.
build() {
    local home=$1 build_dir=$2 maven_options=${MAVEN_OPTS:-} log=$out/build-$2.log begun=$SECONDS
    java_major "$home"
    if [ "$REPLY" -ge 24 ]; then
        # For Maven itself: its libraries make these JDKs complain.
        maven_options+=" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
    fi
    # A launcher may be building, too.
    lock_build "$PWD"
    JAVA_HOME=$home MAVEN_OPTS=$maven_options mvn -B -ntp -q -Dstyle.color=never -T 1C package -DskipTests \
        -Dcheckstyle.skip -Dbuild.dir="$build_dir" </dev/null >"$log" 2>&1
    local result=$?
    exec 9>&-
    if [ $result = 0 ]; then
        : >"$out/built-$2"
        say "built with JDK $(major "$home") in $((SECONDS - begun)) s"
    else
        say "the build with JDK $(major "$home") FAILED after $((SECONDS - begun)) s; all of its output is in $log"
        grep -m 20 '^\[ERROR\] [^ ]' "$log" || tail -n 20 "$log"
    fi
    return $result
}

major() {
    java_major "$1"
    printf '%s' "$REPLY"
}

# say TEXT: a line, in place of the progress line.
say() {
    [ ! -t 1 ] || printf '\r\033[K'
    printf '== %s\n' "$*"
}

# --- Suites. Each is a line "NAME MODULE TAGS [CLASS]": what runs longest comes first. ---

suites() {
    if [ "$only" = static ] || [ "$only" = style ]; then
        echo "$only . -"
        return
    elif [ -n "$only" ]; then
        local class=${only%%#*} module
        while read -r module; do
            echo "${module//\//-} $module - $only"
        done < <(find . -path '*/src/test/java/*' -name "${class##*.}.java" | sed 's:^\./::; s:/src/.*::' | sort -u)
        return
    fi
    if [ "$qemu" = yes ]; then
        echo 'vfio qemu-tests inner'
        echo 'guests qemu-tests qemu,!inner,!noiommu,!linux'
        [ "$mode" != all ] || echo 'noiommu qemu-tests noiommu'
        echo 'linux qemu-tests linux'
        echo 'judged qemu-tests qemu,!inner,!noiommu,!linux io.rdma4j.conformance.JudgedWireTest'
        echo 'qtest qemu-tests qemu,!inner,!noiommu,!linux io.rdma4j.conformance.QemuConformanceTest'
        echo 'rxe qemu-tests qemu,!inner,!noiommu,!linux io.rdma4j.conformance.IbvConformanceTest'
    fi
    if [ -n "$campaign" ]; then
        campaigns | if [ "$campaign" = all ]; then cat; else grep "^$campaign "; fi | cut -d ' ' -f 2 | sort -u |
            while read -r; do
                echo "campaign-${REPLY//\//-} $REPLY campaign"
            done
        [ "$mode" = all ] || return
    fi
    # Classes of a module are handed out to all of its suites.
    echo 'fabric-1 verbs-api/fabric -'
    echo 'fabric-2 verbs-api/fabric -'
    if [ "$mode" = soak ]; then
        printf 'fabric-%d verbs-api/fabric -\n' 3 4
        printf 'conformance-%d qemu-tests !qemu\n' 2 3
        echo 'tools-3 tools -'
        echo 'device-model-2 device-model -'
    fi
    [ "$mode" != all ] || printf '%s . -\n' static style
    # Races are searched for by many JVMs, one after the other: nothing to wait for while writing.
    [ "$qemu" = no ] || echo 'concurrency concurrency-tests -'
    echo 'conformance qemu-tests !qemu'
    echo 'tools-1 tools -'
    echo 'tools-2 tools -'
    echo 'pvrdma-1 verbs-api/pvrdma -'
    echo 'pvrdma-2 verbs-api/pvrdma -'
    echo 'ibverbs verbs-api/ibverbs -'
    echo 'device-model device-model -'
    echo 'os driver/os -'
    echo 'pci driver/pci -'
    echo 'live driver/live -'
    echo 'base driver/base -'
    echo 'verbs verbs-api/verbs -'
    if [ "$mode" != soak ]; then
        # Ratios of times are nothing to look at while writing either.
        [ "$qemu" = no ] || echo 'benchmarks benchmarks -'
        echo 'examples examples !maven'
        [ "$qemu" = no ] || echo 'standalone examples maven'
    fi
    echo 'hw-regs hw-regs -'
    echo 'queues queues -'
    echo 'test-support test-support !sample'
    if [ "$mode" = soak ]; then
        # For the places of those that have ended: they help with what is left of all rounds.
        printf 'fabric-%d verbs-api/fabric -\n' 5 6
        printf '%s\n' 'tools-4 tools -' 'pvrdma-3 verbs-api/pvrdma -' 'ibverbs-2 verbs-api/ibverbs -' \
            'conformance-4 qemu-tests !qemu' 'device-model-3 device-model -' 'fabric-7 verbs-api/fabric -'
    fi
}

# shares: what -Drdma4j.campaign is to be: each campaign's time is shared out among its methods.
shares() {
    campaigns | cut -d ' ' -f 1 | sort | uniq -c | while read -r -a REPLY; do
        if [ "$campaign" = all ] || [ "$campaign" = "${REPLY[1]}" ]; then
            printf '%s:%d,' "${REPLY[1]}" $((seconds * 1000 / REPLY[0]))
        fi
    done
}

# worker JDK BUILD_DIR NAME MODULE TAGS [CLASS]: a JVM with the tests of a suite; in the background.
worker() {
    local home=$1 build_dir=$2 name=$3 module=$4 tags=$5 class=${6:-} path claims
    jvm_options "$home"
    if [ "$module" = benchmarks ]; then
        OPTIONS+=(-Dagrona.disable.bounds.checks=true)
    elif [ "$mode" = soak ]; then
        # C2 would make it half as long again.
        OPTIONS+=(-XX:TieredStopAtLevel=1 -Xmx2g)
    elif [ "$mode" = quick ] || [ "$mode" = usual ] || is_repeated "$home"; then
        # Faults that need the second compiler are looked for by jcstress, on each JDK, and by all on the first with --all.
        OPTIONS+=(-XX:TieredStopAtLevel=1)
    elif [ "$module" != concurrency-tests ]; then
        # What a test calls is hot for seconds: with its usual thresholds C2 takes a third of all the time.
        OPTIONS+=(-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000
            -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000)
    fi
    claims=$out/claims/$module-$build_dir
    case $name in
        campaign-*)
            # Its classes are other suites', too.
            claims=$out/claims/$name
            OPTIONS+=(-Drdma4j.campaign="$(shares)" -Drdma4j.campaign.seed="$seed")
            ;;
    esac
    mkdir -p "$claims"
    path=$PWD/$module/$build_dir/test-classes:$PWD/$module/$build_dir/classes:$(cat "$module/$build_dir/class-path.txt")
    path+=:$PWD/test-support/$build_dir/classes:$(cat "test-support/$build_dir/class-path.txt")
    niceness "$name-$build_dir"
    (
        cd "$module" || exit 1
        JAVA_HOME=$home exec nice -n "$REPLY" timeout -k 30 "$limit" "$home/bin/java" "${OPTIONS[@]}" \
            -Dbasedir="$PWD" -Drdma4j.qemu.output="$PWD/$build_dir/qemu" -cp "$path" io.rdma4j.testing.TestWorker \
            "$PWD/$build_dir/test-classes" "$out/$name-$build_dir.tsv" "$claims" "${tags#-}" ${class:+"$class"}
    ) >"$out/$name-$build_dir.log" 2>&1 </dev/null 8>&- &
}

# limited LOG COMMAND...: runs it for at most as long as a suite may take, and no longer than this shell.
limited() {
    # A signal ends the wait, not what is waited for. It may come before the next command.
    trap end_jobs TERM
    niceness static
    nice -n "$REPLY" timeout -k 30 "$limit" "${@:2}" </dev/null >"$1" 2>&1 &
    wait $!
}

# style_checks HOME LOG RESULTS: looks at the style of all sources, as a build by Maven does; each line that has a fault is
# a failed test.
style_checks() {
    local began=$SECONDS
    if JAVA_HOME=$1 limited "$2" mvn -B -ntp -q -Dstyle.color=never -T 1C -fae -pl '!:rdma4j-bom' \
        org.apache.maven.plugins:maven-checkstyle-plugin:check@style; then
        printf 'PASS\tstyle\t-\tfinds nothing\t%d\t\n' $(((SECONDS - began) * 1000)) >"$3"
        return
    fi
    sed -nE 's:^\[(ERROR|WARNING)\] (src/.*/)?([^/ ]+\.java)\:\[([0-9]+)[^]]*\] (.*):FAIL\tstyle\t-\t\3\:\4\t0\t\5:p' \
        "$2" | sort -u >"$3"
    [ -s "$3" ] || printf 'FAIL\tstyle\t-\tfinds nothing\t0\tMaven failed, see %s\n' "$2" >"$3"
}

# static_checks HOME LOG RESULTS: looks for faults in the main code of what people run, by Error Prone, SpotBugs and Find
# Security Bugs; each that is found is a failed test.
static_checks() {
    local began=$SECONDS
    if JAVA_HOME=$1 limited "$2" mvn -B -ntp -Dstyle.color=never -fae -Pstatic clean process-classes \
        -pl '!qemu-tests,!benchmarks,!examples,!concurrency-tests'; then
        printf 'PASS\tstatic\t-\tfinds nothing\t%d\t\n' $(((SECONDS - began) * 1000)) >"$3"
        return
    fi
    sed -nE 's:^\[(ERROR|WARNING)\] /[^ ]*/([A-Za-z-]+\.java)\:\[([0-9]+),[0-9]+\] (.*):FAIL\tstatic\t-\t\2\:\3\t0\t\4:p
        s:^\[ERROR\] (High|Medium|Low)\: (.*) ([Aa]t|In) ([A-Za-z-]+\.java)(.*) ([A-Z0-9_]+)$:FAIL\tstatic\t-\t\4\5\t0\t\6 \2:p
        ' "$2" | sort -u >"$3"
    [ -s "$3" ] || printf 'FAIL\tstatic\t-\tfinds nothing\t0\tMaven failed, see %s\n' "$2" >"$3"
}

declare -A suite_of=() began_at=()
bad_suites=()

# well SUITE: whether it came to its end.
well() {
    case $1 in
        static-* | style-*) [ -s "$out/$1.tsv" ] ;;
        *) grep -q "^ROUND"$'\t'"$rounds"$'\t' "$out/$1.tsv" 2>/dev/null ;;
    esac
}

# ended PID: tells what a suite has found. A process that has got its number since takes this shell's note of its exit code
# away: what it wrote tells, too.
ended() {
    local pid=$1 suite code counts
    wait "$pid" 2>/dev/null
    code=$?
    suite=${suite_of[$pid]}
    read -r -a counts < <(results sum "$out/$suite.tsv")
    if { [ $code != 0 ] && [ $code != 127 ]; } || ! well "$suite"; then
        bad_suites+=("$suite")
        say "$suite ENDED too soon, with exit code $code, its log is $out/$suite.log; its last lines:"
        tail -n 5 "$out/$suite.log"
    fi
    tell_rounds "$suite"
    say "$(printf '%-28s %6d passed %3d failed %5d skipped %5d s' "$suite" "${counts[@]::3}" \
        $((SECONDS - began_at[$pid])))"
    [ "$mode" = soak ] || results failed "$out/$suite.tsv"
    printf '%s %d %d %d %s %d\n' "$suite" "${counts[@]}" $((SECONDS - began_at[$pid])) >>"$out/times.txt"
    unset "suite_of[$pid]"
}

declare -A told=()

# tell_rounds SUITE: what has come since the last look of a suite that runs many rounds: ends of rounds, failures.
tell_rounds() {
    local file=$out/$1.tsv lines
    [ "$mode" = soak ] && [ -f "$file" ] || return 0
    lines=$(wc -l <"$file")
    if [ "$lines" -gt "${told[$1]:-0}" ]; then
        sed -n "$((${told[$1]:-0} + 1)),${lines}p" "$file" >"$out/new.txt"
        sed -nE "s/^ROUND\t([0-9]+).*/== $(printf '%5d s  %-28s' $((SECONDS - started)) "$1") round \1/p" "$out/new.txt"
        results failed "$out/new.txt"
        told[$1]=$lines
    fi
}

# await COUNT: until fewer than so many suites run.
await() {
    local pid
    while [ ${#suite_of[@]} -ge "$1" ]; do
        if [ -t 1 ] || [ "$mode" = soak ]; then
            [ ! -t 1 ] || printf '\r\033[K%4d s  %d tests; running: %s' $((SECONDS - started)) \
                "$(cat "$out"/*.tsv 2>/dev/null | grep -Ec '^(PASS|FAIL|SKIP)')" "${suite_of[*]}"
            # With many suites each look starts a hundred processes, whose numbers come round after 32,768.
            [ "$mode" = soak ] && sleep 5 || sleep 0.5
        else
            # Looking again and again takes a hundredth of all the time.
            wait -n "${!suite_of[@]}"
        fi
        for pid in "${!suite_of[@]}"; do
            tell_rounds "${suite_of[$pid]}"
            kill -0 "$pid" 2>/dev/null || ended "$pid"
        done
    done
}

# Suites that are to begin yet: number of the JDK, and what suites() says.
queue=()

# has_guest SUITE...: whether one of them boots guests of User Mode Linux.
has_guest() {
    local suite
    for suite in "$@"; do
        case $suite in
            vfio[\ -]* | guests[\ -]* | noiommu[\ -]* | judged[\ -]* | qtest[\ -]* | rxe[\ -]*) return 0 ;;
        esac
    done
    return 1
}

# niceness SUITE: sets REPLY to it. Where there are guests their suites, one after the other, take longest: those without
# take what they leave of the processors.
niceness() {
    REPLY=0
    [ "$qemu" = no ] || has_guest "$1" || REPLY=5
}

# choose: sets REPLY to the place in the queue of what begins next. Guests slow each other down by more than the
# processors that they share: one suite has them at a time, as long as there is another one to run beside it.
choose() {
    if has_guest "${suite_of[@]}"; then
        for REPLY in "${!queue[@]}"; do
            has_guest "${queue[REPLY]#* }" || return
        done
    fi
    REPLY=0
}

# run: all suites on all JDKs, some at once.
run() {
    local i words
    # A class that is a suite of its own is taken.
    while read -r -a words; do
        for i in "${dirs[@]}"; do
            mkdir -p "$out/claims/${words[1]}-$i"
            [ -z "${words[3]:-}" ] || : >"$out/claims/${words[1]}-$i/${words[3]}"
        done
    done < <(suites)
    while read -r -a words; do
        for ((i = 0; i < ${#jdks[@]}; i++)); do
            # Others' side is the same whatever the JDK.
            if [ "$i" -gt 0 ]; then
                case ${words[0]} in noiommu | linux | judged | static | style | campaign-*) continue ;; esac
                words[2]+=',!one-jdk,!thorough'
            fi
            # Thorough are tests that start many processes, or show again on one wire what another one has shown; slow
            # are those of seconds that seldom find what others do not.
            case $mode in
                usual) words[2]+=',!thorough' ;;
                quick | soak) words[2]+=',!thorough,!slow,!samples' ;;
            esac
            # What looks at sources, pages and pictures finds the same in each round.
            [ "$mode" != soak ] || words[2]+=',!sources'
            queue+=("$i ${words[*]}")
        done
    done < <(suites)
    while [ ${#queue[@]} -gt 0 ]; do
        await "$slots"
        choose
        read -r -a words <<<"${queue[REPLY]}"
        i=${words[0]}
        words=("${words[@]:1}")
        unset "queue[REPLY]"
        queue=("${queue[@]}")
        if [ "$i" -gt 0 ] && [ -n "$building" ]; then
            wait "$building" 2>/dev/null
            building=
            [ -e "$out/built-${dirs[i]}" ] || give_up
        fi
        case ${words[0]} in
            static | style)
                "${words[0]}_checks" "${jdks[i]}" "$out/${words[0]}-${dirs[i]}.log" \
                    "$out/${words[0]}-${dirs[i]}.tsv" 8>&- &
                ;;
            *) worker "${jdks[i]}" "${dirs[i]}" "${words[@]}" ;;
        esac
        suite_of[$!]=${words[0]}-${dirs[i]}
        began_at[$!]=$SECONDS
    done
    await 1
    [ ! -t 1 ] || printf '\r\033[K'
}

# results REPORT FILE...: what tests said, see tools/results.awk.
results() {
    local report=$1 file files=()
    shift
    for file in "$@"; do
        [ ! -f "$file" ] || files+=("$file")
    done
    awk -F '\t' -v report="$report" -f tools/results.awk "${files[@]}" </dev/null
}

# races LOG: how many jcstress tests there were, and what they saw.
races() {
    [ -f "$1" ] || return 0
    printf 'jcstress     %d tests without a forbidden outcome, %d with one\n' \
        "$(grep -oE '\[OK\] io\.[^ ]+' "$1" | sort -u | wc -l)" \
        "$(grep -oE '\[FAILED\] io\.[^ ]+' "$1" | sort -u | wc -l)"
}

# busy: four processes that want the processors.
busy() {
    for _ in 1 2 3 4; do
        (while :; do :; done) 8>&- &
    done
}

# end_jobs: also what was started just now, of which nothing is noted yet. The folder is another run's when nothing works in
# it any more. Each "timeout" leads a group, and all of that is told, and waited for: one that has not noted yet what it
# has just started ends alone.
end_jobs() {
    local pids pid tries=300
    pids=$(jobs -p)
    for pid in $pids; do
        kill -- "-$pid" 2>/dev/null || kill "$pid" 2>/dev/null
    done
    wait
    for pid in $pids; do
        while kill -0 -- "-$pid" 2>/dev/null && ((tries-- > 0)); do
            sleep 0.1
        done
    done
}
trap end_jobs EXIT
trap 'exit 130' INT TERM

# Of two in one folder each would remove the other's results, and rewrite what it runs.
mkdir -p target
exec 8>target/test-run.lock
if command -v flock >/dev/null && ! flock -n 8; then
    note "another ./test.sh runs in this folder: wait for its end, or use a clone of its own"
    give_up
fi
install
jdk=$(readlink -f "$JAVA_HOME")
rm -rf -- "$out"
mkdir -p "$out"
case $only in
    static | style) ;;
    *) build "$jdk" target || give_up ;;
esac
jdks=("$jdk")
dirs=(target)
newest=$(newest_jdk)
building=
if [ "$mode" = all ] && [ -n "$newest" ] && [ "$newest" != "$jdk" ]; then
    # Guests, which take longest, need not wait for it. Who ends the run waits until Maven has ended.
    { trap : TERM; build "$newest" target-second-jdk; } 8>&- &
    building=$!
    jdks+=("$newest")
    dirs+=(target-second-jdk)
fi
if [ "$qemu" = no ]; then
    say "without QEMU: nothing here shows that the driver works on a device that we did not write"
elif ! compgen -G "${XDG_CACHE_HOME:-$HOME/.cache}/rdma4j/uml/*/linux" >/dev/null; then
    say "preparing the guests' kernels, once ..."
    refresh_package_lists
    JAVA_HOME=$jdk qemu-tests/run-guest.sh --name kernels -- true >"$out/kernels.log" 2>&1 ||
        say "that FAILED, see $out/kernels.log"
fi
[ "$mode" != soak ] || busy
run

all=("$out"/*.tsv)
{
    results suites "${all[@]}"
    # What judged: versions of others.
    grep -hE '^SoftRoCE: (kernel|library)' "$out"/rxe-*.log 2>/dev/null | sort -u
    grep -hE "^Linux' driver: " "$out"/linux-*.log 2>/dev/null
    for dir in "${dirs[@]}"; do
        races "concurrency-tests/$dir/jcstress/console.txt"
    done
    # What random cases there were.
    [ -z "$campaign" ] || grep -h '^CAMPAIGN' "$out"/campaign-*.log 2>/dev/null | sort
    results why "${all[@]}"
} >"$out/shown.txt"
# For docs/testing.md.
{
    printf '| suite | passed | failed | skipped | seconds of processors | seconds |\n|---|---|---|---|---|---|\n'
    sort -k5,5nr -k6,6nr "$out/times.txt" | sed 's/ / | /g; s/^/| /; s/$/ |/'
} >"$out/times.md"
say "what was shown"
grep -E '^(conformance|jcstress|SoftRoCE|Linux|CAMPAIGN)' "$out/shown.txt"
say "where the time went"
results slowest "${all[@]}"
say "details: $out; why cases were skipped: $out/shown.txt"
results failed "${all[@]}"
read -r passed failed skipped _ < <(results sum "${all[@]}")
# A suite that ended too soon has tests that nobody counted.
failed=$((failed + ${#bad_suites[@]}))
# Faults of others, where a second try held; none is the aim.
retried=$(grep -h '^RETRIED ' "$out"/*.log 2>/dev/null | cut -c1-2000)
[ -z "$retried" ] || say "tried once more: $(grep -c . <<<"$retried")"$'\n'"$retried"
[ ${#bad_suites[@]} = 0 ] || say "ended too soon: ${bad_suites[*]}"
say "in all: $((SECONDS - started)) s"
if [ "$((passed + failed))" = 0 ]; then
    say "no such test"
    failed=1
fi
[ -z "$lacks" ] || say "$lacks"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
