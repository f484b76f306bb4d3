/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A typed view of a struct in a buffer, for the control path. It holds a buffer and an offset and no copy: what is read
 * is what memory says now. One flyweight serves one thread.
 *
 * @param <T> the view's own type, so that setters can be chained
 */
public abstract class Flyweight<T extends Flyweight<T>> {
    private MutableDirectBuffer buffer;
    private int offset;

    /**
     * Creates a view that looks at nothing yet; see {@link #wrap}.
     */
    protected Flyweight() {
    }

    /**
     * {@return the description of the struct}
     */
    public abstract Layout layout();

    /**
     * Looks at a struct.
     *
     * @param newBuffer holds it
     * @param newOffset where it begins
     * @return this
     * @throws IllegalArgumentException if the struct does not fit into the buffer at this place
     */
    public final T wrap(MutableDirectBuffer newBuffer, int newOffset) {
        if (newOffset < 0 || layout().length() > newBuffer.capacity() - newOffset) {
            throw new IllegalArgumentException(layout().name() + " of " + layout().length() + " bytes at offset "
                + newOffset + " does not fit into a buffer of " + newBuffer.capacity() + " bytes");
        }
        buffer = newBuffer;
        offset = newOffset;
        return self();
    }

    /**
     * {@return the buffer looked at; null before the first wrap}
     */
    public final MutableDirectBuffer buffer() {
        return buffer;
    }

    /**
     * {@return where the struct begins in its buffer}
     */
    public final int offset() {
        return offset;
    }

    /**
     * Sets all bytes of the struct to zero.
     *
     * @return this
     */
    public final T clear() {
        buffer.setMemory(offset, layout().length(), (byte) 0);
        return self();
    }

    /**
     * {@return the fields of the struct, one to a line}
     */
    @Override
    public final String toString() {
        return buffer == null ? layout().name() + " (not wrapped)" : layout().format(buffer, offset);
    }

    /**
     * {@return an unsigned byte}
     *
     * @param at offset in the struct
     */
    protected final int u8(int at) {
        return buffer.getByte(offset + at) & 0xff;
    }

    /**
     * Writes the low byte of a value.
     *
     * @param at    offset in the struct
     * @param value whose low 8 bits are stored
     * @return this
     */
    protected final T u8(int at, int value) {
        buffer.putByte(offset + at, (byte) value);
        return self();
    }

    /**
     * {@return 16 bits, unsigned}
     *
     * @param at offset in the struct
     */
    protected final int u16(int at) {
        return buffer.getShort(offset + at, LITTLE_ENDIAN) & 0xffff;
    }

    /**
     * Writes the low half of a value.
     *
     * @param at    offset in the struct
     * @param value whose low 16 bits are stored
     * @return this
     */
    protected final T u16(int at, int value) {
        buffer.putShort(offset + at, (short) value, LITTLE_ENDIAN);
        return self();
    }

    /**
     * {@return 32 bits; unsigned, whatever Java's sign says}
     *
     * @param at offset in the struct
     */
    protected final int u32(int at) {
        return buffer.getInt(offset + at, LITTLE_ENDIAN);
    }

    /**
     * Writes 32 bits.
     *
     * @param at    offset in the struct
     * @param value the bits
     * @return this
     */
    protected final T u32(int at, int value) {
        buffer.putInt(offset + at, value, LITTLE_ENDIAN);
        return self();
    }

    /**
     * {@return 64 bits; unsigned, whatever Java's sign says}
     *
     * @param at offset in the struct
     */
    protected final long u64(int at) {
        return buffer.getLong(offset + at, LITTLE_ENDIAN);
    }

    /**
     * Writes 64 bits.
     *
     * @param at    offset in the struct
     * @param value the bits
     * @return this
     */
    protected final T u64(int at, long value) {
        buffer.putLong(offset + at, value, LITTLE_ENDIAN);
        return self();
    }

    /**
     * {@return 64 bits that are stored big endian}
     *
     * @param at offset in the struct
     */
    protected final long be64(int at) {
        return buffer.getLong(offset + at, BIG_ENDIAN);
    }

    /**
     * Writes 64 bits big endian.
     *
     * @param at    offset in the struct
     * @param value the bits
     * @return this
     */
    protected final T be64(int at, long value) {
        buffer.putLong(offset + at, value, BIG_ENDIAN);
        return self();
    }

    /**
     * {@return a copy of some bytes}
     *
     * @param at   offset in the struct
     * @param size how many
     */
    protected final byte[] bytes(int at, int size) {
        final byte[] copy = new byte[size];
        buffer.getBytes(offset + at, copy);
        return copy;
    }

    /**
     * Writes some bytes.
     *
     * @param at   offset in the struct
     * @param size of the field
     * @param src  exactly as many
     * @return this
     * @throws IllegalArgumentException if the array has another length than the field
     */
    protected final T bytes(int at, int size, byte[] src) {
        if (src.length != size) {
            throw new IllegalArgumentException(layout().name() + " at " + at + ": " + src.length + " bytes given for "
                + size);
        }
        buffer.putBytes(offset + at, src);
        return self();
    }

    /**
     * Copies a struct of the same shape over this one.
     *
     * @param src    holds the struct to copy
     * @param srcAt  where it begins
     * @return this
     */
    public final T copyFrom(DirectBuffer src, int srcAt) {
        buffer.putBytes(offset, src, srcAt, layout().length());
        return self();
    }

    @SuppressWarnings("unchecked")
    private T self() {
        return (T) this;
    }
}
