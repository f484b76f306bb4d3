/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import static io.rdma4j.qemu.dmabuf.DmaBufMain.require;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Two connected endpoints on the emulated device through the fabric interfaces: one in the domain of the regions that
 * are tried, and a peer with memory of its own. Each operation waits for its completion and gives the errno.
 */
final class FabricEnds implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int LENGTH = 64 * 1024;
    private static final int QUEUE = 64;

    final Domain domain;
    final MsgEndpoint here;
    final UnsafeBuffer bytes;
    private final Fabric fabric;
    private final Domain peerDomain;
    private final CompletionQueue hereQueue;
    private final CompletionQueue peerQueue;
    private final MsgEndpoint peer;
    private final PinnedMemory memory;
    private int last;

    FabricEnds(final UnaryOperator<Hints> wishes) {
        final FabricInfo info = Fabrics.getInfo(wishes.apply(new Hints().address("emulated:")
            .capabilities(Capability.MSG, Capability.RMA, Capability.HMEM)
            .mrMode(EnumSet.complementOf(EnumSet.of(MrMode.BASIC, MrMode.SCALABLE))))).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        peerDomain = fabric.openDomain(info);
        hereQueue = domain.openCompletionQueue(QUEUE);
        peerQueue = peerDomain.openCompletionQueue(QUEUE);
        here = domain.openEndpoint(new EndpointOptions().completionQueue(hereQueue));
        peer = peerDomain.openEndpoint(new EndpointOptions().completionQueue(peerQueue));
        here.connect(peer.name());
        peer.connect(here.name());
        memory = peerDomain.allocate(LENGTH);
        bytes = memory.buffer();
    }

    /** The peer writes the beginning of its memory. */
    String write(final long remote, final long key, final int length) {
        return run(peerQueue, () -> peer.write(memory.address(), length, null, remote, key, 1));
    }

    /** The peer reads to the beginning of its memory. */
    String read(final long remote, final long key, final int length) {
        return run(peerQueue, () -> peer.read(memory.address(), length, null, remote, key, 1));
    }

    /** This side sends; the beginning of the peer's memory is where it arrives. */
    String send(final IntSupplier send) {
        final int code = peer.receive(memory.address(), LENGTH, null, 1);
        require(code == 0, "receive: %s", FiErrno.name(code));
        final String sent = run(hereQueue, send);
        return sent.equals("FI_SUCCESS") ? await(peerQueue) : sent;
    }

    private String run(final CompletionQueue queue, final IntSupplier operation) {
        final long start = System.nanoTime();
        int code = operation.getAsInt();
        while (code == -FiErrno.FI_EAGAIN && System.nanoTime() - start < PATIENCE_NANOS) {
            progress();
            code = operation.getAsInt();
        }
        return code == 0 ? await(queue) : FiErrno.name(code);
    }

    private void progress() {
        require(hereQueue.read(entry -> { }, 0) >= 0 && peerQueue.read(entry -> { }, 0) >= 0, "reading failed");
    }

    private String await(final CompletionQueue queue) {
        final long start = System.nanoTime();
        while (queue.read(entry -> last = entry.errno(), 1) == 0) {
            require(System.nanoTime() - start < PATIENCE_NANOS, "no completion came");
            progress();
        }
        return FiErrno.name(last);
    }

    @Override
    public void close() {
        here.close();
        peer.close();
        memory.close();
        hereQueue.close();
        peerQueue.close();
        domain.close();
        peerDomain.close();
        fabric.close();
    }
}
