/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.ProcessMaps;
import io.rdma4j.verbs.AccessFlag;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;

/**
 * What shall be registered, checked as far as that is possible without the device.
 *
 * @param address first byte.
 * @param length  bytes.
 * @param owner   keeps the memory alive, or null.
 * @param access  rights besides local read; unmodifiable.
 * @param known   whether the memory is surely mapped, and writable if it must be.
 */
record RegionRequest(long address, long length, Object owner, Set<AccessFlag> access, boolean known) {
    static final String OPERATION = "register memory";
    private static final Set<AccessFlag> REMOTE =
        EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    static RegionRequest of(
        final PvrdmaContext context, final long address, final long length, final Object owner,
        final AccessFlag... access) {
        return new RegionRequest(address, length, owner, rights(context, access), false);
    }

    static RegionRequest of(final PvrdmaContext context, final ByteBuffer buffer, final AccessFlag... access) {
        Errors.notNull(buffer, OPERATION, context, "buffer");
        if (!buffer.isDirect()) {
            throw heap(context, buffer);
        }
        final Set<AccessFlag> rights = rights(context, access);
        requireWritable(context, buffer, rights);
        return new RegionRequest(
            BufferUtil.address(buffer) + buffer.position(), buffer.remaining(), buffer, rights, true);
    }

    static RegionRequest of(final PvrdmaContext context, final DirectBuffer buffer, final AccessFlag... access) {
        Errors.notNull(buffer, OPERATION, context, "buffer");
        final ByteBuffer under = buffer.byteBuffer();
        if (buffer.byteArray() != null || under != null && !under.isDirect()) {
            throw heap(context, buffer);
        }
        final Set<AccessFlag> rights = rights(context, access);
        if (under != null) {
            requireWritable(context, under, rights);
        }
        // The view can be wrapped around other memory later, so what is under it is held.
        return new RegionRequest(buffer.addressOffset(), buffer.capacity(), under == null ? buffer : under, rights,
            under != null);
    }

    static RegionRequest of(final PvrdmaContext context, final PvrdmaMemory memory, final AccessFlag... access) {
        return new RegionRequest(memory.address(), memory.length(), memory, rights(context, access), true);
    }

    private static RdmaException heap(final PvrdmaContext context, final Object buffer) {
        return RdmaException.of(OPERATION)
            .device(context.address())
            .detail("%s is on the Java heap, where it may move", buffer)
            .errno(RdmaException.EINVAL)
            .hint("use ByteBuffer.allocateDirect, or RdmaContext.allocate")
            .build();
    }

    private static void requireWritable(
        final PvrdmaContext context, final ByteBuffer buffer, final Set<AccessFlag> rights) {
        if (buffer.isReadOnly() && rights.contains(AccessFlag.LOCAL_WRITE)) {
            throw Errors.error(RdmaException.EFAULT, OPERATION, context, "%s is read-only, %s asked for", buffer,
                rights);
        }
    }

    private static Set<AccessFlag> rights(final PvrdmaContext context, final AccessFlag... access) {
        Errors.notNull(access, OPERATION, context, "access");
        final EnumSet<AccessFlag> rights = EnumSet.noneOf(AccessFlag.class);
        for (final AccessFlag flag : access) {
            rights.add(Errors.notNull(flag, OPERATION, context, "an access flag"));
        }
        if (!rights.contains(AccessFlag.LOCAL_WRITE)
            && (rights.contains(AccessFlag.REMOTE_WRITE) || rights.contains(AccessFlag.REMOTE_ATOMIC))) {
            throw RdmaException.of(OPERATION)
                .device(context.address())
                .detail("%s without LOCAL_WRITE", rights)
                .errno(RdmaException.EINVAL)
                .hint("add LOCAL_WRITE")
                .build();
        }
        return Collections.unmodifiableSet(rights);
    }

    /** Refuses ranges that no device could take, and memory that is not there. */
    RegionRequest check(final PvrdmaContext context) {
        final long maxLength = context.attributes().maxMrSize();
        if (length < 1 || length > maxLength) {
            throw RdmaException.of(OPERATION)
                .device(context.address())
                .detail("length is %d, allowed are 1 to %d bytes", length, maxLength)
                .errno(RdmaException.EINVAL)
                .hint(length < 1 ? null : "register it in parts: max_mr_size is the device's")
                .build();
        }
        if (Long.compareUnsigned(address + length - 1, address) < 0) {
            throw Errors.invalid(OPERATION, context, "0x%x+%d wraps around", address, length);
        }
        final String hole = known
            ? null : ProcessMaps.firstHole(address, length, access.contains(AccessFlag.LOCAL_WRITE));
        if (hole != null) {
            throw Errors.error(RdmaException.EFAULT, OPERATION, context, "0x%x+%d: %s", address, length, hole);
        }
        return this;
    }

    /**
     * What the IOMMU mapping holds, which may serve other regions and outlive this one: a buffer, whose memory stays as
     * long as somebody holds it. Other owners are held by the region alone, which tells them when it is closed.
     */
    Object mappedFor() {
        return owner instanceof ByteBuffer ? owner : null;
    }

    boolean isRemote() {
        return access.stream().anyMatch(REMOTE::contains);
    }
}
