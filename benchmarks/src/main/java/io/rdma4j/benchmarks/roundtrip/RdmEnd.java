/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.queues.Padded;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import java.util.EnumSet;
import org.agrona.concurrent.UnsafeBuffer;

/** One reliable-datagram endpoint: numbered messages to peers that a vector names. */
final class RdmEnd extends Padded implements CompletionReader {
    private static final int RECEIVES = 16;
    private static final int POLL_LIMIT = 4;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int SEND_OFFSET = RECEIVES * LENGTH;
    private static final long KEY = 0x78;

    private final Patience patience;
    private final Fabric fabric;
    private final Domain domain;
    private final CompletionQueue cq;
    private final AddressVector vector;
    private final AddressedEndpoint endpoint;
    private final PinnedMemory pinned;
    private final MemoryRegion region;
    private final UnsafeBuffer memory;
    private int errno;
    private long received = -1;
    private int freeSlot = -1;
    private long sent;

    RdmEnd(final RdmaContext context, final Patience patience, final EndpointOptions options) {
        this.patience = patience;
        final EnumSet<MrMode> modes = EnumSet.of(MrMode.ALLOCATED, MrMode.PROV_KEY, MrMode.VIRT_ADDR, MrMode.LOCAL);
        final FabricInfo info = Fabrics.getInfo(
            new Hints().context(context).mrMode(modes).endpointType(EndpointType.RDM)).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        cq = domain.openCompletionQueue(4 * RECEIVES);
        vector = domain.openAddressVector(new AvAttributes());
        endpoint = domain.openAddressedEndpoint(options.completionQueue(cq).addressVector(vector));
        pinned = domain.allocate(SEND_OFFSET + LENGTH);
        memory = pinned.buffer();
        // By its owner: of an address alone nobody knows whether it stays, and the kernel would have to copy.
        region = domain.register(new MrAttributes().buffer(pinned).access(MrAccess.SEND, MrAccess.RECV)
            .requestedKey(KEY));
        for (int slot = 0; slot < RECEIVES; slot++) {
            postReceive(slot);
        }
    }

    static EndpointOptions options() {
        return new EndpointOptions().sizes(2 * RECEIVES, 2 * RECEIVES);
    }

    FabricAddress address() {
        return endpoint.address();
    }

    long insert(final FabricAddress address) {
        return vector.insert(address);
    }

    private void postReceive(final int slot) {
        require(endpoint.receive(pinned.address() + (long) slot * LENGTH, LENGTH, region, FiAddr.UNSPEC, slot));
    }

    private static void require(final int code) {
        if (code != 0) {
            throw new IllegalStateException(FiErrno.name(code));
        }
    }

    /** The peer takes what comes, so that only the first connects. */
    void send(final long n, final long peer) {
        memory.putLong(SEND_OFFSET, n);
        int code = endpoint.send(pinned.address() + SEND_OFFSET, LENGTH, region, peer, n);
        while (code == -FiErrno.FI_EAGAIN) {
            progress();
            code = endpoint.send(pinned.address() + SEND_OFFSET, LENGTH, region, peer, n);
        }
        require(code);
    }

    /** Whether message number n came; its receive is posted again. */
    boolean took(final long n) {
        progress();
        if (freeSlot < 0) {
            return false;
        }
        if (received != n) {
            throw new IllegalStateException("message " + received + " came instead of " + n);
        }
        postReceive(freeSlot);
        freeSlot = -1;
        return true;
    }

    /** Sends that are over. */
    long sent() {
        return sent;
    }

    void progress() {
        final int code = cq.read(this, POLL_LIMIT);
        if (code < 0 || errno != 0) {
            throw new IllegalStateException(FiErrno.name(code) + ", " + FiErrno.name(errno));
        }
        patience.check();
    }

    @Override
    public void onCompletion(final CompletionEntry entry) {
        if (entry.isError()) {
            errno = entry.errno();
        } else if (entry.kind() == OperationKind.RECEIVE) {
            freeSlot = (int) entry.context();
            received = memory.getLong(freeSlot * LENGTH);
        } else {
            sent++;
        }
    }

    void close() {
        endpoint.close();
        vector.close();
        cq.close();
        region.close();
        pinned.close();
        domain.close();
        fabric.close();
    }
}
