/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.EnumMap;
import java.util.Map;

/**
 * How a registration cache is to be. What is set in the environment goes first, then system properties of the same
 * names, then what is set here, then defaults (checklist 54, 58):
 *
 * <table>
 * <caption>Variables</caption>
 * <tr><th>name</th><th>value</th><th>default</th></tr>
 * <tr><td>FI_MR_CACHE_MAX_SIZE</td><td>bytes that entries may have together; 0 for memory of this machine /
 * processors / 2, as libfabric has it</td><td>unlimited</td></tr>
 * <tr><td>FI_MR_CACHE_MAX_COUNT</td><td>entries; 0 keeps nothing</td><td>1024, at most half of the
 * device's regions</td></tr>
 * <tr><td>FI_MR_CACHE_MONITOR</td><td>userfaultfd, memhooks, disabled (keeps nothing), or the name of a monitor that
 * was installed</td><td>the installed one, or userfaultfd where it can be had, else memhooks</td></tr>
 * <tr><td>FI_MR_CUDA_CACHE_MONITOR_ENABLED, FI_MR_ROCR_..., FI_MR_ZE_...</td><td>0 or 1</td><td>1; there is no memory
 * of such devices in this cache, whatever it says</td></tr>
 * <tr><td>RDMA4J_MR_CACHE_STRICT</td><td>0 or 1, as {@link #strict}</td><td>1</td></tr>
 * </table>
 *
 * <p>Not thread-safe; can be used several times.
 */
public final class CacheAttributes {
    private static final String OPERATION = "describe a registration cache";

    private long maxSize = -1;
    private long maxCount = -1;
    private String monitorName;
    private MemoryMonitor monitor;
    private boolean strict = true;
    private final Map<HmemIface, Boolean> hmem = new EnumMap<>(HmemIface.class);

    /** Nothing is set. */
    public CacheAttributes() {
        // All fields have their defaults.
    }

    /**
     * The same again.
     *
     * @param other copied.
     * @throws FabricException FI_EINVAL for null.
     */
    public CacheAttributes(final CacheAttributes other) {
        Arguments.notNull(OPERATION, "other", other);
        maxSize = other.maxSize;
        maxCount = other.maxCount;
        monitorName = other.monitorName;
        monitor = other.monitor;
        strict = other.strict;
        hmem.putAll(other.hmem);
    }

    /**
     * The most bytes that entries may have together.
     *
     * @param bytes 0 as with FI_MR_CACHE_MAX_SIZE; Long.MAX_VALUE for no limit.
     * @return this.
     * @throws FabricException FI_EINVAL if negative.
     */
    public CacheAttributes maxSize(final long bytes) {
        maxSize = notNegative("maxSize", bytes);
        return this;
    }

    /**
     * The most entries.
     *
     * @param count 0 to keep nothing.
     * @return this.
     * @throws FabricException FI_EINVAL if negative.
     */
    public CacheAttributes maxCount(final long count) {
        maxCount = notNegative("maxCount", count);
        return this;
    }

    private static long notNegative(final String name, final long value) {
        if (value < 0) {
            throw FabricException.of(OPERATION).detail("%s is %d, less than 0", name, value)
                .errno(FiErrno.FI_EINVAL).build();
        }
        return value;
    }

    /**
     * The monitor, by its name.
     *
     * @param name as with FI_MR_CACHE_MONITOR.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public CacheAttributes monitor(final String name) {
        monitorName = Arguments.notNull(OPERATION, "the monitor's name", name);
        monitor = null;
        return this;
    }

    /**
     * A monitor of the application's.
     *
     * @param own told when the cache begins and ends.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public CacheAttributes monitor(final MemoryMonitor own) {
        monitor = Arguments.notNull(OPERATION, "the monitor", own);
        monitorName = null;
        return this;
    }

    /**
     * Whether a hit of memory without an owner, watched by userfaultfd, also asks the kernel whether watched memory is
     * being changed by a call that has not returned: a system call, 0.2 to 0.3 us. Hits of memory with an owner,
     * or adopted memory, never ask.
     *
     * <p>Without it there is a hole: while a thread is still inside of munmap, the kernel may give the address to
     * another thread's mmap, and before the cache is told, that thread can be given the region of the old pages. So it
     * may be switched off only where addresses that one thread unmaps are not mapped by another one meanwhile, as with
     * memory that is mapped once and kept.
     *
     * @param on default true.
     * @return this.
     */
    public CacheAttributes strict(final boolean on) {
        strict = on;
        return this;
    }

    /**
     * Whether a monitor for memory of accelerators may be used.
     *
     * @param iface CUDA, ROCR or ZE.
     * @param on    default true.
     * @return this.
     * @throws FabricException FI_EINVAL for null or another kind of memory.
     */
    public CacheAttributes monitorEnabled(final HmemIface iface, final boolean on) {
        requireMonitored(iface);
        hmem.put(iface, on);
        return this;
    }

    private static void requireMonitored(final HmemIface iface) {
        Arguments.notNull(OPERATION, "the kind of memory", iface);
        if (iface != HmemIface.CUDA && iface != HmemIface.ROCR && iface != HmemIface.ZE) {
            throw FabricException.of(OPERATION).detail("there is no switch for monitors of %s, only of CUDA, ROCR, ZE",
                iface).errno(FiErrno.FI_EINVAL).build();
        }
    }

    /**
     * The most bytes.
     *
     * @return -1 if not set.
     */
    public long maxSize() {
        return maxSize;
    }

    /**
     * The most entries.
     *
     * @return -1 if not set.
     */
    public long maxCount() {
        return maxCount;
    }

    /**
     * The monitor's name.
     *
     * @return null if not set.
     */
    public String monitorName() {
        return monitorName;
    }

    /**
     * The application's monitor.
     *
     * @return null if not set.
     */
    public MemoryMonitor monitor() {
        return monitor;
    }

    /**
     * Whether hits of memory without an owner ask the kernel.
     *
     * @return as set, or true.
     */
    public boolean isStrict() {
        return strict;
    }

    /**
     * Whether a monitor for memory of accelerators may be used.
     *
     * @param iface CUDA, ROCR or ZE.
     * @return as set, or true.
     * @throws FabricException FI_EINVAL for null or another kind of memory.
     */
    public boolean isMonitorEnabled(final HmemIface iface) {
        requireMonitored(iface);
        return hmem.getOrDefault(iface, true);
    }
}
