/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import io.rdma4j.benchmarks.harness.AeronNode;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.roundtrip.Exchange;
import io.rdma4j.tools.traffic.Answering;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** The process at the other end: does what {@link WireFork} says, line by line. */
final class WirePeer implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofMinutes(5);

    private final ControlLine control;
    private final Patience patience = Patience.of(DEADLINE);
    private RdmaContext context;

    private WirePeer(final ControlLine control) {
        this.control = control;
    }

    public static void main(final String[] args) throws Exception {
        final Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        try (ControlLine control = new ControlLine(socket); WirePeer peer = new WirePeer(control)) {
            String[] words = control.hear().split(" ");
            while (!words[0].equals("end")) {
                peer.obey(words);
                words = control.hear().split(" ");
            }
        }
    }

    private void obey(final String[] words) throws IOException {
        switch (words[0]) {
            case "open":
                context = RdmaDevices.open(words[1]);
                control.say("opened");
                break;
            case "close":
                close();
                control.say("closed");
                break;
            case "perf":
                answer(WireWork.valueOf(words[1]));
                break;
            case "udp":
                pongUdp(Long.parseLong(words[1]), Integer.parseInt(words[2]));
                break;
            case "aeron":
                pongAeron(Long.parseLong(words[1]), words[2]);
                break;
            default:
                throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private void answer(final WireWork work) {
        final InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Answering answering = Answering.perf(context, work.options(null), anyPort)) {
            final long before = Allocated.bytes();
            control.say(answering.address().getPort());
            answering.run();
            control.say(Allocated.bytes() - before);
        }
    }

    private void pongUdp(final long count, final int port) throws IOException {
        try (UdpExchange exchange = new UdpExchange(patience)) {
            exchange.connect(port);
            control.say(exchange.port());
            pong(exchange, count);
        }
    }

    private void pongAeron(final long count, final String directory) {
        try (AeronEnd exchange = new AeronEnd(new AeronNode(directory), patience, false)) {
            control.say("published");
            exchange.subscribe();
            pong(exchange, count);
            control.say("answered");
        }
    }

    private static void pong(final Exchange exchange, final long count) {
        for (long n = 0; n < count; n++) {
            exchange.pong(n);
        }
    }

    @Override
    public void close() {
        if (context != null) {
            context.close();
            context = null;
        }
    }
}
