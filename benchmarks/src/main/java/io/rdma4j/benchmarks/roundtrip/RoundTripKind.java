/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.SocketPair;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What makes a round trip of 64 bytes. */
enum RoundTripKind {
    FLOOR("cache line bounced (F)", 2, patience -> new CacheLineExchange(patience)),
    RINGS("two Agrona one-to-one rings", 2, patience -> new RingPairExchange(patience)),
    LINES("the lines of a SEND alone", 2, patience -> new SendLinesExchange(patience)),
    AERON("Aeron IPC", 2, patience -> new AeronExchange(patience)),
    UNIX("Java NIO, Unix domain socket", 2,
        patience -> new SocketExchange(SocketPair.unix(patience))),
    TCP("Java NIO, TCP over loopback", 2, patience -> new SocketExchange(SocketPair.tcp(patience))),
    SEND("RC SEND", 2, Feature.UNSIGNALED, LeanSendExchange::new),
    SIMPLE_SEND("RC SEND, the simple way", 2, null, SendExchange::new),
    FABRIC_SEND("fabric send", 2, null,
        (context, patience) -> new FabricExchange(context, patience, false, false)),
    RDM("reliable datagrams (RDM) send", 2, null, RdmExchange::new),
    WRITE("RDMA WRITE, memory polled", 2, Feature.RDMA_WRITE, WriteExchange::new),
    FABRIC_WRITE("fabric write, keys of the device, memory polled", 2, Feature.RDMA_WRITE,
        (context, patience) -> new FabricExchange(context, patience, true, false)),
    FABRIC_WRITE_KEYS("fabric write, keys of the application, memory polled", 2, Feature.RDMA_WRITE,
        (context, patience) -> new FabricExchange(context, patience, true, true)),
    READ("RDMA READ", 1, Feature.RDMA_READ, ReadExchange::new),
    SWAP("compare-and-swap of 8 bytes", 1, Feature.ATOMICS, SwapExchange::new);

    private final String title;
    private final int threads;
    private final boolean device;
    private final Feature needed;
    private final BiFunction<RdmaContext, Patience, Exchange> factory;

    /** A yardstick. */
    RoundTripKind(final String title, final int threads, final Function<Patience, Exchange> factory) {
        this(title, threads, false, null, (context, patience) -> factory.apply(patience));
    }

    /** Something that goes through a device, which may need a feature for it. */
    RoundTripKind(final String title, final int threads, final Feature needed,
        final BiFunction<RdmaContext, Patience, Exchange> factory) {
        this(title, threads, true, needed, factory);
    }

    RoundTripKind(final String title, final int threads, final boolean device, final Feature needed,
        final BiFunction<RdmaContext, Patience, Exchange> factory) {
        this.title = title;
        this.threads = threads;
        this.device = device;
        this.needed = needed;
        this.factory = factory;
    }

    String title() {
        return title;
    }

    int threads() {
        return threads;
    }

    /** Whether it goes through a device. */
    boolean needsDevice() {
        return device;
    }

    boolean isPossible(final RdmaContext context) {
        return needed == null || context.supports(needed);
    }

    /** System calls take tens of times as long as memory: fewer of those tell as much. */
    int patienceDivisor() {
        return this == UNIX || this == TCP ? 16 : 1;
    }

    Exchange open(final RdmaContext context, final Patience patience) {
        return factory.apply(context, patience);
    }

    /** By this its figures are called. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
