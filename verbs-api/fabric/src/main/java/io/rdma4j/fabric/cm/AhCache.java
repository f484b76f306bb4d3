/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.ProtectionDomain;

/**
 * Address handles by GID: at most an eighth of what the device has, as each endpoint has such a table. A GID can be in
 * four places; who comes fifth takes the place of who came first. Does not allocate for a GID that is in it. For one
 * thread at a time.
 */
public final class AhCache implements AutoCloseable {
    private static final int MOST = 1024;
    private static final int SHARE = 8;
    private static final int PLACES = 4;

    private final ProtectionDomain pd;
    private final long[] highs;
    private final long[] lows;
    private final AddressHandle[] handles;
    /** Of each group: which place goes next. */
    private final byte[] turns;
    private int errno;

    /**
     * Starts empty.
     *
     * @param pd where the handles are made; has to stay open as long.
     */
    public AhCache(final ProtectionDomain pd) {
        this.pd = pd;
        final int share = Math.min(MOST, pd.context().attributes().maxAh() / SHARE);
        final int size = Integer.highestOneBit(Math.max(PLACES, share));
        highs = new long[size];
        lows = new long[size];
        handles = new AddressHandle[size];
        turns = new byte[size / PLACES];
    }

    /**
     * The way to a GID.
     *
     * @param high the first eight bytes.
     * @param low  the last eight bytes.
     * @return null if there is none, see {@link #errno}.
     */
    public AddressHandle find(final long high, final long low) {
        final int group = group(high, low);
        for (int place = group * PLACES; place < (group + 1) * PLACES; place++) {
            if (lows[place] == low && highs[place] == high && handles[place] != null) {
                return handles[place];
            }
        }
        return make(group, high, low);
    }

    private int group(final long high, final long low) {
        final long mixed = (high * 31 + low) * 0x9e37_79b9_7f4a_7c15L;
        return (int) (mixed >>> 40) & turns.length - 1;
    }

    private AddressHandle make(final int group, final long high, final long low) {
        final int place = group * PLACES + (turns[group]++ & PLACES - 1);
        try {
            drop(place);
            handles[place] = create(new Gid(high, low));
            highs[place] = high;
            lows[place] = low;
            return handles[place];
        } catch (final RdmaException e) {
            errno = e.errno();
            return null;
        }
    }

    /** What is kept for later gives way to what is needed now. */
    private AddressHandle create(final Gid gid) {
        try {
            return pd.createAh(AhAttributes.to(gid));
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.ENOMEM) {
                throw e;
            }
            close();
            return pd.createAh(AhAttributes.to(gid));
        }
    }

    /**
     * Why the last one was not found.
     *
     * @return a positive errno of Linux.
     */
    public int errno() {
        return errno;
    }

    private void drop(final int place) {
        final AddressHandle handle = handles[place];
        if (handle != null) {
            // What was posted with it is not affected; and if it cannot be closed it is not tried for ever.
            handles[place] = null;
            handle.close();
        }
    }

    /**
     * All of them, whatever the device says of one.
     *
     * @throws RdmaException the first thing that it said.
     */
    @Override
    public void close() {
        RdmaException first = null;
        for (int i = 0; i < handles.length; i++) {
            try {
                drop(i);
            } catch (final RdmaException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
