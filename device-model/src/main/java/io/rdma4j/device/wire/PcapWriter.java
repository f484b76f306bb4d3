/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Icrc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes frames into a capture file that Wireshark reads: pcap with nanoseconds, each packet beginning with its IP
 * header (link type RAW). A carrier knows frames only; so the headers of IP and UDP are made here, as RoCEv2 has them:
 * identification 0, "don't fragment", port 4791 at both ends, right check sums.
 *
 * <pre>
 *    0       4    6    8        12       16       20       24
 *   +-------+----+----+--------+--------+--------+--------+
 *   |magic  |2   |4   |0       |0       |longest |RAW     |  file, in the machine's byte order
 *   +-------+----+----+--------+--------+--------+--------+
 *   |seconds|nanos    |kept    |length  | IP, UDP, frame, ICRC ...
 *   +-------+---------+--------+--------+
 * </pre>
 *
 * <p>Thread-safe. A file that cannot be written any more ends there: that is told once, what is missing is counted, and
 * closing fails. It is no {@link java.nio.channels.FileChannel}: threads of the program write it, and one that was
 * interrupted would close it.
 */
final class PcapWriter implements AutoCloseable {
    static final int MAGIC_NANOSECONDS = 0xa1b2_3c4d;
    static final int LINKTYPE_RAW = 101;
    static final int FILE_HEADER = 24;
    static final int RECORD_HEADER = 16;

    private static final System.Logger LOG = System.getLogger(PcapWriter.class.getPackageName());
    private static final short MAJOR = 2;
    private static final short MINOR = 4;
    private static final int LONGEST = 0xffff;
    private static final int BUFFER = 1 << 18;
    private static final int IPV4_HEADER = 20;
    private static final int IPV4_CHECK_SUM = 10;
    private static final int IPV4_ADDRESSES = 12;
    private static final int IPV6_HEADER = 40;
    private static final int IPV6_ADDRESSES = 8;
    private static final int UDP_HEADER = 8;
    private static final int UDP_CHECK_SUM = 6;
    private static final int UDP = 17;
    private static final int IPV4_VERSION = 0x45;
    private static final int IPV6_VERSION = 6;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final int USUAL_HOPS = 64;
    private static final int CLASS_SHIFT = 20;
    private static final int LABEL_MASK = 0xf_ffff;

    private final Path file;
    private final Counters counters;
    private final Fd output;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER).order(BIG_ENDIAN);
    private final ByteBuffer view = buffer.duplicate();
    private final long address = BufferUtil.address(buffer);
    private final UnsafeBuffer unwritten = new UnsafeBuffer(0, 0);
    private final Icrc icrc = new Icrc();
    private final long wallNanos;
    private final long startNanos = System.nanoTime();
    private volatile boolean pending;
    private long written;
    private boolean ended;
    /** Why the file ended before it was closed; null if it did not. */
    private RdmaException failure;

    PcapWriter(Path file, Counters counters) {
        this(file, create(file), counters);
    }

    /**
     * Begins a capture.
     *
     * @param file     what the output is called
     * @param output   closed by this, also where nothing can be written
     * @param counters of frames that could not be written
     * @throws RdmaException if nothing can be written
     */
    PcapWriter(Path file, Fd output, Counters counters) {
        this.file = file;
        this.output = output;
        this.counters = counters;
        final long millis = System.currentTimeMillis();
        wallNanos = TimeUnit.MILLISECONDS.toNanos(millis);
        putNative(MAGIC_NANOSECONDS);
        final boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        putNative(little ? MINOR << Short.SIZE | MAJOR : MAJOR << Short.SIZE | MINOR);
        putNative(0);
        putNative(0);
        putNative(LONGEST);
        putNative(LINKTYPE_RAW);
        flush();
        if (ended) {
            close();
        }
    }

    /** A new file, for its owner only: it has everything that was sent, and must not be somebody else's. */
    private static Fd create(Path file) {
        try {
            return Fd.create(file.toAbsolutePath().toString());
        } catch (final RdmaException e) {
            final RdmaException.Builder failure = RdmaException.of("open capture file").object(file).cause(e);
            throw switch (e.errno()) {
                case RdmaException.EEXIST -> failure.detail("there is such a file, or a symbolic link")
                    .errno(RdmaException.EEXIST).hint("remove it, or give another name").build();
                case RdmaException.ENOENT -> failure.detail("there is no folder '%s'",
                    file.toAbsolutePath().getParent()).errno(RdmaException.ENOENT).hint("make it, or name another")
                    .build();
                default -> failure.detail("it cannot be made: %s", e.getMessage()).errno(RdmaException.EIO)
                    .hint("give a name in a folder that exists and is yours").build();
            };
        }
    }

    private void putNative(int value) {
        buffer.putInt(ByteOrder.nativeOrder() == BIG_ENDIAN ? value : Integer.reverseBytes(value));
    }

    /**
     * Writes a frame.
     *
     * @param frame   with its source, destination and header
     * @param damaged the bit behind the network headers that went over; or -1
     */
    synchronized void write(Frame frame, int damaged) {
        final boolean ipv4 = isIpv4(frame.sourceGidHigh, frame.sourceGidLow)
            && isIpv4(frame.destGidHigh, frame.destGidLow);
        final int udpLength = UDP_HEADER + frame.length + Icrc.LENGTH;
        final int length = (ipv4 ? IPV4_HEADER : IPV6_HEADER) + udpLength;
        if (frame.length < Bth.LENGTH || !makeRoom(RECORD_HEADER + length)) {
            counters.increment(Counter.WIRE_NOT_CAPTURED);
            return;
        }
        final long now = wallNanos + System.nanoTime() - startNanos;
        putNative((int) TimeUnit.NANOSECONDS.toSeconds(now));
        putNative((int) (now % TimeUnit.SECONDS.toNanos(1)));
        putNative(length);
        putNative(length);
        final int ip = buffer.position();
        if (ipv4) {
            putIpv4(frame, length);
        } else {
            putIpv6(frame, udpLength);
        }
        final int udp = buffer.position();
        buffer.putShort((short) Icrc.PORT).putShort((short) Icrc.PORT).putShort((short) udpLength).putShort((short) 0);
        putFrame(frame, ipv4, damaged);
        final int addresses = ip + (ipv4 ? IPV4_ADDRESSES : IPV6_ADDRESSES);
        final int sum = ~fold(sum(addresses, udp - addresses) + sum(udp, udpLength) + UDP + udpLength) & 0xffff;
        buffer.putShort(udp + UDP_CHECK_SUM, (short) (sum == 0 ? -1 : sum));
        pending = true;
    }

    private static boolean isIpv4(long high, long low) {
        return high == 0 && low >>> Integer.SIZE == 0xffff;
    }

    private void putIpv4(Frame frame, int length) {
        final int at = buffer.position();
        buffer.put((byte) IPV4_VERSION).put((byte) frame.trafficClass).putShort((short) length);
        buffer.putShort((short) 0).putShort((short) DONT_FRAGMENT);
        buffer.put((byte) hops(frame)).put((byte) UDP).putShort((short) 0);
        buffer.putInt((int) frame.sourceGidLow).putInt((int) frame.destGidLow);
        buffer.putShort(at + IPV4_CHECK_SUM, (short) ~fold(sum(at, IPV4_HEADER)));
    }

    private void putIpv6(Frame frame, int udpLength) {
        buffer.putInt(IPV6_VERSION << Integer.SIZE - Integer.BYTES | (frame.trafficClass & 0xff) << CLASS_SHIFT
            | frame.flowLabel & LABEL_MASK);
        buffer.putShort((short) udpLength).put((byte) UDP).put((byte) hops(frame));
        buffer.putLong(frame.sourceGidHigh).putLong(frame.sourceGidLow);
        buffer.putLong(frame.destGidHigh).putLong(frame.destGidLow);
    }

    private static int hops(Frame frame) {
        return frame.hopLimit == 0 ? USUAL_HOPS : frame.hopLimit;
    }

    private void putFrame(Frame frame, boolean ipv4, int damaged) {
        final int at = buffer.position();
        UnsafeApi.copyMemory(frame.body, address + at, frame.length);
        view.limit(at + frame.length).position(at);
        final int sum = ipv4
            ? icrc.ofIpv4((int) frame.sourceGidLow, (int) frame.destGidLow, 0, Icrc.PORT, view)
            : icrc.ofIpv6(frame.sourceGidHigh, frame.sourceGidLow, frame.destGidHigh, frame.destGidLow, Icrc.PORT,
                view);
        buffer.position(at + frame.length);
        buffer.putInt(Integer.reverseBytes(sum));
        if (damaged >= 0) {
            final int where = at + damaged / Byte.SIZE;
            buffer.put(where, (byte) (buffer.get(where) ^ 1 << damaged % Byte.SIZE));
        }
    }

    /** The sum of 16-bit words, of which there are less than 2^16: it does not overflow. */
    private int sum(int from, int length) {
        int sum = 0;
        for (int at = from; at < from + length; at += Short.BYTES) {
            sum += buffer.getShort(at) & 0xffff;
        }
        return sum;
    }

    private static int fold(int sum) {
        final int once = (sum & 0xffff) + (sum >>> Short.SIZE);
        return (once & 0xffff) + (once >>> Short.SIZE);
    }

    private boolean makeRoom(int length) {
        if (buffer.remaining() < length) {
            flush();
        }
        return !ended && buffer.remaining() >= length;
    }

    /** Hands over to the kernel what was written. */
    void flushIfPending() {
        if (pending) {
            flush();
        }
    }

    private synchronized void flush() {
        pending = false;
        buffer.flip();
        try {
            while (buffer.hasRemaining() && !ended) {
                unwritten.wrap(address + buffer.position(), buffer.remaining());
                final int count = Libc.pwrite(output.fd(), unwritten, buffer.remaining(), written);
                buffer.position(buffer.position() + count);
                written += count;
            }
        } catch (final RdmaException e) {
            ended = true;
            counters.record(Counter.WIRE_NOT_CAPTURED, "%s ends here: %s", file, e.getMessage());
            failure = RdmaException.of("capture").object(file).detail("the file ends after %d bytes", written)
                .errno(e.errno()).hint("have it written where there is more room").cause(e).build();
            LOG.log(System.Logger.Level.WARNING,
                "the capture " + file + " ends here: " + e.getMessage() + "; everything else goes on");
        }
        buffer.clear();
    }

    /**
     * Writes what is left, and closes the file.
     *
     * @throws RdmaException if the file lacks frames since it could not be written; only the first time
     */
    @Override
    public synchronized void close() {
        flush();
        ended = true;
        final boolean empty = output.isOpen() && written <= FILE_HEADER;
        try {
            output.close();
            if (empty) {
                // A device may be opened once to see what it can do, and then again.
                Files.deleteIfExists(file);
            }
        } catch (final IOException | RdmaException e) {
            counters.record(Counter.WIRE_NOT_CAPTURED, "%s: %s", file, e);
        }
        final RdmaException why = failure;
        failure = null;
        if (why != null) {
            throw why;
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
