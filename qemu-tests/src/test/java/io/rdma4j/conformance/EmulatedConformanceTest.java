/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The suite on emulated devices: plain, in each version's ways, with QEMU's quirks, small, between two, and as one that
 * the driver does not know. In each build the plain one runs everything at full effort, and the others what their
 * difference can reach, with few repetitions; with {@code -Drdma4j.tests.long=true} all run everything at full effort.
 */
class EmulatedConformanceTest {
    private static final boolean LONG = Boolean.getBoolean("rdma4j.tests.long");
    private static final String EVERYTHING = "";
    /**
     * What the version changes: registers and capabilities, the GIDs' type and with it the way of datagrams, the answer
     * to CREATE_QP, and the handle by which a queue pair is found again, which everything that changes one uses.
     */
    private static final String[] OF_THE_VERSION = {"device.", "port.", "gid.", "ah.", "limit.", "qp.", "state.",
        "event.", "channel.", "rc.", "ud.", "srq.", "load.", "cm.", "datagram."};
    /** What makes so many objects that it meets a limit, sizes itself by one, or shows that all are given back. */
    private static final String[] OF_LIMITS = {"limit.", "device.", "pd.", "many", "Many", "load.", "random",
        "severalQps", "AtOnce", "InAnyOrder", "ranks", "EverythingBack", "channel.", "rc.", "srq."};

    @TestFactory
    Stream<DynamicTest> plain() {
        final List<ConformanceResult> results = new ArrayList<>();
        return Stream.concat(suite("emulated:conformance", null, Effort.FULL, results, EVERYTHING), Stream.of(
            DynamicTest.dynamicTest("docs/device-support.md says what was found", () ->
                SupportTableTest.requireSaid(SupportColumn.ofRun(SupportMain.EMULATED, results)))));
    }

    @TestFactory
    Stream<DynamicTest> oldestVersion() {
        return suite("emulated:conformance?version=17", null, OF_THE_VERSION);
    }

    /** Everything: these quirks change the outcome of a third of all cases, and those may be anywhere. */
    @TestFactory
    Stream<DynamicTest> quirksOfQemu() {
        return suite("emulated:conformance?quirks=qemu-7.2", null, EVERYTHING);
    }

    @TestFactory
    Stream<DynamicTest> fewObjects() {
        return suite("emulated:conformance?max_qp=24&max_cq=40&max_mr=70&max_pd=20&max_srq=4", null, OF_LIMITS);
    }

    /** Everything: nearly each case has two ends. */
    @Tag("thorough")
    @TestFactory
    Stream<DynamicTest> betweenTwoDevices() {
        return suite("emulated:near", "emulated:far", EVERYTHING);
    }

    /** Everything, at little effort at all times: what the driver does instead of an extension may be anywhere. */
    @Tag("thorough")
    @TestFactory
    Stream<DynamicTest> unknownToTheDriver() {
        return suite("anonymous:conformance", null, Effort.QUICK, new ArrayList<>(), EVERYTHING);
    }

    private static Stream<DynamicTest> suite(final String near, final String far, final String... patterns) {
        return LONG ? suite(near, far, Effort.FULL, new ArrayList<>(), EVERYTHING)
            : suite(near, far, Effort.QUICK, new ArrayList<>(), patterns);
    }

    /** Of devices whose answers take a thread that may have to wait for a processor. */
    static Stream<DynamicTest> patientSuite(final String near, final String far, final String... patterns) {
        return suite(new ConformanceEnv(near, far, Effort.QUICK, 4), new ArrayList<>(), patterns);
    }

    private static Stream<DynamicTest> suite(
        final String near, final String far, final Effort effort, final List<ConformanceResult> results,
        final String... patterns) {
        return suite(new ConformanceEnv(near, far, effort, 1), results, patterns);
    }

    private static Stream<DynamicTest> suite(final ConformanceEnv env, final List<ConformanceResult> results,
        final String... patterns) {
        final ConformanceRunner runner = new ConformanceRunner(env);
        final Stream<DynamicTest> cases = matching(patterns)
            .map(test -> DynamicTest.dynamicTest(test.name(), () -> {
                results.add(runner.run(test));
                replay(results.get(results.size() - 1));
            }));
        final DynamicTest moved = DynamicTest.dynamicTest("messages were moved", () ->
            assertTrue(env.messages() > 1000 && env.bytes() > 1 << 20 && env.interrupts() > 10,
                env.messages() + " messages, " + env.bytes() + " bytes, " + env.interrupts() + " interrupts"));
        return Stream.concat(cases, Stream.of(moved)).onClose(() -> {
            runner.close();
            System.out.println(Tally.of(env.toString(), results));
        });
    }

    /** Each case once, in the suite's order, however many of the patterns it matches. */
    private static Stream<ConformanceCase> matching(final String... patterns) {
        final Set<String> names = new HashSet<>();
        for (final String pattern : patterns) {
            final List<ConformanceCase> found = ConformanceSuite.matching(pattern);
            assertFalse(found.isEmpty(), "no case is called like " + pattern);
            found.forEach(test -> names.add(test.name()));
        }
        return ConformanceSuite.cases().stream().filter(test -> names.contains(test.name()));
    }

    private static void replay(final ConformanceResult result) {
        switch (result.outcome()) {
            case FAIL -> fail(result.name() + ": " + result.message() + System.lineSeparator() + result.detail());
            case SKIP -> abort(result.message());
            default -> { }
        }
    }
}
