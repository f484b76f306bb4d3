/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;

/** Endpoints with brokers over a {@link LossyNet}, and links that are nothing but a number; with a clock of its own. */
final class LinkWorld {
    static final long MILLI = 1_000_000;
    static final long TIMEOUT = 2_000 * MILLI;

    final LossyNet net;
    final Map<Long, End> open = new TreeMap<>();
    final Map<Integer, Node> nodes = new TreeMap<>();
    private final Queue<Runnable> firstMessages = new ArrayDeque<>();
    private long lastLink;
    private long lastLife = 1;
    long now = Long.MAX_VALUE - 500 * MILLI;

    LinkWorld(final LossyNet net) {
        this.net = net;
    }

    /** Begins a new life if there was one of that number. */
    Node node(final int qpn) {
        return node(qpn, 0);
    }

    Node node(final int qpn, final int authKey) {
        return node(qpn, authKey, LossyNet.QKEY);
    }

    Node node(final int qpn, final int authKey, final int qkey) {
        final Node node = new Node(qpn, authKey, qkey);
        nodes.put(qpn, node);
        return node;
    }

    /** Everybody looks after his things once. */
    void step(final long nanos) {
        now += nanos;
        for (Runnable next = firstMessages.poll(); next != null; next = firstMessages.poll()) {
            next.run();
        }
        nodes.values().forEach(node -> node.broker.progress(now));
    }

    void run(final long millis) {
        for (long i = 0; i < millis; i += 5) {
            step(5 * MILLI);
        }
    }

    String describe() {
        final StringBuilder text = new StringBuilder(net.toString());
        nodes.values().forEach(node -> text.append('\n').append(node));
        return text.append('\n').append(open.values()).toString();
    }

    /** One end of a link. */
    final class End implements Link {
        final Node node;
        final Peer peer;
        final long id = ++lastLink;
        long other;
        boolean closed;
        /** Once: it is closed all the same. */
        boolean refusesToClose;

        End(final Node node, final Peer peer) {
            this.node = node;
            this.peer = peer;
            open.put(id, this);
        }

        @Override
        public byte[] name() {
            return ByteBuffer.allocate(12).putInt(node.authKey).putLong(id).array();
        }

        @Override
        public void connect(final byte[] peerName) {
            if (closed || other != 0) {
                throw new IllegalStateException("connected twice, or closed: " + this);
            }
            if (node.failsToConnect) {
                throw FabricException.of("connect").errno(FiErrno.FI_EIO).build();
            }
            other = ByteBuffer.wrap(peerName).getLong(4);
        }

        @Override
        public void close() {
            closed = true;
            open.remove(id);
            if (refusesToClose) {
                refusesToClose = false;
                throw RdmaException.of("close link").errno(RdmaException.EIO).build();
            }
        }

        @Override
        public String toString() {
            return "link " + id + " of " + node.port.qpn() + " to " + peer.id().qpn() + "/" + other;
        }
    }

    /** An endpoint. */
    final class Node implements LinkOwner {
        final LossyNet.Port port;
        final int authKey;
        final LinkBroker broker;
        final Map<Integer, List<End>> links = new HashMap<>();
        final List<String> log = new ArrayList<>();
        boolean redials;
        boolean failsToConnect;
        int room = Integer.MAX_VALUE;

        Node(final int qpn, final int authKey, final int qkey) {
            this.authKey = authKey;
            port = net.open(qpn, qkey);
            broker = new LinkBroker(port, this, this::check, TIMEOUT, lastLife += 2);
        }

        private int check(final byte[] name) {
            return name.length != 12 ? FiErrno.FI_EINVAL
                : ByteBuffer.wrap(name).getInt() == authKey ? 0 : FiErrno.FI_ECONNREFUSED;
        }

        Peer dial(final int qpn) {
            return broker.dial(LossyNet.key(qpn));
        }

        /** The link to a peer; null for none. */
        End linkTo(final int qpn) {
            final List<End> all = links.getOrDefault(qpn, List.of());
            return all.isEmpty() ? null : all.get(0);
        }

        /** Those that it has open now. */
        void linksRefuseToClose() {
            open.values().stream().filter(end -> end.node == this).forEach(end -> end.refusesToClose = true);
        }

        /** The process ends without a word. */
        void crash() {
            port.close();
            nodes.remove(port.qpn(), this);
            List.copyOf(open.values()).stream().filter(end -> end.node == this).forEach(End::close);
        }

        @Override
        public Link openLink(final Peer peer) {
            if (open.values().stream().filter(end -> end.node == this).count() >= room) {
                throw FabricException.of("open link").errno(FiErrno.FI_ENOMEM).build();
            }
            return new End(this, peer);
        }

        @Override
        public boolean mayAnswer(final PeerId id, final byte[] told) {
            return true;
        }

        @Override
        public void established(final Peer peer, final Link link, final boolean initiator) {
            final End end = (End) link;
            log.add((initiator ? "dialed " : "answered ") + peer.id().qpn());
            links.computeIfAbsent(peer.id().qpn(), any -> new ArrayList<>()).add(end);
            if (initiator) {
                firstMessages.add(() -> hello(end));
            }
        }

        /** Reliable: it arrives, or the link is broken. */
        private void hello(final End from) {
            final End to = open.get(from.other);
            if (to == null || to.other != from.id || !to.node.broker.confirm(to.peer, to)) {
                broken(from);
            }
        }

        void broken(final End end) {
            if (!end.closed && links.getOrDefault(end.peer.id().qpn(), List.of()).contains(end)) {
                log.add("broken " + end.peer.id().qpn());
                broker.hangUp(end.peer, true);
                drop(end.peer);
                if (redials) {
                    dial(end.peer.id().qpn());
                }
            }
        }

        void drop(final Peer peer) {
            final List<End> gone = links.remove(peer.id().qpn());
            if (gone != null) {
                gone.forEach(End::close);
            }
        }

        @Override
        public void failed(final Peer peer, final int errno) {
            log.add("failed " + peer.id().qpn() + " " + FiErrno.name(errno));
            if (redials) {
                dial(peer.id().qpn());
            }
        }

        @Override
        public void replaced(final Peer peer) {
            log.add("replaced " + peer.id().qpn());
            drop(peer);
        }

        @Override
        public void ended(final Peer peer) {
            log.add("ended " + peer.id().qpn());
            drop(peer);
            if (redials) {
                dial(peer.id().qpn());
            }
        }

        @Override
        public String toString() {
            return broker + " " + log + " " + links;
        }
    }
}
