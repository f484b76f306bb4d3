/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import org.agrona.DirectBuffer;

import java.util.Arrays;

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
    private static final int WINDOW_RIGHTS =
        AccessFlag.REMOTE_READ.bit() | AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();

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
    private int invalidateRkey;
    private long compareMask;
    private long swapMask;
    private long fieldBoundary;
    private MemoryWindow window;
    private MemoryRegion region;
    private FastRegion fastRegion;
    private int newKey;
    private long iova;
    private long length;
    private int access;
    private boolean inline;
    private DirectBuffer inlineSource;
    private int inlineOffset;
    private int inlineLength;

    /**
     * Creates a request.
     *
     * @param maxSge elements that it can hold, 0 to {@value SgeList#MAX_CAPACITY}.
     * @throws IllegalArgumentException if it is out of range.
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
     * @param value the operation.
     * @return this.
     * @throws NullPointerException if it is null.
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
     * Sets the immediate data.
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
     * Sets the key to invalidate: the peer's for {@link SendOpcode#SEND_WITH_INV}, one of this side's for {@link
     * SendOpcode#LOCAL_INV} and {@link SendOpcode#RDMA_READ_WITH_INV}.
     *
     * @param key the remote key of a window of type 2 or of a fast region.
     * @return this.
     */
    public SendRequest invalidate(final int key) {
        invalidateRkey = key;
        return this;
    }

    /**
     * Makes this a {@link SendOpcode#MASKED_ATOMIC_CMP_AND_SWP}: if the peer's 64 bits are those to compare with, as
     * far as the first mask goes, those of the second mask are swapped in.
     *
     * @param compare     what to compare with.
     * @param compareBits which bits to compare.
     * @param swapWith    what to swap in.
     * @param swapBits    which bits to swap.
     * @return this.
     */
    public SendRequest maskedCompareSwap(
        final long compare, final long compareBits, final long swapWith, final long swapBits) {
        opcode = SendOpcode.MASKED_ATOMIC_CMP_AND_SWP;
        compareAdd = compare;
        compareMask = compareBits;
        swap = swapWith;
        swapMask = swapBits;
        return this;
    }

    /**
     * Makes this a {@link SendOpcode#MASKED_ATOMIC_FETCH_AND_ADD}: fields of the peer's 64 bits are added to, each by
     * itself, without a carry from one to the next.
     *
     * @param add      what to add, field by field.
     * @param boundary a bit at the highest place of each field.
     * @return this.
     */
    public SendRequest maskedAdd(final long add, final long boundary) {
        opcode = SendOpcode.MASKED_ATOMIC_FETCH_AND_ADD;
        compareAdd = add;
        fieldBoundary = boundary;
        return this;
    }

    /**
     * Makes this a {@link SendOpcode#BIND_MW}: binds a window of type 2, which is not bound, to a part of a region. The
     * request has no elements then. Posting it makes the new key the window's {@link MemoryWindow#rkey()}; what ends
     * the binding is an invalidation of that.
     *
     * <p>Checked when it is posted, not here: {@link ReturnCode#INVALID_REQUEST} for null or closed objects, a window
     * of type 1, an empty range or one outside of the region, a region without {@link AccessFlag#MW_BIND}, and rights
     * that it cannot give; {@link ReturnCode#FOREIGN_OBJECT} for objects of another domain than the QP's. The device
     * checks the rest; then the completion has {@link WcStatus#MW_BIND_ERR}, and the QP is in error.
     *
     * @param boundWindow what to bind.
     * @param newRkey     its new key: {@link MemoryWindow#nextRkey()}, or any that differs from its key in the low byte
     *                    alone.
     * @param boundTo     a region of the same domain.
     * @param first       first byte that peers may use, by the region's {@link MemoryRegion#iova()}.
     * @param bytes       size.
     * @param rights      what peers may do; writes and atomics need local write of the region.
     * @return this.
     * @throws IllegalArgumentException for rights that a window cannot have: local ones, and that to bind.
     * @throws NullPointerException     if the rights, or one of them, are null.
     */
    public SendRequest bind(
        final MemoryWindow boundWindow, final int newRkey, final MemoryRegion boundTo, final long first,
        final long bytes, final AccessFlag... rights) {
        final int bits = AccessFlag.requiredBits(rights);
        if ((bits & ~WINDOW_RIGHTS) != 0) {
            throw new IllegalArgumentException("a window has remote rights only, not " + Arrays.toString(rights));
        }
        opcode = SendOpcode.BIND_MW;
        clearSges();
        window = boundWindow;
        region = boundTo;
        return place(newRkey, first, bytes, bits);
    }

    /**
     * Makes this a {@link SendOpcode#FAST_REG_MR}: registers what {@link FastRegion#map} was told of, in a region that
     * is not registered. The request has no elements then. Posting it makes the low byte of the new key that of the
     * region's {@link FastRegion#rkey()} and {@link FastRegion#lkey()}.
     *
     * <p>Checked when it is posted, not here: {@link ReturnCode#INVALID_REQUEST} for a region that is null, closed,
     * without pages or just being registered in another queue, an address whose place in the page is not that of the
     * first byte, a key that is not the region's, remote write or atomic without local write, local write of memory
     * that is read-only, and {@link AccessFlag#MW_BIND}; {@link ReturnCode#FOREIGN_OBJECT} for one of another domain.
     * The device checks the rest.
     *
     * @param registered what to register.
     * @param newRkey    its new key: {@link FastRegion#nextKey()}, or any that differs from its key in the low byte
     *                   alone.
     * @param first      by which address work requests name the first byte.
     * @param rights     what the region allows besides local read.
     * @return this.
     * @throws NullPointerException if the rights, or one of them, are null.
     */
    public SendRequest fastRegister(
        final FastRegion registered, final int newRkey, final long first, final AccessFlag... rights) {
        final int bits = AccessFlag.requiredBits(rights);
        opcode = SendOpcode.FAST_REG_MR;
        clearSges();
        fastRegion = registered;
        return place(newRkey, first, 0, bits);
    }

    /**
     * Sets another key for {@link #bind} or {@link #fastRegister}, to post the request again.
     *
     * @param key {@link MemoryWindow#nextRkey()} or {@link FastRegion#nextKey()}.
     * @return this.
     */
    public SendRequest newKey(final int key) {
        newKey = key;
        return this;
    }

    private SendRequest place(final int key, final long first, final long bytes, final int rights) {
        newKey = key;
        iova = first;
        length = bytes;
        access = rights;
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
     * @throws IllegalStateException    if the request was made for none.
     * @throws IllegalArgumentException if length is negative.
     */
    public SendRequest sge(final long address, final int length, final int lkey) {
        clearSges();
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
     * @throws IllegalStateException    if the request is full.
     * @throws IllegalArgumentException if length is negative.
     */
    public SendRequest addSge(final long address, final int length, final int lkey) {
        endInline();
        sges.add(address, length, lkey);
        return this;
    }

    /**
     * Removes all elements.
     *
     * @return this.
     */
    public SendRequest clearSges() {
        endInline();
        sges.clear();
        return this;
    }

    /**
     * Takes a small payload instead of elements: of a SEND or an RDMA WRITE with or without immediate data, on a QP
     * that was created with {@link QpOptions#maxInline(int)}. The driver copies it when the request is posted, into
     * registered memory of the QP, since the device has no inline data. The source need not be registered, and can be
     * used for something else as soon as the post returns. Setting or clearing elements ends this.
     *
     * <p>Checked when it is posted, not here: {@link ReturnCode#INVALID_REQUEST} if there is no source, the range is
     * longer than {@link QueuePair#maxInline()} or not inside of the source, or the operation is another one.
     *
     * @param source what holds the payload; may be on the heap; held until something else is set.
     * @param offset first byte.
     * @param length bytes, 0 or more.
     * @return this.
     */
    public SendRequest inline(final DirectBuffer source, final int offset, final int length) {
        sges.clear();
        inline = true;
        inlineSource = source;
        inlineOffset = offset;
        inlineLength = length;
        return this;
    }

    /**
     * Makes this request equal to another one, elements and payload included; the payload is not copied.
     *
     * @param other what to copy.
     * @return this.
     * @throws IllegalStateException if this request was made for fewer elements.
     * @throws NullPointerException  if the other one is null.
     */
    public SendRequest set(final SendRequest other) {
        sges.set(java.util.Objects.requireNonNull(other, "other").sges);
        wrId = other.wrId;
        opcode = other.opcode;
        flags = other.flags;
        immData = other.immData;
        remoteAddress = other.remoteAddress;
        rkey = other.rkey;
        compareAdd = other.compareAdd;
        swap = other.swap;
        addressHandle = other.addressHandle;
        remoteQpn = other.remoteQpn;
        remoteQkey = other.remoteQkey;
        invalidateRkey = other.invalidateRkey;
        compareMask = other.compareMask;
        swapMask = other.swapMask;
        fieldBoundary = other.fieldBoundary;
        window = other.window;
        region = other.region;
        fastRegion = other.fastRegion;
        newKey = other.newKey;
        iova = other.iova;
        length = other.length;
        access = other.access;
        inline = other.inline;
        inlineSource = other.inlineSource;
        inlineOffset = other.inlineOffset;
        inlineLength = other.inlineLength;
        return this;
    }

    private void endInline() {
        if (inline) {
            inline = false;
            inlineSource = null;
        }
    }

    /** {@return the elements: the list itself} */
    public SgeList sges() {
        return sges;
    }

    /** {@return true if a payload was given instead of elements: after {@link #inline}} */
    public boolean isInline() {
        return inline;
    }

    /** {@return what holds the payload: as given to {@link #inline}; null without} */
    public DirectBuffer inlineSource() {
        return inlineSource;
    }

    /** {@return first byte of the payload: as given to {@link #inline}} */
    public int inlineOffset() {
        return inlineOffset;
    }

    /** {@return size of the payload: bytes, as given to {@link #inline}} */
    public int inlineLength() {
        return inlineLength;
    }

    /** {@return what comes back in the completion: any value} */
    public long wrId() {
        return wrId;
    }

    /** {@return what to do: the operation} */
    public SendOpcode opcode() {
        return opcode;
    }

    /** {@return the flags: or-ed bits} */
    public int flags() {
        return flags;
    }

    /** {@return immediate data: 32 bits} */
    public int immData() {
        return immData;
    }

    /** {@return where an RDMA operation or an atomic goes: the peer's address} */
    public long remoteAddress() {
        return remoteAddress;
    }

    /** {@return key of the peer's region: 32 bits} */
    public int rkey() {
        return rkey;
    }

    /** {@return first operand of an atomic: what to compare with, or to add} */
    public long compareAdd() {
        return compareAdd;
    }

    /** {@return second operand of an atomic: what to swap in} */
    public long swap() {
        return swap;
    }

    /** {@return the key to invalidate: 32 bits} */
    public int invalidateRkey() {
        return invalidateRkey;
    }

    /** {@return which bits a masked compare-and-swap compares: a mask} */
    public long compareMask() {
        return compareMask;
    }

    /** {@return which bits a masked compare-and-swap changes: a mask} */
    public long swapMask() {
        return swapMask;
    }

    /** {@return the fields of a masked fetch-and-add: a bit at the highest place of each} */
    public long fieldBoundary() {
        return fieldBoundary;
    }

    /** {@return what {@link #bind} binds: a window, or null} */
    public MemoryWindow window() {
        return window;
    }

    /** {@return what {@link #bind} binds to: a region, or null} */
    public MemoryRegion region() {
        return region;
    }

    /** {@return what {@link #fastRegister} registers: a region, or null} */
    public FastRegion fastRegion() {
        return fastRegion;
    }

    /** {@return the new key of {@link #bind} and {@link #fastRegister}: 32 bits} */
    public int newKey() {
        return newKey;
    }

    /** {@return by which address {@link #bind} and {@link #fastRegister} name the first byte: an address} */
    public long iova() {
        return iova;
    }

    /** {@return how much {@link #bind} binds: bytes} */
    public long length() {
        return length;
    }

    /** {@return the rights of {@link #bind} and {@link #fastRegister}: bits of {@link AccessFlag}, or-ed} */
    public int access() {
        return access;
    }

    /** {@return the way to the peer's port (UD): a handle, or null} */
    public AddressHandle addressHandle() {
        return addressHandle;
    }

    /** {@return the peer's QP number (UD): 24 bits} */
    public int remoteQpn() {
        return remoteQpn;
    }

    /** {@return the peer's queue key (UD): 32 bits} */
    public int remoteQkey() {
        return remoteQkey;
    }

    /** {@return the operation with all that counts for it} */
    @Override
    public String toString() {
        return SendText.of(this);
    }
}
