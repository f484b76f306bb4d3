/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.util.Set;

/**
 * Registered memory: pinned, translated for the device, named by keys (checklist 93-106). Thread-safe.
 *
 * <p>When {@link #close()} has returned, the device does not reach the memory through this region any more, and the
 * region has let go of the buffer it was made from.
 */
public interface MemoryRegion extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that the region is registered in.
     */
    ProtectionDomain pd();

    /**
     * First byte.
     *
     * @return the virtual address that was registered.
     */
    long address();

    /**
     * Size.
     *
     * @return bytes.
     */
    long length();

    /**
     * What the region allows besides local read.
     *
     * @return an unmodifiable set.
     */
    Set<AccessFlag> access();

    /**
     * The key for local use, in scatter/gather elements.
     *
     * @return 32 bits; any value is possible, also 0.
     */
    int lkey();

    /**
     * Whether there is a key for peers: only with a remote right (checklist 94).
     *
     * @return true if {@link #rkey()} can be called.
     */
    boolean hasRkey();

    /**
     * The key for peers.
     *
     * @return 32 bits.
     * @throws io.rdma4j.RdmaException EINVAL if the region was registered without remote rights.
     */
    int rkey();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /** Deregisters: the keys are dead, the memory is unpinned. Harmless when called again. */
    @Override
    void close();
}
