# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Reads what Surefire wrote (TEST-*.xml); for test.sh.
#   report=sum      "PASSED FAILED SKIPPED" of all
#   report=slowest  the test classes that took longest
#   report=failed   the tests that failed, each with what it said
#   report=suites   a line for each device that the conformance suite ran on, and why cases were skipped there; how
#                   often each property was tried

# attribute NAME: its value in this line, "" without it.
function attribute(name,    i, part) {
    for (i = 1; i <= NF; i++) {
        if (split($i, part, "\"") >= 2 && part[1] == name "=") {
            return part[2]
        }
    }
    return ""
}

/<testsuite / {
    tests = attribute("tests")
    bad = attribute("errors") + attribute("failures")
    skipped = attribute("skipped")
    all_tests += tests
    all_bad += bad
    all_skipped += skipped
    class = attribute("name")
    sub(/.*\./, "", class)
    seconds = attribute("time")
    gsub(/,/, "", seconds)
    times[class] += seconds
    if (class ~ /PropertyTest$/) {
        properties[class] = tests - bad - skipped " of " tests " runs passed"
    }
}

# text OF_XML: what an attribute says, in one line that is not too long.
function text(of_xml) {
    gsub(/(&#(10|13|9);| )+/, " ", of_xml)
    gsub(/&lt;/, "<", of_xml)
    gsub(/&gt;/, ">", of_xml)
    gsub(/&quot;/, "\"", of_xml)
    gsub(/&apos;/, "'", of_xml)
    gsub(/&amp;/, "\\&", of_xml)
    return length(of_xml) > 400 ? substr(of_xml, 1, 400) "..." : of_xml
}

/<testcase / {
    match($0, / name="[^"]*"/)
    test = class "." text(substr($0, RSTART + 7, RLENGTH - 8))
}

# What it printed is not meant, though it may look alike.
/^ *<system-(out|err)/ {
    test = ""
}

# Of a test only the first.
/^ *<(failure|error)( |>)/ && test != "" {
    tag = $0
    sub(/>.*/, "", tag)
    said = match(tag, / message="[^"]*"/) ? substr(tag, RSTART + 10, RLENGTH - 11) : attribute("type")
    failures[++failed] = test ":" (said ~ /^(&#10;| )/ ? "" : " ") text(said)
    test = ""
}

# Cases of a suite are dynamic tests, whose names end in a number; the method tells the device.
/<testcase / {
    suite = ""
}

/<testcase / && /\(\)\[/ && class ~ /ConformanceTest$/ {
    suite = attribute("name")
    sub(/\(\).*/, "", suite)
    suite = class == "EmulatedConformanceTest" ? "emulated: " suite : class == "QemuConformanceTest" ? "qtest:" : "vfio:"
    cases[suite]++
}

/<skipped/ && suite != "" && class ~ /ConformanceTest$/ {
    reason = $0
    sub(/.*TestAbortedException: /, "", reason)
    sub(/]]>.*/, "", reason)
    sub(/ is [0-9]+:/, ":", reason)
    not_run[suite]++
    device = suite
    sub(/ .*/, "", device)
    why[device "\t" reason]++
}

(/<failure/ || /<error/) && suite != "" && class ~ /ConformanceTest$/ {
    wrong[suite]++
}

END {
    if (report == "sum") {
        printf "%d %d %d\n", all_tests - all_bad - all_skipped, all_bad, all_skipped
    } else if (report == "failed") {
        for (i = 1; i <= failed; i++) {
            print "FAILED  " failures[i]
        }
    } else if (report == "slowest") {
        for (class in times) {
            printf "%8.1f s  %s\n", times[class], class | "sort -rn | head -12"
        }
    } else {
        for (suite in cases) {
            printf "conformance  %-28s %4d passed %4d failed %4d skipped\n", suite,
                cases[suite] - not_run[suite] - wrong[suite], wrong[suite], not_run[suite] | "sort"
        }
        close("sort")
        for (reason in why) {
            split(reason, part, "\t")
            printf "  %-9s skipped %3d: %s\n", part[1], why[reason], part[2] | "sort -k1,1 -k3,3rn"
        }
        close("sort -k1,1 -k3,3rn")
        for (class in properties) {
            printf "properties   %-28s %s\n", class, properties[class] | "sort"
        }
        close("sort")
    }
}
