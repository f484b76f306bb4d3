/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.stat.Loop;
import io.rdma4j.tools.stat.Watch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.time.Duration;

/** {@code rdma4j stat}: what the devices of running processes do. */
@Command(
    name = "stat",
    description = "Shows what open devices do: posts, doorbells, completions by status, polls, bytes, retries, cache "
        + "hits, pinned memory, commands and events, in total and per second. The processes are neither stopped nor "
        + "slowed down. Ends at Ctrl-C.",
    footer = {
        "  rdma4j stat                              all devices, once a second",
        "  rdma4j stat --pid 1234 -v                one process, queue by queue",
        "  rdma4j stat --interval 0.5 --json        a line of JSON twice a second",
        "  rdma4j stat --prometheus                 once, in Prometheus' text format"
    })
final class StatCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Option(names = "--pid", paramLabel = "PID", converter = Converters.ProcessId.class,
        description = "Only the devices of this process.")
    private Long pid;

    @Option(names = {"-d", "--device"}, paramLabel = "ADDRESS",
        description = "Only devices that were opened by this address.")
    private String address;

    @Option(names = "--interval", paramLabel = "SECONDS", converter = Converters.Seconds.class,
        description = "Time between two looks. Default: 1")
    private Duration interval;

    @Option(names = "--count", paramLabel = "N", converter = Converters.Iterations.class,
        description = "End after so many looks. Default: never")
    private Long count;

    @Option(names = "--once", description = "Look once: totals, and no rates. The same as --count 1.")
    private boolean once;

    @Option(names = {"-v", "--verbose"}, description = "Show each queue, too.")
    private boolean verbose;

    @Option(names = "--json", description = "Print one line of JSON for each look.")
    private boolean json;

    @Option(names = "--prometheus", description = "Print the text format of Prometheus, once.")
    private boolean prometheus;

    @Override
    public void run() {
        refuse(json && prometheus, "--json and --prometheus");
        refuse(once && (count != null || interval != null), "--once, which looks once, and --count or --interval");
        refuse(prometheus && (count != null || interval != null), "--prometheus, which looks once, and --count or "
            + "--interval");
        refuse(prometheus && verbose, "--prometheus, which has the same numbers always, and --verbose");
        final Loop.Form form = json ? Loop.Form.JSON : prometheus ? Loop.Form.PROMETHEUS : Loop.Form.TEXT;
        final Loop.Plan plan = new Loop.Plan(form, verbose, interval == null ? Duration.ofSeconds(1) : interval,
            once || prometheus ? 1 : count == null ? Long.MAX_VALUE : count);
        try (Watch watch = Watch.begin(pid, address)) {
            new Loop(watch, plan, main.terminal()).run();
        } catch (final RdmaException e) {
            if (!prometheus || pid != null || e.errno() != RdmaException.ENODEV) {
                throw e;
            }
            // A collector has to see that they are gone; after a failure it would keep the last numbers.
            main.terminal().out().print("# " + Watch.nobody(address) + "\n");
        }
    }

    private void refuse(final boolean both, final String options) {
        if (both) {
            throw new ParameterException(spec.commandLine(), options + " exclude each other");
        }
    }
}
