/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.Gid;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Datagrams between ports of one process: lost, doubled and shuffled as a seed says. */
final class LossyNet {
    static final int QKEY = 0x77;

    private final Random random;
    private final Map<PeerId, Port> ports = new HashMap<>();
    /** Of 100. */
    private int lossPercent;
    private int doublePercent;
    private boolean shuffles;
    private int capacity = Integer.MAX_VALUE;
    private long sent;
    private long lost;

    LossyNet(final long seed) {
        random = new Random(seed);
    }

    LossyNet bad(final int loss, final int doubles, final boolean shuffle) {
        lossPercent = loss;
        doublePercent = doubles;
        shuffles = shuffle;
        return this;
    }

    /** Datagrams that wait at one port. */
    LossyNet capacity(final int most) {
        capacity = most;
        return this;
    }

    Port open(final int qpn, final int qkey) {
        final PeerId plain = key(qpn);
        final Port port = new Port(new PeerId(plain.gidHigh(), plain.gidLow(), qpn, qkey));
        ports.put(port.key, port);
        return port;
    }

    static PeerId key(final int qpn) {
        final Gid gid = Gid.linkLocal(qpn & 1);
        return new PeerId(gid.high(), gid.low(), qpn, QKEY);
    }

    private boolean happens(final int percent) {
        return random.nextInt(100) < percent;
    }

    private record Datagram(PeerId from, byte[] bytes) {
    }

    final class Port implements UdEnd {
        private final List<Datagram> waiting = new ArrayList<>();
        private final PeerId key;
        private int refused;
        private boolean deaf;

        private Port(final PeerId key) {
            this.key = key;
        }

        /** The next so many sends find no room. */
        void refuse(final int count) {
            refused = count;
        }

        void deaf(final boolean value) {
            deaf = value;
        }

        void inject(final int fromQpn, final byte[] bytes) {
            waiting.add(new Datagram(key(fromQpn), bytes));
        }

        List<byte[]> waiting() {
            return waiting.stream().map(Datagram::bytes).toList();
        }

        @Override
        public Gid gid() {
            return new Gid(key.gidHigh(), key.gidLow());
        }

        @Override
        public int qpn() {
            return key.qpn();
        }

        @Override
        public int qkey() {
            return key.qkey();
        }

        @Override
        public int send(
            final long gidHigh, final long gidLow, final int peerQpn, final int peerQkey, final DirectBuffer message,
            final int offset, final int length) {
            if (refused > 0) {
                refused--;
                return -FiErrno.FI_EAGAIN;
            }
            if (length > MAX_MESSAGE) {
                return -FiErrno.FI_EMSGSIZE;
            }
            sent++;
            final Port to = ports.get(new PeerId(gidHigh, gidLow, peerQpn, peerQkey));
            final byte[] bytes = new byte[length];
            message.getBytes(offset, bytes);
            for (int copies = happens(doublePercent) ? 2 : 1; copies > 0; copies--) {
                if (to == null || to.deaf || to.waiting.size() >= capacity
                    || happens(lossPercent)) {
                    lost++;
                } else {
                    to.waiting.add(shuffles ? random.nextInt(to.waiting.size() + 1) : to.waiting.size(),
                        new Datagram(key, bytes));
                }
            }
            return 0;
        }

        @Override
        public int poll(final UdHandler handler, final int limit) {
            int seen = 0;
            while (seen < limit && !waiting.isEmpty()) {
                final Datagram next = waiting.remove(0);
                handler.onMessage(next.from.gidHigh(), next.from.gidLow(), next.from.qpn(),
                    new UnsafeBuffer(next.bytes), 0, next.bytes.length);
                seen++;
            }
            return seen;
        }

        @Override
        public void close() {
            ports.remove(key, this);
        }
    }

    @Override
    public String toString() {
        return sent + " datagrams sent, " + lost + " lost";
    }
}
