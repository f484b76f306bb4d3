/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.base.Cleanup;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The peers that lanes lead to and rings come from: each life of one is found once. Under the lock of the carrier. */
final class ShmPeers {
    private final ShmFolder folder;
    private final Map<Gid, ShmPeer> known = new HashMap<>();

    ShmPeers(final ShmFolder folder) {
        this.folder = folder;
    }

    /** One that lives; null if there is none. Whoever does not use it then, forgets it. */
    ShmPeer find(final Gid gid) throws IOException {
        final ShmPeer before = known.get(gid);
        if (before != null && !before.isGone()) {
            return before;
        }
        final ShmPeer found = ShmPeer.find(folder, gid);
        if (found != null) {
            known.put(gid, found);
        }
        return found;
    }

    void forgetIfUnused(final ShmPeer peer) {
        peer.use();
        release(peer);
    }

    private void release(final ShmPeer peer) {
        if (peer.isLastUser()) {
            known.remove(peer.owner().gid(), peer);
        }
        peer.release();
    }

    /** A lane that is not used any more. */
    void dispose(final ShmLane lane) {
        new Cleanup().run(lane::dispose).run(() -> release(lane.peer())).throwIfFailed();
    }

    /** A ring that nobody looks into any more. */
    void dispose(final ShmInlet inlet) {
        new Cleanup().run(inlet::dispose).run(() -> release(inlet.peer())).throwIfFailed();
    }
}
