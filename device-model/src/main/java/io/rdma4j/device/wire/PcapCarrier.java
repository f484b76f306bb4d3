/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.device.common.Counters;

import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Writes each frame that is sent, and each that comes, into a capture file. One that comes from a GID of this device
 * was written when it was sent, and is not written again: the same packet twice is what was sent, or came, twice.
 */
public final class PcapCarrier extends FilterCarrier {
    private final PcapWriter writer;
    private final FrameReceiver arrival = this::arrived;
    private FrameReceiver receiver;
    /** GIDs that are bound; another array for each change. */
    private volatile Gid[] own = {};

    private PcapCarrier(Carrier carrier, PcapWriter writer) {
        super(carrier);
        this.writer = writer;
    }

    /**
     * Puts a capture in front of a carrier.
     *
     * @param carrier  what it is closed with
     * @param file     a new one, with rights for its owner only
     * @param counters of frames that could not be written
     * @return the capture
     * @throws io.rdma4j.RdmaException EEXIST if there is such a file or link, ENOENT or EIO if it cannot be made,
     *                                 that of the system if it cannot be written; the carrier stays open
     */
    public static PcapCarrier wrap(Carrier carrier, Path file, Counters counters) {
        return new PcapCarrier(carrier, new PcapWriter(file, counters));
    }

    @Override
    Lane filter(Gid source, Gid dest, Lane lane) {
        return new PcapLane(source, dest, lane);
    }

    @Override
    public boolean bind(Gid gid) {
        final boolean bound = carrier().bind(gid);
        if (bound) {
            changeOwn(gid, Stream.of(gid));
        }
        return bound;
    }

    @Override
    public void unbind(Gid gid) {
        carrier().unbind(gid);
        changeOwn(gid, Stream.empty());
    }

    private synchronized void changeOwn(Gid gid, Stream<Gid> now) {
        own = Stream.concat(Stream.of(own).filter(each -> !each.equals(gid)), now).toArray(Gid[]::new);
    }

    private boolean isOwn(long high, long low) {
        for (Gid each : own) {
            if (each.high() == high && each.low() == low) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int poll(FrameReceiver to, int limit) {
        receiver = to;
        final int came = carrier().poll(arrival, limit);
        if (came == 0) {
            writer.flushIfPending();
        }
        return came;
    }

    private void arrived(Frame frame) {
        if (!isOwn(frame.sourceGidHigh, frame.sourceGidLow)) {
            writer.write(frame, -1);
        }
        receiver.onFrame(frame);
    }

    /** Fails with what stands against it if the file lacks frames: who captures wants to know. */
    @Override
    public void close() {
        carrier().close();
        writer.close();
    }

    @Override
    public String toString() {
        return "captured in " + writer + ": " + carrier();
    }

    /** Writes each frame that is committed. */
    private final class PcapLane extends Lane {
        private static final int NONE = -1;

        private final Lane lane;
        private final Frame frame = new Frame();
        private int damage = NONE;

        PcapLane(Gid source, Gid dest, Lane lane) {
            super(lane.lock());
            this.lane = lane;
            frame.sourceGidHigh = source.high();
            frame.sourceGidLow = source.low();
            frame.destGidHigh = dest.high();
            frame.destGidLow = dest.low();
        }

        @Override
        public long claim(int length) {
            frame.address = lane.claim(length);
            frame.length = length;
            frame.body = frame.address;
            return frame.address;
        }

        @Override
        public void commit(int trafficClass, int flowLabel, int hopLimit) {
            frame.trafficClass = trafficClass;
            frame.flowLabel = flowLabel;
            frame.hopLimit = hopLimit;
            writer.write(frame, damage == NONE ? NONE : UdpLane.damagedBit(damage, frame.length));
            damage = NONE;
            lane.commit(trafficClass, flowLabel, hopLimit);
        }

        @Override
        boolean damageNext(int bit) {
            final boolean damages = lane.damageNext(bit);
            damage = damages ? bit & Integer.MAX_VALUE : NONE;
            return damages;
        }

        @Override
        public boolean isOpen() {
            return lane.isOpen();
        }
    }
}
