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
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What is in the file of a shared vector, in the byte order of this machine, which magic and version show.
 *
 * <pre>
 *  Header                                  |  what changes, under the lock
 *    0  u64  magic                         |  1024  u64  addresses in it
 *    8  u32  version                       |  1032  u32  operation under way: 0 none, 1 insert, 2 remove, 3 move
 *   12  u32  bytes of an entry             |  1036  u32  its place
 *   16  u32  entries                       |  1040  u64  count of changes of the index
 *   20  u32  buckets, a power of 2         |  1048  u64  number of the next insertion
 *   24  u32  type (1 MAP, 2 TABLE)         |  1056  u64  move: first half of the new GID
 *   28  u32  format (AddressFormat.value)  |  1064  u64        second half
 *   32  u32  bits for receive contexts     |  1072  u32        kind << 24 | queue pair number
 *   36  u32  process that made it          |  1076  u32        queue key
 *   40  u64  base of names (map_addr)      |  1080  u32  u64 with bits below: all places taken
 *   48  u64  bytes of the file             |  1088  u32  each owner, from 0 on: its addresses
 *   56  u32  bytes of the name             |
 *   60  u32  bytes of the domain's name    |
 *   64  u32  CRC-32 of 0..63 and the names |
 *  128  name
 *  256  name of the domain, up to 1023
 *
 * 4096  u64 each: one bit for each place: taken, or never to be used again
 *       u32 each bucket: first place in it + 1; 0: none
 *       entries, from a multiple of 64 on
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
 *  +---------+----------+-------------------+
 *  |  owner  | inserted | next in bucket +1 |  32   inserted: bytes of the address as it was inserted
 *  +---------+----------+-------------------+
 *  |         number of the insertion        |  40
 *  +----------------------------------------+
 *  |         address as it was inserted     |  48
 * </pre>
 */
final class SharedLayout {
    /** "rdma4jav" */
    static final long MAGIC = 0x7661_6a34_616d_6472L;
    static final int VERSION = 2;
    static final int VERSION_OFFSET = 8;
    static final int ENTRY_SIZE_OFFSET = 12;
    static final int CAPACITY_OFFSET = 16;
    static final int BUCKETS_OFFSET = 20;
    static final int TYPE_OFFSET = 24;
    static final int FORMAT_OFFSET = 28;
    static final int BITS_OFFSET = 32;
    static final int PROCESS_OFFSET = 36;
    static final int BASE_OFFSET = 40;
    static final int LENGTH_OFFSET = 48;
    static final int NAME_LENGTH_OFFSET = 56;
    static final int DOMAIN_LENGTH_OFFSET = 60;
    static final int CRC_OFFSET = 64;
    static final int NAME_OFFSET = 128;
    static final int DOMAIN_OFFSET = 256;
    static final int SIZE_OFFSET = 1024;
    static final int UNDER_WAY_OFFSET = 1032;
    static final int UNDER_WAY_PLACE_OFFSET = 1036;
    static final int CHANGES_OFFSET = 1040;
    static final int NEXT_ORDER_OFFSET = 1048;
    static final int MOVE_OFFSET = 1056;
    static final int FIRST_FREE_OFFSET = 1080;
    static final int OWNERS_OFFSET = 1088;
    /** With owner 0, which is nobody. */
    static final int OWNERS = 512;
    static final int HEADER = 4096;

    static final int GID_HIGH = 8;
    static final int GID_LOW = 16;
    static final int QPN = 24;
    static final int QKEY = 28;
    static final int NEXT = 32;
    static final int INSERTED_LENGTH = 36;
    static final int OWNER = 38;
    static final int ORDER = 40;
    static final int INSERTED = 48;

    private static final int LINE = 64;
    private static final int TEXT_ROOM = 208;
    private static final int MAX_NAME = DOMAIN_OFFSET - NAME_OFFSET;
    private static final int MAX_DOMAIN = SIZE_OFFSET - DOMAIN_OFFSET;

    final int capacity;
    final AddressFormat format;
    final AvType type;
    final int rxCtxBits;
    final long base;
    final int buckets;
    final int entrySize;
    final int bucketsOffset;
    final int entriesOffset;
    final long length;

    SharedLayout(
        final int capacity, final AddressFormat format, final AvType type, final int rxCtxBits, final long base) {
        this.capacity = capacity;
        this.format = format;
        this.type = type;
        this.rxCtxBits = rxCtxBits;
        this.base = base;
        buckets = Integer.highestOneBit(Math.max(1, capacity - 1)) * 2;
        entrySize = align(INSERTED + room(format));
        bucketsOffset = HEADER + (capacity + Long.SIZE - 1) / Long.SIZE * Long.BYTES;
        entriesOffset = align(bucketsOffset + buckets * Integer.BYTES);
        length = entriesOffset + (long) capacity * entrySize;
    }

    static int room(final AddressFormat format) {
        return format == AddressFormat.STR ? TEXT_ROOM : FabricAddress.size(format);
    }

    private static int align(final int bytes) {
        return (bytes + LINE - 1) / LINE * LINE;
    }

    int entry(final int place) {
        return entriesOffset + place * entrySize;
    }

    /** A header that says this. */
    void write(final MutableDirectBuffer to, final SharedName name) {
        to.setMemory(0, HEADER, (byte) 0);
        to.putInt(VERSION_OFFSET, VERSION);
        to.putInt(ENTRY_SIZE_OFFSET, entrySize);
        to.putInt(CAPACITY_OFFSET, capacity);
        to.putInt(BUCKETS_OFFSET, buckets);
        to.putInt(TYPE_OFFSET, type.value());
        to.putInt(FORMAT_OFFSET, format.value());
        to.putInt(BITS_OFFSET, rxCtxBits);
        to.putInt(PROCESS_OFFSET, (int) ProcessHandle.current().pid());
        to.putLong(BASE_OFFSET, base);
        to.putLong(LENGTH_OFFSET, length);
        writeText(to, NAME_LENGTH_OFFSET, NAME_OFFSET, MAX_NAME, name.name());
        writeText(to, DOMAIN_LENGTH_OFFSET, DOMAIN_OFFSET, MAX_DOMAIN, name.domain());
        to.putLong(NEXT_ORDER_OFFSET, 1);
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
     * @param header  as many bytes of the file as it has, up to a header.
     * @param present bytes of them that were there.
     * @param size    of the file.
     */
    static SharedLayout read(final DirectBuffer header, final int present, final long size, final Path path) {
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
        if (header.getInt(ENTRY_SIZE_OFFSET) != layout.entrySize || header.getInt(BUCKETS_OFFSET) != layout.buckets
            || header.getLong(LENGTH_OFFSET) != layout.length || size != layout.length) {
            throw Troubles.damaged(path, "it has %d bytes and says %d, %d entries need %d", size,
                header.getLong(LENGTH_OFFSET), layout.capacity, layout.length);
        }
        return layout;
    }

    private static SharedLayout of(final DirectBuffer header, final Path path) {
        final AddressFormat format = find(AddressFormat.values(), AddressFormat::value, header.getInt(FORMAT_OFFSET));
        final AvType type = find(AvType.values(), AvType::value, header.getInt(TYPE_OFFSET));
        final int capacity = header.getInt(CAPACITY_OFFSET);
        final int bits = header.getInt(BITS_OFFSET);
        if (format == null || type == null || type == AvType.UNSPEC || bits < 0
            || bits > FiAddr.MAX_RX_CTX_BITS || capacity < 1 || capacity > most(format)) {
            throw Troubles.damaged(path, "format %d, type %d, %d bits, %d entries", header.getInt(FORMAT_OFFSET),
                header.getInt(TYPE_OFFSET), bits, capacity);
        }
        return new SharedLayout(capacity, format, type, bits, header.getLong(BASE_OFFSET));
    }

    /** Most entries: so that offsets in the file are ints. */
    static int most(final AddressFormat format) {
        return (Integer.MAX_VALUE - 2 * HEADER) / (align(INSERTED + room(format)) + 2 * Integer.BYTES + 1);
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
