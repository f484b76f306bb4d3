/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The whole suite on software devices: plain, in each version's ways, with QEMU's quirks, small, between two, and as
 * one that the driver does not know.
 */
class EmulatedConformanceTest {
    @TestFactory
    Stream<DynamicTest> plain() {
        final List<ConformanceResult> results = new ArrayList<>();
        return Stream.concat(suite("emulated:conformance", null, Effort.FULL, results), Stream.of(
            DynamicTest.dynamicTest("docs/device-support.md says what was found", () ->
                SupportTableTest.requireSaid(SupportColumn.ofRun(SupportMain.EMULATED, results)))));
    }

    @TestFactory
    Stream<DynamicTest> oldestVersion() {
        return suite("emulated:conformance?version=17", null);
    }

    @TestFactory
    Stream<DynamicTest> quirksOfQemu() {
        return suite("emulated:conformance?quirks=qemu-7.2", null);
    }

    @TestFactory
    Stream<DynamicTest> fewObjects() {
        return suite("emulated:conformance?max_qp=24&max_cq=40&max_mr=70&max_pd=20&max_srq=4", null);
    }

    @TestFactory
    Stream<DynamicTest> betweenTwoDevices() {
        return suite("emulated:near", "emulated:far");
    }

    @TestFactory
    Stream<DynamicTest> unknownToTheDriver() {
        return suite("anonymous:conformance", null, Effort.QUICK, new ArrayList<>());
    }

    private static Stream<DynamicTest> suite(final String near, final String far) {
        return suite(near, far, Effort.FULL, new ArrayList<>());
    }

    private static Stream<DynamicTest> suite(
        final String near, final String far, final Effort effort, final List<ConformanceResult> results) {
        final ConformanceEnv env = new ConformanceEnv(near, far, effort, 1);
        final ConformanceRunner runner = new ConformanceRunner(env);
        final Stream<DynamicTest> cases = ConformanceSuite.cases().stream()
            .map(test -> DynamicTest.dynamicTest(test.name(), () -> {
                results.add(runner.run(test));
                replay(results.get(results.size() - 1));
            }));
        final DynamicTest moved = DynamicTest.dynamicTest("messages were moved", () ->
            assertTrue(env.messages() > 1000 && env.bytes() > 1 << 20 && env.interrupts() > 10,
                env.messages() + " messages, " + env.bytes() + " bytes, " + env.interrupts() + " interrupts"));
        return Stream.concat(cases, Stream.of(moved)).onClose(() -> {
            env.close();
            System.out.println(Tally.of(far == null ? near : near + " and " + far, results));
        });
    }

    private static void replay(final ConformanceResult result) {
        switch (result.outcome()) {
            case FAIL -> fail(result.name() + ": " + result.message() + System.lineSeparator() + result.detail());
            case SKIP -> abort(result.message());
            default -> { }
        }
    }
}
