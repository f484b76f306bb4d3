/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes docs/tools.md of what runs on QEMU's device have left behind, and of a run on the emulated device. */
public final class ToolsMain {
    /** The device by qtest. */
    public static final String QTEST = "QEMU 7.2, qtest";
    /** The device through VFIO. */
    public static final String VFIO = "QEMU 7.2, VFIO";
    /** The emulated device. */
    public static final String EMULATED = "emulated device";

    private static final String USAGE = "usage: ToolsMain FILE --vfio TRANSCRIPT --qtest TRANSCRIPT\n"
        + "  FILE     what to write: docs/tools.md\n"
        + "  --vfio   " + Transcript.FILE_NAME + " of a run on QEMU's device through VFIO\n"
        + "  --qtest  the same by qtest";

    private ToolsMain() {
    }

    /**
     * Writes the document and ends the process: 0 if that was possible, else 1; 2 for wrong arguments.
     *
     * @param args see the usage text.
     * @throws IOException if a file cannot be read or written.
     */
    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    public static void main(final String[] args) throws IOException {
        System.exit(run(args, System.out));
    }

    static int run(final String[] args, final PrintStream out) throws IOException {
        if (args.length != 5 || !args[1].equals("--vfio") || !args[3].equals("--qtest")) {
            out.println(USAGE);
            return 2;
        }
        try {
            final List<ToolsDocument.Run> runs = List.of(
                new ToolsDocument.Run(VFIO, Transcript.read(Path.of(args[2]))),
                new ToolsDocument.Run(QTEST, Transcript.read(Path.of(args[4]))),
                new ToolsDocument.Run(EMULATED, ToolRun.on("emulated:")));
            Files.writeString(Path.of(args[0]), ToolsDocument.markdown(runs));
            out.println("written: " + args[0]);
            return 0;
        } catch (final IllegalArgumentException e) {
            out.println(e.getMessage());
            return 1;
        }
    }
}
