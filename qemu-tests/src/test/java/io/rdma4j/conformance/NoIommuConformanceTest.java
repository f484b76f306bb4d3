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

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * QEMU's pvrdma in a guest without an IOMMU, as on a virtual machine whose hypervisor offers none: the whole suite
 * through VFIO's mode that does without, then what is different there. One boot. Left out, and counted, where the
 * package archive has not what VFIO's modules are built of.
 */
@QemuTest
@Tag("one-jdk")
@Tag("noiommu")
class NoIommuConformanceTest {
    private static final List<String> SCENARIOS = List.of("conformanceReportIsComplete", "smallPagesCarryTraffic",
        "secondProcessIsRefused", "processIsKilledInItsTraffic", "nextProcessFindsAndDestroysLeftovers",
        "nextProcessMovesData", "nothingIsLeftInTheDevice", "userWithoutCapabilitiesIsRefused",
        "unbindMakesTheContextFatal", "everythingClosesAfterUnbind", "unbindCompletes",
        "processEndsNormallyAfterUnbind");

    /** Null if it could not be run. */
    private static GuestResult result;

    @BeforeAll
    @Timeout(3600)
    static void runsInTheGuest() {
        final Optional<Path> modules = InnerMain.modules();
        if (modules.isPresent()) {
            result = InnerMain.run("noiommu", modules.get(), System.out, List.of());
            for (final String key : List.of("address", "messages", "bytes", "duration_ms", "bootMillis",
                "conformanceStageMillis", "smallStageMillis", "killStageMillis", "capabilitiesStageMillis",
                "unbindStageMillis")) {
                System.out.println(
                    "pvrdma without an IOMMU: " + key + ' ' + result.info(key).orElse("(not reported)"));
            }
            System.out.println("pvrdma without an IOMMU: " + result.summary());
            System.out.println(Tally.of("QEMU's pvrdma through VFIO without an IOMMU", suite()));
        }
    }

    @BeforeEach
    void couldBeRun() {
        assumeTrue(result != null, InnerMain.NO_MODULES);
    }

    @TestFactory
    Stream<DynamicTest> suiteAndScenarios() {
        return Stream.concat(
            SCENARIOS.stream().map(name -> DynamicTest.dynamicTest(name + " is reported", () ->
                GuestTests.requireReported(result, name))),
            GuestTests.of(result));
    }

    @Test
    void ranTheWholeSuite() {
        assertThat(result.results()).hasSize(ConformanceSuite.cases().size() + SCENARIOS.size());
    }

    @Test
    void movedDataThroughTheDevice() {
        assertThat(result.info("address").orElse("")).startsWith("vfio:0000:00:10.1").contains("iommu=none");
        assertThat(result.info("messages").map(Long::parseLong)).hasValueSatisfying(
            messages -> assertThat(messages).isGreaterThan(500));
    }

    @Test
    void docsSayWhatWasFound() throws IOException {
        SupportTableTest.requireSaid(SupportColumn.ofRun(SupportMain.NO_IOMMU, suite()));
    }

    /** The results that are the suite's, without those of the scenarios. */
    private static List<ConformanceResult> suite() {
        return ConformanceResult.parse(result.report()).stream()
            .filter(line -> !SCENARIOS.contains(line.name())).toList();
    }
}
