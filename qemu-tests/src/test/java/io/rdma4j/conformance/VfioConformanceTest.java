/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.qemu.inner.InnerMain;
import io.rdma4j.qemu.inner.InnerSuiteMain;
import io.rdma4j.qemu.tools.ToolChecks;
import io.rdma4j.qemu.tools.ToolsMain;
import io.rdma4j.qemu.tools.Transcript;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * QEMU's pvrdma as on bare metal: a JVM in a guest with an IOMMU drives it through VFIO. The whole suite, then what
 * processes and the kernel can do to each other. One boot.
 */
@QemuTest
@Tag("inner")
@Execution(ExecutionMode.CONCURRENT)
class VfioConformanceTest {
    private static final List<String> SCENARIOS = List.of("conformanceReportIsComplete",
        "secondProcessIsRefused", "processIsKilledInItsTraffic", "nextProcessFindsAndDestroysLeftovers",
        "nextProcessMovesData", "nothingIsLeftInTheDevice", "tooSmallMemlockIsExplained",
        "userWithRightsOnTheGroupMovesData", "unbindMakesTheContextFatal", "everythingClosesAfterUnbind",
        "unbindCompletes", "processEndsNormallyAfterUnbind");

    /** A part of the suite, where the whole takes too long; what is left out is counted as one skipped test. */
    private static final String ONLY = System.getProperty("rdma4j.qemu.inner.only");

    private static GuestResult result;

    @BeforeAll
    @Timeout(3600)
    static void runsInTheInnerGuest() {
        result = InnerMain.run("vfio", System.out, ONLY == null ? List.of() : List.of("--only", ONLY));
        for (final String key : List.of("address", "device", "version", "fw_ver", "messages", "bytes", "interrupts",
            "duration_ms", "bootMillis", "conformanceStageMillis", "killStageMillis", "usersStageMillis",
            "toolsStageMillis", "unbindStageMillis")) {
            System.out.println("pvrdma through VFIO: " + key + ' ' + result.info(key).orElse("(not reported)"));
        }
        System.out.println("pvrdma through VFIO: " + result.summary());
        System.out.println(Tally.of("QEMU's pvrdma through VFIO", suite()));
    }

    @TestFactory
    Stream<DynamicTest> suiteAndScenarios() {
        return Stream.concat(
            SCENARIOS.stream().map(name -> DynamicTest.dynamicTest(name + " is reported", () ->
                GuestTests.requireReported(result, name))),
            GuestTests.of(result));
    }

    /** Commands say the same by qtest, where there is little time. */
    private static void assumeCommandsRan() {
        final String stages = System.getProperty(InnerSuiteMain.STAGES_PROPERTY, InnerSuiteMain.STAGES);
        assumeTrue(stages.contains("tools"),
            "commands were left out: " + InnerSuiteMain.STAGES_PROPERTY + '=' + stages);
    }

    @TestFactory
    Stream<DynamicTest> commandsLookIntoTheDeviceAndIntoAProcess() throws IOException {
        assumeCommandsRan();
        return ToolChecks.ofInnerGuest(transcript());
    }

    @Test
    void docsShowWhatTheyPrint() throws IOException {
        assumeCommandsRan();
        ToolChecks.requireSaid(ToolsMain.VFIO, transcript());
    }

    private static Transcript transcript() throws IOException {
        return Transcript.read(result.folder().resolve(Transcript.FILE_NAME));
    }

    @Test
    void ranTheWholeSuite() {
        final int cases = ConformanceSuite.cases().size();
        final int wanted = ConformanceSuite.matching(ONLY == null ? "*" : ONLY).size();
        assertThat(result.results()).hasSize(wanted + SCENARIOS.size());
        assumeTrue(wanted == cases,
            cases - wanted + " of " + cases + " cases were left out: rdma4j.qemu.inner.only=" + ONLY);
    }

    @Test
    void movedDataThroughTheDevice() {
        assertThat(result.info("address").orElse("")).startsWith("vfio:0000:00:10.1");
        assertThat(number("messages")).isGreaterThan(500);
        assertThat(number("bytes")).isGreaterThan(1 << 20);
        assertThat(number("interrupts")).isPositive();
        assertThat(result.info("version")).contains("17");
    }

    /** The results that are the suite's, without those of the scenarios. */
    private static List<ConformanceResult> suite() {
        return ConformanceResult.parse(result.report()).stream()
            .filter(line -> !SCENARIOS.contains(line.name())).toList();
    }

    @Test
    void docsSayWhatWasFound() throws IOException {
        assumeTrue(ONLY == null, "a part of the suite was left out: rdma4j.qemu.inner.only=" + ONLY);
        SupportTableTest.requireSaid(SupportColumn.ofRun(SupportMain.VFIO, suite()));
    }

    private static long number(final String key) {
        return Long.parseLong(result.info(key).orElse("0"));
    }
}
