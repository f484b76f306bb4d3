/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What it costs to find the receive of a tagged message: beside messages without tags, where the message is there
 * before its receive, and beside thousands of receives with other tags. One thread has both ends, so that the times are
 * work, not waiting.
 */
public final class TagMatching {
    /** By this its figures are called. */
    public static final String SECTION = "tags";
    private static final String USAGE = "usage: TagMatching [--quick] [--doc FILE] [DEVICE_ADDRESS]";
    private static final Duration DEADLINE = Duration.ofMinutes(10);
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int MOST = 10_000;
    private static final int BATCH = 16;
    private static final long OTHERS = 1L << 32;

    private final boolean quick;
    private final String address;
    private final Patience patience = Patience.of(DEADLINE);

    private TagMatching(final boolean quick, final String address) {
        this.quick = quick;
        this.address = address;
    }

    /** What is timed: a message there, and one back. */
    private enum Kind {
        PLAIN("without tags", false, false, 0),
        PLAIN_UNEXPECTED("without tags, there before its receive", false, true, 0),
        TAGGED("tagged", true, false, 0),
        UNEXPECTED("tagged, there before its receive", true, true, 0),
        BESIDE_10("tagged, beside 10 receives with other tags", true, false, 10),
        BESIDE_10_000("tagged, beside 10,000 receives with other tags", true, false, MOST);

        private final String title;
        private final boolean isTagged;
        private final boolean isUnexpected;
        private final int others;

        Kind(final String title, final boolean isTagged, final boolean isUnexpected, final int others) {
            this.title = title;
            this.isTagged = isTagged;
            this.isUnexpected = isUnexpected;
            this.others = others;
        }
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if the device fails
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final List<String> table = new TagMatching(arguments.quick(), arguments.operandOr("emulated:")).run();
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
    }

    private List<String> run() throws IOException {
        final int turns = quick ? 3 : 15;
        final double[][] nanos = new double[Kind.values().length][turns];
        try (RdmaContext context = RdmaDevices.open(address)) {
            final List<Pair> pairs = Arrays.stream(Kind.values()).map(kind -> new Pair(context, kind)).toList();
            // They take turns, as some machines are in a slow mode for a while.
            for (int turn = -3; turn < turns; turn++) {
                for (final Pair pair : pairs) {
                    final double median = pair.median(quick ? 2_000 : 20_000);
                    if (turn >= 0) {
                        nanos[pair.kind.ordinal()][turn] = median;
                    }
                }
            }
            pairs.forEach(Pair::close);
        }
        final List<String> lines = new ArrayList<>();
        lines.add("| 64 bytes there and back, RDM, one thread | p50 ns, median of turns | lowest | highest "
            + "| by the row without tags |");
        lines.add("|---|--:|--:|--:|--:|");
        Arrays.stream(nanos).forEach(Arrays::sort);
        Figures.writeForThisJdk(SECTION, Arrays.stream(Kind.values()).collect(Collectors.toMap(
            kind -> kind.name().toLowerCase(Locale.ROOT), kind -> nanos[kind.ordinal()][turns / 2])));
        for (final Kind kind : Kind.values()) {
            final double[] all = nanos[kind.ordinal()];
            lines.add(String.format(Locale.ROOT, "| %s | %.0f | %.0f | %.0f | %.2f |", kind.title, all[turns / 2],
                all[0], all[turns - 1], all[turns / 2] / nanos[Kind.PLAIN.ordinal()][turns / 2]));
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "%d turns of all rows, one after the other.", turns));
        lines.addAll(Machine.describe());
        return lines;
    }

    /** Two ends that belong to one row. */
    private final class Pair {
        final Kind kind;
        final End a;
        final End b;
        final long toA;
        final long toB;

        Pair(final RdmaContext context, final Kind kind) {
            this.kind = kind;
            a = new End(context, patience, kind);
            b = new End(context, patience, kind);
            toB = a.insert(b.address());
            toA = b.insert(a.address());
        }

        /** Of times of batches, each divided by the length of a batch. */
        double median(final int batches) {
            final long[] nanos = new long[batches];
            for (int i = 0; i < batches; i++) {
                final long before = System.nanoTime();
                for (int k = 0; k < BATCH; k++) {
                    pass(a, toB, b);
                    pass(b, toA, a);
                }
                nanos[i] = System.nanoTime() - before;
            }
            Arrays.sort(nanos);
            return nanos[batches / 2] / (double) BATCH;
        }

        private void pass(final End from, final long to, final End into) {
            if (!kind.isUnexpected) {
                into.receive();
            }
            from.send(to, into);
            if (kind.isUnexpected) {
                into.progress();
                into.receive();
            }
            while (!into.took()) {
                from.progress();
            }
        }

        void close() {
            a.close();
            b.close();
        }
    }

    /** An endpoint with a receive, and others that no message comes for. */
    private static final class End extends RdmNode {
        private final Kind kind;
        private long tag;
        private int received;

        End(final RdmaContext context, final Patience patience, final Kind kind) {
            super(context, patience, new EndpointOptions().sizes(BATCH, MOST + BATCH), 3 * LENGTH, 64, BATCH);
            this.kind = kind;
            for (int i = 0; i < kind.others; i++) {
                require(endpoint.tagged().receive(pinned.address() + 2 * LENGTH, LENGTH, region, FiAddr.UNSPEC,
                    OTHERS + i, 0, i));
            }
        }

        void receive() {
            tag++;
            require(kind.isTagged
                ? endpoint.tagged().receive(pinned.address() + LENGTH, LENGTH, region, FiAddr.UNSPEC, tag, 0, 0)
                : endpoint.receive(pinned.address() + LENGTH, LENGTH, region, FiAddr.UNSPEC, 0));
        }

        void send(final long to, final End peer) {
            final long wanted = peer.tag + (kind.isUnexpected ? 1 : 0);
            int code = trySend(to, wanted);
            while (code == -FiErrno.FI_EAGAIN) {
                progress();
                peer.progress();
                code = trySend(to, wanted);
            }
            require(code);
        }

        private int trySend(final long to, final long wanted) {
            return kind.isTagged ? endpoint.tagged().send(pinned.address(), LENGTH, region, to, wanted, 0)
                : endpoint.send(pinned.address(), LENGTH, region, to, 0);
        }

        boolean took() {
            progress();
            if (received == 0) {
                return false;
            }
            received--;
            return true;
        }

        @Override
        public void onCompletion(final CompletionEntry entry) {
            if (entry.isError()) {
                errno = entry.errno();
            } else if (entry.kind() == OperationKind.RECEIVE || entry.kind() == OperationKind.TAGGED_RECEIVE) {
                received++;
            }
        }
    }
}
