/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;

/** An exported buffer, and how its owner sees it: by a mapping of its own, with guards to tell what was written. */
final class Vgem implements AutoCloseable {
    /** What nobody wrote to. */
    static final byte GUARD = (byte) 0xa5;

    final Fd fd;
    final UnsafeBuffer bytes;
    private final MappedMemory mapped;

    private Vgem(final Fd fd, final int size) {
        this.fd = fd;
        mapped = MappedMemory.map(0, size, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_SHARED, fd.fd(), 0);
        bytes = new UnsafeBuffer(mapped.address(), size);
        bytes.setMemory(0, size, GUARD);
    }

    /** A new buffer of vgem's. */
    static Vgem of(final int size) {
        try (VgemBuffer buffer = VgemBuffer.create(size)) {
            return new Vgem(buffer.export(true), size);
        }
    }

    /** The same with what somebody else exported, which is closed with this. */
    static Vgem of(final Fd fd, final int size) {
        return new Vgem(fd, size);
    }

    static byte pattern(final int seed, final int index) {
        return (byte) ((seed + index) * 0x9e37_79b1 >>> 23);
    }

    static void fill(final UnsafeBuffer buffer, final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            buffer.putByte(offset + i, pattern(seed, i));
        }
    }

    static void requirePattern(final UnsafeBuffer buffer, final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            DmaBufMain.require(buffer.getByte(offset + i) == pattern(seed, i), "byte %d of %d at offset %d is 0x%02x, "
                + "expected 0x%02x", i, length, offset, buffer.getByte(offset + i), pattern(seed, i));
        }
    }

    void requireGuard(final int from, final int to) {
        for (int i = from; i < to; i++) {
            DmaBufMain.require(bytes.getByte(i) == GUARD, "byte %d was overwritten with 0x%02x", i, bytes.getByte(i));
        }
    }

    /** The failure of something that must fail, with this errno and these words in its message. */
    static String requireRefusal(final Supplier<?> action, final int errno, final String... words) {
        final Object result;
        try {
            result = action.get();
        } catch (final RdmaException e) {
            for (final String word : words) {
                DmaBufMain.require(e.getMessage().contains(word), "no '%s' in: %s", word, e.getMessage());
            }
            return DmaBufMain.require(e.errno() == errno, "%s", e.getMessage());
        }
        throw new IllegalStateException("it was not refused: " + result);
    }

    @Override
    public void close() {
        mapped.close();
        fd.close();
    }
}
