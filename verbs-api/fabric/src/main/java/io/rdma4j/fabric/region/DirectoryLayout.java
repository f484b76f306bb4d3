/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import java.nio.ByteOrder;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of a key directory: a hash table in registered memory that peers read by RDMA, to learn what a key of the
 * application means to the device. Open addressing with linear probing; entries of {@value #ENTRY_LENGTH} bytes,
 * little endian:
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------------------------------+-------------------------------+
 *  |                             check                             |  0
 *  |                              key                              |  8
 *  |             state             |             rkey              | 16
 *  |                          device base                          | 24
 *  |                            length                             | 32
 *  |                          fabric base                          | 40
 *  |            access             |           cell rkey           | 48
 *  |                           cell iova                           | 56
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * <p>The check is a mix of all other words and of the directory's nonce. A peer that reads an entry while it is written
 * gets words of the old and of the new one, whose check does not match: it reads again. So nobody waits for anybody,
 * and the CPU of the side that is read does nothing.
 */
public final class DirectoryLayout {
    /** Bytes of an entry. */
    public static final int ENTRY_LENGTH = 64;
    /** Offset of the check. */
    public static final int CHECK_OFFSET = 0;
    /** Offset of the key. */
    public static final int KEY_OFFSET = 8;
    /** Offset of the state. */
    public static final int STATE_OFFSET = 16;
    /** Offset of the device's key. */
    public static final int RKEY_OFFSET = 20;
    /** Offset of the address by which the device knows the first byte. */
    public static final int DEVICE_BASE_OFFSET = 24;
    /** Offset of the length in bytes. */
    public static final int LENGTH_OFFSET = 32;
    /** Offset of the address by which peers name the first byte. */
    public static final int FABRIC_BASE_OFFSET = 40;
    /** Offset of the rights. */
    public static final int ACCESS_OFFSET = 48;
    /** Offset of the event cell's key. */
    public static final int CELL_RKEY_OFFSET = 52;
    /** Offset of the event cell's address; 0 for none. */
    public static final int CELL_IOVA_OFFSET = 56;

    /** State of an entry that was never used: a search ends here. */
    public static final int FREE = 0;
    /** State of an entry that was given up: a search goes on. */
    public static final int REMOVED = 1;
    /** State of a region that can be reached. */
    public static final int LIVE = 2;
    /** State of a region that cannot be reached now. */
    public static final int DISABLED = 3;

    /**
     * State of a region that the device has as several, and that can be reached. In place of the device's key and base
     * are those of a table of them: as many entries as the access says from {@link #PIECES_SHIFT} on, in order, each in
     * this state and with the key of the region. A table does not change while it can be read.
     */
    public static final int IN_PIECES = 6;
    /** Where the number of pieces is in the access. */
    public static final int PIECES_SHIFT = 8;
    /** Most pieces of a region. */
    public static final int MOST_PIECES = 256;

    /** Right to read. */
    public static final int READ = 1;
    /** Right to write. */
    public static final int WRITE = 2;
    /** Right to run atomics. */
    public static final int ATOMIC = 4;

    /** Keys with this mark are names of regions in pieces, where other keys are the device's. */
    private static final int NAME_MARK = 0xfffd;
    private static final int NAME_MARK_SHIFT = 48;

    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private DirectoryLayout() {
    }

    static long nameOf(final long count) {
        return (long) NAME_MARK << NAME_MARK_SHIFT | count;
    }

    /**
     * Whether a key looks like the name of a region in pieces, which is looked up, where other keys are the device's.
     *
     * @param key any key.
     * @return true if it does.
     */
    public static boolean isName(final long key) {
        return key >>> NAME_MARK_SHIFT == NAME_MARK;
    }

    /**
     * Where the search for a key begins.
     *
     * @param key      any key.
     * @param capacity entries, a power of two.
     * @return index of an entry.
     */
    public static int slotOf(final long key, final int capacity) {
        return (int) mix(key * GOLDEN) & capacity - 1;
    }

    /** The finalizer of MurmurHash3: each bit of the input changes about half of the output. */
    private static long mix(final long value) {
        long h = value;
        h = (h ^ h >>> 33) * 0xff51_afd7_ed55_8ccdL;
        h = (h ^ h >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
        return h ^ h >>> 33;
    }

    /**
     * The check that belongs to the other words of an entry.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @param nonce  of the directory.
     * @return 64 bits.
     */
    public static long checkOf(final DirectBuffer buffer, final int offset, final long nonce) {
        long h = nonce + GOLDEN;
        for (int word = KEY_OFFSET; word < ENTRY_LENGTH; word += Long.BYTES) {
            h = mix(h ^ buffer.getLong(offset + word, ORDER)) + GOLDEN;
        }
        // 0 is that of an entry that was never used.
        return h == 0 ? 1 : h;
    }

    /**
     * Whether an entry was read whole. One that was never used is all zero, and so is its check.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @param nonce  of the directory.
     * @return true if check and words belong together.
     */
    public static boolean isIntact(final DirectBuffer buffer, final int offset, final long nonce) {
        final long check = buffer.getLong(offset + CHECK_OFFSET, ORDER);
        return check == 0 ? isZero(buffer, offset) : check == checkOf(buffer, offset, nonce);
    }

    private static boolean isZero(final DirectBuffer buffer, final int offset) {
        long all = 0;
        for (int word = KEY_OFFSET; word < ENTRY_LENGTH; word += Long.BYTES) {
            all |= buffer.getLong(offset + word, ORDER);
        }
        return all == 0;
    }

    /**
     * Writes an entry.
     *
     * @param buffer where to.
     * @param offset its first byte.
     * @param entry  what the key means.
     * @param state  {@link #LIVE}, {@link #DISABLED}, {@link #IN_PIECES}, or the magic of a raw key.
     * @param nonce  of the directory.
     */
    public static void write(
        final MutableDirectBuffer buffer, final int offset, final DirectoryEntry entry, final int state,
        final long nonce) {
        buffer.putLong(offset + KEY_OFFSET, entry.key(), ORDER);
        buffer.putInt(offset + STATE_OFFSET, state, ORDER);
        buffer.putInt(offset + RKEY_OFFSET, entry.rkey(), ORDER);
        buffer.putLong(offset + DEVICE_BASE_OFFSET, entry.deviceBase(), ORDER);
        buffer.putLong(offset + LENGTH_OFFSET, entry.length(), ORDER);
        buffer.putLong(offset + FABRIC_BASE_OFFSET, entry.fabricBase(), ORDER);
        buffer.putInt(offset + ACCESS_OFFSET, entry.access(), ORDER);
        buffer.putInt(offset + CELL_RKEY_OFFSET, entry.cellRkey(), ORDER);
        buffer.putLong(offset + CELL_IOVA_OFFSET, entry.cellIova(), ORDER);
        buffer.putLong(offset + CHECK_OFFSET, checkOf(buffer, offset, nonce), ORDER);
    }

    /**
     * Leaves nothing of an entry but its state.
     *
     * @param buffer where it is.
     * @param offset its first byte.
     * @param state  {@link #FREE} or {@link #REMOVED}.
     * @param nonce  of the directory.
     */
    public static void clear(
        final MutableDirectBuffer buffer, final int offset, final int state, final long nonce) {
        buffer.setMemory(offset + KEY_OFFSET, ENTRY_LENGTH - KEY_OFFSET, (byte) 0);
        buffer.putInt(offset + STATE_OFFSET, state, ORDER);
        buffer.putLong(offset + CHECK_OFFSET, state == FREE ? 0 : checkOf(buffer, offset, nonce), ORDER);
    }

    /**
     * Reads an entry that {@linkplain #isIntact is intact}.
     *
     * @param buffer where it is.
     * @param offset its first byte.
     * @return a new record.
     */
    public static DirectoryEntry read(final DirectBuffer buffer, final int offset) {
        return new DirectoryEntry(key(buffer, offset), rkey(buffer, offset), deviceBase(buffer, offset),
            length(buffer, offset), fabricBase(buffer, offset), access(buffer, offset), cellRkey(buffer, offset),
            cellIova(buffer, offset));
    }

    /**
     * The key.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return as the application has it.
     */
    public static long key(final DirectBuffer buffer, final int offset) {
        return buffer.getLong(offset + KEY_OFFSET, ORDER);
    }

    /**
     * The state.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return one of the states above, if the peer can be trusted.
     */
    public static int state(final DirectBuffer buffer, final int offset) {
        return buffer.getInt(offset + STATE_OFFSET, ORDER);
    }

    /**
     * The device's key.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return 32 bits.
     */
    public static int rkey(final DirectBuffer buffer, final int offset) {
        return buffer.getInt(offset + RKEY_OFFSET, ORDER);
    }

    /**
     * How the device names the first byte.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return an address.
     */
    public static long deviceBase(final DirectBuffer buffer, final int offset) {
        return buffer.getLong(offset + DEVICE_BASE_OFFSET, ORDER);
    }

    /**
     * The length.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return bytes.
     */
    public static long length(final DirectBuffer buffer, final int offset) {
        return buffer.getLong(offset + LENGTH_OFFSET, ORDER);
    }

    /**
     * How peers name the first byte.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return an address.
     */
    public static long fabricBase(final DirectBuffer buffer, final int offset) {
        return buffer.getLong(offset + FABRIC_BASE_OFFSET, ORDER);
    }

    /**
     * The rights.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return {@link #READ}, {@link #WRITE}, {@link #ATOMIC}, or-ed; and the number of pieces.
     */
    public static int access(final DirectBuffer buffer, final int offset) {
        return buffer.getInt(offset + ACCESS_OFFSET, ORDER);
    }

    /**
     * The key of the event cell.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return 32 bits; of no meaning without a cell.
     */
    public static int cellRkey(final DirectBuffer buffer, final int offset) {
        return buffer.getInt(offset + CELL_RKEY_OFFSET, ORDER);
    }

    /**
     * The address of the event cell.
     *
     * @param buffer where the entry is.
     * @param offset its first byte.
     * @return an address; 0 if there is none.
     */
    public static long cellIova(final DirectBuffer buffer, final int offset) {
        return buffer.getLong(offset + CELL_IOVA_OFFSET, ORDER);
    }
}
