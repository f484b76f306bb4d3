/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.queues.Padded;
import io.rdma4j.verbs.PinnedMemory;

/** A domain of its own, with queues and registered memory; an endpoint is its subclass's. */
abstract class FabricNode extends Padded implements CompletionReader {
    final Domain domain;
    final PinnedMemory pinned;
    final MemoryRegion region;
    final CompletionQueue transmits;
    final CompletionQueue receives;
    /** Of a completion that failed. */
    int errno;
    private final Patience patience;
    private final Fabric fabric;
    private final int pollLimit;

    FabricNode(
        final Hints hints, final Patience patience, final int bytes, final MrAttributes memory, final int queueSize,
        final int pollLimit) {
        this.patience = patience;
        this.pollLimit = pollLimit;
        final FabricInfo info = Fabrics.getInfo(hints).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        transmits = domain.openCompletionQueue(queueSize);
        receives = domain.openCompletionQueue(queueSize);
        pinned = domain.allocate(bytes);
        // By its owner: of an address alone nobody knows whether it stays, and the kernel would have to copy.
        region = domain.register(memory.buffer(pinned));
    }

    static MrAttributes access(final long key, final MrAccess... access) {
        return new MrAttributes().access(access).requestedKey(key);
    }

    static void require(final int code) {
        if (code != 0) {
            throw new IllegalStateException(FiErrno.name(code));
        }
    }

    final void progress() {
        progressTransmits();
        progressReceives();
    }

    final void progressTransmits() {
        progress(transmits);
    }

    final void progressReceives() {
        progress(receives);
    }

    private void progress(final CompletionQueue cq) {
        final int code = cq.read(this, pollLimit);
        if (code < 0 || errno != 0) {
            throw new IllegalStateException(FiErrno.name(code) + ", " + FiErrno.name(errno));
        }
        checkPatience();
    }

    final void checkPatience() {
        patience.check();
    }

    /** The endpoint, and what it needs besides. */
    abstract void closeEndpoint();

    final void close() {
        closeEndpoint();
        transmits.close();
        receives.close();
        region.close();
        pinned.close();
        domain.close();
        fabric.close();
    }
}
