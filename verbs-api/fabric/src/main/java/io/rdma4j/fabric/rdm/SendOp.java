/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.region.LocalDescriptor;

/** An operation of the application that is under way: a message that is being sent, or RMA. One of a fixed number. */
final class SendOp extends Buffers {
    final int index;
    final long[] deviceAddresses;
    OperationKind kind;
    long context;
    /** Success is reported. */
    boolean reported;
    Channel channel;
    int total;
    int flagsAndIndex;
    int data;
    /** Of a tagged message. */
    long tag;
    /** Of those that are under way the one that began next; of those that are free another one. */
    SendOp next;
    SendOp previous;
    boolean free;

    /** All pieces are with the device. */
    boolean cut;
    int underWay;
    /** The peer's device has all of it. */
    boolean transmitted;
    /** The peer has told that its application has it; and what was wrong, or 0. */
    boolean confirmed;
    int outcome;
    private int part;
    private int partOffset;
    private int done;

    SendOp(final int index, final int iovLimit) {
        super(iovLimit);
        this.index = index;
        this.deviceAddresses = new long[iovLimit];
    }

    SendOp clear(final OperationKind what, final long itsContext, final boolean reportSuccess) {
        if (kind != what) {
            kind = what;
        }
        context = itsContext;
        reported = reportSuccess;
        count = 0;
        total = 0;
        cut = false;
        underWay = 0;
        transmitted = false;
        confirmed = false;
        outcome = 0;
        part = 0;
        partOffset = 0;
        done = 0;
        data = 0;
        flagsAndIndex = 0;
        tag = 0;
        return this;
    }

    void add(
        final long address, final int length, final long deviceAddress, final int lkey, final CachedRegion lent,
        final LocalDescriptor region) {
        deviceAddresses[count] = deviceAddress;
        put(address, length, lkey, lent, region);
        total += length;
    }

    /** It is over when the peer's application has it. */
    boolean wantsDelivery() {
        return (flagsAndIndex & Header.DELIVERY) != 0;
    }

    /** Bytes of the next piece: of one buffer only. 0 for an empty message, which is one piece. */
    int nextPiece(final int most) {
        while (part < count && partOffset == lengths[part]) {
            part++;
            partOffset = 0;
        }
        return part == count ? 0 : Math.min(most, lengths[part] - partOffset);
    }

    long deviceAddress() {
        return part == count ? 0 : deviceAddresses[part] + partOffset;
    }

    int lkey() {
        return part == count ? 0 : lkeys[part];
    }

    boolean isFirst() {
        return done == 0;
    }

    boolean isLast(final int length) {
        return done + length == total;
    }

    void advance(final int length) {
        partOffset += length;
        done += length;
    }

    @Override
    public String toString() {
        return kind + " of " + total + " bytes, " + done + " posted, " + underWay + " pieces under way, context "
            + context;
    }
}
