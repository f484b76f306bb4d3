/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import static io.rdma4j.qemu.tools.CommandLines.system;
import static io.rdma4j.qemu.tools.RxeFabricClaims.DEVICE;

import io.rdma4j.RdmaException;
import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.leftovers.Traffic;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A device that goes away while it is used, and a receive that a queue pair leaves behind when it goes. */
final class RxeGoneClaims {
    private static final Path UVERBS = Path.of("/sys/class/infiniband_verbs/uverbs0");
    private static final Duration WAIT = Duration.ofSeconds(5);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int MESSAGES = 50;
    private static final int PART = 8192;
    private static final int RECEIVES = 8;

    private RxeGoneClaims() {
    }

    private static <T> FutureTask<T> start(final Callable<T> body) {
        final FutureTask<T> task = new FutureTask<>(body);
        final Thread thread = new Thread(task, "waiter");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static boolean await(final BooleanSupplier condition) throws InterruptedException {
        final long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return condition.getAsBoolean();
    }

    private static void require(final boolean holds, final String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    static String gone() throws Exception {
        final StringBuilder seen = new StringBuilder();
        final Process deletion;
        try (RdmaContext context = RdmaDevices.open(DEVICE)) {
            final Traffic traffic = new Traffic(context);
            traffic.exchange();
            final CompletionQueue quiet = context.createCq(16);
            deletion = new ProcessBuilder("rdma", "link", "delete", FabricGuest.IBDEV).inheritIO().start();
            require(await(() -> !Files.exists(UVERBS) || !deletion.isAlive()), "the device does not go");
            final FutureTask<Boolean> completion = start(() -> quiet.awaitEvent(WAIT));
            final FutureTask<Boolean> event = start(() -> context.awaitAsyncEvent(WAIT) != null);
            seen.append("link delete ").append(deletion.isAlive() ? "waits" : "ended").append("; traffic ")
                .append(outcome(() -> {
                    for (int i = 0; i < MESSAGES; i++) {
                        traffic.exchange();
                    }
                }));
            seen.append("; allocate PD ").append(outcome(() -> context.allocatePd().close()));
            seen.append("; open ").append(outcome(() -> RdmaDevices.open(DEVICE).close()));
            require(seen.indexOf("this machine has no RDMA device") > 0, seen.toString());
            seen.append("; completion event ").append(completion.get(60, TimeUnit.SECONDS));
            seen.append("; asynchronous event ").append(event.get(60, TimeUnit.SECONDS));
            seen.append("; ").append(context.isFailed() ? context.failure() : "it works on");
        }
        require(deletion.waitFor(60, TimeUnit.SECONDS), "the link is not deleted: " + seen);
        require(deletion.exitValue() == 0, "rdma link delete ended with " + deletion.exitValue());
        again();
        return seen.toString();
    }

    private static String outcome(final Runnable action) {
        try {
            action.run();
            return "works";
        } catch (final RdmaException | IllegalStateException e) {
            return e.getMessage();
        }
    }

    private static void again() throws IOException, InterruptedException {
        system("rdma link add " + FabricGuest.IBDEV + " type rxe netdev " + FabricGuest.NETDEV).require(0);
        require(await(() -> {
            try (RdmaContext context = RdmaDevices.open(DEVICE)) {
                return !context.queryGid(1, 0).isZero() && context.queryGid(1, 0).isIpv4Mapped();
            } catch (final RdmaException e) {
                return false;
            }
        }), "the device does not come back");
        try (RdmaContext context = RdmaDevices.open(DEVICE)) {
            new Traffic(context).exchange();
        }
    }

    /** A message that ends in the middle: the receive that was begun is flushed in the error state, and not lost. */
    static String begunReceive() throws Exception {
        final int drained = places(true);
        require(drained == RECEIVES, drained + " of " + RECEIVES + " places are free");
        return "error state first: " + drained + " of " + RECEIVES + " places; closed at once: " + places(false);
    }

    private static int places(final boolean drained) throws Exception {
        try (RdmaContext context = RdmaDevices.open(DEVICE)) {
            final ProtectionDomain pd = context.allocatePd();
            final CompletionQueue cq = context.createCq(256);
            final PinnedMemory memory = context.allocate(4L * PART);
            final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
            final SharedReceiveQueue srq = pd.createSrq(RECEIVES, 1);
            final QueuePair from =
                pd.createQp(new QpOptions().cq(cq).maxSendWr(8).maxSendSge(2).maxReceiveWr(8));
            final QueuePair to = pd.createQp(new QpOptions().cq(cq).maxSendWr(8).srq(srq));
            QpConnector.connect(from, to.localAddress());
            QpConnector.connect(to, from.localAddress());
            final long target = memory.address() + 2L * PART;
            require(srq.postReceive(1, target, 2 * PART, region.lkey()) == 0, "no receive");
            memory.buffer().putByte(0, (byte) 1);
            final List<String> completions = new ArrayList<>();
            // The device finds the second part in no region when the first one is under way.
            require(from.postSend(new SendRequest(2).wrId(2).addSge(memory.address(), PART, region.lkey())
                .addSge(memory.address(), PART, ~region.lkey())) == 0, "no send");
            awaitCompletion(cq, completions, "2 LOC_");
            require(await(() -> memory.buffer().getByte(2 * PART) == 1), "nothing comes");
            if (drained) {
                to.modify(QpAttributes.to(QpState.ERR));
                awaitCompletion(cq, completions, "1 WR_FLUSH_ERR");
            }
            to.close();
            cq.poll(c -> completions.add(c.wrId() + " " + c.status()), 16);
            int free = 0;
            while (free <= RECEIVES && srq.postReceive(3, target, 1, region.lkey()) == 0) {
                free++;
            }
            return free;
        }
    }

    private static void awaitCompletion(final CompletionQueue cq, final List<String> seen, final String expected)
        throws InterruptedException {
        require(await(() -> {
            cq.poll(c -> seen.add(c.wrId() + " " + c.status()), 16);
            return seen.toString().contains(expected);
        }), expected + " does not come, but " + seen);
    }
}
