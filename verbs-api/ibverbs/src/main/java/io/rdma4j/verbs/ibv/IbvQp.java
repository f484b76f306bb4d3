/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
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
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.QpRanges;
import io.rdma4j.verbs.spi.QpTransitions;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReference;

/** A queue pair: its state and life; posting is in {@link SendPath} and {@link ReceivePath}. */
final class IbvQp extends IbvObject implements QueuePair {
    private static final String MODIFY = "modify QP";
    private static final String QUERY = "query QP";
    private static final String CLOSE = "close QP";
    /** A stranger who knows where a connection begins can send into it. */
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ALL_ATTRIBUTES = (QpAttribute.DEST_QPN.bit() << 1) - 1;

    final IbvPd pd;
    final IbvCq sendCq;
    final IbvCq receiveCq;
    final IbvSrq srq;
    final SendPath sends;
    final ReceivePath receives;
    final long pointer;
    private final QpType type;
    private final CqUse[] uses;
    private final int number;
    /** Of who changes or asks for its state. */
    private final Turn turn;
    private final int psn = RANDOM.nextInt(1 << 24);
    private final AtomicReference<QpState> state = new AtomicReference<>(QpState.RESET);
    /** How often it was reset; what was found out before is over. Changes under the lock of the send gate. */
    private volatile int life;
    private volatile QpAttributes known = new QpAttributes();
    private volatile int owner;
    private volatile int qkey;
    private volatile int gidIndex;
    private volatile String failure;
    /** Of so many sends, the first ones, it has been told already that one failed: it went from SQE to RTS since. */
    private volatile long mendedBelow;
    /** It is on its way to RESET: nobody may post. */
    private volatile boolean resets;
    /** Those who have late receives flushed; whoever resets or closes it waits for them. */
    private final Users flushers = new Users();

    IbvQp(final IbvPd pd, final long pointer, final QpType type, final CqUse[] uses, final IbvSrq srq,
        final SendPath sends, final ReceivePath receives) {
        super(pd.context);
        this.turn = new Turn(context, this);
        this.pd = pd;
        this.pointer = pointer;
        this.type = type;
        this.uses = uses;
        this.sendCq = uses[0].cq();
        this.receiveCq = uses[uses.length - 1].cq();
        this.srq = srq;
        this.sends = sends;
        this.receives = receives;
        this.number = UnsafeApi.getInt(pointer + Abi.Qp.QP_NUM);
        sends.guardedAs("the send queue of " + this);
        receives.guardedAs("the receive queue of " + this);
        beginLife();
        context.qpNumbers.add(this);
        context.events.add(pointer, this);
    }

    /** What others see of it. */
    void describe(final LiveEntry entry) {
        final QpAttributes shown = known;
        entry.set(QpKind.QPN, number)
            .set(QpKind.TYPE, QpFactory.code(type))
            .set(QpKind.STATE, state().ordinal())
            .set(QpKind.PD, pd.number)
            .set(QpKind.SEND_CQ, sendCq.number)
            .set(QpKind.RECV_CQ, receiveCq.number)
            .set(QpKind.SRQ, srq == null ? -1 : srq.number)
            .set(QpKind.INLINE_LKEY, -1)
            .set(QpKind.SQ_MAX_WR, maxSendWr())
            .set(QpKind.SQ_MAX_SGE, maxSendSge())
            .set(QpKind.RQ_MAX_WR, maxReceiveWr())
            .set(QpKind.RQ_MAX_SGE, maxReceiveSge())
            .set(QpKind.DEST_QPN, shown.destQpn())
            .set(QpKind.PATH_MTU, shown.pathMtu() == null ? 0 : shown.pathMtu().code())
            .set(QpKind.QKEY, shown.qkey() & 0xffff_ffffL)
            .set(QpKind.SQ_PSN, shown.sqPsn())
            .set(QpKind.RQ_PSN, shown.rqPsn());
    }

    /** Completions from before are not this QP's any more. */
    private void beginLife() {
        owner = context.qps.add(this);
        sends.wire(WireId.send(owner));
        receives.wire(WireId.receive(owner));
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public QpType type() {
        return type;
    }

    @Override
    public int qpNumber() {
        return number;
    }

    @Override
    public QpState state() {
        return state.get();
    }

    @Override
    public QpAddress localAddress() {
        return new QpAddress(context.queryGid(port(), gidIndex), number, psn, qkey);
    }

    /** Before INIT it has none: others are told of the one that is usual. */
    private int port() {
        final QpAttributes now = known;
        return now.has(QpAttribute.PORT) ? now.port() : 1;
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
        return sends.work.count();
    }

    @Override
    public int maxReceiveWr() {
        return receives.work == null ? 0 : receives.work.count();
    }

    @Override
    public int maxSendSge() {
        return sends.maxSge();
    }

    @Override
    public int maxReceiveSge() {
        return receives.maxSge();
    }

    @Override
    public int maxInline() {
        return sends.slots.length();
    }

    @Override
    public String failure() {
        return failure;
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
    public int postSendInline(final long wrId, final DirectBuffer source, final int offset, final int length) {
        return sends.postInline(wrId, source, offset, length);
    }

    @Override
    public SendTemplate prepare(final SendRequest... requests) {
        return IbvTemplate.of(this, requests);
    }

    @Override
    public int bindWindow(
        final long wrId, final MemoryWindow window, final MemoryRegion region, final long iova, final long length,
        final AccessFlag... access) {
        final int refusal = sends.enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return sends.bindsWindows()
                ? sends.bindings.bindWindow(pointer, wrId, window, region, iova, length, access)
                : ReturnCode.UNSUPPORTED;
        } finally {
            sends.leave();
        }
    }

    @Override
    public int postReceive(final ReceiveRequest request) {
        return flushed(receives.post(request));
    }

    @Override
    public int postReceive(final ReceiveRequest[] requests, final int count) {
        return flushed(receives.post(requests, count));
    }

    @Override
    public int postReceive(final long wrId, final long address, final int length, final int lkey) {
        return flushed(receives.post(wrId, address, length, lkey));
    }

    /** A receive was posted; some devices do not look for it in the error state. */
    private int flushed(final int code) {
        if (code >= 0 && context.traits.errFlushesOnEntry) {
            // Whoever finds the QP in that state either sees the receive, or is seen here.
            VarHandle.fullFence();
            if (state.get() == QpState.ERR) {
                enterErrAgain();
            }
        }
        return code;
    }

    /** The QP was found in the error state: the device may have been there before, and receives been posted since. */
    private void flushLate() {
        if (context.traits.errFlushesOnEntry && receives.work != null && receives.work.outstanding() > 0) {
            enterErrAgain();
        }
    }

    private void enterErrAgain() {
        if (!flushers.begin(this)) {
            return;
        }
        try {
            // In this order: where a reset is over, the state is another one.
            if (!resets && state.get() == QpState.ERR) {
                final UnsafeBuffer attr = Struct.allocate(Abi.QpAttr.LENGTH);
                attr.putInt(Abi.QpAttr.QP_STATE, QpState.ERR.ordinal());
                context.library.modifyQp(pointer, attr.addressOffset(), QpAttribute.STATE.bit());
                Struct.keep(attr);
            }
        } finally {
            flushers.end();
        }
    }

    @Override
    public void modify(final QpAttributes attributes) {
        turn.run(MODIFY, () -> modifyNow(attributes));
    }

    private void modifyNow(final QpAttributes attributes) {
        requireOpen(MODIFY);
        Errors.notNull(attributes, MODIFY, context, "attributes");
        final QpState to = attributes.state();
        final QpState from = state.get();
        final String objection = QpTransitions.objection(type, from, to, attributes.given());
        if (objection != null) {
            throw Errors.invalid(MODIFY, context, "%s: %s", this, objection);
        }
        QpRanges.check(attributes, from, context, (way, operation) -> Ways.check(way, operation, context));
        context.requireWorking(MODIFY);
        if (from != QpState.RESET || to != QpState.RESET) {
            change(attributes, from, to);
        }
    }

    private void change(final QpAttributes attributes, final QpState from, final QpState to) {
        if (from == QpState.RESET && isTight()) {
            throw RdmaException.of(MODIFY).device(context.address()).object(this)
                .detail("completions from before RESET still take room in its CQs, which could overflow")
                .errno(RdmaException.EBUSY).hint("poll the CQs first, until they are empty").build();
        }
        final UnsafeBuffer attr = Struct.allocate(Abi.QpAttr.LENGTH);
        QpAttrs.fill(attr, attributes, context.gids);
        final long posted = sends.work.allPosted();
        try (Undo undo = new Undo()) {
            undo.add(this::openGates);
            if (to == QpState.RESET) {
                // Libraries empty their queues without a look at who is posting.
                resets = true;
                undo.add(() -> resets = false);
                shutGates(ReturnCode.WRONG_STATE);
                awaitNoPost(MODIFY);
            }
            final int errno = context.library.modifyQp(pointer, attr.addressOffset(), attributes.mask());
            Struct.keep(attr);
            if (errno != 0) {
                throw refused(errno, from, to,
                    attributes.has(QpAttribute.AV) ? attributes.ah().sgidIndex() : gidIndex);
            }
            undo.forget();
        }
        if (from == QpState.SQE && to == QpState.RTS) {
            mendedBelow = posted;
        }
        remember(attributes);
        enter(from, to);
        resets = false;
    }

    private boolean isTight() {
        for (final CqUse use : uses) {
            if (use.reserves() && use.cq().isTight(MODIFY)) {
                return true;
            }
        }
        return false;
    }

    private RdmaException refused(final int errno, final QpState from, final QpState to, final int source) {
        final int why = errno < 0 ? context.library.errno() : errno;
        return RdmaException.of(MODIFY).device(context.address()).object(this)
            .detail("from %s to %s: the device refused (%s)", from, to, RdmaException.errnoName(why))
            .errno(why == RdmaException.ETIMEDOUT || why == RdmaException.EHOSTUNREACH
                ? RdmaException.EHOSTUNREACH : RdmaException.EIO)
            .hint(to == QpState.RTR ? wayHint(source) : null).build();
    }

    /** Where the peer is named: what is known to be wrong, or what may be. */
    private String wayHint(final int source) {
        final String objection = context.wayObjection(port(), source);
        return objection != null ? objection : "on RoCE the kernel looks for the peer's Ethernet address now: is the "
            + "peer's GID reachable from the GID that this QP sends from?";
    }

    private void remember(final QpAttributes attributes) {
        known = new QpAttributes().merge(known).merge(attributes);
        if (attributes.has(QpAttribute.QKEY)) {
            qkey = attributes.qkey();
            sends.qkey(attributes.qkey());
        }
        if (attributes.has(QpAttribute.AV)) {
            gidIndex = attributes.ah().sgidIndex();
        }
    }

    private void enter(final QpState from, final QpState to) {
        if (to == QpState.RESET) {
            startAgain();
        }
        if (to == QpState.RESET || to == QpState.ERR) {
            state.set(to);
        } else {
            // If that fails the poller has found an error meanwhile, and the device knows it too.
            state.compareAndSet(from, to);
        }
        openGates();
        changed();
        if (to == QpState.ERR) {
            flushLate();
        }
    }

    private void startAgain() {
        synchronized (sends.gate) {
            life++;
        }
        context.qps.remove(owner);
        for (final CqUse use : uses) {
            use.cq().left(left(use));
        }
        sends.reset();
        receives.reset();
        beginLife();
        known = new QpAttributes();
        qkey = 0;
        sends.qkey(0);
        gidIndex = 0;
        failure = null;
    }

    /** How many completions of requests that are forgotten now may be in a CQ. */
    private int left(final CqUse use) {
        return !use.reserves() ? 0 : (use.sends() > 0 ? sends.work.outstanding() : 0)
            + (use.receives() > 0 ? receives.work.outstanding() : 0);
    }

    private void openGates() {
        final QpState now;
        // Who finds the QP failed sets the state first: it is seen here, or that thread opens the sends behind this.
        synchronized (sends.gate) {
            now = state.get();
            sends.gate.set(now.ordinal() >= QpState.RTS.ordinal() ? ReturnCode.OK : ReturnCode.WRONG_STATE);
        }
        receives.gate(now == QpState.RESET ? ReturnCode.WRONG_STATE : ReturnCode.OK);
        if (context.isFailed()) {
            shutGates(ReturnCode.DEVICE_FAILED);
        }
        if (isClosed()) {
            shutGates(ReturnCode.CLOSED);
        }
    }

    /** In ERR sends are taken, and flushed, also by a QP that never came to RTS. */
    private void openSends() {
        // Who sets the gate for another state does so under this lock, behind the state.
        synchronized (sends.gate) {
            if (state.get() == QpState.ERR && !resets) {
                sends.gate.set(ReturnCode.WRONG_STATE, ReturnCode.OK);
            }
        }
    }

    /** Refuses whatever is posted from now on. */
    void shutGates(final int code) {
        sends.gate.set(code);
        receives.gate(code);
    }

    /** Nobody is in the library with this QP; the gates are shut. */
    private void awaitNoPost(final String operation) {
        sends.gate.awaitEmpty(operation, context, this, "its send queue");
        receives.gate.awaitEmpty(operation, context, this, "its receive queue");
        flushers.awaitNone(operation, context, this);
    }

    /** Poller: a send failed. */
    void failed(final int seq, final WcStatus status) {
        if (failure == null && status != WcStatus.WR_FLUSH_ERR) {
            failure = explain(seq, status).getMessage();
        }
        if (type != QpType.UD) {
            become(QpState.ERR);
        } else if (status != WcStatus.WR_FLUSH_ERR && sends.work.countBefore(seq) >= mendedBelow) {
            // A failed datagram stops the sends alone (InfiniBand specification, SQE). What is flushed behind it tells
            // nothing more, nor does what failed before: the program may have taken the QP from SQE, which the device
            // told, to RTS before it polled this.
            become(QpState.SQE);
        }
    }

    private RdmaException explain(final int seq, final WcStatus status) {
        final PostedWork work = sends.work;
        final boolean refused = status == WcStatus.REM_ACCESS_ERR;
        return RdmaException.of(work.opcode(seq).name()).device(context.address()).object(this)
            .detail("wr_id 0x%x, %d bytes at remote address 0x%x with rkey 0x%x: %s", work.wrId(seq), work.length(seq),
                work.remoteAddress(seq), work.rkey(seq), status)
            .errno(refused ? RdmaException.EACCES : RdmaException.EIO)
            .hint(refused ? "the peer's region, or window, must have this rkey, hold all of these bytes, grant the "
                + "right and be of the QP's protection domain; its QP must grant the right, too"
                : status == WcStatus.RETRY_EXC_ERR ? context.wayObjection(port(), gidIndex)
                : context.portObjection(port())).build();
    }

    /** Poller: a receive of so many bytes failed. */
    void receiveFailed(final long wrId, final int room, final WcStatus status) {
        if (failure == null && status != WcStatus.WR_FLUSH_ERR) {
            failure = RdmaException.of(WcOpcode.RECV.name()).device(context.address()).object(this)
                .detail("wr_id 0x%x%s: %s", wrId, status != WcStatus.LOC_LEN_ERR ? ""
                    : ", the message is longer than the " + room + " bytes of the receive", status)
                .errno(RdmaException.EIO).build().getMessage();
        }
        become(QpState.ERR);
    }

    /**
     * The device told of it. Under locks: takes none but a gate's, in which nobody waits. An event comes by a way of
     * its own: it may be of an error before the last reset, after which the QP has gone on. So may the device's answer,
     * when it is here.
     */
    void heard(final AsyncEventType event) {
        if (event == AsyncEventType.QP_FATAL || event == AsyncEventType.QP_REQ_ERR
            || event == AsyncEventType.QP_ACCESS_ERR) {
            final int asked = life;
            final QpState now = state.get();
            if (now != QpState.ERR && fails(now, QpState.ERR) && isInError()) {
                final boolean fell;
                synchronized (sends.gate) {
                    fell = life == asked && falls(QpState.ERR);
                }
                if (fell) {
                    flushLate();
                }
            }
        }
    }

    private boolean isInError() {
        final UnsafeBuffer attr = Struct.allocate(Abi.QpAttr.LENGTH);
        final UnsafeBuffer init = Struct.allocate(Abi.QpInitAttr.LENGTH);
        final int failed = context.library.queryQp(pointer, attr.addressOffset(), ALL_ATTRIBUTES, init.addressOffset());
        Struct.keep(init);
        return failed != 0 || attr.getInt(Abi.QpAttr.QP_STATE) == QpState.ERR.ordinal();
    }

    private void become(final QpState next) {
        if (falls(next) && next == QpState.ERR) {
            flushLate();
        }
    }

    /** It comes to another state by itself; false if it does not from where it is. */
    private boolean falls(final QpState next) {
        QpState now = state.get();
        while (now != next && fails(now, next)) {
            if (fell(now, next)) {
                return true;
            }
            now = state.get();
        }
        return false;
    }

    /** It went from one state to another by itself; false if it is not in the first one any more. */
    private boolean fell(final QpState now, final QpState next) {
        if (!state.compareAndSet(now, next)) {
            return false;
        }
        if (next == QpState.ERR) {
            openSends();
        }
        changed();
        return true;
    }

    private static boolean fails(final QpState now, final QpState next) {
        return now == QpState.RTS || now == QpState.SQD || next == QpState.ERR && now != QpState.RESET;
    }

    @Override
    public QpAttributes query() {
        return turn.get(QUERY, this::queryNow);
    }

    private QpAttributes queryNow() {
        final String operation = QUERY;
        requireOpen(operation);
        final QpAttributes answer = new QpAttributes().merge(known);
        if (state.get() != QpState.RESET) {
            context.requireWorking(operation);
            final UnsafeBuffer attr = Struct.allocate(Abi.QpAttr.LENGTH);
            final UnsafeBuffer init = Struct.allocate(Abi.QpInitAttr.LENGTH);
            context.require(context.library.queryQp(pointer, attr.addressOffset(), ALL_ATTRIBUTES,
                init.addressOffset()), operation, "ibv_query_qp");
            Struct.keep(init);
            QpAttrs.refresh(answer, attr, context);
            adopt(answer.state());
        }
        return answer.state(state.get());
    }

    /** The device may know of an error that no completion has shown yet. */
    private void adopt(final QpState told) {
        if (told == QpState.ERR || told == QpState.SQE) {
            become(told);
        }
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
    void awaitOthers() {
        // Who is changing it may open the gates until he is through; nobody changes it after him.
        turn.run(CLOSE, () -> shutGates(ReturnCode.CLOSED));
        awaitNoPost(CLOSE);
        context.events.remove(pointer, this);
    }

    @Override
    void destroy() {
        context.qpNumbers.remove(this);
        final Cleanup cleanup = new Cleanup();
        cleanup.run(() -> context.destroyed(context.library.destroyQp(pointer), CLOSE, "ibv_destroy_qp"));
        context.qps.remove(owner);
        for (final CqUse use : uses) {
            cleanup.run(() -> use.cq().detach(use, left(use)));
        }
        if (srq != null) {
            srq.detach(uses[0]);
        }
        cleanup.run(sends.slots::close).run(() -> pd.forget(this)).throwIfFailed();
    }

    String dump() {
        return this + " " + type + " " + state() + " psn=" + psn + " sendCq=" + sendCq + " receiveCq=" + receiveCq
            + " srq=" + srq + " " + sends + " " + receives + " attributes=" + known;
    }

    @Override
    public String toString() {
        return String.format("QP 0x%06x", number);
    }
}
