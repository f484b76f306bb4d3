/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A peer with memory of its own, and a QP in the domain of the regions that are tried. Each operation waits for its
 * completion and gives the status; after an error it goes on with new QPs.
 */
final class Traffic implements AutoCloseable {
    /** What the peer has. */
    static final int LENGTH = 64 * 1024;

    private static final int DEPTH = 16;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    final ProtectionDomain pd;
    final UnsafeBuffer bytes;
    private final ProtectionDomain peer;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final CompletionQueue hereCq;
    private final CompletionQueue thereCq;
    private QueuePair here;
    private QueuePair there;
    private WcStatus last;

    Traffic(final RdmaContext context) {
        pd = context.allocatePd();
        peer = context.allocatePd();
        memory = context.allocate(LENGTH);
        bytes = memory.buffer();
        region = peer.register(memory, AccessFlag.LOCAL_WRITE);
        hereCq = context.createCq(2 * DEPTH);
        thereCq = context.createCq(2 * DEPTH);
        connect();
    }

    private void connect() {
        here = pd.createQp(new QpOptions().cq(hereCq).maxSendWr(DEPTH).maxReceiveWr(DEPTH));
        there = peer.createQp(new QpOptions().cq(thereCq).maxSendWr(DEPTH).maxReceiveWr(DEPTH));
        final QpAttributes rights = new QpAttributes()
            .accessFlags(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
        QpConnector.connect(here, there.localAddress(), rights);
        QpConnector.connect(there, here.localAddress(), rights);
    }

    /** The peer writes the beginning of its memory. */
    WcStatus write(final long address, final int rkey, final int length) {
        return run(there, thereCq, new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(address, rkey)
            .sge(memory.address(), length, region.lkey()));
    }

    /** The peer reads to the beginning of its memory. */
    WcStatus read(final long address, final int rkey, final int length) {
        return run(there, thereCq, new SendRequest().opcode(SendOpcode.RDMA_READ).remote(address, rkey)
            .sge(memory.address(), length, region.lkey()));
    }

    /** The peer adds to a word; what was there comes to the beginning of its memory. */
    WcStatus add(final long address, final int rkey, final long increment) {
        return run(there, thereCq, new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).remote(address, rkey)
            .atomic(increment, 0).sge(memory.address(), Long.BYTES, region.lkey()));
    }

    /** Sends from the region that is tried to the beginning of the peer's memory. */
    WcStatus send(final long address, final int lkey, final int length) {
        posted(there.postReceive(1, memory.address(), LENGTH, region.lkey()));
        final WcStatus status = run(here, hereCq, new SendRequest().sge(address, length, lkey));
        return status == WcStatus.SUCCESS ? await(thereCq) : status;
    }

    /** The peer sends the beginning of its memory to the region that is tried. */
    WcStatus receive(final long address, final int lkey, final int length) {
        posted(here.postReceive(1, address, length, lkey));
        final WcStatus status =
            run(there, thereCq, new SendRequest().sge(memory.address(), length, region.lkey()));
        return status == WcStatus.SUCCESS ? await(hereCq) : status;
    }

    private WcStatus run(final QueuePair qp, final CompletionQueue cq, final SendRequest request) {
        posted(qp.postSend(request));
        final WcStatus status = await(cq);
        if (status != WcStatus.SUCCESS) {
            here.close();
            there.close();
            connect();
        }
        return status;
    }

    private static void posted(final int code) {
        if (code != 0) {
            throw new IllegalStateException("posting returned " + code);
        }
    }

    private WcStatus await(final CompletionQueue cq) {
        last = null;
        final long start = System.nanoTime();
        while (cq.poll(completion -> last = completion.status(), 1) == 0) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException("no completion came: " + cq.context().dump());
            }
            Thread.onSpinWait();
        }
        return last;
    }

    @Override
    public void close() {
        here.close();
        there.close();
        region.close();
        memory.close();
        hereCq.close();
        thereCq.close();
        peer.close();
        pd.close();
    }
}
