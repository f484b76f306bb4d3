/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WindowType;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A few objects on a device, so that there is something to see: a PD, a region, a CQ, a shared receive queue, and two
 * connected QPs, of which the first one has requests that are completed, completed and not yet polled, and pending.
 * What a device cannot do is left out. They are the device's, and are closed with it. For one thread.
 */
public final class Sample implements AutoCloseable {
    private static final int PAGES = 4;
    private static final int PAGE = 4096;
    private static final int MESSAGE = 64;
    private static final int DEPTH = 8;
    private static final int POLLED = 2;
    private static final int UNPOLLED = 2;
    private static final int PENDING = 2;
    private static final int IMM = 0x1dea;
    /** For devices that are emulated by something that is emulated itself. */
    private static final long POLL_SECONDS = 60;
    private static final long NAP_NANOS = 100_000;

    private final RdmaContext context;
    private final ProtectionDomain pd;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final CompletionQueue cq;
    private final SharedReceiveQueue srq;
    private final QueuePair near;
    private final QueuePair far;

    private Sample(final RdmaContext context) {
        this.context = context;
        pd = context.allocatePd();
        memory = context.allocate((long) PAGES * PAGE);
        region = pd.register(memory, rights());
        cq = context.createCq(4 * DEPTH);
        srq = context.attributes().maxSrq() > 0 ? pd.createSrq(DEPTH, 1) : null;
        near = pd.createQp(new QpOptions().cq(cq).maxSendWr(DEPTH).maxReceiveWr(DEPTH).maxSendSge(2));
        far = pd.createQp(new QpOptions().cq(cq).srq(srq).maxSendWr(DEPTH).maxReceiveWr(DEPTH));
    }

    private AccessFlag[] rights() {
        return context.supports(Feature.RDMA_WRITE)
            ? new AccessFlag[] {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ}
            : new AccessFlag[] {AccessFlag.LOCAL_WRITE};
    }

    /**
     * Makes them.
     *
     * @param context where.
     * @return what keeps them.
     * @throws io.rdma4j.RdmaException if the device refuses one.
     */
    public static Sample make(final RdmaContext context) {
        final Sample sample = new Sample(context);
        sample.connect();
        sample.fill();
        return sample;
    }

    private void connect() {
        final Mtu mtu = context.queryPort(1).activeMtu();
        QpConnector.connect(far, near.localAddress(), attributes(mtu));
        QpConnector.connect(near, far.localAddress(), attributes(mtu));
        pd.createAh(AhAttributes.to(far.localAddress().gid()));
        if (context.supports(WindowType.TYPE_2.feature())) {
            pd.allocateWindow(WindowType.TYPE_2);
        }
    }

    private QpAttributes attributes(final Mtu mtu) {
        return new QpAttributes().pathMtu(mtu).accessFlags(Set.of(rights()));
    }

    private void fill() {
        for (int i = 0; i < DEPTH - 2; i++) {
            receive(i);
        }
        for (int i = 0; i < POLLED; i++) {
            check(near.postSend(send(i)), "post send");
        }
        poll(2 * POLLED);
        for (int i = 0; i < UNPOLLED; i++) {
            check(near.postSend(unpolled(i)), "post send");
        }
        stop();
    }

    private void receive(final int i) {
        final long address = memory.address() + PAGE + (long) i * MESSAGE;
        check(near.postReceive(i, address, MESSAGE, region.lkey()), "post receive");
        check(srq == null ? far.postReceive(i, address + PAGE, MESSAGE, region.lkey())
            : srq.postReceive(i, address + PAGE, MESSAGE, region.lkey()), "post receive");
    }

    private SendRequest send(final int i) {
        return new SendRequest(2).wrId(i).addSge(memory.address() + (long) i * MESSAGE, MESSAGE / 2, region.lkey())
            .addSge(memory.address() + PAGE - MESSAGE, MESSAGE / 2, region.lkey());
    }

    private SendRequest unpolled(final int i) {
        if (i == 0 || !context.supports(Feature.RDMA_WRITE)) {
            return send(POLLED + i);
        }
        return send(POLLED + i).opcode(SendOpcode.RDMA_WRITE_WITH_IMM).immData(IMM)
            .remote(memory.address() + 3L * PAGE, region.rkey());
    }

    /** Requests that are posted now are left for later: the send queue is drained (SQD). */
    private void stop() {
        try {
            near.modify(QpAttributes.to(QpState.SQD));
        } catch (final RdmaException e) {
            // A device that cannot do that has no pending sends to show.
            return;
        }
        for (int i = 0; i < PENDING; i++) {
            check(near.postSend(send(POLLED + UNPOLLED + i)), "post send");
        }
    }

    private void poll(final int wanted) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(POLL_SECONDS);
        int polled = 0;
        while (polled < wanted) {
            final int found = cq.poll(completion -> { }, wanted - polled);
            check(found, "poll");
            polled += found;
            if (polled < wanted && System.nanoTime() - deadline > 0) {
                throw failure("poll", polled + " of " + wanted + " completions came within " + POLL_SECONDS + " s");
            }
            if (found == 0) {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }

    private void check(final int code, final String operation) {
        if (code < 0) {
            throw failure(operation, "returned " + ReturnCode.nameOf(code));
        }
    }

    private RdmaException failure(final String operation, final String detail) {
        return RdmaException.of(operation + " for --sample").device(context.address()).object(near)
            .detail("%s", detail).errno(RdmaException.EIO).build();
    }

    /** Lets go of them. */
    @Override
    public void close() {
        // The device closes its objects.
    }
}
