/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.control;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Spread;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * Measures how a queue pair with full queues goes to the error state, and counts that each work request is flushed
 * once. The send queue stays full because the peer has no receive posted.
 */
public final class QueueFlush implements CompletionHandler {
    private static final String USAGE = "usage: QueueFlush [--quick] [--doc FILE]";
    private static final int[] DEPTHS = {128, 1024, 16384};
    private static final int WARM_UP_DEPTH = 1024;
    private static final int WARM_UP = 400;
    private static final int LENGTH = 64;
    private static final int POLL_LIMIT = 64;

    private final int turns;
    private final BitSet flushed = new BitSet();
    private final RdmaContext context;
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private int completions;
    private String wrong;

    private QueueFlush(final boolean quick, final RdmaContext context) {
        turns = quick ? 50 : 200;
        this.context = context;
        pd = context.allocatePd();
        final PinnedMemory memory = context.allocate(LENGTH);
        region = pd.register(memory, AccessFlag.LOCAL_WRITE);
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if a work request is flushed twice, or not at all
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        try (RdmaContext context = RdmaDevices.open("emulated:flush")) {
            final List<String> table = new QueueFlush(arguments.quick(), context).run();
            table.forEach(System.out::println);
            arguments.writeDocument("flush", table);
        }
    }

    private List<String> run() {
        final List<String> lines = new ArrayList<>();
        lines.add("| sends posted | receives posted | to ERR µs | ns each | poll all µs | ns each | flushed |");
        lines.add("|--:|--:|--:|--:|--:|--:|---|");
        measure(WARM_UP_DEPTH, WARM_UP);
        for (final int depth : DEPTHS) {
            final double[] medians = measure(depth, turns);
            lines.add(String.format(Locale.ROOT, "| %,d | %,d | %.0f | %.1f | %.0f | %.1f | %,d, each once |", depth,
                depth, medians[0] / 1e3, medians[0] / 2 / depth, medians[1] / 1e3, medians[1] / 2 / depth,
                2 * depth));
        }
        lines.add("");
        lines.add("Medians of " + turns + " turns.");
        lines.addAll(Machine.describe());
        return lines;
    }

    private double[] measure(final int depth, final int times) {
        final long[] toError = new long[times];
        final long[] polled = new long[times];
        try (CompletionQueue cq = context.createCq(2 * depth);
            CompletionQueue peers = context.createCq(2);
            QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(depth).maxReceiveWr(depth))) {
            for (int i = 0; i < times; i++) {
                try (QueuePair peer = pd.createQp(new QpOptions().cq(peers).maxSendWr(1).maxReceiveWr(1))) {
                    QpConnector.connect(qp, peer.localAddress());
                    QpConnector.connect(peer, qp.localAddress());
                    fill(qp, depth);
                    final long began = System.nanoTime();
                    qp.modify(QpAttributes.to(QpState.ERR));
                    final long between = System.nanoTime();
                    drain(cq, 2 * depth);
                    polled[i] = System.nanoTime() - between;
                    toError[i] = between - began;
                }
                qp.modify(QpAttributes.to(QpState.RESET));
            }
        }
        return new double[] {median(toError), median(polled)};
    }

    /** The wr_ids of receives follow those of sends. */
    private void fill(final QueuePair qp, final int depth) {
        for (int i = 0; i < depth; i++) {
            require(qp.postReceive(depth + i, region.address(), LENGTH, region.lkey()));
        }
        for (int i = 0; i < depth; i++) {
            require(qp.postSend(i, region.address(), LENGTH, region.lkey()));
        }
    }

    private static void require(final int code) {
        if (code != ReturnCode.OK) {
            throw new IllegalStateException("post: " + ReturnCode.nameOf(code));
        }
    }

    private void drain(final CompletionQueue cq, final int expected) {
        flushed.clear();
        completions = 0;
        wrong = null;
        for (int polled = 1; polled > 0;) {
            polled = cq.poll(this, POLL_LIMIT);
        }
        if (wrong != null || completions != expected || flushed.cardinality() != expected) {
            throw new IllegalStateException(String.format("of %d work requests %d were flushed, by %d completions; %s",
                expected, flushed.cardinality(), completions, wrong));
        }
    }

    @Override
    public void onCompletion(final Completion completion) {
        completions++;
        flushed.set((int) completion.wrId());
        if (completion.status() != WcStatus.WR_FLUSH_ERR) {
            wrong = "wr_id " + completion.wrId() + " ended with " + completion.status();
        }
    }

    private static double median(final long[] values) {
        return Spread.of(Arrays.stream(values).asDoubleStream().toArray()).median();
    }
}
