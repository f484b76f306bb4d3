/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * A work request for a send queue: mutable, made once and used again, so that posting allocates nothing. Posting copies
 * it. Not thread-safe.
 *
 * <p>A new request is a signaled SEND without elements.
 */
public final class SendRequest {
    /** Flag: wait until the READs and atomics before are done. */
    public static final int FENCE = 1;
    /** Flag: make a completion. */
    public static final int SIGNALED = 2;
    /** Flag: mark the receiver's completion as solicited. */
    public static final int SOLICITED = 4;
    private static final int ALL_FLAGS = FENCE | SIGNALED | SOLICITED;

    private final SgeList sges;
    private long wrId;
    private SendOpcode opcode = SendOpcode.SEND;
    private int flags = SIGNALED;
    private int immData;
    private long remoteAddress;
    private int rkey;
    private long compareAdd;
    private long swap;
    private AddressHandle addressHandle;
    private int remoteQpn;
    private int remoteQkey;

    /**
     * Creates a request.
     *
     * @param maxSge elements that it can hold, 0 or more.
     */
    public SendRequest(final int maxSge) {
        sges = new SgeList(maxSge);
    }

    /** Creates a request that can hold one element. */
    public SendRequest() {
        this(1);
    }

    /**
     * Sets what comes back in the completion.
     *
     * @param value any value.
     * @return this.
     */
    public SendRequest wrId(final long value) {
        wrId = value;
        return this;
    }

    /**
     * Sets what to do.
     *
     * @param value the operation, not null.
     * @return this.
     */
    public SendRequest opcode(final SendOpcode value) {
        opcode = java.util.Objects.requireNonNull(value, "opcode");
        return this;
    }

    /**
     * Sets the flags.
     *
     * @param value {@link #FENCE}, {@link #SIGNALED}, {@link #SOLICITED}, or-ed.
     * @return this.
     * @throws IllegalArgumentException for other bits.
     */
    public SendRequest flags(final int value) {
        if ((value & ~ALL_FLAGS) != 0) {
            throw new IllegalArgumentException("unknown send flags 0x" + Integer.toHexString(value & ~ALL_FLAGS));
        }
        flags = value;
        return this;
    }

    /**
     * Sets the immediate data, or the key to invalidate at the peer.
     *
     * @param value 32 bits.
     * @return this.
     */
    public SendRequest immData(final int value) {
        immData = value;
        return this;
    }

    /**
     * Sets where an RDMA operation or an atomic goes.
     *
     * @param address the peer's address.
     * @param key     the peer's remote key.
     * @return this.
     */
    public SendRequest remote(final long address, final int key) {
        remoteAddress = address;
        rkey = key;
        return this;
    }

    /**
     * Sets the operands of an atomic.
     *
     * @param compareOrAdd what to compare with, or to add.
     * @param swapWith     what to swap in.
     * @return this.
     */
    public SendRequest atomic(final long compareOrAdd, final long swapWith) {
        compareAdd = compareOrAdd;
        swap = swapWith;
        return this;
    }

    /**
     * Sets where a datagram goes (UD).
     *
     * @param handle the way to the peer's port.
     * @param qpn    the peer's QP number.
     * @param qkey   the peer's queue key; with its top bit set the QP's own is sent.
     * @return this.
     */
    public SendRequest to(final AddressHandle handle, final int qpn, final int qkey) {
        addressHandle = handle;
        remoteQpn = qpn;
        remoteQkey = qkey;
        return this;
    }

    /**
     * Makes the one given element the only one.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param lkey    key of the region that holds them.
     * @return this.
     */
    public SendRequest sge(final long address, final int length, final int lkey) {
        sges.clear();
        sges.add(address, length, lkey);
        return this;
    }

    /**
     * Adds an element.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param lkey    key of the region that holds them.
     * @return this.
     * @throws IllegalStateException if the request is full.
     */
    public SendRequest addSge(final long address, final int length, final int lkey) {
        sges.add(address, length, lkey);
        return this;
    }

    /**
     * Removes all elements.
     *
     * @return this.
     */
    public SendRequest clearSges() {
        sges.clear();
        return this;
    }

    /**
     * The elements.
     *
     * @return the list itself.
     */
    public SgeList sges() {
        return sges;
    }

    /**
     * What comes back in the completion.
     *
     * @return any value.
     */
    public long wrId() {
        return wrId;
    }

    /**
     * What to do.
     *
     * @return the operation.
     */
    public SendOpcode opcode() {
        return opcode;
    }

    /**
     * The flags.
     *
     * @return or-ed bits.
     */
    public int flags() {
        return flags;
    }

    /**
     * Immediate data, or the key to invalidate.
     *
     * @return 32 bits.
     */
    public int immData() {
        return immData;
    }

    /**
     * Where an RDMA operation or an atomic goes.
     *
     * @return the peer's address.
     */
    public long remoteAddress() {
        return remoteAddress;
    }

    /**
     * Key of the peer's region.
     *
     * @return 32 bits.
     */
    public int rkey() {
        return rkey;
    }

    /**
     * First operand of an atomic.
     *
     * @return what to compare with, or to add.
     */
    public long compareAdd() {
        return compareAdd;
    }

    /**
     * Second operand of an atomic.
     *
     * @return what to swap in.
     */
    public long swap() {
        return swap;
    }

    /**
     * The way to the peer's port (UD).
     *
     * @return a handle, or null.
     */
    public AddressHandle addressHandle() {
        return addressHandle;
    }

    /**
     * The peer's QP number (UD).
     *
     * @return 24 bits.
     */
    public int remoteQpn() {
        return remoteQpn;
    }

    /**
     * The peer's queue key (UD).
     *
     * @return 32 bits.
     */
    public int remoteQkey() {
        return remoteQkey;
    }
}
