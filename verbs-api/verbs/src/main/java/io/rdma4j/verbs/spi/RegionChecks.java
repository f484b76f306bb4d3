/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Refuses regions that no device could have. What a device lacks is told by its features. */
public final class RegionChecks {
    /** What registering is called in messages. */
    public static final String REGISTER = "register memory";
    /** What registering the memory of another region is called in messages. */
    public static final String SHARED = "register shared memory";
    /** What changing a region is called in messages. */
    public static final String REREGISTER = "reregister memory";
    /** What telling of other pages is called in messages. */
    public static final String REFRESH = "refresh region";
    /** Stands for as many bytes as nobody knows of. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    /** Stands for rights that a window cannot have. */
    public static final int NO_RIGHTS = -1;

    private static final int WINDOW_RIGHTS =
        AccessFlag.REMOTE_READ.bit() | AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();
    private static final long PAGE_MASK = 4095;

    private RegionChecks() {
    }

    /**
     * Refuses options that do not describe a new region.
     *
     * @param options what to register.
     * @param pd      in what domain.
     * @throws RdmaException EINVAL for null, without memory, and for another domain.
     */
    public static void requireNew(final MrOptions options, final ProtectionDomain pd) {
        final RdmaContext context = pd.context();
        Errors.notNull(options, REGISTER, context, "options");
        if (options.pd() != null && options.pd() != pd) {
            throw Errors.invalid(REGISTER, context, "%s shall be in %s, but is registered by %s", options,
                options.pd(), pd);
        }
        if (!options.hasMemory()) {
            throw RdmaException.of(REGISTER)
                .device(context.address())
                .detail("%s names no memory", options)
                .errno(RdmaException.EINVAL)
                .hint("use memory(...), buffer(...) or pages(...)")
                .build();
        }
    }

    /**
     * Refuses options that change nothing.
     *
     * @param changes what to change.
     * @param context the device.
     * @throws RdmaException EINVAL.
     */
    public static void requireChange(final MrOptions changes, final RdmaContext context) {
        if (!changes.hasMemory() && !changes.hasLength() && !changes.hasIova() && changes.accessFlags() == null
            && changes.pd() == null) {
            throw Errors.invalid(REREGISTER, context, "%s changes nothing", changes);
        }
    }

    /**
     * The rights of a region that shares memory.
     *
     * @param context the device.
     * @param access  as the application gave them.
     * @return an unmodifiable set.
     * @throws RdmaException EINVAL for null.
     */
    public static Set<AccessFlag> sharedRights(final RdmaContext context, final AccessFlag... access) {
        Errors.notNull(access, SHARED, context, "access");
        final EnumSet<AccessFlag> rights = EnumSet.noneOf(AccessFlag.class);
        for (final AccessFlag flag : access) {
            rights.add(Errors.notNull(flag, SHARED, context, "an access flag"));
        }
        return Collections.unmodifiableSet(rights);
    }

    /**
     * Refuses rights that contradict each other.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param access    rights.
     * @throws RdmaException EINVAL.
     */
    public static void checkRights(
        final String operation, final RdmaContext context, final Set<AccessFlag> access) {
        if (!access.contains(AccessFlag.LOCAL_WRITE)
            && (access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC))) {
            throw RdmaException.of(operation)
                .device(context.address())
                .detail("%s without LOCAL_WRITE", access)
                .errno(RdmaException.EINVAL)
                .hint("add LOCAL_WRITE")
                .build();
        }
    }

    /**
     * Refuses that a region which shares memory is on demand and the other one is not.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param wanted    whether this one shall be on demand.
     * @param other     whether the other one is.
     * @throws RdmaException EINVAL if they differ.
     */
    public static void checkSameDemand(
        final String operation, final RdmaContext context, final boolean wanted, final boolean other) {
        if (wanted != other) {
            throw Errors.invalid(operation, context, wanted
                ? "the region that this one shares memory with is not ON_DEMAND, so this one cannot be"
                : "the region that this one shares memory with is ON_DEMAND, so this one has to be, too");
        }
    }

    /**
     * Refuses a size that no region of a device has.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param length    bytes.
     * @throws RdmaException EINVAL.
     */
    public static void checkLength(final String operation, final RdmaContext context, final long length) {
        final long maxLength = context.attributes().maxMrSize();
        if (length < 1 || length > maxLength) {
            throw RdmaException.of(operation)
                .device(context.address())
                .detail("length is %d, allowed are 1 to %d bytes", length, maxLength)
                .errno(RdmaException.EINVAL)
                .hint(length < 1 ? null : tooLong(context))
                .build();
        }
    }

    private static String tooLong(final RdmaContext context) {
        return "register it in parts: " + (context.supports(Feature.LARGE_REGIONS)
            ? "max_mr_size is the device's" : context.whyNot(Feature.LARGE_REGIONS));
    }

    /**
     * Refuses a range that wraps around or is not all its owner's: what lies behind that is somebody else's, and would
     * not be kept for the device.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param address   first byte.
     * @param length    bytes, above 0.
     * @param owner     of the memory; null for none.
     * @throws RdmaException EINVAL.
     */
    public static void checkRange(
        final String operation, final RdmaContext context, final long address, final long length,
        final Object owner) {
        if (Long.compareUnsigned(address + length - 1, address) < 0) {
            throw Errors.invalid(operation, context, "0x%x+%d wraps around", address, length);
        }
        final long owned = ownedFrom(owner, address);
        if (length > owned) {
            throw Errors.invalid(operation, context, "length is %d, from 0x%x on %s has %d bytes", length, address,
                owner, owned);
        }
    }

    /**
     * Refuses to write to a buffer that must not be written.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param refused   whether that was asked for.
     * @param owner     the buffer.
     * @throws RdmaException EFAULT.
     */
    public static void checkWritable(
        final String operation, final RdmaContext context, final boolean refused, final Object owner) {
        if (refused) {
            throw Errors.error(RdmaException.EFAULT, operation, context, "%s is read-only, LOCAL_WRITE asked for",
                owner);
        }
    }

    /**
     * Refuses an IOVA that the device could not translate.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param address   of the first byte.
     * @param iova      by which it shall be named.
     * @param length    bytes, above 0.
     * @throws RdmaException EOPNOTSUPP without {@link Feature#IOVA_OF_CHOICE}; EINVAL for another place in the page, or
     *                       if it wraps around.
     */
    public static void checkIova(
        final String operation, final RdmaContext context, final long address, final long iova, final long length) {
        if (iova == address) {
            return;
        }
        if (!context.supports(Feature.IOVA_OF_CHOICE)) {
            throw Errors.unsupported(operation, context, Feature.IOVA_OF_CHOICE);
        }
        if ((iova & PAGE_MASK) != (address & PAGE_MASK)) {
            throw Errors.invalid(operation, context,
                "IOVA 0x%x is byte %d of its page, but the first byte of the memory, 0x%x, is byte %d of its page: "
                    + "they must be the same", iova, iova & PAGE_MASK, address, address & PAGE_MASK);
        }
        if (Long.compareUnsigned(iova + length - 1, iova) < 0) {
            throw Errors.invalid(operation, context, "IOVA 0x%x+%d wraps around", iova, length);
        }
    }

    /**
     * How many bytes an owner has.
     *
     * @param owner   of memory; null for none.
     * @param address an address in it.
     * @return bytes from there on; {@link #UNKNOWN} if the owner is not known or the address is not in it.
     */
    public static long ownedFrom(final Object owner, final long address) {
        final Extent has = Extent.of(owner);
        return has == null || address < has.first || address - has.first >= has.length ? UNKNOWN
            : has.length - (address - has.first);
    }

    /** The memory of an owner. */
    private record Extent(long first, long length) {
        /** Null if nobody knows. */
        static Extent of(final Object owner) {
            if (owner instanceof PinnedMemory) {
                return new Extent(((PinnedMemory) owner).address(), ((PinnedMemory) owner).length());
            }
            if (owner instanceof ByteBuffer && ((Buffer) owner).isDirect()) {
                return new Extent(BufferUtil.address((ByteBuffer) owner), ((Buffer) owner).capacity());
            }
            if (owner instanceof DirectBuffer && ((DirectBuffer) owner).byteArray() == null) {
                return new Extent(((DirectBuffer) owner).addressOffset(), ((DirectBuffer) owner).capacity());
            }
            return null;
        }
    }

    /**
     * Whether memory is an owner's: a buffer that is held does not keep what lies beside it.
     *
     * @param owner   of memory; null for none.
     * @param address first byte.
     * @param length  bytes, above 0.
     * @return true if the range is inside of the pages of the owner; false also where nobody knows.
     */
    public static boolean holds(final Object owner, final long address, final long length) {
        final Extent has = Extent.of(owner instanceof DirectBuffer ? ((DirectBuffer) owner).byteBuffer() : owner);
        if (has == null) {
            return false;
        }
        final long first = has.first & ~PAGE_MASK;
        final long bytes = (has.first + has.length + PAGE_MASK & ~PAGE_MASK) - first;
        return address >= first && length <= bytes && address - first <= bytes - length;
    }

    /**
     * Refuses to tell the key for peers of a region that has none.
     *
     * @param region  any.
     * @param context the device.
     * @throws RdmaException EINVAL if it has no remote right.
     */
    public static void requireRkey(final MemoryRegion region, final RdmaContext context) {
        if (!region.hasRkey()) {
            throw RdmaException.of("get rkey").device(context.address()).object(region)
                .detail("it was registered without remote rights").errno(RdmaException.EINVAL)
                .hint("add REMOTE_READ, REMOTE_WRITE or REMOTE_ATOMIC").build();
        }
    }

    /**
     * The rights of a window.
     *
     * @param flags as the application gave them.
     * @return their bits; {@link #NO_RIGHTS} for null and for those that a window cannot have.
     */
    public static int windowRights(final AccessFlag... flags) {
        if (flags == null) {
            return NO_RIGHTS;
        }
        int bits = 0;
        for (final AccessFlag flag : flags) {
            if (flag == null || (flag.bit() & WINDOW_RIGHTS) == 0 && !AccessFlag.isOptional(flag)) {
                return NO_RIGHTS;
            }
            bits |= flag.bit() & WINDOW_RIGHTS;
        }
        return bits;
    }
}
