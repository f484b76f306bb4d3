/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.tools.replay.KnownDifferences;
import io.rdma4j.tools.replay.Replay;
import io.rdma4j.tools.replay.ReplayResult;
import io.rdma4j.tools.text.FileFailure;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.LimitedFile;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.RdmaDevices;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** {@code rdma4j replay}: plays what --trace recorded on a device, and compares what it answers. */
@Command(
    name = "replay",
    description = "Plays what --trace recorded on a device of one's own, below the driver, and compares its answers "
        + "and completions with those of the trace, field by field. Handles, keys, page directories and the first GID "
        + "are replaced by what the device gives; payloads are not in a trace. The exit code is 1 if something differs "
        + "that is not known to.",
    footer = {
        "  rdma4j pingpong --trace t.trace --trace-data   record a ping-pong",
        "  rdma4j replay t.trace                          play it on the emulated device",
        "  rdma4j replay t.trace -d vfio:0000:0b:00.1 --gid fe80::1 --known qemu-7.2",
        "  rdma4j replay t.trace --save t                 keep script and answers as text"
    })
final class ReplayCommand implements Callable<Integer> {
    private static final String QEMU = "qemu-7.2";
    private static final String READ_TABLE = "read table of known differences";
    private static final String TABLE =
        "give " + QEMU + " or a file with step, field, left, right and a reason on each line";
    private static final long LONGEST_TABLE = 1L << 20;

    @ParentCommand
    private Main main;

    @Parameters(paramLabel = "FILE", description = "The trace; the first million lines of one that has more "
        + "(head -n 1000000).")
    private Path file;

    @Option(names = {"-d", "--device"}, paramLabel = "ADDRESS", defaultValue = RdmaDevices.DEFAULT_ADDRESS,
        description = "Device to play it on; must not be in use. Default: ${DEFAULT-VALUE}")
    private String address;

    @Option(names = "--which", paramLabel = "N", converter = Converters.DeviceOfTrace.class,
        description = "Which device of the trace, from 1, if it has several.")
    private Integer which;

    @Option(names = "--gid", paramLabel = "GID",
        description = "An address of the network behind the device, in place of the first one that was bound in the "
            + "trace.")
    private String gid;

    @Option(names = "--known", paramLabel = "TABLE", description = "What may differ: " + QEMU + ", for a trace of the "
        + "emulated device played on QEMU's, or a file: step field left right reason on each line.")
    private String known;

    @Option(names = "--patience", paramLabel = "N", defaultValue = "1", converter = Converters.Factor.class,
        description = "Factor on all deadlines, for slow machines. Default: ${DEFAULT-VALUE}")
    private int patience;

    @Option(names = "--save", paramLabel = "PREFIX",
        description = "Write the script and both recordings to PREFIX.script, PREFIX.recorded and PREFIX.replayed.")
    private Path prefix;

    @Option(names = "--all", description = "Print all differences, not only the first ones.")
    private boolean all;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() {
        final KnownDifferences table = table();
        Replay.requireWritable(prefix);
        final Replay replay = Replay.read(file, which);
        final ReplayResult result = replay.play(
            DeviceAddress.parse(address), gid == null ? null : Gid.parse(gid), patience, table);
        final ReplayReport report = new ReplayReport(result);
        if (json) {
            Json.print(main.terminal().out(), report.json());
        } else {
            report.print(main.terminal().out(), all);
        }
        if (prefix != null) {
            replay.save(prefix);
        }
        return result.isAlike() ? 0 : 1;
    }

    private KnownDifferences table() {
        if (known == null) {
            return KnownDifferences.none();
        }
        if (known.equals(QEMU)) {
            return KnownDifferences.ofQemu("emulated");
        }
        try {
            return KnownDifferences.parse(LimitedFile.read(Path.of(known), LONGEST_TABLE));
        } catch (final IOException e) {
            throw FileFailure.of(READ_TABLE, Path.of(known), e).hint(TABLE).build();
        } catch (final IllegalArgumentException e) {
            throw RdmaException.of(READ_TABLE).object(known).detail("%s", e.getMessage()).errno(RdmaException.EINVAL)
                .hint(TABLE).build();
        }
    }
}
