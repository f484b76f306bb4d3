/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.driver.libc.DatagramBatch;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Icrc;

/** The way from one socket to one peer: to its address, at the port of the wire. */
final class UdpLane extends Lane {
    private static final int NONE = -1;
    /** The byte that the check sum leaves out: switches set marks in it. */
    private static final int UNPROTECTED = 4;

    private final UdpEndpoint from;
    private final Gid dest;
    private final Icrc icrc;
    private FrameSlot slot;
    private int claimed;
    private int damage = NONE;
    private volatile boolean open = true;

    UdpLane(UdpEndpoint from, Gid dest) {
        this.from = from;
        this.dest = dest;
        icrc = new Icrc(from.port());
        slot = FrameSlot.allocate(1, from.maxFrame())[0];
    }

    @Override
    public long claim(int length) {
        if (length < Bth.LENGTH || length > from.maxFrame() || length % Integer.BYTES != 0) {
            throw new IllegalArgumentException("a frame of " + length + " bytes; the longest has " + from.maxFrame());
        }
        claimed = length;
        return open && from.outbox().hasRoom() ? slot.address() : 0;
    }

    @Override
    public void commit(int trafficClass, int flowLabel, int hopLimit) {
        final int length = claimed;
        claimed = 0;
        slot.checkSum(length, from.checkSum(icrc, dest, slot, length));
        if (damage != NONE) {
            slot.turn(damagedBit(damage, length));
            damage = NONE;
        }
        slot = from.outbox().add(slot, length + Icrc.LENGTH, this, trafficClass & 0xff, hopLimit & 0xff);
    }

    /** Which bit of a frame and its check sum goes over. */
    static int damagedBit(int number, int length) {
        final int bit = number % ((length + Icrc.LENGTH) * Byte.SIZE);
        return bit / Byte.SIZE == UNPROTECTED ? bit + Byte.SIZE : bit;
    }

    @Override
    boolean damageNext(int bit) {
        damage = bit & Integer.MAX_VALUE;
        return true;
    }

    void address(DatagramBatch batch, int at) {
        from.address(batch, at, dest);
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    void close() {
        open = false;
    }

    @Override
    public String toString() {
        return from + " to " + dest;
    }
}
