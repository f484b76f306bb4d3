/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.AvEntry;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Entries of a shared vector. Read without a lock: an entry's first word changes with each change of the others; who
 * reads it before and after them knows that they belong together. Nothing that is read there is trusted: no place, no
 * length leads out of the file.
 */
final class SharedEntries {
    static final int QPN_MASK = 0xff_ffff;
    private static final long STATE = 3;
    private static final long LIVE = 1;
    private static final long MOVING = 2;
    private static final long CHANGE = 4;
    private static final long CHANGES = 0xffff_fffcL;
    private static final int LIFE_SHIFT = 32;
    static final int KIND_SHIFT = 24;
    static final int ANY_KIND = 0;
    /** A writer that was killed in the middle does not end; its entry counts as unknown until it is mended. */
    private static final int SPINS = 10_000;
    private static final VarHandle STUCK;

    static {
        try {
            STUCK = MethodHandles.lookup().findVarHandle(SharedEntries.class, "stuck", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SharedMemory memory;
    private final SharedLayout layout;
    /** Endpoints of another one are neither found nor matched; {@link #ANY_KIND} for all. */
    private final int kind;
    /** Null if there are none, as where it is not for reading only; changed by one thread at a time. */
    private volatile OwnMoves moves;
    /** Places that there were when it was looked at last. Racy: they only get more, and who needs more looks again. */
    private int known;
    /**
     * Place and first word of an entry that stayed so for all spins: a killed writer leaves one at most. Who reads only
     * cannot mend it, and shall not wait for it each time. Racy: at worst somebody waits once more.
     */
    @SuppressWarnings("unused") // By a VarHandle.
    private long stuck;

    SharedEntries(final SharedMemory memory, final int kind) {
        this.memory = memory;
        this.kind = kind;
        layout = memory.layout;
    }

    /** Places that there are. */
    int places() {
        // Meets the release in announce: their entries are in the file.
        final int now =
            SharedLayout.checked(memory.front.getLongVolatile(SharedLayout.PLACES_OFFSET), Long.SIZE, layout.most);
        if (now > known) {
            known = now;
        }
        return known;
    }

    /** There are more places now; with the lock. */
    void announce(final int places) {
        // Meets the acquire in places.
        memory.front.putLongVolatile(SharedLayout.PLACES_OFFSET, SharedLayout.checked(places));
    }

    static boolean isLive(final long head) {
        return (head & STATE) == LIVE;
    }

    static int lifeOf(final long head) {
        return (int) (head >>> LIFE_SHIFT) & Integer.MAX_VALUE;
    }

    boolean isPlace(final int place) {
        return place >= 0 && (place < known || place < places());
    }

    /** The first word if this address is there, else 0. */
    private long head(final int place, final int life) {
        if (!isPlace(place)) {
            return 0;
        }
        long head = 0;
        for (int i = 0; i < SPINS; i++) {
            // Meets the releases in put and move: the words behind it are seen, too.
            head = memory.window(place).getLongVolatile(memory.offset(place));
            if ((head & STATE) != MOVING) {
                return (head & STATE) == LIVE && (life == 0 || life == lifeOf(head)) ? head : 0;
            }
            if (isStuck(place, head)) {
                return 0;
            }
            Thread.onSpinWait();
        }
        STUCK.setOpaque(this, stuckWord(place, head));
        return 0;
    }

    private boolean isStuck(final int place, final long head) {
        return (long) STUCK.getOpaque(this) == stuckWord(place, head);
    }

    /** Of the place and its count of changes: never 0. */
    private static long stuckWord(final int place, final long head) {
        return (place + 1L) << Integer.SIZE | head & 0xffff_ffffL;
    }

    /** Whether what was read since {@link #head} belongs together. */
    private boolean unchanged(final int place, final long head) {
        // Keeps the reads before it before it; meets the release fences in put and move.
        VarHandle.acquireFence();
        return memory.window(place).getLongVolatile(memory.offset(place)) == head;
    }

    boolean find(final int place, final int life, final PeerAddress into) {
        for (int i = 0; i < SPINS; i++) {
            final long head = head(place, life);
            if (head == 0) {
                return false;
            }
            final OwnMoves.Move move = moved(place, head);
            if (move != null) {
                into.set(move.gidHigh(), move.gidLow(), move.qpn(), move.qkey(), place);
                return true;
            }
            final UnsafeBuffer bytes = memory.window(place);
            final int at = memory.offset(place);
            final long gidHigh = bytes.getLong(at + SharedLayout.GID_HIGH);
            final long gidLow = bytes.getLong(at + SharedLayout.GID_LOW);
            final int qpnAndKind = bytes.getInt(at + SharedLayout.QPN);
            final int qkey = bytes.getInt(at + SharedLayout.QKEY);
            if (unchanged(place, head)) {
                into.set(gidHigh, gidLow, qpnAndKind & QPN_MASK, qkey, place);
                return isOfKind(qpnAndKind);
            }
        }
        return false;
    }

    /** The handle if it is this address, else -1. */
    long match(final int place, final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        for (int i = 0; i < SPINS; i++) {
            final long head = head(place, 0);
            if (head == 0) {
                return -1;
            }
            final UnsafeBuffer bytes = memory.window(place);
            final int at = memory.offset(place);
            final int qpnAndKind = bytes.getInt(at + SharedLayout.QPN);
            final OwnMoves.Move move = moved(place, head);
            final boolean same = move != null
                ? move.gidHigh() == gidHigh && move.gidLow() == gidLow && move.qpn() == qpn && isKey(qkey, move.qkey())
                : bytes.getLong(at + SharedLayout.GID_HIGH) == gidHigh
                    && bytes.getLong(at + SharedLayout.GID_LOW) == gidLow
                    && (qpnAndKind & QPN_MASK) == qpn && isOfKind(qpnAndKind)
                    && isKey(qkey, bytes.getInt(at + SharedLayout.QKEY));
            if (unchanged(place, head)) {
                return same ? AvNames.handle(place, lifeOf(head)) : -1;
            }
        }
        return -1;
    }

    private OwnMoves.Move moved(final int place, final long head) {
        final OwnMoves own = moves;
        return own == null ? null : own.at(place, head);
    }

    private static boolean isKey(final long wanted, final int qkey) {
        return wanted == AvStore.ANY_KEY || wanted == Integer.toUnsignedLong(qkey);
    }

    /** Of what the index found, -1 for nothing, and of what has moved there for this process alone. */
    long first(final long found, final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        long first = found;
        final OwnMoves own = moves;
        OwnMoves.Move move = own == null ? null : own.to(gidHigh, gidLow, qpn);
        for (; move != null; move = move.next()) {
            final long handle = match(move.place(), gidHigh, gidLow, qpn, qkey);
            if (handle >= 0 && (first < 0 || order(move.place()) < order(AvNames.place(first)))) {
                first = handle;
            }
        }
        return first;
    }

    private boolean isOfKind(final int qpnAndKind) {
        return kind == ANY_KIND || qpnAndKind >>> KIND_SHIFT == kind;
    }

    int life(final int place) {
        return lifeOf(head(place, 0));
    }

    int inserted(
        final int place, final int life, final MutableDirectBuffer to, final int offset, final int room) {
        for (int i = 0; i < SPINS; i++) {
            final long head = head(place, life);
            if (head == 0) {
                break;
            }
            final UnsafeBuffer bytes = memory.window(place);
            final int at = memory.offset(place);
            final int length = length(bytes, at, layout);
            to.putBytes(offset, bytes, at + SharedLayout.INSERTED, Math.min(room, length));
            if (unchanged(place, head)) {
                return length;
            }
        }
        return -FiErrno.FI_EINVAL;
    }

    static int length(final DirectBuffer bytes, final int at, final SharedLayout layout) {
        final int said = bytes.getInt(at + SharedLayout.INSERTED_LENGTH);
        final int most = SharedLayout.room(layout.format);
        return layout.format == AddressFormat.STR ? Math.max(0, Math.min(most, said)) : most;
    }

    FabricAddress inserted(final int place, final int life) {
        final UnsafeBuffer to = new UnsafeBuffer(new byte[SharedLayout.room(layout.format)]);
        final int length = inserted(place, life, to, 0, to.capacity());
        if (length < 0) {
            return null;
        }
        final byte[] exact = new byte[length];
        to.getBytes(0, exact);
        return FabricAddress.of(layout.format, exact);
    }

    private long word(final int place, final int offset) {
        return memory.window(place).getLong(memory.offset(place) + offset);
    }

    long gidHigh(final int place) {
        return word(place, SharedLayout.GID_HIGH);
    }

    long gidLow(final int place) {
        return word(place, SharedLayout.GID_LOW);
    }

    int qpn(final int place) {
        return (int) word(place, SharedLayout.QPN) & QPN_MASK;
    }

    /** The last life that the place had, 0 for none. */
    int lastLife(final int place) {
        return lifeOf(word(place, 0));
    }

    boolean isOfKindAt(final int place) {
        return isOfKind((int) word(place, SharedLayout.QPN));
    }

    boolean isFree(final int place) {
        return (word(place, 0) & STATE) != LIVE;
    }

    boolean isMoving(final int place) {
        return (word(place, 0) & STATE) == MOVING;
    }

    long order(final int place) {
        return word(place, SharedLayout.ORDER);
    }

    /** Whose it is, 0 for nobody's; anything if the file is damaged. */
    int owner(final int place) {
        return memory.window(place).getInt(memory.offset(place) + SharedLayout.OWNER) & SharedLayout.OWNERS - 1;
    }

    /** From now on it is nobody's. Readers don't look at it. */
    void disown(final int place) {
        memory.window(place).putInt(memory.offset(place) + SharedLayout.OWNER, 0);
    }

    /** Fills a free place. It is there with the last store, in full or not at all. */
    void put(final int place, final int life, final long order, final int owner, final AvEntry entry) {
        final UnsafeBuffer bytes = memory.window(place);
        final int at = memory.offset(place);
        final long head = bytes.getLong(at);
        // Behind the store of remove: meets the acquire fence in unchanged.
        VarHandle.releaseFence();
        device(bytes, at, entry.gidHigh(), entry.gidLow(), qpnAndKind(entry), entry.qkey());
        bytes.putInt(at + SharedLayout.INSERTED_LENGTH, entry.length());
        bytes.putInt(at + SharedLayout.OWNER, owner);
        bytes.putLong(at + SharedLayout.ORDER, order);
        entry.copyTo(bytes, at + SharedLayout.INSERTED);
        // Meets the acquire in head.
        bytes.putLongVolatile(at, (long) life << LIFE_SHIFT | head + CHANGE & CHANGES | LIVE);
    }

    private static void device(final UnsafeBuffer bytes, final int at, final long gidHigh, final long gidLow,
        final int qpnAndKind, final int qkey) {
        bytes.putLong(at + SharedLayout.GID_HIGH, gidHigh);
        bytes.putLong(at + SharedLayout.GID_LOW, gidLow);
        bytes.putInt(at + SharedLayout.QPN, qpnAndKind);
        bytes.putInt(at + SharedLayout.QKEY, qkey);
    }

    void remove(final int place) {
        final UnsafeBuffer bytes = memory.window(place);
        final int at = memory.offset(place);
        final long head = bytes.getLong(at);
        bytes.putLongVolatile(at, head & ~(CHANGES | STATE) | head + CHANGE & CHANGES);
    }

    /** Another device address; may be done again by who finds it half-done. */
    void move(final int place, final long gidHigh, final long gidLow, final int qpnAndKind, final int qkey) {
        final UnsafeBuffer bytes = memory.window(place);
        final int at = memory.offset(place);
        final long head = bytes.getLong(at);
        final long next = head & ~(CHANGES | STATE) | head + CHANGE & CHANGES;
        bytes.putLongVolatile(at, next | MOVING);
        // Behind the store above: meets the acquire fence in unchanged.
        VarHandle.releaseFence();
        device(bytes, at, gidHigh, gidLow, qpnAndKind, qkey);
        // Meets the acquire in head.
        bytes.putLongVolatile(at, next | LIVE);
    }

    /** Another device address for this process alone, until a writer changes the entry; false if it is not there. */
    boolean moveHere(final int place, final int life, final AvEntry device) {
        final long head = head(place, life);
        if (head == 0 || !isOfKindAt(place) || !unchanged(place, head)) {
            return false;
        }
        moves = OwnMoves.with(moves, move -> unchanged(move.place(), move.head()), place, head, device);
        return true;
    }

    /** Whether it has this device address; with the lock. */
    boolean isAt(final int place, final AvEntry device) {
        final UnsafeBuffer bytes = memory.window(place);
        final int at = memory.offset(place);
        return bytes.getLong(at + SharedLayout.GID_HIGH) == device.gidHigh()
            && bytes.getLong(at + SharedLayout.GID_LOW) == device.gidLow()
            && bytes.getInt(at + SharedLayout.QPN) == qpnAndKind(device)
            && bytes.getInt(at + SharedLayout.QKEY) == device.qkey();
    }

    static int qpnAndKind(final AvEntry entry) {
        return entry.qpn() & QPN_MASK | entry.kind() << KIND_SHIFT;
    }
}
