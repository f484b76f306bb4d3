/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

/** One end of a connection: memory, what it should hold, and regions that overlap in it. */
final class Side implements AutoCloseable {
    static final int LENGTH = 32 * 1024;
    static final int PAGE = 4096;
    static final int MAX_SGE = 4;
    static final int MAX_WR = 64;
    static final AccessFlag[] ALL_RIGHTS = {
        AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC
    };
    private static final Set<AccessFlag> REMOTE_RIGHTS = Set.of(ALL_RIGHTS);

    final ProtectionDomain pd;
    final CompletionQueue cq;
    final PinnedMemory memory;
    final UnsafeBuffer bytes;
    final QueuePair qp;
    final List<MemoryRegion> regions = new ArrayList<>();
    /** What the memory should hold. */
    final UnsafeBuffer model = new UnsafeBuffer(new byte[LENGTH]);

    Side(final RdmaContext context, final int seed) {
        pd = context.allocatePd();
        cq = context.createCq(4 * MAX_WR);
        memory = context.allocate(LENGTH);
        bytes = memory.buffer();
        for (int i = 0; i < LENGTH; i++) {
            bytes.putByte(i, (byte) (i * 7 + (i >>> 8) + seed));
        }
        model.putBytes(0, bytes, 0, LENGTH);
        qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(MAX_WR).maxReceiveWr(MAX_WR).maxSendSge(MAX_SGE)
            .maxReceiveSge(MAX_SGE));
    }

    static void connect(final Side near, final Side far) {
        QpConnector.connect(near.qp, far.qp.localAddress(), attributes());
        QpConnector.connect(far.qp, near.qp.localAddress(), attributes());
    }

    private static QpAttributes attributes() {
        return new QpAttributes().accessFlags(REMOTE_RIGHTS);
    }

    /** A region anywhere in the memory, of any length and kind. */
    MemoryRegion register(final Choices choices) {
        final int offset = choices.below(LENGTH);
        final int length = choices.between(1, LENGTH - offset);
        return switch (choices.below(4)) {
            case 0 -> register(offset, length);
            case 1 -> add(pd.register(new MrOptions().memory(memory.address() + offset, length)
                .iova(otherAddress(choices, offset)).access(ALL_RIGHTS)));
            case 2 -> add(moved(choices, offset, length));
            default -> regions.isEmpty() ? register(offset, length) : add(shared(choices));
        };
    }

    MemoryRegion register(final int offset, final int length) {
        return add(pd.register(memory.address() + offset, length, ALL_RIGHTS));
    }

    private MemoryRegion add(final MemoryRegion region) {
        regions.add(region);
        return region;
    }

    /** Registered elsewhere first. */
    private MemoryRegion moved(final Choices choices, final int offset, final int length) {
        final MemoryRegion region = pd.register(memory.address(), choices.between(1, LENGTH), ALL_RIGHTS);
        region.reregister(new MrOptions().memory(memory.address() + offset, length));
        return region;
    }

    private MemoryRegion shared(final Choices choices) {
        final MemoryRegion existing = any(choices);
        return pd.registerShared(existing, otherAddress(choices, offsetOf(existing)), ALL_RIGHTS);
    }

    /** Any address with the same place in its page. */
    private static long otherAddress(final Choices choices, final int offset) {
        return (1L + choices.below(1 << 20) << 20) + offset % PAGE;
    }

    MemoryRegion any(final Choices choices) {
        return regions.get(choices.below(regions.size()));
    }

    int offsetOf(final MemoryRegion region) {
        return (int) (region.address() - memory.address());
    }

    @Override
    public void close() {
        pd.close();
        cq.close();
        memory.close();
    }
}
