/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.base.SocketErrors;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.tools.traffic.Answering;
import io.rdma4j.tools.traffic.FabricMeeting;
import io.rdma4j.tools.traffic.FabricDevice;
import io.rdma4j.tools.traffic.FiPingPongOptions;
import io.rdma4j.tools.traffic.FiPingPong;
import io.rdma4j.tools.traffic.FiPingPongRow;
import io.rdma4j.tools.text.Json;
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
import picocli.CommandLine.TypeConversionException;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code rdma4j fi_pingpong}: a ping-pong between two endpoints of the fabric interfaces. */
@Command(
    name = "fi_pingpong",
    description = {
        "Sends messages to and fro between two endpoints of io.rdma4j.fabric and measures how long it takes, as "
            + "libfabric's fi_pingpong does, with its columns.",
        "Without HOST and --server both ends are in this process. With them they are two processes, which need the "
            + "same -e, -S, -I, -w and -c, and tell each other their addresses over TCP. Emulated devices of one user "
            + "on this host reach each other; other hosts need wire=udp (docs/wire.md)."
    },
    footer = {
        "  rdma4j fi_pingpong                            FI_EP_RDM, emulated device",
        "  rdma4j fi_pingpong -e dgram -S 256 -I 10000   one size",
        "  rdma4j fi_pingpong -e msg -S all -c           all sizes, each byte checked",
        "  rdma4j fi_pingpong -d emulated:a -d emulated:b   between two devices",
        "  rdma4j fi_pingpong --json                     for programs",
        "  rdma4j fi_pingpong -d vfio:0000:0b:00.1 --server -s 192.0.2.7   one end",
        "  rdma4j fi_pingpong -d vfio:0000:0b:00.1 192.0.2.7               the other"
    })
final class FiPingpongCommand implements Runnable {
    /** The one of libfabric's fi_pingpong. */
    private static final String DEFAULT_PORT = "47592";
    private static final List<Integer> USUAL = List.of(64, 256, 1024, 4096, 65536, 1 << 20);
    private static final int LARGEST = 1 << 20;
    private static final int WARM_UP = 16;

    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-d", "--device", "--domain"}, paramLabel = "ADDRESS",
        defaultValue = RdmaDevices.DEFAULT_ADDRESS,
        description = "Address of the device; given twice, the second is the other end's. Default: ${DEFAULT-VALUE}")
    private List<String> addresses;

    @Mixin
    private CaptureOptions capture;

    @Option(names = {"-e", "--ep_type"}, paramLabel = "EPTYPE", converter = FiNames.EndpointTypes.class,
        defaultValue = "rdm", description = "Kind of endpoints: msg, rdm or dgram. Default: ${DEFAULT-VALUE}")
    private EndpointType type;

    @Option(names = {"-I", "--iters"}, paramLabel = "ITERS", converter = Converters.Iterations.class,
        defaultValue = "1000", description = "Round trips with each size. Default: ${DEFAULT-VALUE}")
    private Long iterations;

    @Option(names = {"-w", "--warmup"}, paramLabel = "ITERS", converter = Converters.WarmupIterations.class,
        description = "Round trips with each size before those that count. Default: 16, or as many as -I if those are "
            + "fewer")
    private Long warmup;

    @Option(names = {"-S", "--size"}, paramLabel = "BYTES", description = "Size of a message, such as 0, 64, 4k or "
        + "1m; or 'all': powers of two, and those in the middle between them. Default: 64 to 1m, six of them. Sizes "
        + "that the endpoints cannot send are left out")
    private String size;

    @Option(names = {"-c", "--check"}, description = "Write each byte of each message anew, and check it.")
    private boolean checks;

    @Option(names = "--server", description = "Wait for a client, and answer it.")
    private boolean server;

    @ArgGroup
    private OtherProcess other = new OtherProcess();

    @Option(names = {"-s", "--source"}, paramLabel = "ADDRESS", description = "With --server: TCP address to listen "
        + "at. Whoever reaches it can connect: trusted networks only. Default: the loopback address")
    private String source;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", converter = Converters.TcpPort.class,
        defaultValue = DEFAULT_PORT, description = "TCP port of the server; with --server 0 is any that is free. "
        + "Default: ${DEFAULT-VALUE}")
    private Integer port;

    @Option(names = "--timeout", paramLabel = "SECONDS", converter = Converters.Seconds.class, defaultValue = "10",
        description = "Longest wait for the next message, and for the other process. Default: ${DEFAULT-VALUE}; "
            + "600 for the first one that comes where this one listens")
    private Duration timeout;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Where the server is: this is its client.")
    private String host;

    /** Where the other end is, as pingpong says it; one of the two. */
    static final class OtherProcess {
        @Option(names = "--listen", paramLabel = "HOST:PORT", arity = "0..1", fallbackValue = "",
            converter = Converters.FabricHostAndPort.class,
            description = "As --server with -s HOST and -p PORT.")
        private InetSocketAddress listen;

        @Option(names = "--connect", paramLabel = "HOST:PORT", converter = Converters.FabricHostAndPort.class,
            description = "As HOST with -p PORT.")
        private InetSocketAddress connect;
    }

    @Override
    public void run() {
        final int times = checked(iterations, "--iters");
        final FiPingPongOptions options = new FiPingPongOptions(type, sizes(), times,
            warmup == null ? Math.min(WARM_UP, times) : checked(warmup, "--warmup"), checks, timeout);
        if (server && host != null) {
            throw wrong("HOST and '--server' exclude each other: a client has a HOST");
        }
        if ((other.listen != null || other.connect != null)
            && (server || host != null || spec.commandLine().getParseResult().hasMatchedOption("--port"))) {
            throw wrong("'--listen' and '--connect' exclude '--server', HOST and '--port': give one or the other");
        }
        if (source != null && !server) {
            throw wrong("Option '--source' (-s ADDRESS) is where a server listens, and needs '--server'; a size is "
                + "'-S BYTES'");
        }
        final boolean isHere = !server && host == null && other.listen == null && other.connect == null;
        if (addresses.size() > (isHere ? 2 : 1)) {
            throw wrong("Option '--device' (ADDRESS) can be given at most " + (isHere ? "twice"
                : "once when another process has the other end"));
        }
        if (isHere && spec.commandLine().getParseResult().hasMatchedOption("--port")) {
            throw wrong("Option '--port' (PORT) needs '--server' or HOST");
        }
        final boolean alone = addresses.size() == 1 || addresses.get(0).equals(addresses.get(1));
        try (FabricDevice device = open(capture.of(addresses.get(0)));
             FabricDevice second = alone ? null : open(capture.ofOther(addresses.get(1), addresses.get(0)))) {
            play(device, second, options);
        }
    }

    private FabricDevice open(final String address) {
        final FabricDevice device = FabricDevice.of(address, type);
        if (sizes().size() == 1 && sizes().get(0) > device.maxMessageSize()) {
            device.close();
            throw wrong(String.format("Invalid value for option '--size' (BYTES): a message of FI_EP_%s on %s has "
                + "at most %d bytes, not %d", type, address, device.maxMessageSize(), sizes().get(0)));
        }
        return device;
    }

    /** The second is null if one device has both ends, or another process the other one. */
    private void play(final FabricDevice device, final FabricDevice second, final FiPingPongOptions options) {
        final FiPingPong pingPong = new FiPingPong(device, second == null ? device : second, options);
        if (server || other.listen != null) {
            serve(device, options, pingPong);
        } else if (host != null || other.connect != null) {
            final InetSocketAddress to = host == null ? other.connect : new InetSocketAddress(host, port);
            try (FabricMeeting control = FabricMeeting.connect(to, timeout)) {
                pingPong.with(control, rows -> report(device, null, control.peer(), options, rows));
            }
        } else {
            pingPong.here(rows -> report(device, second, null, options, rows));
        }
    }

    private void serve(final FabricDevice device, final FiPingPongOptions options, final FiPingPong pingPong) {
        try (ServerSocket listening = listen()) {
            final PrintWriter err = main.terminal().err();
            err.println("rdma4j: listening at "
                + Answering.textOf((InetSocketAddress) listening.getLocalSocketAddress()));
            err.flush();
            try (FabricMeeting control = FabricMeeting.accept(listening, FirstPeer.timeout(spec, timeout), timeout)) {
                pingPong.with(control, rows -> report(device, null, control.peer(), options, rows));
            }
        } catch (final IOException e) {
            throw FabricException.of("fi_pingpong").detail("closing the listening socket: %s", e.getMessage())
                .errno(FiErrno.FI_EIO).cause(e).build();
        }
    }

    private ServerSocket listen() {
        final InetSocketAddress at = other.listen != null ? other.listen
            : source != null ? InetSocketAddress.createUnresolved(source, port)
            : new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try {
            return new ServerSocket(at.getPort(), 1, InetAddress.getByName(at.getHostString()));
        } catch (final IOException e) {
            throw FabricException.from("fi_pingpong", SocketErrors.of("listen", Answering.textOf(at), e));
        }
    }

    private void report(final FabricDevice device, final FabricDevice second, final String peer,
        final FiPingPongOptions options, final List<FiPingPongRow> rows) {
        final FiPingpongReport report = new FiPingpongReport(
            device.address(), second == null ? null : second.address(), peer, options, rows);
        if (json) {
            Json.print(main.terminal().out(), report.toJson());
        } else {
            report.print(main.terminal().out());
        }
    }

    private int checked(final long times, final String option) {
        if (times > Integer.MAX_VALUE) {
            throw wrong("Invalid value for option '" + option + "' (ITERS): at most " + Integer.MAX_VALUE);
        }
        return (int) times;
    }

    private List<Integer> sizes() {
        if (size == null) {
            return USUAL;
        }
        if ("all".equals(size)) {
            return all();
        }
        try {
            return List.of(new Converters.Size().convert(size));
        } catch (final TypeConversionException e) {
            throw new ParameterException(spec.commandLine(), "Invalid value for option '--size' (BYTES): "
                + e.getMessage() + ", or 'all'", e);
        }
    }

    /** 1, 2, 3, 4, 6, 8, 12 and so on. */
    private static List<Integer> all() {
        final List<Integer> sizes = new ArrayList<>(List.of(1));
        for (int power = 2; power <= LARGEST; power *= 2) {
            sizes.add(power);
            if (power < LARGEST) {
                sizes.add(power + power / 2);
            }
        }
        return sizes;
    }

    private ParameterException wrong(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
