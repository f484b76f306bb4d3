/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.DeviceAddress;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.qemu.tools.ToolChecks;
import io.rdma4j.qemu.tools.ToolsMain;
import io.rdma4j.qemu.tools.Transcript;
import io.rdma4j.tools.replay.DiffComparison;
import io.rdma4j.tools.replay.DiffExecutor;
import io.rdma4j.tools.replay.DiffRecording;
import io.rdma4j.tools.replay.DiffScript;
import io.rdma4j.tools.replay.KnownDifferences;
import io.rdma4j.verbs.Gid;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;

/** QEMU's pvrdma: the whole suite, and a script whose answers are compared with the emulated device's. One boot. */
@QemuTest
class QemuConformanceTest {
    /** A part of the suite, where the whole is run on another JDK; what is left out is counted as one skipped test. */
    private static final String ONLY = System.getProperty("rdma4j.qtest.only", "*");

    private static GuestResult result;

    @BeforeAll
    @Timeout(1800)
    static void runsInTheGuest() {
        try (FabricGuest guest = FabricGuest.boot(new GuestContext().name("conformance"))) {
            result = guest.run(List.of(QemuSuiteMain.class.getName(), "--only", ONLY));
        }
        print("run by", "qemu");
        print("device", "device");
        print("VERSION", "version");
        print("fw_ver", "fw_ver");
        print("messages moved", "messages");
        print("bytes moved", "bytes");
        print("interrupts", "interrupts");
        print("milliseconds", "duration_ms");
        System.out.println(Tally.of("QEMU's pvrdma by qtest", ConformanceResult.parse(result.report())));
    }

    private static void print(final String title, final String key) {
        final String head = "INFO " + key + "=";
        System.out.println("pvrdma in QEMU: " + title + " " + result.output().stream()
            .filter(line -> line.startsWith(head)).map(line -> line.substring(head.length()))
            .findFirst().orElse("(not reported)"));
    }

    @TestFactory
    Stream<DynamicTest> suite() {
        return GuestTests.of(result);
    }

    @TestFactory
    Stream<DynamicTest> commandsLookIntoTheDeviceAndIntoAProcess() throws IOException {
        return ToolChecks.of(transcript());
    }

    @Test
    void docsShowWhatTheyPrint() throws IOException {
        ToolChecks.requireSaid(ToolsMain.QTEST, transcript());
    }

    private static Transcript transcript() throws IOException {
        return Transcript.read(result.folder().resolve(Transcript.FILE_NAME));
    }

    @Test
    void movedDataThroughTheDevice() {
        assertThat(number("messages")).isGreaterThan(500);
        assertThat(number("bytes")).isGreaterThan(1 << 20);
        assertThat(number("interrupts")).isPositive();
        assertThat(result.info("version")).contains("17");
    }

    private static long number(final String key) {
        return Long.parseLong(result.info(key).orElse("0"));
    }

    @Test
    void docsSayWhatWasFound() throws IOException {
        assumeTrue("*".equals(ONLY), "a part of the suite was left out: rdma4j.qtest.only=" + ONLY);
        SupportTableTest.requireSaid(SupportColumn.ofLines(SupportMain.QTEST, result.report()));
    }

    @Test
    void answersAsTheEmulatedDeviceApartFromKnownQuirks() throws IOException {
        compare("emulated:differential", "emulated");
    }

    @Test
    void answersAsTheEmulatedDeviceWithItsQuirks() throws IOException {
        compare("emulated:differential?quirks=qemu-7.2", "emulated-quirks");
    }

    private static void compare(final String address, final String table) throws IOException {
        final DiffRecording qemu =
            DiffRecording.parse(Files.readString(result.folder().resolve(QemuSuiteMain.RECORDING)));
        final DiffRecording emulated = DiffExecutor.play(DiffScript.standard(),
            PciDevices.open(DeviceAddress.parse(address)), Gid.parse("::ffff:" + FabricGuest.IP_ADDRESS), 1);
        final DiffComparison comparison = DiffComparison.of(emulated, qemu, KnownDifferences.ofQemu(table));
        System.out.println("differential test, " + qemu.device() + " against " + address + ": "
            + comparison.toString().lines().findFirst().orElse(""));
        assertThat(comparison.holds()).as(comparison.toString()).isTrue();
        assertThat(comparison.fields()).isGreaterThan(1000);
    }
}
