/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;


import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.qemu.guest.ResultWriter;
import io.rdma4j.qemu.tools.IbvToolsMain;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Linux' SoftRoCE through libibverbs: the whole suite on a device that is not the project's own. Calls are made as the
 * JDK that runs this makes them: by JNA on 17, by java.lang.foreign on 22 and later.
 */
@QemuTest
class IbvConformanceTest {
    private static final List<Path> LIBRARY = List.of(Path.of("/usr/lib/x86_64-linux-gnu/libibverbs.so.1"),
        Path.of("/usr/lib64/libibverbs.so.1"));
    private static GuestResult result;
    private static GuestResult commands;

    @BeforeAll
    @Timeout(1800)
    static void runsInTheGuest() throws IOException {
        final String kernel;
        try (FabricGuest guest = FabricGuest.boot(new GuestContext().name("rxe"))) {
            result = guest.run(List.of(ConformanceMain.class.getName(), "ibv:" + FabricGuest.IBDEV,
                "--results", FabricGuest.SHARE + "/1/" + ResultWriter.FILE_NAME, "--effort", "quick",
                "--patience", "4"));
            commands = guest.run(List.of(IbvToolsMain.class.getName()));
            kernel = String.join(" ", guest.runCommand(List.of("uname", "-sr")).output());
        }
        System.out.println("SoftRoCE: kernel " + kernel);
        for (final Path library : LIBRARY) {
            if (Files.exists(library)) {
                System.out.println("SoftRoCE: library " + library.toRealPath().getFileName());
            }
        }
        for (final String key : List.of("device", "messages", "bytes", "duration_ms")) {
            System.out.println("SoftRoCE: " + key + ' ' + result.info(key).orElse("(not reported)"));
        }
        System.out.println(Tally.of("SoftRoCE by libibverbs", ConformanceResult.parse(result.report())));
    }

    @TestFactory
    Stream<DynamicTest> suite() {
        return GuestTests.of(result);
    }

    /** What the commands do there, and that devinfo says what ibv_devinfo says. */
    @TestFactory
    Stream<DynamicTest> commands() {
        return GuestTests.of(commands);
    }

    @Test
    void docsSayWhatWasFound() throws IOException {
        SupportTableTest.requireSaid(SupportColumn.ofLines(SupportMain.SOFT_ROCE, result.report()));
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
