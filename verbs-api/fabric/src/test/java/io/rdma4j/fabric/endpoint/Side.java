/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.testing.TestNode;

/** One end of a connection, with memory that peers may use in every way. */
final class Side extends TestNode {
    static final int SIZE = 1 << 16;

    final MsgEndpoint ep;

    Side(final Hints hints, final EndpointOptions options) {
        super(hints, SIZE);
        ep = domain.openEndpoint(options.completionQueue(cq));
    }

    static void connect(final Side a, final Side b) {
        a.ep.connect(b.ep.name());
        b.ep.connect(a.ep.name());
    }

    /** All of the memory, for all uses. */
    MemoryRegion register(final long key) {
        return register(key, MrAccess.READ, MrAccess.WRITE, MrAccess.SEND, MrAccess.RECV, MrAccess.REMOTE_READ,
            MrAccess.REMOTE_WRITE);
    }

    MemoryRegion register(final long key, final MrAccess... access) {
        return keep(domain.register(new MrAttributes().buffer(memory).access(access).requestedKey(key)));
    }

    /** For this side's own use. */
    MemoryRegion local() {
        return register(0, MrAccess.READ, MrAccess.WRITE, MrAccess.SEND, MrAccess.RECV);
    }

    @Override
    public void close() {
        ep.close();
        super.close();
    }

    @Override
    public String toString() {
        return ep + ", " + super.toString();
    }
}
