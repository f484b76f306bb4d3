/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryMonitor;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The service {@code mr_cache} (checklist 56): installs a memory monitor for the registration caches of this process
 * that are made from then on, and are not told otherwise. Thread-safe.
 */
public final class MrCacheService implements AutoCloseable {
    /** What fi_open calls it. */
    public static final String NAME = "mr_cache";
    /** The oldest interface version that has it: FI_VERSION(1, 13). */
    public static final int MIN_VERSION = 1 << 16 | 13;

    private static final String OPERATION = "open " + NAME;
    private static final AtomicReference<MemoryMonitor> INSTALLED = new AtomicReference<>();

    private volatile MemoryMonitor bound;
    private volatile boolean closed;

    private MrCacheService() {
    }

    /**
     * Opens the service (fi_open).
     *
     * @param version    interface version, major in the upper and minor in the lower 16 bits; 1.13 at least.
     * @param attributes there are none: null or empty.
     * @param flags      there are none: 0.
     * @return the service; the caller owns it.
     * @throws FabricException FI_EINVAL for an older version or attributes, FI_EBADFLAGS for flags.
     */
    public static MrCacheService open(final int version, final byte[] attributes, final long flags) {
        if (Integer.compareUnsigned(version, MIN_VERSION) < 0) {
            throw FabricException.of(OPERATION).detail("version %d.%d has no such service", version >>> 16,
                version & 0xffff).errno(FiErrno.FI_EINVAL).hint("ask for 1.13 or later").build();
        }
        if (attributes != null && attributes.length > 0) {
            throw FabricException.of(OPERATION).detail("%d bytes of attributes, it has none", attributes.length)
                .errno(FiErrno.FI_EINVAL).build();
        }
        requireNoFlags(OPERATION, flags);
        return new MrCacheService();
    }

    private static void requireNoFlags(final String operation, final long flags) {
        if (flags != 0) {
            throw FabricException.of(operation).detail("flags are 0x%x, there are none", flags)
                .errno(FiErrno.FI_EBADFLAGS).build();
        }
    }

    /**
     * Installs a monitor (fi_import_fid): caches that are made from now on use it, unless their attributes or
     * FI_MR_CACHE_MONITOR name another. Caches that exist keep theirs.
     *
     * @param monitor a {@link MemoryMonitor}; only monitors can be bound.
     * @param flags   there are none: 0.
     * @throws FabricException FI_EINVAL for anything but a monitor, or one whose name is null, empty or
     *                         {@code disabled}; FI_EBADFLAGS for flags; FI_EBUSY while another one is installed;
     *                         FI_EBADFD if closed.
     */
    public synchronized void bind(final Object monitor, final long flags) {
        final String operation = "bind to " + NAME;
        requireNoFlags(operation, flags);
        if (!(monitor instanceof MemoryMonitor)) {
            throw FabricException.of(operation).detail("%s is no MemoryMonitor",
                monitor == null ? "null" : "a " + monitor.getClass().getName()).errno(FiErrno.FI_EINVAL).build();
        }
        final MemoryMonitor ours = (MemoryMonitor) monitor;
        final String name = ours.name();
        if (name == null || name.isEmpty() || name.equals(CacheSettings.DISABLED)) {
            throw FabricException.of(operation).detail("a monitor cannot be called '%s'", name)
                .errno(FiErrno.FI_EINVAL).build();
        }
        if (closed) {
            throw FabricException.of(operation).detail("the service is closed").errno(FiErrno.FI_EBADFD).build();
        }
        if (!INSTALLED.compareAndSet(null, ours)) {
            throw FabricException.of(operation).detail("the monitor '%s' is installed", INSTALLED.get())
                .errno(FiErrno.FI_EBUSY).hint("close the service that installed it").build();
        }
        bound = ours;
    }

    static MemoryMonitor installed() {
        return INSTALLED.get();
    }

    /** Takes away the monitor that was installed here. Caches that use it go on with it. Harmless when called again. */
    @Override
    public synchronized void close() {
        closed = true;
        if (bound != null) {
            INSTALLED.compareAndSet(bound, null);
            bound = null;
        }
    }
}
