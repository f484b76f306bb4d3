/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.PingpongReport.Ends;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Progress;
import io.rdma4j.tools.traffic.Answering;
import io.rdma4j.tools.traffic.Operation;
import io.rdma4j.tools.traffic.PingPong;
import io.rdma4j.tools.traffic.PingPongOptions.Pace;
import io.rdma4j.tools.traffic.PingPongOptions;
import io.rdma4j.tools.traffic.Span;
import io.rdma4j.tools.traffic.WaitMode;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** {@code rdma4j pingpong}: both ends of a ping-pong in one process, or one end of it. */
@Command(
    name = "pingpong",
    description = {
        "Sends a message to and fro between two QPs of one device, or of two, and measures how long it takes; or "
            + "writes it, or reads it, or does atomics, over and over.",
        "Each message differs from the one before, and each byte and each value is checked.",
        "With --listen and --connect the two ends are two processes, which both need the same --op and --size. "
            + "Emulated devices of one user on this host reach each other; other hosts need wire=udp "
            + "(docs/wire.md).",
        "With --peer ibverbs the other end is ibv_rc_pingpong, or ibv_ud_pingpong for --ud: it needs -g INDEX, and the "
            + "same -s and -n; their defaults are those of the program. It has one buffer, so it sends back what it "
            + "got, and that is what is checked."
    },
    footer = {
        "  rdma4j pingpong                              64 bytes, the emulated device",
        "  rdma4j pingpong --ud -s 1k -n 100000         datagrams, fixed number of times",
        "  rdma4j pingpong --op write                   RDMA WRITEs, memory polled",
        "  rdma4j pingpong --op read -s 4k              RDMA READs",
        "  rdma4j pingpong --op cas                     compare-and-swap",
        "  rdma4j pingpong -d vfio:0000:0b:00.1 -s 1m   on a real device",
        "  rdma4j pingpong -d emulated:a -d emulated:b  between two devices",
        "  rdma4j pingpong --threads 1 --no-validate    no hand-over, no checks",
        "  rdma4j pingpong --wait block                 interrupts instead of polling",
        "  rdma4j pingpong --json | jq .usec_per_xfer   for programs",
        "  rdma4j pingpong -d vfio:0000:0b:00.1 --listen=192.0.2.7   one end",
        "  rdma4j pingpong -d vfio:0000:0b:00.1 --connect=192.0.2.7  the other",
        "  rdma4j pingpong -d ibv:mlx5_0 --peer ibverbs 192.0.2.7    ibv_rc_pingpong"
    })
final class PingpongCommand implements Runnable {
    private static final int DEFAULT_SIZE = 64;
    private static final int IBVERBS_SIZE = 4096;
    private static final int IBVERBS_DATAGRAM = 1024;
    private static final long IBVERBS_ITERATIONS = 1000;
    private static final Duration WARMUP = Duration.ofMillis(500);

    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-d", "--device"}, paramLabel = "ADDRESS", defaultValue = RdmaDevices.DEFAULT_ADDRESS,
        description = "Address of the device; given twice, the second is the other end's. Default: ${DEFAULT-VALUE}")
    private List<String> addresses;

    @Mixin
    private CaptureOptions capture;

    @ArgGroup
    private Length length = new Length();

    @ArgGroup
    private OtherProcess other = new OtherProcess();

    @Option(names = "--peer", paramLabel = "PROJECT", converter = Converters.Ibverbs.class,
        completionCandidates = Converters.Ibverbs.class,
        description = "What the other process is, if it is none of ours: ibverbs. Needs --listen, --connect or HOST.")
    private String project;

    @Option(names = "--op", paramLabel = "OPERATION", converter = Converters.Operations.class, defaultValue = "send",
        completionCandidates = Converters.Operations.class,
        description = {
            "send (messages), write (RDMA WRITEs into each other's memory), read (RDMA READs), cas (compare-and-swap) "
                + "or faa (fetch-and-add); the last three are done by one end alone. Default: ${DEFAULT-VALUE}"})
    private Operation operation;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", converter = Converters.Size.class,
        description = "Size of a message, such as 0, 64, 4k or 1m; of a WRITE at least 8, of an atomic always 8. "
            + "Default: 64, or 8 for atomics; with --peer 4096, or 1024 with --ud")
    private Integer size;

    @Option(names = "--ud", description = "Use datagrams (UD) instead of a reliable connection (RC).")
    private boolean datagrams;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", converter = Converters.PathMtu.class,
        completionCandidates = Converters.PathMtu.class,
        description = "Path MTU of the connection: 256, 512, 1024, 2048 or 4096. Default: the port's")
    private Mtu mtu;

    @Option(names = "--threads", paramLabel = "COUNT", converter = Converters.Threads.class,
        description = "2: each end has a thread; 1: one thread plays both. Default: 2 where both ends have to do "
            + "something, in this process")
    private Integer threads;

    @Option(names = "--wait", paramLabel = "HOW", converter = HowToWait.class, defaultValue = "yield",
        completionCandidates = HowToWait.class,
        description = {
            "What a thread does until its message comes: spin (poll without pause: the shortest times, if each thread "
                + "has a processor to itself), yield (let others run between polls) or block (sleep until the device "
                + "interrupts; not if one thread plays both ends, and not with --op write, which wakes nobody). "
                + "Default: ${DEFAULT-VALUE}"})
    private WaitMode waitMode;

    @Option(names = "--validate", negatable = true, defaultValue = "true", fallbackValue = "true",
        description = "Write each byte of each message anew and check it, or not. Default: --validate")
    private boolean validate;

    @Option(names = {"-w", "--warmup"}, paramLabel = "ITERS", converter = Converters.WarmupIterations.class,
        description = "Round trips before measuring. Default: as many as fit into half a second")
    private Long warmup;

    @Option(names = "--timeout", paramLabel = "SECONDS", converter = Converters.Seconds.class, defaultValue = "10",
        description = "Longest wait for the next message, and for the other process. Default: ${DEFAULT-VALUE}; "
            + "600 for the first one that comes where this one listens")
    private Duration timeout;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Reads names in lower case. */
    static final class HowToWait implements ITypeConverter<WaitMode>, Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(WaitMode.values()).map(mode -> mode.name().toLowerCase(Locale.ROOT)).iterator();
        }

        @Override
        public WaitMode convert(final String value) {
            for (final WaitMode mode : WaitMode.values()) {
                if (mode.name().toLowerCase(Locale.ROOT).equals(value)) {
                    return mode;
                }
            }
            throw new TypeConversionException("'" + value + "' is none of " + String.join(", ", this));
        }
    }

    /** How long to measure; one of the two. */
    static final class Length {
        @Option(names = {"-n", "--iters"}, paramLabel = "ITERS", converter = Converters.Iterations.class,
            description = "Number of round trips. Default with --peer: 1000")
        private Long iterations;

        @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS", converter = Converters.Seconds.class,
            description = "Time to measure, however many round trips fit. Default: 1")
        private Duration duration;

        Span span(final boolean counts) {
            if (iterations == null && counts) {
                return Span.of(IBVERBS_ITERATIONS);
            }
            if (iterations != null) {
                return Span.of(iterations);
            }
            return Span.of(duration == null ? Duration.ofSeconds(1) : duration);
        }
    }

    /** Where the other end is, if it is not here; one of them. */
    static final class OtherProcess {
        @Option(names = {"--listen", "--server"}, paramLabel = "HOST:PORT", arity = "0..1", fallbackValue = "",
            converter = Converters.HostAndPort.class,
            description = "Play one end, for another process that connects to this TCP address and says how long. "
                + "Without HOST only processes of this machine can; without PORT it is 18515, and 0 is any that is "
                + "free. Whoever reaches the port can connect: open it in trusted networks only.")
        private InetSocketAddress listen;

        @Option(names = "--connect", paramLabel = "HOST:PORT", converter = Converters.HostAndPort.class,
            description = "Play the end that begins and measures, with a process that listens there.")
        private InetSocketAddress connect;

        @Parameters(arity = "0..1", paramLabel = "HOST[:PORT]", converter = Converters.HostAndPort.class,
            description = "As --connect.")
        private InetSocketAddress host;

        boolean isHere() {
            return listen == null && there() == null;
        }

        InetSocketAddress there() {
            return host == null ? connect : host;
        }
    }

    @Override
    public void run() {
        final PingPongOptions options = options();
        final boolean alone = addresses.size() == 1 || addresses.get(0).equals(addresses.get(1));
        try (RdmaContext context = RdmaDevices.open(capture.of(addresses.get(0)));
            RdmaContext second = alone ? null : RdmaDevices.open(capture.ofOther(addresses.get(1), addresses.get(0)))) {
            final RdmaContext peer = alone ? context : second;
            checkSize(context, options.size());
            checkSize(peer, options.size());
            if (other.listen != null) {
                answer(context, options);
            } else {
                play(context, peer, options);
            }
        }
    }

    private void play(final RdmaContext context, final RdmaContext peer, final PingPongOptions options) {
        final List<String> devices = new ArrayList<>(List.of(context.address()));
        if (peer != context) {
            devices.add(peer.address());
        }
        final PingPong pingPong = other.isHere() ? PingPong.inOneProcess(context, peer, options)
            : isForeign() ? PingPong.withIbverbs(context, options, other.there())
            : PingPong.withOtherProcess(context, options, other.there());
        final Ends ends = new Ends(devices, other.isHere() ? null : Answering.textOf(other.there()));
        final PingpongReport report = new PingpongReport(ends, options,
            Progress.during(main.terminal(), () -> progressOf(pingPong, options), pingPong::run));
        if (json) {
            Json.print(main.terminal().out(), report.toJson());
        } else {
            report.print(main.terminal().out());
        }
    }

    private void answer(final RdmaContext context, final PingPongOptions options) {
        try (Answering answering = (isForeign() ? Answering.ibverbs(context, options, other.listen)
            : Answering.pingPong(context, options, other.listen)).waitingFor(FirstPeer.timeout(spec, timeout))) {
            final PrintWriter err = main.terminal().err();
            err.println("rdma4j: listening at " + Answering.textOf(answering.address()));
            err.flush();
            final AnsweringReport report = new AnsweringReport(context.address(), options, isForeign(), Progress.during(
                main.terminal(), () -> String.format("%d messages answered", answering.progress()), answering::run));
            if (json) {
                Json.print(main.terminal().out(), report.toJson());
            } else {
                report.print(main.terminal().out());
            }
        }
    }

    private static String progressOf(final PingPong pingPong, final PingPongOptions options) {
        final long iterations = pingPong.progress();
        if (!pingPong.isMeasuring()) {
            return String.format("warming up: %d round trips", iterations);
        }
        return options.measured().isCounted()
            ? String.format("%d of %d round trips", iterations, options.measured().iterations())
            : String.format("%d round trips", iterations);
    }

    private PingPongOptions options() {
        if (addresses.size() > (other.isHere() ? 2 : 1)) {
            throw wrong("Option '--device' (ADDRESS) can be given at most " + (other.isHere() ? "twice"
                : "once when another process has the other end"));
        }
        requireFitForIbverbs();
        if (datagrams && operation != Operation.SEND) {
            throw wrong("Invalid value for option '--op' (OPERATION): datagrams can only be sent; leave '--ud' or "
                + "'--op " + operation.option() + "' out");
        }
        if (datagrams && mtu != null) {
            throw wrong("Invalid use of option '--mtu' (BYTES): a datagram takes the port's; leave '--mtu' or '--ud' "
                + "out");
        }
        return new PingPongOptions(operation, datagrams ? QpType.UD : QpType.RC, sizeOfAll(), mtu, pace(), validate,
            isForeign() ? Span.of(0) : warmup == null ? Span.of(WARMUP) : Span.of(warmup), length.span(isForeign()),
            timeout);
    }

    private boolean isForeign() {
        return project != null;
    }

    private void requireFitForIbverbs() {
        final String why = !isForeign() ? null
            : other.isHere() ? "it needs '--listen', '--connect' or HOST"
            : operation != Operation.SEND ? "those programs send messages; leave '--op " + operation.option() + "' out"
            : length.duration != null ? "those programs count; give '-n' instead of '-D'"
            : warmup != null && warmup > 0 ? "those programs do not warm up; leave '--warmup' out"
            : size != null && size == 0 ? "those programs send one byte at least" : null;
        if (why != null) {
            throw wrong("Invalid use of option '--peer' (PROJECT): " + why);
        }
    }

    private int sizeOfAll() {
        final int usual = isForeign() ? datagrams ? IBVERBS_DATAGRAM : IBVERBS_SIZE : DEFAULT_SIZE;
        final int bytes = size != null ? size : operation.isAtomic() ? Long.BYTES : usual;
        final String objection = operation.objectionTo(bytes);
        if (objection != null) {
            throw wrong("Invalid value for option '--size' (BYTES): " + objection);
        }
        return bytes;
    }

    private Pace pace() {
        final int players = other.isHere() && operation.isMutual() ? 2 : 1;
        final int count = threads == null ? players : threads;
        if (count > players) {
            throw wrong("Invalid value for option '--threads' (COUNT): " + (other.isHere()
                ? "with '--op " + operation.option() + "' one end does everything"
                : "the other end is in another process"));
        }
        if (waitMode == WaitMode.BLOCK && !operation.wakesItsPeer()) {
            throw wrong("Invalid value for option '--wait' (HOW): nobody is woken by a WRITE; leave '--op write' or "
                + "'--wait block' out");
        }
        if (waitMode == WaitMode.BLOCK && count < players) {
            throw wrong("Invalid value for option '--wait' (HOW): one thread that plays both ends cannot sleep for one "
                + "of them; leave '--threads 1' or '--wait block' out");
        }
        return new Pace(count, waitMode);
    }

    /**
     * How much fits is known only now, but a size that does not fit is wrong usage all the same. The port's largest
     * message is not asked for: there are devices that send larger ones than they say.
     */
    private void checkSize(final RdmaContext context, final int bytes) {
        final long largest = datagrams
            ? context.queryPort(1).activeMtu().bytes() : context.attributes().maxMrSize();
        if (bytes > largest) {
            throw wrong(String.format(
                "Invalid value for option '--size' (BYTES): %s on %s has at most %d bytes, not %d",
                datagrams ? "a datagram" : "a memory region", context.address(), largest, bytes));
        }
    }

    private ParameterException wrong(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
