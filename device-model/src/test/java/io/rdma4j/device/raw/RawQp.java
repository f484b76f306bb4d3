/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import static io.rdma4j.hw.pvrdma.cmd.CreateQpRequest.*;

import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.AhFlags;
import io.rdma4j.hw.pvrdma.Av;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpResult;
import io.rdma4j.hw.pvrdma.cmd.ModifyQpRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.QueryQpRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryQpResponse;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.function.Consumer;

/** A queue pair as raw memory and doorbells. */
public final class RawQp {
    public static final int QKEY = 0x1234_5678;
    public static final int RC_RTR = QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_AV
        | QpAttrMask.PVRDMA_QP_PATH_MTU | QpAttrMask.PVRDMA_QP_DEST_QPN
        | QpAttrMask.PVRDMA_QP_RQ_PSN | QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC
        | QpAttrMask.PVRDMA_QP_MIN_RNR_TIMER;
    public static final int RC_RTS = QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_TIMEOUT
        | QpAttrMask.PVRDMA_QP_RETRY_CNT | QpAttrMask.PVRDMA_QP_RNR_RETRY | QpAttrMask.PVRDMA_QP_SQ_PSN
        | QpAttrMask.PVRDMA_QP_MAX_QP_RD_ATOMIC;
    private static final int REMOTE = AccessFlags.PVRDMA_ACCESS_REMOTE_READ | AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE
        | AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;

    public static final int GSI_QKEY = 0x8001_0000;

    public final int qpn;
    public final int handle;
    public final RawRing ring;
    private final RawDriver driver;
    private final Builder shape;
    private final RawQueue sends;
    private final RawQueue receives;
    public int rnrRetry = 7;
    /** 67 ms: a peer that is gone costs twice that, and on a busy machine a test still looks before. */
    public int timeout = 14;
    public int pathMtu = 3;
    public int retryCnt = 1;
    public int minRnrTimer = 1;

    /** What a queue pair is to be like. */
    public static final class Builder {
        RawCq sendCq;
        RawCq recvCq;
        RawSrq srq;
        int type = QpType.PVRDMA_QPT_RC;
        int sendWrs = 16;
        int recvWrs = 16;
        int sge = 4;
        boolean signalAll;
        int pd = -1;
        boolean repeating;

        public Builder cq(RawCq cq) {
            sendCq = cq;
            recvCq = cq;
            return this;
        }

        public Builder cqs(RawCq send, RawCq receive) {
            sendCq = send;
            recvCq = receive;
            return this;
        }

        public Builder srq(RawSrq shared) {
            srq = shared;
            return this;
        }

        public Builder ud() {
            type = QpType.PVRDMA_QPT_UD;
            return this;
        }

        /** Queue pair 1. */
        public Builder gsi() {
            type = QpType.PVRDMA_QPT_GSI;
            return this;
        }

        public Builder sizes(int sends, int receives, int maxSge) {
            sendWrs = sends;
            recvWrs = receives;
            sge = maxSge;
            return this;
        }

        public Builder signalAll() {
            signalAll = true;
            return this;
        }

        /** In rings whose pages are all the same one: for some requests, in rings as large as can be. */
        public Builder repeating() {
            repeating = true;
            return this;
        }

        public Builder pd(int domain) {
            pd = domain;
            return this;
        }

        private static int pages(int count, int stride) {
            return (count * stride + Pdir.PAGE_SIZE - 1) / Pdir.PAGE_SIZE;
        }

        RawQp create(RawDriver driver) {
            final int sendPages = pages(sendWrs, SqWqe.stride(sge));
            final int recvPages = srq == null ? pages(recvWrs, RqWqe.stride(sge)) : 0;
            final int pages = 1 + sendPages + recvPages;
            final RawRing ring = repeating ? RawRing.repeating(driver, pages) : new RawRing(driver, pages);
            final UnsafeBuffer response = driver.ok(Command.CREATE_QP, b -> new CreateQpRequest().wrap(b, 0)
                .set(PDIR_DMA, ring.pdir()).set(PD_HANDLE, pd < 0 ? driver.pd : pd).set(SEND_CQ_HANDLE, sendCq.handle)
                .set(RECV_CQ_HANDLE, recvCq.handle).set(SRQ_HANDLE, srq == null ? 0 : srq.handle)
                .set(IS_SRQ, srq == null ? 0 : 1).set(MAX_SEND_WR, sendWrs).set(MAX_SEND_SGE, sge)
                .set(MAX_RECV_WR, srq == null ? recvWrs : 0).set(MAX_RECV_SGE, srq == null ? sge : 0)
                .set(TOTAL_CHUNKS, ring.pages()).set(SEND_CHUNKS, sendPages).set(SQ_SIG_ALL, signalAll ? 1 : 0)
                .set(QP_TYPE, type).set(ACCESS_FLAGS, 1));
            final CreateQpResult created = CreateQpResult.read(driver.device().options().version(), response);
            return new RawQp(driver, this, ring, created.qpn(), created.qpHandle());
        }
    }

    public static Builder with() {
        return new Builder();
    }

    private RawQp(RawDriver driver, Builder shape, RawRing ring, int qpn, int handle) {
        this.driver = driver;
        this.shape = shape;
        this.ring = ring;
        this.qpn = qpn;
        this.handle = handle;
        this.sends = new RawQueue(ring, RingState.TX_OFFSET, 1, shape.sendWrs, SqWqe.stride(shape.sge));
        this.receives = new RawQueue(ring, RingState.RX_OFFSET, 1 + Builder.pages(shape.sendWrs,
            SqWqe.stride(shape.sge)),
            shape.recvWrs, RqWqe.stride(shape.sge));
    }

    /** MODIFY_QP; returns ERR. */
    public int modify(int mask, Consumer<QpAttr> fill) {
        return driver.run(Command.MODIFY_QP, b -> {
            final ModifyQpRequest request = new ModifyQpRequest().wrap(b, 0).set(ModifyQpRequest.QP_HANDLE, handle)
                .set(ModifyQpRequest.ATTR_MASK, mask);
            fill.accept(request.get(ModifyQpRequest.ATTRS));
        });
    }

    public int modifyState(int state) {
        return modify(QpAttrMask.PVRDMA_QP_STATE, attr -> attr.set(QpAttr.QP_STATE, state));
    }

    public QpAttr query() {
        return new QueryQpResponse().wrap(driver.ok(Command.QUERY_QP, b -> new QueryQpRequest().wrap(b, 0)
            .set(QueryQpRequest.QP_HANDLE, handle).set(QueryQpRequest.ATTR_MASK, -1)), 0).get(QueryQpResponse.ATTRS);
    }

    public int destroy() {
        return driver.destroy(Command.DESTROY_QP, handle);
    }

    private boolean isDatagram() {
        return shape.type != QpType.PVRDMA_QPT_RC;
    }

    public int toInit() {
        final boolean gsi = shape.type == QpType.PVRDMA_QPT_GSI;
        return modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_PKEY_INDEX
            | (gsi ? 0 : QpAttrMask.PVRDMA_QP_PORT)
            | (isDatagram() ? QpAttrMask.PVRDMA_QP_QKEY : QpAttrMask.PVRDMA_QP_ACCESS_FLAGS),
            attr -> attr.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_INIT).set(QpAttr.PORT_NUM, gsi ? 0 : 1)
                .set(QpAttr.QKEY, gsi ? GSI_QKEY : QKEY).set(QpAttr.QP_ACCESS_FLAGS, REMOTE));
    }

    public int toRtr(int peerQpn, byte[] peerGid) {
        return modify(isDatagram() ? QpAttrMask.PVRDMA_QP_STATE : RC_RTR, attr -> fillRtr(attr, peerQpn, peerGid));
    }

    public void fillRtr(QpAttr attr, int peerQpn, byte[] peerGid) {
        attr.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_RTR).set(QpAttr.PATH_MTU, pathMtu).set(QpAttr.DEST_QP_NUM, peerQpn)
            .set(QpAttr.RQ_PSN, 0x10).set(QpAttr.MAX_DEST_RD_ATOMIC, 1).set(QpAttr.MIN_RNR_TIMER, minRnrTimer);
        attr.get(QpAttr.AH_ATTR).set(AhAttr.PORT_NUM, 1).set(AhAttr.AH_FLAGS, AhFlags.PVRDMA_AH_GRH)
            .set(AhAttr.GRH_DGID, peerGid).set(AhAttr.GRH_SGID_INDEX, 0).set(AhAttr.GRH_HOP_LIMIT, 64);
    }

    public int toRts() {
        return modify(isDatagram() ? QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_SQ_PSN : RC_RTS,
            this::fillRts);
    }

    public void fillRts(QpAttr attr) {
        attr.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_RTS).set(QpAttr.TIMEOUT, timeout).set(QpAttr.RETRY_CNT, retryCnt)
            .set(QpAttr.RNR_RETRY, rnrRetry).set(QpAttr.SQ_PSN, 0x10).set(QpAttr.MAX_RD_ATOMIC, 1);
    }

    /** Brings this queue pair to RTS, towards a peer. */
    public RawQp connect(int peerQpn, byte[] peerGid) {
        final int err = toInit() | toRtr(peerQpn, peerGid) | toRts();
        if (err != 0) {
            throw new AssertionError("connect gave ERR " + err + "\n" + driver.device().describe());
        }
        return this;
    }

    public static void connect(RawQp a, RawQp b) {
        a.connect(b.qpn, b.driver.gid());
        b.connect(a.qpn, a.driver.gid());
    }

    /** Fills the next send WQE and moves the index, without a doorbell. */
    public void write(Consumer<Wqe> fill) {
        final UnsafeBuffer page = sends.page();
        final int at = sends.offset();
        page.setMemory(at, SqWqe.stride(shape.sge), (byte) 0);
        fill.accept(new Wqe(page, at));
        sends.publish();
    }

    /** Fills the send queue with what lies there from the round before; returns by how much. */
    public int writeAgain() {
        return sends.publishAll();
    }

    public void post(Consumer<Wqe> fill) {
        write(fill);
        ringSend();
    }

    public void ringSend() {
        driver.uar.writeInt(Uar.QP_OFFSET, Uar.qpSend(handle));
    }

    public boolean sendsAreFull() {
        return sends.isFull();
    }

    public boolean receivesAreFull() {
        return receives.isFull();
    }

    /** A signaled SEND of one piece. Allocates nothing. */
    public void send(long wrId, long address, int length, int lkey) {
        final UnsafeBuffer page = sends.page();
        final int at = sends.offset();
        SqWqe.clearHeader(page, at);
        SqWqe.wrId(page, at, wrId);
        SqWqe.opcode(page, at, WrOpcode.PVRDMA_WR_SEND);
        SqWqe.sendFlags(page, at, SendFlags.PVRDMA_SEND_SIGNALED);
        SqWqe.numSge(page, at, 1);
        Sge.set(page, SqWqe.sgeOffset(at, 0), address, length, lkey);
        sends.publish();
        ringSend();
    }

    /** A receive of some pieces. */
    public void receive(long wrId, long[]... sges) {
        final UnsafeBuffer page = receives.page();
        final int at = receives.offset();
        RqWqe.header(page, at, wrId, sges.length);
        for (int i = 0; i < sges.length; i++) {
            Sge.set(page, RqWqe.sgeOffset(at, i), sges[i][0], (int) sges[i][1], (int) sges[i][2]);
        }
        receives.publish();
        ringReceive();
    }

    /** A receive of one piece. Allocates nothing. */
    public void receive(long wrId, long address, int length, int lkey) {
        final UnsafeBuffer page = receives.page();
        final int at = receives.offset();
        RqWqe.header(page, at, wrId, 1);
        Sge.set(page, RqWqe.sgeOffset(at, 0), address, length, lkey);
        receives.publish();
        ringReceive();
    }

    public void receiveRaw(Consumer<Wqe> fill) {
        writeReceive(fill);
        ringReceive();
    }

    /** Fills the next receive WQE and moves the index, without a doorbell. */
    public void writeReceive(Consumer<Wqe> fill) {
        final UnsafeBuffer page = receives.page();
        fill.accept(new Wqe(page, receives.offset()));
        receives.publish();
    }

    public void ringReceive() {
        driver.uar.writeInt(Uar.QP_OFFSET, Uar.qpRecv(handle));
    }

    /** What a driver does after the step to RESET. */
    public void zeroIndices() {
        sends.reset();
        receives.reset();
    }

    /** One WQE of either kind. */
    public record Wqe(UnsafeBuffer page, int at) {
        public Wqe send(long wrId, int opcode, int flags) {
            SqWqe.wrId(page, at, wrId);
            SqWqe.opcode(page, at, opcode);
            SqWqe.sendFlags(page, at, flags);
            return this;
        }

        public Wqe imm(int value) {
            SqWqe.immData(page, at, value);
            return this;
        }

        public Wqe sge(long address, int length, int lkey) {
            final int i = SqWqe.numSge(page, at);
            Sge.set(page, SqWqe.sgeOffset(at, i), address, length, lkey);
            SqWqe.numSge(page, at, i + 1);
            return this;
        }

        public Wqe rdma(long remote, int rkey) {
            SqWqe.rdmaRemoteAddr(page, at, remote);
            SqWqe.rdmaRkey(page, at, rkey);
            return this;
        }

        public Wqe atomic(long remote, int rkey, long compareAdd, long swap) {
            SqWqe.atomicRemoteAddr(page, at, remote);
            SqWqe.atomicRkey(page, at, rkey);
            SqWqe.atomicCompareAdd(page, at, compareAdd);
            SqWqe.atomicSwap(page, at, swap);
            return this;
        }

        public Wqe bind(int mwRkey, int newRkey, int mrLkey, long address, long length, int access) {
            SqWqe.bindMwRkey(page, at, mwRkey);
            SqWqe.bindNewRkey(page, at, newRkey);
            SqWqe.bindMrLkey(page, at, mrLkey);
            SqWqe.bindAddr(page, at, address);
            SqWqe.bindLength(page, at, length);
            SqWqe.bindAccess(page, at, access);
            return this;
        }

        public Wqe fastRegister(int rkey, long iova, long pdir, int pages, int length, int access) {
            SqWqe.fastRegRkey(page, at, rkey);
            SqWqe.fastRegIovaStart(page, at, iova);
            SqWqe.fastRegPlPdirDma(page, at, pdir);
            SqWqe.fastRegPageShift(page, at, Pdir.PAGE_SHIFT);
            SqWqe.fastRegPageListLen(page, at, pages);
            SqWqe.fastRegLength(page, at, length);
            SqWqe.fastRegAccess(page, at, access);
            return this;
        }

        public Wqe invalidate(int rkey) {
            SqWqe.invalidateRkey(page, at, rkey);
            return this;
        }

        public Wqe maskedSwap(long remote, int rkey, long compare, long compareMask, long swap, long swapMask) {
            SqWqe.maskedCasRemoteAddr(page, at, remote);
            SqWqe.maskedCasLogArgSz(page, at, 3);
            SqWqe.maskedCasRkey(page, at, rkey);
            SqWqe.maskedCasCompare(page, at, compare);
            SqWqe.maskedCasCmpMask(page, at, compareMask);
            SqWqe.maskedCasSwap(page, at, swap);
            SqWqe.maskedCasSwapMask(page, at, swapMask);
            return this;
        }

        public Wqe maskedAdd(long remote, int rkey, long add, long fieldBoundary) {
            SqWqe.maskedFaaRemoteAddr(page, at, remote);
            SqWqe.maskedFaaLogArgSz(page, at, 3);
            SqWqe.maskedFaaRkey(page, at, rkey);
            SqWqe.maskedFaaAdd(page, at, add);
            SqWqe.maskedFaaFieldBoundary(page, at, fieldBoundary);
            return this;
        }

        public Wqe datagram(int pd, int qpn, int qkey, byte[] gid) {
            SqWqe.udRemoteQpn(page, at, qpn);
            SqWqe.udRemoteQkey(page, at, qkey);
            final int av = SqWqe.udAvOffset(at);
            Av.portPd(page, av, Av.packPortPd(pd, 1));
            Av.dgid(page, av, gid);
            Av.hopLimit(page, av, 33);
            Av.trafficClassFlowLabel(page, av, Av.packTrafficClassFlowLabel(5, 0x12345));
            return this;
        }
    }
}
