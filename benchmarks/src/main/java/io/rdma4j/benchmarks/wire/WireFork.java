/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import io.rdma4j.benchmarks.harness.AeronNode;
import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.roundtrip.Exchange;
import io.rdma4j.tools.traffic.Perf;
import io.rdma4j.tools.traffic.PerfRow;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One pair of processes of {@link Wire}: this one measures, a {@link WirePeer} answers. Leaves figures: {@code
 * CARRIER.WORK} and {@code CARRIER.WORK.bytes}, which both ends allocate for an operation.
 */
final class WireFork {
    private static final Duration DEADLINE = Duration.ofMinutes(9);
    /** Of the first work of each wire, however short the others are: until then its code is interpreted. */
    private static final Duration FIRST_WARM_UP = Duration.ofSeconds(1);
    private static final int ACCEPT_MILLIS = 60_000;
    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(10);
    private static final int DIGITS = 3;
    private static final double MICROS = 1_000;
    private static final int MEDIAN = 50;
    /** So much more may the two ends of one run allocate besides than those of another one: seen, 66 KB. */
    private static final int BESIDES = 1 << 17;
    private static final int SHORT = 4;
    /** It neither compiles nor yields: fewer do, and on a busy machine each takes long. */
    private static final int FI_SHARE = 10;
    private static final int FI_SMALL = 64;
    private static final int FI_LONG = 1 << 16;

    private final Duration duration;
    private final int trips;
    private final Patience patience = Patience.of(DEADLINE);
    private final ControlLine control;
    private final Map<String, Double> figures = new TreeMap<>();

    private WireFork(final ControlLine control, final Duration duration) {
        this.control = control;
        this.duration = duration;
        trips = (int) duration.toMillis() * 20;
    }

    public static void main(final String[] args) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout(ACCEPT_MILLIS);
            final Thread peer = new Thread(() -> runPeer(listener.getLocalPort()), "peer");
            peer.start();
            try (ControlLine control = new ControlLine(listener.accept())) {
                final WireFork fork = new WireFork(control, Duration.ofMillis(Long.parseLong(args[0])));
                fork.measure();
                control.say("end");
                Figures.write(ChildJvm.SECTION, fork.figures);
            } finally {
                peer.join(ACCEPT_MILLIS); // It ends with the control line.
                peer.interrupt();
            }
        }
    }

    private static void runPeer(final int port) {
        try {
            ChildJvm.run(List.of(), WirePeer.class, List.of(Integer.toString(port)), DEADLINE);
        } catch (final IOException e) {
            System.err.println("the other process: " + e.getMessage());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void measure() throws Exception {
        overWire("shm", "emulated:a?wire=shm", "emulated:b?wire=shm", List.of(WireWork.values()));
        aeron();
        copies();
        overWire("udp", "emulated:a?wire=udp&address=127.0.47.2", "emulated:b?wire=udp&address=127.0.47.3",
            WireWork.OVER_UDP);
        udp();
        inProcess();
        if (FiPingpong.isInstalled()) {
            libfabric("shm");
            libfabric("udp");
            libfabric("tcp");
        }
    }

    private void overWire(final String carrier, final String here, final String there, final List<WireWork> works)
        throws IOException {
        control.say("open", there);
        control.hear();
        try (RdmaContext context = RdmaDevices.open(here)) {
            play(works.get(0), context, FIRST_WARM_UP);
            for (final WireWork work : works) {
                System.err.println(carrier + ": " + work.title());
                perf(carrier + '.' + work.key(), work, context);
            }
        }
        control.say("close");
        control.hear();
    }

    /** What the two ends allocate to begin with is about the same in a short and in a long run. */
    private void perf(final String key, final WireWork work, final RdmaContext context) throws IOException {
        play(work, context, duration); // To warm up.
        final Played few = play(work, context, duration.dividedBy(SHORT));
        final Played many = play(work, context, duration);
        figures.put(key, work.figure(many.row));
        final long operations = many.row.iterations() - few.row.iterations();
        if (operations > 0) {
            figures.put(key + ".bytes", Math.max(0, many.bytes - few.bytes - BESIDES) / (double) operations);
        }
    }

    private Played play(final WireWork work, final RdmaContext context, final Duration time) throws IOException {
        control.say("perf", work.name());
        final int port = Integer.parseInt(control.hear());
        final Perf perf = Perf.withServer(context, work.options(time),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        final long before = Allocated.bytes();
        final PerfRow row = perf.run().rows().get(0);
        final long here = Allocated.bytes() - before;
        return new Played(row, here + Long.parseLong(control.hear()));
    }

    private void inProcess() {
        try (RdmaContext context = RdmaDevices.open("emulated:")) {
            Perf.inOneProcess(context, context, WireWork.SEND_TRIP.options(FIRST_WARM_UP)).run();
            for (final WireWork work : WireWork.values()) {
                System.err.println("in one process: " + work.title());
                Perf.inOneProcess(context, context, work.options(duration)).run();
                figures.put("local." + work.key(),
                    work.figure(Perf.inOneProcess(context, context, work.options(duration)).run().rows().get(0)));
            }
        }
    }

    private void aeron() throws IOException {
        System.err.println("Aeron IPC");
        final AeronNode node = new AeronNode();
        try (AeronEnd exchange = new AeronEnd(node, patience, true)) {
            control.say("aeron", trips, node.directory());
            control.hear();
            exchange.subscribe();
            figures.put("aeron", ping(exchange));
            control.hear();
        }
    }

    private void udp() throws IOException {
        System.err.println("Java NIO, UDP");
        try (UdpExchange exchange = new UdpExchange(patience)) {
            control.say("udp", trips, exchange.port());
            exchange.connect(Integer.parseInt(control.hear()));
            figures.put("nio", ping(exchange));
        }
    }

    /** The first half warms up. */
    private double ping(final Exchange exchange) {
        final Histogram histogram = new Histogram(HIGHEST, DIGITS);
        long before = System.nanoTime();
        for (long n = 0; n < trips; n++) {
            exchange.ping(n);
            final long now = System.nanoTime();
            if (n >= trips / 2) {
                histogram.recordValue(now - before);
            }
            before = now;
        }
        return histogram.getValueAtPercentile(MEDIAN) / MICROS;
    }

    private void copies() {
        for (final WireWork work : List.of(WireWork.SEND_64K, WireWork.SEND_1M)) {
            final UnsafeBuffer from = new UnsafeBuffer(ByteBuffer.allocateDirect(work.bytes()));
            final UnsafeBuffer to = new UnsafeBuffer(ByteBuffer.allocateDirect(work.bytes()));
            copy(from, to);
            figures.put("copy." + work.bytes(), copy(from, to));
        }
    }

    private double copy(final UnsafeBuffer from, final UnsafeBuffer to) {
        final long began = System.nanoTime();
        long bytes = 0;
        long nanos = 0;
        while (nanos < duration.toNanos() / SHORT) {
            to.putBytes(0, from, 0, from.capacity());
            bytes += from.capacity();
            nanos = System.nanoTime() - began;
        }
        return (double) bytes / nanos;
    }

    /** A yardstick that does not work here is left out. */
    private void libfabric(final String provider) throws InterruptedException {
        System.err.println("libfabric, " + provider);
        final String name = provider.equals("udp") ? "udp;ofi_rxd" : provider.equals("tcp") ? "tcp;ofi_rxm" : provider;
        try {
            figures.put("fi." + provider, 2 * FiPingpong.run(name, FI_SMALL, trips / FI_SHARE).usec());
            figures.put("fi." + provider + ".64k", FiPingpong.run(name, FI_LONG, trips / FI_SHARE).gigabytes());
        } catch (final IOException e) {
            System.err.println(e.getMessage());
        }
    }

    private record Played(PerfRow row, long bytes) {
    }
}
