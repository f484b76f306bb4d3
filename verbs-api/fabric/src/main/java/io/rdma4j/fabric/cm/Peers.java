/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The peers of a broker: those with which there is a link, or one is being made. */
final class Peers {
    private final Map<PeerId, Peer> byId = new HashMap<>();

    /** Null if there is none. */
    Peer find(final PeerId id) {
        return byId.get(id);
    }

    Peer of(final PeerId id) {
        return byId.computeIfAbsent(id, Peer::new);
    }

    /** Forgets a peer that there is nothing of. */
    void tidy(final Peer peer) {
        if (peer.isForgotten()) {
            byId.remove(peer.id(), peer);
        }
    }

    /** A queue pair has one queue key: who has a link and was there with another one is gone. */
    List<Peer> linkedBefore(final Peer now) {
        return byId.values().stream()
            .filter(other -> other != now && other.link() != null && other.id().isAt(now.id())).toList();
    }

    Collection<Peer> all() {
        return byId.values();
    }

    void clear() {
        byId.clear();
    }

    int size() {
        return byId.size();
    }
}
