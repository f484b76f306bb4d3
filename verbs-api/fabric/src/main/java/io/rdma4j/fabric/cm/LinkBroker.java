/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.base.Cleanup;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.endpoint.NameCheck;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.CompletionQueue;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

import org.agrona.DirectBuffer;

/**
 * Makes the links of one RDM endpoint, by datagrams (docs/adr/0025). Owns its records and the links that are not
 * established; port and established links are the owner's. For one thread at a time.
 *
 * <p>Who dials sends REQUEST again and again until REPLY or REJECT comes. Who accepts is half-open until the first
 * message comes on the link itself: so a request of a peer's earlier life, that turns up late, replaces nothing.
 */
public final class LinkBroker implements AutoCloseable {
    private static final SecureRandom LIVES = new SecureRandom();
    /** Datagrams that one call looks at. */
    private static final int BATCH = 64;
    /** How often closing waits for room to tell one more peer. */
    private static final int PATIENCE = 1_000;
    /** Links for peers that have only asked: each takes queue pairs, and anybody may ask. Others hear BUSY. */
    static final int MOST_HALF_OPEN = 128;

    private final UdEnd port;
    private final Mailer mailer;
    private final LinkOwner owner;
    private final ToIntFunction<byte[]> names;
    private final long timeout;
    private final long life;
    private final PeerId self;
    private final Peers peers = new Peers();
    /** Those with timers. */
    private final List<Peer> busy = new ArrayList<>();
    private final UdHandler onMessage = this::onMessage;
    private byte[] told = {};
    private long lastLink;
    private int halfOpen;
    private long dueAt;
    /** The timers have to be looked at, due or not. */
    private boolean isDirty;
    /** What links threw when they were closed here: out of {@link #progress}, when all else is done. */
    private Cleanup refusals = new Cleanup();
    private long ignored;
    private boolean closed;

    /**
     * A broker.
     *
     * @param port    for requests and answers; stays the caller's.
     * @param owner   what links are for.
     * @param realm   whose authorization key peers must have.
     * @param timeout how long dialing may take.
     */
    public LinkBroker(final UdEnd port, final LinkOwner owner, final Realm realm, final Duration timeout) {
        this(port, owner, name -> NameCheck.check(name, realm), Attempt.nanos(timeout), newLife());
    }

    /** Names are checked as told, and the life is given. */
    LinkBroker(
        final UdEnd port, final LinkOwner owner, final ToIntFunction<byte[]> names, final long timeout,
        final long life) {
        this.port = port;
        this.mailer = new Mailer(port);
        this.owner = owner;
        this.names = names;
        this.timeout = timeout;
        this.life = life;
        self = PeerId.of(port);
    }

    static long newLife() {
        // 0 stands for none.
        return LIVES.nextLong() | 1;
    }

    /**
     * What this endpoint says of itself to whom it dials.
     *
     * @param bytes at most 256; not copied.
     */
    public void tell(final byte[] bytes) {
        told = bytes;
    }

    /**
     * Begins to make a link, if there is none and none is being made. Ends with {@link LinkOwner#established} or {@link
     * LinkOwner#failed}, out of a later {@link #progress}; or, if no link could be opened or nobody has the GID, out of
     * this call. To the endpoint itself there are two links, one established as initiator and one as the other side.
     *
     * @param id the peer.
     * @return the peer, which may have a link already.
     */
    public Peer dial(final PeerId id) {
        final Peer peer = peers.of(id);
        if (!closed && peer.link() == null && peer.dial() == null) {
            if (peer.half() == null) {
                begin(peer, new Term());
            } else if (peer.wanted() == null) {
                peer.wanted(new Term());
                isDirty = true;
            }
        }
        return peer;
    }

    private void begin(final Peer peer, final Term term) {
        peer.wanted(null);
        try {
            peer.dial(Attempt.dial(owner.openLink(peer), term, ++lastLink, life));
        } catch (final FabricException e) {
            peers.tidy(peer);
            owner.failed(peer, e.errno());
            return;
        }
        peer.dial().sent(request(peer) == 0);
        look(peer);
    }

    /** 0 or a negated errno; dialing has failed then if nobody has the GID. */
    private int request(final Peer peer) {
        final Attempt dial = peer.dial();
        final int code = mailer.send(message(ConnectType.REQUEST, new ConnectIds(life, dial.own, 0, 0))
            .withName(dial.end.name(), timeout).withData(told), peer.id());
        if (code == -FiErrno.FI_EHOSTUNREACH) {
            fail(peer, -code);
        }
        return code;
    }

    private ConnectMessage message(final ConnectType type, final ConnectIds ids) {
        return ConnectMessage.of(type, EndpointType.RDM, ids, self);
    }

    /** It has something with a timer. */
    private void look(final Peer peer) {
        isDirty = true;
        if (!peer.isBusy()) {
            peer.busy(true);
            busy.add(peer);
        }
    }

    /**
     * A peer with which there is a link, or one is being made.
     *
     * @param id the peer.
     * @return null if there is none.
     */
    public Peer find(final PeerId id) {
        return peers.find(id);
    }

    /**
     * The first message came on a link that the peer dialed: {@link LinkOwner#established} is called out of this.
     * Harmless for links that are established.
     *
     * @param peer of {@link LinkOwner#openLink}.
     * @param link where the message came.
     * @return false if the broker has given up that link meanwhile: it is closed.
     */
    public boolean confirm(final Peer peer, final Link link) {
        final Attempt half = peer.half();
        if (half == null || half.end != link) {
            return link == peer.link() || link == peer.loop();
        }
        peer.half(null);
        halfOpen--;
        isDirty = true;
        if (half.life == life) {
            peer.loop(link);
        } else {
            replace(peer);
            peer.wanted(null);
            peer.link(link, new ConnectIds(life, half.own, half.life, half.link));
            endThoseBefore(peer);
        }
        owner.established(peer, link, false);
        return true;
    }

    private void replace(final Peer peer) {
        if (peer.dial() != null) {
            giveBack(peer.dial().end);
            peer.dial(null);
        }
        if (peer.link() != null) {
            peer.link(null, null);
            owner.replaced(peer);
        }
    }

    private void endThoseBefore(final Peer now) {
        for (final Peer other : peers.linkedBefore(now)) {
            other.link(null, null);
            peers.tidy(other);
            owner.ended(other);
        }
    }

    /**
     * The owner closes the link, or found it broken; or does not want the one any more that is being made: no callback
     * follows. It can be dialed again at once. A link that the peer is just dialing in place of an established one
     * stays.
     *
     * @param peer whose.
     * @param tell whether the peer is to be told: not if they agreed on it on the link itself.
     */
    public void hangUp(final Peer peer, final boolean tell) {
        if (peer.link() != null || peer.loop() != null) {
            if (tell && peer.ids() != null) {
                bye(peer.id(), peer.ids());
            }
            peer.link(null, null);
            peer.loop(null);
        } else {
            dropAttempts(peer, tell);
        }
        peers.tidy(peer);
    }

    private void dropAttempts(final Peer peer, final boolean tell) {
        peer.wanted(null);
        isDirty = true;
        if (peer.dial() != null) {
            giveBack(peer.dial().end);
            peer.dial(null);
        }
        if (peer.half() != null) {
            dropHalf(peer, tell);
        }
    }

    private void dropHalf(final Peer peer, final boolean tell) {
        final Attempt half = peer.half();
        peer.half(null);
        halfOpen--;
        giveBack(half.end);
        if (tell) {
            bye(peer.id(), new ConnectIds(life, half.own, half.life, half.link));
        }
    }

    /** Who waits for what follows is not to wait because a device keeps a queue pair. */
    private void giveBack(final Link end) {
        refusals.run(end::close);
    }

    private void tellRefusals() {
        if (refusals.hasFailed()) {
            final Cleanup told = refusals;
            refusals = new Cleanup();
            told.throwIfFailed();
        }
    }

    /** It is not repeated: who does not hear it finds out by the link itself. */
    private int bye(final PeerId to, final ConnectIds ids) {
        return mailer.send(message(ConnectType.BYE, ids), to);
    }

    /**
     * Takes datagrams, repeats what got no answer, gives up what took too long. Callbacks come out of this. Links'
     * queues are to be read before: a first message that waits there may be what a half-open link is waiting for.
     *
     * @param now nanoseconds, as of {@link System#nanoTime()}.
     * @return true if links are being made: to be called again soon.
     * @throws RuntimeException what a link threw that the broker closed, in this call or another one before, with
     *                          others suppressed. All is done as if it had been closed: to be called again.
     */
    public boolean progress(final long now) {
        if (closed) {
            return false;
        }
        port.poll(onMessage, BATCH);
        if (!busy.isEmpty() && (isDirty || now - dueAt >= 0)) {
            isDirty = false;
            dueAt = now + timeout;
            // From the end, as callbacks may add some; and those that are over are replaced by the last one.
            for (int i = busy.size() - 1; i >= 0; i--) {
                tend(i, now);
            }
        }
        tellRefusals();
        return !busy.isEmpty();
    }

    private void tend(final int index, final long now) {
        final Peer peer = busy.get(index);
        if (peer.dial() != null) {
            tendDial(peer, now);
        }
        if (peer.half() != null) {
            tendHalf(peer, now);
        }
        if (!peer.isMaking()) {
            peer.busy(false);
            final Peer last = busy.remove(busy.size() - 1);
            if (last != peer) {
                busy.set(index, last);
                isDirty = true;
            }
        }
    }

    private void tendDial(final Peer peer, final long now) {
        final Attempt dial = peer.dial();
        dial.time(now, timeout);
        dial.yieldIfRefused(now);
        if (dial.term.isOver(now)) {
            fail(peer, FiErrno.FI_ETIMEDOUT);
            return;
        }
        if (dial.isDue(now)) {
            if (request(peer) == -FiErrno.FI_EAGAIN) {
                isDirty = true;
            } else {
                dial.again(now);
            }
        }
        due(dial.dueAt());
    }

    private void due(final long at) {
        if (at - dueAt < 0) {
            dueAt = at;
        }
    }

    private void fail(final Peer peer, final int errno) {
        giveBack(peer.dial().end);
        peer.dial(null);
        peers.tidy(peer);
        owner.failed(peer, errno);
    }

    private void tendHalf(final Peer peer, final long now) {
        final Term term = peer.half().term;
        term.time(now, timeout);
        if (term.isSpent(now)) {
            dropHalf(peer, true);
            goOn(peer);
            return;
        }
        due(term.deadline());
        if (peer.wanted() != null) {
            tendWanted(peer, now);
        }
    }

    /** The peer may dial again and again, and never hear the answer. */
    private void tendWanted(final Peer peer, final long now) {
        final Term term = peer.wanted();
        term.time(now, timeout);
        if (term.isSpent(now)) {
            peer.wanted(null);
            owner.failed(peer, FiErrno.FI_ETIMEDOUT);
        } else {
            due(term.deadline());
        }
    }

    /** Nothing came of the peer's dialing: if this side wanted a link it dials now, in the time that is left. */
    private void goOn(final Peer peer) {
        if (peer.wanted() != null && peer.link() == null && peer.dial() == null) {
            begin(peer, peer.wanted());
        } else {
            peers.tidy(peer);
        }
    }

    private void onMessage(
        final long gidHigh, final long gidLow, final int qpn, final DirectBuffer buffer, final int offset,
        final int length) {
        final ConnectMessage message = closed ? null : ConnectMessage.decode(buffer, offset, length);
        if (message == null || !message.source().fits(gidHigh, gidLow, qpn)) {
            ignored++;
            return;
        }
        switch (message.type()) {
            case REQUEST -> onRequest(message);
            case REPLY -> onReply(message);
            case REJECT -> onReject(message);
            case BYE -> onBye(message);
            default -> ignored++;
        }
    }

    private void onRequest(final ConnectMessage message) {
        if (message.version() != ConnectMessage.VERSION) {
            reject(message, Reason.VERSION);
        } else if (message.kind() != EndpointType.RDM) {
            reject(message, Reason.KIND);
        } else {
            final int refusal = names.applyAsInt(message.name());
            if (refusal == 0) {
                onGoodRequest(message);
            } else if (refusal == FiErrno.FI_ECONNREFUSED) {
                reject(message, Reason.AUTHORIZATION);
            } else {
                ignored++;
            }
        }
    }

    private void reject(final ConnectMessage message, final Reason reason) {
        final ConnectIds ids = new ConnectIds(life, 0, message.ids().life(), message.ids().link());
        mailer.send(message(ConnectType.REJECT, ids).withReason(reason), message.source());
    }

    private void onGoodRequest(final ConnectMessage message) {
        if (peers.find(message.source()) == null && !owner.mayAnswer(message.source(), message.data())) {
            return;
        }
        final Peer peer = peers.of(message.source());
        if (isNews(peer, message)) {
            accept(peer, message);
        }
    }

    private boolean isNews(final Peer peer, final ConnectMessage message) {
        final ConnectIds ids = message.ids();
        final Attempt half = peer.half();
        if (half != null && half.isOf(ids)) {
            half.term.renew();
            look(peer);
            reply(peer);
            return false;
        }
        final boolean isLate = half != null && half.life == ids.life() && ids.link() < half.link
            || peer.ids() != null && peer.ids().peerLife() == ids.life() && ids.link() <= peer.ids().peerLink();
        // Both dial: the smaller one goes on, and the other one answers.
        final boolean isCrossing = peer.dial() != null && ids.life() != life && self.isSmaller(peer.id());
        ignored += isLate ? 1 : 0;
        return !isLate && !isCrossing;
    }

    private void accept(final Peer peer, final ConnectMessage message) {
        final ConnectIds ids = message.ids();
        final Attempt mine = ids.life() == life ? null : peer.dial();
        if (peer.half() != null) {
            dropHalf(peer, true);
        }
        final long own = mine == null ? ++lastLink : mine.own;
        final Link end = mine == null ? open(peer) : mine.end;
        if (mine != null) {
            peer.dial(null);
            peer.wanted(mine.term);
        }
        if (end == null || !connect(end, message.name())) {
            reject(message, Reason.BUSY);
            goOn(peer);
            return;
        }
        peer.half(Attempt.half(end, own, ids.life(), ids.link()));
        halfOpen++;
        look(peer);
        reply(peer);
    }

    /** Null if there is no room. */
    private Link open(final Peer peer) {
        try {
            return halfOpen < MOST_HALF_OPEN ? owner.openLink(peer) : null;
        } catch (final FabricException e) {
            return null;
        }
    }

    /** False if it cannot be: then it is closed. */
    private boolean connect(final Link end, final byte[] name) {
        try {
            end.connect(name);
            return true;
        } catch (final FabricException e) {
            giveBack(end);
            return false;
        }
    }

    /** If it is lost the request will come again. */
    private void reply(final Peer peer) {
        final Attempt half = peer.half();
        mailer.send(message(ConnectType.REPLY, new ConnectIds(life, half.own, half.life, half.link))
            .withName(half.end.name(), timeout), peer.id());
    }

    private void onReply(final ConnectMessage message) {
        final Peer peer = peers.find(message.source());
        final ConnectIds ids = message.ids().turned();
        if (peer != null && ids.equals(peer.ids())) {
            return;
        }
        final Attempt dial = peer == null ? null : peer.dial();
        if (dial == null || ids.life() != life || ids.link() != dial.own
            || message.version() != ConnectMessage.VERSION) {
            ignored++;
            // So that it does not wait for a first message.
            bye(message.source(), ids);
            return;
        }
        established(peer, dial, message);
    }

    private void established(final Peer peer, final Attempt dial, final ConnectMessage message) {
        final int refusal = names.applyAsInt(message.name());
        final ConnectIds ids = message.ids().turned();
        if (refusal != 0 || !connect(dial.end, message.name())) {
            bye(message.source(), ids);
            fail(peer, refusal == 0 ? FiErrno.FI_EIO : FiErrno.FI_ECONNREFUSED);
            return;
        }
        peer.dial(null);
        isDirty = true;
        peer.link(dial.end, ids);
        endThoseBefore(peer);
        owner.established(peer, dial.end, true);
    }

    private void onReject(final ConnectMessage message) {
        final Peer peer = peers.find(message.source());
        final ConnectIds ids = message.ids();
        if (peer == null || peer.dial() == null || ids.peerLife() != life || ids.peerLink() != peer.dial().own) {
            ignored++;
        } else if (message.reason() == Reason.BUSY) {
            peer.dial().refused();
            isDirty = true;
        } else {
            fail(peer, message.reason().errno());
        }
    }

    private void onBye(final ConnectMessage message) {
        final Peer peer = peers.find(message.source());
        final ConnectIds ids = message.ids();
        if (peer == null || ids.peerLife() != life) {
            ignored++;
        } else if (peer.half() != null && peer.half().own == ids.peerLink()) {
            dropHalf(peer, false);
            goOn(peer);
        } else if (peer.ids() != null && peer.ids().equals(ids.turned())) {
            peer.link(null, null);
            peer.loop(null);
            peers.tidy(peer);
            owner.ended(peer);
        } else {
            ignored++;
        }
    }

    /**
     * How long nothing is to be repeated or given up, if no datagram comes.
     *
     * @param now nanoseconds, as of {@link System#nanoTime()}.
     * @return nanoseconds, 0 or more; {@link Long#MAX_VALUE} if nothing is going on.
     */
    public long idleNanos(final long now) {
        if (busy.isEmpty() || closed) {
            return Long.MAX_VALUE;
        }
        return isDirty ? 0 : Math.max(0, dueAt - now);
    }

    /**
     * A thread is about to sleep until something happens: asks the port for an event with the next datagram, and takes
     * those that have come before it was asked for. Callbacks come out of this, too.
     *
     * @return 0; -FI_EAGAIN if there was something, or a timer is due: then nobody is to sleep.
     */
    public int arm() {
        final CompletionQueue events = port.events();
        if (closed || events == null) {
            return 0;
        }
        events.requestNotify(false);
        return port.poll(onMessage, BATCH) > 0 || isDirty && !busy.isEmpty() ? -FiErrno.FI_EAGAIN : 0;
    }

    /**
     * Datagrams that made no sense here: garbage, doubles, answers that came too late. For failure reports.
     *
     * @return a count.
     */
    public long ignored() {
        return ignored;
    }

    /**
     * Tells all peers that this endpoint ends, and closes links that are being made. Harmless when called again.
     *
     * @throws RuntimeException as {@link #progress}, when all is closed.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (final Peer peer : peers.all()) {
            if (peer.ids() != null) {
                tell(peer);
            }
            peer.link(null, null);
            dropAttempts(peer, true);
        }
        peers.clear();
        busy.clear();
        refusals.throwIfFailed();
    }

    private void tell(final Peer peer) {
        for (int i = 0; i < PATIENCE && bye(peer.id(), peer.ids()) == -FiErrno.FI_EAGAIN; i++) {
            port.poll(onMessage, BATCH);
            Thread.onSpinWait();
        }
    }

    @Override
    public String toString() {
        return "links of " + self + ": " + peers.size() + " peers, " + busy.size() + " being made, " + ignored
            + " datagrams ignored" + (closed ? ", closed" : "");
    }
}
