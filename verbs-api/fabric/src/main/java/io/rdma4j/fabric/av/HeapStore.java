/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Addresses of one process, 32 bytes each, and 6 to 9 to find them by source. An entry is read without a lock: its
 * first word changes with each change of the others, and who reads it before and after them knows that they belong
 * together.
 *
 * <pre>
 *  0  62..32 life | 31..8 count of changes | 1..0 state
 *  1  GID, first half
 *  2  GID, second half
 *  3  63..32 qkey | 25..24 kind | 23..0 qpn
 * </pre>
 */
class HeapStore implements AvStore, ReverseIndex.Keys {
    private static final int WORDS = 4;
    private static final long STATE = 3;
    private static final long FREE = 0;
    private static final long LIVE = 1;
    private static final long CHANGING = 2;
    private static final long CHANGE = 1 << 8;
    private static final long CHANGES = 0xffff_ff00L;
    private static final int LIFE_SHIFT = 32;
    private static final int QPN = 0xff_ffff;
    private static final int KIND_SHIFT = 24;
    private static final int DEVICE_SIZE = FabricAddress.size(AddressFormat.DEVICE);
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final AvType type;
    private final AddressFormat format;
    private final int rxCtxBits;
    private final int mostLife;
    private final FreePlaces places;
    /** What came before, in a store of another kind, had lives up to this. */
    private final int livesBefore;
    private final Column entries = new Column(WORDS);
    private final Originals originals;
    private final ReverseIndex reverse = new ReverseIndex(this);
    private volatile long size;

    HeapStore(final AvType type, final AddressFormat format, final int rxCtxBits) {
        this(type, format, rxCtxBits, new FreePlaces(), 0);
    }

    HeapStore(final AvType type, final AddressFormat format, final int rxCtxBits, final FreePlaces places,
        final int livesBefore) {
        this.type = type;
        this.format = format;
        this.rxCtxBits = rxCtxBits;
        this.places = places;
        this.livesBefore = livesBefore;
        mostLife = AvNames.mostLife(type == AvType.MAP ? rxCtxBits : 0);
        originals = new Originals(format);
    }

    @Override
    public AvType type() {
        return type;
    }

    @Override
    public int rxCtxBits() {
        return rxCtxBits;
    }

    private static int lifeOf(final long head) {
        return (int) (head >>> LIFE_SHIFT);
    }

    /** The first word if this address is there, else 0. Waits while others change it: a few stores. */
    private static long head(final long[] chunk, final int at, final int life) {
        while (true) {
            // Meets the releases in put and resolved: the words behind it are seen, too.
            final long head = (long) WORD.getAcquire(chunk, at);
            if ((head & STATE) == CHANGING) {
                Thread.onSpinWait();
            } else {
                return (head & STATE) == LIVE && (life == 0 || life == lifeOf(head)) ? head : 0;
            }
        }
    }

    /** Whether what was read since {@link #head} belongs together: meets the release fences in put and resolved. */
    private static boolean unchanged(final long[] chunk, final int at, final long head) {
        VarHandle.acquireFence();
        return (long) WORD.getOpaque(chunk, at) == head;
    }

    @Override
    public boolean find(final int place, final int life, final PeerAddress into) {
        final long[] chunk = entries.chunk(place);
        final int at = entries.offset(place);
        if (chunk == null || at >= chunk.length) {
            return false;
        }
        while (true) {
            final long head = head(chunk, at, life);
            if (head == 0) {
                return false;
            }
            final long gidHigh = chunk[at + 1];
            final long gidLow = chunk[at + 2];
            final long rest = chunk[at + 3];
            if (unchanged(chunk, at, head)) {
                into.set(gidHigh, gidLow, (int) rest & QPN, (int) (rest >>> 32), place);
                return true;
            }
        }
    }

    @Override
    public long placeOf(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        return reverse.find(gidHigh, gidLow, qpn, qkey);
    }

    @Override
    public long match(final int place, final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        final long[] chunk = entries.chunk(place);
        final int at = entries.offset(place);
        while (true) {
            final long head = head(chunk, at, 0);
            if (head == 0) {
                return -1;
            }
            final long rest = chunk[at + 3];
            final boolean same = chunk[at + 1] == gidHigh && chunk[at + 2] == gidLow && ((int) rest & QPN) == qpn
                && (qkey == ANY_KEY || qkey == rest >>> 32);
            if (unchanged(chunk, at, head)) {
                return same ? AvNames.handle(place, lifeOf(head)) : -1;
            }
        }
    }

    @Override
    public long hashOf(final int place) {
        return ReverseIndex.hash(entries.get(place, 1), entries.get(place, 2), (int) entries.get(place, 3) & QPN);
    }

    @Override
    public int life(final int place) {
        final long[] chunk = entries.chunk(place);
        final int at = entries.offset(place);
        return chunk == null || at >= chunk.length ? 0 : lifeOf(head(chunk, at, 0));
    }

    @Override
    public FabricAddress inserted(final int place, final int life) {
        UnsafeBuffer to = new UnsafeBuffer(new byte[DEVICE_SIZE]);
        while (true) {
            final int length = inserted(place, life, to, 0, to.capacity());
            if (length < 0) {
                return null;
            }
            if (length <= to.capacity()) {
                final byte[] bytes = new byte[length];
                to.getBytes(0, bytes);
                return FabricAddress.of(format, bytes);
            }
            to = new UnsafeBuffer(new byte[length]);
        }
    }

    @Override
    public int inserted(
        final int place, final int life, final MutableDirectBuffer to, final int offset, final int length) {
        final long[] chunk = entries.chunk(place);
        final int at = entries.offset(place);
        while (chunk != null && at < chunk.length) {
            final long head = head(chunk, at, life);
            if (head == 0) {
                break;
            }
            final int all = originals.isEmpty() ? device(chunk, at, to, offset, length)
                : originals.get(place, to, offset, length);
            if (unchanged(chunk, at, head)) {
                return all;
            }
        }
        return -FiErrno.FI_EINVAL;
    }

    /** In the layout of FabricAddress. */
    private static int device(
        final long[] chunk, final int at, final MutableDirectBuffer to, final int offset, final int length) {
        final long rest = chunk[at + 3];
        if (length >= DEVICE_SIZE) {
            to.putLong(offset, chunk[at + 1], ByteOrder.BIG_ENDIAN);
            to.putLong(offset + 8, chunk[at + 2], ByteOrder.BIG_ENDIAN);
            to.putInt(offset + 16, (int) rest & QPN, ByteOrder.LITTLE_ENDIAN);
            to.putInt(offset + 20, (int) (rest >>> 32), ByteOrder.LITTLE_ENDIAN);
            to.putShort(offset + 24, (short) FabricAddress.DEVICE_VERSION, ByteOrder.LITTLE_ENDIAN);
            to.putShort(offset + 26, (short) (rest >>> KIND_SHIFT & 3), ByteOrder.LITTLE_ENDIAN);
            to.putInt(offset + 28, 0);
            return DEVICE_SIZE;
        }
        for (int i = 0; i < length; i++) {
            to.putByte(offset + i, deviceByte(chunk, at, i));
        }
        return DEVICE_SIZE;
    }

    private static byte deviceByte(final long[] chunk, final int at, final int i) {
        final long rest = chunk[at + 3];
        return (byte) switch (i / 4) {
            case 0, 1 -> chunk[at + 1] >>> 56 - 8 * i;
            case 2, 3 -> chunk[at + 2] >>> 120 - 8 * i;
            case 4 -> (rest & QPN) >>> 8 * (i - 16);
            case 5 -> rest >>> 32 + 8 * (i - 20);
            case 6 -> (FabricAddress.DEVICE_VERSION | (rest >>> KIND_SHIFT & 3) << 16) >>> 8 * (i - 24);
            default -> 0;
        };
    }

    @Override
    public void lock() {
        // The vector's own lock is enough.
    }

    @Override
    public void unlock() {
        // As above.
    }

    @Override
    public void reserve(final int more) {
        reverse.reserve(more, (int) Math.min(AvNames.MOST_PLACE, size + more));
    }

    @Override
    public long insert(final AvEntry entry) {
        final int place = places.take();
        if (place > AvNames.MOST_PLACE) {
            places.free(place);
            return -FiErrno.FI_ENOMEM;
        }
        final int last = Math.max(lifeOf(entries.get(place, 0)), livesBefore);
        boolean done = false;
        try {
            final long handle = put(place, last >= mostLife ? 1 : last + 1, entry);
            done = true;
            return handle;
        } finally {
            if (!done) {
                // There was no memory for it.
                places.free(place);
            }
        }
    }

    /** Adds an address at a place that was taken for it. */
    long put(final int place, final int life, final AvEntry entry) {
        entries.grow(place);
        // Before the address is there: may find no memory.
        reverse.makeRoom(place);
        final long[] chunk = entries.chunk(place);
        final int at = entries.offset(place);
        final long head = chunk[at];
        // Behind the word that remove stored: meets the acquire fence in unchanged.
        VarHandle.releaseFence();
        write(chunk, at, entry);
        originals.put(place, entry);
        entry.placed(place, life);
        // Meets the acquire in head.
        WORD.setRelease(chunk, at, (long) life << LIFE_SHIFT | head + CHANGE & CHANGES | LIVE);
        reverse.add(place, entry.gidHigh(), entry.gidLow(), entry.qpn(), entry.qkey());
        size++;
        return AvNames.handle(place, life);
    }

    private static void write(final long[] chunk, final int at, final AvEntry entry) {
        chunk[at + 1] = entry.gidHigh();
        chunk[at + 2] = entry.gidLow();
        chunk[at + 3] = rest(entry);
    }

    private static long rest(final AvEntry entry) {
        return (long) entry.qkey() << 32 | (long) entry.kind() << KIND_SHIFT | entry.qpn() & QPN;
    }

    private static boolean isAt(final long[] chunk, final int at, final AvEntry device) {
        return chunk[at + 1] == device.gidHigh() && chunk[at + 2] == device.gidLow() && chunk[at + 3] == rest(device);
    }

    @Override
    public boolean remove(final int place, final int life) {
        final long[] chunk = entries.chunk(place);
        final int at = entries.offset(place);
        final long head = chunk == null || at >= chunk.length ? 0 : head(chunk, at, life);
        if (head == 0) {
            return false;
        }
        reverse.remove(place, chunk[at + 1], chunk[at + 2], (int) chunk[at + 3] & QPN, (int) (chunk[at + 3] >>> 32));
        WORD.setOpaque(chunk, at, head & ~(CHANGES | STATE) | head + CHANGE & CHANGES | FREE);
        originals.remove(place);
        if (type == AvType.TABLE || lifeOf(head) < mostLife) {
            places.free(place);
        }
        size--;
        return true;
    }

    @Override
    public boolean resolved(final int place, final int life, final AvEntry device) {
        final long[] chunk = entries.chunk(place);
        final int at = entries.offset(place);
        final long head = chunk == null || at >= chunk.length ? 0 : head(chunk, at, life);
        if (head == 0) {
            return false;
        }
        if (isAt(chunk, at, device)) {
            // It stays the first of those with its address, and no reader misses it.
            return true;
        }
        reverse.remove(place, chunk[at + 1], chunk[at + 2], (int) chunk[at + 3] & QPN, (int) (chunk[at + 3] >>> 32));
        final long next = head & ~(CHANGES | STATE) | head + CHANGE & CHANGES;
        WORD.setOpaque(chunk, at, next | CHANGING);
        // Behind the word above: meets the acquire fence in unchanged.
        VarHandle.releaseFence();
        write(chunk, at, device);
        // Meets the acquire in head.
        WORD.setRelease(chunk, at, next | LIVE);
        reverse.add(place, device.gidHigh(), device.gidLow(), device.qpn(), device.qkey());
        return true;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long memoryUse() {
        return entries.memoryUse() + originals.memoryUse() + places.memoryUse() + reverse.memoryUse();
    }

    @Override
    public void close() {
        // The collector takes it.
    }
}
