/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * What a QP is made of. Mutable builder; read when the QP is created. Defaults: RC, 128 work requests with one
 * scatter/gather element in each queue, every send signaled as its request says. Not thread-safe.
 */
public final class QpOptions {
    /** The longest payload that can be asked for with {@link #maxInline(int)}: 4096 bytes. */
    public static final int MAX_INLINE = 4096;

    private QpType type = QpType.RC;
    private CompletionQueue sendCq;
    private CompletionQueue receiveCq;
    private SharedReceiveQueue srq;
    private int maxSendWr = 128;
    private int maxReceiveWr = 128;
    private int maxSendSge = 1;
    private int maxReceiveSge = 1;
    private int maxInline;
    private boolean signalAll;
    private boolean cqReserved = true;

    /** Creates options with the defaults. */
    public QpOptions() {
        // Fields carry the defaults.
    }

    /**
     * Sets the transport.
     *
     * @param value RC or UD.
     * @return this.
     */
    public QpOptions type(final QpType value) {
        type = value;
        return this;
    }

    /**
     * Sets one completion queue for both directions.
     *
     * @param value a CQ of the same context.
     * @return this.
     */
    public QpOptions cq(final CompletionQueue value) {
        sendCq = value;
        receiveCq = value;
        return this;
    }

    /**
     * Sets the completion queue of sends.
     *
     * @param value a CQ of the same context.
     * @return this.
     */
    public QpOptions sendCq(final CompletionQueue value) {
        sendCq = value;
        return this;
    }

    /**
     * Sets the completion queue of receives.
     *
     * @param value a CQ of the same context.
     * @return this.
     */
    public QpOptions receiveCq(final CompletionQueue value) {
        receiveCq = value;
        return this;
    }

    /**
     * Takes receives from a shared receive queue instead of a queue of the QP's own.
     *
     * @param value a SRQ of the same domain; null for none.
     * @return this.
     */
    public QpOptions srq(final SharedReceiveQueue value) {
        srq = value;
        return this;
    }

    /**
     * Sets the least size of the send queue.
     *
     * @param value work requests, at least 1; rounded up to a power of two.
     * @return this.
     */
    public QpOptions maxSendWr(final int value) {
        maxSendWr = value;
        return this;
    }

    /**
     * Sets the least size of the receive queue.
     *
     * @param value work requests, at least 1; rounded up to a power of two; without effect with a SRQ.
     * @return this.
     */
    public QpOptions maxReceiveWr(final int value) {
        maxReceiveWr = value;
        return this;
    }

    /**
     * Sets the elements that a send may have.
     *
     * @param value scatter/gather elements, at least 1.
     * @return this.
     */
    public QpOptions maxSendSge(final int value) {
        maxSendSge = value;
        return this;
    }

    /**
     * Sets the elements that a receive may have.
     *
     * @param value scatter/gather elements, at least 1; without effect with a SRQ.
     * @return this.
     */
    public QpOptions maxReceiveSge(final int value) {
        maxReceiveSge = value;
        return this;
    }

    /**
     * Sets the longest payload that {@link SendRequest#inline} may have. The device has no inline data: the driver
     * allocates memory of {@link #maxSendWr()} times this, pinned and registered with the QP, and copies the payload
     * there when it is posted, so the device fetches it as it fetches any other. The application is spared registering
     * its memory and waiting for the completion before it changes it, not the fetch.
     *
     * @param value bytes, 0 (the default) for none to {@value #MAX_INLINE}; rounded up to a power of two, at least 64.
     * @return this.
     */
    public QpOptions maxInline(final int value) {
        maxInline = value;
        return this;
    }

    /**
     * Makes every send signaled, whatever its request says.
     *
     * @param value true for all.
     * @return this.
     */
    public QpOptions signalAll(final boolean value) {
        signalAll = value;
        return this;
    }

    /**
     * Whether room for every work request of this QP is reserved in its CQs, so that they cannot overflow. Without it
     * the application promises never to have more completions outstanding than the CQ has entries. Where a CQ has
     * hardly more room than that, creating the QP waits for a batch that another thread polls, and some milliseconds
     * in any case.
     *
     * @param value false to go without.
     * @return this.
     */
    public QpOptions reserveCq(final boolean value) {
        cqReserved = value;
        return this;
    }

    /**
     * The transport.
     *
     * @return RC or UD.
     */
    public QpType type() {
        return type;
    }

    /**
     * The completion queue of sends.
     *
     * @return a CQ, or null if none was set yet.
     */
    public CompletionQueue sendCq() {
        return sendCq;
    }

    /**
     * The completion queue of receives.
     *
     * @return a CQ, or null if none was set yet.
     */
    public CompletionQueue receiveCq() {
        return receiveCq;
    }

    /**
     * The shared receive queue.
     *
     * @return a SRQ, or null for none.
     */
    public SharedReceiveQueue srq() {
        return srq;
    }

    /**
     * Least size of the send queue.
     *
     * @return work requests.
     */
    public int maxSendWr() {
        return maxSendWr;
    }

    /**
     * Least size of the receive queue.
     *
     * @return work requests.
     */
    public int maxReceiveWr() {
        return maxReceiveWr;
    }

    /**
     * Elements that a send may have.
     *
     * @return scatter/gather elements.
     */
    public int maxSendSge() {
        return maxSendSge;
    }

    /**
     * Elements that a receive may have.
     *
     * @return scatter/gather elements.
     */
    public int maxReceiveSge() {
        return maxReceiveSge;
    }

    /**
     * Longest payload of {@link SendRequest#inline}.
     *
     * @return bytes; 0 for none.
     */
    public int maxInline() {
        return maxInline;
    }

    /**
     * Whether every send is signaled.
     *
     * @return true for all.
     */
    public boolean signalAll() {
        return signalAll;
    }

    /**
     * Whether room in the CQs is reserved.
     *
     * @return true unless it was switched off.
     */
    public boolean reserveCq() {
        return cqReserved;
    }
}
