/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.RdmaException;
import io.rdma4j.conformance.ConformanceMain;
import io.rdma4j.driver.pci.DeviceAddress;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.qemu.leftovers.Traffic;
import io.rdma4j.qemu.tools.ToolCommand;
import io.rdma4j.qemu.tools.ToolRun;
import io.rdma4j.qemu.tools.Transcript;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/**
 * What a station does where emulation is fast, so that it need not do it where emulation is slow: loads classes, links
 * the C library, compiles what is hot. On the emulated device, and through VFIO on the network function beside the one
 * that is missing yet.
 */
final class Warmup {
    private static final String NEIGHBOUR = "vfio:0000:00:10.0";
    private static final int MESSAGES = 50;
    private static final int MEMORY = 32 * 1024;

    private final boolean suite;
    private final boolean refused;

    private Warmup(final boolean suite, final boolean refused) {
        this.suite = suite;
        this.refused = refused;
    }

    static Warmup of(final String station) {
        return new Warmup(Station.MAIN.name().equals(station), Station.USER.name().equals(station));
    }

    void run(final PrintStream out) {
        out.println("warm-up: " + useNeighbour());
        if (suite) {
            out.println("warm-up: " + runSuite());
            out.println("warm-up: " + runCommands());
        }
        if (refused) {
            out.println("warm-up: " + lookWithoutRights());
        }
        try (RdmaContext context = RdmaDevices.open("emulated:warm-up?quirks=qemu-7.2")) {
            final Traffic traffic = new Traffic(context);
            for (int i = 0; i < MESSAGES; i++) {
                traffic.exchange();
            }
        }
        try (RdmaContext missing = RdmaDevices.open("vfio:0000:00:1e.7")) {
            throw new IllegalStateException("there is no such function, yet it was opened: " + missing.address());
        } catch (final RdmaException e) {
            out.println("warm-up: " + e.errno());
        }
        out.flush();
    }

    private static String useNeighbour() {
        try (PciDevice device = PciDevices.open(DeviceAddress.parse(NEIGHBOUR));
            DmaMemory memory = device.dma().allocate(MEMORY)) {
            final int vectors = device.interrupts().enable(device.interrupts().available());
            final long fired = device.interrupts().vector(0).await(1);
            return device.address() + " memory=" + memory.length() + " vectors=" + vectors + " fired=" + fired;
        }
    }

    /** The first process is root's. */
    private static String lookWithoutRights() {
        return new Transcript().run(ToolCommand.onProcess(ToolCommand.WITHOUT_RIGHTS.line(), "1")).text().strip();
    }

    /** As above. */
    private static String runCommands() {
        try {
            return ToolRun.fewOn("emulated:warm-up-tools?quirks=qemu-7.2").entries().stream()
                .map(entry -> entry.name() + '=' + entry.exitCode()).collect(Collectors.joining(" "));
        } catch (final IOException e) {
            return "commands: " + e;
        }
    }

    /** Its outcome belongs to another test: on the emulated device it is run without emulating a processor, too. */
    private static String runSuite() {
        final ByteArrayOutputStream lines = new ByteArrayOutputStream();
        final int code = ConformanceMain.run(
            new String[] {"emulated:warm-up-suite?quirks=qemu-7.2", "--effort", "quick", "--patience", "20"},
            new PrintStream(lines, false, StandardCharsets.UTF_8));
        final String text = lines.toString(StandardCharsets.UTF_8).stripTrailing();
        return "suite on the emulated device, exit code " + code + ", " + text.substring(text.lastIndexOf('\n') + 1);
    }
}
