/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.RdmaException;
import io.rdma4j.conformance.ConformanceMain;
import io.rdma4j.driver.pci.DeviceAddress;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.qemu.leftovers.Traffic;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What a station does where emulation is fast, so that it need not do it where emulation is slow: loads classes, links
 * the C library, compiles what is hot. On the emulated device, and through VFIO on the network function beside the one
 * that is missing yet.
 */
final class Warmup {
    private static final String NEIGHBOUR = "vfio:0000:00:10.0";
    private static final int MESSAGES = 50;

    private final boolean suite;
    private final boolean vfio;

    private Warmup(final boolean suite, final boolean vfio) {
        this.suite = suite;
        this.vfio = vfio;
    }

    static Warmup of(final String station) {
        return new Warmup(Station.MAIN.name().equals(station),
            Station.ALL.stream().anyMatch(one -> one.root() && one.name().equals(station)));
    }

    void run(final PrintStream out) {
        if (vfio) {
            out.println("warm-up: " + openNeighbour());
        }
        if (suite) {
            out.println("warm-up: " + runSuite());
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

    private static String openNeighbour() {
        try (PciDevice device = PciDevices.open(DeviceAddress.parse(NEIGHBOUR))) {
            return device + " vectors=" + device.interrupts().available();
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
