/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Icrc;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stranger sends what it likes from any port. Nothing comes of it but counts, unless it is a right frame. */
@Timeout(120)
class UdpHostileTest {
    private static final String HERE = "127.72.0.2";
    private static final String STRANGER = "127.72.0.9";
    private static final int ROUNDS = 3_000;
    private static final int LONGEST = 6_000;

    private final Random random = new Random(20);
    private final Counters counters = new Counters();
    private final Gid here = Ends.gid(HERE);
    private final Gid strange = Ends.gid(STRANGER);
    private final Icrc icrc = new Icrc(Ends.PORT);
    private UdpCarrier carrier;
    private DatagramSocket stranger;
    private long came;

    @BeforeEach
    void open() throws IOException {
        carrier = Ends.open(HERE, counters);
        carrier.bind(here);
        stranger = new DatagramSocket(new InetSocketAddress(InetAddress.getByName(STRANGER), 0));
    }

    @AfterEach
    void close() {
        stranger.close();
        carrier.close();
    }

    private void send(byte[] datagram) throws IOException {
        stranger.send(new DatagramPacket(datagram, datagram.length, InetAddress.getByName(HERE), Ends.PORT));
    }

    /** A right datagram: the kernel gives a packet of this socket an identification that nobody told us. */
    private byte[] right(int number, int length, int identification) {
        final byte[] datagram = new byte[length + Icrc.LENGTH];
        for (int at = Bth.LENGTH; at < length; at++) {
            datagram[at] = Ends.contents(number, at);
        }
        final ByteBuffer b = ByteBuffer.wrap(datagram);
        b.putInt(0, 0x0400_ffff).putInt(4, number).putInt(8, number);
        final int sum = icrc.ofIpv4((int) strange.low(), (int) here.low(), identification, stranger.getLocalPort(),
            b.duplicate().limit(length).position(0));
        b.order(ByteOrder.LITTLE_ENDIAN).putInt(length, sum);
        return datagram;
    }

    /** Whether an identification happens to make it a right one. */
    private boolean passes(byte[] datagram) {
        final int length = datagram.length - Icrc.LENGTH;
        if (length < Bth.LENGTH || length % Integer.BYTES != 0) {
            return false;
        }
        final ByteBuffer b = ByteBuffer.wrap(datagram).order(ByteOrder.LITTLE_ENDIAN);
        final int sum = icrc.ofIpv4((int) strange.low(), (int) here.low(), 0, stranger.getLocalPort(),
            b.duplicate().limit(length));
        return icrc.identification(sum ^ b.getInt(length), length) >= 0;
    }

    private long refused() {
        return counters.get(Counter.WIRE_MALFORMED) + counters.get(Counter.WIRE_BAD_CHECK_SUM);
    }

    /** So many were counted; a right one still comes. */
    private void nothingCame(long sent) throws IOException {
        assertThat(refused()).isEqualTo(sent);
        stillWorks();
    }

    private void stillWorks() throws IOException {
        send(right(1, 32, 0));
        assertThat(Ends.isWhole(Ends.receive(carrier, 1).get(0).bytes(), 1)).isTrue();
    }

    private void settle(long sent) {
        while (refused() + came < sent) {
            came += carrier.poll(frame -> { }, 64);
        }
    }

    /** 16 bits protect a packet over IPv4: one of millions of such datagrams may pass, depending on our port. */
    @Test
    void randomBytesAreNoFrames() throws IOException {
        for (int i = 1; i <= ROUNDS; i++) {
            final byte[] bytes = new byte[random.nextInt(8) == 0 ? random.nextInt(LONGEST) : random.nextInt(80)];
            random.nextBytes(bytes);
            send(bytes);
            settle(i);
        }
        assertThat(refused() + came).isEqualTo(ROUNDS);
        assertThat(came).isLessThan(3);
        stillWorks();
    }

    @Test
    void truncatedFramesAreNone() throws IOException {
        final byte[] whole = right(7, 128, 0);
        int passing = 0;
        for (int length = 0; length < whole.length; length++) {
            final byte[] part = Arrays.copyOf(whole, length);
            passing += passes(part) ? 1 : 0;
            send(part);
            settle(length + 1);
        }
        assertThat(came).isEqualTo(passing);
        nothingCame(whole.length - passing);
    }

    /** Each bit of a frame and its check sum, but for those that switches may change. */
    @Test
    void oneWrongBitIsNoticed() throws IOException {
        final byte[] whole = right(7, 64, 0x1234);
        int sent = 0;
        for (int bit = 0; bit < whole.length * Byte.SIZE; bit++) {
            if (bit / Byte.SIZE != 4) {
                whole[bit / Byte.SIZE] = (byte) (whole[bit / Byte.SIZE] ^ 1 << bit % Byte.SIZE);
                send(whole);
                whole[bit / Byte.SIZE] = (byte) (whole[bit / Byte.SIZE] ^ 1 << bit % Byte.SIZE);
                settle(++sent);
            }
        }
        nothingCame(sent);
    }

    @Test
    void otherVersionsAndLengthsAreNone() throws IOException {
        final byte[] version = right(7, 64, 0);
        version[1] |= 1;
        send(version);
        send(right(7, 64 + 1, 0));
        send(new byte[Bth.LENGTH + 3]);
        send(right(7, carrier.maxFrame() + 4, 0));
        settle(4);
        assertThat(counters.get(Counter.WIRE_MALFORMED)).isEqualTo(4);
        nothingCame(4);
    }

    @Test
    void theLongestFrameComes() throws IOException {
        send(right(7, carrier.maxFrame(), 0));
        assertThat(Ends.isWhole(Ends.receive(carrier, 1).get(0).bytes(), 7)).isTrue();
    }

    /** Linux' SoftRoCE counts identifications; the check sum covers them, and no socket shows them. */
    @Test
    void anyIdentificationIsFoundOut() throws IOException {
        for (int id : new int[] {0, 1, 0xff, 0x100, 0x1234, 0x8000, 0xffff}) {
            send(right(id, 44 + id % 64 * 4, id));
            final Ends.Came came = Ends.receive(carrier, 1).get(0);
            assertThat(Ends.isWhole(came.bytes(), id)).isTrue();
            assertThat(came.source()).isEqualTo(strange);
        }
    }

    /** Answers go to the port of the wire, where nobody listens but a second socket of the stranger. */
    @Test
    void answersGoToThePortOfTheWire() throws IOException {
        send(right(1, 32, 0));
        final Gid source = Ends.receive(carrier, 1).get(0).source();
        try (DatagramSocket wire = new DatagramSocket(
            new InetSocketAddress(InetAddress.getByName(STRANGER), Ends.PORT))) {
            wire.setSoTimeout(40_000);
            Ends.send(carrier.lane(here, source), 9, 32, 0, 0);
            carrier.flush();
            final DatagramPacket answer = new DatagramPacket(new byte[100], 100);
            wire.receive(answer);
            assertThat(answer.getLength()).isEqualTo(32 + Icrc.LENGTH);
            assertThat(answer.getPort()).isEqualTo(Ends.PORT);
            assertThat(Ends.isWhole(Arrays.copyOf(answer.getData(), 32), 9)).isTrue();
        }
    }

    /** Whoever sends does not have us remember anything, even if what he sends passes. */
    @Test
    void manyStrangersMakeNoWays() throws IOException {
        final int epoch = carrier.epoch();
        for (int i = 0; i < 50; i++) {
            try (DatagramSocket each = new DatagramSocket(
                new InetSocketAddress(InetAddress.getByName("127.72.1." + (i + 1)), 0))) {
                each.send(new DatagramPacket(new byte[64], 64, InetAddress.getByName(HERE), Ends.PORT));
            }
        }
        settle(50);
        assertThat(carrier.epoch()).isEqualTo(epoch);
        assertThat(counters.get(Counter.WIRE_BAD_CHECK_SUM) + came).isEqualTo(50);
        assertThat(counters.get(Counter.WIRE_PEERS_FORGOTTEN)).isZero();
    }
}
