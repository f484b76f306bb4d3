/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.live.MwKind;
import org.agrona.UnsafeApi;

/** A memory window. */
final class IbvWindow extends IbvObject implements MemoryWindow {
    private static final int INDEX_MASK = ~0xff;

    final IbvPd pd;
    final long pointer;
    /** Work requests that name it by its address in the library are under way. */
    final Users users = new Users();
    private final WindowType type;
    private volatile int rkey;

    private IbvWindow(final IbvPd pd, final WindowType type, final long pointer) {
        super(pd.context);
        this.pd = pd;
        this.type = type;
        this.pointer = pointer;
        rkey = UnsafeApi.getInt(pointer + Abi.Mw.RKEY);
        publish(MwKind.KIND, context.nextNumber(), this::describe);
    }

    private void describe(final LiveEntry entry) {
        entry.set(MwKind.PD, pd.number).set(MwKind.RKEY, rkey & 0xffff_ffffL)
            .set(MwKind.TYPE, type == WindowType.TYPE_1 ? 1 : 2);
    }

    static IbvWindow create(final IbvPd pd, final WindowType type, final String operation) {
        final IbvContext context = pd.context;
        return new IbvWindow(pd, type, context.requireObject(context.library.call(
            context.member(Abi.Context.OPS_ALLOC_MW), pd.pointer, type == WindowType.TYPE_1 ? 1 : 2), operation,
            "ibv_alloc_mw"));
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

    /** The library chose one, for a window of type 1. */
    void adoptKey() {
        rkey = UnsafeApi.getInt(pointer + Abi.Mw.RKEY);
        changed();
    }

    /** The application chose one. */
    void key(final int key) {
        rkey = key;
        // The library takes the key that the next binding replaces from here.
        UnsafeApi.putInt(pointer + Abi.Mw.RKEY, key);
        changed();
    }

    @Override
    public int nextRkey() {
        final int key = rkey;
        return key & INDEX_MASK | key + 1 & ~INDEX_MASK;
    }

    /** Whether a key differs from this window's in the low byte at most. */
    boolean hasKey(final int key) {
        return ((key ^ rkey) & INDEX_MASK) == 0;
    }

    @Override
    void awaitOthers() {
        users.awaitNone("close window", context, this);
    }

    @Override
    void destroy() {
        new Cleanup()
            .run(() -> context.destroyed(context.library.callInt(context.member(Abi.Context.OPS_DEALLOC_MW), pointer),
                "close window", "ibv_dealloc_mw"))
            .run(() -> pd.forget(this))
            .throwIfFailed();
    }

    @Override
    public String toString() {
        return String.format("window 0x%08x", rkey);
    }
}
