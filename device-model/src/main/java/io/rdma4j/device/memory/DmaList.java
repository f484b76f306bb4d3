/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.queues.Padded;

import org.agrona.UnsafeApi;

/**
 * The memory of one work request: pieces of regions, checked and in order, with a cursor. Reused from request to
 * request; belongs to the queue that fills it, and is read under that queue's lock.
 *
 * <p>Pieces of memory that a work request of somebody else may take away are guarded by their {@link Revocation}: it is
 * entered for each copy. Pieces of which pages may be missing are accessed by {@link PagedMemory}. Both are told by
 * {@link #guard}, so that ordinary memory costs one question for both.
 */
public final class DmaList extends Padded {
    /** Of {@link #copy}: all bytes were copied. */
    public static final int COPIED = 0;
    /** Of {@link #copy}: the source went away, at the latest while it was copied. */
    public static final int SOURCE_LOST = 1;
    /** Of {@link #copy}: the destination went away, at the latest while it was copied. */
    public static final int TARGET_LOST = 2;

    /** Of {@link #shared}: other processes do not find it. */
    public static final long NOT_SHARED = IommuMapping.NOT_SHARED;

    private final PageTable[] tables;
    private final long[] offsets;
    private final long[] lengths;
    private final Revocation[] guards;
    private final int[] leases;
    private boolean guarded;
    /** Whether pages of a piece may be missing; only if guarded. */
    private boolean paged;
    /** What the run found last lies in, of a table that translates at each use. */
    private IommuMapping mapping;
    private int count;
    private long length;
    private int piece;
    private long done;

    /**
     * An empty list.
     *
     * @param capacity pieces at most.
     */
    public DmaList(int capacity) {
        tables = new PageTable[capacity];
        offsets = new long[capacity];
        lengths = new long[capacity];
        guards = new Revocation[capacity];
        leases = new int[capacity];
    }

    /** Makes it empty. */
    public void clear() {
        if (guarded) {
            unguard();
        }
        count = 0;
        length = 0;
        rewind();
    }

    private void unguard() {
        for (int i = 0; i < count; i++) {
            guards[i] = null;
        }
        guarded = false;
        paged = false;
    }

    /**
     * Adds a piece that lies inside of a table.
     *
     * @param table  translates.
     * @param offset first byte, as {@link PageTable#host} counts.
     * @param bytes  above 0.
     */
    public void add(PageTable table, long offset, long bytes) {
        if (tables[count] != table) {
            // Mostly the same as last time; a reference that is not stored costs no barrier of the garbage collector.
            tables[count] = table;
        }
        offsets[count] = offset;
        lengths[count] = bytes;
        count++;
        length += bytes;
    }

    /**
     * Says that the piece added last can be taken away, or that pages of it may be missing.
     *
     * @param guard of it; null if it cannot be taken away.
     * @param lease by which it may be reached.
     */
    public void guard(Revocation guard, int lease) {
        guards[count - 1] = guard;
        leases[count - 1] = lease;
        guarded = true;
        paged |= tables[count - 1].mayFault();
    }

    /**
     * {@return whether pages of it may be missing, so that {@link #host} is for {@link PagedMemory} only}
     */
    public boolean mayFault() {
        return paged;
    }

    /**
     * Begins an access: what is guarded stays as long as {@link #leave} is not called.
     *
     * @return false if some of it is not there any more; then nothing was begun.
     */
    public boolean enter() {
        return !guarded || enterGuarded();
    }

    private boolean enterGuarded() {
        for (int i = 0; i < count; i++) {
            if (guards[i] != null && !guards[i].enter(leases[i])) {
                leave(i);
                return false;
            }
        }
        return true;
    }

    /** Ends an access. */
    public void leave() {
        if (guarded) {
            leave(count);
        }
    }

    private void leave(int end) {
        for (int i = 0; i < end; i++) {
            if (guards[i] != null) {
                guards[i].leave();
            }
        }
    }

    /**
     * {@return how many bytes all pieces have}
     */
    public long length() {
        return length;
    }

    /** Moves the cursor to the first byte. */
    public void rewind() {
        piece = 0;
        done = 0;
    }

    /**
     * Moves the cursor to any byte.
     *
     * @param position from the first one, at most {@link #length()}.
     */
    public void seek(long position) {
        rewind();
        long left = position;
        while (left > 0) {
            final long step = Math.min(left, lengths[piece]);
            skip(step);
            left -= step;
        }
    }

    /**
     * Copies from cursor to cursor and moves both.
     *
     * @param from  source.
     * @param to    destination.
     * @param bytes at most what both have left.
     * @return {@link #COPIED}, or which of the two went away meanwhile.
     */
    public static int copy(DmaList from, DmaList to, long bytes) {
        return from.guarded || to.guarded ? copyGuarded(from, to, bytes) : copyAll(from, to, bytes);
    }

    private static int copyGuarded(DmaList from, DmaList to, long bytes) {
        if (!from.enter()) {
            return SOURCE_LOST;
        }
        try {
            if (!to.enter()) {
                return TARGET_LOST;
            }
            try {
                return from.paged || to.paged ? copyPaged(from, to, bytes) : copyAll(from, to, bytes);
            } finally {
                to.leave();
            }
        } finally {
            from.leave();
        }
    }

    private static int copyPaged(DmaList from, DmaList to, long bytes) {
        long left = bytes;
        while (left > 0) {
            final long source = from.run(left);
            final long run = to.run(source);
            if (run == 0) {
                return source == 0 ? SOURCE_LOST : TARGET_LOST;
            }
            final int copied = PagedMemory.copy(from.start(), from.tables[from.piece].mayFault(), to.start(),
                to.tables[to.piece].mayFault(), run);
            if (copied != COPIED) {
                return copied;
            }
            from.skip(run);
            to.skip(run);
            left -= run;
        }
        return COPIED;
    }

    private static int copyAll(DmaList from, DmaList to, long bytes) {
        long left = bytes;
        while (left > 0) {
            final long source = from.run(left);
            final long run = to.run(source);
            if (run == 0) {
                return source == 0 ? SOURCE_LOST : TARGET_LOST;
            }
            HostMemory.copy(from.start(), to.start(), run);
            from.skip(run);
            to.skip(run);
            left -= run;
        }
        return COPIED;
    }

    /**
     * Writes bytes of the device itself at the cursor and moves it.
     *
     * @param address of the bytes in this process.
     * @param bytes   at most what the list has left.
     * @return false if a page went away meanwhile.
     */
    public boolean put(long address, int bytes) {
        if (!enter()) {
            return false;
        }
        try {
            return putAll(address, bytes);
        } finally {
            leave();
        }
    }

    private boolean putAll(long address, int bytes) {
        int at = 0;
        while (at < bytes) {
            final long run = run(bytes - at);
            if (run == 0) {
                return false;
            }
            if (!PagedMemory.write(address + at, start(), tables[piece].mayFault(), run)) {
                return false;
            }
            skip(run);
            at += (int) run;
        }
        return true;
    }

    /**
     * Reads bytes at the cursor into memory of the device itself and moves it.
     *
     * @param address in this process, where they go.
     * @param bytes   at most what the list has left.
     * @return false if a page went away meanwhile.
     */
    public boolean get(long address, int bytes) {
        if (!enter()) {
            return false;
        }
        try {
            return getAll(address, bytes);
        } finally {
            leave();
        }
    }

    private boolean getAll(long address, int bytes) {
        int at = 0;
        while (at < bytes) {
            final long run = run(bytes - at);
            if (run == 0 || PagedMemory.copy(start(), tables[piece].mayFault(), address + at, false, run) != COPIED) {
                return false;
            }
            skip(run);
            at += (int) run;
        }
        return true;
    }

    /**
     * Writes a 64-bit value at the cursor and moves it.
     *
     * @param value   little endian.
     * @param scratch 8 bytes of the device itself.
     * @return false if a page went away meanwhile.
     */
    public boolean putLong(long value, long scratch) {
        UnsafeApi.putLong(scratch, value);
        return put(scratch, Long.BYTES);
    }

    /**
     * {@return the host address of the byte at the cursor; 0 if it went away. Between {@link #enter} and {@link #leave}
     * only}
     */
    public long host() {
        return tables[piece].host(offsets[piece] + done);
    }

    /**
     * Where the bytes from the cursor to the end are for other processes.
     *
     * @return an offset in the file in which this process shares pages; {@link #NOT_SHARED} if not all of them lie
     *         there in one piece, or a work request may take them away.
     */
    public long shared() {
        return guarded || piece != count - 1 ? NOT_SHARED : tables[piece].shared(offsets[piece] + done);
    }

    private long run(long wanted) {
        if (wanted == 0) {
            return 0;
        }
        final PageTable table = tables[piece];
        final long offset = offsets[piece] + done;
        final long limit = Math.min(wanted, lengths[piece] - done);
        if (!table.isDirect()) {
            return table.run(offset, limit);
        }
        mapping = table.mapping(offset);
        return mapping == null ? 0 : Math.min(mapping.rest(offset), limit);
    }

    /**
     * Where the run found last begins. A table that translates at each use is asked once for both: its answer may be
     * another one already, while what was found first stays good until the caller's lock is given back.
     */
    private long start() {
        final PageTable table = tables[piece];
        final long offset = offsets[piece] + done;
        return table.isDirect() ? mapping.host(offset) : table.host(offset);
    }

    private void skip(long bytes) {
        done += bytes;
        if (done == lengths[piece]) {
            piece++;
            done = 0;
        }
    }
}
