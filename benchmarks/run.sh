#!/bin/sh
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Measures the data path beside its yardsticks, prints the tables and writes them into docs/performance.md.
# With --quick it takes about a minute; without, more forks and longer iterations take many times that, and what system
# calls cost is measured too: that table goes into docs/adr/0010-jna-or-ffm.md, where it has a section for this JDK.
set -eu

usage() {
    echo "usage: benchmarks/run.sh [--quick]"
}

quick=
case "${1-}" in
    "") ;;
    --quick) quick=--quick ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
esac

cd "$(dirname "$0")/.."
for tool in gcc mvn; do
    command -v "$tool" > /dev/null || {
        echo "benchmarks need $tool: apt-get install ${tool%mvn}$([ "$tool" = mvn ] && echo maven)" >&2
        exit 1
    }
done

out=benchmarks/target
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
echo "building" >&2
mvn -q -pl benchmarks -am -Dmaven.test.skip=true -Dcheckstyle.skip package
gcc -O2 -Wall -Wextra -Werror -pthread -o "$out/rings" benchmarks/c/rings.c

run() {
    "$java" --add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/java.nio=ALL-UNNAMED \
        --add-opens java.base/sun.nio.ch=ALL-UNNAMED -Dagrona.disable.bounds.checks=true \
        -cp "$out/classes:$(cat "$out/classpath.txt")" "$@"
}

echo "measuring round trips" >&2
run io.rdma4j.benchmarks.RoundTrip $quick --doc docs/performance.md
echo
echo "measuring rings; JMH's own output goes to $out/*.log" >&2
run io.rdma4j.benchmarks.Report $quick --doc docs/performance.md "$out/rings"
echo
echo "measuring registration; the rows with hugepages need: echo 700 > /proc/sys/vm/nr_hugepages" >&2
run io.rdma4j.benchmarks.Registration $quick --doc docs/performance.md
if [ -z "$quick" ]; then
    echo
    echo "measuring system calls" >&2
    run io.rdma4j.benchmarks.NativeCallReport --doc docs/adr/0010-jna-or-ffm.md "$out/native-calls"
fi
