/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.process.ChildProcess;
import io.rdma4j.qemu.process.HostCommand;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A QEMU with a pvrdma on this machine's software RDMA device, its processors stopped, waiting for the qtest provider:
 * for programs inside a fabric guest, or on any machine that has such a device. Owns the process and its files.
 *
 * <p>Several may run at a time, and reach each other through the RDMA device that they share.
 */
public final class QtestDevice implements AutoCloseable {
    /** The stopped machine's memory in MiB, all of it for DMA; default 256. */
    public static final String MEMORY_PROPERTY = "rdma4j.qemu.device.memory";

    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(30);
    private static final int TAIL = 20;

    private final Path folder;
    private final Path ram;
    private final ChildProcess qemu;

    private QtestDevice(final Path folder, final Path ram, final ChildProcess qemu) {
        this.folder = folder;
        this.ram = ram;
        this.qemu = qemu;
    }

    /**
     * Starts QEMU and waits until it answers.
     *
     * @param log file that gets QEMU's output.
     * @return the running device; the caller closes it.
     * @throws GuestException if it does not come up; shows QEMU's output.
     */
    public static QtestDevice start(final Path log) {
        return start(GuestContext.defaultBinary(), log);
    }

    static QtestDevice start(final String binary, final Path log) {
        final QtestDevice device = launch(binary, log);
        boolean up = false;
        try {
            device.awaitAnswer();
            up = true;
            return device;
        } finally {
            if (!up) {
                device.close();
            }
        }
    }

    private static QtestDevice launch(final String binary, final Path log) {
        try {
            final Path folder = Files.createTempDirectory("rdma4j-qtest");
            final Path ram = Path.of("/dev/shm", folder.getFileName() + ".ram");
            return new QtestDevice(folder, ram, ChildProcess.start(
                "qtest", command(binary, folder, ram), log, line -> { }, List.of(folder, ram)));
        } catch (final UncheckedIOException e) {
            throw new GuestException("cannot start a QEMU for qtest: " + e.getCause(), e);
        } catch (final IOException e) {
            throw new GuestException("cannot make the files of a QEMU for qtest: " + e, e);
        }
    }

    /**
     * Says which QEMU {@link #start} runs.
     *
     * @return the first line that it prints about itself, or why it does not; may be empty.
     */
    public static String version() {
        return HostCommand.run(null, FIRST_ANSWER, List.of(GuestContext.defaultBinary(), "--version"))
            .text().lines().findFirst().orElse("");
    }

    private static List<String> command(final String binary, final Path folder, final Path ram) {
        final int mib = Integer.getInteger(MEMORY_PROPERTY, 256);
        return List.of(binary, "-machine", "q35,memory-backend=ram0", "-accel", "tcg", "-S", "-m", mib + "M",
            "-display", "none", "-nodefaults",
            "-object", "memory-backend-file,id=ram0,size=" + mib + "M,mem-path=" + ram + ",share=on",
            // pvrdma looks for shared anonymous memory before it starts; any will do.
            "-object", "memory-backend-ram,id=shared,size=4M,share=on",
            "-qtest", "unix:" + folder.resolve("qtest.sock") + ",server=on,wait=off", "-qtest-log", "/dev/null",
            "-chardev", "socket,id=mads,path=" + folder.resolve("mad.sock") + ",server=on,wait=off",
            // pvrdma wants to be function 1 beside a vmxnet3.
            "-device", "vmxnet3,addr=10.0,multifunction=on,romfile=",
            "-device", "pvrdma,addr=10.1,ibdev=" + FabricGuest.IBDEV + ",netdev=" + FabricGuest.NETDEV
                + ",mad-chardev=mads");
    }

    private void awaitAnswer() {
        final Path socket = folder.resolve("qtest.sock");
        try {
            if (!qemu.await(() -> Files.exists(socket), START)) {
                throw new GuestException(String.format("no QEMU for qtest within %d s (%s); it said:%n%s",
                    START.toSeconds(), qemu, qemu.tail(TAIL)));
            }
            // The socket is there before the devices are: an answer comes when all are.
            try (QtestClient client = QtestClient.connect(socket, FIRST_ANSWER)) {
                client.command("endianness");
            }
        } catch (final RdmaException e) {
            throw new GuestException(String.format("%s does not answer; it said:%n%s", qemu, qemu.tail(TAIL)), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GuestException("interrupted while waiting for " + qemu, e);
        }
    }

    /**
     * How to open the device as a verbs device. QEMU sends only from a GID that the RDMA device behind it has, other
     * than its first; the default GID of pvrdma is none of those.
     *
     * @return the {@link #address()} with the GID to bind.
     */
    public DeviceAddress verbsAddress() {
        final Map<String, String> options = new LinkedHashMap<>(address().options());
        options.put("gid", "::ffff:" + FabricGuest.IP_ADDRESS);
        return new DeviceAddress("qtest", address().path(), options);
    }

    /**
     * How to open the device as a PCI function.
     *
     * @return an address of scheme qtest.
     */
    public DeviceAddress address() {
        final Map<String, String> options = new LinkedHashMap<>();
        options.put("ram", ram.toString());
        options.put("mad", folder.resolve("mad.sock").toString());
        return new DeviceAddress("qtest", folder.resolve("qtest.sock").toString(), options);
    }

    /**
     * Whether QEMU runs.
     *
     * @return false after it crashed or was closed.
     */
    public boolean isAlive() {
        return qemu.isAlive();
    }

    /**
     * What QEMU printed last, for failures.
     *
     * @return its last lines.
     */
    public String log() {
        return qemu.tail(TAIL);
    }

    /** Kills QEMU and deletes its files. Harmless when called again. */
    @Override
    public void close() {
        try {
            qemu.close();
        } catch (final UncheckedIOException e) {
            throw new GuestException(e.getMessage() + " of " + qemu, e);
        }
    }

    @Override
    public String toString() {
        return "QtestDevice[" + qemu + ' ' + address() + ']';
    }
}
