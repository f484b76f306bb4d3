/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingRequest;
import io.rdma4j.testing.Patience;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;


/** A completion queue as raw memory. */
public final class RawCq {
    private static final long PATIENCE = Patience.nanos();

    public final int handle;
    public RawRing ring;
    private final IdleStrategy idle = patient();
    private final RawDriver driver;
    private int count;
    private int head;

    /** What a CQE said. */
    public record Completion(long wrId, long qp, int opcode, int status, int byteLen, int imm, int srcQp, int flags,
        int vendorErr, int networkHdrType) {
        @Override
        public String toString() {
            return String.format("%s %s wr_id %d qp 0x%x len %d imm 0x%x src 0x%x flags 0x%x vendor 0x%x",
                WcOpcode.NAMES.of(opcode), WcStatus.NAMES.of(status), wrId, qp, byteLen, imm, srcQp, flags, vendorErr);
        }
    }

    RawCq(RawDriver driver, RawRing ring, int handle, int count) {
        this.driver = driver;
        this.ring = ring;
        this.handle = handle;
        this.count = count;
    }

    /** Who waits for another thread lets it have the processor. */
    public static IdleStrategy patient() {
        return new BackoffIdleStrategy(200, 0, 1_000, 200_000);
    }

    /** Goes on in a new ring, for whoever polls; returns ERR. If that is not 0, the old ring is still in use. */
    public int resize(int entries) {
        final RawRing next = new RawRing(driver, 1 + Math.max(1, entries * Cqe.LENGTH / Pdir.PAGE_SIZE));
        final int err = resize(next.pdir(), entries, next.pages());
        if (err == 0) {
            ring = next;
            count = entries;
            head = 0;
        }
        return err;
    }

    public int resize(long pdir, int entries, int pages) {
        return driver.run(Command.RESIZE_CQ_RING, b -> new ResizeCqRingRequest().wrap(b, 0)
            .set(ResizeCqRingRequest.CQ_HANDLE, handle)
            .set(ResizeCqRingRequest.PDIR_DMA, pdir).set(ResizeCqRingRequest.CQE, entries)
            .set(ResizeCqRingRequest.NCHUNKS, pages));
    }

    public boolean isEmpty() {
        return ring.state().getIntAcquire(RingState.RX_PROD_TAIL_OFFSET) == head;
    }

    /** The next completion, or null. */
    public Completion poll() {
        if (isEmpty()) {
            return null;
        }
        final int slot = RingIndex.slot(head, count);
        final UnsafeBuffer page = ring.page(1, slot, Cqe.LENGTH);
        final int at = RawRing.offset(slot, Cqe.LENGTH);
        final Completion completion = new Completion(Cqe.wrId(page, at), Cqe.qp(page, at), Cqe.opcode(page, at),
            Cqe.status(page, at), Cqe.byteLen(page, at), Cqe.immData(page, at), Cqe.srcQp(page, at),
            Cqe.wcFlags(page, at), Cqe.vendorErr(page, at), Cqe.networkHdrType(page, at));
        consume();
        return completion;
    }

    private void consume() {
        head = RingIndex.next(head, count);
        ring.state().putIntRelease(RingState.RX_CONS_HEAD_OFFSET, head);
    }

    /** The wr_id of the next completion, which has to be a success; -1 if there is none. Allocates nothing. */
    public long pollQuick() {
        if (isEmpty()) {
            return -1;
        }
        final int slot = RingIndex.slot(head, count);
        final UnsafeBuffer page = ring.page(1, slot, Cqe.LENGTH);
        final int at = RawRing.offset(slot, Cqe.LENGTH);
        final int status = Cqe.status(page, at);
        final long wrId = Cqe.wrId(page, at);
        consume();
        if (status != WcStatus.PVRDMA_WC_SUCCESS) {
            throw new AssertionError(WcStatus.NAMES.of(status) + " of " + wrId);
        }
        return wrId;
    }

    /** The next completion, within some seconds. */
    public Completion await() {
        return await(() -> {
            pollInVain();
            idle.idle();
        });
    }

    /** The same, of devices whose wires nobody else serves. */
    public Completion awaitServing(RawDriver... devices) {
        return await(() -> {
            for (RawDriver each : devices) {
                each.device().service();
            }
            idle.idle();
        });
    }

    private Completion await(Runnable meanwhile) {
        final long deadline = System.nanoTime() + PATIENCE;
        Completion completion = poll();
        while (completion == null) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no completion in cq 0x" + Integer.toHexString(handle) + "\n"
                    + driver.device().describe());
            }
            meanwhile.run();
            completion = poll();
        }
        idle.reset();
        return completion;
    }

    /** A poll that found nothing, as a driver tells the device of it. */
    public void pollInVain() {
        driver.uar.writeInt(Uar.CQ_OFFSET, Uar.cqPoll(handle));
    }

    public void arm() {
        driver.uar.writeInt(Uar.CQ_OFFSET, Uar.cqArm(handle));
    }

    public void armSolicited() {
        driver.uar.writeInt(Uar.CQ_OFFSET, Uar.cqArmSol(handle));
    }
}
