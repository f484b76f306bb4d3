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
 * Ways to GIDs: a few that were used last, as devices have few (64 on QEMU's, for all of its users). Does not allocate
 * for a GID that is in it. For one thread at a time.
 */
final class AhCache implements AutoCloseable {
    private static final int MOST = 256;
    /** Others need some too. */
    private static final int SHARE = 8;

    private final ProtectionDomain pd;
    private final long[] highs;
    private final long[] lows;
    private final AddressHandle[] handles;
    private int errno;

    AhCache(final ProtectionDomain pd) {
        this.pd = pd;
        final int size = Integer.highestOneBit(Math.max(1, Math.min(MOST, pd.context().attributes().maxAh() / SHARE)));
        highs = new long[size];
        lows = new long[size];
        handles = new AddressHandle[size];
    }

    /** The way to a GID; null if there is none: see {@link #errno}. */
    AddressHandle find(final long high, final long low) {
        final int place = place(high, low);
        final AddressHandle handle = handles[place];
        return handle != null && highs[place] == high && lows[place] == low ? handle : make(place, high, low);
    }

    private int place(final long high, final long low) {
        final long mixed = (high * 31 + low) * 0x9e37_79b9_7f4a_7c15L;
        return (int) (mixed >>> 40) & handles.length - 1;
    }

    private AddressHandle make(final int place, final long high, final long low) {
        try {
            drop(place);
            handles[place] = create(new Gid(high, low));
            highs[place] = high;
            lows[place] = low;
        } catch (final RdmaException e) {
            errno = e.errno();
        }
        return handles[place];
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

    /** Why the last one was not found. */
    int errno() {
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

    /** All of them, whatever the device says of one. */
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
