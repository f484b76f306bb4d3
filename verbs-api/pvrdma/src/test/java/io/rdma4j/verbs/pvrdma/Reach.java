/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import java.nio.ByteBuffer;
import java.util.Set;

/**
 * How a device sees regions: a peer that writes to and reads from them, and a QP in their domain that sends from them.
 * What it gets is the status. An error ends a QP; then it goes on with new ones.
 */
final class Reach {
    private static final Set<AccessFlag> REMOTE_RIGHTS =
        Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    final Peer peer;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private QueuePair there;
    private QueuePair here;

    /** Reaches regions of a domain. */
    Reach(final RdmaContext context, final ProtectionDomain pd) {
        this.peer = Peer.rc(context);
        this.pd = pd;
        this.cq = context.createCq(64);
        connect();
    }

    ProtectionDomain pd() {
        return pd;
    }

    private void connect() {
        there = peer.pd.createQp(new QpOptions().cq(peer.cq).maxSendWr(8).maxReceiveWr(8));
        here = pd.createQp(new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(8));
        final QpAttributes rights = new QpAttributes().accessFlags(REMOTE_RIGHTS);
        QpConnector.connect(there, here.localAddress(), rights);
        QpConnector.connect(here, there.localAddress(), rights);
    }

    /** The peer writes what {@link Peer#pattern} says. */
    WcStatus write(final long address, final int rkey, final int length, final int seed) {
        peer.fill(0, length, seed);
        return run(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(address, rkey), length);
    }

    WcStatus write(final MemoryRegion region, final int seed) {
        return write(region.iova(), region.rkey(), Math.toIntExact(region.length()), seed);
    }

    /** The peer reads, to the beginning of its memory. */
    WcStatus read(final long address, final int rkey, final int length) {
        peer.bytes.setMemory(0, length, (byte) 0);
        return run(new SendRequest().opcode(SendOpcode.RDMA_READ).remote(address, rkey), length);
    }

    private WcStatus run(final SendRequest request, final int length) {
        assertThat(there.postSend(request.sge(peer.at(0), length, peer.lkey()))).isZero();
        return ended(peer.cq);
    }

    /** The domain's own QP sends, to the beginning of the peer's memory. */
    WcStatus send(final long address, final int length, final int lkey) {
        peer.bytes.setMemory(0, length, (byte) 0);
        assertThat(there.postReceive(2, peer.at(0), Peer.LENGTH, peer.lkey())).isZero();
        assertThat(here.postSend(1, address, length, lkey)).isZero();
        final WcStatus status = ended(cq);
        if (status == WcStatus.SUCCESS) {
            assertThat(Completions.awaitSuccess(peer.cq).bytes()).isEqualTo(length);
        }
        return status;
    }

    /** The domain's own QP receives what the peer sends. The status of the receive. */
    WcStatus sendInto(final long address, final int length, final int lkey, final int seed) {
        peer.fill(0, length, seed);
        assertThat(here.postReceive(3, address, length, lkey)).isZero();
        assertThat(there.postSend(4, peer.at(0), length, peer.lkey())).isZero();
        final WcStatus sent = Completions.await(peer.cq, 1).get(0).status();
        final WcStatus status = ended(cq);
        assertThat(sent).isEqualTo(status == WcStatus.SUCCESS ? WcStatus.SUCCESS : WcStatus.REM_OP_ERR);
        return status;
    }

    /** The domain's own QP reads the peer's memory. */
    WcStatus readInto(final long address, final int length, final int lkey, final int seed) {
        peer.fill(0, length, seed);
        assertThat(here.postSend(new SendRequest().opcode(SendOpcode.RDMA_READ)
            .remote(peer.at(0), peer.region.rkey()).sge(address, length, lkey))).isZero();
        return ended(cq);
    }

    /** The peer adds; what was there before is at the beginning of its memory then. */
    WcStatus fetchAdd(final long address, final int rkey, final long value) {
        return run(new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).remote(address, rkey).atomic(value, 0),
            Long.BYTES);
    }

    /** The peer compares and swaps; what was there before is at the beginning of its memory then. */
    WcStatus compareSwap(final long address, final int rkey, final long expected, final long value) {
        return run(new SendRequest().opcode(SendOpcode.ATOMIC_CMP_AND_SWP).remote(address, rkey)
            .atomic(expected, value), Long.BYTES);
    }

    /** The peer writes through a window of type 1. */
    WcStatus bindAndWrite(
        final MemoryRegion region, final MemoryWindow window, final long offset, final int length, final int seed) {
        assertThat(here.bindWindow(5, window, region, region.iova() + offset, length, AccessFlag.REMOTE_WRITE))
            .isZero();
        Completions.awaitSuccess(cq);
        return write(region.iova() + offset, window.rkey(), length, seed);
    }

    private WcStatus ended(final CompletionQueue queue) {
        final WcStatus status = Completions.await(queue, 1).get(0).status();
        if (status != WcStatus.SUCCESS) {
            here.close();
            there.close();
            connect();
        }
        return status;
    }

    /** So many pages of a direct buffer. */
    static ByteBuffer pages(final int count) {
        return ByteBuffer.allocateDirect((count + 1) * PageList.PAGE_SIZE).alignedSlice(PageList.PAGE_SIZE)
            .limit(count * PageList.PAGE_SIZE).slice();
    }

    /** Keys of a region that was closed, or is another one now, reach nothing. */
    void assertDead(final int lkey, final int rkey, final long address) {
        assertThat(send(address, 1, lkey)).as("lkey 0x%x", lkey).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(write(address, rkey, 1, 0)).as("rkey 0x%x", rkey).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(read(address, rkey, 1)).as("rkey 0x%x", rkey).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
}
