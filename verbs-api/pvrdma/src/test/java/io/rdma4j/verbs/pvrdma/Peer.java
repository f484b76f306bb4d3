/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;


import org.agrona.concurrent.UnsafeBuffer;

/** One end of a connection, with 64 KiB of memory to send from and receive into. */
final class Peer {
    static final int LENGTH = 64 * 1024;
    static final int QKEY = 0x1234;

    final RdmaContext context;
    final ProtectionDomain pd;
    final CompletionQueue cq;
    final PinnedMemory memory;
    final MemoryRegion region;
    final UnsafeBuffer bytes;
    final QueuePair qp;

    Peer(final RdmaContext context, final QpOptions options) {
        this(context, context.allocatePd(), context.createCq(512), options);
    }

    Peer(final RdmaContext context, final ProtectionDomain pd, final CompletionQueue cq, final QpOptions options) {
        this.context = context;
        this.pd = pd;
        this.cq = cq;
        memory = context.allocate(LENGTH);
        bytes = memory.buffer();
        region = pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_ATOMIC);
        qp = pd.createQp(options.cq(cq));
    }

    static Peer rc(final RdmaContext context) {
        return new Peer(context, new QpOptions().maxSendSge(4).maxReceiveSge(4));
    }

    static Peer ud(final RdmaContext context) {
        final Peer peer = new Peer(context, new QpOptions().type(QpType.UD).maxSendSge(4).maxReceiveSge(4));
        QpConnector.activate(peer.qp, QKEY);
        return peer;
    }

    void connect(final Peer other) {
        QpConnector.connect(qp, other.qp.localAddress());
        QpConnector.connect(other.qp, qp.localAddress());
    }

    long at(final int offset) {
        return memory.address() + offset;
    }

    int lkey() {
        return region.lkey();
    }

    /** Writes a pattern that tells its place and its seed. */
    void fill(final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            bytes.putByte(offset + i, pattern(i, seed));
        }
    }

    /** The first byte that is not of the pattern, or -1. */
    int firstDifference(final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            if (bytes.getByte(offset + i) != pattern(i, seed)) {
                return i;
            }
        }
        return -1;
    }

    static byte pattern(final int i, final int seed) {
        return (byte) (i * 31 + (i >>> 8) * 7 + seed);
    }
}
