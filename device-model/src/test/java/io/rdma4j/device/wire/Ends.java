/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.testing.Patience;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/** Two carriers on addresses of this host, and frames whose contents are known. */
final class Ends implements AutoCloseable {
    /** Whoever else runs tests on this machine has another one. */
    static final int PORT = freePort();
    private static final long DEADLINE = Patience.nanos();

    final Counters counters;
    final Gid here;
    final Gid there;
    final Carrier from;
    final Carrier to;
    final Lane lane;

    /** What has come: a copy. */
    record Came(byte[] bytes, Gid source, Gid dest, int trafficClass, int flowLabel, int hopLimit) {
        int psn() {
            return Bth.psn(new UnsafeBuffer(bytes), 0);
        }
    }

    Ends(Counters counters, Carrier from, Carrier to, Gid here, Gid there) {
        this.counters = counters;
        this.from = from;
        this.to = to;
        this.here = here;
        this.there = there;
        from.bind(here);
        to.bind(there);
        lane = from.lane(here, there);
    }

    private static int freePort() {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (final SocketException e) {
            throw new IllegalStateException("no free port", e);
        }
    }

    static UdpCarrier open(String address, Counters counters) {
        return UdpCarrier.open(UdpCarrier.parseAddresses(address), PORT, counters);
    }

    static Gid gid(String address) {
        try {
            return UdpAddress.gid(InetAddress.getByName(address));
        } catch (final UnknownHostException e) {
            throw new IllegalArgumentException(address, e);
        }
    }

    static Ends overUdp(String first, String second) {
        final Counters counters = new Counters();
        return new Ends(counters, open(first, counters), open(second, counters), gid(first), gid(second));
    }

    /** Writes a frame of some length, which depends on its number, and sends it; false if there is no room. */
    static boolean send(Lane lane, int number, int length, int trafficClass, int hopLimit) {
        lane.lock().lock();
        try {
            final long address = lane.claim(length);
            if (address == 0) {
                return false;
            }
            write(address, number, length);
            lane.commit(trafficClass, 0, hopLimit);
            return true;
        } finally {
            lane.lock().unlock();
        }
    }

    boolean send(int number, int length) {
        return send(lane, number, length, 0, 0);
    }

    private static void write(long address, int number, int length) {
        final UnsafeBuffer b = new UnsafeBuffer(address, length);
        Bth.put(b, 0, Opcode.SEND_ONLY, Bth.flags(false, length), number, number, false);
        for (int at = Bth.LENGTH; at < length; at++) {
            b.putByte(at, contents(number, at));
        }
    }

    static byte contents(int number, int at) {
        return (byte) (number * 31 + at * 7 + (at >> 8));
    }

    /** Whether a frame is the one of that number, each byte. */
    static boolean isWhole(byte[] frame, int number) {
        final UnsafeBuffer b = new UnsafeBuffer(frame);
        boolean same = Bth.psn(b, 0) == number && Bth.destQp(b, 0) == number;
        for (int at = Bth.LENGTH; at < frame.length; at++) {
            same &= frame[at] == contents(number, at);
        }
        return same;
    }

    static Came copy(Frame frame) {
        final byte[] bytes = new byte[frame.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = UnsafeApi.getByte(frame.address + i);
        }
        return new Came(bytes, new Gid(frame.sourceGidHigh, frame.sourceGidLow),
            new Gid(frame.destGidHigh, frame.destGidLow), frame.trafficClass, frame.flowLabel, frame.hopLimit);
    }

    /** Everything that comes, until there are so many frames. */
    List<Came> receive(int count) {
        return receive(to, count);
    }

    static List<Came> receive(Carrier carrier, int count) {
        final List<Came> all = new ArrayList<>();
        final long begun = System.nanoTime();
        while (all.size() < count) {
            if (carrier.poll(frame -> all.add(copy(frame)), 16) == 0) {
                if (System.nanoTime() - begun > DEADLINE) {
                    throw new AssertionError(all.size() + " frames of " + count + " came: " + carrier);
                }
                carrier.await(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
        return all;
    }

    long count(Counter counter) {
        return counters.get(counter);
    }

    /** Polls until something has been counted so often, and no frame comes. */
    static void await(Carrier carrier, Counter counter, long times, Counters in) {
        final long begun = System.nanoTime();
        while (in.get(counter) < times) {
            carrier.poll(frame -> {
                throw new AssertionError("a frame came: " + copy(frame));
            }, 16);
            if (System.nanoTime() - begun > DEADLINE) {
                throw new AssertionError(times + " times " + counter + ": " + in);
            }
        }
    }

    @Override
    public void close() {
        from.close();
        to.close();
    }
}
