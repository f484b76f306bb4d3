/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * A memory window: gives peers a part of a region, with rights of its own, and takes that back, without registering
 * anything. Both are work requests, in order with the others of a send queue.
 *
 * <p>Peers address a window as the region that it is bound to, by {@link MemoryRegion#iova()}: windows whose addresses
 * begin at 0 (IBV_ACCESS_ZERO_BASED of ibv_bind_mw) are not offered.
 *
 * <p>Thread-safe. But which of two bindings that are under way in two queues comes last, nobody knows.
 */
public interface MemoryWindow extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that the window was allocated in; QP and region must be of the same.
     */
    ProtectionDomain pd();

    /**
     * How it is bound.
     *
     * @return the type.
     */
    WindowType type();

    /**
     * The key for peers: that of the last binding that was posted. Peers can use it when that has completed.
     *
     * @return 32 bits; any value is possible.
     */
    int rkey();

    /**
     * A key for the next binding of a window of type 2: {@link #rkey()} with its low byte counted up. Any other low
     * byte will do as well; one that differs from the last makes an old copy of the key worthless.
     *
     * @return 32 bits; the upper 24 are those of {@link #rkey()}.
     */
    int nextRkey();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Frees it. When this returns, no peer reaches memory through it any more, bound or not; a binding that is still in
     * a queue fails. Harmless when called again.
     */
    @Override
    void close();
}
