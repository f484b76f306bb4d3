/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WindowType;
import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.util.Set;

/** A domain that registers only memory of its context, as some devices do. */
final class FakePd implements ProtectionDomain {
    private final FakeContext context;

    FakePd(final FakeContext context) {
        this.context = context;
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public MemoryRegion register(final long address, final long length, final AccessFlag... access) {
        throw Unused.call("register by address");
    }

    @Override
    public MemoryRegion register(final ByteBuffer buffer, final AccessFlag... access) {
        throw Unused.call("register of a ByteBuffer");
    }

    @Override
    public MemoryRegion register(final DirectBuffer buffer, final AccessFlag... access) {
        throw Unused.call("register of a DirectBuffer");
    }

    @Override
    public MemoryRegion register(final PinnedMemory memory, final AccessFlag... access) {
        return new FakeRegion(this, memory.address(), memory.length(), Set.of(access));
    }

    @Override
    public MemoryRegion register(
        final long address, final long length, final Object owner, final AccessFlag... access) {
        throw Unused.call("register with an owner");
    }

    @Override
    public MemoryRegion register(final MrOptions options) {
        throw Unused.call("register with options");
    }

    @Override
    public MemoryRegion registerShared(final MemoryRegion existing, final long iova, final AccessFlag... access) {
        throw Unused.call("registerShared");
    }

    @Override
    public QueuePair createQp(final QpOptions options) {
        final int qpn = context.newQpn();
        return context.add(new FakeQp(this, context, options, qpn), qpn);
    }

    @Override
    public SharedReceiveQueue createSrq(final int maxWr, final int maxSge) {
        throw Unused.call("createSrq");
    }

    @Override
    public AddressHandle createAh(final AhAttributes attributes) {
        return new FakeAh(this, attributes);
    }

    @Override
    public MemoryWindow allocateWindow(final WindowType type) {
        throw Unused.call("allocateWindow");
    }

    @Override
    public FastRegion allocateFastRegion(final int maxPages) {
        throw Unused.call("allocateFastRegion");
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void close() {
        // Goes with its context.
    }
}
