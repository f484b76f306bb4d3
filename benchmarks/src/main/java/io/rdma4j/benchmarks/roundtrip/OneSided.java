/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Completions;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.queues.Padded;
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
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of a connection that reaches into the other's memory: a queue pair and two messages' worth of memory, one for
 * own use and one for the peer's, each with two cache lines to itself.
 */
final class OneSided extends Padded {
    /** Every so many WRITEs one makes a completion, which gives back the room of those before. */
    private static final int SIGNALED = 16;
    private static final int QUEUE = 4 * SIGNALED;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int MARK = LENGTH - Long.BYTES;
    private static final int LENT = 256;
    private static final AccessFlag[] RIGHTS = {
        AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC};

    private final Patience patience;
    private final Completions completions;
    private final QueuePair qp;
    private final UnsafeBuffer memory;
    private final MemoryRegion region;
    private final SendRequest request = new SendRequest();
    private int unsignaled;

    /** Everything is closed with the context. */
    OneSided(final RdmaContext context, final Patience patience) {
        this.patience = patience;
        final CompletionQueue cq = context.createCq(2 * QUEUE);
        completions = new Completions(cq, patience);
        final ProtectionDomain pd = context.allocatePd();
        qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(QUEUE).maxReceiveWr(1));
        final PinnedMemory pinned = context.allocate(2 * LENT);
        region = pd.register(pinned, RIGHTS);
        memory = pinned.buffer();
    }

    static void connect(final OneSided one, final OneSided other) {
        one.connect(other, other.qp);
        other.connect(one, one.qp);
    }

    private void connect(final OneSided peer, final QueuePair peerQp) {
        QpConnector.connect(qp, peerQp.localAddress(),
            new QpAttributes().accessFlags(Set.of(RIGHTS)));
        request.sge(region.address(), LENGTH, region.lkey()).remote(peer.region.address() + LENT, peer.region.rkey());
    }

    /** Writes message n into the peer's memory. */
    void write(final long n) {
        memory.putLong(MARK, n);
        final boolean signaled = ++unsignaled == SIGNALED;
        post(request.opcode(SendOpcode.RDMA_WRITE).flags(signaled ? SendRequest.SIGNALED : 0));
        if (signaled) {
            unsignaled = 0;
            completions.await(1);
        }
    }

    /** Looks at the memory that is for the peer until message n is there. */
    void await(final long n) {
        while (memory.getLongAcquire(LENT + MARK) != n) {
            patience.check();
        }
    }

    /** Puts message n where the peer reads. */
    void lend(final long n) {
        memory.putLongRelease(LENT + MARK, n);
    }

    /** Reads the peer's message, and checks that it is number n. */
    void read(final long n) {
        post(request.opcode(SendOpcode.RDMA_READ).flags(SendRequest.SIGNALED));
        completions.await(1);
        require(memory.getLong(MARK), n, "READ");
    }

    /** Swaps the peer's word, and checks what it was. */
    void compareAndSwap(final long expected, final long next) {
        post(request.opcode(SendOpcode.ATOMIC_CMP_AND_SWP).flags(SendRequest.SIGNALED)
            .sge(region.address(), Long.BYTES, region.lkey()).atomic(expected, next));
        completions.await(1);
        require(memory.getLong(0), expected, "compare-and-swap");
    }

    private static void require(final long value, final long expected, final String operation) {
        if (value != expected) {
            throw new IllegalStateException(operation + " brought " + value + " instead of " + expected);
        }
    }

    private void post(final SendRequest what) {
        final int code = qp.postSend(what);
        if (code != ReturnCode.OK) {
            throw new IllegalStateException("post " + what.opcode() + ": " + ReturnCode.nameOf(code));
        }
    }
}
