/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.cm.PeerId;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The peers that an endpoint knows, by what they are and by what the vector calls them. For one thread at a time. */
final class ConnectionTable {
    private static final Connection[] NONE = new Connection[0];
    private static final int MOST_INDEX = 1 << 22;

    private final Map<PeerId, Connection> byId = new HashMap<>();
    /** By what the vector calls peers; what is there may be of another peer by now. */
    private Connection[] byIndex = NONE;

    /** The peer of this address, if it is known by this name; else null. Does not allocate. */
    Connection find(final PeerAddress address) {
        final Connection known = at(address.index());
        if (known == null || known.isForgotten || !known.id.is(address)) {
            return null;
        }
        known.fiAddr = address.fiAddr();
        return known;
    }

    /** Who is, or was, at this place of the vector; null for nobody. */
    Connection at(final int index) {
        return index < byIndex.length ? byIndex[index] : null;
    }

    /** The peer of this address, known by this name from now on. */
    Connection add(final PeerAddress address) {
        final Connection connection = of(PeerId.of(address));
        connection.fiAddr = address.fiAddr();
        final int index = address.index();
        if (index >= 0 && index < MOST_INDEX) {
            if (index >= byIndex.length) {
                byIndex = Arrays.copyOf(byIndex, Math.max(index + 1, 2 * byIndex.length));
            }
            byIndex[index] = connection;
            connection.index = index;
        }
        return connection;
    }

    Connection of(final PeerId id) {
        return byId.computeIfAbsent(id, Connection::new);
    }

    /** Null if it is not known. */
    Connection get(final PeerId id) {
        return byId.get(id);
    }

    /** So that peers that come and go leave nothing behind. */
    void forget(final Connection connection) {
        if (connection.link != null || connection.waiting != null || connection.isDialing || connection.isRetrying) {
            return;
        }
        byId.remove(connection.id, connection);
        connection.isForgotten = true;
        if (connection.index >= 0 && byIndex[connection.index] == connection) {
            byIndex[connection.index] = null;
        }
    }

    /** A copy. */
    List<Connection> all() {
        return List.copyOf(byId.values());
    }

    int size() {
        return byId.size();
    }
}
