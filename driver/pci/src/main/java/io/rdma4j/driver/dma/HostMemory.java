/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaDomain;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Where a device's memory comes from: the pages that are asked for, else the next smaller kind, with one warning in the
 * life of the JVM for each such step. Thread-safe.
 *
 * <p>Large pages matter because translation is per page: in the IOMMU, and in the processor.
 */
public final class HostMemory {
    /** The longest block that one buffer can hold. */
    public static final long MAX_LENGTH = (Integer.MAX_VALUE & -DmaDomain.PAGE_SIZE) - DmaDomain.PAGE_SIZE;

    private static final String OPERATION = "allocate DMA memory";
    private static final System.Logger LOGGER = System.getLogger(HostMemory.class.getName());
    private static final StepsDown JVM =
        new StepsDown(text -> LOGGER.log(System.Logger.Level.WARNING, text));
    private static final int ENOSPC = 28;
    /** How often it is looked whether memory came back after a collection, with pauses of 1, 2, 4 ms and so on. */
    private static final int GC_ROUNDS = 8;

    private final PagePreference preference;
    /** Whether little memory is worth a hugepage, too. */
    private final boolean staying;
    /** Whether all of it is memory that other processes can read. */
    private final boolean sharing;
    private final PageSource source;
    private final StepsDown stepsDown;
    private final Runnable collector;
    /** What had been retired when a collection gave nothing back: another one would give nothing either. */
    private final Map<PageKind, Long> inVain = new EnumMap<>(PageKind.class);

    /** Says each step only once. */
    static final class StepsDown {
        private final Set<PageKind> said = EnumSet.noneOf(PageKind.class);
        private final Consumer<String> log;

        StepsDown(final Consumer<String> log) {
            this.log = log;
        }

        void say(final PageKind from, final PageKind to, final String why) {
            final boolean first;
            synchronized (said) {
                first = said.add(from);
            }
            if (first) {
                log.accept("no " + from + ", taking " + to + " instead: " + why + " (said once)");
            }
        }
    }

    /**
     * Memory of the operating system.
     *
     * @param preference what to try first.
     */
    public HostMemory(final PagePreference preference) {
        this(preference, false, LinuxPages.INSTANCE, JVM, System::gc);
    }

    /**
     * Memory of the operating system that stays where it is in the machine: hugepages also for less than one of them
     * holds, unless the preference is for smaller ones. Those the kernel may move.
     *
     * @param preference what to try first.
     * @return a source of memory.
     */
    public static HostMemory staying(final PagePreference preference) {
        return new HostMemory(preference, true, LinuxPages.INSTANCE, JVM, System::gc);
    }

    HostMemory(
        final PagePreference preference, final PageSource source, final StepsDown stepsDown, final Runnable collector) {
        this(preference, false, source, stepsDown, collector);
    }

    HostMemory(
        final PagePreference preference, final boolean staying, final PageSource source, final StepsDown stepsDown,
        final Runnable collector) {
        this(preference, staying, false, source, stepsDown, collector);
    }

    private HostMemory(
        final PagePreference preference, final boolean staying, final boolean sharing, final PageSource source,
        final StepsDown stepsDown, final Runnable collector) {
        this.preference = preference;
        this.staying = staying;
        this.sharing = sharing;
        this.source = source;
        this.stepsDown = stepsDown;
        this.collector = collector;
    }

    /**
     * Direct buffers of the JVM, in ordinary pages. They need no system call, and so work wherever the JVM does. What
     * is to be shared is in a memfd, where there are such files.
     *
     * @return a source of memory.
     */
    public static HostMemory ofJvm() {
        return new HostMemory(PagePreference.KB4, JvmPages.INSTANCE, JVM, System::gc);
    }

    /**
     * As {@link #ofJvm}, but everything is shared, up to as much as the JVM has for direct buffers.
     *
     * @return a source of memory.
     */
    public static HostMemory ofJvmShared() {
        return new HostMemory(PagePreference.KB4, false, true, JvmPages.INSTANCE, JVM, System::gc);
    }

    /**
     * The file in which this process shares ordinary pages; {@link HostBlock#shared()} names it.
     *
     * @return its descriptor; -1 if there is none yet.
     */
    public static int sharedDescriptor() {
        return SharedPages.PROCESS.descriptor();
    }

    /**
     * Allocates memory, zeroed and touched, so that no page fault comes later.
     *
     * @param length bytes, 1 to {@link #MAX_LENGTH}; rounded up to 4 KiB.
     * @param device whom it is for, in messages; may be null.
     * @return the memory.
     * @throws RdmaException EINVAL if the length is out of range, ENOMEM if there is no memory of any kind.
     */
    public HostBlock allocate(final long length, final Object device) {
        return allocate(checked(length, device), device, sharing);
    }

    /**
     * The same, in memory that other processes can read, where that is possible ({@link HostBlock#shared()} tells):
     * not with transparent hugepages, nor where the system has no memfd.
     *
     * @param length bytes, 1 to {@link #MAX_LENGTH}; rounded up to 4 KiB.
     * @param device whom it is for, in messages; may be null.
     * @return the memory.
     * @throws RdmaException as {@link #allocate}.
     */
    public HostBlock allocateShared(final long length, final Object device) {
        return allocate(checked(length, device), device, true);
    }

    private static int checked(final long length, final Object device) {
        if (length <= 0 || length > MAX_LENGTH) {
            throw RdmaException.of(OPERATION)
                .device(device)
                .detail("length %d, allowed are 1 to %d", length, MAX_LENGTH)
                .errno(RdmaException.EINVAL)
                .build();
        }
        return (int) PageKind.KB4.roundUp(length);
    }

    private HostBlock allocate(final int bytes, final Object device, final boolean share) {
        final List<PageKind> kinds = share ? preference.sharedKindsFor(bytes, staying)
            : preference.kindsFor(bytes, staying);
        for (int i = 0; i < kinds.size() - 1; i++) {
            try {
                return truthful(allocate(kinds.get(i), bytes, share), kinds.get(i), bytes);
            } catch (final RdmaException e) {
                stepsDown.say(kinds.get(i), kinds.get(i + 1), e.getMessage() + "; "
                    + source.advice(kinds.get(i), bytes));
            }
        }
        return last(kinds.get(kinds.size() - 1), bytes, device, share);
    }

    private HostBlock truthful(final HostBlock block, final PageKind wanted, final int bytes) {
        if (block.pages() != wanted) {
            stepsDown.say(wanted, block.pages(), "the kernel put small pages under some of " + Sizes.text(bytes)
                + ", as it does when free memory is in small pieces (echo 1 > /proc/sys/vm/compact_memory joins them); "
                + "hugepages of a pool are there for certain");
        }
        return block;
    }

    private HostBlock last(final PageKind kind, final int bytes, final Object device, final boolean share) {
        try {
            return allocate(kind, bytes, share);
        } catch (final RdmaException e) {
            throw RdmaException.of(OPERATION)
                .device(device)
                .detail("%s of %s: %s", Sizes.text(bytes), kind, e.getMessage())
                .errno(RdmaException.ENOMEM)
                .hint(source.advice(kind, bytes))
                .cause(e)
                .build();
        }
    }

    private HostBlock allocate(final PageKind kind, final int bytes, final boolean share) {
        try {
            return take(kind, bytes, share);
        } catch (final RdmaException e) {
            if (!isShortage(e) || !mayComeBack(kind, bytes)) {
                throw e;
            }
            return allocateAfterCollection(kind, bytes, share, e);
        }
    }

    private HostBlock take(final PageKind kind, final int bytes, final boolean share) {
        return share ? source.allocateShared(kind, bytes) : source.allocate(kind, bytes);
    }

    private static boolean isShortage(final RdmaException e) {
        return e.errno() == RdmaException.ENOMEM || e.errno() == ENOSPC;
    }

    /** Memory that was closed is still mapped until the garbage collector saw that nobody uses it. */
    private boolean mayComeBack(final PageKind kind, final int bytes) {
        final long retired = source.retiredBytes(kind);
        final boolean more;
        synchronized (inVain) {
            more = source.retiredEver(kind) > inVain.getOrDefault(kind, 0L);
        }
        return more && retired > 0 && source.freeBytes(kind) >= kind.roundUp(bytes) - retired;
    }

    /** One collection finds all that can be found; the memory comes back a little later, from another thread. */
    private HostBlock allocateAfterCollection(
        final PageKind kind, final int bytes, final boolean share, final RdmaException shortage) {
        final long ever = source.retiredEver(kind);
        final long before = source.retiredBytes(kind);
        collector.run();
        RdmaException last = shortage;
        // A thread whose flag is up would not wait at all, and find nothing.
        boolean interrupted = Thread.interrupted();
        try {
            for (int round = 0; round < GC_ROUNDS; round++) {
                interrupted |= pause(1L << round);
                try {
                    return take(kind, bytes, share);
                } catch (final RdmaException e) {
                    last = e;
                }
                if (source.retiredBytes(kind) == 0) {
                    throw last;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (source.retiredBytes(kind) >= before) {
            synchronized (inVain) {
                inVain.put(kind, ever);
            }
        }
        throw last;
    }

    /** Whether it was cut short by an interrupt. */
    private static boolean pause(final long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
            return false;
        } catch (final InterruptedException e) {
            return true;
        }
    }

    @Override
    public String toString() {
        return "HostMemory[" + preference + "]";
    }
}
