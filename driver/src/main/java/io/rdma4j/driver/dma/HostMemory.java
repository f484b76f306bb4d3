/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaDomain;

import java.util.EnumSet;
import java.util.List;
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
    /** Closed memory comes back with a garbage collection; this is how long one is waited for, all rounds together. */
    private static final int GC_ROUNDS = 8;

    private final PagePreference preference;
    private final PageSource source;
    private final StepsDown stepsDown;

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
        this(preference, LinuxPages.INSTANCE, JVM);
    }

    HostMemory(final PagePreference preference, final PageSource source, final StepsDown stepsDown) {
        this.preference = preference;
        this.source = source;
        this.stepsDown = stepsDown;
    }

    /**
     * Direct buffers of the JVM, in ordinary pages. Needs no system call, and so works wherever the JVM does.
     *
     * @return a source of memory.
     */
    public static HostMemory ofJvm() {
        return new HostMemory(PagePreference.KB4, JvmPages.INSTANCE, JVM);
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
        if (length <= 0 || length > MAX_LENGTH) {
            throw RdmaException.of(OPERATION)
                .device(device)
                .detail("length %d, allowed are 1 to %d", length, MAX_LENGTH)
                .errno(RdmaException.EINVAL)
                .build();
        }
        final int bytes = (int) PageKind.KB4.roundUp(length);
        final List<PageKind> kinds = preference.kindsFor(bytes);
        for (int i = 0; i < kinds.size() - 1; i++) {
            try {
                return allocate(kinds.get(i), bytes);
            } catch (final RdmaException e) {
                stepsDown.say(kinds.get(i), kinds.get(i + 1), e.getMessage() + "; "
                    + source.advice(kinds.get(i), bytes));
            }
        }
        return last(kinds.get(kinds.size() - 1), bytes, device);
    }

    private HostBlock last(final PageKind kind, final int bytes, final Object device) {
        try {
            return allocate(kind, bytes);
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

    /** Memory that was closed is still mapped until the garbage collector saw that nobody uses it: it may help. */
    private HostBlock allocate(final PageKind kind, final int bytes) {
        for (int round = 0;; round++) {
            try {
                return source.allocate(kind, bytes);
            } catch (final RdmaException e) {
                if (round == GC_ROUNDS || source.retiredBytes(kind) == 0 || !waitForCollector(round)) {
                    throw e;
                }
            }
        }
    }

    private static boolean waitForCollector(final int round) {
        try {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(1L << round);
            return true;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public String toString() {
        return "HostMemory[" + preference + "]";
    }
}
