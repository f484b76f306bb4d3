/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.libc;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Copies to and from memory of this process that may not be there, or may go away meanwhile: the kernel copies, by
 * {@code process_vm_readv(2)} and {@code process_vm_writev(2)} on the process itself. It brings pages in as a touch
 * would, and where a touch would be a signal it says EFAULT. To look first and to copy then would not do: another
 * thread may unmap in between.
 *
 * <p>All is static, may be used from any thread, throws nothing once {@link #isAvailable()} is true, and allocates only
 * at the first call of a thread. A page whose faults are served by {@code userfaultfd} is waited for.
 */
public final class FaultableMemory {
    /** Of the kernel, MAX_RW_COUNT: a little less than 2 GiB; more is cut off without a word. */
    private static final long MAX_COPY = 1L << 30;
    /** What is read before it is written, where both ends may be missing. */
    private static final int BOUNCE = 64 * 1024;
    private static final int IOVEC_LENGTH = 16;
    /** One for this side, and two for the other: the last bytes are written by themselves. */
    private static final int HERE = 0;
    private static final int THERE = IOVEC_LENGTH;
    private static final int TAIL = 2 * IOVEC_LENGTH;
    private static final ThreadLocal<Vectors> VECTORS = ThreadLocal.withInitial(Vectors::new);

    private FaultableMemory() {
    }

    /** Three {@code struct iovec} of a thread, and room for the bytes between a read and a write. */
    private static final class Vectors {
        private final UnsafeBuffer iovecs = new UnsafeBuffer(ByteBuffer.allocateDirect(3 * IOVEC_LENGTH));
        private UnsafeBuffer bounce;

        long address(final int index) {
            return iovecs.addressOffset() + index;
        }

        void set(final int index, final long address, final long length) {
            iovecs.putLong(index, address, ByteOrder.nativeOrder());
            iovecs.putLong(index + Long.BYTES, length, ByteOrder.nativeOrder());
        }

        UnsafeBuffer bounceBuffer() {
            if (bounce == null) {
                bounce = new UnsafeBuffer(ByteBuffer.allocateDirect(BOUNCE));
            }
            return bounce;
        }

        long bounce() {
            return bounceBuffer().addressOffset();
        }
    }

    /** Found out once: a container may forbid the calls. */
    private static final class Probe {
        static final boolean WORKS = works();

        private static boolean works() {
            if (VmCalls.BOUND == null) {
                return false;
            }
            final UnsafeBuffer words = new UnsafeBuffer(ByteBuffer.allocateDirect(3 * Long.BYTES));
            words.putLong(0, 0x0123_4567_89ab_cdefL);
            final long first = words.addressOffset();
            final boolean copied = copyOut(first, first + Long.BYTES, Long.BYTES)
                && copyIn(first, first + 2 * Long.BYTES, Long.BYTES);
            final boolean works = copied && words.getLong(Long.BYTES) == words.getLong(0)
                && words.getLong(2 * Long.BYTES) == words.getLong(0);
            Reference.reachabilityFence(words);
            return works;
        }
    }

    /**
     * Whether the kernel copies for this process.
     *
     * @return false on other systems, and where a sandbox forbids the two calls.
     */
    public static boolean isAvailable() {
        return Probe.WORKS;
    }

    /**
     * Reads what may be missing.
     *
     * @param from   first byte of what may be missing.
     * @param to     memory that is there, and writable.
     * @param length bytes.
     * @return false if not all of it can be read; any part of {@code to} may have been written then.
     */
    public static boolean read(final long from, final long to, final long length) {
        return isAvailable() && copyOut(from, to, length);
    }

    /**
     * Reads what may be missing into a buffer, which may be on the heap.
     *
     * @param from   first byte of what may be missing.
     * @param to     where to put the bytes.
     * @param at     place of the first one.
     * @param length bytes.
     * @return false if not all of it can be read; any part of the range may have been written then.
     */
    public static boolean read(final long from, final MutableDirectBuffer to, final int at, final int length) {
        if (to.byteArray() == null) {
            return read(from, to.addressOffset() + at, length);
        }
        final UnsafeBuffer bounce = VECTORS.get().bounceBuffer();
        for (int done = 0; done < length; done += BOUNCE) {
            final int bytes = Math.min(BOUNCE, length - done);
            if (!read(from + done, bounce.addressOffset(), bytes)) {
                return false;
            }
            to.putBytes(at + done, bounce, 0, bytes);
        }
        return true;
    }

    /**
     * Writes what may be missing. The last eight bytes are written after all others, in a piece of their own.
     *
     * @param from   memory that is there.
     * @param to     first byte of what may be missing.
     * @param length bytes.
     * @return false if not all of it can be written; bytes before the page that cannot may have been.
     */
    public static boolean write(final long from, final long to, final long length) {
        return isAvailable() && copyIn(from, to, length);
    }

    private static boolean copyOut(final long from, final long to, final long length) {
        final Vectors vectors = VECTORS.get();
        long done = 0;
        while (done < length) {
            final long bytes = Math.min(MAX_COPY, length - done);
            vectors.set(HERE, to + done, bytes);
            vectors.set(THERE, from + done, bytes);
            if (VmCalls.BOUND.process_vm_readv(VmCalls.PID, vectors.address(HERE), 1, vectors.address(THERE), 1, 0)
                != bytes) {
                return false;
            }
            done += bytes;
        }
        return true;
    }

    private static boolean copyIn(final long from, final long to, final long length) {
        final Vectors vectors = VECTORS.get();
        long done = 0;
        while (done < length) {
            final long bytes = Math.min(MAX_COPY, length - done);
            final long tail = bytes > Long.BYTES ? Long.BYTES : 0;
            vectors.set(HERE, from + done, bytes);
            vectors.set(THERE, to + done, bytes - tail);
            vectors.set(TAIL, to + done + bytes - tail, tail);
            if (VmCalls.BOUND.process_vm_writev(VmCalls.PID, vectors.address(HERE), 1, vectors.address(THERE),
                tail == 0 ? 1 : 2, 0) != bytes) {
                return false;
            }
            done += bytes;
        }
        return true;
    }

    /** What came of a copy between two ends that may both be missing. */
    public enum Result {
        /** All was copied. */
        COPIED,
        /** Not all of the source can be read. */
        SOURCE_MISSING,
        /** Not all of the target can be written. */
        TARGET_MISSING
    }

    /**
     * Copies between two ends that may both be missing, in pieces of 64 KiB.
     *
     * @param from   first byte of the source.
     * @param to     first byte of the target; where it overlaps the source, what it gets is undefined.
     * @param length bytes.
     * @return what came of it; pieces before the one that failed have been written.
     */
    public static Result copy(final long from, final long to, final long length) {
        final long bounce = VECTORS.get().bounce();
        for (long done = 0; done < length; done += BOUNCE) {
            final long bytes = Math.min(BOUNCE, length - done);
            if (!read(from + done, bounce, bytes)) {
                return Result.SOURCE_MISSING;
            }
            if (!write(bounce, to + done, bytes)) {
                return Result.TARGET_MISSING;
            }
        }
        return Result.COPIED;
    }
}
