/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;

/**
 * Registers with devices. Where one has no room, idle entries of caches make it (checklist 59: provider failure, flush,
 * retry): of all caches that register with this device, whichever domain or authorization key they are of, as whatever
 * is in use comes before what is not. Thread-safe; nothing is registered or deregistered under a lock of this class.
 */
public final class RegionRoom {
    private static final Set<Integer> NOT_ABOUT_ROOM = Set.of(RdmaException.EINVAL, RdmaException.EFAULT,
        RdmaException.EBADFD, FiErrno.FI_EOPNOTSUPP, FiErrno.FI_ENOSYS, FiErrno.FI_ENODEV, FiErrno.FI_EIO);
    /** Those of this process. Guarded by itself. Who never closes one keeps no device by this. */
    private static final Set<RegionCache> CACHES = Collections.newSetFromMap(new WeakHashMap<>());

    /** A cache, and how many entries it had when it was looked at. */
    private record Giver(RegionCache cache, long entries) {
    }

    private RegionRoom() {
    }

    /** From now on it makes room for others. */
    static void enter(final RegionCache cache) {
        synchronized (CACHES) {
            CACHES.add(cache);
        }
    }

    static void leave(final RegionCache cache) {
        synchronized (CACHES) {
            CACHES.remove(cache);
        }
    }

    /**
     * Registers all of a piece of memory.
     *
     * @param pd     where.
     * @param memory of the same device.
     * @param access what the region allows besides local read.
     * @return the region; the caller owns it.
     * @throws RdmaException as {@link ProtectionDomain#register(PinnedMemory, AccessFlag...)}.
     */
    public static MemoryRegion register(
        final ProtectionDomain pd, final PinnedMemory memory, final AccessFlag... access) {
        return make(pd, () -> pd.register(memory, access));
    }

    /**
     * Registers memory.
     *
     * @param pd      where.
     * @param options what, and how.
     * @return the region; the caller owns it.
     * @throws RdmaException as {@link ProtectionDomain#register(MrOptions)}.
     */
    public static MemoryRegion register(final ProtectionDomain pd, final MrOptions options) {
        return make(pd, () -> pd.register(options));
    }

    /**
     * Changes a region, which takes room for a moment: a device makes the new one before the old one goes.
     *
     * @param region  stays as it is if this fails.
     * @param changes as there.
     * @throws RdmaException as {@link MemoryRegion#reregister(MrOptions)}.
     */
    public static void reregister(final MemoryRegion region, final MrOptions changes) {
        make(region.pd(), () -> {
            region.reregister(changes);
            return region;
        });
    }

    /**
     * Creates a queue pair, which may have a region of its own: for messages that are copied when they are posted.
     *
     * @param pd      where.
     * @param options as there.
     * @return the QP; the caller owns it.
     * @throws RdmaException as {@link ProtectionDomain#createQp}.
     */
    public static QueuePair createQp(final ProtectionDomain pd, final QpOptions options) {
        return make(pd, () -> pd.createQp(options));
    }

    /** What gives way doubles with each attempt, so that there are few. */
    static <T> T make(final ProtectionDomain pd, final Supplier<T> attempt) {
        for (long most = 1;; most *= 2) {
            try {
                return attempt.get();
            } catch (final RdmaException e) {
                if (NOT_ABOUT_ROOM.contains(e.errno()) || !makeRoom(pd.context(), most)) {
                    throw e;
                }
            }
        }
    }

    /** One cache gives way, the fullest that can; false if none can. */
    private static boolean makeRoom(final RdmaContext device, final long most) {
        for (final Giver giver : givers(device)) {
            if (giver.cache.giveWay(most)) {
                return true;
            }
        }
        return false;
    }

    private static List<Giver> givers(final RdmaContext device) {
        final List<Giver> givers = new ArrayList<>();
        synchronized (CACHES) {
            for (final RegionCache cache : CACHES) {
                if (cache.device() == device) {
                    givers.add(new Giver(cache, cache.entries().count()));
                }
            }
        }
        givers.sort(Comparator.comparingLong(Giver::entries).reversed());
        return givers;
    }
}
