/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.libc.DatagramBatch;
import io.rdma4j.driver.libc.DatagramCalls;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Icrc;

import org.agrona.concurrent.UnsafeBuffer;

/** Frames that come. Whatever anybody sends ends here, unless it is a packet of the transport that nobody damaged. */
final class UdpInbox {
    private static final int BATCH = 32;
    private static final int SHORTEST = Bth.LENGTH + Icrc.LENGTH;
    private static final int MARK = 3;

    private final Counters counters;
    private final DatagramBatch batch = new DatagramBatch(BATCH);
    private final FrameSlot[] slots;
    private final Icrc icrc;
    private final Frame frame = new Frame();
    private final UnsafeBuffer header = new UnsafeBuffer(0, 0);

    UdpInbox(int port, int maxFrame, Counters counters) {
        this.counters = counters;
        icrc = new Icrc(port);
        slots = FrameSlot.allocate(BATCH, maxFrame);
        for (int i = 0; i < BATCH; i++) {
            batch.data(i, slots[i].address(), maxFrame + Icrc.LENGTH);
        }
    }

    /** Takes what has come for an address, at most so many; says how many of those were frames for it. */
    int receive(UdpEndpoint endpoint, FrameReceiver receiver, int limit) {
        int taken = 0;
        int came = BATCH;
        // A batch that is not full was the last.
        for (int looked = 0; looked < limit && came == BATCH; looked += came) {
            final int room = Math.min(BATCH, limit - looked);
            batch.prepare(room);
            came = DatagramCalls.receive(endpoint.socket(), batch, room);
            for (int i = 0; i < came; i++) {
                if (isFrame(endpoint, i)) {
                    receiver.onFrame(frame);
                    taken++;
                }
            }
        }
        return taken;
    }

    private boolean isFrame(UdpEndpoint endpoint, int at) {
        final int length = batch.length(at) - Icrc.LENGTH;
        if (length < SHORTEST - Icrc.LENGTH || length % Integer.BYTES != 0 || batch.isCutOff(at)) {
            return dropped(Counter.WIRE_MALFORMED);
        }
        header.wrap(slots[at].address(), Bth.LENGTH);
        if (Bth.version(header, 0) != 0) {
            return dropped(Counter.WIRE_MALFORMED);
        }
        final Gid here = endpoint.gid();
        final boolean isRight = here.isIpv4() ? isRightOverIpv4(here, at, length) : isRightOverIpv6(here, at, length);
        if (!isRight) {
            return dropped(Counter.WIRE_BAD_CHECK_SUM);
        }
        if (!endpoint.isBound()) {
            return dropped(Counter.NO_PEER);
        }
        describe(here, at, length);
        return true;
    }

    private boolean dropped(Counter why) {
        counters.increment(why);
        return false;
    }

    /** Some peers count the identifications of their packets, which a socket does not show. */
    private boolean isRightOverIpv4(Gid here, int at, int length) {
        final int source = batch.sourceIpv4(at);
        frame.sourceGidHigh = 0;
        frame.sourceGidLow = Gid.lowOfIpv4(source);
        final int computed = icrc.ofIpv4(source, (int) here.low(), 0, batch.sourcePort(at), slots[at].upTo(length));
        return icrc.identification(computed ^ slots[at].checkSum(length), length) >= 0;
    }

    private boolean isRightOverIpv6(Gid here, int at, int length) {
        final long high = batch.sourceIpv6High(at);
        final long low = batch.sourceIpv6Low(at);
        frame.sourceGidHigh = high;
        frame.sourceGidLow = low;
        return icrc.ofIpv6(high, low, here.high(), here.low(), batch.sourcePort(at), slots[at].upTo(length))
            == slots[at].checkSum(length);
    }

    private void describe(Gid here, int at, int length) {
        frame.address = slots[at].address();
        frame.body = frame.address;
        frame.length = length;
        frame.destGidHigh = here.high();
        frame.destGidLow = here.low();
        batch.readHeader(at);
        frame.trafficClass = batch.trafficClass();
        frame.flowLabel = batch.flowLabel();
        frame.hopLimit = batch.hopLimit();
        if ((frame.trafficClass & MARK) == MARK) {
            counters.increment(Counter.WIRE_MARKED);
        }
    }
}
