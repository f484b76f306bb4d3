/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import io.rdma4j.qemu.guest.ResultWriter;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Runs all claims about Linux' SoftRoCE behind libibverbs, beside the conformance suite, in one JVM of the guest. */
public final class RxeMain {
    private final ResultWriter results;

    private RxeMain(final ResultWriter results) {
        this.results = results;
    }

    /** One claim: returns what was seen, throws what was wrong. */
    private interface Claim {
        String check() throws Exception;
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
            new RxeMain(results).runAll();
            failures = results.failures();
        }
        if (failures > 0) {
            Runtime.getRuntime().exit(1);
        }
    }

    /** In an order in which each finds what those before it left. */
    private void runAll() {
        run("twoProcessesExchangeReliableMessages", () -> RxeFabricClaims.pingPong("rdm"));
        run("twoProcessesExchangeConnectedMessages", () -> RxeFabricClaims.pingPong("msg"));
        run("twoProcessesExchangeDatagrams", () -> RxeFabricClaims.pingPong("dgram"));
        run("twoProcessesUseEachOthersMemory", RxeFabricClaims::remoteMemory);
        run("ibvRcPingpongIsTheOtherEnd", () -> RxePeerClaims.pingPong(false));
        run("ibvUdPingpongIsTheOtherEnd", () -> RxePeerClaims.pingPong(true));
        run("ibSendLatIsTheOtherEnd", () -> RxePeerClaims.perftest("send_lat", 5001));
        run("ibWriteLatIsTheOtherEnd", () -> RxePeerClaims.perftest("write_lat", 5001));
        run("ibReadLatIsTheOtherEnd", () -> RxePeerClaims.perftest("read_lat", 5001));
        run("ibAtomicLatIsTheOtherEnd", () -> RxePeerClaims.perftest("atomic_lat", 8));
        run("ibSendBwIsTheOtherEnd", () -> RxePeerClaims.perftest("send_bw", 5001));
        run("ibWriteBwIsTheOtherEnd", () -> RxePeerClaims.perftest("write_bw", 5001));
        run("ibReadBwIsTheOtherEnd", () -> RxePeerClaims.perftest("read_bw", 5001));
        run("unknownName", RxeBadInputClaims::unknownName);
        run("gidThatIsNotThere", RxeBadInputClaims::gidThatIsNotThere);
        run("emptyGidIndex", RxeBadInputClaims::emptyGidIndex);
        run("whatTheDeviceLacks", RxeBadInputClaims::lacks);
        run("noRights", RxeBadInputClaims::noRights);
        run("littleMemoryToLock", RxeBadInputClaims::littleMemory);
        run("portThatIsDown", RxeBadInputClaims::portDown);
        run("sharedReceiveThatWasBegunIsFlushed", RxeGoneClaims::begunReceive);
        run("deviceThatGoesAway", RxeGoneClaims::gone);
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // Whatever it is, it is the claim's, and the next one is to run.
    private void run(final String name, final Claim claim) {
        final long start = System.nanoTime();
        try {
            final String seen = claim.check();
            results.pass(name, seen + " (" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms)");
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            results.fail(name, "interrupted");
        } catch (final Exception | AssertionError e) {
            results.fail(name, (e + " at " + (e.getStackTrace().length > 0 ? e.getStackTrace()[0] : "?"))
                .replaceAll("\\R", " | "));
        }
    }
}
