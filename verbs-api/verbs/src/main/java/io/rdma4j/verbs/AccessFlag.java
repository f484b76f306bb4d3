/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * What a region allows (checklist 95). Local read is always allowed. Values are those of {@code enum ibv_access_flags}.
 */
public enum AccessFlag {
    /** The device may write here for local requests: receives, results of READs and atomics. */
    LOCAL_WRITE(1),
    /** Peers may write; needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(2),
    /** Peers may read. */
    REMOTE_READ(4),
    /** Peers may run atomics; needs {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(8),
    /** Memory windows may be bound here. */
    MW_BIND(16),
    /**
     * The pages are looked for when a transfer touches them, and not before. A region with this is a range of
     * addresses, not of pages: nothing of it needs to be mapped when it is registered, nothing is pinned or counts
     * against a limit on locked memory, and what is mapped there may change at any time, also under traffic. A transfer
     * reads and writes what is mapped at that moment.
     *
     * <p>A transfer that meets a page which is not there, or not with the rights that the transfer needs, fails: with
     * {@link WcStatus#LOC_PROT_ERR} for who named the page in a scatter/gather element, and then with
     * {@link WcStatus#REM_OP_ERR} for the sender if that was the receiver; with {@link WcStatus#REM_ACCESS_ERR} for the
     * requester if it is the peer's target. Of the pages before that one, some or all may have been written.
     *
     * <p>Atomics on such memory are atomic among each other, in all of the process, but not with those that reach the
     * same bytes by a region without this flag, nor with the processor's own.
     *
     * <p>What the region's owner has not mapped the kernel may give to anybody in this process, also to the JVM or to
     * this driver, whose memory the keys would reach then. So reserve the range, for example with {@code mmap} and
     * {@code PROT_NONE}, and map into it.
     *
     * <p>For ranges and for a {@link PageList}, and only where {@link Feature#ON_DEMAND_PAGING} is supported. There
     * {@link Feature#ON_DEMAND_EVERYWHERE} says whether each kind of transfer may touch such memory. The statuses above
     * are those of the emulated device.
     */
    ON_DEMAND(64),
    /**
     * Writes of the device to this memory may become visible in another order than that in which they were made, where
     * the machine is faster so: no byte tells by its value that others have come, only a completion does. Not a right
     * but a permission; where nothing is gained by it, it means nothing.
     */
    RELAXED_ORDERING(1 << 20);

    /** Flags that devices may ignore: those of {@code IBV_ACCESS_OPTIONAL_RANGE}. */
    private static final int OPTIONAL = 0x3ff << 20;

    private final int bit;

    AccessFlag(final int bit) {
        this.bit = bit;
    }

    /**
     * The bit on the wire.
     *
     * @return a power of two.
     */
    public int bit() {
        return bit;
    }

    /**
     * The bits of several flags.
     *
     * @param flags flags.
     * @return their bits, or-ed.
     * @throws NullPointerException if one of them, or all, is null.
     */
    public static int bits(final Iterable<AccessFlag> flags) {
        int bits = 0;
        for (final AccessFlag flag : Objects.requireNonNull(flags, "flags")) {
            bits |= Objects.requireNonNull(flag, "flag").bit;
        }
        return bits;
    }

    /**
     * The bits of several flags, without those of flags that a device need not know.
     *
     * @param flags flags.
     * @return their bits, or-ed.
     * @throws NullPointerException if one of them, or all, is null.
     */
    public static int requiredBits(final Iterable<AccessFlag> flags) {
        return bits(flags) & ~OPTIONAL;
    }

    /**
     * Whether a flag is one that a device need not know: it means nothing where nothing is gained by it.
     *
     * @param flag a flag.
     * @return true if so.
     * @throws NullPointerException if it is null.
     */
    public static boolean isOptional(final AccessFlag flag) {
        return (flag.bit & OPTIONAL) != 0;
    }

    /**
     * The flags of several bits.
     *
     * @param bits as {@link #bits} gives them; others are left out.
     * @return flags.
     */
    public static Set<AccessFlag> of(final int bits) {
        final EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (final AccessFlag flag : values()) {
            if ((bits & flag.bit) != 0) {
                flags.add(flag);
            }
        }
        return flags;
    }

    /**
     * The bits of several flags, without those of flags that a device need not know.
     *
     * @param flags flags.
     * @return their bits, or-ed.
     * @throws NullPointerException if one of them, or all, is null.
     */
    static int requiredBits(final AccessFlag... flags) {
        int bits = 0;
        for (final AccessFlag flag : Objects.requireNonNull(flags, "flags")) {
            bits |= Objects.requireNonNull(flag, "flag").bit;
        }
        return bits & ~OPTIONAL;
    }
}
