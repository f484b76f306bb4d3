/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * One operation with all that it can have (struct fi_msg, struct fi_msg_rma): buffers, peer, data, remote memory. Made
 * once and filled anew for each operation: nothing is allocated. The endpoint keeps nothing of it after the call.
 */
public final class Message {
    private final long[] addresses;
    private final int[] lengths;
    private final MemoryRegion[] descs;
    private int count;
    private long peer = FiAddr.UNSPEC;
    private long context;
    private int data;
    private long tag;
    private long ignore;
    private long remoteAddress;
    private long key;
    private Counter trigger;
    private long threshold;

    /**
     * Without buffers.
     *
     * @param iovLimit most buffers, 1 to 256; endpoints take as many as their attributes say (iov_limit).
     * @throws FabricException FI_EINVAL for a limit outside of that.
     */
    public Message(final int iovLimit) {
        if (iovLimit < 1 || iovLimit > 256) {
            throw FabricException.of("make message").detail("%d buffers, allowed are 1 to 256", iovLimit)
                .errno(FiErrno.FI_EINVAL).build();
        }
        addresses = new long[iovLimit];
        lengths = new int[iovLimit];
        descs = new MemoryRegion[iovLimit];
    }

    /**
     * Takes all buffers out. The rest stays.
     *
     * @return this.
     */
    public Message clear() {
        for (int i = 0; i < count; i++) {
            descs[i] = null;
        }
        count = 0;
        return this;
    }

    /**
     * Adds a buffer. What makes no sense is refused by the operation.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param desc    covers it; or null.
     * @return this.
     * @throws FabricException FI_E2BIG beyond the limit of the constructor.
     */
    public Message add(final long address, final int length, final MemoryRegion desc) {
        if (count == addresses.length) {
            throw FabricException.of("fill message").detail("%d buffers are in it, which is its limit", count)
                .errno(FiErrno.FI_E2BIG).build();
        }
        addresses[count] = address;
        lengths[count] = length;
        descs[count] = desc;
        count++;
        return this;
    }

    /**
     * Whom to send to, or to receive from. Connected endpoints do not look at it.
     *
     * @param fiAddr of the endpoint's vector; {@link FiAddr#UNSPEC} to receive from all.
     * @return this.
     */
    public Message peer(final long fiAddr) {
        peer = fiAddr;
        return this;
    }

    /**
     * What comes back with the completion.
     *
     * @param value the application's own.
     * @return this.
     */
    public Message context(final long value) {
        context = value;
        return this;
    }

    /**
     * Data for the peer's completion, with {@link OpFlags#REMOTE_CQ_DATA}.
     *
     * @param value 32 bits.
     * @return this.
     */
    public Message data(final int value) {
        data = value;
        return this;
    }

    /**
     * The tag, for {@link TaggedMessages}.
     *
     * @param value of a message; or of those to be received.
     * @return this.
     */
    public Message tag(final long value) {
        tag = value;
        return this;
    }

    /**
     * Bits of the tag that may differ, to receive by {@link TaggedMessages}.
     *
     * @param bits 0 for none.
     * @return this.
     */
    public Message ignore(final long bits) {
        ignore = bits;
        return this;
    }

    /**
     * Memory of the peer, for RMA.
     *
     * @param address   first byte, counted from the peer's {@link MemoryRegion#base()} on.
     * @param remoteKey the peer's key, or a mapped one.
     * @return this.
     */
    public Message remote(final long address, final long remoteKey) {
        remoteAddress = address;
        key = remoteKey;
        return this;
    }

    /**
     * When to begin, with {@link OpFlags#TRIGGER} (struct fi_triggered_context). The message is copied then, its
     * buffers are not: with {@link OpFlags#INJECT} it is -FI_EBADFLAGS.
     *
     * @param counter of the endpoint's domain.
     * @param value   what it has to have counted.
     * @return this.
     */
    public Message trigger(final Counter counter, final long value) {
        trigger = counter;
        threshold = value;
        return this;
    }

    /**
     * One that stays as it is while this one is filled anew.
     *
     * @return the same buffers and all else.
     */
    public Message copy() {
        final Message other = new Message(Math.max(1, count));
        for (int i = 0; i < count; i++) {
            other.add(addresses[i], lengths[i], descs[i]);
        }
        return other.peer(peer).context(context).data(data).tag(tag).ignore(ignore).remote(remoteAddress, key)
            .trigger(trigger, threshold);
    }

    /**
     * How many buffers are in it.
     *
     * @return 0 or more.
     */
    public int count() {
        return count;
    }

    /**
     * Where a buffer begins.
     *
     * @param index which, below {@link #count()}.
     * @return its address.
     * @throws FabricException FI_EINVAL if the message has no room for such a buffer.
     */
    public long address(final int index) {
        return addresses[checked(index)];
    }

    /**
     * How long a buffer is.
     *
     * @param index which, below {@link #count()}.
     * @return bytes as given.
     * @throws FabricException FI_EINVAL if the message has no room for such a buffer.
     */
    public int length(final int index) {
        return lengths[checked(index)];
    }

    /**
     * What covers a buffer.
     *
     * @param index which, below {@link #count()}.
     * @return may be null.
     * @throws FabricException FI_EINVAL if the message has no room for such a buffer.
     */
    public MemoryRegion desc(final int index) {
        return descs[checked(index)];
    }

    /** Not the count: a message that somebody clears while it is posted has to be read without an exception. */
    private int checked(final int index) {
        if (index < 0 || index >= addresses.length) {
            throw FabricException.of("look at message").detail("buffer %d of at most %d", index, addresses.length)
                .errno(FiErrno.FI_EINVAL).build();
        }
        return index;
    }

    /**
     * Bytes of all buffers.
     *
     * @return their sum; -1 if a length is negative.
     */
    public long total() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            if (lengths[i] < 0) {
                return -1;
            }
            sum += lengths[i];
        }
        return sum;
    }

    /**
     * The peer.
     *
     * @return as given.
     */
    public long peer() {
        return peer;
    }

    /**
     * The context.
     *
     * @return as given.
     */
    public long context() {
        return context;
    }

    /**
     * The data.
     *
     * @return as given.
     */
    public int data() {
        return data;
    }

    /**
     * The tag.
     *
     * @return as given.
     */
    public long tag() {
        return tag;
    }

    /**
     * Bits of the tag that may differ.
     *
     * @return as given.
     */
    public long ignore() {
        return ignore;
    }

    /**
     * Where in the peer's memory.
     *
     * @return as given.
     */
    public long remoteAddress() {
        return remoteAddress;
    }

    /**
     * By which key.
     *
     * @return as given.
     */
    public long key() {
        return key;
    }

    /**
     * The counter that it waits for.
     *
     * @return as given; null for none.
     */
    public Counter triggerCounter() {
        return trigger;
    }

    /**
     * What the counter has to have counted.
     *
     * @return as given.
     */
    public long threshold() {
        return threshold;
    }

    @Override
    public String toString() {
        return "message of " + count + " buffers, " + total() + " bytes, context " + context;
    }
}
