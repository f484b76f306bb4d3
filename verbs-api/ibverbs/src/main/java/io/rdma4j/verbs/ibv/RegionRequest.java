/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.spi.Errors;
import org.agrona.BufferUtil;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * What to register.
 *
 * @param operation what is asked for, in words.
 * @param address   first byte.
 * @param length    bytes.
 * @param owner     what keeps the memory, or null.
 * @param readOnly  whether it must not be written.
 * @param iova      how work requests name the first byte.
 * @param chosen    whether that was asked for.
 * @param access    rights besides local read.
 */
record RegionRequest(
    String operation, long address, long length, Object owner, boolean readOnly, long iova, boolean chosen,
    Set<AccessFlag> access) {
    static final String REGISTER = "register memory";
    private static final long PAGE_MASK = 4095;

    static RegionRequest of(final IbvContext context, final MrOptions options) {
        if (!options.hasMemory()) {
            throw RdmaException.of(REGISTER).device(context.address()).detail("%s names no memory", options)
                .errno(RdmaException.EINVAL).hint("use memory(...) or buffer(...)").build();
        }
        if (options.pages() != null) {
            throw context.unsupported(REGISTER, Feature.PAGE_LISTS);
        }
        return new RegionRequest(REGISTER, options.address(), options.length(), options.owner(), options.isReadOnly(),
            options.hasIova() ? options.iova() : options.address(), options.hasIova(),
            options.accessFlags() == null ? Set.of() : options.accessFlags());
    }

    RegionRequest changed(final IbvContext context, final String what, final MrOptions changes) {
        if (changes.pages() != null) {
            throw context.unsupported(what, Feature.PAGE_LISTS);
        }
        final boolean moved = changes.hasMemory();
        final long first = moved ? changes.address() : address;
        return new RegionRequest(what, first, changes.hasLength() ? changes.length() : length,
            moved ? changes.owner() : owner, moved ? changes.isReadOnly() : readOnly,
            changes.hasIova() ? changes.iova() : chosen ? iova : first, chosen || changes.hasIova(),
            changes.accessFlags() == null ? access : changes.accessFlags());
    }

    /** The library trusts its caller: what contradicts itself is refused here. */
    RegionRequest check(final IbvContext context) {
        if (!access.contains(AccessFlag.LOCAL_WRITE)
            && (access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC))) {
            throw RdmaException.of(operation).device(context.address()).detail("%s without LOCAL_WRITE", access)
                .errno(RdmaException.EINVAL).hint("add LOCAL_WRITE").build();
        }
        if (access.contains(AccessFlag.ON_DEMAND)) {
            throw context.unsupported(operation, Feature.ON_DEMAND_PAGING);
        }
        Errors.inRange(length, 1, context.attributes().maxMrSize(), operation, context, "length");
        if (Long.compareUnsigned(address + length - 1, address) < 0) {
            throw Errors.invalid(operation, context, "0x%x+%d wraps around", address, length);
        }
        checkOwner(context);
        checkIova(context);
        return this;
    }

    private void checkOwner(final IbvContext context) {
        if (owner instanceof PinnedMemory
            && (!(owner instanceof IbvMemory) || ((IbvMemory) owner).context != context)) {
            throw Errors.invalid(operation, context, "%s belongs to another device", owner);
        }
        final long end = end();
        if (end != 0 && address + length > end) {
            throw Errors.invalid(operation, context, "length is %d, from 0x%x on %s has %d bytes", length, address,
                owner, end - address);
        }
        if (readOnly && access.contains(AccessFlag.LOCAL_WRITE)) {
            throw Errors.error(RdmaException.EFAULT, operation, context, "%s is read-only, LOCAL_WRITE asked for",
                owner);
        }
    }

    /** Where the owner's memory ends; 0 if that is not known. */
    private long end() {
        if (owner instanceof PinnedMemory) {
            return ((PinnedMemory) owner).address() + ((PinnedMemory) owner).length();
        }
        return owner instanceof ByteBuffer && ((Buffer) owner).isDirect()
            ? BufferUtil.address((ByteBuffer) owner) + ((Buffer) owner).capacity() : 0;
    }

    private void checkIova(final IbvContext context) {
        if (iova == address) {
            return;
        }
        if (!context.supports(Feature.IOVA_OF_CHOICE)) {
            throw context.unsupported(operation, Feature.IOVA_OF_CHOICE);
        }
        if (iova == 0 && (address & PAGE_MASK) != 0) {
            throw context.unsupported(operation, Feature.ZERO_BASED);
        }
        if ((iova & PAGE_MASK) != (address & PAGE_MASK)) {
            throw Errors.invalid(operation, context, "IOVA 0x%x is byte %d of its page, but the first byte of the "
                + "memory, 0x%x, is byte %d of its page: they must be the same", iova, iova & PAGE_MASK, address,
                address & PAGE_MASK);
        }
        if (Long.compareUnsigned(iova + length - 1, iova) < 0) {
            throw Errors.invalid(operation, context, "IOVA 0x%x+%d wraps around", iova, length);
        }
    }
}
