/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.WcStatus;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * Takes registered memory away under traffic, again and again. A process of its own, as what is to be shown is that it
 * survives. Prints what it has seen.
 */
public final class PulledMemoryMain {
    private static final int PAGES = 4;

    private final RdmaContext context = RdmaDevices.open("emulated:pulled");
    private final Reach reach = new Reach(context, context.allocatePd());
    private volatile Throwable failure;
    private volatile boolean over;
    private long good;
    private long refused;

    private PulledMemoryMain() {
    }

    /**
     * Entry point.
     *
     * @param args how many rounds.
     * @throws InterruptedException if it is interrupted.
     */
    public static void main(final String[] args) throws InterruptedException {
        new PulledMemoryMain().run(Integer.parseInt(args[0]));
    }

    private void run(final int rounds) throws InterruptedException {
        for (int round = 0; round < rounds && failure == null; round++) {
            round(round);
        }
        if (failure != null) {
            System.out.println(failure + " at " + Arrays.toString(failure.getStackTrace()));
        }
        System.out.printf("rounds %d, good %s, refused %s%n", rounds, good > 0, refused > 0);
        context.close();
    }

    private void round(final int round) throws InterruptedException {
        try (Range range = Range.of(PAGES)) {
            if (round % 4 == 3) {
                range.share(0, PAGES, -1);
            }
            try (MemoryRegion region = reach.pd().register(range.address, range.length, LOCAL_WRITE, REMOTE_READ,
                REMOTE_WRITE)) {
                final CountDownLatch running = new CountDownLatch(1);
                over = false;
                final Thread traffic = new Thread(() -> traffic(region, running, round), "traffic");
                traffic.start();
                running.await();
                pull(range, round);
                over = true;
                traffic.join();
            }
        }
    }

    private static void pull(final Range range, final int round) {
        switch (round % 4) {
            case 0:
            case 3:
                range.unmap(0, PAGES);
                break;
            case 1:
                range.protect(0, PAGES, LibcConstants.PROT_NONE);
                break;
            default:
                range.unmap(1, 1);
                range.map(1, 1);
                break;
        }
    }

    private void traffic(final MemoryRegion region, final CountDownLatch running, final int round) {
        try {
            for (int turn = 0; turn == 0 || !over; turn++) {
                count(transfer(region, turn + round));
                running.countDown();
            }
            count(transfer(region, round));
        } catch (final RuntimeException | Error e) {
            failure = e;
        } finally {
            running.countDown();
        }
    }

    private WcStatus transfer(final MemoryRegion region, final int turn) {
        final int length = turn % 2 == 0 ? 64 : PAGES * Range.PAGE;
        return switch (turn % 5) {
            case 0 -> reach.write(region.iova(), region.rkey(), length, turn);
            case 1 -> reach.read(region.iova(), region.rkey(), length);
            case 2 -> reach.send(region.iova(), length, region.lkey());
            case 3 -> reach.sendInto(region.iova(), length, region.lkey(), turn);
            default -> reach.readInto(region.iova(), length, region.lkey(), turn);
        };
    }

    private void count(final WcStatus status) {
        if (status == WcStatus.SUCCESS) {
            good++;
        } else {
            refused++;
        }
    }
}
