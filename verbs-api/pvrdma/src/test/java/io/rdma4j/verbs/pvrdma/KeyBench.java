/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

/** Two connected ends: one lends its memory by windows and fast regions, the other one uses it. */
final class KeyBench {
    final Peer owner;
    final Peer user;
    /** All of the owner's memory, for windows. */
    final MemoryRegion bindable;

    KeyBench(final Devices devices) {
        owner = Peer.rc(devices.open());
        user = Peer.rc(devices.open());
        owner.connect(user);
        bindable = owner.pd.register(owner.memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
    }

    /** Pages of the owner's memory. */
    PageList pages(final int... indices) {
        final PageList list = new PageList();
        for (final int index : indices) {
            list.add(owner.memory, index, 1);
        }
        return list;
    }

    /** Posts on an end, and says how it ended. */
    static WcStatus run(final Peer peer, final SendRequest request) {
        assertThat(peer.qp.postSend(request)).as("%s", request).isZero();
        return Completions.await(peer.cq, 1).get(0).status();
    }

    static void assertRuns(final Peer peer, final SendRequest request, final WcOpcode opcode) {
        assertThat(peer.qp.postSend(request)).as("%s", request).isZero();
        final Completions.Copy copy = Completions.awaitSuccess(peer.cq);
        assertThat(copy.opcode()).isEqualTo(opcode);
        assertThat(copy.wrId()).isEqualTo(request.wrId());
    }

    /** The user writes eight bytes to what it was lent. */
    WcStatus write(final long remote, final int rkey, final long value) {
        return write(user, remote, rkey, value);
    }

    static WcStatus write(final Peer from, final long remote, final int rkey, final long value) {
        from.bytes.putLong(0, value);
        return run(from, new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(remote, rkey)
            .sge(from.at(0), 8, from.lkey()));
    }

    /** The user reads eight bytes of what it was lent. */
    WcStatus read(final long remote, final int rkey) {
        return run(user, new SendRequest().opcode(SendOpcode.RDMA_READ).remote(remote, rkey)
            .sge(user.at(8), 8, user.lkey()));
    }

    static SendRequest invalidation(final int key) {
        return new SendRequest().opcode(SendOpcode.LOCAL_INV).invalidate(key);
    }

    /** Both ends begin anew, as after an error. */
    void reconnect() {
        owner.qp.modify(QpAttributes.to(QpState.RESET));
        user.qp.modify(QpAttributes.to(QpState.RESET));
        owner.connect(user);
    }

    /** Another connection to the owner, from a device of its own, with a QP of the owner's that nothing is bound to. */
    Peer stranger(final Devices devices) {
        final Peer stranger = Peer.rc(devices.open());
        final QueuePair near = owner.pd.createQp(new QpOptions().cq(owner.cq).maxSendSge(4).maxReceiveSge(4));
        QpConnector.connect(near, stranger.qp.localAddress(), new QpAttributes()
            .accessFlags(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
        QpConnector.connect(stranger.qp, near.localAddress());
        return stranger;
    }
}
