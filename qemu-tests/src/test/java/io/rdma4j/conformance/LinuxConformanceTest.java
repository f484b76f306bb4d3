/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.qemu.guest.ResultWriter;
import io.rdma4j.qemu.guest.ServedParts;
import io.rdma4j.qemu.linux.ServedGuest;
import io.rdma4j.testing.TestBudget;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The whole suite on the emulated device as Linux' own driver and library drive it, in a guest that it is served to:
 * our provider for libibverbs at one end, our device at the other, and what nobody here wrote between them. Only where
 * there is time.
 */
@QemuTest
@Tag("linux")
@EnabledIfSystemProperty(named = TestBudget.PROPERTY, matches = "true", disabledReason = "takes minutes")
class LinuxConformanceTest {
    /** Null if it could not be run. */
    private static GuestResult result;

    @BeforeAll
    @Timeout(3600)
    static void runsInTheGuest() {
        final Optional<ServedParts> parts = ServedParts.prepare();
        if (parts.isPresent()) {
            try (ServedGuest guest = ServedGuest.boot(parts.get(),
                new GuestContext().name("linux-conformance").memoryMib(1536), List.of("emulated:linux-suite"))) {
                result = guest.guest().run(List.of(ConformanceMain.class.getName(), "ibv:vmw_pvrdma0",
                    "--results", FabricGuest.SHARE + "/1/" + ResultWriter.FILE_NAME, "--effort", "quick",
                    "--patience", "10"));
            }
            for (final String key : List.of("device", "messages", "bytes", "duration_ms")) {
                System.out.println("Linux' driver: " + key + ' ' + result.info(key).orElse("(not reported)"));
            }
            System.out.println(Tally.of("the emulated device by Linux' driver",
                ConformanceResult.parse(result.report())));
        }
    }

    @BeforeEach
    void couldBeRun() {
        assumeTrue(result != null, ServedParts.MISSING);
    }

    @TestFactory
    Stream<DynamicTest> suite() {
        return GuestTests.of(result);
    }

    @Test
    void docsSayWhatWasFound() throws IOException {
        SupportTableTest.requireSaid(SupportColumn.ofLines(SupportMain.LINUX, result.report()));
    }

    @Test
    void judgedSaysHowManyPass() throws IOException {
        Judged.requireCounted(result);
    }

    @Test
    void movedDataThroughTheDevice() {
        Judged.requireMoved(result);
    }

    @Test
    void peculiaritiesAreJudged() throws IOException {
        Judged.requirePeculiarities(result);
    }
}
