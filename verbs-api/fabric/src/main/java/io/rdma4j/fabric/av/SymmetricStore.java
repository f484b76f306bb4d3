/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.Runs.Run;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Addresses that follow each other (FI_SYMMETRIC; checklist 72): kept as runs that tell by arithmetic what is where, by
 * whatever call they came; a bit for each says that its place is taken. Readers see runs of one moment, as these are
 * replaced and never changed.
 *
 * <p>The hint may be wrong: with too many runs, or an address that is there twice, all go into a {@link HeapStore} and
 * stay there. Places and lives remain.
 */
final class SymmetricStore implements AvStore {
    private static final VarHandle RUNS;

    static {
        try {
            RUNS = MethodHandles.lookup().findVarHandle(SymmetricStore.class, "runs", Runs.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AvType type;
    private final AddressFormat format;
    private final int rxCtxBits;
    private final int mostLife;
    private final Heaps heaps;
    private final FreePlaces places = new FreePlaces();
    /** For changes. */
    private final CountedAddress counted = new CountedAddress();
    private final AvEntry entry = new AvEntry();
    /** For looking up, guarded by itself. */
    private final AvEntry scratch = new AvEntry();
    private final CountedAddress found = new CountedAddress();
    private RunList list = new RunList();
    private boolean changed;
    /** Of what is inserted now; the next one begins once something was removed. */
    private int life = 1;
    private boolean removed;
    private volatile long size;
    /** Written before runs become null, read behind that. */
    private HeapStore heap;
    /** Null once all are in the heap. Released by unlock and spread; meets the acquire in {@link #runs}. */
    @SuppressWarnings("unused") // By a VarHandle.
    private Runs runs = Runs.NONE;

    /** Makes what all go into. */
    @FunctionalInterface
    interface Heaps {
        HeapStore make(FreePlaces places, int livesBefore);
    }

    SymmetricStore(final AvType type, final AddressFormat format, final int rxCtxBits) {
        this(type, format, rxCtxBits,
            (places, livesBefore) -> new HeapStore(type, format, rxCtxBits, places, livesBefore));
    }

    SymmetricStore(final AvType type, final AddressFormat format, final int rxCtxBits, final Heaps heaps) {
        this.type = type;
        this.format = format;
        this.rxCtxBits = rxCtxBits;
        mostLife = AvNames.mostLife(type == AvType.MAP ? rxCtxBits : 0);
        this.heaps = heaps;
    }

    private Runs runs() {
        return (Runs) RUNS.getAcquire(this);
    }

    @Override
    public AvType type() {
        return type;
    }

    @Override
    public int rxCtxBits() {
        return rxCtxBits;
    }

    private static Run run(final Runs now, final int place, final int life) {
        final Run run = now.at(place);
        return run == null || life != 0 && life != run.life() ? null : run;
    }

    @Override
    public boolean find(final int place, final int wanted, final PeerAddress into) {
        final Runs now = runs();
        if (now == null) {
            return heap.find(place, wanted, into);
        }
        final Run run = run(now, place, wanted);
        if (run == null) {
            return false;
        }
        run.way().fill(place, into);
        return true;
    }

    @Override
    public long placeOf(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        final Runs now = runs();
        return now == null ? heap.placeOf(gidHigh, gidLow, qpn, qkey) : now.placeOf(gidHigh, gidLow, qpn, qkey);
    }

    @Override
    public int life(final int place) {
        final Runs now = runs();
        if (now == null) {
            return heap.life(place);
        }
        final Run run = now.at(place);
        return run == null ? 0 : run.life();
    }

    @Override
    public FabricAddress inserted(final int place, final int wanted) {
        final byte[] bytes = new byte[FabricAddress.size(format)];
        return inserted(place, wanted, new UnsafeBuffer(bytes), 0, bytes.length) < 0 ? null
            : FabricAddress.of(format, bytes);
    }

    @Override
    public int inserted(
        final int place, final int wanted, final MutableDirectBuffer to, final int offset, final int length) {
        final Runs now = runs();
        if (now == null) {
            return heap.inserted(place, wanted, to, offset, length);
        }
        final Run run = run(now, place, wanted);
        if (run == null) {
            return -FiErrno.FI_EINVAL;
        }
        synchronized (scratch) {
            run.way().fill(place, found);
            found.copyTo(format, scratch);
            to.putBytes(offset, scratch.bytes(), 0, Math.min(length, scratch.length()));
            return scratch.length();
        }
    }

    @Override
    public void lock() {
        // The vector's own lock is enough.
    }

    @Override
    public void unlock() {
        if (changed && heap == null) {
            RUNS.setRelease(this, list.publish());
        }
        changed = false;
    }

    @Override
    public void reserve(final int more) {
        if (heap != null) {
            heap.reserve(more);
        }
    }

    @Override
    public long insert(final AvEntry address) {
        if (heap != null) {
            return heap.insert(address);
        }
        life += removed && life < mostLife ? 1 : 0;
        removed = false;
        final int place = places.take();
        if (place > AvNames.MOST_PLACE) {
            places.free(place);
            return -FiErrno.FI_ENOMEM;
        }
        boolean done = false;
        try {
            final long handle = put(place, address);
            done = true;
            return handle;
        } finally {
            if (!done) {
                // There was no memory for it.
                takeBack(place);
            }
        }
    }

    /** Adds an address at a place that was taken for it. */
    private long put(final int place, final AvEntry address) {
        counted.set(address);
        if (life == mostLife || !list.add(place, life, counted)) {
            // Places of the heap have lives of their own: some of them can have the last one yet.
            spread(life == mostLife ? life - 1 : life);
            return heap.put(place, life, address);
        }
        address.placed(place, life);
        changed = true;
        size++;
        return AvNames.handle(place, life);
    }

    private void takeBack(final int place) {
        if (heap == null && list.at(place) != null) {
            // It was added, and there was none for what belongs to it. It ends its run: so there is room.
            list.remove(place);
        }
        places.free(place);
    }

    /** Puts all into the heap; where there is no memory for that, nothing changes. */
    private void spread(final int livesBefore) {
        final Runs last = list.publish();
        final HeapStore to = heaps.make(places, livesBefore);
        to.reserve((int) size);
        final CountedAddress each = new CountedAddress();
        last.forEach((run, place) -> {
            run.way().fill(place, each);
            each.copyTo(format, entry);
            to.put(place, run.life(), entry);
        });
        heap = to;
        list = null;
        RUNS.setRelease(this, null);
    }

    @Override
    public boolean remove(final int place, final int wanted) {
        if (heap != null) {
            return heap.remove(place, wanted);
        }
        final Run run = list.at(place);
        if (run == null || wanted != 0 && wanted != run.life()) {
            return false;
        }
        if (!list.remove(place)) {
            spread(life);
            return heap.remove(place, wanted);
        }
        places.free(place);
        changed = true;
        removed = true;
        size--;
        return true;
    }

    @Override
    public boolean resolved(final int place, final int wanted, final AvEntry device) {
        if (heap != null) {
            return heap.resolved(place, wanted, device);
        }
        final Run run = list.at(place);
        if (run == null || wanted != 0 && wanted != run.life()) {
            return false;
        }
        run.way().fill(place, counted);
        if (counted.isAt(device)) {
            return true;
        }
        counted.device(device);
        if (!list.canMove(place, counted)) {
            spread(life);
            return heap.resolved(place, wanted, device);
        }
        list.remove(place);
        list.add(place, run.life(), counted);
        changed = true;
        return true;
    }

    @Override
    public long size() {
        return runs() == null ? heap.size() : size;
    }

    @Override
    public long memoryUse() {
        return heap == null ? runs().memoryUse() + places.memoryUse() : heap.memoryUse();
    }

    @Override
    public void close() {
        // The collector takes it.
    }
}
