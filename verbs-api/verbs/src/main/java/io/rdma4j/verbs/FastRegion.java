/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * A region that is registered by a work request instead of a command: allocated once, empty; then again and again given
 * pages ({@link #map}), registered ({@link SendOpcode#FAST_REG_MR}), used, and invalidated ({@link
 * SendOpcode#LOCAL_INV}, or by the peer).
 *
 * <pre>{@code
 *   region.map(pages, 0, length);
 *   final int key = region.nextKey();
 *   qp.postSend(request.fastRegister(region, key, iova, LOCAL_WRITE, REMOTE_WRITE));
 *   // ... lend it to a peer by region.rkey() ...
 *   qp.postSend(request.opcode(SendOpcode.LOCAL_INV).invalidate(region.rkey()));
 * }</pre>
 *
 * <p>Thread-safe; but the keys are those of the last registration that was posted, so that two threads that register
 * the same region have to agree.
 */
public interface FastRegion extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that the region was allocated in; the QP must be of the same.
     */
    ProtectionDomain pd();

    /**
     * Size.
     *
     * @return pages that one registration can have.
     */
    int maxPages();

    /**
     * Says what the next registration is about: pins the pages, lets the device reach them, and writes their list for
     * the device. What was mapped before is let go; it stays if this is refused.
     *
     * <p>That is allowed while the region is not registered, which is for the application to know: it never was, or it
     * was invalidated and that has completed. Whoever still used it by the old key would reach what the device finds
     * where the pages were. While a work request that registers it is in a queue, this is refused.
     *
     * @param pages  the pages, as many as offset and length need; kept alive. What the list becomes later does not
     *               matter.
     * @param offset first byte in the first page, 0 to 4095.
     * @param length bytes, at least 1.
     * @throws io.rdma4j.RdmaException EINVAL for a range that is empty or does not need just these pages, for more than
     *                                 {@link #maxPages()}, and for memory of another context; EBUSY while a
     *                                 registration is in a queue; EFAULT for memory that is not mapped or out of the
     *                                 device's reach; ENOMEM if IOVA space is exhausted; EBADFD if this region is
     *                                 closed.
     */
    void map(PageList pages, int offset, long length);

    /**
     * Lets go of what was mapped, on the conditions of {@link #map}. Without anything mapped this does nothing.
     *
     * @throws io.rdma4j.RdmaException EBUSY while a registration is in a queue; EBADFD if this region is closed.
     */
    void unmap();

    /**
     * The key for local use, in scatter/gather elements.
     *
     * @return 32 bits; the low byte is that of the last registration that was posted.
     */
    int lkey();

    /**
     * The key for peers, and for invalidation.
     *
     * @return 32 bits; the low byte is that of the last registration that was posted.
     */
    int rkey();

    /**
     * A key for the next registration: {@link #rkey()} with its low byte counted up. Any other low byte will do as
     * well.
     *
     * @return 32 bits; the upper 24 are those of {@link #rkey()}.
     */
    int nextKey();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Takes the region from the device, registered or not, then unpins the pages. When this returns the device does not
     * reach them through this region any more; a registration that is still in a queue fails. Harmless when called
     * again.
     */
    @Override
    void close();
}
