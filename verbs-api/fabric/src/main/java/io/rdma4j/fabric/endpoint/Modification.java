/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.region.LocalDescriptor;
import io.rdma4j.fabric.region.LocalMemory;

import java.nio.ByteOrder;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * An atomic that the device has no request for. It fetches 8 aligned bytes of the peer, and replaces them by what they
 * become unless somebody came between, else it tries again; then the next 8 bytes. For the thread that uses the
 * endpoint.
 *
 * <pre>{@code
 *   fetch ---> what was seen -----> it stays as it is, or was replaced ---> result ---> next 8 bytes, or over
 *                 ^      |                        ^
 *                 |      v it becomes another     |
 *                 +-- compare and swap -----------+
 * }</pre>
 */
final class Modification {
    /** Of the operands of one operation. */
    static final int MOST_BYTES = 64;
    /** Tries that others may win: some seconds of a peer that does nothing but change the number. */
    private static final int MOST_LOST = 1 << 20;
    private static final boolean IS_LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final ByteOrder NATIVE = ByteOrder.nativeOrder();

    private final UnsafeBuffer here = new UnsafeBuffer(new byte[MOST_BYTES]);
    private final UnsafeBuffer compare = new UnsafeBuffer(new byte[MOST_BYTES]);
    private AtomicOp op;
    private AtomicType type;
    private int count;
    private long start;
    private long result;
    private MemoryRegion resultDesc;
    /** What that stands for at this endpoint; null if nothing tells. */
    private LocalDescriptor resultRegion;

    private long word;
    private long expected;
    private long next;
    private boolean isSwapping;
    private boolean hasModified;
    private int lost;

    /** Takes over what is asked for; 0 or a negated errno. */
    int set(final AtomicRequest request, final LocalMemory local) {
        op = request.op();
        type = request.type();
        if (op == null || type == null || request.count() < 1) {
            return -FiErrno.FI_EINVAL;
        }
        if (!op.takes(type)) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        if (request.count() > MOST_BYTES / type.size()) {
            return -FiErrno.FI_EMSGSIZE;
        }
        count = request.count();
        start = request.remoteAddress();
        result = request.result();
        resultDesc = request.resultDesc();
        if ((start & type.size() - 1) != 0 || result == 0 && (op.compares() || op == AtomicOp.ATOMIC_READ)) {
            return -FiErrno.FI_EINVAL;
        }
        return readOperands(request, local);
    }

    /** Takes over a replacement of one number that the device has a request for. */
    void set(final Rma swap) {
        op = AtomicOp.CSWAP;
        type = AtomicType.UINT64;
        count = 1;
        start = swap.remoteAddress;
        result = swap.address;
        resultDesc = swap.desc;
        compare.putLong(0, swap.operand, NATIVE);
        here.putLong(0, swap.swap, NATIVE);
    }

    private int readOperands(final AtomicRequest request, final LocalMemory local) {
        final boolean hasOperands = op != AtomicOp.ATOMIC_READ;
        if (hasOperands && request.operands() == 0 || op.compares() && request.compare() == 0) {
            return -FiErrno.FI_EINVAL;
        }
        final int fault = hasOperands ? read(request.operands(), request.operandsDesc(), local, here) : 0;
        return fault == 0 && op.compares() ? read(request.compare(), request.compareDesc(), local, compare) : fault;
    }

    private int read(final long address, final MemoryRegion desc, final LocalMemory local, final UnsafeBuffer to) {
        final int objection = local.findCopied(address, bytes(), desc, MrAccess.WRITE);
        return objection != 0 ? objection
            : Payloads.read(local.processAddress(), local.isKept(null), to, 0, bytes()) ? 0 : -FiErrno.FI_EFAULT;
    }

    /** Whether a thread may copy from and to it by itself: a region holds it. */
    private static boolean isKept(final LocalDescriptor region, final long address, final int length) {
        return region != null && region.isUsable() && region.isKept() && region.deviceAddress(address, length) != -1;
    }

    void copyTo(final Modification other) {
        other.op = op;
        other.type = type;
        other.count = count;
        other.start = start;
        other.result = result;
        other.resultDesc = resultDesc;
        other.resultRegion = resultRegion;
        other.here.putBytes(0, here, 0, bytes());
        if (op.compares()) {
            other.compare.putBytes(0, compare, 0, bytes());
        }
    }

    int bytes() {
        return count * type.size();
    }

    /** The device has one request for it: which one, or null. */
    RmaOperation nativeOperation() {
        final boolean isLong = count == 1 && (type == AtomicType.INT64 || type == AtomicType.UINT64);
        return isLong ? nativeOperation(op) : null;
    }

    private static RmaOperation nativeOperation(final AtomicOp op) {
        return switch (op) {
            case SUM, DIFF, ATOMIC_READ -> RmaOperation.ADD;
            case CSWAP -> RmaOperation.SWAP;
            default -> null;
        };
    }

    static boolean isNative(final AtomicOp op, final AtomicType type) {
        return (type == AtomicType.INT64 || type == AtomicType.UINT64) && nativeOperation(op) != null;
    }

    /** Of the device's own request. */
    long firstOperand() {
        return switch (op) {
            case SUM -> here.getLong(0, NATIVE);
            case DIFF -> -here.getLong(0, NATIVE);
            case CSWAP -> compare.getLong(0, NATIVE);
            default -> 0;
        };
    }

    long secondOperand() {
        return op == AtomicOp.CSWAP ? here.getLong(0, NATIVE) : 0;
    }

    boolean fetches() {
        return result != 0;
    }

    long result() {
        return result;
    }

    MemoryRegion resultDesc() {
        return resultDesc;
    }

    void resultRegion(final LocalDescriptor region) {
        resultRegion = region;
    }

    /** Begins with the first 8 bytes. */
    void begin() {
        word = firstWord();
        isSwapping = false;
        hasModified = false;
        lost = 0;
    }

    long firstWord() {
        return start & -Long.BYTES;
    }

    /** From the first word to the end of the last one. */
    long span() {
        return (start + bytes() + Long.BYTES - 1 & -Long.BYTES) - firstWord();
    }

    /** What the 8 bytes were; whether they are to be replaced by {@link #next()}, if they still are so. */
    boolean replaces(final long seen) {
        if (isSwapping && seen == expected) {
            hasModified = true;
            return false;
        }
        lost += isSwapping ? 1 : 0;
        expected = seen;
        next = modified(seen);
        isSwapping = next != seen;
        return isSwapping;
    }

    /** Somebody came between so often that this would not end. */
    boolean isHopeless() {
        return lost > MOST_LOST;
    }

    long expected() {
        return expected;
    }

    long next() {
        return next;
    }

    boolean hasModified() {
        return hasModified;
    }

    private long modified(final long seen) {
        final int size = type.size();
        final long mask = size == Long.BYTES ? -1 : (1L << size * Byte.SIZE) - 1;
        long now = seen;
        for (int i = firstElement(); i < endElement(); i++) {
            final int offset = (int) (start + (long) i * size - word);
            final int shift = (IS_LITTLE ? offset : Long.BYTES - size - offset) * Byte.SIZE;
            final long becomes = AtomicMath.apply(op, type, seen >>> shift, element(here, i), element(compare, i));
            now = now & ~(mask << shift) | (becomes & mask) << shift;
        }
        return now;
    }

    private int firstElement() {
        return word <= start ? 0 : (int) ((word - start) / type.size());
    }

    private int endElement() {
        return (int) Math.min(count, (word + Long.BYTES - start) / type.size());
    }

    private long element(final UnsafeBuffer from, final int i) {
        return switch (type.size()) {
            case Byte.BYTES -> from.getByte(i);
            case Short.BYTES -> from.getShort(i * Short.BYTES, NATIVE);
            case Integer.BYTES -> from.getInt(i * Integer.BYTES, NATIVE);
            default -> from.getLong(i * Long.BYTES, NATIVE);
        };
    }

    /** Puts what the 8 bytes were, which are also at this address, into the result; false if that is gone. */
    boolean store(final long seenAt) {
        if (result == 0) {
            return true;
        }
        final int from = firstElement() * type.size();
        final int length = endElement() * type.size() - from;
        final boolean isKept = isKept(resultRegion, result + from, length);
        return (isKept || resultRegion == null || resultRegion.isUsable())
            && Payloads.write(seenAt + (start + from - word),
                isKept ? resultRegion.processAddress(result + from) : result + from, isKept, length);
    }

    /** Goes on to the next 8 bytes; false if there are none. */
    boolean advance() {
        word += Long.BYTES;
        isSwapping = false;
        return !isOver();
    }

    /** Whether nothing is left to be modified. */
    boolean isOver() {
        return word >= start + bytes();
    }

    /** Nothing is kept that the application may want to be collected. */
    void letGo() {
        resultDesc = null;
        resultRegion = null;
    }
}
