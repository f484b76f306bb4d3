/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.traffic.Operation;
import io.rdma4j.tools.traffic.PerfOptions.Load;
import io.rdma4j.tools.traffic.PerfOptions.Queues;
import io.rdma4j.tools.traffic.PerfOptions;
import io.rdma4j.tools.traffic.PerfTest;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.RdmaContext;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** What shapes a run of {@code rdma4j perf}: perftest's letters with perftest's meanings. */
final class PerfArguments {
    private static final int LARGEST_POWER = 23;
    /** More would have to be kept, and read by somebody. */
    private static final long MOST_SAMPLES = 10_000_000;
    private static final long LEAST_ITERATIONS = 5;

    @ArgGroup
    private Sizes sizes = new Sizes();

    @ArgGroup
    private Length length = new Length();

    @Option(names = "--warmup", paramLabel = "ITERS", converter = Converters.WarmupIterations.class,
        description = "Iterations before each size that are not counted. Default: as many as fit into half a second "
            + "before the first, and into a twentieth before others")
    private Long warmup;

    @Option(names = {"-q", "--qp"}, paramLabel = "QPS", converter = Count.class,
        description = "Queue pairs of a bandwidth test. Default: 1")
    private Integer qps;

    @Option(names = {"-Q", "--cq-mod"}, paramLabel = "MESSAGES", converter = Count.class,
        description = "Of a bandwidth test: every so many messages one makes a completion. Default: 100, msg_rate 64, "
            + "at most -t")
    private Integer cqMod;

    @Option(names = {"-t", "--tx-depth"}, paramLabel = "MESSAGES", converter = Count.class,
        description = "Of a bandwidth test: messages of a QP that may be under way. Default: 128, msg_rate 256")
    private Integer txDepth;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "RECEIVES", converter = Count.class,
        description = "Receives of a QP, for SENDs. Default: 512")
    private Integer rxDepth;

    @Option(names = {"-l", "--post_list"}, paramLabel = "MESSAGES", converter = Count.class,
        description = "Of a bandwidth test: messages that are posted at a time. Default: 1, msg_rate 16")
    private Integer postList;

    @Option(names = {"-I", "--inline_size"}, paramLabel = "BYTES", converter = Converters.Size.class,
        description = "Messages up to this size are copied when they are posted. Default: 0")
    private Integer inline;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", converter = Converters.PathMtu.class,
        completionCandidates = Converters.PathMtu.class,
        description = "Path MTU: 256, 512, 1024, 2048 or 4096. Default: the port's")
    private Mtu mtu;

    @Option(names = {"-o", "--outs"}, paramLabel = "COUNT", converter = Count.class,
        description = "READs and atomics of a QP under way. Default: as many as the device can, up to "
            + PerfOptions.MOST_OUTS)
    private Integer outs;

    @Option(names = {"-A", "--atomic_type"}, paramLabel = "TYPE", converter = Atomics.class,
        description = "FETCH_AND_ADD or CMP_AND_SWAP. Default: FETCH_AND_ADD")
    private Atomic atomic;

    @Option(names = {"-c", "--connection"}, paramLabel = "RC", converter = Connections.class,
        description = "Type of connection: RC is the only one.")
    @SuppressWarnings("unused") // Its converter has looked at it.
    private String connection;

    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", converter = OnlyPort.class,
        description = "Port of the device: 1 is the only one.")
    @SuppressWarnings("unused") // Its converter has looked at it.
    private Integer devicePort;

    /** Which sizes; one of the two. */
    static final class Sizes {
        @Option(names = {"-s", "--size"}, paramLabel = "BYTES", converter = Converters.Size.class,
            description = "Size of a message, such as 0, 64, 4k or 1m. Default: 2 for latencies, 64k for bandwidths, 8 "
                + "for msg_rate")
        private Integer bytes;

        @Option(names = {"-a", "--all"}, description = "All powers of two from 2 to 2^23, as far as the device goes.")
        private boolean all;
    }

    /** How long with each size; one of the two. */
    static final class Length {
        @Option(names = {"-n", "--iters"}, paramLabel = "ITERS", converter = Converters.Iterations.class,
            description = "Round trips, or messages of each QP. Default: 1000, write_bw 5000, msg_rate 1000000")
        private Long iterations;

        @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS", converter = Converters.Seconds.class,
            description = "Time to measure, however much fits.")
        private Duration duration;
    }

    /** Reads names of tests. */
    static final class Tests implements ITypeConverter<PerfTest>, Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(PerfTest.values()).map(PerfTest::option).iterator();
        }

        @Override
        public PerfTest convert(final String value) {
            for (final PerfTest test : PerfTest.values()) {
                if (test.option().equals(value)) {
                    return test;
                }
            }
            throw new TypeConversionException("'" + value + "' is none of " + String.join(", ", this));
        }
    }

    /** A number of things. */
    static final class Count implements ITypeConverter<Integer> {
        private static final int MOST = 65536;

        @Override
        public Integer convert(final String value) {
            if (value.matches("\\d{1,5}")) {
                final int count = Integer.parseInt(value);
                if (count >= 1 && count <= MOST) {
                    return count;
                }
            }
            throw new TypeConversionException("'" + value + "' is not a number from 1 to " + MOST);
        }
    }

    /** Kinds of atomics. */
    private enum Atomic {
        FETCH_AND_ADD, CMP_AND_SWAP
    }

    /** Reads kinds of atomics. */
    static final class Atomics implements ITypeConverter<Atomic> {
        @Override
        public Atomic convert(final String value) {
            for (final Atomic atomic : Atomic.values()) {
                if (atomic.name().equals(value)) {
                    return atomic;
                }
            }
            throw new TypeConversionException("'" + value + "' is neither FETCH_AND_ADD nor CMP_AND_SWAP");
        }
    }

    /** Reliable connections. */
    static final class Connections implements ITypeConverter<String> {
        @Override
        public String convert(final String value) {
            if (!value.equals("RC")) {
                throw new TypeConversionException("'" + value + "' is not offered, RC is; datagrams are measured by "
                    + "rdma4j pingpong --ud");
            }
            return value;
        }
    }

    /** The port that connections are made on. */
    static final class OnlyPort implements ITypeConverter<Integer> {
        @Override
        public Integer convert(final String value) {
            if (!value.equals("1")) {
                throw new TypeConversionException("'" + value + "' is not port 1, the only one that is measured");
            }
            return 1;
        }
    }

    PerfOptions options(final CommandLine command, final PerfTest test, final boolean samples,
        final boolean oneThread, final Duration timeout) {
        refuseWhatDoesNotFit(command, test, samples);
        final int tx = or(txDepth, test.defaultTxDepth());
        final Load load = new Load(sizes(test), or(length.iterations, test.defaultIterations()), length.duration,
            warmup, samples, atomic == Atomic.CMP_AND_SWAP);
        if (samples && load.iterations() > MOST_SAMPLES) {
            throw wrong(command, "Invalid value for option '--iters' (ITERS): '-H' and '-U' keep at most "
                + MOST_SAMPLES + " times");
        }
        return new PerfOptions(test, load, new Queues(or(qps, 1), Math.min(tx, or(cqMod, test.defaultCqMod())), tx,
            or(rxDepth, test.defaultRxDepth()), Math.min(tx, or(postList, test.defaultPostList())), or(inline, 0), mtu,
            or(outs, 0)), oneThread, timeout);
    }

    /** perftest has no words for the rest; and does not warm up, so neither does who plays with it. */
    void requireFitForPerftest(final CommandLine command, final PerfTest test, final boolean isHere) {
        final String peer = "--peer";
        refuse(command, isHere, peer, "it needs '--server' or HOST");
        refuse(command, test == PerfTest.MSG_RATE, peer, "perftest has no msg_rate; 'send_bw -s 8' is like it");
        refuse(command, sizes.all, peer, "one size at a time; give '-s' instead of '-a'");
        refuse(command, length.duration != null, peer, "both ends count; give '-n' instead of '-D'");
        refuse(command, or(qps, 1) != 1, peer, "one QP at a time; leave '-q' out");
        refuse(command, or(warmup, 0L) > 0, peer, "perftest does not warm up; leave '--warmup' out");
        refuse(command, or(sizes.bytes, 1) == 0, peer, "perftest sends one byte at least");
        refuse(command, or(length.iterations, LEAST_ITERATIONS) < LEAST_ITERATIONS, peer,
            "perftest does " + LEAST_ITERATIONS + " iterations at least");
        warmup = 0L;
    }

    private static int or(final Integer value, final int otherwise) {
        return value == null ? otherwise : value;
    }

    private static long or(final Long value, final long otherwise) {
        return value == null ? otherwise : value;
    }

    private List<Integer> sizes(final PerfTest test) {
        if (!sizes.all) {
            return List.of(or(sizes.bytes, test.defaultBytes()));
        }
        final List<Integer> all = new ArrayList<>();
        for (int power = 1; power <= LARGEST_POWER; power++) {
            all.add(1 << power);
        }
        return all;
    }

    private void refuseWhatDoesNotFit(final CommandLine command, final PerfTest test, final boolean samples) {
        final boolean latency = test.isLatency();
        refuse(command, latency && qps != null, "--qp", "a latency test has one QP");
        refuse(command, latency && cqMod != null, "--cq-mod", "in a latency test each message makes a completion");
        refuse(command, latency && txDepth != null, "--tx-depth", "in a latency test one message is under way");
        refuse(command, latency && postList != null, "--post_list", "in a latency test one message is under way");
        refuse(command, samples && !latency, "--report-histogram", "a bandwidth test has no single times");
        refuse(command, samples && length.duration != null, "--report-histogram", "it needs a number of iterations, "
            + "'-n' instead of '-D'");
        final Operation operation = test.operation();
        refuse(command, operation != Operation.SEND && rxDepth != null, "--rx-depth", "only SENDs need receives");
        refuse(command, !operation.isMutual() && inline != null, "--inline_size", "only SENDs and WRITEs carry data");
        refuse(command, or(inline, 0) > QpOptions.MAX_INLINE, "--inline_size", "at most " + QpOptions.MAX_INLINE);
        refuse(command, operation.isMutual() && outs != null, "--outs", "it is for READs and atomics");
        refuse(command, !operation.isAtomic() && atomic != null, "--atomic_type", "it is for atomic_lat");
        refuse(command, operation.isAtomic() && (sizes.all || or(sizes.bytes, Long.BYTES) != Long.BYTES),
            "--size", "atomics work on 8 bytes");
        refuse(command, test == PerfTest.WRITE_LAT && or(sizes.bytes, 1) == 0, "--size",
            "by its last byte the peer sees that a WRITE came, so it has at least one");
    }

    private static void refuse(
        final CommandLine command, final boolean unfit, final String option, final String why) {
        if (unfit) {
            throw wrong(command, "Invalid use of option '" + option + "': " + why);
        }
    }

    /**
     * Leaves out sizes that the devices cannot do, of all; and selective signaling if they do not have it. What was
     * asked for by a number and does not fit is wrong usage, though it is known only now.
     */
    PerfOptions fitted(final CommandLine command, final PerfOptions asked, final RdmaContext context,
        final RdmaContext peer) {
        requireWithin(command, "--outs", "COUNT", asked.queues().outs(), context, Math.min(PerfOptions.MOST_OUTS,
            Math.min(context.attributes().maxQpInitRdAtom(), peer.attributes().maxQpRdAtom())));
        if (mtu != null) {
            requireWithin(command, "--mtu", "BYTES", mtu.bytes(), context,
                Math.min(activeMtu(context), activeMtu(peer)));
        }
        final long largest = Math.min(context.attributes().maxMrSize(), peer.attributes().maxMrSize()) / 2;
        final List<Integer> fitting =
            asked.load().sizes().stream().filter(bytes -> bytes <= largest).toList();
        if (fitting.isEmpty()) {
            throw wrong(command, String.format("Invalid value for option '--size' (BYTES): on %s perf has at most %d "
                + "bytes, not %d", context.address(), largest, asked.load().sizes().get(0)));
        }
        final Load load = asked.load();
        final Queues queues = asked.queues();
        final int mod = context.supports(Feature.UNSIGNALED) ? queues.cqMod() : 1;
        return new PerfOptions(asked.test(), new Load(fitting, load.iterations(), load.duration(), load.warmup(),
            load.samples(), load.swaps()), new Queues(queues.qps(), mod, queues.txDepth(), queues.rxDepth(),
            queues.postList(), queues.inline(), queues.mtu(), queues.outs()), asked.oneThread(), asked.timeout());
    }

    private static int activeMtu(final RdmaContext context) {
        return context.queryPort(1).activeMtu().bytes();
    }

    /** Less than what was asked for would be told as if it had been that. */
    private static void requireWithin(final CommandLine command, final String option, final String label,
        final int value, final RdmaContext context, final int most) {
        if (value > most) {
            throw wrong(command, String.format("Invalid value for option '%s' (%s): on %s it is at most %d, not %d",
                option, label, context.address(), most, value));
        }
    }

    /** The options that shaped a run, as on the command line. */
    static String text(final PerfOptions options) {
        final Load load = options.load();
        final Queues queues = options.queues();
        final StringBuilder text = new StringBuilder(load.sizes().size() > 1 ? "-a" : "-s " + load.sizes().get(0));
        text.append(load.duration() == null ? " -n " + load.iterations()
            : " -D " + load.duration().toMillis() / 1000.0);
        if (!options.test().isLatency()) {
            text.append(" -q ").append(queues.qps()).append(" -Q ").append(queues.cqMod()).append(" -t ")
                .append(queues.txDepth()).append(" -l ").append(queues.postList());
        }
        text.append(options.test().operation() == Operation.SEND ? " -r " + queues.rxDepth() : "")
            .append(queues.inline() == 0 ? "" : " -I " + queues.inline())
            .append(queues.mtu() == null ? "" : " -m " + queues.mtu().bytes())
            .append(queues.outs() == 0 ? "" : " -o " + queues.outs())
            .append(load.swaps() ? " -A CMP_AND_SWAP" : "")
            .append(options.oneThread() ? " --one-thread" : "");
        return text.toString();
    }

    private static ParameterException wrong(final CommandLine command, final String message) {
        return new ParameterException(command, message);
    }
}
