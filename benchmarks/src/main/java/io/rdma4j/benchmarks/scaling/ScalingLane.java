/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.benchmarks.harness.Completions;
import io.rdma4j.benchmarks.harness.Patience;
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

/** A connection for messages of any length, used by one thread: two pieces of memory and two queue pairs. */
final class ScalingLane {
    private static final AccessFlag[] RIGHTS = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE};
    private static final int QUEUE = 16;
    private static final int PAGE = 1 << 12;

    private final Completions completions;
    private final QueuePair sender;
    private final QueuePair receiver;
    private final UnsafeBuffer source;
    private final UnsafeBuffer target;
    private final MemoryRegion from;
    private final MemoryRegion to;
    private final SendRequest request = new SendRequest();

    /** Everything is closed with the context. */
    ScalingLane(final RdmaContext context, final long longest, final Patience patience) {
        final CompletionQueue cq = context.createCq(8 * QUEUE);
        completions = new Completions(cq, patience);
        final ProtectionDomain pd = context.allocatePd();
        sender = pd.createQp(new QpOptions().cq(cq).maxSendWr(QUEUE).maxReceiveWr(1));
        receiver = pd.createQp(new QpOptions().cq(cq).maxSendWr(1).maxReceiveWr(QUEUE));
        QpConnector.connect(sender, receiver.localAddress());
        QpConnector.connect(receiver, sender.localAddress(),
            new QpAttributes().accessFlags(Set.of(RIGHTS)));
        final PinnedMemory first = context.allocate(longest);
        final PinnedMemory second = context.allocate(longest);
        from = pd.register(first, RIGHTS);
        to = pd.register(second, RIGHTS);
        source = touched(first);
        target = touched(second);
        request.opcode(SendOpcode.RDMA_WRITE).flags(SendRequest.SIGNALED);
    }

    /** Not all one page of zeros. */
    private static UnsafeBuffer touched(final PinnedMemory memory) {
        final UnsafeBuffer buffer = memory.buffer();
        for (int at = 0; at < buffer.capacity() - Byte.BYTES; at += PAGE) {
            buffer.putByte(at, (byte) at);
        }
        return buffer;
    }

    void send(final long times, final int length) {
        for (long n = 0; n < times; n++) {
            require(receiver.postReceive(n, to.address(), length, to.lkey()), "receive");
            require(sender.postSend(n, from.address(), length, from.lkey()), "send");
            completions.await(2);
        }
    }

    void write(final long times, final int length) {
        request.sge(from.address(), length, from.lkey()).remote(to.address(), to.rkey());
        for (long n = 0; n < times; n++) {
            require(sender.postSend(request), "write");
            completions.await(1);
        }
    }

    void copy(final long times, final int length) {
        for (long n = 0; n < times; n++) {
            target.putBytes(0, source, 0, length);
        }
    }

    private static void require(final int code, final String operation) {
        if (code != ReturnCode.OK) {
            throw new IllegalStateException("post " + operation + ": " + ReturnCode.nameOf(code));
        }
    }
}
