/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_READ;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Memory that passes all checks and is not there when a message reaches it: who is told, which of the two connections
 * ends, and that it is counted. It is memory on demand, of whose two pages the second one is missing.
 */
class LostMemoryTest {
    private static final int PAGE = Pdir.PAGE_SIZE;
    private static final int LENGTH = 64;
    private static final int GRH = 40;
    private static final long START = 0x7000_0000L;
    private static final long MISSING = START + PAGE;

    private final MappedMemory memory = MappedMemory.anonymous(2 * PAGE);
    private RawPair pair;
    private DmaMapping mapping;
    private int lkey;
    private int rkey;

    private void open(RawPair opened) {
        pair = opened;
        Libc.mmap(memory.address() + PAGE, PAGE, LibcConstants.PROT_NONE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        mapping = pair.driver.pci.dma().mapOnDemand(memory.address(), 2 * PAGE);
        final long pdir = pair.driver.pdir(mapping.iova(), mapping.iova(PAGE));
        final CreateMrResponse made = new CreateMrResponse().wrap(pair.driver.ok(Command.CREATE_MR,
            b -> new CreateMrRequest().wrap(b, 0).set(CreateMrRequest.PD_HANDLE, pair.driver.pd)
                .set(CreateMrRequest.START, START).set(CreateMrRequest.LENGTH, 2 * PAGE)
                .set(CreateMrRequest.ACCESS_FLAGS, RawPair.ALL | AccessFlags.PVRDMA_ACCESS_ON_DEMAND)
                .set(CreateMrRequest.PDIR_DMA, pdir).set(CreateMrRequest.NCHUNKS, 2)), 0);
        lkey = made.get(CreateMrResponse.LKEY);
        rkey = made.get(CreateMrResponse.RKEY);
    }

    private void connect() {
        open(RawPair.connected("emulated:lost"));
    }

    @AfterEach
    void close() {
        mapping.close();
        pair.close();
        memory.close();
    }

    private int send(long address, int key) {
        return pair.run(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).sge(address, LENGTH, key));
    }

    private int rdma(int opcode, long local, int localKey, long remote, int remoteKey) {
        return pair.run(w -> w.send(1, opcode, PVRDMA_SEND_SIGNALED).rdma(remote, remoteKey)
            .sge(local, LENGTH, localKey));
    }

    /** It is the requester's own memory: the peer has seen nothing of the request. */
    private void onlyTheRequesterFails(int status) {
        assertThat(status).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
        assertThat(pair.cqB.poll()).isNull();
    }

    private void bothFail() {
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    private void countsOnce(String what) {
        assertThat(pair.count(Counter.MEMORY_LOST)).isEqualTo(1);
        assertThat(pair.driver.device().counters().recent()).anyMatch(line -> line.contains(what));
    }

    @Test
    void countsNothingWhereAllIsThere() {
        connect();
        pair.b.receive(7, START, LENGTH, lkey);
        assertThat(send(pair.from.start(), pair.from.lkey)).isZero();
        assertThat(pair.cqB.poll().status()).isZero();
        assertThat(rdma(PVRDMA_WR_RDMA_READ, pair.to.start(), pair.to.lkey, START, rkey)).isZero();
        assertThat(pair.to.bytes(0, LENGTH)).isEqualTo(pair.from.bytes(0, LENGTH));
        assertThat(rdma(PVRDMA_WR_RDMA_WRITE, pair.to.start(), pair.to.lkey, START, rkey)).isZero();
        assertThat(pair.count(Counter.MEMORY_LOST)).isZero();
    }

    @Test
    void aSendFromItTakesNoReceive() {
        connect();
        pair.b.receive(7, pair.to.start(), LENGTH, pair.to.lkey);
        onlyTheRequesterFails(send(MISSING, lkey));
        countsOnce("source of SEND");
    }

    @Test
    void aReceiveIntoItFailsBothEnds() {
        connect();
        pair.b.receive(7, MISSING, LENGTH, lkey);
        assertThat(send(pair.from.start(), pair.from.lkey)).isEqualTo(WcStatus.PVRDMA_WC_REM_OP_ERR);
        final Completion failed = pair.cqB.poll();
        assertThat(failed.wrId()).isEqualTo(7);
        assertThat(failed.status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        bothFail();
        countsOnce("destination of SEND");
    }

    @Test
    void aWriteFromItDoesNotHarmThePeer() {
        doesNotHarmThePeer(PVRDMA_WR_RDMA_WRITE, "source of WRITE");
    }

    @Test
    void aReadIntoItDoesNotHarmThePeer() {
        doesNotHarmThePeer(PVRDMA_WR_RDMA_READ, "destination of READ");
    }

    private void doesNotHarmThePeer(int opcode, String what) {
        connect();
        onlyTheRequesterFails(rdma(opcode, MISSING, lkey, pair.to.start(), pair.to.rkey));
        assertThat(pair.count(Counter.REMOTE_ACCESS)).isZero();
        countsOnce(what);
    }

    @Test
    void aWriteIntoItIsAViolationOfAccess() {
        isAViolationOfAccess(PVRDMA_WR_RDMA_WRITE, "destination of WRITE");
    }

    @Test
    void aReadOfItIsAViolationOfAccess() {
        isAViolationOfAccess(PVRDMA_WR_RDMA_READ, "source of READ");
    }

    private void isAViolationOfAccess(int opcode, String what) {
        connect();
        assertThat(rdma(opcode, pair.from.start(), pair.from.lkey, MISSING, rkey))
            .isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
        bothFail();
        assertThat(pair.count(Counter.REMOTE_ACCESS)).isEqualTo(1);
        countsOnce(what);
    }

    private int add(long local, int localKey, long remote) {
        return pair.run(w -> w.send(1, PVRDMA_WR_ATOMIC_FETCH_AND_ADD, PVRDMA_SEND_SIGNALED)
            .atomic(remote, rkey, 5, 0).sge(local, Long.BYTES, localKey));
    }

    @Test
    void anAtomicOnItIsAViolationOfAccess() {
        connect();
        assertThat(add(pair.from.start(), pair.from.lkey, START)).isZero();
        assertThat(add(pair.from.start(), pair.from.lkey, MISSING)).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
        bothFail();
        assertThat(pair.count(Counter.REMOTE_ACCESS)).isEqualTo(1);
    }

    /** It has been carried out by then. */
    @Test
    void theResultOfAnAtomicHasNoPlaceThere() {
        connect();
        onlyTheRequesterFails(add(MISSING, lkey, START));
        countsOnce("result of FETCH_ADD");
        pair.restart();
        assertThat(add(pair.from.start(), pair.from.lkey, START)).isZero();
        assertThat(pair.from.getLong(0)).isEqualTo(5);
    }

    private void datagrams() {
        open(RawPair.datagrams("emulated:lostud"));
    }

    private int datagram(long address, int key) {
        return pair.run(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED)
            .datagram(pair.driver.pd, pair.b.qpn, RawQp.QKEY, pair.driver.gid()).sge(address, LENGTH, key));
    }

    @Test
    void aDatagramFromItTakesNoReceive() {
        datagrams();
        pair.b.receive(7, pair.to.start(), GRH + LENGTH, pair.to.lkey);
        assertThat(datagram(MISSING, lkey)).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_SQE);
        assertThat(pair.cqB.poll()).isNull();
        assertThat(pair.count(Counter.UD_DROPPED)).isEqualTo(1);
        countsOnce("source of SEND");
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_RTS)).isZero();
        assertThat(datagram(pair.from.start(), pair.from.lkey)).isZero();
        assertThat(pair.cqB.poll().wrId()).isEqualTo(7);
    }

    private void failsOnlyTheReceiver(long address) {
        pair.b.receive(7, address, GRH + LENGTH, lkey);
        assertThat(datagram(pair.from.start(), pair.from.lkey)).isZero();
        final Completion failed = pair.cqB.poll();
        assertThat(failed.wrId()).isEqualTo(7);
        assertThat(failed.status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        countsOnce("destination of SEND");
    }

    @Test
    void aDatagramIntoItFailsTheReceiver() {
        datagrams();
        failsOnlyTheReceiver(MISSING);
    }

    @Test
    void aDatagramOfWhichOnlyTheHeaderFindsMemoryFailsTheReceiver() {
        datagrams();
        failsOnlyTheReceiver(MISSING - GRH);
    }
}
