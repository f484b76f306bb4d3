/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import java.net.InetSocketAddress;
import java.security.SecureRandom;

/** The own QP of a connection that is being made: what it offers, how it joins a peer, and how it leaves again. */
final class LocalEnd {
    private static final int EPROTO = 71;
    private static final int MAX_COUNT = 255;
    private static final int MAX_PSN = 0xffffff;
    private static final int HOP_LIMIT = 64;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final QueuePair qp;
    private final ConnectOptions options;
    private final QpAttributes wished;
    private final String operation;
    private final boolean wasReset;
    private final AhAttributes ahAttr;
    private final Hello hello;
    /** Whether this is what took the QP out of RESET: another thread may have, and has a connection then. */
    private boolean begun;

    /** Checks all that can be checked without a peer. */
    LocalEnd(final QueuePair qp, final ConnectOptions options, final Hello.Role role, final String operation) {
        if (qp == null || options == null) {
            throw RdmaException.of(operation).detail("QP %s, options %s", qp, options).errno(RdmaException.EINVAL)
                .build();
        }
        this.qp = qp;
        this.options = options;
        this.operation = operation;
        wished = options.attributes();
        requireState();
        wasReset = qp.state() == QpState.RESET;
        ahAttr = ahAttr();
        hello = offer(role);
    }

    private void requireState() {
        if (qp.isClosed()) {
            throw error(RdmaException.EBADFD).detail("the QP is closed").build();
        }
        final QpState state = qp.state();
        if (state != QpState.RESET && (qp.type() == QpType.RC || state != QpState.RTS)) {
            throw error(RdmaException.EINVAL)
                .detail("the %s QP is in %s, needed is RESET%s", qp.type(), state,
                    qp.type() == QpType.UD ? " or RTS" : "")
                .hint("bring it to RESET, or take a new one")
                .build();
        }
    }

    /** Of whichever peer; the GID is put in later. */
    private AhAttributes ahAttr() {
        if (wished.has(QpAttribute.AV) && wished.ah() != null) {
            return wished.ah();
        }
        return new AhAttributes(Gid.ZERO, 0, HOP_LIMIT, 0, 0, 0, wished.has(QpAttribute.PORT) ? wished.port() : 1);
    }

    /** From what was wished to what the peer has, with everything else as it was. */
    private AhAttributes wayTo(final Gid peer) {
        return new AhAttributes(peer, ahAttr.sgidIndex(), ahAttr.hopLimit(), ahAttr.trafficClass(), ahAttr.flowLabel(),
            ahAttr.serviceLevel(), ahAttr.port());
    }

    private Hello offer(final Hello.Role role) {
        final RdmaContext context = qp.pd().context();
        final Gid gid = context.queryGid(ahAttr.port(), ahAttr.sgidIndex());
        if (gid.isZero()) {
            throw error(RdmaException.EINVAL)
                .detail("GID index %d of port %d is unbound", ahAttr.sgidIndex(), ahAttr.port())
                .hint("bind a GID there with bindGid")
                .build();
        }
        final QpAddress own = qp.localAddress();
        return new Hello(role, qp.type(), mtu(context),
            count(QpAttribute.MAX_QP_RD_ATOMIC, wished.maxRdAtomic(), context.attributes().maxQpInitRdAtom()),
            count(QpAttribute.MAX_DEST_RD_ATOMIC, wished.maxDestRdAtomic(), context.attributes().maxQpRdAtom()),
            new QpAddress(gid, own.qpn(), psn(own), qkey(own)), options.privateData());
    }

    private Mtu mtu(final RdmaContext context) {
        final Mtu active = context.queryPort(ahAttr.port()).activeMtu();
        final Mtu most = wished.has(QpAttribute.PATH_MTU) ? wished.pathMtu() : active;
        return most == null || most.compareTo(active) > 0 ? active : most;
    }

    private int count(final QpAttribute attribute, final int value, final int most) {
        final int limit = Math.min(most, MAX_COUNT);
        if (!wished.has(attribute)) {
            return Math.min(1, limit);
        }
        return inRange(attribute, value, limit);
    }

    private int inRange(final QpAttribute attribute, final int value, final int limit) {
        if (value < 0 || value > limit) {
            throw error(RdmaException.EINVAL).detail("%s is %d, allowed are 0 to %d", attribute, value, limit).build();
        }
        return value;
    }

    /** The first one that the peer is told to expect; the other direction is the peer's to choose. */
    private int psn(final QpAddress own) {
        if (qp.type() != QpType.RC) {
            return own.psn();
        }
        if (wished.has(QpAttribute.RQ_PSN)) {
            throw error(RdmaException.EINVAL)
                .detail("RQ_PSN is %d, but the peer says what it sends with", wished.rqPsn())
                .hint("give the number to the peer, as its SQ_PSN")
                .build();
        }
        return wished.has(QpAttribute.SQ_PSN) ? inRange(QpAttribute.SQ_PSN, wished.sqPsn(), MAX_PSN) : own.psn();
    }

    private int qkey(final QpAddress own) {
        if (qp.type() == QpType.RC) {
            return 0;
        }
        if (!wasReset) {
            return own.qkey();
        }
        // Without the top bit, which would mean the key of whoever sends (InfiniBand specification, queue keys).
        return wished.has(QpAttribute.QKEY) ? wished.qkey() : RANDOM.nextInt() >>> 1;
    }

    Hello hello() {
        return hello;
    }

    ConnectOptions options() {
        return options;
    }

    String operation() {
        return operation;
    }

    /** What speaks against a peer; null for nothing. */
    ConnectWire.BadMessage objection(final Hello theirs) {
        if (theirs.role() == hello.role()) {
            return new ConnectWire.BadMessage(EPROTO, "it " + (theirs.role() == Hello.Role.CONNECTS
                ? "connects as well; nobody listens at that port" : "listens as well"));
        }
        if (theirs.type() != hello.type()) {
            return new ConnectWire.BadMessage(RdmaException.EINVAL,
                "its QP is " + theirs.type() + ", the own one is " + hello.type());
        }
        return null;
    }

    /** Why a peer that would suit is not there for this device; null if it may be. */
    ConnectWire.BadMessage absence(final Hello theirs) {
        final QpAddress there = theirs.address();
        final String why = there.gid().equals(hello.address().gid()) && there.qpn() == hello.address().qpn()
            ? "that is the own QP, so two devices have one GID" : qp.pd().context().whyUnreachable(there.gid());
        return why == null ? null : new ConnectWire.BadMessage(RdmaException.EHOSTUNREACH,
            "its QP is 0x" + Integer.toHexString(there.qpn()) + " at GID " + there.gid() + ": " + why);
    }

    /** Brings the QP to RTS, towards the peer. */
    RdmaConnection join(final Hello theirs, final InetSocketAddress peer) {
        final Mtu mtu = hello.smallerMtu(theirs);
        final int out = Math.min(hello.maxRdAtomic(), theirs.maxDestRdAtomic());
        final int in = Math.min(hello.maxDestRdAtomic(), theirs.maxRdAtomic());
        begun = wasReset && qp.state() == QpState.RESET;
        if (qp.type() == QpType.RC) {
            QpConnector.connect(qp, theirs.address(), usual()
                .ah(wayTo(theirs.address().gid()))
                .port(ahAttr.port())
                .pathMtu(mtu)
                .sqPsn(hello.address().psn())
                .maxRdAtomic(out)
                .maxDestRdAtomic(in));
        } else if (wasReset) {
            QpConnector.activate(qp, hello.address().qkey());
        }
        return new RdmaConnection(qp, hello.address(), theirs.address(), mtu, out, in, theirs.privateData(), peer);
    }

    /** What the peer has no say in; a copy, since the options are the caller's. */
    private QpAttributes usual() {
        final QpAttributes a = new QpAttributes().pkeyIndex(wished.pkeyIndex());
        if (wished.has(QpAttribute.ACCESS_FLAGS)) {
            a.accessFlags(wished.accessFlags());
        }
        if (wished.has(QpAttribute.TIMEOUT)) {
            a.timeout(wished.timeout());
        }
        if (wished.has(QpAttribute.RETRY_CNT)) {
            a.retryCnt(wished.retryCnt());
        }
        if (wished.has(QpAttribute.RNR_RETRY)) {
            a.rnrRetry(wished.rnrRetry());
        }
        if (wished.has(QpAttribute.MIN_RNR_TIMER)) {
            a.minRnrTimer(wished.minRnrTimer());
        }
        return a;
    }

    /** The QP is as it was before: a half-made connection is of no use, and the peer may have made its half. */
    void leave(final Throwable why) {
        if (begun && !qp.isClosed() && qp.state() != QpState.RESET) {
            try {
                qp.modify(QpAttributes.to(QpState.RESET));
            } catch (final RdmaException e) {
                why.addSuppressed(e);
            }
        }
    }

    private RdmaException.Builder error(final int errno) {
        return RdmaException.of(operation).device(qp.pd().context().address()).object(qp).errno(errno);
    }
}
