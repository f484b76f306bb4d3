/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

import io.rdma4j.device.wire.Lane;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Deth;
import io.rdma4j.hw.roce.Opcode;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/** Datagrams as packets. */
final class DatagramFrames {
    private static final int HEADERS = Bth.LENGTH + Deth.LENGTH;

    private DatagramFrames() {
    }

    /**
     * Sends one, if there is a way and room; else it is lost, as datagrams are.
     *
     * @param lane    the way; null if there is none.
     * @param message with a payload that is read here.
     * @return one of {@link Ack}: {@link Ack#ACK} if it went, {@link Ack#PAYLOAD_LOST}, or {@link Ack#NO_RESPONSE}.
     */
    static int send(Lane lane, Message message) {
        if (lane == null) {
            return Ack.NO_RESPONSE;
        }
        lane.lock().lock();
        try {
            return fill(lane, message);
        } finally {
            lane.lock().unlock();
        }
    }

    private static int fill(Lane lane, Message message) {
        final int length = (int) message.length;
        final int headers = HEADERS + (message.immediate ? Integer.BYTES : 0);
        final int total = headers + length + Bth.pad(length);
        final long address = lane.claim(total);
        if (address == 0) {
            return Ack.NO_RESPONSE;
        }
        final UnsafeBuffer frame = lane.frame();
        frame.wrap(address, total);
        frame.putInt(total - Integer.BYTES, 0);
        Bth.put(frame, 0, Opcode.UD | (message.immediate ? Opcode.SEND_ONLY_IMM : Opcode.SEND_ONLY),
            Bth.flags(message.solicited, length), message.destQpn, message.psn, false);
        Deth.put(frame, Bth.LENGTH, message.qkey, message.sourceQpn);
        if (message.immediate) {
            frame.putInt(HEADERS, message.immData, ByteOrder.LITTLE_ENDIAN);
        }
        if (!message.payload.get(address + headers, length)) {
            return Ack.PAYLOAD_LOST;
        }
        lane.commit(message.trafficClass, message.flowLabel, message.hopLimit);
        return Ack.ACK;
    }
}
