/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes docs/device-support.md: runs the suite on the emulated device, and takes what runs on other devices have left
 * behind.
 */
public final class SupportMain {
    static final String EMULATED = "emulated device";
    static final String QTEST = "QEMU 7.2, qtest";
    static final String VFIO = "QEMU 7.2, VFIO";
    static final String NO_IOMMU = "QEMU 7.2, VFIO without an IOMMU";
    static final String SOFT_ROCE = "SoftRoCE (Linux 6.1), libibverbs";
    static final String DOCUMENTED = "ESXi, as documented";
    static final String LIKE_ESXI = AnonymousProvider.SCHEME + ":esxi";
    static final String WIRE = "emulated device by UDP, against SoftRoCE";
    static final String LINUX = "emulated device, driven by Linux 6.1";
    private static final String USAGE = "usage: SupportMain FILE --qtest RESULTS --vfio RESULTS --noiommu RESULTS "
        + "--rxe RESULTS --wire RESULTS --linux RESULTS\n"
        + "  FILE       what to write: docs/device-support.md\n"
        + "  --qtest    results.txt of the suite on QEMU's device by qtest\n"
        + "  --vfio     the same through VFIO\n"
        + "  --noiommu  the same where there is no IOMMU\n"
        + "  --rxe      results.txt of the suite on SoftRoCE through libibverbs\n"
        + "  --wire     results.txt of the suite between an emulated device and SoftRoCE\n"
        + "  --linux    results.txt of the suite on an emulated device that Linux' driver drives";
    /** Of the columns behind the first one. */
    private static final List<String> OPTIONS = List.of("--qtest", "--vfio", "--noiommu", "--rxe", "--wire", "--linux");
    private static final List<String> TITLES = List.of(QTEST, VFIO, NO_IOMMU, SOFT_ROCE, WIRE, LINUX);

    private SupportMain() {
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
        if (args.length != 1 + 2 * OPTIONS.size()) {
            out.println(USAGE);
            return 2;
        }
        for (int i = 0; i < OPTIONS.size(); i++) {
            if (!args[1 + 2 * i].equals(OPTIONS.get(i))) {
                out.println(USAGE);
                return 2;
            }
        }
        try {
            final List<SupportColumn> columns = new ArrayList<>(List.of(emulated(out)));
            for (int i = 0; i < TITLES.size(); i++) {
                columns.add(SupportColumn.ofLines(TITLES.get(i), Files.readAllLines(Path.of(args[2 + 2 * i]))));
            }
            columns.add(documented());
            final SupportTable table = new SupportTable(columns);
            Files.writeString(Path.of(args[0]), table.markdown());
            out.println("written: " + args[0]);
            return 0;
        } catch (final IllegalArgumentException e) {
            out.println(e.getMessage());
            return 1;
        }
    }

    private static SupportColumn emulated(final PrintStream out) {
        final List<ConformanceResult> results = new ArrayList<>();
        final ConformanceEnv env = new ConformanceEnv("emulated:support", null, Effort.FULL, 1);
        try (ConformanceRunner runner = new ConformanceRunner(env)) {
            for (final ConformanceCase test : ConformanceSuite.cases()) {
                results.add(runner.run(test));
            }
        }
        out.println(Tally.of(EMULATED, results));
        return SupportColumn.ofRun(EMULATED, results);
    }

    /** What the driver makes of a device of which nothing is known but what the Linux driver implies. */
    static SupportColumn documented() {
        try (RdmaContext device = RdmaDevices.open(LIKE_ESXI)) {
            return SupportColumn.ofFeatures(DOCUMENTED, device);
        }
    }
}
