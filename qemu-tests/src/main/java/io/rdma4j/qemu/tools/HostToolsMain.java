/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import io.rdma4j.qemu.guest.ResultWriter;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Runs all claims about status, bind and unbind in the guest, in one JVM; reports with {@link ResultWriter}. */
public final class HostToolsMain {
    private final ResultWriter results;

    private HostToolsMain(final ResultWriter results) {
        this.results = results;
    }

    /** One claim: returns what was seen, throws what was wrong. */
    private interface Claim {
        String check() throws IOException, InterruptedException;
    }

    /**
     * Entry point; the exit code is 1 if something failed.
     *
     * @param args none.
     * @throws IOException if results cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        final int failures;
        try (ResultWriter results = ResultWriter.open(System.out)) {
            new HostToolsMain(results).runAll();
            failures = results.failures();
        }
        if (failures > 0) {
            Runtime.getRuntime().exit(1);
        }
    }

    /** In an order in which each finds what those before it left. */
    private void runAll() throws IOException {
        final HostClaims claims = new HostClaims();
        run("findsTheDevices", claims::findDevices);
        run("statusOfAnUntouchedMachine", claims::untouched);
        run("refusesWhatIsNoRdmaDevice", claims::noRdmaDevice);
        run("bindsADeviceOfItsOwnGroup", claims::bindAlone);
        run("rollsBackWhenTheKernelRefuses", claims::rollBack);
        run("refusesAnActiveInterface", claims::activeInterface);
        run("tellsWhatElseTheGroupNeeds", claims::groupNeedsMore);
        run("bindsTheWholeGroup", claims::bindGroup);
        run("nobodyIsToldWhatToDo", claims::nobody);
        run("nobodyOpensWhatWasGivenToHim", claims::givenToNobody);
        run("refusesToUnbindWhatIsOpen", claims::open);
        run("forcedUnbindEndsThoughTheDeviceStaysOpen", claims::unbindWhileOpen);
        run("givesTheGroupBack", claims::unbindGroup);
        run("countsHugePages", claims::hugePages);
        run("saysModprobe", claims::modprobe);
    }

    private void run(final String name, final Claim claim) {
        final long start = System.nanoTime();
        try {
            final String seen = claim.check();
            results.pass(name, seen + " (" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms)");
        } catch (final IOException | RuntimeException e) {
            results.fail(name, e.toString());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            results.fail(name, "interrupted");
        }
    }
}
