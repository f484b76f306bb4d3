/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.RdmaConnection;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaListener;

import java.net.InetSocketAddress;

/** Makes an end of this process and one of another known to each other, over TCP. */
final class Meeting {
    private final Player player;
    private final PingPongOptions options;
    private final Introduction introduction;

    Meeting(final Player player) {
        this.player = player;
        options = player.end().options();
        introduction = Introduction.of(player);
    }

    RdmaConnection connect(final InetSocketAddress to) {
        return RdmaConnector.connect(player.end().qp(), to, connectOptions());
    }

    RdmaConnection accept(final RdmaListener listener) {
        return listener.accept(player.end().qp(), connectOptions());
    }

    private ConnectOptions connectOptions() {
        return new ConnectOptions()
            .timeout(options.timeout())
            .privateData(introduction.toBytes())
            .attributes(player.end().attributes(options.mtu()))
            .beforeReady(this::meet);
    }

    private void meet(final RdmaConnection connection) {
        final Introduction theirs = Introduction.parse(connection.privateData());
        introduction.requireMatch(theirs);
        final int wanted = player.turn().borrows();
        if (theirs.memory().size() < wanted) {
            throw RdmaException.of("ping-pong").device(player.end().context().address())
                .detail("the other side lends %d pieces of memory, needed are %d", theirs.memory().size(), wanted)
                .errno(RdmaException.EINVAL).build();
        }
        player.turn().meet(new Peer(connection.remote(), theirs.memory()));
    }
}
