/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package demo;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;

/** Sends ticks from one queue pair to another, over the device that is named, else the emulated one. */
public final class Ticker {
    private static final int TICKS = 1000;
    private static final int FROM = 0;
    private static final int TO = 2048;

    private Ticker() {
    }

    /**
     * Runs it.
     *
     * @param args the address of a device, or none.
     */
    public static void main(final String[] args) {
        try (RdmaContext context = RdmaDevices.open(args.length == 0 ? RdmaDevices.DEFAULT_ADDRESS : args[0]);
             ProtectionDomain pd = context.allocatePd();
             PinnedMemory memory = context.allocate(4096);
             MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
             CompletionQueue cq = context.createCq(512);
             QueuePair exchange = pd.createQp(new QpOptions().cq(cq));
             QueuePair desk = pd.createQp(new QpOptions().cq(cq))) {
            QpConnector.connect(exchange, desk.localAddress());
            QpConnector.connect(desk, exchange.localAddress());
            final CompletionWaiter waiter = CompletionWaiter.yielding(cq);
            long sum = 0;
            for (int tick = 1; tick <= TICKS; tick++) {
                memory.buffer().putLong(FROM, tick);
                require(desk.postReceive(tick, memory.address() + TO, Long.BYTES, region.lkey()));
                require(exchange.postSend(tick, memory.address() + FROM, Long.BYTES, region.lkey()));
                awaitBoth(waiter);
                sum += memory.buffer().getLong(TO);
            }
            System.out.println(TICKS + " ticks, sum " + sum);
        }
    }

    private static void require(final int code) {
        if (code < 0) {
            throw new IllegalStateException("refused: " + ReturnCode.nameOf(code));
        }
    }

    /** The send and the receive. */
    private static void awaitBoth(final CompletionWaiter waiter) {
        for (int done = 0; done < 2;) {
            final int taken = waiter.await(completion -> {
                if (completion.status() != WcStatus.SUCCESS) {
                    throw new IllegalStateException(completion.toString());
                }
            }, 2, Duration.ofSeconds(5));
            require(taken);
            if (taken == 0) {
                throw new IllegalStateException("no completion in five seconds");
            }
            done += taken;
        }
    }
}
