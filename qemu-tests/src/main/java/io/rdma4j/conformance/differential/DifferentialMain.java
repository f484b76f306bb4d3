/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance.differential;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.tools.replay.DiffExecutor;
import io.rdma4j.tools.replay.DiffRecording;
import io.rdma4j.tools.replay.DiffScript;
import io.rdma4j.verbs.Gid;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Plays a script on a device and writes what the device answered. */
public final class DifferentialMain {
    private static final String USAGE = "usage: DifferentialMain DEVICE [--gid GID] [--script FILE] [--results FILE]\n"
        + "           [--patience N]\n"
        + "  DEVICE      a device below the verbs: emulated:, qtest:SOCKET?ram=FILE, or of a scheme\n"
        + "              whose provider is on the class path\n"
        + "  --gid       an address of the network behind the device (::ffff:10.9.9.1)\n"
        + "  --script    what to play (the suite's own script)\n"
        + "  --results   where to write (standard output)\n"
        + "  --patience  factor on all deadlines, for slow machines (1)";

    private String address;
    private String gid = "::ffff:10.9.9.1";
    private String script;
    private String results;
    private int patience = 1;

    private DifferentialMain(final String[] args) {
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--gid" -> gid = value(args, ++i);
                case "--script" -> script = value(args, ++i);
                case "--results" -> results = value(args, ++i);
                case "--patience" -> patience = Integer.parseInt(value(args, ++i));
                default -> {
                    if (args[i].startsWith("-") || address != null) {
                        throw new IllegalArgumentException("unexpected argument '" + args[i] + "'");
                    }
                    address = args[i];
                }
            }
        }
        if (address == null) {
            throw new IllegalArgumentException("a device address is needed");
        }
    }

    private static String value(final String[] args, final int index) {
        if (index >= args.length) {
            throw new IllegalArgumentException(args[index - 1] + " needs a value");
        }
        return args[index];
    }

    /**
     * Plays the script and ends the process: 0 if it could be played, 1 if not, 2 for wrong arguments.
     *
     * @param args see the usage text.
     */
    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    public static void main(final String[] args) {
        System.exit(run(args, System.out));
    }

    /**
     * Plays the script.
     *
     * @param args as of {@link #main}.
     * @param out  takes messages, and the recording unless it goes into a file.
     * @return the exit code.
     */
    public static int run(final String[] args, final PrintStream out) {
        final DifferentialMain main;
        try {
            main = new DifferentialMain(args);
        } catch (final IllegalArgumentException e) {
            out.println(e.getMessage());
            out.println(USAGE);
            return 2;
        }
        try {
            main.play(out);
            return 0;
        } catch (final IOException | RdmaException | IllegalArgumentException e) {
            out.println(e.getMessage());
            return 1;
        }
    }

    private void play(final PrintStream out) throws IOException {
        final DiffScript steps =
            script == null ? DiffScript.standard() : DiffScript.parse(Files.readString(Path.of(script)));
        final DiffRecording recording = DiffExecutor.play(
            steps, PciDevices.open(DeviceAddress.parse(address)), Gid.parse(gid), patience);
        if (results == null) {
            out.print(recording);
        } else {
            Files.writeString(Path.of(results), recording.toString());
            out.println(recording.entries().size() + " steps played on " + recording.device() + ", see " + results);
        }
    }
}
