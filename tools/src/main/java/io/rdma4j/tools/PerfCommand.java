/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import io.rdma4j.tools.perf.PerfFile;
import io.rdma4j.tools.perf.PerfReport;
import io.rdma4j.tools.perf.PerfRun;
import io.rdma4j.tools.perf.Surroundings;
import io.rdma4j.tools.foreign.ForeignListener;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Progress;
import io.rdma4j.tools.traffic.Answering;
import io.rdma4j.tools.traffic.Perf;
import io.rdma4j.tools.traffic.PerfOptions;
import io.rdma4j.tools.traffic.PerfTest;
import io.rdma4j.tools.traffic.PerftestPeer;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** {@code rdma4j perf}: latency, bandwidth and message rate, in the manner of perftest. */
@Command(
    name = "perf",
    description = {
        "Measures latency, bandwidth and message rate over reliable connections (RC), with the options, columns and "
            + "units of perftest.",
        "Without HOST and --server both ends are in this process, each on a thread of its own. With them they are two "
            + "processes, which need the same TEST, -s or -a, and -q. Emulated devices of one user on this host "
            + "reach each other; other hosts need wire=udp (docs/wire.md).",
        "With --peer perftest the other process is ib_send_lat and its like: it needs -x INDEX, the same -s and -n, "
            + "and no -a, -D, -q or -R. Both ends of send_lat and write_lat measure then. A server of other tests "
            + "hears nothing before they are over: its --timeout has to be longer.",
        "Times of send_lat and write_lat are half round trips, of read_lat and atomic_lat whole operations. Each round "
            + "trip contains one reading of the clock, about 25 ns; the output says how much it is here. The loop is "
            + "closed: no correction for coordinated omission is made. perftest leaves the two longest times out, this "
            + "leaves none out."
    },
    footer = {
        "  rdma4j perf send_lat                          2 bytes to and fro",
        "  rdma4j perf write_lat -s 64 -n 100000         memory polled",
        "  rdma4j perf read_bw -a -D 1                   all sizes, a second each",
        "  rdma4j perf msg_rate -q 4 -l 32               lists of 32 on 4 queue pairs",
        "  rdma4j perf send_lat --compare                with yardsticks of the same run",
        "  rdma4j perf send_lat -n 100000 --save a.json  percentiles, for later",
        "  rdma4j perf write_lat --plot p.html --beside a.json   two runs in one page",
        "  rdma4j perf send_bw -d emulated:a -d emulated:b   between two devices",
        "  rdma4j perf send_bw -d vfio:0000:0b:00.1 --server=192.0.2.7   one end",
        "  rdma4j perf send_bw -d vfio:0000:0b:00.1 192.0.2.7            the other",
        "  rdma4j perf write_lat -d ibv:mlx5_0 --peer perftest 192.0.2.7   ib_write_lat"
    })
final class PerfCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "TEST", converter = PerfArguments.Tests.class,
        completionCandidates = PerfArguments.Tests.class,
        description = "send_lat, send_bw, write_lat, write_bw, read_lat, read_bw, atomic_lat or msg_rate.")
    private PerfTest test;

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST[:PORT]", converter = Converters.HostAndPort.class,
        description = "Measure with a server that listens there.")
    private InetSocketAddress host;

    @Option(names = "--connect", paramLabel = "HOST:PORT", converter = Converters.HostAndPort.class,
        description = "As HOST.")
    private InetSocketAddress connect;

    @Option(names = "--peer", paramLabel = "PROJECT", converter = Converters.Perftest.class,
        completionCandidates = Converters.Perftest.class,
        description = "What the other process is, if it is none of ours: perftest. Needs --server or HOST.")
    private String project;

    @Option(names = {"-d", "--device", "--ib-dev"}, paramLabel = "ADDRESS",
        defaultValue = RdmaDevices.DEFAULT_ADDRESS,
        description = "Address of the device; given twice, the second is the other end's. Default: ${DEFAULT-VALUE}")
    private List<String> addresses;

    @Mixin
    private CaptureOptions capture;

    @Mixin
    private PerfArguments arguments;

    @Option(names = "--one-thread", description = "One thread plays both ends, which then never run at the same time.")
    private boolean oneThread;

    @Option(names = {"--server", "--listen"}, paramLabel = "HOST:PORT", arity = "0..1", fallbackValue = "",
        converter = Converters.HostAndPort.class,
        description = "Answer a client that connects to this TCP address. Without HOST only processes of this machine "
            + "can. Whoever reaches the port can connect: open it in trusted networks only.")
    private InetSocketAddress server;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", converter = Converters.TcpPort.class,
        description = "TCP port to listen at or to connect to; 0 listens at any that is free. Default: 18515")
    private Integer port;

    @Option(names = "--timeout", paramLabel = "SECONDS", converter = Converters.Seconds.class, defaultValue = "10",
        description = "Longest wait without any progress, and for the other process. Default: ${DEFAULT-VALUE}; 600 "
            + "for the first one that comes where this one listens")
    private Duration timeout;

    @Option(names = "--compare",
        description = "Measure yardsticks too, before and after: a bounced cache line, two Agrona rings, TCP.")
    private boolean compare;

    @Option(names = {"-F", "--CPU-freq"}, description = "Say nothing about processors.")
    private boolean quiet;

    @ArgGroup
    private Samples samples = new Samples();

    @Mixin
    private PerfOutputs outputs;

    @Option(names = "--json", description = "Print JSON: what --save keeps.")
    private boolean json;

    /** Which single times to print; one of the two. */
    static final class Samples {
        @Option(names = {"-H", "--report-histogram", "--report_histogram"},
            description = "Print all times of a latency test, from the shortest to the longest.")
        private boolean sorted;

        @Option(names = {"-U", "--report-unsorted"},
            description = "Print all times of a latency test in the order in which they came.")
        private boolean unsorted;

        boolean wanted() {
            return sorted || unsorted;
        }
    }

    @Override
    public void run() {
        checkPlaces();
        if (isForeign()) {
            arguments.requireFitForPerftest(spec.commandLine(), test, isHere());
        }
        final PerfOptions asked = arguments.options(spec.commandLine(), test, samples.wanted(), oneThread, timeout);
        outputs.prepare(spec.commandLine());
        final boolean alone = addresses.size() == 1 || addresses.get(0).equals(addresses.get(1));
        try (RdmaContext context = RdmaDevices.open(capture.of(addresses.get(0)));
            RdmaContext second = alone ? null : RdmaDevices.open(capture.ofOther(addresses.get(1), addresses.get(0)))) {
            final RdmaContext peer = alone ? context : second;
            final PerfOptions options = arguments.fitted(spec.commandLine(), asked, context, peer);
            if (isForeign()) {
                playWithPerftest(context, options);
            } else if (server != null) {
                answer(context, options);
            } else {
                measure(context, peer, options);
            }
        }
    }

    private void checkPlaces() {
        if (server != null && there() != null) {
            throw wrong("HOST and '--server' exclude each other: a client has a HOST");
        }
        if (host != null && connect != null) {
            throw wrong("HOST and '--connect' exclude each other: they are the same");
        }
        if (addresses.size() > (isHere() ? 2 : 1)) {
            throw wrong("Option '--device' (ADDRESS) can be given at most " + (isHere() ? "twice"
                : "once when another process has the other end"));
        }
        if (port != null && isHere()) {
            throw wrong("Option '--port' (PORT) needs '--server' or HOST");
        }
        if (port != null && hasPort()) {
            throw wrong("Option '--port' (PORT) and the port of HOST:PORT exclude each other: give one of them");
        }
        if (oneThread && !isHere()) {
            throw wrong("Option '--one-thread' is for both ends in this process");
        }
        if (server != null && !servesOneThatMeasuresToo() && (samples.wanted() || compare || outputs.areWanted())) {
            throw wrong("the server measures nothing: give '--save', '--plot', '--compare', '-H' and '-U' to the "
                + "client");
        }
        if (samples.wanted() && json) {
            throw wrong("'-H' and '-U' print lists, not JSON; leave '--json' out");
        }
    }

    /** With perftest both ends of these measure. */
    private boolean servesOneThatMeasuresToo() {
        return isForeign() && (test == PerfTest.SEND_LAT || test == PerfTest.WRITE_LAT);
    }

    /** What is said about the place of the other end, or of this one, names a port. */
    private boolean hasPort() {
        final CommandLine.ParseResult parsed = spec.commandLine().getParseResult();
        return Stream.concat(parsed.matchedOptions().stream(), parsed.matchedPositionals().stream())
            .filter(argument -> argument.converters().length > 0
                && argument.converters()[0] instanceof Converters.HostAndPort)
            .flatMap(argument -> argument.stringValues().stream()).anyMatch(Converters.HostAndPort::namesPort);
    }

    private boolean isHere() {
        return server == null && there() == null;
    }

    private boolean isForeign() {
        return project != null;
    }

    private InetSocketAddress there() {
        return host == null ? connect : host;
    }

    private InetSocketAddress at(final InetSocketAddress place) {
        return port == null ? place : new InetSocketAddress(place.getHostString(), port);
    }

    private void measure(final RdmaContext context, final RdmaContext peer, final PerfOptions options) {
        final PerfRun.Place place = Surroundings.place(Version.current(), isHere() && !oneThread ? 2 : 1);
        final Surroundings surroundings = Surroundings.before(compare);
        final Perf perf = isHere() ? Perf.inOneProcess(context, peer, options)
            : Perf.withServer(context, options, at(there()));
        final Perf.Measured measured = Progress.during(main.terminal(), perf::progress, perf::run);
        final String other = !isHere() ? Answering.textOf(at(there())) : peer == context ? null : peer.address();
        report(new PerfRun(new PerfRun.About(test, PerfArguments.text(options), context.address(), other, place),
            measured.rows(), surroundings.after()), options, measured);
    }

    /** A file that cannot be written does not take away what was measured. */
    private void report(final PerfRun run, final PerfOptions options, final Perf.Measured measured) {
        print(run, options, measured);
        outputs.write(run);
    }

    private void print(final PerfRun run, final PerfOptions options, final Perf.Measured measured) {
        final PrintWriter out = main.terminal().out();
        if (json) {
            Json.print(out, PerfFile.toJson(run));
            return;
        }
        final PerfReport report = new PerfReport(run, options.load().duration() != null, out);
        if (samples.wanted()) {
            report.printSamples(measured.samples(), samples.sorted);
        }
        report.print(quiet);
    }

    private void playWithPerftest(final RdmaContext context, final PerfOptions options) {
        final PerfRun.Place place = Surroundings.place(Version.current(), 1);
        final Surroundings surroundings = Surroundings.before(compare);
        final PerftestPeer.Outcome outcome = server == null
            ? Progress.during(main.terminal(), () -> "measuring with perftest",
                () -> PerftestPeer.asClient(context, options, at(there())))
            : servePerftest(context, options);
        if (outcome.rows().isEmpty()) {
            tell(context, outcome.peer(), outcome.messages(), outcome.messages() == null ? "this end lent its memory"
                : outcome.messages() + " messages");
        } else {
            report(new PerfRun(new PerfRun.About(test, PerfArguments.text(options), context.address(),
                Answering.textOf(outcome.peer()), place), outcome.rows(), surroundings.after()), options,
                new Perf.Measured(outcome.rows(), outcome.samples()));
        }
    }

    private PerftestPeer.Outcome servePerftest(final RdmaContext context, final PerfOptions options) {
        try (ForeignListener listener = new ForeignListener(at(server))) {
            sayWhere(listener.address());
            return Progress.during(main.terminal(), () -> "waiting for perftest, and for its end",
                () -> PerftestPeer.asServer(context, options, listener, FirstPeer.timeout(spec, timeout)));
        }
    }

    private void sayWhere(final InetSocketAddress address) {
        final PrintWriter err = main.terminal().err();
        err.println("rdma4j: listening at " + Answering.textOf(address));
        err.flush();
    }

    private void answer(final RdmaContext context, final PerfOptions options) {
        try (Answering answering =
            Answering.perf(context, options, at(server)).waitingFor(FirstPeer.timeout(spec, timeout))) {
            sayWhere(answering.address());
            final Answering.Outcome outcome = Progress.during(main.terminal(),
                () -> answering.isConnected() ? "answering" : "waiting for a client", answering::run);
            tell(context, outcome.peer(), outcome.messages(),
                outcome.messages() + " messages, those for warming up included");
        }
    }

    /** What the end says that has no figures; its messages are null if nobody counted them here. */
    private void tell(
        final RdmaContext context, final InetSocketAddress peer, final Long messages, final String what) {
        if (json) {
            final JsonObject object = new JsonObject();
            object.addProperty("test", test.option());
            object.addProperty("device", context.address());
            object.addProperty("peer", Answering.textOf(peer));
            if (messages != null) {
                object.addProperty("messages", messages);
            }
            Json.print(main.terminal().out(), object);
        } else {
            main.terminal().out().printf("%s: %s <-> %s, %s. The figures are on the other side.%n", test.title(),
                context.address(), Answering.textOf(peer), what);
        }
    }

    private ParameterException wrong(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
