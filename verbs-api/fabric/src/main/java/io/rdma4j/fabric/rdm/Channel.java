/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.verbs.ReturnCode;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What goes on between this endpoint and one peer, over one connection. For the thread that uses the endpoint.
 *
 * <pre>{@code
 *              HELLO came                BYE sent               BYE_OK came
 *   GREETING ---------------> UP -------------------> LEAVING ---------------> GONE
 *                             | ^                      |                        ^
 *                             | +----------------------+                        |
 *                             |        BYE_NO came                              |
 *                             +----------------------> LEFT --------------------+
 *                               BYE came, BYE_OK sent        BYE_OK is there
 * }</pre>
 */
final class Channel {
    /** How many messages can wait for the peer's word that its application has them. */
    static final int MOST_UNCONFIRMED = 8;
    /**
     * Slots beside the window: a HELLO, or two messages of credits, a BYE with the answer to one, and a probe; and the
     * peer's words.
     */
    static final int CONTROL_SLOTS = 5 + MOST_UNCONFIRMED;

    private static final int GREETING = 0;
    private static final int UP = 1;
    private static final int LEAVING = 2;
    private static final int LEFT = 3;
    private static final int GONE = 4;
    private static final String[] STATES = {"greeting", "up", "leaving", "left", "gone"};

    private static final int OWES_CREDIT = 1;
    private static final int OWES_HELLO = 2;
    private static final int OWES_BYE = 4;
    private static final int OWES_BYE_OK = 8;
    private static final int OWES_BYE_NO = 16;
    private static final int OWES_DELIVERED = 32;

    private final ChannelHost host;
    private final PeerId peer;
    private final Wire wire;
    private final SlotArea area;
    private final Slot[] slots;
    private final Slot[] one = new Slot[1];
    /** Free slots that are not posted yet, see {@link Window#together}. */
    private final Slot[] free = new Slot[Window.MOST_TOGETHER];
    private int freeCount;
    private final Window window;
    private final Inbound inbound;
    private final Outbound outbound;
    private final int ownSlots;
    private int peerContexts;
    /** Of {@link Header#AGREED_FLAGS}. */
    private int peerFlags;
    private int state = GREETING;
    private int owes;
    private int rmaUnderWay;
    /** Last pieces of messages that the application has, whose senders are to be told so before the slots are free. */
    private final SlotList delivered = new SlotList();
    /** Messages that are cut, and the peer has not told yet that its application has them. */
    private int unconfirmed;
    private boolean granted;
    private boolean probing;
    private int farewellPiece = SendTable.NONE;
    /** What waits there could not be started yet; null for none. */
    private Connection resumed;
    /** It is in the list of those that have something to do. */
    boolean isWanting;
    /** When it was used last, in the endpoint's own count. */
    long used;
    /** What the endpoint knows of it. */
    private final ChannelEnd end;

    Channel(
        final ChannelHost host, final PeerId peer, final Wire wire, final SlotArea area, final ChannelEnd end) {
        this.host = host;
        this.peer = peer;
        this.wire = wire;
        this.area = area;
        this.end = end;
        this.slots = new Slot[area.count()];
        this.ownSlots = slots.length - CONTROL_SLOTS;
        this.window = new Window(ownSlots);
        this.inbound = new Inbound(this, host, area);
        this.outbound = new Outbound(this, host.sends(), window, wire);
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot(this, i, i * area.stride());
        }
    }

    PeerId peer() {
        return peer;
    }

    ChannelEnd end() {
        return end;
    }

    /** Posts all receives, before it is connected; false if the queue pair does not take them. */
    boolean prepare() {
        for (final Slot slot : slots) {
            if (!post(slot)) {
                return false;
            }
        }
        return true;
    }

    private boolean post(final Slot slot) {
        one[0] = slot;
        return wire.receive(one, 1, area) == ReturnCode.OK;
    }

    /** The other end can take messages. */
    void greet() {
        tell(OWES_HELLO);
    }

    boolean isUp() {
        return state == UP;
    }

    boolean isGreeting() {
        return state == GREETING;
    }

    boolean isLeaving() {
        return state == LEAVING || state == LEFT;
    }

    boolean isGone() {
        return state == GONE;
    }

    /** 0, or why no message that needs what these flags say can be sent to this context of the peer now. */
    int check(final int rxIndex, final int flags) {
        if (state != UP || (owes & OWES_HELLO) != 0) {
            return -FiErrno.FI_EAGAIN;
        }
        if (rxIndex >= peerContexts) {
            return -FiErrno.FI_EINVAL;
        }
        if ((flags & ~peerFlags) != 0) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        return (flags & Header.DELIVERY) != 0 && unconfirmed == MOST_UNCONFIRMED ? -FiErrno.FI_EAGAIN
            : outbound.check();
    }

    Outbound outbound() {
        return outbound;
    }

    void rmaStarted() {
        rmaUnderWay++;
    }

    void rmaDone() {
        rmaUnderWay--;
    }

    /** A message arrived in a slot. */
    void arrived(final int index, final int length) {
        if (index < 0 || index >= slots.length || state == GONE) {
            return;
        }
        final Slot slot = slots[index];
        final UnsafeBuffer from = area.buffer();
        final long first = length < Header.LENGTH ? 0 : Header.first(from, slot.offset);
        final boolean grows = Header.credits(first) > 0;
        final int type = Header.type(first);
        if (grows && !window.add(Header.credits(first)) || (type == Header.HELLO) != (state == GREETING)) {
            broken("it sent a header of type " + type + " with " + Header.credits(first) + " credits, " + this);
            return;
        }
        if (type == Header.DATA) {
            final String objection = inbound.piece(slot, first, length);
            if (objection != null) {
                broken(objection);
            } else if (isUsedUp()) {
                postFree();
            }
        } else {
            control(type, first, from, slot.offset);
            if (!post(slot)) {
                broken("posting a receive failed");
            }
        }
        if (grows && outbound.isBusy()) {
            outbound.advance();
        }
    }

    private void control(final int type, final long first, final UnsafeBuffer from, final int at) {
        switch (type) {
            case Header.CREDIT, Header.PROBE -> {
                // Its credits have been taken.
            }
            case Header.HELLO -> {
                peerFlags = Header.flags(first) & Header.AGREED_FLAGS;
                hello(Header.rxIndex(first), Header.length(from, at), Header.data(from, at), Header.sent(from, at));
            }
            case Header.BYE -> bye(Header.sent(from, at), Header.received(from, at));
            case Header.BYE_OK -> byeOk();
            case Header.BYE_NO -> byeNo();
            case Header.DELIVERED -> confirmed(Header.operation(first), Header.data(from, at));
            default -> broken("it sent a header of type " + type);
        }
    }

    private void hello(final int contexts, final int bytes, final int peerSlots, final int version) {
        if (version != Header.VERSION || contexts < 1 || bytes < 1 || peerSlots < 1) {
            broken("it said hello with version " + version + ", " + contexts + " contexts, " + peerSlots
                + " slots of " + bytes + " bytes");
            return;
        }
        peerContexts = contexts;
        window.open(peerSlots);
        outbound.open(Math.min(bytes, area.stride() - Header.LENGTH));
        state = UP;
        host.greeted(this);
    }

    /** A slot is free again. */
    void release(final Slot slot) {
        if (state == GONE) {
            if (!holds()) {
                drained();
            }
            return;
        }
        free[freeCount++] = slot;
        if (freeCount >= window.together() || isUsedUp()) {
            postFree();
        }
    }

    /** Messages that wait have all the rest, and the peer nothing: it needs each slot that it was not told of yet. */
    private boolean isUsedUp() {
        return window.isUsedUp(inbound.held() + delivered.size(), freeCount);
    }

    /** Free slots that are not posted yet. */
    int freeSlots() {
        return freeCount;
    }

    private void postFree() {
        if (freeCount > 0 && wire.receive(free, freeCount, area) != ReturnCode.OK) {
            broken("posting receives failed");
        }
        window.free(freeCount);
        freeCount = 0;
        if (owesCredit()) {
            tell(OWES_CREDIT);
        }
    }

    private boolean owesCredit() {
        return window.isDue() || window.due() > 0 && isUsedUp();
    }

    /** The application has the message that ends there: its sender is told, then the slot is free. */
    void confirm(final Slot last, final int outcome) {
        if (state == GONE) {
            release(last);
            return;
        }
        last.outcome = outcome;
        delivered.add(last);
        tell(OWES_DELIVERED);
    }

    /** The peer's application has a message, or lost it by what an errno says. */
    private void confirmed(final int index, final int errno) {
        final SendOp op = index < host.sends().opCount() ? host.sends().op(index) : null;
        if (op == null || op.channel != this || !op.wantsDelivery() || !op.cut || op.confirmed) {
            broken("it told of the delivery of message " + index + ", which does not wait for that");
            return;
        }
        unconfirmed--;
        op.confirmed = true;
        op.outcome = errno == 0 || errno == FiErrno.FI_ETRUNC ? errno : FiErrno.FI_EIO;
        if (op.transmitted) {
            host.sent(op, op.outcome);
        }
    }

    /** All pieces of a message are with the device. */
    void cut(final SendOp op) {
        op.cut = true;
        if (op.wantsDelivery()) {
            unconfirmed++;
        }
    }

    /** A receive takes a message that waited. */
    void deliver(final Slot first, final Receive receive) {
        inbound.deliver(first, receive);
    }

    /** A receive was to look for a message that waits, and takes nothing. */
    void found(final Receive receive, final Slot first) {
        host.found(receive, first);
    }

    /** Tells the peer something, as soon as that can be. */
    private void tell(final int what) {
        owes |= what;
        pay();
    }

    private void pay() {
        for (int what = Integer.lowestOneBit(owes); what != 0; what = Integer.lowestOneBit(owes)) {
            if (what == OWES_CREDIT && !owesCredit()) {
                // A piece has told it meanwhile.
                owes &= ~what;
            } else if (what == OWES_DELIVERED ? payDelivered() : pay(what)) {
                owes &= ~what;
            } else {
                wants();
                return;
            }
        }
    }

    /** A slot is free once its sender is told; that may make others due, and come back here. */
    private boolean payDelivered() {
        for (Slot slot = delivered.oldest(); slot != null; slot = delivered.oldest()) {
            if (!pay(OWES_DELIVERED)) {
                return false;
            }
            delivered.remove(slot);
            release(slot);
        }
        return true;
    }

    private boolean pay(final int what) {
        final SendTable table = host.sends();
        final int piece = table.claimControl(this);
        if (piece == SendTable.NONE) {
            return false;
        }
        final UnsafeBuffer to = table.buffer();
        final int at = table.offset(piece);
        final boolean hello = what == OWES_HELLO;
        final Slot done = what == OWES_DELIVERED ? delivered.oldest() : null;
        Header.write(to, at, type(what), hello ? greeting() : 0, window.due(), done == null ? 0 : done.operation, 0);
        Header.message(to, at, hello ? area.stride() - Header.LENGTH : 0,
            hello ? ownSlots : done == null ? 0 : done.outcome);
        Header.counts(to, at, hello ? Header.VERSION : outbound.sequence(), inbound.sequence());
        final int code = wire.send(piece, table.address(piece), Header.LENGTH, table.lkey());
        if (code != ReturnCode.OK) {
            table.giveBackPiece(piece);
            if (code != ReturnCode.QUEUE_FULL) {
                broken("posting a send failed: " + code);
                return true;
            }
            return false;
        }
        window.told();
        if (what == OWES_BYE_OK) {
            farewellPiece = piece;
        }
        return true;
    }

    private int greeting() {
        return Header.flagsAndIndex(
            host.context(0).tags() == null ? Header.DELIVERY : Header.AGREED_FLAGS, host.contexts());
    }

    private static int type(final int what) {
        return switch (what) {
            case OWES_CREDIT -> Header.CREDIT;
            case OWES_HELLO -> Header.HELLO;
            case OWES_BYE -> Header.BYE;
            case OWES_BYE_OK -> Header.BYE_OK;
            case OWES_DELIVERED -> Header.DELIVERED;
            default -> Header.BYE_NO;
        };
    }

    void wants() {
        if (!isWanting) {
            host.wants(this);
        }
    }

    /** What waits for this channel could not be started yet, and is tried again. */
    void resumes(final Connection connection) {
        resumed = connection;
        wants();
    }

    /** Goes on with what had to wait; true if something still has to, and nothing but time will tell. */
    boolean progress() {
        if (state == GONE) {
            return false;
        }
        pay();
        outbound.advance();
        if (resumed != null) {
            final Connection connection = resumed;
            resumed = null;
            host.resume(connection);
        }
        return !isWanting && owes != 0;
    }

    /** A piece is at the peer. */
    void sent(final int piece, final SendOp op) {
        if (op != null && outbound.done(op)) {
            if (op.wantsDelivery() && !op.confirmed) {
                op.transmitted = true;
            } else {
                host.sent(op, op.outcome);
            }
        }
        if (outbound.isBusy()) {
            outbound.advance();
        }
        if (piece == farewellPiece && farewellPiece != SendTable.NONE) {
            farewellPiece = SendTable.NONE;
            if (state == LEFT) {
                leave();
            }
        }
    }

    /** It waits for the peer, with nothing under way by which the device could find out that the peer is gone. */
    boolean isWaiting() {
        return state == GREETING || state == LEAVING || state == UP
            && (window.credits() <= 0 || inbound.isOpen() || unconfirmed > 0);
    }

    /**
     * Sends something that the peer's device has to acknowledge. One at a time: if the peer does not look and has no
     * slot left, the device tries until there is one or the peer is gone.
     */
    void probe() {
        if ((owes & OWES_HELLO) != 0) {
            // To the peer nothing makes sense before.
            return;
        }
        final SendTable table = host.sends();
        final int piece = table.probe();
        if (!probing && wire.send(piece, table.address(piece), Header.LENGTH, table.lkey()) == ReturnCode.OK) {
            probing = true;
        }
    }

    /** The peer is there. */
    void probed() {
        probing = false;
    }

    /** Nothing is under way, as far as this side knows. */
    boolean isIdle() {
        return state == UP && isQuiet();
    }

    private boolean isQuiet() {
        return isStill() && (owes & ~OWES_CREDIT) == 0;
    }

    private boolean isStill() {
        return isSent() && inbound.isIdle() && delivered.size() == 0;
    }

    /** Nothing that goes out is under way. */
    boolean isSent() {
        return outbound.isIdle() && rmaUnderWay == 0 && unconfirmed == 0;
    }

    /** Asks the peer whether it can be closed, after {@link #isIdle}. */
    void sayBye() {
        state = LEAVING;
        tell(OWES_BYE);
    }

    private void bye(final int sent, final int received) {
        if (state == LEFT || granted) {
            broken("it said goodbye twice");
            return;
        }
        final boolean may = isStill()
            && sent == inbound.sequence() && received == outbound.sequence();
        if (may) {
            granted = true;
            state = state == UP ? LEFT : state;
        }
        tell(may ? OWES_BYE_OK : OWES_BYE_NO);
    }

    private void byeOk() {
        if (state != LEAVING) {
            broken("it answered a goodbye that was not said");
            return;
        }
        leaveWhenAnswered();
    }

    private void leaveWhenAnswered() {
        state = LEFT;
        if (!granted || farewellPiece == SendTable.NONE && (owes & OWES_BYE_OK) == 0) {
            leave();
        }
    }

    private void byeNo() {
        if (state != LEAVING) {
            broken("it answered a goodbye that was not said");
        } else if (granted) {
            // Goodbyes crossed, and a message that this one did not count: the peer's own was granted, so it closes.
            leaveWhenAnswered();
        } else {
            state = UP;
        }
    }

    private void leave() {
        host.left(this);
    }

    void broken(final String why) {
        host.broken(this, why);
    }

    /** The connection is over: closes it. Messages that are complete and wait can still be received. */
    void close() {
        if (state == GONE) {
            return;
        }
        state = GONE;
        owes = 0;
        try {
            wire.close();
        } finally {
            outbound.end();
            inbound.end();
            if (!holds()) {
                drained();
            }
        }
    }

    private void drained() {
        end.drained(this);
        settle();
    }

    private void settle() {
        if (!holds() && !inbound.hasCut()) {
            end.settled(this);
        }
    }

    /** Who had claimed the message that was cut has been told. */
    void toldOfCut() {
        inbound.toldOfCut();
        settle();
    }

    /** Whether messages of it wait for receives. */
    boolean holds() {
        return inbound.held() > 0;
    }

    /** As {@link #close}, and messages that wait are dropped; also one that was cut: others may have its context. */
    void drop() {
        close();
        final boolean held = holds();
        if (held || inbound.hasCut()) {
            for (int i = 0; i < host.contexts(); i++) {
                inbound.dropAll(host.context(i));
            }
        }
        if (held) {
            drained();
        }
    }

    @Override
    public String toString() {
        return "channel to " + peer + ", " + STATES[state] + ", in: " + inbound + ", out: " + outbound
            + (owes == 0 ? "" : ", owes " + owes);
    }
}
