/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counters;
import io.rdma4j.device.wire.Carrier;
import io.rdma4j.device.wire.Frame;
import io.rdma4j.device.wire.Gid;
import io.rdma4j.device.wire.Lane;
import io.rdma4j.device.wire.ShmCarrier;
import io.rdma4j.device.wire.UdpCarrier;
import io.rdma4j.hw.roce.Aeth;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Icrc;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.testing.Loopback;
import io.rdma4j.testing.Patience;

import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A device with a connected queue pair whose peer is a script: a test sends, and looks at, single packets. */
public final class RawWirePeer implements AutoCloseable {
    /** The peer's. */
    public static final int QPN = 0x123456;
    public static final int FIRST_PSN = 0x10;
    public static final int MTU = 1024;
    private static final long DEADLINE = Patience.nanos();
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(200);
    private static final Gid OURS = gid(20);
    private static final Gid THEIRS = gid(21);

    public final RawDriver driver;
    public final RawCq cq;
    public final RawRegion region;
    /** The newest one. */
    public RawQp qp;
    /** What {@link #answered} has found. */
    public final UnsafeBuffer answer = new UnsafeBuffer(new byte[256]);
    private final Carrier carrier;
    private final Lane lane;

    private RawWirePeer(RawDriver driver, Carrier carrier) {
        this.driver = driver;
        this.carrier = carrier;
        driver.unbind(0, driver.gid());
        driver.bind(0, bytes(OURS), 2);
        cq = driver.createCq(256);
        region = driver.register(driver.pd, RawPair.SIZE, 123, RawPair.ALL);
        qp = driver.createQp(RawQp.with().cq(cq));
        connect();
        carrier.bind(THEIRS);
        lane = carrier.lane(THEIRS, OURS);
    }

    /** By UDP: the device has a thread that looks after it. */
    public static RawWirePeer byUdp() {
        try {
            return new RawWirePeer(RawDriver.ready("emulated:scripted?wire=udp&address=" + Loopback.address(20)),
                UdpCarrier.open(List.of(InetAddress.getByName(Loopback.address(21))), Icrc.PORT, new Counters()));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * By shared memory, and nobody serves the device but the test: a packet is there when it was sent, and what waits
     * does so for as long as the test wants.
     */
    public static RawWirePeer served() {
        final RawWirePeer peer = new RawWirePeer(
            RawDriver.ready("emulated:scripted?wire=shm&shortcut=false&progress=poll"),
            ShmCarrier.open(ShmCarrier.USUAL_RING));
        // The device's ring is there when it first has something to say.
        peer.send(Opcode.SEND_ONLY, FIRST_PSN - 1, true, 4);
        final long begun = System.nanoTime();
        while (peer.serve().isEmpty()) {
            assertThat(System.nanoTime() - begun).as(peer.driver.device()::describe).isLessThan(DEADLINE);
        }
        return peer;
    }

    private static Gid gid(int host) {
        try {
            return Gid.ofIpv4(ByteBuffer.wrap(InetAddress.getByName(Loopback.address(host)).getAddress()).getInt());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(Gid gid) {
        return ByteBuffer.allocate(16).putLong(gid.high()).putLong(gid.low()).array();
    }

    /** The peer's, as the device knows it. */
    public byte[] gid() {
        return bytes(THEIRS);
    }

    /** Another queue pair instead, not connected yet: what is under way to the former one finds nobody. */
    public void renew(RawQp.Builder with) {
        qp.destroy();
        qp = driver.createQp(with);
    }

    public void connect() {
        qp.connect(QPN, gid());
    }

    /** A packet of the device, up to the end of its payload. */
    public record Came(int opcode, int psn, byte[] bytes) {
        public boolean carries(RawRegion source, int at, int length) {
            return Arrays.equals(Arrays.copyOfRange(bytes, bytes.length - length, bytes.length),
                source.bytes(at, length));
        }

        static Came of(Frame frame) {
            final byte[] bytes = new byte[frame.length];
            final UnsafeBuffer packet = new UnsafeBuffer(frame.address, frame.length);
            new UnsafeBuffer(frame.body, frame.length).getBytes(0, bytes);
            return new Came(Bth.opcode(packet, 0), Bth.psn(packet, 0), bytes);
        }
    }

    /** The device has its turn once; what it sent. */
    public List<Came> serve() {
        driver.device().service();
        return came();
    }

    /** Until it sends no more. */
    public List<Came> serveAll() {
        final List<Came> all = new ArrayList<>();
        for (List<Came> more = serve(); !more.isEmpty(); more = serve()) {
            all.addAll(more);
        }
        return all;
    }

    /** What the device has sent. */
    public List<Came> came() {
        final List<Came> all = new ArrayList<>();
        while (carrier.poll(frame -> all.add(Came.of(frame)), 64) > 0) {
            // All that there is.
        }
        return all;
    }

    /** A packet to the queue pair: what follows the header is made of words. */
    public void send(int opcode, int psn, boolean asks, int length, int... words) {
        lane.lock().lock();
        final int total = Bth.LENGTH + Integer.BYTES * words.length + length + Bth.pad(length);
        final long address = lane.claim(total);
        final UnsafeBuffer frame = new UnsafeBuffer(address, total);
        frame.setMemory(0, total, (byte) 7);
        Bth.put(frame, 0, opcode, Bth.flags(false, length), qp.qpn, psn, asks);
        for (int i = 0; i < words.length; i++) {
            frame.putInt(Bth.LENGTH + i * Integer.BYTES, words[i], ByteOrder.BIG_ENDIAN);
        }
        lane.commit(0, 0, 64);
        lane.lock().unlock();
        carrier.flush();
    }

    public void write(int opcode, int psn, long address, int rkey, int length) {
        send(opcode, psn, true, length, (int) (address >>> 32), (int) address, rkey, length);
    }

    /** Says what became of a request. */
    public void acknowledge(int psn, int syndrome) {
        send(Opcode.ACKNOWLEDGE, psn, false, 0, syndrome << 24);
    }

    /** The opcode of the device's next packet, which is kept in {@link #answer}. */
    public int answered() {
        return answered(() -> { });
    }

    /** What is asked again and again is answered once or more often. */
    public int answered(Runnable question) {
        final int[] opcode = {-1};
        final long begun = System.nanoTime();
        long asked = begun - AGAIN;
        while (opcode[0] < 0) {
            if (System.nanoTime() - asked >= AGAIN) {
                asked = System.nanoTime();
                question.run();
            }
            assertThat(System.nanoTime() - begun).as("no answer came%n%s", driver.device().describe())
                .isLessThan(DEADLINE);
            carrier.poll(frame -> {
                answer.putBytes(0, new UnsafeBuffer(frame.address, Math.min(64, frame.length)), 0,
                    Math.min(64, frame.length));
                opcode[0] = Bth.opcode(answer, 0);
            }, 1);
        }
        return opcode[0];
    }

    public void expectAck(int psn, int syndrome, int msn) {
        assertThat(answered()).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(Bth.destQp(answer, 0)).isEqualTo(QPN);
        assertThat(Bth.psn(answer, 0)).isEqualTo(psn);
        assertThat(Aeth.NAMES.of(Aeth.syndrome(answer, Bth.LENGTH))).isEqualTo(Aeth.NAMES.of(syndrome));
        assertThat(Aeth.msn(answer, Bth.LENGTH)).isEqualTo(msn);
    }

    @Override
    public void close() {
        carrier.close();
        driver.close();
    }
}
