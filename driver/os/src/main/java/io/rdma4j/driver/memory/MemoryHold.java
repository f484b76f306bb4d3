/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.FaultableMemory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Memory of the program, as a device in software has it: not for the program to pull from under it. A real device goes
 * on with the pages that were pinned for it. This one has three means, and {@link #of} takes the best that there is:
 *
 * <ul>
 * <li>shared mappings are mapped once more, and the device reaches the second mapping: it keeps the pages, whatever the
 * program does to the first one;
 * <li>private ones are watched by {@link MappingWatch}: when they are unmapped, moved, replaced or emptied, the device
 * is told, and reaches nothing by them from then on;
 * <li>where pages can vanish all the same ({@link #mayFault}), they are copied by {@link FaultableMemory} alone, so
 * that an access is refused where a load would be a signal.
 * </ul>
 *
 * <p>Memory of a device is taken as it is. So is everything where the kernel does not copy for the process.
 * Thread-safe, but for {@link #renew}, of which there is one at a time.
 */
public final class MemoryHold implements AutoCloseable {
    /** Each splits a mapping of the process, of which there are 65,530. */
    private static final int MAX_WATCHED = 4096;
    /** As long as memory cannot be watched after madvise emptied it, and some more. */
    private static final long SETTLING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final long address;
    private final long length;
    private final SharedKind kind;
    private final boolean mayFault;
    private final SecondMapping second;
    /** Null if nothing is watched. */
    private final MappingWatch watch;
    private final Consumer<MemoryHold> lost;
    private volatile MappingGuard guard;

    private MemoryHold(final long address, final long length, final SharedKind kind, final MappingWatch watch,
            final Consumer<MemoryHold> lost) {
        this.address = address;
        this.length = length;
        this.kind = kind;
        this.second = kind == SharedKind.LASTING || kind == SharedKind.OF_FILE ? twice(address, length) : null;
        this.mayFault = kind != SharedKind.OF_DEVICE && FaultableMemory.isAvailable()
            && (kind != SharedKind.LASTING || second == null);
        this.watch = second == null && kind != SharedKind.OF_DEVICE ? watch : null;
        this.lost = lost;
    }

    /** Null where that is not possible: hugepages of a pool of before Linux 5.16, too many mappings. */
    private static SecondMapping twice(final long address, final long length) {
        try {
            return SecondMapping.of(address, length);
        } catch (final RdmaException e) {
            return null;
        }
    }

    /**
     * Takes memory that nobody keeps for the device.
     *
     * @param address of the first byte, page-aligned
     * @param length  bytes, whole pages, that are mapped
     * @param watch   watches private memory
     * @param lost    told of changes, on the thread that delivers them: it must be short, and ask {@link #intact()}
     * @return what holds it; it may not be intact by then, and nobody have been told
     * @throws RdmaException EFAULT if it is not mapped
     */
    public static MemoryHold of(final long address, final long length, final MappingWatch watch,
            final Consumer<MemoryHold> lost) {
        final MemoryHold hold = new MemoryHold(address, length, kind(address, length), watch, lost);
        hold.watchAnew();
        return hold;
    }

    /**
     * Takes memory that somebody keeps mapped for as long as the device may reach it, and of which the file may be cut
     * off by others.
     *
     * @param address of the first byte, page-aligned
     * @param length  bytes, whole pages, that are mapped
     * @return what holds it; null if there is nothing that can happen to it
     * @throws RdmaException EFAULT if it is not mapped
     */
    public static MemoryHold ofKept(final long address, final long length) {
        final List<MappingAreas.Area> areas = MappingAreas.covering(address, length);
        final SharedKind kind = SharedKind.of(areas);
        final boolean canBeCutOff = kind == SharedKind.OF_FILE
            || kind == SharedKind.PRIVATE && !areas.stream().allMatch(MappingAreas.Area::privateAnonymous);
        return canBeCutOff ? new MemoryHold(address, length, kind, null, hold -> { }) : null;
    }

    private static SharedKind kind(final long address, final long length) {
        return SharedKind.of(MappingAreas.covering(address, length));
    }

    private void watchAnew() {
        final long deadline = System.nanoTime() + SETTLING_NANOS;
        while (watch != null && !tryWatch() && deadline - System.nanoTime() > 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** False if it is only too early. */
    private boolean tryWatch() {
        final MappingGuard before = guard;
        if (before != null) {
            before.close();
        }
        guard = null;
        // What happened before and is not told yet would be taken for a change of what is there now; so would what is
        // happening: the kernel gives an address to one thread while another one is still in the munmap that freed it.
        if (watch.guarded() >= MAX_WATCHED || !watch.awaitSettled(SETTLING_NANOS) && !watch.quiet()) {
            return true;
        }
        // Who is told before the guard is in its field finds this intact; of says what follows from that.
        final MappingGuard made = watch.watch(address, length, (changed, from, to) -> lost.accept(this));
        if (made.whyNot() == null) {
            guard = made;
        }
        return made.whyNot() != MappingRefusals.SETTLING;
    }

    /**
     * Where the device reaches it.
     *
     * @return the address of the first byte; that of the second mapping, if there is one
     */
    public long address() {
        return second == null ? address : second.address();
    }

    /**
     * Whether pages can vanish while they are copied, so that only {@link FaultableMemory} may touch them.
     *
     * @return false for pages that stay, and where there is no way to find out
     */
    public boolean mayFault() {
        return mayFault;
    }

    /**
     * Whether it is still the memory that it was, as far as anybody was told.
     *
     * @return true also for memory that is not watched
     */
    public boolean intact() {
        final MappingGuard now = guard;
        return now == null || now.intact();
    }

    /**
     * Whether changes of it are told, where that is possible.
     *
     * @return false for what is mapped twice, and for what somebody keeps
     */
    public boolean isWatched() {
        return watch != null;
    }

    /**
     * Takes what is behind the addresses now.
     *
     * @param from  first byte of what may have changed, page-aligned, inside
     * @param bytes whole pages
     * @throws RdmaException EFAULT if it cannot be held as what was there before
     */
    public void renew(final long from, final long bytes) {
        if (second != null) {
            final SharedKind now = kind(from, bytes);
            if (now != kind && !(kind == SharedKind.OF_FILE && now == SharedKind.LASTING)) {
                throw RdmaException.of("refresh mapping").detail("%d bytes at %#x are memory of another kind now, %s in"
                    + " place of %s", bytes, from, now, kind).errno(RdmaException.EFAULT)
                    .hint("close the region and register the memory anew").build();
            }
            second.renew(from - address, from, bytes);
        } else {
            watchAnew();
        }
    }

    /** Nobody reaches the memory by this any more. */
    @Override
    public void close() {
        final MappingGuard last = guard;
        if (last != null) {
            last.close();
        }
        if (second != null) {
            second.close();
        }
    }

    @Override
    public String toString() {
        return (second != null ? "mapped twice" : guard != null ? "watched" : "not watched")
            + (mayFault ? ", copied by the kernel" : "");
    }
}
