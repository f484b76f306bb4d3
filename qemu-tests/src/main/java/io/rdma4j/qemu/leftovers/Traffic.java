/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.leftovers;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.concurrent.TimeUnit;

/** Two connected queue pairs on one device, with all that they need, and messages from one to the other. */
public final class Traffic {
    private static final int MESSAGE = 64;
    private static final int WRS = 16;
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final CompletionQueue cq;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final QueuePair from;
    private final QueuePair to;
    private int sent;
    private int received;

    /**
     * Makes and connects them.
     *
     * @param context the device; its closing closes them.
     */
    public Traffic(final RdmaContext context) {
        final ProtectionDomain pd = context.allocatePd();
        cq = context.createCq(4 * WRS);
        memory = context.allocate(2 * MESSAGE);
        region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        from = pd.createQp(new QpOptions().cq(cq).maxSendWr(WRS).maxReceiveWr(WRS));
        to = pd.createQp(new QpOptions().cq(cq).maxSendWr(WRS).maxReceiveWr(WRS));
        QpConnector.connect(from, to.localAddress());
        QpConnector.connect(to, from.localAddress());
    }

    /**
     * Objects of the device that this has: PD, CQ, region, two QPs.
     *
     * @return their number.
     */
    public static int objects() {
        return 5;
    }

    /**
     * Sends a message and waits for both of its completions.
     *
     * @throws IllegalStateException if it does not arrive, or not as it was sent.
     */
    public void exchange() {
        final int expected = received + 1;
        memory.buffer().putInt(0, expected);
        requireOk(to.postReceive(expected, memory.address() + MESSAGE, MESSAGE, region.lkey()));
        requireOk(from.postSend(expected, memory.address(), MESSAGE, region.lkey()));
        final long deadline = System.nanoTime() + DEADLINE_NANOS;
        while ((sent < expected || received < expected) && System.nanoTime() < deadline) {
            cq.poll(completion -> {
                if (completion.status() != WcStatus.SUCCESS) {
                    throw new IllegalStateException("message " + expected + ": " + completion.status());
                }
                if (completion.opcode() == WcOpcode.RECV) {
                    received++;
                } else {
                    sent++;
                }
            }, WRS);
        }
        final int seen = memory.buffer().getInt(MESSAGE);
        if (sent != expected || received != expected || seen != expected) {
            throw new IllegalStateException(String.format(
                "message %d: %d sent, %d received, the last one is %d", expected, sent, received, seen));
        }
    }

    private static void requireOk(final int code) {
        if (code != ReturnCode.OK) {
            throw new IllegalStateException("posting failed: " + ReturnCode.nameOf(code));
        }
    }

    /**
     * Makes one of each and closes it again, for ever.
     *
     * @param context the device.
     */
    public static void churn(final RdmaContext context) {
        while (true) {
            try (ProtectionDomain pd = context.allocatePd();
                CompletionQueue queue = context.createCq(2 * WRS);
                PinnedMemory bytes = context.allocate(MESSAGE);
                MemoryRegion area = pd.register(bytes, AccessFlag.LOCAL_WRITE);
                QueuePair qp = pd.createQp(new QpOptions().cq(queue).maxSendWr(WRS).maxReceiveWr(WRS))) {
                if (qp.isClosed() || area.isClosed()) {
                    throw RdmaException.of("churn").detail("closed by somebody else").build();
                }
            }
        }
    }
}
