/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What one C struct looks like in memory: every byte of it belongs to exactly one field. It prints any instance of the
 * struct, and it is the table that tests check against.
 *
 * <p>A struct of the control path declares it with its {@link Fields}; one of the data path with a {@link Builder},
 * beside static accessors. Variants of a union are separate layouts.
 */
public final class Layout {

    /** How the bytes of a field are to be read. */
    public enum Kind {
        /** Unsigned byte. */
        U8,
        /** Unsigned 16 bits, little endian. */
        U16,
        /** Unsigned 32 bits, little endian. */
        U32,
        /** Unsigned 64 bits, little endian. */
        U64,
        /** Unsigned 64 bits, big endian. */
        BE64,
        /** Bytes in the order in which they are stored: addresses, or the undecoded part of a union. */
        BYTES,
        /** Bytes that must be zero. */
        RESERVED
    }

    /**
     * One field.
     *
     * @param name   as in C; fields of a nested struct carry its name and a dot in front
     * @param offset from the beginning of the struct
     * @param size   in bytes
     * @param kind   how to read it
     * @param names  the values of an enumeration or the bits of a mask; null if the value is just a number
     */
    public record Field(String name, int offset, int size, Kind kind, Names names) {

        /**
         * {@return the number in the field, unsigned}
         *
         * @param buffer holds the struct
         * @param base   where the struct begins
         * @throws IllegalArgumentException if the field holds no number
         */
        public long number(DirectBuffer buffer, int base) {
            final int at = base + offset;
            return switch (kind) {
                case U8 -> buffer.getByte(at) & 0xffL;
                case U16 -> buffer.getShort(at, LITTLE_ENDIAN) & 0xffffL;
                case U32 -> buffer.getInt(at, LITTLE_ENDIAN) & 0xffff_ffffL;
                case U64 -> buffer.getLong(at, LITTLE_ENDIAN);
                case BE64 -> buffer.getLong(at, BIG_ENDIAN);
                case BYTES, RESERVED -> throw new IllegalArgumentException(name + " is not a number");
            };
        }

        /**
         * Writes the number.
         *
         * @param buffer holds the struct
         * @param base   where the struct begins
         * @param value  of which the field stores as many low bits as it has
         * @throws IllegalArgumentException if the field holds no number
         */
        public void putNumber(MutableDirectBuffer buffer, int base, long value) {
            final int at = base + offset;
            switch (kind) {
                case U8 -> buffer.putByte(at, (byte) value);
                case U16 -> buffer.putShort(at, (short) value, LITTLE_ENDIAN);
                case U32 -> buffer.putInt(at, (int) value, LITTLE_ENDIAN);
                case U64 -> buffer.putLong(at, value, LITTLE_ENDIAN);
                case BE64 -> buffer.putLong(at, value, BIG_ENDIAN);
                default -> throw new IllegalArgumentException(name + " is not a number");
            }
        }

        /** {@return whether the field holds a number} */
        public boolean isNumber() {
            return kind != Kind.BYTES && kind != Kind.RESERVED;
        }

        private String text(DirectBuffer buffer, int base) {
            if (!isNumber()) {
                return hex(buffer, base + offset);
            }
            final long value = number(buffer, base);
            final String digits = "0x" + Long.toHexString(value);
            return names == null
                ? digits + " (" + Long.toUnsignedString(value) + ")"
                : digits + " (" + names.of((int) value) + ")";
        }

        private String hex(DirectBuffer buffer, int at) {
            final StringBuilder hex = new StringBuilder(2 * size);
            for (int i = 0; i < size; i++) {
                final int octet = buffer.getByte(at + i);
                hex.append(Character.forDigit((octet >> 4) & 0xf, 16)).append(Character.forDigit(octet & 0xf, 16));
            }
            return hex.toString();
        }

        private boolean isZero(DirectBuffer buffer, int base) {
            for (int i = 0; i < size; i++) {
                if (buffer.getByte(base + offset + i) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private final String name;
    private final int length;
    private final List<Field> fields;

    Layout(String name, int length, List<Field> fields) {
        this.name = name;
        this.length = length;
        this.fields = List.copyOf(fields);
    }

    /**
     * Begins the description of a struct.
     *
     * @param name   the C name
     * @param length its size in bytes
     * @return a builder without fields
     */
    public static Builder of(String name, int length) {
        return new Builder(name, length);
    }

    /**
     * {@return the C name of the struct}
     */
    public String name() {
        return name;
    }

    /**
     * {@return the size of the struct in bytes}
     */
    public int length() {
        return length;
    }

    /**
     * {@return all fields in the order of their offsets, reserved ones included}
     */
    public List<Field> fields() {
        return fields;
    }

    /**
     * Finds a field.
     *
     * @param field its C name
     * @return the field
     * @throws IllegalArgumentException if the struct has none of this name
     */
    public Field field(String field) {
        for (Field candidate : fields) {
            if (candidate.name.equals(field)) {
                return candidate;
            }
        }
        throw new IllegalArgumentException(name + " has no field " + field);
    }

    /**
     * Prints one instance of the struct, a line for each field. Reserved bytes are printed only when they are not zero,
     * as they should be.
     *
     * @param buffer holds the struct
     * @param offset where it begins
     * @return the lines, each ended by a line feed
     */
    public String format(DirectBuffer buffer, int offset) {
        final List<Field> shown = fields.stream()
            .filter(field -> field.kind != Kind.RESERVED || !field.isZero(buffer, offset)).toList();
        final int width = shown.stream().mapToInt(field -> field.name.length()).max().orElse(0);
        final StringBuilder text = new StringBuilder(name).append('\n');
        for (Field field : shown) {
            text.append("  ").append(field.name).append(" ".repeat(width - field.name.length() + 2))
                .append(field.text(buffer, offset)).append('\n');
        }
        return text.toString();
    }

    /**
     * {@return the name, the length and the number of fields}
     */
    @Override
    public String toString() {
        return "Layout{" + name + ", length=" + length + ", fields=" + fields.size() + "}";
    }

    /**
     * Collects the fields of a struct in the order of their offsets, and refuses gaps, overlaps and overruns.
     */
    public static final class Builder {
        private final String name;
        private final int length;
        private final List<Field> fields = new ArrayList<>();
        private int end;

        private Builder(String name, int length) {
            this.name = name;
            this.length = length;
        }

        /**
         * Adds an unsigned byte.
         *
         * @param field  C name
         * @param offset from the beginning of the struct
         * @return this
         */
        public Builder u8(String field, int offset) {
            return add(field, offset, 1, Kind.U8, null);
        }

        /**
         * Adds an unsigned byte with named values.
         *
         * @param field  C name
         * @param offset from the beginning of the struct
         * @param names  the values
         * @return this
         */
        public Builder u8(String field, int offset, Names names) {
            return add(field, offset, 1, Kind.U8, names);
        }

        /**
         * Adds 16 bits, little endian.
         *
         * @param field  C name
         * @param offset from the beginning of the struct
         * @return this
         */
        public Builder u16(String field, int offset) {
            return add(field, offset, 2, Kind.U16, null);
        }

        /**
         * Adds 32 bits, little endian.
         *
         * @param field  C name
         * @param offset from the beginning of the struct
         * @return this
         */
        public Builder u32(String field, int offset) {
            return add(field, offset, 4, Kind.U32, null);
        }

        /**
         * Adds 32 bits, little endian, with named values or bits.
         *
         * @param field  C name
         * @param offset from the beginning of the struct
         * @param names  the values
         * @return this
         */
        public Builder u32(String field, int offset, Names names) {
            return add(field, offset, 4, Kind.U32, names);
        }

        /**
         * Adds 64 bits, little endian.
         *
         * @param field  C name
         * @param offset from the beginning of the struct
         * @return this
         */
        public Builder u64(String field, int offset) {
            return add(field, offset, 8, Kind.U64, null);
        }

        /**
         * Adds bytes that are no number.
         *
         * @param field  C name
         * @param offset from the beginning of the struct
         * @param size   how many
         * @return this
         */
        public Builder bytes(String field, int offset, int size) {
            return add(field, offset, size, Kind.BYTES, null);
        }

        /**
         * Adds bytes that must be zero, after the fields added so far.
         *
         * @param size how many
         * @return this
         */
        public Builder reserved(int size) {
            return add("reserved@" + end, end, size, Kind.RESERVED, null);
        }

        /**
         * Adds all fields of another struct, their names prefixed.
         *
         * @param prefix the name of the nested struct, put with a dot before the names of its fields
         * @param offset from the beginning of this struct
         * @param struct the nested one
         * @return this
         */
        public Builder nested(String prefix, int offset, Layout struct) {
            for (Field f : struct.fields) {
                add(prefix + "." + f.name, offset + f.offset, f.size, f.kind, f.names);
            }
            return this;
        }

        private Builder add(String field, int offset, int size, Kind kind, Names names) {
            if (offset != end || size < 1 || size > length - offset) {
                throw new IllegalArgumentException(name + "." + field + ": offset " + offset + ", size " + size
                    + ", where the field before ended at " + end + " and the struct ends at " + length);
            }
            fields.add(new Field(field, offset, size, kind, names));
            end = offset + size;
            return this;
        }

        /**
         * Ends the description.
         *
         * @return the layout
         * @throws IllegalArgumentException if the fields do not fill the struct
         */
        public Layout build() {
            if (end != length) {
                throw new IllegalArgumentException(name + ": the fields end at " + end + ", the struct at " + length);
            }
            return new Layout(name, length, fields);
        }
    }
}
