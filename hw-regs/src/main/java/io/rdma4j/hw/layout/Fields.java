/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

import io.rdma4j.hw.layout.Layout.Field;
import io.rdma4j.hw.layout.Layout.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Declares a struct of the control path, one line for each field in the order of the C struct; the offsets follow from
 * the order. The same lines read, write and print the field. Structs of the data path have static accessors instead.
 *
 * <pre>{@code
 * private static final Fields<Pair> F = Fields.of("pair");
 * public static final LongField<Pair> ADDR = F.u64("addr");
 * public static final IntField<Pair> LKEY = F.u32("lkey");
 * public static final Layout LAYOUT = F.reserved(4).build();
 * }</pre>
 *
 * @param <S> the view of the struct, which takes no other struct's fields
 */
public final class Fields<S extends Flyweight<S>> {
    private final String name;
    private final List<Field> fields = new ArrayList<>();
    private int end;

    private Fields(String name) {
        this.name = name;
    }

    /**
     * A number of up to 32 bits.
     *
     * @param field its place
     * @param <S>   the struct
     */
    public record IntField<S extends Flyweight<S>>(Field field) {

        /** {@return where the field begins in its struct} */
        public int offset() {
            return field.offset();
        }
    }

    /**
     * A number of 64 bits.
     *
     * @param field its place
     * @param <S>   the struct
     */
    public record LongField<S extends Flyweight<S>>(Field field) {

        /** {@return where the field begins in its struct} */
        public int offset() {
            return field.offset();
        }
    }

    /**
     * Bytes that are no number, such as a GID.
     *
     * @param field its place
     * @param <S>   the struct
     */
    public record BytesField<S extends Flyweight<S>>(Field field) {

        /** {@return where the field begins in its struct} */
        public int offset() {
            return field.offset();
        }
    }

    /**
     * A struct in a struct.
     *
     * @param offset where it begins in the outer one
     * @param view   makes a view of it
     * @param <S>    the outer struct
     * @param <N>    the nested one
     */
    public record StructField<S extends Flyweight<S>, N extends Flyweight<N>>(int offset, Supplier<N> view) {
    }

    /**
     * Begins a struct.
     *
     * @param name its C name
     * @param <S>  the view of it
     * @return a table without fields
     */
    public static <S extends Flyweight<S>> Fields<S> of(String name) {
        return new Fields<>(name);
    }

    /**
     * {@return a new unsigned byte}
     *
     * @param field C name
     */
    public IntField<S> u8(String field) {
        return u8(field, null);
    }

    /**
     * {@return a new unsigned byte with named values}
     *
     * @param field C name
     * @param names the values
     */
    public IntField<S> u8(String field, Names names) {
        return new IntField<>(add(field, 1, Kind.U8, names));
    }

    /**
     * {@return new 16 bits, little endian}
     *
     * @param field C name
     */
    public IntField<S> u16(String field) {
        return new IntField<>(add(field, 2, Kind.U16, null));
    }

    /**
     * {@return new 32 bits, little endian}
     *
     * @param field C name
     */
    public IntField<S> u32(String field) {
        return u32(field, null);
    }

    /**
     * {@return new 32 bits, little endian, with named values or bits}
     *
     * @param field C name
     * @param names the values
     */
    public IntField<S> u32(String field, Names names) {
        return new IntField<>(add(field, 4, Kind.U32, names));
    }

    /**
     * {@return new 64 bits, little endian}
     *
     * @param field C name
     */
    public LongField<S> u64(String field) {
        return new LongField<>(add(field, 8, Kind.U64, null));
    }

    /**
     * {@return new 64 bits, big endian}
     *
     * @param field C name
     */
    public LongField<S> be64(String field) {
        return new LongField<>(add(field, 8, Kind.BE64, null));
    }

    /**
     * {@return new bytes that are no number}
     *
     * @param field C name
     * @param size  how many
     */
    public BytesField<S> bytes(String field, int size) {
        return new BytesField<>(add(field, size, Kind.BYTES, null));
    }

    /**
     * {@return a new struct in this one}
     *
     * @param prefix its C name, put with a dot before the names of its fields
     * @param struct what it looks like
     * @param view   makes a view of it
     * @param <N>    its view
     */
    public <N extends Flyweight<N>> StructField<S, N> struct(String prefix, Layout struct, Supplier<N> view) {
        final int offset = end;
        for (Field f : struct.fields()) {
            add(prefix + "." + f.name(), f.size(), f.kind(), f.names());
        }
        return new StructField<>(offset, view);
    }

    /**
     * Adds bytes that must be zero.
     *
     * @param size how many
     * @return this
     */
    public Fields<S> reserved(int size) {
        add("reserved@" + end, size, Kind.RESERVED, null);
        return this;
    }

    private Field add(String field, int size, Kind kind, Names names) {
        if (size < 1) {
            throw new IllegalArgumentException(name + "." + field + ": size " + size);
        }
        final Field added = new Field(field, end, size, kind, names);
        fields.add(added);
        end += size;
        return added;
    }

    /** {@return what the struct looks like, once all fields are declared} */
    public Layout build() {
        return new Layout(name, end, fields);
    }
}
