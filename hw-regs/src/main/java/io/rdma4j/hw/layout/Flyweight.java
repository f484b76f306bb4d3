/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

import io.rdma4j.hw.layout.Fields.BytesField;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Fields.StructField;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A typed view of a struct in a buffer, for the control path; its class declares the {@link Fields}. It holds a buffer
 * and an offset and no copy: what is read is what memory says now. One flyweight serves one thread.
 *
 * @param <T> the view's own type, so that setters can be chained
 */
public abstract class Flyweight<T extends Flyweight<T>> {
    private final Layout layout;
    private MutableDirectBuffer buffer;
    private int offset;

    /**
     * Creates a view that looks at nothing yet; see {@link #wrap}.
     *
     * @param layout the description of the struct
     */
    protected Flyweight(Layout layout) {
        this.layout = layout;
    }

    /**
     * {@return the description of the struct}
     */
    public final Layout layout() {
        return layout;
    }

    /**
     * Looks at a struct.
     *
     * @param newBuffer holds it
     * @param newOffset where it begins
     * @return this
     * @throws IllegalArgumentException if the struct does not fit into the buffer at this place
     */
    public final T wrap(MutableDirectBuffer newBuffer, int newOffset) {
        if (newOffset < 0 || layout.length() > newBuffer.capacity() - newOffset) {
            throw new IllegalArgumentException(layout.name() + " of " + layout.length() + " bytes at offset "
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
        buffer.setMemory(offset, layout.length(), (byte) 0);
        return self();
    }

    /**
     * {@return the fields of the struct, one to a line}
     */
    @Override
    public final String toString() {
        return buffer == null ? layout.name() + " (not wrapped)" : layout.format(buffer, offset);
    }

    /**
     * {@return the number in a field; unsigned, whatever Java's sign says}
     *
     * @param field of this struct
     */
    public final int get(IntField<T> field) {
        return (int) field.field().number(buffer, offset);
    }

    /**
     * {@return the number in a field; unsigned, whatever Java's sign says}
     *
     * @param field of this struct
     */
    public final long get(LongField<T> field) {
        return field.field().number(buffer, offset);
    }

    /**
     * {@return a copy of the bytes in a field}
     *
     * @param field of this struct
     */
    public final byte[] get(BytesField<T> field) {
        final byte[] copy = new byte[field.field().size()];
        buffer.getBytes(offset + field.offset(), copy);
        return copy;
    }

    /**
     * {@return a view of its own of a nested struct}
     *
     * @param field of this struct
     * @param <N>   the nested one
     */
    public final <N extends Flyweight<N>> N get(StructField<T, N> field) {
        return field.view().get().wrap(buffer, offset + field.offset());
    }

    /**
     * Writes a number.
     *
     * @param field of this struct
     * @param value of which the field stores as many low bits as it has
     * @return this
     */
    public final T set(IntField<T> field, int value) {
        field.field().putNumber(buffer, offset, value);
        return self();
    }

    /**
     * Writes a number.
     *
     * @param field of this struct
     * @param value the bits
     * @return this
     */
    public final T set(LongField<T> field, long value) {
        field.field().putNumber(buffer, offset, value);
        return self();
    }

    /**
     * Writes bytes.
     *
     * @param field of this struct
     * @param value exactly as many as the field has
     * @return this
     * @throws IllegalArgumentException if the array has another length than the field
     */
    public final T set(BytesField<T> field, byte[] value) {
        if (value.length != field.field().size()) {
            throw new IllegalArgumentException(layout.name() + "." + field.field().name() + ": " + value.length
                + " bytes given for " + field.field().size());
        }
        buffer.putBytes(offset + field.offset(), value);
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
        buffer.putBytes(offset, src, srcAt, layout.length());
        return self();
    }

    @SuppressWarnings("unchecked")
    private T self() {
        return (T) this;
    }
}
