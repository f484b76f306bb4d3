/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.SequencedQueue;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.QpRanges;
import io.rdma4j.verbs.spi.QpTransitions;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReference;

import org.agrona.DirectBuffer;

/** A queue pair: its state and life; posting is in {@link SendPath} and {@link ReceivePath}. */
final class PvrdmaQp extends PvrdmaObject implements QueuePair {
    private static final String MODIFY = "modify QP";
    /** A stranger who knows where a connection begins can send into it. */
    private static final SecureRandom RANDOM = new SecureRandom();
    /** Not -1: some devices refuse a query that asks for more than there is. */
    private static final int ALL_ATTRIBUTES = (QpAttribute.DEST_QPN.bit() << 1) - 1;

    final PvrdmaPd pd;
    final int handle;
    final PvrdmaCq sendCq;
    final PvrdmaCq receiveCq;
    final PvrdmaSrq srq;
    final SendPath sends;
    final ReceivePath receives;
    /** For who polls, who needs nothing else of the paths. */
    final SequencedQueue sendQueue;
    /** Null for a QP that takes its receives from a shared queue. */
    final SequencedQueue receiveQueue;
    /** The device completes every send; successes that were not asked for are not handed over. */
    final boolean hidesUnsignaled;
    private final QpResources resources;
    private final CqRoom[] rooms;
    private final int psn = RANDOM.nextInt(1 << 24);
    private final AtomicReference<QpState> state = new AtomicReference<>(QpState.RESET);
    private final Publication publication;
    /** What it was given so far. Replaced as a whole, under the lock. */
    private volatile QpAttributes known = new QpAttributes();
    private boolean wornOut;
    private boolean hadLife;
    /** A thread that takes it out of RESET waits, without the lock, for its room in the CQs. */
    private volatile boolean awaitsRoom;
    private volatile int qkey;
    private volatile int gidIndex;
    private volatile String failure;
    /** Sends with lower numbers were posted before the program took the QP from SQE to RTS. */
    private volatile long mendedBelow;
    /** It is on its way to RESET: nobody may post. */
    private volatile boolean resets;

    PvrdmaQp(final PvrdmaPd pd, final QpResources resources) {
        super(pd.context);
        this.pd = pd;
        this.resources = resources;
        this.rooms = CqRoom.of(resources);
        this.handle = resources.handle();
        this.sendCq = resources.sendCq();
        this.receiveCq = resources.receiveCq();
        this.srq = resources.srq();
        this.sends = resources.sends();
        this.receives = resources.receives();
        this.sendQueue = sends.queue;
        this.receiveQueue = receives.queue;
        this.hidesUnsignaled = context.traits.alwaysSignals;
        sends.guardedAs("the send queue of " + this);
        receives.guardedAs("the receive queue of " + this);
        publication = new Publication(resources.entry(), this::describe);
        publication.changed();
    }

    private void describe(final LiveEntry entry) {
        QpDescription.write(entry, resources, pd.handle);
        QpDescription.write(entry, state.get(), known);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public QpType type() {
        return resources.type();
    }

    @Override
    public int qpNumber() {
        return resources.qpn();
    }

    @Override
    public QpState state() {
        return state.get();
    }

    @Override
    public QpAddress localAddress() {
        return new QpAddress(context.queryGid(1, gidIndex), resources.qpn(), psn, qkey);
    }

    @Override
    public CompletionQueue sendCq() {
        return sendCq;
    }

    @Override
    public CompletionQueue receiveCq() {
        return receiveCq;
    }

    @Override
    public SharedReceiveQueue srq() {
        return srq;
    }

    @Override
    public int maxSendWr() {
        return resources.sizes().sendWr();
    }

    @Override
    public int maxReceiveWr() {
        return resources.sizes().receiveWr();
    }

    @Override
    public int maxSendSge() {
        return resources.sizes().sendSge();
    }

    @Override
    public int maxReceiveSge() {
        return resources.sizes().receiveSge();
    }

    @Override
    public int postSend(final SendRequest request) {
        return sends.post(request);
    }

    @Override
    public int postSend(final SendRequest[] requests, final int count) {
        return sends.post(requests, count);
    }

    @Override
    public int postSend(final long wrId, final long address, final int length, final int lkey) {
        return sends.post(wrId, address, length, lkey);
    }

    @Override
    public int maxInline() {
        return sends.slots().length();
    }

    @Override
    public int postSendInline(final long wrId, final DirectBuffer source, final int offset, final int length) {
        return sends.postInline(wrId, source, offset, length);
    }

    @Override
    public SendTemplate prepare(final SendRequest... requests) {
        return PvrdmaTemplate.of(this, requests);
    }

    @Override
    public int bindWindow(
        final long wrId, final MemoryWindow window, final MemoryRegion region, final long iova, final long length,
        final AccessFlag... access) {
        return sends.bindWindow(wrId, window, region, iova, length, access);
    }

    @Override
    public int postReceive(final ReceiveRequest request) {
        return receives.post(request);
    }

    @Override
    public int postReceive(final ReceiveRequest[] requests, final int count) {
        return receives.post(requests, count);
    }

    @Override
    public int postReceive(final long wrId, final long address, final int length, final int lkey) {
        return receives.post(wrId, address, length, lkey);
    }

    @Override
    public void modify(final QpAttributes attributes) {
        final QpState to;
        synchronized (this) {
            to = check(attributes);
            if (state.get() != QpState.RESET || to == QpState.RESET || !takeRoom(to)) {
                apply(attributes, to);
                return;
            }
            awaitsRoom = true;
        }
        try {
            for (final CqRoom room : rooms) {
                room.await(MODIFY);
            }
            synchronized (this) {
                requireOpen(MODIFY);
                apply(attributes, to);
            }
        } finally {
            awaitsRoom = false;
        }
    }

    private QpState check(final QpAttributes attributes) {
        requireOpen(MODIFY);
        Errors.notNull(attributes, MODIFY, context, "attributes");
        final QpState to = attributes.state();
        if (awaitsRoom) {
            throw Errors.error(RdmaException.EBUSY, MODIFY, context, "another thread takes %s out of RESET, and waits "
                + "for a handler of its completions to return", this);
        }
        final String objection = QpTransitions.objection(type(), state.get(), to, attributes.given());
        if (objection != null) {
            throw Errors.invalid(MODIFY, context, "%s: %s", this, objection);
        }
        return to;
    }

    private void apply(final QpAttributes attributes, final QpState to) {
        final QpState from = state.get();
        // A GID that is found bound must stay so until this QP is known to use it.
        synchronized (context.gidUse) {
            QpRanges.check(attributes, from, context, (way, operation) -> Addresses.check(way, operation, context));
            context.requireWorking(MODIFY);
            if (from != QpState.RESET || to != QpState.RESET) {
                change(attributes, from, to);
            }
        }
    }

    private void change(final QpAttributes attributes, final QpState from, final QpState to) {
        requireOwnGid(to);
        resets = to == QpState.RESET;
        if (resets) {
            shutGates(ReturnCode.WRONG_STATE);
        }
        // What is posted from here on until the device sends again is flushed.
        final long next = sends.queue.sequence();
        try (Undo undo = new Undo()) {
            undo.add(this::openGates);
            undo.add(() -> resets = false);
            context.device.commands().modifyQp(handle, attributes.mask(), attr -> QpAttrs.fill(attr, attributes));
            undo.forget();
        }
        if (from == QpState.SQE && to == QpState.RTS) {
            mendedBelow = next;
        }
        remember(attributes);
        enter(from, to);
        resets = false;
    }

    /**
     * Completions of the former life keep their places in the CQs until somebody polls.
     *
     * @return whether some of the room is still held by a poller, and is to be waited for.
     */
    private boolean takeRoom(final QpState to) {
        requireFresh(to);
        boolean awaited = false;
        if (hadLife) {
            for (final CqRoom room : rooms) {
                awaited |= room.renew(this, MODIFY);
            }
        }
        return awaited;
    }

    /** Some devices look up GID index 0 for a datagram QP, and do not come back if there is none. */
    private void requireOwnGid(final QpState to) {
        if (to == QpState.RTR && context.traits.gidMustStay && type() == QpType.UD
            && context.queryGid(1, gidIndex).isZero()) {
            throw Errors.invalid(MODIFY, context, "%s needs a GID at index %d: bind one with bindGid", this,
                gidIndex);
        }
    }

    private void requireFresh(final QpState to) {
        if (wornOut && to == QpState.INIT) {
            throw RdmaException.of(MODIFY)
                .device(context.address())
                .object(this)
                .detail("it cannot be used again after RESET: %s", context.whyNot(Feature.QP_RESET))
                .errno(RdmaException.EOPNOTSUPP)
                .hint("close it and create a new one")
                .build();
        }
    }

    private void remember(final QpAttributes attributes) {
        known = new QpAttributes().merge(known).merge(attributes);
        if (attributes.has(QpAttribute.QKEY)) {
            qkey = attributes.qkey();
            sends.qkey(attributes.qkey());
        }
        if (attributes.has(QpAttribute.AV)) {
            gidIndex = attributes.ah().sgidIndex();
            sends.gidIndex(gidIndex);
        }
    }

    private void enter(final QpState from, final QpState to) {
        if (to == QpState.RESET) {
            startAgain();
        } else if (to == QpState.ERR && context.traits.driverFlushes) {
            sends.muted(true);
            receives.muted(true);
            sendCq.startFlush(this);
            receiveCq.startFlush(this);
        }
        if (to == QpState.RESET || to == QpState.ERR) {
            state.set(to);
        } else {
            // If that fails the poller has found an error meanwhile, and the device knows it too.
            state.compareAndSet(from, to);
        }
        publication.changed();
        openGates();
    }

    private void openGates() {
        final QpState now;
        // Who finds the QP failed sets the state first: it is seen here, or that thread opens the sends behind this.
        synchronized (sends) {
            now = state.get();
            sends.gate(now.ordinal() >= QpState.RTS.ordinal() ? ReturnCode.OK : ReturnCode.WRONG_STATE);
        }
        receives.gate(now == QpState.RESET ? ReturnCode.WRONG_STATE : ReturnCode.OK);
        if (context.isFailed()) {
            shutGates(ReturnCode.DEVICE_FAILED);
        }
        if (isClosed()) {
            shutGates(ReturnCode.CLOSED);
        }
    }

    private void startAgain() {
        shutGates(ReturnCode.WRONG_STATE);
        dropCompletions();
        sends.queue.reset();
        sends.muted(false);
        receives.muted(false);
        if (receives.queue != null) {
            receives.queue.reset();
        }
        known = new QpAttributes();
        qkey = 0;
        sends.qkey(0);
        gidIndex = 0;
        sends.gidIndex(0);
        failure = null;
        hadLife = true;
        wornOut = !context.supports(Feature.QP_RESET);
    }

    private void dropCompletions() {
        sendCq.stopFlush(this);
        receiveCq.stopFlush(this);
        sendCq.purge(this);
        if (receiveCq != sendCq) {
            receiveCq.purge(this);
        }
    }

    /** Poller: the first request failed, for a reason of its own. */
    void explain(final RdmaException cause) {
        failure = cause.getMessage();
        context.device.live().error(cause);
    }

    @Override
    public String failure() {
        return failure;
    }

    /**
     * Poller: a request failed. A datagram that was flushed tells nothing: it was behind one that had failed, or the
     * program moved the QP to ERR. Nor does one from before the program had the QP send again: it knew by
     * {@link #query}.
     */
    void failed(final boolean receive, final int status, final long seq) {
        if (receive || type() != QpType.UD || status != WcStatus.PVRDMA_WC_WR_FLUSH_ERR && seq >= mendedBelow) {
            failed(receive);
        }
    }

    /** The QP is in error. A failed datagram stops the sends alone (InfiniBand specification, SQE). */
    void failed(final boolean receive) {
        final QpState next = type() == QpType.UD && !receive ? QpState.SQE : QpState.ERR;
        QpState now = state.get();
        boolean changed = false;
        while (!changed && now != next && fails(now, next)) {
            changed = state.compareAndSet(now, next);
            now = state.get();
        }
        if (changed) {
            if (next == QpState.ERR) {
                openSends();
            }
            publication.changed();
        }
    }

    /** In ERR sends are taken, and flushed, also by a QP that never came to RTS. */
    private void openSends() {
        // Who sets the gate for another state does so under this lock, behind the state.
        synchronized (sends) {
            if (state.get() == QpState.ERR && !resets) {
                sends.gate(ReturnCode.WRONG_STATE, ReturnCode.OK);
            }
        }
    }

    private static boolean fails(final QpState now, final QpState next) {
        return now == QpState.RTS || now == QpState.SQD || next == QpState.ERR && now != QpState.RESET;
    }

    /** Refuses whatever is posted from now on. */
    void shutGates(final int code) {
        sends.gate(code);
        receives.gate(code);
    }

    @Override
    public synchronized QpAttributes query() {
        requireOpen("query QP");
        final QpAttributes answer = new QpAttributes().merge(known);
        if (state.get() != QpState.RESET) {
            context.requireWorking("query QP");
            final boolean all = context.supports(Feature.QP_QUERY_ALL);
            context.device.commands().queryQp(handle, ALL_ATTRIBUTES,
                attr -> QpAttrs.refresh(answer, attr, all, context));
            adopt(answer.state());
        }
        return answer.state(state.get());
    }

    /** The device may know of an error that no completion has shown yet. */
    private void adopt(final QpState told) {
        if (told == QpState.ERR || told == QpState.SQE) {
            failed(told == QpState.ERR);
        }
    }

    /** Whether requests of this QP make the device look at a GID table index. */
    boolean usesGid(final int index) {
        return !isClosed() && gidIndex == index && state.get().ordinal() >= QpState.RTR.ordinal();
    }

    @Override
    void leave() {
        super.leave();
        shutGates(ReturnCode.CLOSED);
    }

    @Override
    boolean hasEvents() {
        return true;
    }

    @Override
    synchronized void destroy() {
        shutGates(ReturnCode.CLOSED);
        final Cleanup cleanup = new Cleanup().run(publication::end)
            .run(this::settleCqs);
        // The device may give the handle to the next QP at once.
        synchronized (context.qps) {
            cleanup
                .run(() -> context.whileWorking(() -> context.device.commands().destroyQp(handle)))
                .runIfGood(sends::end)
                .runIfGood(() -> resources.memory().close(() -> sends.isInUse() || receives.isInUse()))
                .run(this::dropCompletions)
                .run(() -> context.qps.remove(handle, this));
        }
        cleanup
            .run(this::leaveCqs)
            .run(this::leaveSrq)
            .run(() -> pd.forget(this))
            .throwIfFailed();
    }

    private void settleCqs() {
        sendCq.settle();
        if (receiveCq != sendCq) {
            receiveCq.settle();
        }
    }

    private void leaveCqs() {
        for (final CqRoom room : rooms) {
            room.giveBack();
        }
    }

    private void leaveSrq() {
        if (srq != null) {
            srq.detach(this);
        }
    }

    String dump() {
        return this + " handle=" + handle + " " + type() + " " + state() + " psn=" + psn + " sendCq=" + sendCq
            + " receiveCq=" + receiveCq + " srq=" + srq + " " + sends.queue + " " + receives.queue;
    }

    @Override
    public String toString() {
        return String.format("QP 0x%06x", resources.qpn());
    }
}
