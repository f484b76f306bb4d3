/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * One atomic with all that it has (struct fi_msg_atomic): what to do with which numbers, operands, where the result
 * goes. Made once and filled anew for each operation: nothing is allocated. Not thread-safe. The endpoint keeps nothing
 * of it after the call; operands are read before the call returns.
 */
public final class AtomicRequest {
    private AtomicOp op = AtomicOp.SUM;
    private AtomicType type = AtomicType.UINT64;
    private long operands;
    private int count;
    private MemoryRegion operandsDesc;
    private long compare;
    private MemoryRegion compareDesc;
    private long result;
    private MemoryRegion resultDesc;
    private long peer = FiAddr.UNSPEC;
    private long remoteAddress;
    private long key;
    private long context;
    private Counter trigger;
    private long threshold;

    /** The sum of no numbers of 64 bits. */
    public AtomicRequest() {
        // All fields have their defaults.
    }

    /**
     * What to do. Result and third operands are none afterwards.
     *
     * @param what     with each number.
     * @param withType of the numbers.
     * @return this.
     */
    public AtomicRequest operation(final AtomicOp what, final AtomicType withType) {
        op = what;
        type = withType;
        compare = 0;
        compareDesc = null;
        result = 0;
        resultDesc = null;
        return this;
    }

    /**
     * The operands, one for each number.
     *
     * @param address first byte; not looked at for {@link AtomicOp#ATOMIC_READ}.
     * @param numbers how many, above 0.
     * @param desc    covers them, with {@link MrAccess#WRITE}; or null, in every mode, which takes a system call more.
     * @return this.
     */
    public AtomicRequest operands(final long address, final int numbers, final MemoryRegion desc) {
        operands = address;
        count = numbers;
        operandsDesc = desc;
        return this;
    }

    /**
     * The third operands, as many.
     *
     * @param address first byte.
     * @param desc    covers them; or null, which takes a system call more.
     * @return this.
     */
    public AtomicRequest compare(final long address, final MemoryRegion desc) {
        compare = address;
        compareDesc = desc;
        return this;
    }

    /**
     * Where the numbers are put as they were before (fi_fetch_atomic).
     *
     * @param address first byte, of as many numbers; 0 for none.
     * @param desc    covers them, with {@link MrAccess#READ}; or null where {@link MrMode#LOCAL} is not set.
     * @return this.
     */
    public AtomicRequest result(final long address, final MemoryRegion desc) {
        result = address;
        resultDesc = desc;
        return this;
    }

    /**
     * Whose numbers. Connected endpoints do not look at it.
     *
     * @param fiAddr of the endpoint's vector.
     * @return this.
     */
    public AtomicRequest peer(final long fiAddr) {
        peer = fiAddr;
        return this;
    }

    /**
     * Where the numbers are.
     *
     * @param address   first byte, counted from the peer's {@link MemoryRegion#base()} on; a multiple of the type's
     *                  size. The region begins at a multiple of 8 bytes, and has the aligned 8 bytes around each
     *                  number.
     * @param remoteKey the peer's key, or a mapped one.
     * @return this.
     */
    public AtomicRequest remote(final long address, final long remoteKey) {
        remoteAddress = address;
        key = remoteKey;
        return this;
    }

    /**
     * What comes back with the completion.
     *
     * @param value the application's own.
     * @return this.
     */
    public AtomicRequest context(final long value) {
        context = value;
        return this;
    }

    /**
     * When to begin, with {@link OpFlags#TRIGGER}. The request is copied then; its operands are read when it begins,
     * so with {@link OpFlags#INJECT} it is -FI_EBADFLAGS.
     *
     * @param counter of the endpoint's domain.
     * @param value   what it has to have counted.
     * @return this.
     */
    public AtomicRequest trigger(final Counter counter, final long value) {
        trigger = counter;
        threshold = value;
        return this;
    }

    /**
     * One that stays as it is while this one is filled anew.
     *
     * @return the same in all.
     */
    public AtomicRequest copy() {
        return new AtomicRequest().operation(op, type).operands(operands, count, operandsDesc)
            .compare(compare, compareDesc).result(result, resultDesc).peer(peer).remote(remoteAddress, key)
            .context(context).trigger(trigger, threshold);
    }

    /**
     * What to do.
     *
     * @return as given.
     */
    public AtomicOp op() {
        return op;
    }

    /**
     * The type of the numbers.
     *
     * @return as given.
     */
    public AtomicType type() {
        return type;
    }

    /**
     * Where the operands are.
     *
     * @return as given.
     */
    public long operands() {
        return operands;
    }

    /**
     * How many numbers.
     *
     * @return as given.
     */
    public int count() {
        return count;
    }

    /**
     * What covers the operands.
     *
     * @return may be null.
     */
    public MemoryRegion operandsDesc() {
        return operandsDesc;
    }

    /**
     * Where the third operands are.
     *
     * @return as given.
     */
    public long compare() {
        return compare;
    }

    /**
     * What covers the third operands.
     *
     * @return may be null.
     */
    public MemoryRegion compareDesc() {
        return compareDesc;
    }

    /**
     * Where the result goes.
     *
     * @return as given; 0 for nowhere.
     */
    public long result() {
        return result;
    }

    /**
     * What covers the result.
     *
     * @return may be null.
     */
    public MemoryRegion resultDesc() {
        return resultDesc;
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
     * The context.
     *
     * @return as given.
     */
    public long context() {
        return context;
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
        return op + " of " + count + " " + type + ", context " + context;
    }
}
