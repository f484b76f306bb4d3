/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.fabric.live.AvKind;
import io.rdma4j.fabric.live.CacheKind;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Mtu;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.verbs.live.AhKind;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.MwKind;
import io.rdma4j.verbs.live.PdKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A device with two queue pairs, of which one takes from a shared receive queue, and a region; in each queue there is
 * something of each kind. Built by hand from the layouts, so that the dump is checked against something else than the
 * driver.
 */
final class ScriptedRings {
    static final long QP_RING = 0x1_0000_0000L;
    static final long CQ_RING = 0x1_0001_0000L;
    static final long SRQ_RING = 0x1_0002_0000L;
    static final long DATAGRAM_RING = 0x1_0003_0000L;
    static final long TABLES = 0x1_0010_0000L;
    static final long REGION = 0x2_0000_0000L;
    static final long REGION_ADDRESS = 0x7000_0000L;
    static final int SLOTS = 4;
    static final int LKEY = 0x11;
    static final int INLINE_LKEY = 0x4433;
    private static final int PAGE = Pdir.PAGE_SIZE;

    private ScriptedRings() {
    }

    static ScriptedView view() {
        final ScriptedView view = new ScriptedView();
        view.add(PdKind.KIND, 1);
        region(view);
        view.add(MwKind.KIND, 9, 1, 0x9900, 2);
        connected(view);
        datagram(view);
        completions(view);
        shared(view);
        view.add(AhKind.KIND, 1, 1, 1, 0, 0xfe80_0000_0000_0000L, 0x1234_56ff_fe78_9abcL, 0, 3, 64, 8);
        view.add(CacheKind.KIND, 1, 128, 1L << 20).count(CacheKind.HITS, 17)
            .count(CacheKind.MISSES, 3).count(CacheKind.CACHED_COUNT, 1)
            .count(CacheKind.CACHED_SIZE, 0x9000);
        view.add(AvKind.KIND, 1, 2, 0).count(AvKind.ADDRESSES, 5).count(AvKind.INSERTED, 6)
            .count(AvKind.REMOVED, 1);
        return view;
    }

    /** Nine pages and a bit: three runs, of which the second is not where the first one ends. */
    private static void region(final ScriptedView view) {
        view.add(MrKind.KIND, 5, 1, LKEY, 0x5511, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE
            | AccessFlags.PVRDMA_ACCESS_REMOTE_READ, REGION_ADDRESS + 0x100, 0x9000, REGION_ADDRESS + 0x100, TABLES, 10,
            MrKind.CACHED);
        final long[] pages = new long[10];
        for (int i = 0; i < pages.length; i++) {
            pages[i] = REGION + (i < 4 ? i : i + 16L) * PAGE;
        }
        tables(view, TABLES, pages);
    }

    /** A directory of one table. */
    static void tables(final ScriptedView view, final long pdirDma, final long... pages) {
        final UnsafeBuffer both = new UnsafeBuffer(new byte[2 * PAGE]);
        both.putLong(0, pdirDma + PAGE, LITTLE_ENDIAN);
        for (int i = 0; i < pages.length; i++) {
            both.putLong(PAGE + i * Pdir.ENTRY_LENGTH, pages[i], LITTLE_ENDIAN);
        }
        view.memory(pdirDma, both.byteArray());
    }

    private static void ringTables(final ScriptedView view, final long pdirDma, final long ring, final int count) {
        final long[] pages = new long[count];
        for (int i = 0; i < count; i++) {
            pages[i] = ring + (long) i * PAGE;
        }
        tables(view, pdirDma, pages);
    }

    /** Sends 5 and 6 done, 7 executing, 8 pending, in a ring of four; receives 0 and 1 pending. */
    private static void connected(final ScriptedView view) {
        view.add(QpKind.KIND, 3, 0x103, QpType.PVRDMA_QPT_RC, QpState.PVRDMA_QPS_RTS, 1, 2, 2, -1, QP_RING, 3 * PAGE,
                PAGE, SLOTS, 2, 2 * PAGE, SLOTS, 1, 0x104, TABLES + 4 * PAGE, Mtu.PVRDMA_MTU_1024, 0, 0xabc, 0xdef,
                INLINE_LKEY)
            .count(QpKind.SQ_POSTED, 9).count(QpKind.SQ_DOORBELLS, 7)
            .count(QpKind.SQ_RETIRED, 7).count(QpKind.RQ_POSTED, 2)
            .count(QpKind.RQ_DOORBELLS, 2);
        ringTables(view, TABLES + 4 * PAGE, QP_RING, 3);
        final UnsafeBuffer ring = new UnsafeBuffer(new byte[3 * PAGE]);
        // Sequence 9, modulo 8; consumed up to 8.
        RingState.txProdTail(ring, 0, 1);
        RingState.txConsHead(ring, 0, 0);
        RingState.rxProdTail(ring, 0, 2);
        final int stride = SqWqe.stride(2);
        for (int number = 5; number < 9; number++) {
            send(ring, PAGE + (number & SLOTS - 1) * stride, number);
        }
        write(ring, PAGE + (8 & SLOTS - 1) * stride);
        for (int number = 0; number < 2; number++) {
            receive(ring, 2 * PAGE + number * RqWqe.stride(1), number);
        }
        view.memory(QP_RING, ring.byteArray());
    }

    private static void send(final UnsafeBuffer ring, final int at, final int number) {
        SqWqe.wrId(ring, at, number);
        SqWqe.numSge(ring, at, 1);
        SqWqe.opcode(ring, at, WrOpcode.PVRDMA_WR_SEND);
        SqWqe.sendFlags(ring, at, SendFlags.PVRDMA_SEND_SIGNALED);
        sge(ring, at + SqWqe.SGE_OFFSET, 0x200 + number, LKEY);
    }

    private static void write(final UnsafeBuffer ring, final int at) {
        SqWqe.numSge(ring, at, 2);
        SqWqe.opcode(ring, at, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM);
        SqWqe.immData(ring, at, Integer.reverseBytes(0x7b));
        SqWqe.rdmaRemoteAddr(ring, at, 0x7f00_0000_1000L);
        SqWqe.rdmaRkey(ring, at, 0x4711);
        sge(ring, at + SqWqe.SGE_OFFSET + Sge.LENGTH, 0x100, 0x99);
    }

    private static void receive(final UnsafeBuffer ring, final int at, final long wrId) {
        RqWqe.wrId(ring, at, wrId);
        RqWqe.numSge(ring, at, 1);
        sge(ring, at + RqWqe.SGE_OFFSET, 0x1000, LKEY);
    }

    private static void sge(final UnsafeBuffer ring, final int at, final int length, final int lkey) {
        Sge.addr(ring, at, REGION_ADDRESS + 0x100);
        Sge.length(ring, at, length);
        Sge.lkey(ring, at, lkey);
    }

    /** A datagram QP on the shared queue, with one send pending that makes no sense in places. */
    private static void datagram(final ScriptedView view) {
        view.add(QpKind.KIND, 4, 0x104, QpType.PVRDMA_QPT_UD, QpState.PVRDMA_QPS_SQD, 1, 2, 2, 6, DATAGRAM_RING,
            2 * PAGE, PAGE, SLOTS, 1, 0, 0, 0, 0, TABLES + 8 * PAGE, 0, 0x1ee7, 0, 0, -1)
            .count(QpKind.SQ_POSTED, 1).count(QpKind.SQ_FULL, 2);
        ringTables(view, TABLES + 8 * PAGE, DATAGRAM_RING + PAGE, 2);
        final UnsafeBuffer ring = new UnsafeBuffer(new byte[2 * PAGE]);
        RingState.txProdTail(ring, 0, 1);
        send(ring, PAGE, 0x77);
        SqWqe.udRemoteQpn(ring, PAGE, 0x105);
        SqWqe.udRemoteQkey(ring, PAGE, 0x1ee7);
        SqWqe.numSge(ring, PAGE, 99);
        SqWqe.opcode(ring, PAGE, 77);
        SqWqe.sendFlags(ring, PAGE, 1 << 20);
        view.memory(DATAGRAM_RING, ring.byteArray());
    }

    private static void completions(final ScriptedView view) {
        view.add(CqKind.KIND, 2, CQ_RING, 2 * PAGE, PAGE, SLOTS, TABLES + 12 * PAGE)
            .count(CqKind.POLLS, 100).count(CqKind.EMPTY_POLLS, 98)
            .count(CqKind.COMPLETIONS, 1).count(CqKind.STATUS, 1);
        ringTables(view, TABLES + 12 * PAGE, CQ_RING, 2);
        final UnsafeBuffer ring = new UnsafeBuffer(new byte[2 * PAGE]);
        RingState.rxProdTail(ring, 0, 3);
        RingState.rxConsHead(ring, 0, 1);
        cqe(ring, 0, 3, WcStatus.PVRDMA_WC_SUCCESS);
        Cqe.opcode(ring, PAGE, WcOpcode.PVRDMA_WC_SEND);
        cqe(ring, 1, 4, WcStatus.PVRDMA_WC_SUCCESS);
        Cqe.opcode(ring, PAGE + Cqe.LENGTH, WcOpcode.PVRDMA_WC_RECV);
        Cqe.byteLen(ring, PAGE + Cqe.LENGTH, 104);
        Cqe.srcQp(ring, PAGE + Cqe.LENGTH, 0x105);
        cqe(ring, 2, 0x55, WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        Cqe.opcode(ring, PAGE + 2 * Cqe.LENGTH, 0x7777);
        Cqe.vendorErr(ring, PAGE + 2 * Cqe.LENGTH, 0x81);
        view.memory(CQ_RING, ring.byteArray());
    }

    private static void cqe(final UnsafeBuffer ring, final int slot, final int qp, final int status) {
        final int at = PAGE + slot * Cqe.LENGTH;
        Cqe.wrId(ring, at, 6);
        Cqe.qp(ring, at, qp);
        Cqe.status(ring, at, status);
    }

    private static void shared(final ScriptedView view) {
        view.add(SrqKind.KIND, 6, 1, SRQ_RING, 2 * PAGE, PAGE, SLOTS, 1, 2, TABLES + 16 * PAGE)
            .count(SrqKind.RQ_POSTED, 2).count(SrqKind.RQ_TAKEN, 1);
        ringTables(view, TABLES + 16 * PAGE, SRQ_RING, 2);
        final UnsafeBuffer ring = new UnsafeBuffer(new byte[2 * PAGE]);
        RingState.rxProdTail(ring, 0, 2);
        RingState.rxConsHead(ring, 0, 1);
        receive(ring, PAGE, 0xcafe_0000_0001L);
        receive(ring, PAGE + RqWqe.stride(1), 0xcafe_0000_0002L);
        view.memory(SRQ_RING, ring.byteArray());
    }
}
