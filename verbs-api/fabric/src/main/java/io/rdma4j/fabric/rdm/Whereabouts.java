/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.cm.PeerId;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import org.agrona.collections.LongHashSet;

/**
 * Peers that may be elsewhere than the vector says: they ended, and may have begun anew, with the same address of a
 * socket. The name service is asked before they are dialed, and before they are answered. For the thread that uses the
 * endpoint.
 */
final class Whereabouts {
    /** Peers that asked, and may never ask again. */
    private static final int MOST_ASKING = 4096;
    private static final long[] NONE = {};

    private final PeerTable table;
    private final PeerAddress address = new PeerAddress();
    /** Names whose connection failed and was not made anew. */
    private final LongHashSet doubtful = new LongHashSet();
    /** What is being asked for because of whom. */
    private final Map<PeerId, long[]> asking = new HashMap<>();

    Whereabouts(final PeerTable table) {
        this.table = table;
    }

    /** What an endpoint says of itself, for {@link #isPlaced}. */
    static byte[] told(final FabricAddress socket) {
        return socket.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A connection failed. */
    void doubt(final long fiAddr) {
        if (fiAddr != FiAddr.NOTAVAIL) {
            doubtful.add(fiAddr);
        }
    }

    /** A connection was made. */
    void trust(final long fiAddr) {
        doubtful.remove(fiAddr);
    }

    boolean isDoubtful(final long fiAddr) {
        return doubtful.contains(fiAddr);
    }

    /** Has the vector ask where a peer is; false if there is nobody to ask. */
    boolean ask(final Connection connection) {
        connection.asked = table.resolveAgain(connection.fiAddr);
        return connection.asked;
    }

    boolean isAsking(final Connection connection) {
        return connection.asked && table.isResolving(connection.fiAddr);
    }

    /** Notes which address is meant, should its name become another one's. */
    void note(final Connection connection) {
        connection.life = table.lifeOf(connection.fiAddr);
    }

    /** Where the peer is now, used again with the next call; null if it has not moved. */
    PeerAddress moved(final Connection connection) {
        return isStill(connection, connection.fiAddr) && table.find(connection.fiAddr, address)
            && !connection.id.is(address) ? address : null;
    }

    /** Whether a name means the address that it meant when the connection was begun. */
    boolean isStill(final Connection connection, final long fiAddr) {
        return connection.fiAddr == fiAddr && connection.life != 0 && connection.life == table.lifeOf(fiAddr);
    }

    /** False while the vector looks whether somebody who is not in it is one who is, and has moved. */
    boolean isPlaced(final PeerId id, final byte[] told) {
        final long[] known = asking.get(id);
        if (table.source(id.gidHigh(), id.gidLow(), id.qpn(), id.qkey()) != FiAddr.NOTAVAIL) {
            if (known != null && table.isResolving(table.nameOf(id.gidHigh(), id.gidLow(), id.qpn()))) {
                // Who keeps where it was cannot see yet that it has moved, see PeerTable.moves.
                return false;
            }
            asking.remove(id);
            return true;
        }
        final long[] names = known == null ? begin(id, told) : known;
        for (final long name : names) {
            if (table.isResolving(name)) {
                return false;
            }
        }
        asking.remove(id);
        return true;
    }

    private long[] begin(final PeerId id, final byte[] told) {
        final InetSocketAddress socket = socket(told);
        final long[] names = socket == null ? NONE : table.resolveAgain(socket);
        if (names.length > 0) {
            if (asking.size() >= MOST_ASKING) {
                asking.clear();
            }
            asking.put(id, names);
        }
        return names;
    }

    /** Null for what is no address of sockets. */
    private static InetSocketAddress socket(final byte[] told) {
        try {
            return told.length == 0 ? null
                : FabricAddress.parse(new String(told, StandardCharsets.UTF_8)).socketAddress();
        } catch (final FabricException e) {
            return null;
        }
    }
}
