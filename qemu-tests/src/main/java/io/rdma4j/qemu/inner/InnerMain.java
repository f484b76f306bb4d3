/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.qemu.guest.BuiltModules;
import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.ResultLine;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Makes what an inner guest boots from, boots the fabric guest and, in it, the inner one. Exit code: 0 if nothing
 * failed, else 1.
 */
public final class InnerMain {
    private static final String USAGE = String.join(System.lineSeparator(),
        "usage: run-guest.sh --inner [--without-iommu] [--shell | --stages STAGE,...] [ARGUMENT OF THE CONFORMANCE "
            + "SUITE...]",
        "  runs the conformance suite and the scenarios on vfio: in the inner guest",
        "  --shell     runs nothing, and keeps the guest for people: docs/qemu.md says how to get in",
        "  --without-iommu  on a machine that has none, with modules of VFIO that can do without",
        "  --stages    of " + InnerSuiteMain.STAGES + "; without an IOMMU of " + InnerSuiteMain.STAGES_WITHOUT_IOMMU);
    /** Why there are no modules that can do without an IOMMU. */
    public static final String NO_MODULES = "the package archive cannot be reached, or has no headers and source of "
        + "the kernel in the cache any more: VFIO's modules cannot be built. Run: sudo apt-get update; or delete the "
        + "folder kernel-small of the cache, to get a newer kernel";
    private static final Duration LONGEST = Duration.ofMinutes(55);

    private InnerMain() {
    }

    /**
     * Entry point.
     *
     * @param args see the usage text.
     */
    public static void main(final String[] args) {
        final int status = run(new ArrayList<>(List.of(args)), System.out, System.err);
        if (status != 0) {
            Runtime.getRuntime().exit(status);
        }
    }

    static int run(final List<String> arguments, final PrintStream out, final PrintStream err) {
        if (arguments.remove("--shell")) {
            System.setProperty(InnerSuiteMain.STAGES_PROPERTY, InnerSuiteMain.WAIT);
        }
        final boolean withoutIommu = arguments.remove("--without-iommu");
        final int stages = arguments.indexOf("--stages");
        if (arguments.contains("--help") || stages == arguments.size() - 1 && stages >= 0) {
            err.println(USAGE);
            return 2;
        }
        if (stages >= 0) {
            arguments.remove(stages);
            System.setProperty(InnerSuiteMain.STAGES_PROPERTY, arguments.remove(stages));
        }
        try {
            final GuestResult result = withoutIommu
                ? run("noiommu-by-hand", modules().orElseThrow(() -> new GuestException(NO_MODULES)), out, arguments)
                : run("vfio-by-hand", out, arguments);
            out.println(result.summary());
            return result.exitCode();
        } catch (final GuestException e) {
            err.println(e.getMessage());
            return 1;
        }
    }

    /**
     * Does all of it; once more if nothing failed but the inner guest's QEMU, which crashed, or hangs with an IOMMU:
     * no driver should be able to bring that about.
     *
     * @param name      of the fabric guest; the image is kept beside its folder while it is needed.
     * @param progress  gets a line for each stage.
     * @param arguments further ones for the conformance suite.
     * @return what {@link InnerSuiteMain} reported.
     * @throws GuestException if a guest cannot be had; shows its console.
     */
    public static GuestResult run(final String name, final PrintStream progress, final List<String> arguments) {
        return run(name, null, progress, arguments);
    }

    /**
     * VFIO's modules that can do without an IOMMU.
     *
     * @return their folder; empty for the reason {@link #NO_MODULES}.
     * @throws GuestException if they cannot be built.
     */
    public static Optional<Path> modules() {
        return BuiltModules.VFIO_WITHOUT_IOMMU.prepare(GuestContext.defaultCache(), InnerImage.sourceKernel());
    }

    /**
     * The same on a machine without an IOMMU.
     *
     * @param name      as above.
     * @param modules   as {@link #modules()} gives them; null for a machine that has an IOMMU.
     * @param progress  as above.
     * @param arguments as above.
     * @return what {@link InnerSuiteMain} reported.
     * @throws GuestException as above.
     */
    public static GuestResult run(
        final String name, final Path modules, final PrintStream progress, final List<String> arguments) {
        final Path image = Path.of(System.getProperty(GuestContext.OUTPUT_PROPERTY, "target/qemu"), name + "-image")
            .toAbsolutePath();
        try (InnerImage made = InnerImage.make(image, modules, progress);
            FabricGuest guest = FabricGuest.boot(new GuestContext().name(name).progress(progress)
                .commandTimeout(LONGEST))) {
            final List<String> command = new ArrayList<>(
                List.of(InnerSuiteMain.class.getName(), made.folder().toString()));
            command.addAll(arguments);
            return again(() -> guest.run(command), name, progress);
        }
    }

    /** Each attempt leaves a folder of its own. */
    static GuestResult again(final Supplier<GuestResult> attempt, final String name, final PrintStream progress) {
        final GuestResult first = attempt.get();
        final List<ResultLine> failed = first.failed();
        if (failed.size() != 1 || !failed.get(0).name().equals(InnerSuiteMain.LOST)) {
            return first;
        }
        progress.println(GuestResult.RETRIED + name + ": " + failed.get(0).message().replaceAll("\\s+", " "));
        return attempt.get();
    }
}
