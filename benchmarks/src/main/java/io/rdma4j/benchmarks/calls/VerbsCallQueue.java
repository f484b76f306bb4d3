/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A queue pair of the library that the system property {@code rdma4j.ibv.library} names, connected to itself. */
@State(Scope.Thread)
public class VerbsCallQueue implements CompletionHandler {
    static final int DEPTH = 256;
    static final int BATCH = 16;

    private final SendRequest[] requests = new SendRequest[BATCH];
    private RdmaContext context;
    private CompletionQueue cq;
    private QueuePair qp;
    private long next;
    private long sum;

    /** For JMH. */
    public VerbsCallQueue() {
        // Set up below.
    }

    /** Opens the device and connects a queue pair to itself. */
    @Setup
    public void open() {
        context = RdmaDevices.open("ibv:");
        final ProtectionDomain pd = context.allocatePd();
        cq = context.createCq(DEPTH);
        qp = pd.createQp(new QpOptions().sendCq(cq).receiveCq(context.createCq(1)).maxSendWr(DEPTH).maxReceiveWr(1));
        QpConnector.connect(qp, qp.localAddress());
        for (int i = 0; i < BATCH; i++) {
            requests[i] = new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(0x10000, 8, 7).remote(1, 2).wrId(i);
        }
    }

    /** Closes the device. */
    @TearDown
    public void close() {
        context.close();
    }

    @Override
    public void onCompletion(final Completion completion) {
        sum += completion.wrId() + completion.status().ordinal() + completion.opcode().ordinal()
            + completion.byteLength() + completion.qpNumber();
    }

    /** An RDMA WRITE of one element. */
    final void post() {
        requests[0].wrId(next++);
        require(qp.postSend(requests[0]), 0);
    }

    /** Sixteen of them by one call. */
    final void postBatch() {
        requests[0].wrId(next++);
        require(qp.postSend(requests, BATCH), BATCH);
    }

    /** As many completions as there are, up to a limit; what they said. */
    final long poll(final int limit, final int expected) {
        require(cq.poll(this, limit), expected);
        return sum;
    }

    private static void require(final int code, final int expected) {
        if (code != expected) {
            throw new IllegalStateException("answered " + code + " instead of " + expected);
        }
    }

    /** Is empty before each invocation. */
    public static class Empty extends VerbsCallQueue {
        private boolean filled;

        /** For JMH. */
        public Empty() {
            // As the other.
        }

        /** Polls what the invocation before left. */
        @Setup(Level.Invocation)
        public void drain() {
            for (int i = 0; filled && i < DEPTH / BATCH; i++) {
                poll(BATCH, BATCH);
            }
            filled = true;
        }
    }

    /** Is full before each invocation. */
    public static class Full extends VerbsCallQueue {
        /** For JMH. */
        public Full() {
            // As the other.
        }

        /** Posts as much as the queue holds. */
        @Setup(Level.Invocation)
        public void fill() {
            for (int i = 0; i < DEPTH; i++) {
                post();
            }
        }
    }
}
