/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * What two sides agreed on. The TCP connection that they agreed over is closed by then: this is knowledge, nothing that
 * has to be closed.
 *
 * @param qp              the own QP.
 * @param local           its address, as the peer was told.
 * @param remote          the peer's QP.
 * @param pathMtu         the smaller of what both offered.
 * @param maxRdAtomic     READs and atomics under way that this side may begin.
 * @param maxDestRdAtomic READs and atomics under way that this side accepts.
 * @param privateData     what the peer gave along; bytes from outside, to be judged as such.
 * @param peer            where the peer's process was reached.
 */
public record RdmaConnection(
    QueuePair qp, QpAddress local, QpAddress remote, Mtu pathMtu, int maxRdAtomic, int maxDestRdAtomic,
    byte[] privateData, InetSocketAddress peer) {
    /**
     * Keeps what it is given.
     *
     * @param qp              see the record.
     * @param local           see the record.
     * @param remote          see the record.
     * @param pathMtu         see the record.
     * @param maxRdAtomic     see the record.
     * @param maxDestRdAtomic see the record.
     * @param privateData     not copied.
     * @param peer            see the record.
     * @throws NullPointerException if one of them is null.
     */
    public RdmaConnection {
        Objects.requireNonNull(qp, "qp");
        Objects.requireNonNull(local, "local");
        Objects.requireNonNull(remote, "remote");
        Objects.requireNonNull(pathMtu, "pathMtu");
        Objects.requireNonNull(privateData, "privateData");
        Objects.requireNonNull(peer, "peer");
    }

    /**
     * What the peer gave along.
     *
     * @return the bytes themselves, which are nobody else's; possibly none.
     */
    @Override
    public byte[] privateData() {
        return privateData;
    }

    @Override
    public String toString() {
        return qp + " to " + remote + " at " + peer + ", MTU " + pathMtu.bytes() + ", " + maxRdAtomic + " READs out, "
            + maxDestRdAtomic + " in, " + privateData.length + " bytes of private data";
    }
}
