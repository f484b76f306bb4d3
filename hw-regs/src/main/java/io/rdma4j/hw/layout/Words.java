/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

import java.nio.ByteOrder;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Access to little-endian fields, for structs of the data path.
 *
 * <p>An {@link UnsafeBuffer} may be over an array or over native memory, and does not know which when it is compiled.
 * So the JVM has to take each access for one that may change any field of any object, and loads the buffer's own fields
 * again for the next one. Here the two are told apart first: an access to native memory is known to change nothing on
 * the heap. Bounds are checked if Agrona's buffers check theirs.
 */
public final class Words {
    private static final boolean IS_LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private Words() {
    }

    /**
     * Checks once for several accesses, if Agrona's buffers check at all.
     *
     * @param b      buffer
     * @param base   first byte
     * @param length bytes
     * @throws IndexOutOfBoundsException if they are not inside of the buffer
     */
    public static void check(UnsafeBuffer b, int base, int length) {
        if (UnsafeBuffer.SHOULD_BOUNDS_CHECK) {
            b.boundsCheck(base, length);
        }
    }

    /**
     * {@return two fields of four bytes as one of eight}
     *
     * @param first  the one that comes first in memory
     * @param second the one behind it
     */
    public static long pair(int first, int second) {
        return Integer.toUnsignedLong(first) | (long) second << Integer.SIZE;
    }

    /**
     * Stores a field of eight bytes, or a {@link #pair}, in native memory, unchecked.
     *
     * @param address where
     * @param value   what
     */
    public static void put(long address, long value) {
        UnsafeApi.putLong(address, IS_LITTLE_ENDIAN ? value : Long.reverseBytes(value));
    }

    /**
     * {@return a field of eight bytes in native memory, unchecked}
     *
     * @param address where
     */
    public static long getLong(long address) {
        final long word = UnsafeApi.getLong(address);
        return IS_LITTLE_ENDIAN ? word : Long.reverseBytes(word);
    }

    /**
     * {@return a field of four bytes in native memory, unchecked}
     *
     * @param address where
     */
    public static int getInt(long address) {
        final int word = UnsafeApi.getInt(address);
        return IS_LITTLE_ENDIAN ? word : Integer.reverseBytes(word);
    }

    /**
     * Stores a field of eight bytes, or a {@link #pair}, that was {@linkplain #check checked}.
     *
     * @param array   of the buffer, or null
     * @param address in the terms of {@link UnsafeBuffer#addressOffset()}
     * @param value   what
     */
    public static void put(byte[] array, long address, long value) {
        final long word = IS_LITTLE_ENDIAN ? value : Long.reverseBytes(value);
        if (array == null) {
            UnsafeApi.putLong(address, word);
        } else {
            UnsafeApi.putLong(array, address, word);
        }
    }

    /**
     * Stores a field of eight bytes.
     *
     * @param b      buffer
     * @param base   where the struct begins
     * @param offset of the field in it
     * @param value  what
     */
    public static void putLong(UnsafeBuffer b, int base, int offset, long value) {
        check(b, base + offset, Long.BYTES);
        put(b.byteArray(), address(b, base, offset), value);
    }

    /**
     * Stores a field of four bytes.
     *
     * @param b      buffer
     * @param base   where the struct begins
     * @param offset of the field in it
     * @param value  what
     */
    public static void putInt(UnsafeBuffer b, int base, int offset, int value) {
        check(b, base + offset, Integer.BYTES);
        final byte[] array = b.byteArray();
        final int word = IS_LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
        if (array == null) {
            UnsafeApi.putInt(address(b, base, offset), word);
        } else {
            UnsafeApi.putInt(array, address(b, base, offset), word);
        }
    }

    /**
     * {@return a field of eight bytes}
     *
     * @param b      buffer
     * @param base   where the struct begins
     * @param offset of the field in it
     */
    public static long getLong(UnsafeBuffer b, int base, int offset) {
        check(b, base + offset, Long.BYTES);
        final byte[] array = b.byteArray();
        final long address = address(b, base, offset);
        final long word = array == null ? UnsafeApi.getLong(address) : UnsafeApi.getLong(array, address);
        return IS_LITTLE_ENDIAN ? word : Long.reverseBytes(word);
    }

    /**
     * {@return a field of four bytes}
     *
     * @param b      buffer
     * @param base   where the struct begins
     * @param offset of the field in it
     */
    public static int getInt(UnsafeBuffer b, int base, int offset) {
        check(b, base + offset, Integer.BYTES);
        final byte[] array = b.byteArray();
        final long address = address(b, base, offset);
        final int word = array == null ? UnsafeApi.getInt(address) : UnsafeApi.getInt(array, address);
        return IS_LITTLE_ENDIAN ? word : Integer.reverseBytes(word);
    }

    /** The offset is added to a long: as a part of an int it would have to be added for each field anew. */
    private static long address(UnsafeBuffer b, int base, int offset) {
        return b.addressOffset() + base + offset;
    }
}
