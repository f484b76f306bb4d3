/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.conformance.differential.DifferentialMain;
import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.guest.ResultWriter;
import io.rdma4j.qemu.qtest.QtestDevice;
import io.rdma4j.qemu.tools.ToolRun;
import io.rdma4j.qemu.tools.Transcript;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * What runs in the fabric guest: starts QEMU's device, plays the differential script on it, then runs the conformance
 * suite and rdma4j's commands, all in one JVM because starting one takes its time there. The results are left in the
 * folder that the harness names: {@value #RECORDING}, the suite's lines and {@value Transcript#FILE_NAME}.
 */
public final class QemuSuiteMain {
    /** Name of the file with what the device answered to the script. */
    public static final String RECORDING = "differential.txt";

    private static final String GID = "::ffff:" + FabricGuest.IP_ADDRESS;
    private static final String PATIENCE = "10";
    private static final String DIFFERENTIAL_ONLY = "--differential-only";
    private static final String TOOLS_ONLY = "--tools-only";

    private QemuSuiteMain() {
    }

    /**
     * Runs them and ends the process: 0 if nothing failed, else 1.
     *
     * @param args {@code --differential-only}, {@code --tools-only}, or further arguments for {@link ConformanceMain}.
     */
    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    public static void main(final String[] args) {
        final Path folder = Path.of(System.getProperty(ResultWriter.FOLDER_PROPERTY, "."));
        System.exit(run(folder, args, System.out));
    }

    private static int run(final Path folder, final String[] args, final PrintStream out) {
        out.println("INFO qemu=" + QtestDevice.version());
        final List<String> all = Arrays.asList(args);
        int failed = 0;
        if (!all.contains(TOOLS_ONLY)) {
            failed |= on(folder, "differential-qemu.log", out, device -> DifferentialMain.run(new String[] {
                device.address().toString(), "--gid", GID, "--results", folder.resolve(RECORDING).toString(),
                "--patience", PATIENCE}, out));
        }
        if (!all.contains(TOOLS_ONLY) && !all.contains(DIFFERENTIAL_ONLY)) {
            failed |= on(folder, "conformance-qemu.log", out,
                device -> ConformanceMain.run(conformance(device, folder, args), out));
        }
        if (!all.contains(DIFFERENTIAL_ONLY)) {
            failed |= on(folder, "tools-qemu.log", out, device -> tools(device, folder, out));
        }
        return failed;
    }

    /** What the commands printed is judged outside. */
    private static int tools(final QtestDevice device, final Path folder, final PrintStream out) {
        final long start = System.nanoTime();
        try {
            final Transcript transcript = ToolRun.on(device.address() + "&gid=" + GID);
            transcript.write(folder);
            out.printf("INFO tools=%d commands, %d ms%n", transcript.entries().size(),
                (System.nanoTime() - start) / 1_000_000);
            return 0;
        } catch (final IOException | RuntimeException e) {
            out.println("commands on the device: " + e);
            return 1;
        }
    }

    /** A device for each: QEMU's remembers address handles of domains that are long gone. */
    private static int on(
        final Path folder, final String log, final PrintStream out, final ToIntFunction<QtestDevice> program) {
        try (QtestDevice device = QtestDevice.start(folder.resolve(log))) {
            final int failed = program.applyAsInt(device);
            if (device.isAlive()) {
                return failed;
            }
            out.println("QEMU has died; it said:\n" + device.log());
        } catch (final GuestException e) {
            out.println(e.getMessage());
        }
        return 1;
    }

    private static String[] conformance(final QtestDevice device, final Path folder, final String[] args) {
        final List<String> all = new ArrayList<>(List.of(device.address() + "&gid=" + GID,
            "--results", folder.resolve(ResultWriter.FILE_NAME).toString(),
            "--effort", "quick", "--patience", PATIENCE));
        all.addAll(Arrays.asList(args));
        return all.toArray(new String[0]);
    }
}
