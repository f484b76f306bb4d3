/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

/** The passive end of a connection: sends back what comes, and has memory for its peer. One thread. */
final class EchoEnd implements AutoCloseable {
    /** Receives that are posted. */
    static final int SLOTS = 8;
    /** Bytes of the longest message, and the global header of datagrams. */
    static final int SLOT = 8192 + 64;
    /** Bytes that the peer may read and write. */
    static final int SPACE = 64 * 1024;
    /** How long one try lasts: 4.096 us times two to the power of this, 268 ms; eight of them are two seconds. */
    static final int TIMEOUT = 16;
    static final int QKEY = 0x5eed;
    private static final int HEADER = 40;
    private static final int SENT = 1 << 8;

    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final QueuePair qp;
    private final SendRequest request = new SendRequest();
    private AddressHandle way;
    private int peer;
    private boolean broken;

    EchoEnd(final ProtectionDomain pd, final QpType type) {
        this.pd = pd;
        cq = pd.context().createCq(4 * SLOTS);
        memory = pd.context().allocate(SPACE + SLOTS * SLOT);
        region = pd.register(memory, Soak.ALL_RIGHTS);
        qp = pd.createQp(new QpOptions().type(type).cq(cq).maxSendWr(SLOTS).maxReceiveWr(SLOTS));
    }

    /** Its address and that of its memory. */
    String connect(final QpAddress remote) {
        if (qp.type() == QpType.RC) {
            QpConnector.connect(qp, remote, new QpAttributes().timeout(TIMEOUT));
        } else {
            QpConnector.activate(qp, QKEY);
            way = pd.createAh(AhAttributes.to(remote.gid()));
            peer = remote.qpn();
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            receive(slot);
        }
        return qp.localAddress() + " " + region.iova() + " " + region.rkey();
    }

    private void receive(final int slot) {
        final int code = qp.postReceive(slot, at(slot), SLOT, region.lkey());
        broken |= code != ReturnCode.OK;
    }

    private long at(final int slot) {
        return memory.address() + SPACE + (long) slot * SLOT;
    }

    /** Whether there was something to do. */
    boolean serve() {
        return !broken && cq.poll(this::onCompletion, SLOTS) > 0;
    }

    private void onCompletion(final Completion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            broken = true;
        } else if (completion.wrId() >= SENT) {
            receive((int) completion.wrId() - SENT);
        } else {
            final int slot = (int) completion.wrId();
            final int header = way == null ? 0 : HEADER;
            request.wrId(SENT + slot).flags(SendRequest.SIGNALED)
                .sge(at(slot) + header, completion.byteLength() - header, region.lkey());
            if (way != null) {
                request.to(way, peer, QKEY);
            }
            broken |= qp.postSend(request) != ReturnCode.OK;
        }
    }

    void resize(final int entries) {
        cq.resize(entries);
    }

    @Override
    public void close() {
        qp.close();
        if (way != null) {
            way.close();
        }
        region.close();
        memory.close();
        cq.close();
    }
}
