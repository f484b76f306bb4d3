#!/bin/sh
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Measures the data path and the control path beside their yardsticks, prints the tables in Markdown and writes them
# into docs/performance.md; at last the goals, each with what was measured for it. With --quick only what has goals is
# measured, for a short time, on each JDK; without, more forks and longer iterations take many times that, and what
# system calls cost is measured too: that table goes into docs/adr/0010-jna-or-ffm.md, where it has a section for this
# JDK.
set -eu

sections="rings roundtrip rates bandwidth inlining scaling tail registration regions cache vectors peers tags flush wire ibv calls"
# What has goals.
quick_sections="rings roundtrip rates bandwidth scaling tail vectors tags wire ibv"

usage() {
    echo "usage: benchmarks/run.sh [--quick] [--no-doc] [--jdk HOME] [SECTION ...]"
    echo "sections: $sections"
    echo "all of them if none is named, with --quick: $quick_sections; the table of goals is made anew in any case"
    echo "--no-doc prints the tables and leaves the documents as they are"
    echo "--jdk measures with another JDK, --quick without it with the usual one and the newest other one that is found"
    echo "With either, of the documents only the table of goals changes"
}

quick=
doc=yes
wanted=
other=
while [ $# -gt 0 ]; do
    argument=$1
    shift
    case "$argument" in
        --quick) quick=--quick ;;
        --no-doc) doc= ;;
        --jdk)
            # /bin/java is none's.
            [ -n "${1:-}" ] && [ -x "$1/bin/java" ] || {
                echo "--jdk: there is no JDK in '${1:-}'" >&2
                exit 2
            }
            # From any folder.
            other=$(CDPATH=; cd -- "$1" && pwd)
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            case " $sections " in
                *" $argument "*) wanted="$wanted $argument" ;;
                *)
                    usage >&2
                    exit 2
                    ;;
            esac
            ;;
    esac
done
[ -n "$wanted" ] || wanted=$([ -n "$quick" ] && echo "$quick_sections" || echo "$sections")

cd "$(dirname "$0")/.."
for tool in gcc mvn; do
    command -v "$tool" > /dev/null || {
        echo "benchmarks need $tool: apt-get install ${tool%mvn}$([ "$tool" = mvn ] && echo maven)" >&2
        exit 1
    }
done

out=benchmarks/target
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
began=$(date +%s)
echo "building" >&2
mvn -q -pl benchmarks -am -Dmaven.test.skip=true -Dcheckstyle.skip package
gcc -O2 -Wall -Wextra -Werror -pthread -o "$out/rings" benchmarks/c/rings.c
gcc -O2 -Wall -Wextra -Werror -pthread -o "$out/calls" benchmarks/c/calls.c -ldl

# In the order in which they measure.
if [ -n "$other" ]; then
    echo "$other" > "$out/jdks"
else
    "$java" -cp "$out/classes" io.rdma4j.benchmarks.harness.Jdks > "$out/jdks"
    [ -n "$quick" ] || sed -i 2,\$d "$out/jdks"
fi

page=docs/performance.md
# Tables are of whole runs on the usual JDK; the goals have rows for each JDK.
goals_doc=$doc
[ -z "$other$quick" ] || doc=

# measure WHAT CLASS [ARGUMENT ...]
measure() {
    what=$1
    class=$2
    shift 2
    echo "measuring $what, $java" >&2
    since=$(date +%s)
    "$java" --add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/java.nio=ALL-UNNAMED \
        --add-opens java.base/sun.nio.ch=ALL-UNNAMED -Dagrona.disable.bounds.checks=true \
        -cp "$out/classes:$(cat "$out/classpath.txt")" "io.rdma4j.benchmarks.$class" ${doc:+--doc "$page"} "$@"
    echo "that took $(($(date +%s) - since)) s" >&2
    echo
}

section() {
    case "$1" in
        rings) [ -n "$again" ] || measure "rings; JMH's own output goes to $out/*.log" rings.Report $quick "$out/rings" ;;
        roundtrip) measure "round trips" roundtrip.RoundTrip $quick ;;
        rates) measure "message rates" flow.Rates $quick ;;
        bandwidth) measure "messages of 64 KiB" flow.Bandwidth $quick ;;
        inlining) measure "what is inlined" inlining.Inlining $quick ;;
        scaling) measure "many queue pairs, many regions, all sizes" scaling.Scaling $quick ;;
        tail) measure "the tail, beside a busy heap" tail.Tail $quick ;;
        registration)
            measure "registration; the rows with hugepages need: echo 700 > /proc/sys/vm/nr_hugepages" control.Registration $quick
            ;;
        regions) measure "registration beside many regions" control.RegionCount $quick ;;
        cache) measure "the registration cache; JMH's own output goes to $out/jmh-cache.log" control.CacheReport $quick ;;
        vectors) measure "address vectors; JMH's own output goes to $out/jmh-vectors-*.log" control.AddressVectorReport $quick ;;
        peers) measure "reliable datagrams to many peers" roundtrip.RdmPeers $quick ;;
        tags) measure "tagged messages" roundtrip.TagMatching $quick ;;
        flush) measure "queue pairs with full queues that go to the error state" control.QueueFlush $quick ;;
        wire) measure "two processes, by shared memory and by UDP" wire.Wire $quick ;;
        ibv) [ -n "$again" ] || measure "calls of libibverbs; JMH's own output goes to $out/calls-*.log" calls.VerbsCallReport $quick "$out/calls" ;;
        calls)
            page=docs/adr/0010-jna-or-ffm.md
            measure "system calls" calls.NativeCallReport "$out/native-calls"
            page=docs/performance.md
            ;;
    esac
}

# These two look for all JDKs themselves.
again=
while read -r home <&3; do
    java=$home/bin/java
    for section in $wanted; do
        section "$section"
    done
    again=yes
done 3< "$out/jdks"
doc=$goals_doc
measure "nothing more; the goals" Goals
echo "all took $(($(date +%s) - began)) s" >&2
