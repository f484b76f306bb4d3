# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Reads what TestWorker wrote, a line for each test; for test.sh.
#   report=sum      "PASSED FAILED SKIPPED SECONDS" of all; the seconds are the processors', "-" if nobody counted them
#   report=slowest  the test classes that took most of the processors
#   report=failed   the tests that failed, each with what it said and how to run it alone
#   report=suites   a line for each device that the conformance suite ran on; how often each property was tried
#   report=why      why cases were skipped on each device
BEGIN {
    STATUS = 1; CLASS = 2; METHOD = 3; TEST = 4; MILLIS = 5; MESSAGE = 6
}

{
    class = $CLASS
    sub(/.*\./, "", class)
}

$STATUS == "TIME" {
    times[class] += $MILLIS / 1000
    work[class] += $MESSAGE / 1000
    next
}

# The last one of a file has all of its process.
$STATUS == "ROUND" {
    processors[FILENAME] = $3 / 1000
    next
}

{
    counts[$STATUS]++
}

$STATUS == "FAIL" {
    alone = "--only " class ($METHOD == "-" ? "" : "#" $METHOD)
    if ($TEST ~ / seed=-?[0-9]+$/) {
        alone = "--campaign all --seconds 0 --seed " substr($TEST, index($TEST, " seed=") + 6)
    }
    failures[++failed] = sprintf("FAILED  %s.%s: %s\n        alone: ./test.sh %s", class,
        $METHOD == "-" ? $TEST : $METHOD == $TEST || $TEST == $METHOD "()" ? $METHOD : $METHOD " " $TEST, $MESSAGE,
        alone)
}

class ~ /PropertyTest$/ {
    tried[class]++
    held[class] += $STATUS == "PASS"
}

# Names of cases have a point in them.
class ~ /(Conformance|JudgedWire)Test$/ && $TEST ~ /^[a-zA-Z]+\.[a-zA-Z0-9.]+$/ {
    device = class == "EmulatedConformanceTest" ? "emulated:" : class == "QemuConformanceTest" ? "qtest:" : \
        class == "NoIommuConformanceTest" ? "vfio:?iommu=none" : class == "IbvConformanceTest" ? "ibv:rxe0" : \
        class == "LinuxConformanceTest" ? "ibv:vmw_pvrdma0" : \
        class == "WireConformanceTest" ? "wire:" : class == "JudgedWireTest" ? "wire and rxe:" : "vfio:"
    suite = device (device ~ /^(emulated|wire)/ ? " " $METHOD : "")
    cases[suite, $STATUS]++
    suites[suite]
    if ($STATUS == "SKIP") {
        reason = $MESSAGE
        sub(/ is [0-9]+:/, ":", reason)
        why[device "\t" reason]++
    }
}

END {
    if (report == "sum") {
        for (file in processors) {
            seconds += processors[file]
        }
        printf "%d %d %d %s\n", counts["PASS"], counts["FAIL"], counts["SKIP"],
            seconds == "" ? "-" : sprintf("%.0f", seconds)
    } else if (report == "failed") {
        for (i = 1; i <= failed; i++) {
            print failures[i]
        }
    } else if (report == "slowest") {
        for (class in times) {
            printf "%8.1f s of processors in %6.1f s  %s\n", work[class], times[class], class | "sort -rn | head -12"
        }
    } else if (report == "why") {
        for (reason in why) {
            split(reason, part, "\t")
            printf "  %-16s skipped %3d: %s\n", part[1], why[reason], part[2] | "sort -k1,1 -k3,3rn"
        }
    } else {
        for (suite in suites) {
            printf "conformance  %-28s %4d passed %4d failed %4d skipped\n", suite, cases[suite, "PASS"],
                cases[suite, "FAIL"], cases[suite, "SKIP"] | "sort"
        }
        for (class in held) {
            printf "properties   %-28s %d of %d runs passed\n", class, held[class], tried[class] | "sort"
        }
    }
}
