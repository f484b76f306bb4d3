/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.pingpong.PingPong;
import io.rdma4j.tools.pingpong.PingPongOptions;
import io.rdma4j.tools.pingpong.PingPongOptions.Pace;
import io.rdma4j.tools.pingpong.PingPongOptions.Span;
import io.rdma4j.tools.pingpong.WaitMode;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Progress;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code rdma4j pingpong}: both ends of a ping-pong in one process. */
@Command(
    name = "pingpong",
    description = {
        "Sends a message to and fro between two QPs of one device, or of two, and measures how long it takes.",
        "Each message differs from the one before, and each byte of it is checked."
    },
    footer = {
        "  rdma4j pingpong                              64 bytes, the emulated device",
        "  rdma4j pingpong --ud -s 1k -n 100000         datagrams, fixed number of times",
        "  rdma4j pingpong -d vfio:0000:0b:00.1 -s 1m   on a real device",
        "  rdma4j pingpong -d emulated:a -d emulated:b  between two devices",
        "  rdma4j pingpong --threads 1 --no-validate    no hand-over, no checks",
        "  rdma4j pingpong --wait block                 interrupts instead of polling",
        "  rdma4j pingpong --json | jq .usec_per_xfer   for programs"
    })
final class PingpongCommand implements Runnable {
    private static final Duration WARMUP = Duration.ofMillis(500);

    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-d", "--device"}, paramLabel = "ADDRESS", defaultValue = RdmaDevices.DEFAULT_ADDRESS,
        description = "Address of the device; given twice, the second is the other end's. Default: ${DEFAULT-VALUE}")
    private List<String> addresses;

    @ArgGroup
    private Length length = new Length();

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", converter = Converters.Size.class, defaultValue = "64",
        description = "Size of a message, such as 0, 64, 4k or 1m. Default: ${DEFAULT-VALUE}")
    private int size;

    @Option(names = "--ud", description = "Use datagrams (UD) instead of a reliable connection (RC).")
    private boolean datagrams;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", converter = Converters.PathMtu.class,
        description = "Path MTU of the connection: 256, 512, 1024, 2048 or 4096. Default: the port's")
    private Mtu mtu;

    @Option(names = "--threads", paramLabel = "COUNT", converter = Converters.Threads.class, defaultValue = "2",
        description = "2: each end has a thread; 1: one thread plays both. Default: ${DEFAULT-VALUE}")
    private int threads;

    @Option(names = "--wait", paramLabel = "HOW", converter = HowToWait.class, defaultValue = "yield",
        description = {
            "What a thread does until its message comes: spin (poll without pause: the shortest times, if each thread "
                + "has a processor to itself), yield (let others run between polls) or block (sleep until the device "
                + "interrupts; needs --threads 2). Default: ${DEFAULT-VALUE}"})
    private WaitMode waitMode;

    @Option(names = "--validate", negatable = true, defaultValue = "true", fallbackValue = "true",
        description = "Write each byte of each message anew and check it, or not. Default: --validate")
    private boolean validate;

    @Option(names = {"-w", "--warmup"}, paramLabel = "ITERS", converter = Converters.WarmupIterations.class,
        description = "Round trips before measuring. Default: as many as fit into half a second")
    private Long warmup;

    @Option(names = "--timeout", paramLabel = "SECONDS", converter = Converters.Seconds.class, defaultValue = "10",
        description = "Longest wait for the next message. Default: ${DEFAULT-VALUE}")
    private Duration timeout;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Reads names in lower case. */
    static final class HowToWait implements ITypeConverter<WaitMode> {
        @Override
        public WaitMode convert(final String value) {
            for (final WaitMode mode : WaitMode.values()) {
                if (mode.name().toLowerCase(Locale.ROOT).equals(value)) {
                    return mode;
                }
            }
            throw new TypeConversionException("'" + value + "' is none of spin, yield, block");
        }
    }

    /** How long to measure; one of the two. */
    static final class Length {
        @Option(names = {"-n", "--iters"}, paramLabel = "ITERS", converter = Converters.Iterations.class,
            description = "Number of round trips.")
        private Long iterations;

        @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS", converter = Converters.Seconds.class,
            description = "Time to measure, however many round trips fit. Default: 1")
        private Duration duration;

        Span span() {
            if (iterations != null) {
                return Span.of(iterations);
            }
            return Span.of(duration == null ? Duration.ofSeconds(1) : duration);
        }
    }

    @Override
    public void run() {
        if (addresses.size() > 2) {
            throw wrong("Option '--device' (ADDRESS) can be given at most twice");
        }
        if (waitMode == WaitMode.BLOCK && threads == 1) {
            throw wrong("Invalid value for option '--wait' (HOW): one thread that plays both ends cannot sleep for one "
                + "of them; leave '--threads 1' or '--wait block' out");
        }
        final boolean alone = addresses.size() == 1 || addresses.get(0).equals(addresses.get(1));
        try (RdmaContext context = RdmaDevices.open(addresses.get(0));
            RdmaContext other = alone ? null : RdmaDevices.open(addresses.get(1))) {
            run(context, alone ? context : other);
        }
    }

    private void run(final RdmaContext context, final RdmaContext peer) {
        final List<String> devices = new ArrayList<>(List.of(context.address()));
        if (peer != context) {
            devices.add(peer.address());
        }
        checkSize(context);
        checkSize(peer);
        final PingPongOptions options = new PingPongOptions(datagrams ? QpType.UD : QpType.RC, size, mtu,
            new Pace(threads, waitMode), validate, warmup == null ? Span.of(WARMUP) : Span.of(warmup), length.span(),
            timeout);
        final PingPong pingPong = new PingPong(context, peer, options);
        final PingpongReport report = new PingpongReport(devices, options,
            Progress.during(main.terminal(), () -> progressOf(pingPong, options), pingPong::run));
        if (json) {
            Json.print(main.terminal().out(), report.toJson());
        } else {
            report.print(main.terminal().out());
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

    /**
     * How much fits is known only now, but a size that does not fit is wrong usage all the same. The port's largest
     * message is not asked for: there are devices that send larger ones than they say.
     */
    private void checkSize(final RdmaContext context) {
        final long largest = datagrams
            ? context.queryPort(1).activeMtu().bytes() : context.attributes().maxMrSize();
        if (size > largest) {
            throw wrong(String.format(
                "Invalid value for option '--size' (BYTES): %s on %s has at most %d bytes, not %d",
                datagrams ? "a datagram" : "a memory region", context.address(), largest, size));
        }
    }

    private ParameterException wrong(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
