/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.control;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.av.AddressVectors;
import io.rdma4j.fabric.av.AvHost;
import io.rdma4j.fabric.av.AvStores;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.verbs.Gid;
import java.lang.reflect.Proxy;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Address vectors full of addresses of 16 endpoints per node: names to addresses, as sends need it, and back, as
 * receives do. To insert and to remove them all is one step each.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AddressVectorBenchmark {
    static final int SERVICES = 16;
    private static final long GID_HIGH = 0xfe80_0000_0000_0000L;
    private static final int LEAST_ORDER = 1 << 16;
    /** So many looks for each place, drawn at random, leave one of fifty out. */
    private static final int LOOKS = 4;
    private static final int FEW = 64;
    /** An address has 32 bytes. */
    private static final int WORDS = 4;

    /** TABLE, MAP or SYMMETRIC, which is a TABLE with that hint. */
    @Param({"TABLE", "MAP", "SYMMETRIC"})
    private String type;

    /** How many there are. */
    @Param({"1000", "1000000"})
    private int entries;

    private PeerTable vector;
    private long[] names;
    private final PeerAddress peer = new PeerAddress();
    private int[] order;
    /** Names in that order, side by side: whoever sends to any peer has its name, and need not look for it. */
    private long[] some;
    /** As much memory as the addresses have, for what a look at any of it costs by itself. */
    private long[] memory;
    private int next;

    /** For JMH. */
    public AddressVectorBenchmark() {
        // Set up below.
    }

    /** A domain without a device. */
    private static final class Host implements AvHost {
        private final FabricInfo info = standIn(FabricInfo.class, null);
        private final Domain domain = standIn(Domain.class, info);

        private static <T> T standIn(final Class<T> type, final Object value) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (proxy, method, arguments) -> method.getReturnType() == AddressFormat.class ? AddressFormat.DEVICE
                    : method.getReturnType() == EndpointType.class ? EndpointType.RDM : value));
        }

        @Override
        public Domain domain() {
            return domain;
        }

        @Override
        public Fabric fabric() {
            return null;
        }

        @Override
        public AvStores stores() {
            return null;
        }

        @Override
        public void opened(final AddressVector opened) {
            // Nobody counts.
        }

        @Override
        public void closed(final AddressVector closed) {
            // Nobody counts.
        }
    }

    static AddressVector open(final String type) {
        final boolean symmetric = type.equals("SYMMETRIC");
        final AvAttributes attributes = new AvAttributes().type(symmetric ? AvType.TABLE : AvType.valueOf(type));
        return AddressVectors.open(new Host(), symmetric ? attributes.flags(AvFlag.SYMMETRIC) : attributes);
    }

    static UnsafeBuffer addresses(final int entries) {
        final int size = FabricAddress.size(AddressFormat.DEVICE);
        final UnsafeBuffer all = new UnsafeBuffer(new byte[entries * size]);
        for (int i = 0; i < entries; i++) {
            all.putBytes(i * size, FabricAddress.device(
                new Gid(GID_HIGH, 1 + i / SERVICES), 1 + i % SERVICES, 0x1ee7, EndpointType.RDM).bytes());
        }
        return all;
    }

    /**
     * Places that are looked at one after the other, and again from the first; a power of two of them. With fewer than
     * there are entries a cache would hold all that is ever looked at.
     */
    static int[] order(final int entries) {
        final SplittableRandom random = new SplittableRandom(5);
        final int[] order = new int[Math.max(LEAST_ORDER, BitUtil.findNextPositivePowerOfTwo(LOOKS * entries))];
        for (int i = 0; i < order.length; i++) {
            order[i] = random.nextInt(entries);
        }
        return order;
    }

    /** Fills it, and decides on an order of peers. */
    @Setup
    public void fill() {
        final AddressVector opened = open(type);
        names = new long[entries];
        if (opened.insert(addresses(entries), 0, entries, names, null) != entries) {
            throw new IllegalStateException(opened + " lacks some of " + entries);
        }
        vector = (PeerTable) opened;
        order = order(entries);
        some = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            some[i] = names[order[i]];
        }
        memory = new long[entries * WORDS];
    }

    private int find(final long name) {
        if (!vector.find(name, peer)) {
            throw new IllegalStateException("address " + name + " is gone");
        }
        return peer.qpn();
    }

    /**
     * The same few peers again and again.
     *
     * @return a queue pair number
     */
    @Benchmark
    public int findOneOfFew() {
        return find(names[next++ & FEW - 1]);
    }

    /**
     * One peer after the other, as in an exchange of all with all.
     *
     * @return a queue pair number
     */
    @Benchmark
    public int findNext() {
        next = next + 1 == entries ? 0 : next + 1;
        return find(names[next]);
    }

    /**
     * Any peer: memory that no cache has, with many.
     *
     * @return a queue pair number
     */
    @Benchmark
    public int findAny() {
        return find(some[next++ & some.length - 1]);
    }

    /**
     * A read of any place in as much memory.
     *
     * @return what is there
     */
    @Benchmark
    public long readAny() {
        return memory[order[next++ & order.length - 1] * WORDS];
    }

    private long source(final int i) {
        return vector.source(GID_HIGH, 1 + i / SERVICES, 1 + i % SERVICES);
    }

    /**
     * The name of one of a few senders.
     *
     * @return the name
     */
    @Benchmark
    public long sourceOneOfFew() {
        return source(next++ & FEW - 1);
    }

    /**
     * The name of any sender.
     *
     * @return the name
     */
    @Benchmark
    public long sourceAny() {
        return source(order[next++ & order.length - 1]);
    }
}
