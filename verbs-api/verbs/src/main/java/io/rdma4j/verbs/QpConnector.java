/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Brings QPs to RTS with usual attributes, once both sides know each other's {@link QpAddress}. Stateless.
 *
 * <p>The usual attributes of an RC QP, which {@link #connect(QueuePair, QpAddress, QpAttributes)} replaces one by one:
 *
 * <ul>
 *   <li>ACCESS_FLAGS: REMOTE_WRITE, REMOTE_READ and REMOTE_ATOMIC, as far as the device has the operations. What a peer
 *       may do with some memory is what its region was registered for.
 *   <li>PORT 1, PKEY_INDEX 0, source GID index 0, PATH_MTU 1024.
 *   <li>MAX_QP_RD_ATOMIC and MAX_DEST_RD_ATOMIC 1: READs and atomics under way.
 *   <li>TIMEOUT 14 (67 ms), RETRY_CNT 7, RNR_RETRY 7 (without end), MIN_RNR_TIMER 12 (0.64 ms).
 *   <li>RQ_PSN and SQ_PSN as in the two addresses, which a reset does not change. Where packets of before it may still
 *       be under way, in a network, give others that both sides have agreed on: an old packet could be taken for a new
 *       one. The emulated device takes, and drops, what has come before a QP is ready.
 * </ul>
 */
public final class QpConnector {
    private static final String CONNECT = "connect QP";
    private static final int TIMEOUT_CODE = 14;
    private static final int FOR_EVER = 7;
    private static final int MIN_RNR_TIMER_CODE = 12;

    private QpConnector() {
    }

    /**
     * Connects an RC QP to its peer: RESET, INIT, RTR, RTS. The peer does the same with this side's address.
     *
     * @param qp     a QP in RESET.
     * @param remote the peer's {@link QueuePair#localAddress()}.
     * @throws NullPointerException if one of them is null.
     * @throws RdmaException        EINVAL, and the state stays, if the QP is not RC or not in RESET, the remote GID is
     *                              zero or multicast, or the own one is unbound; EHOSTUNREACH, likewise, if nobody
     *                              has the remote GID ({@link RdmaContext#whyUnreachable}); else as
     *                              {@link QueuePair#modify}.
     */
    public static void connect(final QueuePair qp, final QpAddress remote) {
        connect(qp, remote, new QpAttributes());
    }

    /**
     * Connects an RC QP to its peer with other than the usual attributes.
     *
     * @param qp     a QP in RESET.
     * @param remote the peer's {@link QueuePair#localAddress()}.
     * @param wished attributes that replace the usual ones; those that were not given keep them.
     * @throws NullPointerException if one of them is null.
     * @throws RdmaException        EINVAL, and the state stays, if the QP is not RC or not in RESET, the remote GID is
     *                              zero or multicast, or the own one is unbound; EHOSTUNREACH, likewise, if nobody
     *                              has the remote GID ({@link RdmaContext#whyUnreachable}); else as
     *                              {@link QueuePair#modify}.
     */
    public static void connect(final QueuePair qp, final QpAddress remote, final QpAttributes wished) {
        Objects.requireNonNull(remote, "remote");
        Objects.requireNonNull(wished, "wished");
        require(qp, QpType.RC, CONNECT);
        final AhAttributes way = wished.has(QpAttribute.AV) ? wished.ah() : AhAttributes.to(remote.gid());
        requireWay(qp, way);
        final int port = wished.has(QpAttribute.PORT) ? wished.port() : 1;
        qp.modify(QpAttributes.to(QpState.INIT)
            .port(port)
            .pkeyIndex(wished.pkeyIndex())
            .accessFlags(wished.has(QpAttribute.ACCESS_FLAGS) ? wished.accessFlags() : allRights(qp)));
        qp.modify(QpAttributes.to(QpState.RTR)
            .ah(way)
            .pathMtu(wished.has(QpAttribute.PATH_MTU) ? wished.pathMtu() : Mtu.MTU_1024)
            .destQpn(remote.qpn())
            .rqPsn(wished.has(QpAttribute.RQ_PSN) ? wished.rqPsn() : remote.psn())
            .maxDestRdAtomic(wished.has(QpAttribute.MAX_DEST_RD_ATOMIC) ? wished.maxDestRdAtomic() : 1)
            .minRnrTimer(wished.has(QpAttribute.MIN_RNR_TIMER) ? wished.minRnrTimer() : MIN_RNR_TIMER_CODE));
        qp.modify(QpAttributes.to(QpState.RTS)
            .sqPsn(wished.has(QpAttribute.SQ_PSN) ? wished.sqPsn() : qp.localAddress().psn())
            .timeout(wished.has(QpAttribute.TIMEOUT) ? wished.timeout() : TIMEOUT_CODE)
            .retryCnt(wished.has(QpAttribute.RETRY_CNT) ? wished.retryCnt() : FOR_EVER)
            .rnrRetry(wished.has(QpAttribute.RNR_RETRY) ? wished.rnrRetry() : FOR_EVER)
            .maxRdAtomic(wished.has(QpAttribute.MAX_QP_RD_ATOMIC) ? wished.maxRdAtomic() : 1));
    }

    /**
     * Brings a UD QP to RTS.
     *
     * @param qp   a QP in RESET.
     * @param qkey queue key that senders must name.
     * @throws NullPointerException if the QP is null.
     * @throws RdmaException        EINVAL if the QP is not UD or not in RESET; else as {@link QueuePair#modify}.
     */
    public static void activate(final QueuePair qp, final int qkey) {
        require(qp, QpType.UD, "activate QP");
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).qkey(qkey));
        qp.modify(QpAttributes.to(QpState.RTR));
        qp.modify(QpAttributes.to(QpState.RTS).sqPsn(qp.localAddress().psn()));
    }

    /** A region is registered for what peers may do with it; the QP has nothing to add, if not asked. */
    private static Set<AccessFlag> allRights(final QueuePair qp) {
        final RdmaContext context = qp.pd().context();
        final Set<AccessFlag> rights = EnumSet.noneOf(AccessFlag.class);
        if (context.supports(Feature.RDMA_WRITE)) {
            rights.add(AccessFlag.REMOTE_WRITE);
        }
        if (context.supports(Feature.RDMA_READ)) {
            rights.add(AccessFlag.REMOTE_READ);
        }
        if (context.supports(Feature.ATOMICS)) {
            rights.add(AccessFlag.REMOTE_ATOMIC);
        }
        return rights;
    }

    /** What RTR would refuse, when the QP would have left RESET already. */
    private static void requireWay(final QueuePair qp, final AhAttributes way) {
        final Gid remote = way == null ? null : way.dgid();
        if (remote == null || remote.isZero() || remote.isMulticast()) {
            throw invalid(CONNECT, qp)
                .detail("the remote GID is %s, which names no peer", remote)
                .hint("use the peer's localAddress(), after a GID was bound there")
                .build();
        }
        if (qp.pd().context().queryGid(way.port(), way.sgidIndex()).isZero()) {
            throw invalid(CONNECT, qp)
                .detail("source GID index %d is unbound", way.sgidIndex())
                .hint("bind a GID there with bindGid")
                .build();
        }
        final String why = qp.pd().context().whyUnreachable(remote);
        if (why != null) {
            throw RdmaException.of(CONNECT)
                .device(qp.pd().context().address())
                .object(qp)
                .detail("GID %s: %s", remote, why)
                .errno(RdmaException.EHOSTUNREACH)
                .build();
        }
    }

    private static RdmaException.Builder invalid(final String operation, final QueuePair qp) {
        return RdmaException.of(operation)
            .device(qp.pd().context().address())
            .object(qp)
            .errno(RdmaException.EINVAL);
    }

    private static void require(final QueuePair qp, final QpType type, final String operation) {
        Objects.requireNonNull(qp, "qp");
        if (qp.type() != type || qp.state() != QpState.RESET) {
            throw invalid(operation, qp)
                .detail("a %s QP in RESET is needed, this is %s in %s", type, qp.type(), qp.state())
                .build();
        }
    }
}
