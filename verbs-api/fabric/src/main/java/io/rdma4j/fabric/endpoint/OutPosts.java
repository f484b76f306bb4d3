/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

/**
 * What the ring holds of an operation, and the work requests that are made of it: for the first time, or again after
 * the lane came up anew. For the thread that uses the endpoint.
 */
final class OutPosts {
    /** Some of an operation is under way, and must not be without the rest: no {@link ReturnCode}. */
    static final int IN_PART = Integer.MIN_VALUE;

    private final QueuePair qp;
    private final OpRing ring;
    private final KeyLookup scratch;
    private final SlotBuffers buffers;
    private final ScatteredSlots pieces;
    /** Most bytes that are copied. */
    private final int injected;
    private final SendRequest request = new SendRequest(LaneSizes.MOST_BUFFERS);
    private final SendRequest count = new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).atomic(1, 0);
    private final SendRequest[] both = {request, count};
    /** Reads what was written: the peer's memory has it then. */
    private final SendRequest proof = new SendRequest().opcode(SendOpcode.RDMA_READ);
    private final SendRequest[] proven = {request, proof};
    private long rmaId;
    private long countId;

    /** With the lookup's memory for copies, and for what comes back and nobody wants to know. */
    OutPosts(final QueuePair qp, final OpRing ring, final KeyLookup scratch, final LaneSizes sizes) {
        this.qp = qp;
        this.ring = ring;
        this.scratch = scratch;
        this.injected = sizes.injected();
        this.buffers = new SlotBuffers(ring, sizes.outSlots());
        this.pieces = new ScatteredSlots(ring, buffers, sizes.outSlots(), qp.maxSendWr());
    }

    void connect(final int port) {
        rmaId = WorkId.of(port, WorkId.RMA);
        countId = WorkId.of(port, WorkId.CELL);
    }

    /** Whether operations in pieces leave no room for a usual one. */
    boolean areCrowded() {
        return pieces.isCrowded();
    }

    /** 0, or why an operation on what was found cannot be posted now. */
    int check(final RemoteMemory remote, final long length) {
        return pieces.check(remote, length);
    }

    /** Where the slot's copy is in the lookup's buffer. */
    int placeOf(final int slot) {
        return scratch.injectOffset() + slot * injected;
    }

    void keep(final int slot, final Rma rma, final long address, final int lkey) {
        ring.putInt(slot, OpRing.OPERATION, rma.operation.ordinal());
        buffers.keep(slot, address, lkey);
        ring.putLong(slot, OpRing.REMOTE, rma.remoteAddress);
        ring.putLong(slot, OpRing.KEY, rma.key);
        ring.putLong(slot, OpRing.OPERAND, rma.operand);
        ring.putLong(slot, OpRing.SWAP, rma.swap);
        ring.putInt(slot, OpRing.DATA, rma.data);
    }

    /** In place of the one that was kept with the operation. */
    void keep(final int slot, final LocalBuffers from) {
        buffers.keep(slot, from);
    }

    /** The slot's copy is its buffer. */
    void place(final int slot) {
        buffers.keep(slot, scratch.scratchIova() + placeOf(slot), scratch.scratchLkey());
    }

    /** Writes where the peer's device finds the memory. */
    void point(final int slot, final RemoteMemory remote, final boolean inSteps) {
        ring.putLong(slot, OpRing.IOVA, remote.iova);
        ring.putInt(slot, OpRing.RKEY, remote.rkey);
        ring.putLong(slot, OpRing.CELL_IOVA, !inSteps && addsNothing(slot) ? 0 : remote.cellIova);
        ring.putInt(slot, OpRing.CELL_RKEY, remote.cellRkey);
        pieces.keep(slot, remote.pieces);
    }

    /** The region stays as it is, and so does what counts its modifications (fi_mr, FI_REMOTE_WRITE). */
    private boolean addsNothing(final int slot) {
        return ring.getInt(slot, OpRing.OPERATION) == RmaOperation.ADD.ordinal()
            && ring.getLong(slot, OpRing.OPERAND) == 0;
    }

    /** Posts all or nothing, as the queue has room for what the ring holds; or {@link #IN_PART} if it fails between. */
    int post(final int slot, final boolean inSteps) {
        final RmaOperation operation = RmaOperation.of(ring.getInt(slot, OpRing.OPERATION));
        // All steps of one count as one, behind them.
        final long cell = inSteps ? 0 : ring.getLong(slot, OpRing.CELL_IOVA);
        final int length = (int) ring.getLong(slot, OpRing.LENGTH);
        if (pieces.has(slot)) {
            return postInPieces(slot, operation, length, cell);
        }
        request.wrId(rmaId | slot).opcode(operation.opcode).flags(isAlone(slot, cell) ? SendRequest.SIGNALED : 0)
            .remote(ring.getLong(slot, OpRing.IOVA), ring.getInt(slot, OpRing.RKEY)).clearSges();
        buffers.addTo(request.sges(), slot, length);
        return postLast(slot, operation, cell, length);
    }

    /** Nothing follows by which the device tells that it is done. */
    private boolean isAlone(final int slot, final long cell) {
        return cell == 0 && (ring.getInt(slot, OpRing.FLAGS) & OpRing.DELIVERS) == 0;
    }

    private int postLast(final int slot, final RmaOperation operation, final long cell, final int length) {
        switch (operation) {
            case WRITE_WITH_DATA -> request.immData(ring.getInt(slot, OpRing.DATA));
            case ADD, SWAP -> request.atomic(ring.getLong(slot, OpRing.OPERAND), ring.getLong(slot, OpRing.SWAP));
            default -> { }
        }
        return isAlone(slot, cell) ? qp.postSend(request)
            : cell == 0 ? postProven(slot, length) : postCounted(slot, cell);
    }

    /** A work request for each piece. The device goes in order, so the last one has what is to be told and counted. */
    private int postInPieces(final int slot, final RmaOperation operation, final int length, final long cell) {
        int done = 0;
        int code;
        do {
            final int before = done;
            done += pieces.name(request, slot, operation, before);
            final boolean isLast = done == length;
            request.wrId(rmaId | slot).flags(isLast && isAlone(slot, cell) ? SendRequest.SIGNALED : 0);
            code = isLast ? postLast(slot, operation, cell, done - before) : qp.postSend(request);
            if (code != ReturnCode.OK && before > 0) {
                return IN_PART;
            }
        } while (code == ReturnCode.OK && done < length);
        return code;
    }

    /** The device carries out the count after what it counts, so only the count needs to be heard of. */
    private int postCounted(final int slot, final long cell) {
        nameCell(slot, cell);
        return postBoth(both);
    }

    private int postBoth(final SendRequest[] two) {
        final int posted = qp.postSend(two, 2);
        return posted == 1 ? IN_PART : Math.min(posted, ReturnCode.OK);
    }

    /** A read comes back behind the write: of the last byte, as a device may write the first ones early. */
    private int postProven(final int slot, final int length) {
        proof.wrId(rmaId | slot).remote(request.remoteAddress() + length - 1, request.rkey())
            .sge(scratch.scratchIova() + KeyLookup.CELL_OFFSET, 1, scratch.scratchLkey());
        return postBoth(proven);
    }

    private void nameCell(final int slot, final long cell) {
        count.wrId(countId | slot).remote(cell, ring.getInt(slot, OpRing.CELL_RKEY))
            .sge(scratch.scratchIova() + KeyLookup.CELL_OFFSET, Long.BYTES, scratch.scratchLkey());
    }

    /** What counts an operation of several steps, behind all of them. */
    int postCount(final int slot) {
        nameCell(slot, ring.getLong(slot, OpRing.CELL_IOVA));
        return qp.postSend(count);
    }
}
