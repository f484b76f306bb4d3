/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.testing.Await;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A peer that has only the device's keys and whatever it reads: two bare QPs of one realm. Connected anew after each
 * failure. One thread.
 */
final class Wire implements AutoCloseable {
    static final int LENGTH = 4096;

    final UnsafeBuffer bytes;

    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private QueuePair near;
    private QueuePair far;

    Wire(final Realm realm) {
        pd = realm.pd();
        cq = pd.context().createCq(1024);
        memory = pd.context().allocate(LENGTH);
        region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        bytes = memory.buffer();
        connect();
    }

    private void connect() {
        near = pd.createQp(new QpOptions().cq(cq));
        far = pd.createQp(new QpOptions().cq(cq));
        final QpAttributes rights = new QpAttributes()
            .accessFlags(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        QpConnector.connect(near, far.localAddress(), rights);
        QpConnector.connect(far, near.localAddress(), rights);
    }

    WcStatus read(final long iova, final int rkey, final int length) {
        return run(new SendRequest().opcode(SendOpcode.RDMA_READ).remote(iova, rkey)
            .sge(memory.address(), length, region.lkey()));
    }

    WcStatus write(final long iova, final int rkey, final int length) {
        return run(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(iova, rkey)
            .sge(memory.address(), length, region.lkey()));
    }

    WcStatus add(final long iova, final int rkey, final long value) {
        return run(new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).remote(iova, rkey).atomic(value, 0)
            .sge(memory.address(), Long.BYTES, region.lkey()));
    }

    private WcStatus run(final SendRequest request) {
        final int posted = near.postSend(request);
        assertThat(ReturnCode.nameOf(posted)).isEqualTo("OK");
        final WcStatus[] status = new WcStatus[1];
        Await.until(request::toString, () -> cq.poll(completion -> status[0] = completion.status(), 1) != 0);
        if (status[0] != WcStatus.SUCCESS) {
            closeQps();
            connect();
        }
        return status[0];
    }

    private void closeQps() {
        near.close();
        far.close();
    }

    @Override
    public void close() {
        closeQps();
        region.close();
        memory.close();
        cq.close();
    }
}
