/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.RdmaContext;
import java.util.EnumSet;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of a connection through the fabric interfaces: numbered messages, and writes into the peer's memory. What can
 * wait until a message is gone waits, as in {@link LeanEndpoint}.
 */
final class FabricEnd extends FabricNode {
    private static final int BATCH = 8;
    private static final int RECEIVES = 4 * BATCH;
    private static final int POLL_LIMIT = 4;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int SEND_OFFSET = RECEIVES * LENGTH;
    private static final int INBOX_OFFSET = SEND_OFFSET + LENGTH;
    private static final long KEY = 0x77;

    private final MsgEndpoint endpoint;
    private final UnsafeBuffer memory;
    private long peerKey;
    private long peerBase;
    private long received = -1;
    private final int[] taken = new int[BATCH];
    private int takenCount;
    /** Sends of which no completion was seen. */
    private int underWay;

    FabricEnd(
        final RdmaContext context, final Patience patience, final boolean applicationKeys) {
        super(hints(context, applicationKeys ? EnumSet.of(MrMode.ALLOCATED)
            : EnumSet.of(MrMode.ALLOCATED, MrMode.PROV_KEY, MrMode.VIRT_ADDR)), patience, INBOX_OFFSET + LENGTH,
            access(KEY, MrAccess.SEND, MrAccess.RECV, MrAccess.WRITE, MrAccess.READ, MrAccess.REMOTE_WRITE,
                MrAccess.REMOTE_READ), 2 * RECEIVES, POLL_LIMIT);
        endpoint = domain.openEndpoint(
            new EndpointOptions().completionQueues(transmits, receives).sizes(RECEIVES, RECEIVES));
        memory = pinned.buffer();
    }

    private static Hints hints(final RdmaContext context, final EnumSet<MrMode> modes) {
        return new Hints().context(context).mrMode(modes).demand(modes).capabilities(Capability.MSG, Capability.RMA);
    }

    static void connect(final FabricEnd a, final FabricEnd b) {
        a.endpoint.connect(b.endpoint.name());
        b.endpoint.connect(a.endpoint.name());
        a.meet(b);
        b.meet(a);
    }

    private void meet(final FabricEnd peer) {
        peerKey = peer.region.key();
        peerBase = peer.region.base() + INBOX_OFFSET;
        for (int slot = 0; slot < RECEIVES; slot++) {
            postReceive(slot);
        }
    }

    private void postReceive(final int slot) {
        require(endpoint.receive(pinned.address() + (long) slot * LENGTH, LENGTH, region, slot));
    }

    void send(final long n) {
        memory.putLong(SEND_OFFSET, n);
        require(endpoint.send(pinned.address() + SEND_OFFSET, LENGTH, region, n));
        underWay++;
        tidy();
    }

    private void tidy() {
        while (underWay >= BATCH) {
            progressTransmits();
        }
        if (takenCount == BATCH) {
            for (final int slot : taken) {
                postReceive(slot);
            }
            takenCount = 0;
        }
    }

    void awaitMessage(final long n) {
        while (received != n) {
            progressReceives();
        }
    }

    void write(final long n) {
        memory.putLong(SEND_OFFSET, n);
        int code = -FiErrno.FI_EAGAIN;
        while (code == -FiErrno.FI_EAGAIN) {
            code = endpoint.write(pinned.address() + SEND_OFFSET, LENGTH, region, peerBase, peerKey, n);
            progressTransmits();
        }
        require(code);
    }

    void awaitMemory(final long n) {
        while (memory.getLongVolatile(INBOX_OFFSET) != n) {
            Thread.onSpinWait();
            checkPatience();
        }
    }

    @Override
    public void onCompletion(final CompletionEntry entry) {
        if (entry.isError()) {
            errno = entry.errno();
        } else if (entry.kind() == OperationKind.RECEIVE) {
            final int slot = (int) entry.context();
            received = memory.getLong(slot * LENGTH);
            taken[takenCount++] = slot;
        } else if (entry.kind() == OperationKind.SEND) {
            underWay--;
        }
    }

    @Override
    void closeEndpoint() {
        endpoint.close();
    }
}
