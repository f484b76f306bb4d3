/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What is in the memory of a shared vector, in the byte order of this machine, which magic and version show.
 *
 * <p>The memory has the length of the largest vector from the beginning, and almost all of it is a hole: so everybody
 * maps all of it once, and a vector grows without a reader having to do anything. What is used grows from the start of
 * each part: its bytes are written before the words of the header that name it, and nobody looks behind them.
 *
 * <pre>
 *  Header                                  |  what changes, under the lock
 *    0  u64  magic                         |    72  u64  places that there are; checked
 *    8  u32  version                       |    80  u64  level of the index; checked
 *   12  u32  bytes of an entry             |    88  u64  bytes that are used
 *   16  u32  most places, a power of 2     |  1024  u64  addresses in it
 *   24  u32  type (1 MAP, 2 TABLE)         |  1032  u32  under way: 0 none, 1 insert, 2 remove, 3 move, 4 anew
 *   28  u32  format (AddressFormat.value)  |  1036  u32  place of what is under way
 *   32  u32  bits for receive contexts     |  1040  u64  count of changes of the index
 *   36  u32  process that made it          |  1048  u64  number of the next insertion
 *   40  u64  base of names (map_addr)      |  1056  u64  move: first half of the new GID
 *   48  u64  bytes of the memory           |  1064  u64        second half
 *   56  u32  bytes of the name             |  1072  u32        kind << 24 | queue pair number
 *   60  u32  bytes of the domain's name    |  1076  u32        queue key
 *   64  u32  CRC-32 of 0..63 and the names |  1080  u32  u64 with bits below: all places taken
 *   96  16 random bytes: which vector it is|  1084  u32  count of moves
 *                                          |  1088  u32  each owner, from 0 on: its addresses
 *  128  name                               |
 *  256  name of the domain, up to 1023     |
 *
 * A checked word has the value in its lower half and the complement in the upper one.
 *
 * 4096  u64 each: one bit for each place: taken, or never to be used again
 *       index of each level from 6 on; that of level n serves up to 2^n places:
 *         u32 each of 2^n buckets: first place in it + 1; 0: none
 *         u32 each of 2^n places: next place in its bucket + 1; 0: none
 *       entries, from a multiple of 4096 on
 *
 * Entry
 *  63             32 31            2 1     0
 *  +----------------+---------------+-------+
 *  |      life      |    changes    | state |   0   state: 0 free, 1 live, 2 being moved
 *  +----------------+---------------+-------+
 *  |            GID, first half             |   8
 *  +----------------------------------------+
 *  |            GID, second half            |  16
 *  +--------------------+-------------------+
 *  |     queue key      |  kind  |   qpn    |  24   kind: bits 24 to 31
 *  +--------------------+-------------------+
 *  |       owner        | bytes as inserted |  32
 *  +--------------------+-------------------+
 *  |         number of the insertion        |  40
 *  +----------------------------------------+
 *  |         address as it was inserted     |  48
 * </pre>
 */
final class SharedLayout {
    /** "rdma4jav" */
    static final long MAGIC = 0x7661_6a34_616d_6472L;
    static final int VERSION = 3;
    static final int VERSION_OFFSET = 8;
    static final int ENTRY_SIZE_OFFSET = 12;
    static final int MOST_OFFSET = 16;
    static final int TYPE_OFFSET = 24;
    static final int FORMAT_OFFSET = 28;
    static final int BITS_OFFSET = 32;
    static final int PROCESS_OFFSET = 36;
    static final int BASE_OFFSET = 40;
    static final int LENGTH_OFFSET = 48;
    static final int NAME_LENGTH_OFFSET = 56;
    static final int DOMAIN_LENGTH_OFFSET = 60;
    static final int CRC_OFFSET = 64;
    static final int PLACES_OFFSET = 72;
    static final int LEVEL_OFFSET = 80;
    static final int USED_OFFSET = 88;
    static final int ID_OFFSET = 96;
    static final int NAME_OFFSET = 128;
    static final int DOMAIN_OFFSET = 256;
    static final int SIZE_OFFSET = 1024;
    static final int UNDER_WAY_OFFSET = 1032;
    static final int UNDER_WAY_PLACE_OFFSET = 1036;
    static final int CHANGES_OFFSET = 1040;
    static final int NEXT_ORDER_OFFSET = 1048;
    static final int MOVE_OFFSET = 1056;
    static final int FIRST_FREE_OFFSET = 1080;
    static final int MOVES_OFFSET = 1084;
    static final int OWNERS_OFFSET = 1088;
    /** With owner 0, which is nobody. */
    static final int OWNERS = 512;
    static final int HEADER = 4096;

    static final int GID_HIGH = 8;
    static final int GID_LOW = 16;
    static final int QPN = 24;
    static final int QKEY = 28;
    static final int INSERTED_LENGTH = 32;
    static final int OWNER = 36;
    static final int ORDER = 40;
    static final int INSERTED = 48;

    /** The first level: places come by whole words of bits. */
    static final int FIRST_LEVEL = 6;
    /** So that the header, the bits and the index of every level have ints as offsets. */
    static final int MOST = 1 << 26;
    /** Entries that are mapped at once: so that offsets in them are ints. */
    static final int WINDOW = 1 << 22;

    private static final int LINE = 64;
    private static final int PAGE = 4096;
    private static final int TEXT_ROOM = 208;
    private static final int MAX_NAME = DOMAIN_OFFSET - NAME_OFFSET;
    private static final int MAX_DOMAIN = SIZE_OFFSET - DOMAIN_OFFSET;

    /** Places that it can have. */
    final int most;
    final AddressFormat format;
    final AvType type;
    final int rxCtxBits;
    final long base;
    final int entrySize;
    /** Header, bits and index. */
    final int front;
    final long length;

    SharedLayout(
        final int most, final AddressFormat format, final AvType type, final int rxCtxBits, final long base) {
        this.most = most;
        this.format = format;
        this.type = type;
        this.rxCtxBits = rxCtxBits;
        this.base = base;
        entrySize = align(INSERTED + room(format), LINE);
        front = align(index(level(most) + 1), PAGE);
        length = front + (long) most * entrySize;
    }

    /** The level that serves so many places. */
    static int level(final int places) {
        return Math.max(FIRST_LEVEL, Integer.SIZE - Integer.numberOfLeadingZeros(places - 1));
    }

    /** Where the word of bits of a place is. */
    static int bits(final int place) {
        return HEADER + place / Long.SIZE * Long.BYTES;
    }

    /** Where the index of a level begins. */
    int index(final int level) {
        return bits(most) + indexBytes(level) - indexBytes(FIRST_LEVEL);
    }

    /** Of a level; also of all levels below it, and that of the first one once more. */
    static int indexBytes(final int level) {
        return 2 * Integer.BYTES << level;
    }

    /** Where in the file an entry is. */
    long position(final int place) {
        return front + (long) place * entrySize;
    }

    /** A word that shows whether somebody has written over it. */
    static long checked(final int value) {
        return value & 0xffff_ffffL | (long) ~value << Integer.SIZE;
    }

    /** What a checked word says; -1 if it is none, or of nothing from first to last. */
    static int checked(final long word, final int first, final int last) {
        final int value = (int) word;
        return word == checked(value) && value >= first && value <= last ? value : -1;
    }

    /** Places that there are; -1 if the header is damaged. */
    int places(final DirectBuffer header) {
        return checked(header.getLong(PLACES_OFFSET), Long.SIZE, most);
    }

    static int room(final AddressFormat format) {
        return format == AddressFormat.STR ? TEXT_ROOM : FabricAddress.size(format);
    }

    private static int align(final int bytes, final int unit) {
        return (bytes + unit - 1) / unit * unit;
    }

    /** The header of a vector that has so many places. */
    void write(final MutableDirectBuffer to, final SharedName name, final int places, final long used) {
        to.setMemory(0, HEADER, (byte) 0);
        to.putInt(VERSION_OFFSET, VERSION);
        to.putInt(ENTRY_SIZE_OFFSET, entrySize);
        to.putInt(MOST_OFFSET, most);
        to.putInt(TYPE_OFFSET, type.value());
        to.putInt(FORMAT_OFFSET, format.value());
        to.putInt(BITS_OFFSET, rxCtxBits);
        to.putInt(PROCESS_OFFSET, (int) ProcessHandle.current().pid());
        to.putLong(BASE_OFFSET, base);
        to.putLong(LENGTH_OFFSET, length);
        writeText(to, NAME_LENGTH_OFFSET, NAME_OFFSET, MAX_NAME, name.name());
        writeText(to, DOMAIN_LENGTH_OFFSET, DOMAIN_OFFSET, MAX_DOMAIN, name.domain());
        to.putLong(NEXT_ORDER_OFFSET, 1);
        to.putLong(PLACES_OFFSET, checked(places));
        to.putLong(LEVEL_OFFSET, checked(level(places)));
        to.putLong(USED_OFFSET, used);
        final UUID id = UUID.randomUUID();
        to.putLong(ID_OFFSET, id.getMostSignificantBits());
        to.putLong(ID_OFFSET + Long.BYTES, id.getLeastSignificantBits());
        to.putLong(0, MAGIC);
        to.putInt(CRC_OFFSET, crc(to));
    }

    private static void writeText(
        final MutableDirectBuffer to, final int lengthOffset, final int offset, final int most, final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > most) {
            throw Troubles.of(FiErrno.FI_EINVAL, "use a shorter one", "the name '%s' has more than %d bytes", text,
                most);
        }
        to.putInt(lengthOffset, bytes.length);
        to.putBytes(offset, bytes);
    }

    private static int crc(final DirectBuffer header) {
        final byte[] bytes = new byte[SIZE_OFFSET];
        header.getBytes(0, bytes);
        final CRC32 crc = new CRC32();
        crc.update(bytes, 0, CRC_OFFSET);
        crc.update(bytes, NAME_OFFSET, SIZE_OFFSET - NAME_OFFSET);
        return (int) crc.getValue();
    }

    /**
     * Reads a header that nobody can be trusted to have written.
     *
     * @param header  as many bytes of it as there are.
     * @param present bytes of them that were there.
     */
    static SharedLayout read(final DirectBuffer header, final int present, final Path path) {
        if (present >= Long.BYTES && header.getLong(0) != MAGIC) {
            throw Troubles.damaged(path, "it begins with 0x%016x, not as a vector does", header.getLong(0));
        }
        if (present >= ENTRY_SIZE_OFFSET && header.getInt(VERSION_OFFSET) != VERSION) {
            throw Troubles.of(FiErrno.FI_EOPNOTSUPP, "use the same release of rdma4j in all processes",
                "%s is of layout version %d, this is version %d", path, header.getInt(VERSION_OFFSET), VERSION);
        }
        if (present < HEADER) {
            throw Troubles.damaged(path, "it has %d bytes, a header has %d", present, HEADER);
        }
        if (header.getInt(CRC_OFFSET) != crc(header)) {
            throw Troubles.damaged(path, "the check of its header is 0x%08x, not 0x%08x", crc(header),
                header.getInt(CRC_OFFSET));
        }
        final SharedLayout layout = of(header, path);
        if (header.getInt(ENTRY_SIZE_OFFSET) != layout.entrySize || header.getLong(LENGTH_OFFSET) != layout.length) {
            throw Troubles.damaged(path, "it says %d bytes, %d entries need %d", header.getLong(LENGTH_OFFSET),
                layout.most, layout.length);
        }
        if (layout.places(header) < 0) {
            throw Troubles.damaged(path, "its word of places is 0x%016x", header.getLong(PLACES_OFFSET));
        }
        return layout;
    }

    /** Whether two headers are of one vector, whatever has changed since one of them was copied. */
    static boolean isSame(final DirectBuffer one, final DirectBuffer other) {
        return one.getLong(0) == other.getLong(0) && one.getInt(CRC_OFFSET) == other.getInt(CRC_OFFSET)
            && one.getLong(ID_OFFSET) == other.getLong(ID_OFFSET)
            && one.getLong(ID_OFFSET + Long.BYTES) == other.getLong(ID_OFFSET + Long.BYTES);
    }

    private static SharedLayout of(final DirectBuffer header, final Path path) {
        final AddressFormat format = find(AddressFormat.values(), AddressFormat::value, header.getInt(FORMAT_OFFSET));
        final AvType type = find(AvType.values(), AvType::value, header.getInt(TYPE_OFFSET));
        final int most = header.getInt(MOST_OFFSET);
        final int bits = header.getInt(BITS_OFFSET);
        if (format == null || type == null || type == AvType.UNSPEC || bits < 0
            || bits > FiAddr.MAX_RX_CTX_BITS || most < Long.SIZE || most > MOST
            || Integer.bitCount(most) != 1) {
            throw Troubles.damaged(path, "format %d, type %d, %d bits, up to %d entries", header.getInt(FORMAT_OFFSET),
                header.getInt(TYPE_OFFSET), bits, most);
        }
        return new SharedLayout(most, format, type, bits, header.getLong(BASE_OFFSET));
    }

    static SharedName name(final DirectBuffer header) {
        return new SharedName(text(header, NAME_LENGTH_OFFSET, NAME_OFFSET, MAX_NAME),
            text(header, DOMAIN_LENGTH_OFFSET, DOMAIN_OFFSET, MAX_DOMAIN));
    }

    private static String text(final DirectBuffer from, final int lengthOffset, final int offset, final int most) {
        final byte[] bytes = new byte[Math.max(0, Math.min(most, from.getInt(lengthOffset)))];
        from.getBytes(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private interface Value<T> {
        int of(T one);
    }

    private static <T> T find(final T[] all, final Value<T> value, final int wanted) {
        for (final T one : all) {
            if (value.of(one) == wanted) {
                return one;
            }
        }
        return null;
    }
}
