/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.device.common.SpinLock;
import io.rdma4j.device.wire.FateSequence.Fate;

import java.util.concurrent.atomic.AtomicLongArray;

import org.agrona.UnsafeApi;

/**
 * Loses, repeats, reorders, delays and damages frames by a seed, for tests of what a transport does about it. Each way
 * to a peer has a sequence of its own, so what happens does not depend on threads; all frames that come have one.
 *
 * <p>A frame that is to be damaged has one bit changed behind the check sum, where the carrier has one; the other end
 * drops it. Elsewhere, and when it comes, it is dropped here: the check has been made.
 */
public final class LossyCarrier extends FilterCarrier {
    private final LossOptions options;
    private final AtomicLongArray happened = new AtomicLongArray(Fate.values().length);
    /** Of what is sent. */
    private final SpinLock lock = new SpinLock();
    private final HeldFrames sent;
    private final HeldFrames received;
    private final FateSequence arrivals;
    private final FrameReceiver arrival;
    private FrameReceiver receiver;
    private int delivered;

    private LossyCarrier(Carrier carrier, LossOptions options) {
        super(carrier);
        this.options = options;
        sent = new HeldFrames(carrier.maxFrame());
        received = new HeldFrames(carrier.maxFrame());
        arrivals = new FateSequence(options, 0);
        arrival = options.direction().receives() ? this::arrived : this::deliver;
    }

    /**
     * Puts an injector in front of a carrier.
     *
     * @param carrier what it is closed with
     * @param options what is to happen
     * @return the injector
     */
    public static LossyCarrier wrap(Carrier carrier, LossOptions options) {
        return new LossyCarrier(carrier, options);
    }

    /** {@return how often something happened to a frame} */
    long count(Fate fate) {
        return happened.get(fate.ordinal());
    }

    @Override
    Lane filter(Gid source, Gid dest, Lane lane) {
        final long stream = source.high() * 3 + source.low() * 5 + dest.high() * 7 + dest.low() * 11;
        return options.direction().sends() ? new LossyLane(lane, new FateSequence(options, stream | 1)) : lane;
    }

    /** Frames to the peer may be in order; what it says of them is not. */
    @Override
    public boolean isOrdered() {
        return false;
    }

    @Override
    public int poll(FrameReceiver to, int limit) {
        receiver = to;
        delivered = 0;
        if (sent.count() > 0) {
            release();
        }
        while (delivered < limit && received.count() > 0) {
            final int ready = received.ready(System.nanoTime());
            if (ready < 0) {
                break;
            }
            try {
                deliver(received.frame(ready));
            } finally {
                received.remove(ready);
            }
        }
        final int room = limit - delivered;
        if (room > 0) {
            carrier().poll(arrival, room);
        }
        return delivered;
    }

    private void deliver(Frame frame) {
        delivered++;
        receiver.onFrame(frame);
    }

    /** A frame that comes twice comes again with the next poll, so that no more come than were asked for. */
    private void arrived(Frame frame) {
        final Fate fate = arrivals.next();
        final long now = fate == Fate.NONE ? 0 : System.nanoTime();
        happened.incrementAndGet(fate.ordinal());
        switch (fate) {
            case DROP, CORRUPT -> {
                return;
            }
            case DELAY -> {
                if (received.hold(frame, null, -1, now + options.delayNanos())) {
                    return;
                }
            }
            case REORDER -> {
                if (received.hold(frame, null, arrivals.overtaking(), now + options.delayNanos())) {
                    return;
                }
            }
            case DUPLICATE -> received.hold(frame, null, -1, now);
            default -> {
                // It comes as it is.
            }
        }
        deliver(frame);
        received.overtaken(null);
    }

    /** Sends what was held back long enough. */
    private void release() {
        lock.lock();
        try {
            releaseReady();
        } finally {
            lock.unlock();
        }
    }

    private void releaseReady() {
        while (sent.count() > 0) {
            final int ready = sent.ready(System.nanoTime());
            if (ready < 0) {
                return;
            }
            final Frame frame = sent.frame(ready);
            forward(sent.lane(ready), frame, -1);
            sent.remove(ready);
        }
    }

    /** Sends a frame; if there is no room, it is one more that is lost. */
    private static void forward(Lane lane, Frame frame, int damagedBit) {
        lane.lock().lock();
        try {
            final long address = lane.claim(frame.length);
            if (address != 0 && (damagedBit < 0 || lane.damageNext(damagedBit))) {
                UnsafeApi.copyMemory(frame.address, address, frame.length);
                lane.commit(frame.trafficClass, frame.flowLabel, frame.hopLimit);
            }
        } finally {
            lane.lock().unlock();
        }
    }

    @Override
    public void await(long nanos) {
        final boolean held = received.count() > 0 || sent.count() > 0;
        carrier().await(held ? Math.min(nanos, options.delayNanos()) : nanos);
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("lossy ").append(options);
        for (Fate each : Fate.values()) {
            text.append(", ").append(each).append(' ').append(count(each));
        }
        return text.append(": ").append(carrier()).toString();
    }

    /** Decides about each frame that is committed. */
    private final class LossyLane extends Lane {
        private final Lane lane;
        private final FateSequence fates;
        private final FrameSlot slot = FrameSlot.allocate(1, maxFrame())[0];
        private final Frame frame = new Frame();

        LossyLane(Lane lane, FateSequence fates) {
            this.lane = lane;
            this.fates = fates;
            frame.address = slot.address();
            frame.body = frame.address;
        }

        @Override
        public long claim(int length) {
            lane.lock().lock();
            final long room = lane.claim(length);
            lane.lock().unlock();
            frame.length = length;
            return room == 0 ? 0 : frame.address;
        }

        @Override
        public void commit(int trafficClass, int flowLabel, int hopLimit) {
            frame.trafficClass = trafficClass;
            frame.flowLabel = flowLabel;
            frame.hopLimit = hopLimit;
            final Fate fate = fates.next();
            happened.incrementAndGet(fate.ordinal());
            lock.lock();
            try {
                send(fate);
                releaseReady();
            } finally {
                lock.unlock();
            }
        }

        private void send(Fate fate) {
            switch (fate) {
                case DROP -> {
                    return;
                }
                case CORRUPT -> {
                    forward(lane, frame, fates.detail());
                    return;
                }
                case DELAY -> {
                    if (sent.hold(frame, lane, -1, System.nanoTime() + options.delayNanos())) {
                        return;
                    }
                }
                case REORDER -> {
                    if (sent.hold(frame, lane, fates.overtaking(), System.nanoTime() + options.delayNanos())) {
                        return;
                    }
                }
                case DUPLICATE -> forward(lane, frame, -1);
                default -> {
                    // It goes as it is.
                }
            }
            forward(lane, frame, -1);
            sent.overtaken(lane);
        }

        @Override
        public boolean isOpen() {
            return lane.isOpen();
        }
    }
}
