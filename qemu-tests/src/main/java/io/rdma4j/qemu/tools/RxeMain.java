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
     * @param args none; or the address of an emulated device at the other end of the cable: then other projects'
     *             programs play with that one, and nothing else is tried.
     * @throws IOException if results cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        final int failures;
        try (ResultWriter results = ResultWriter.open(System.out)) {
            final RxeMain main = new RxeMain(results);
            if (args.length == 0) {
                main.runAll();
            } else {
                main.runPeers(RxePeerClaims.overTheCable(args[0]));
            }
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
        // Over the cable they say the same, and more.
        if (Boolean.getBoolean("rdma4j.tests.long")) {
            runPeers(RxePeerClaims.onTheSameDevice());
        }
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

    private void runPeers(final RxePeerClaims peers) {
        run("ibvRcPingpongIsTheOtherEnd", () -> peers.pingPong(false));
        run("ibvUdPingpongIsTheOtherEnd", () -> peers.pingPong(true));
        run("ibSendLatIsTheOtherEnd", () -> peers.perftest("send_lat", 5001));
        run("ibWriteLatIsTheOtherEnd", () -> peers.perftest("write_lat", 5001));
        run("ibReadLatIsTheOtherEnd", () -> peers.perftest("read_lat", 5001));
        run("ibAtomicLatIsTheOtherEnd", () -> peers.perftest("atomic_lat", 8));
        run("ibSendBwIsTheOtherEnd", () -> peers.perftest("send_bw", 5001));
        run("ibWriteBwIsTheOtherEnd", () -> peers.perftest("write_bw", 5001));
        run("ibReadBwIsTheOtherEnd", () -> peers.perftest("read_bw", 5001));
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
