/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.benchmarks.harness.Completions;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a WRITE costs when each names another region than the one before. Regions lie side by side, or begin a page
 * each: then as many pages of the address space are touched as there are regions.
 */
final class ScalingRegions {
    private static final int[] COUNTS = {1, 10, 100, 1_000, 10_000};
    /** What has goals. */
    private static final int[] QUICK_COUNTS = {1, 10_000};
    private static final int MESSAGES = 20_000;
    private static final String[] ORDERS = {"in turn", "random"};
    private static final String[] LAYOUTS = {"packed", "paged"};
    /** Source and target of two threads. */
    private static final int REGION = 4 * Sizes.MESSAGE;
    private static final int PAGE = 1 << 12;
    /** Each row has a device of its own, whose table has its regions only. */
    private static final String ADDRESS = "emulated:regions-%d-%s";
    private static final AccessFlag[] RIGHTS = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE};

    private final ScalingSamples samples;
    private final int turns;
    private final boolean quick;

    ScalingRegions(final ScalingSamples samples, final int turns, final boolean quick) {
        this.samples = samples;
        this.turns = turns;
        this.quick = quick;
    }

    void run() throws IOException, InterruptedException {
        try (ScalingTurns rows = new ScalingTurns()) {
            for (final int count : quick ? QUICK_COUNTS : COUNTS) {
                rows.add(row(rows.open(String.format(Locale.ROOT, ADDRESS, count, LAYOUTS[0])), count, false));
                if (!quick) {
                    rows.add(row(rows.open(String.format(Locale.ROOT, ADDRESS, count, LAYOUTS[1])), count, true));
                }
            }
            rows.play(turns, samples);
        }
    }

    private ScalingTurns.Row row(final RdmaContext context, final int count, final boolean paged) {
        final Patience patience = new Patience();
        final ProtectionDomain pd = context.allocatePd();
        final MemoryRegion[] regions = regions(context, pd, count, paged);
        final Writer one = new Writer(pd, regions, 0, patience);
        final Writer other = new Writer(pd, regions, 1, patience);
        return to -> {
            for (final boolean randomly : new boolean[] {false, true}) {
                final String place = key(count, paged, randomly);
                one.write(count, randomly);
                final long began = System.nanoTime();
                one.write(MESSAGES, randomly);
                to.add(place + "one", (double) (System.nanoTime() - began) / MESSAGES);
                if (!quick) {
                    to.add(place + "two", (double) ScalingWork.both(n -> one.write(n, randomly),
                        n -> other.write(n, randomly), count, MESSAGES, patience) / (2 * MESSAGES));
                }
            }
        };
    }

    private static String key(final int count, final boolean paged, final boolean randomly) {
        return "regions." + count + (paged ? ".paged." : ".packed.") + (randomly ? "random." : "turn.");
    }

    /** Those that begin a page each do not begin with it: one place in all pages would be one set in the cache. */
    private static MemoryRegion[] regions(
        final RdmaContext context, final ProtectionDomain pd, final int count, final boolean paged) {
        final long stride = paged ? PAGE : REGION;
        final PinnedMemory memory = context.allocate(count * stride);
        final MemoryRegion[] regions = new MemoryRegion[count];
        for (int i = 0; i < count; i++) {
            final long shift = paged ? (long) i * REGION % PAGE : 0;
            regions[i] = pd.register(memory.address() + i * stride + shift, REGION, memory, RIGHTS);
        }
        return regions;
    }

    /** A queue pair whose WRITEs go from one half of a region into the other. */
    private static final class Writer {
        private static final int LENGTH = Sizes.MESSAGE;
        private static final int QUEUE = 16;

        private final Completions completions;
        private final ScalingOrder order;
        private final QueuePair qp;
        private final long[] addresses;
        private final int[] lkeys;
        private final int[] rkeys;
        private final SendRequest request = new SendRequest();

        Writer(final ProtectionDomain pd, final MemoryRegion[] regions, final int half,
            final Patience patience) {
            final CompletionQueue cq = pd.context().createCq(8 * QUEUE);
            completions = new Completions(cq, patience);
            order = new ScalingOrder(regions.length);
            qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(QUEUE).maxReceiveWr(1));
            final QueuePair peer = pd.createQp(new QpOptions().cq(cq).maxSendWr(1).maxReceiveWr(1));
            QpConnector.connect(qp, peer.localAddress());
            QpConnector.connect(peer, qp.localAddress(),
                new QpAttributes().accessFlags(Set.of(RIGHTS)));
            addresses = new long[regions.length];
            lkeys = new int[regions.length];
            rkeys = new int[regions.length];
            for (int i = 0; i < regions.length; i++) {
                addresses[i] = regions[i].address() + 2L * half * LENGTH;
                lkeys[i] = regions[i].lkey();
                rkeys[i] = regions[i].rkey();
            }
            request.opcode(SendOpcode.RDMA_WRITE).flags(SendRequest.SIGNALED);
        }

        void write(final long times, final boolean randomly) {
            for (long n = 0; n < times; n++) {
                final int i = order.next(randomly);
                final int code = qp.postSend(request.sge(addresses[i], LENGTH, lkeys[i])
                    .remote(addresses[i] + LENGTH, rkeys[i]));
                if (code != ReturnCode.OK) {
                    throw new IllegalStateException("post write: " + ReturnCode.nameOf(code));
                }
                completions.await(1);
            }
        }
    }

    static List<String> table(final ScalingSamples samples) {
        final List<String> lines = new ArrayList<>();
        lines.add("| regions | order | side by side, 1 thread, ns | 2 threads | a page each, 1 thread | 2 threads |");
        lines.add("|--:|---|--:|--:|--:|--:|");
        for (final int count : COUNTS) {
            for (int order = 0; order < ORDERS.length; order++) {
                final StringBuilder row =
                    new StringBuilder(String.format(Locale.ROOT, "| %,d | %s ", count, ORDERS[order]));
                for (int layout = 0; layout < LAYOUTS.length; layout++) {
                    final String place = key(count, layout == 1, order == 1);
                    row.append("| ").append(samples.cell(place + "one")).append(" | ")
                        .append(samples.cell(place + "two")).append(' ');
                }
                if (samples.has(key(count, false, order == 1) + "one")) {
                    lines.add(row.append('|').toString());
                }
            }
        }
        return lines;
    }
}
