/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.SocketPair;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

/** What carries many messages, and needs RDMA WRITE where it goes through a device. */
enum FlowKind {
    COPY("`UnsafeBuffer.putBytes`", 1, false),
    RING("Agrona one-to-one ring", 2, false),
    AERON("Aeron IPC", 2, false),
    TCP("Java NIO, TCP over loopback", 2, false),
    SEND("RC SEND", 2, true),
    SEND_ALONE("RC SEND, one thread at both ends", 1, true),
    WRITE("RDMA WRITE, nobody looks", 1, true),
    WRITE_WATCHED("RDMA WRITE, the other thread takes each from its memory", 2, true),
    WRITE_BOTH("RDMA WRITE, both threads write, nobody looks", 2, true);

    private final String title;
    private final int threads;
    private final boolean device;

    FlowKind(final String title, final int threads, final boolean device) {
        this.title = title;
        this.threads = threads;
        this.device = device;
    }

    String title() {
        return title;
    }

    int threads() {
        return threads;
    }

    boolean needsDevice() {
        return device;
    }

    boolean isPossible(final RdmaContext context) {
        return !device || context.supports(Feature.RDMA_WRITE) && context.supports(Feature.UNSIGNALED);
    }

    Flow open(final RdmaContext context, final Patience patience, final Flow.Shape shape) {
        switch (this) {
            case COPY:
                return new CopyFlow(context, shape);
            case RING:
                return new RingFlow(patience, shape);
            case AERON:
                return new AeronFlow(patience, shape);
            case TCP:
                return new SocketFlow(SocketPair.tcp(patience), shape);
            case SEND:
            case SEND_ALONE:
                return new SendFlow(context, patience, shape, this == SEND_ALONE);
            case WRITE:
            case WRITE_WATCHED:
                return new WriteFlow(context, patience, shape, this == WRITE_WATCHED);
            default:
                return new TwoWayFlow(new WriteFlow(context, patience, shape, false),
                    new WriteFlow(context, patience, shape, false));
        }
    }
}
