/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.tools.dump.DumpSource.Wish;
import io.rdma4j.verbs.RdmaDevices;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Options of all commands that look into a device: which one, and in which form. */
final class DumpOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = {"-d", "--device"}, paramLabel = "ADDRESS",
        description = "Address of the device: it is opened, read and closed; with --pid: which of the process's. "
            + "Default: " + RdmaDevices.DEFAULT_ADDRESS + ", with --pid the only one")
    private String address;

    @Option(names = "--pid", paramLabel = "PID", converter = Converters.ProcessId.class,
        description = "Look into the open device of a running process, which does not notice.")
    private Long pid;

    @Option(names = "--sample", description = "Make a PD, MR, CQ, SRQ and two connected QPs with requests first, so "
        + "that there is something to see. Not with --pid.")
    private boolean sample;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Option(names = "--raw", description = "Print the bytes too, with their addresses.")
    private boolean raw;

    boolean json() {
        return json;
    }

    /** Whether they say what to look at, or how, so that somebody wants to see it. */
    boolean nameSource() {
        return address != null || pid != null || sample || raw;
    }

    /** What the options ask for. */
    Set<Wish> wishes() {
        return raw ? EnumSet.of(Wish.RAW) : EnumSet.noneOf(Wish.class);
    }

    /**
     * Opens what the options name.
     *
     * @param wishes what is asked for.
     * @return the source; the caller closes it.
     * @throws io.rdma4j.RdmaException if there is no such device or process, or it cannot be opened.
     */
    OpenedSource open(final Set<Wish> wishes) {
        if (pid != null) {
            requireOwn(sample, "--sample");
            return OpenedSource.ofProcess(pid, address, wishes);
        }
        if (!sample && ownAddress().startsWith(RdmaDevices.DEFAULT_ADDRESS)) {
            tellThatItIsEmpty();
        }
        return openOwn(wishes);
    }

    /**
     * Opens a device of one's own, whatever is told of others.
     *
     * @param wishes what is asked for.
     * @return the source; the caller closes it.
     * @throws io.rdma4j.RdmaException if there is no such device, or it cannot be opened.
     */
    OpenedSource openOwn(final Set<Wish> wishes) {
        return OpenedSource.ofOwn(ownAddress(), sample, wishes);
    }

    /** Emulated devices are each process's own, also those of one name. */
    private void tellThatItIsEmpty() {
        final String processes = LiveViews.list().stream().filter(listed -> listed.status() == LiveViews.Status.LIVE)
            .map(listed -> Long.toString(listed.pid())).distinct().collect(Collectors.joining(", "));
        final PrintWriter err = spec.commandLine().getErr();
        err.printf("rdma4j: this device was opened for the report and is empty; --pid N looks into a running process "
            + "(%s), --sample makes objects%n", processes.isEmpty() ? LiveViews.nobody() + " has a device open now"
            : "N is one of " + processes);
        err.flush();
    }

    /**
     * Opens the function alone, without bringing the device up.
     *
     * @param wishes what is asked for.
     * @return the source; the caller closes it.
     * @throws io.rdma4j.RdmaException if there is no such device, or it cannot be opened.
     */
    OpenedSource openFunction(final Set<Wish> wishes) {
        requireOwn(true, "--no-init");
        if (sample) {
            throw new ParameterException(spec.commandLine(), "--sample needs a device that was brought up; leave "
                + "--no-init out");
        }
        return OpenedSource.ofFunction(ownAddress(), wishes);
    }

    /** The device of one's own that the options name. */
    String ownAddress() {
        return address == null ? RdmaDevices.DEFAULT_ADDRESS : address;
    }

    /** Refuses an option that changes the device, or needs to own it, for the device of another process. */
    void requireOwn(final boolean given, final String option) {
        if (given && pid != null) {
            throw new ParameterException(spec.commandLine(), option + " is for a device of one's own (-d), not for "
                + "that of another process (--pid): it is only looked at");
        }
    }
}
