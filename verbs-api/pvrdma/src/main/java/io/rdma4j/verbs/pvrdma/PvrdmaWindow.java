/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.live.MwKind;
import io.rdma4j.verbs.pvrdma.device.MwKeys;

import java.util.concurrent.atomic.AtomicInteger;

/** A memory window and its key: that of the last binding that was posted. */
final class PvrdmaWindow extends PvrdmaObject implements MemoryWindow {
    final PvrdmaPd pd;
    private final WindowType type;
    private final int handle;
    /** The last key that the driver chose, for a binding that was posted or is just being written. */
    private final AtomicInteger chosen;
    private final Publication publication;
    private volatile int rkey;

    PvrdmaWindow(final PvrdmaPd pd, final WindowType type, final MwKeys keys) {
        super(pd.context);
        this.pd = pd;
        this.type = type;
        this.handle = keys.handle();
        this.rkey = keys.rkey();
        this.chosen = new AtomicInteger(keys.rkey());
        publication = Publication.of(context.device.live(), MwKind.KIND, handle, this::describe);
        publication.changed();
    }

    private void describe(final LiveEntry entry) {
        entry.set(MwKind.PD, pd.handle)
            .set(MwKind.RKEY, Integer.toUnsignedLong(rkey))
            .set(MwKind.TYPE, type.ordinal() + 1L);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public WindowType type() {
        return type;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public int nextRkey() {
        return Keys.next(rkey);
    }

    /**
     * A key for a binding of type 1 that has its place in a queue. The driver chooses the low byte: each binding gets
     * another one, of any queue.
     */
    int choose() {
        int last = chosen.get();
        while (!chosen.compareAndSet(last, Keys.next(last))) {
            last = chosen.get();
        }
        return Keys.next(last);
    }

    /** Poster: a binding with this key is in its queue. */
    void bound(final int key) {
        rkey = key;
        publication.changed();
    }

    @Override
    void destroy() {
        new Cleanup()
            .run(publication::end)
            .run(() -> context.whileWorking(() -> context.device.commands().destroyMw(handle)))
            .run(() -> pd.forget(this))
            .throwIfFailed();
    }

    @Override
    public String toString() {
        return String.format("MW rkey=0x%x %s", rkey, type);
    }
}
