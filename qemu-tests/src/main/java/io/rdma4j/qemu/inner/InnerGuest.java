/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.RdmaException;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.process.ChildProcess;
import io.rdma4j.qemu.qtest.MadPeer;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A machine with pvrdma behind an IOMMU: for programs inside a fabric guest, or on any machine that has a
 * software RDMA device. Shell commands go to its first process, jobs to its stations. Not thread-safe.
 */
public final class InnerGuest implements AutoCloseable {
    /** Lines of the first process begin so. */
    static final String MARK = "inner: ";

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration BOOT = Duration.ofMinutes(25);
    private static final Duration COMMAND = Duration.ofMinutes(2);
    /** A machine that says nothing for so long, and should, is asked whether it lives. */
    private static final Duration SILENCE = Duration.ofSeconds(90);
    private static final int TAIL = 40;

    private final List<String> lines = new ArrayList<>();
    private final Consumer<String> listener;
    private final ChildProcess qemu;
    private final Path sockets;
    private final boolean hasIommu;
    private MadPeer mads;
    private SocketChannel control;
    private boolean hangs;

    private InnerGuest(
        final String binary, final InnerImage image, final Path log, final Path sockets,
        final Consumer<String> listener) {
        this.listener = listener;
        this.sockets = sockets;
        hasIommu = image.hasIommu();
        qemu = ChildProcess.start("inner", InnerMachine.command(binary, image, sockets), log, this::onLine,
            List.of(sockets));
    }

    /**
     * Starts QEMU and waits until the device is bound to vfio-pci and all stations wait for jobs.
     *
     * @param image    what it boots from.
     * @param log      file that gets the console.
     * @param listener called with each line of it, by another thread.
     * @return the running guest; the caller closes it.
     * @throws GuestException if it does not come up; shows its console.
     */
    public static InnerGuest boot(final InnerImage image, final Path log, final Consumer<String> listener) {
        return boot(GuestContext.defaultBinary(), image, log, listener);
    }

    static InnerGuest boot(
        final String binary, final InnerImage image, final Path log, final Consumer<String> listener) {
        InnerGuest guest = null;
        boolean up = false;
        try {
            final Path sockets = Files.createTempDirectory("rdma4j-inner");
            guest = new InnerGuest(binary, image, log, sockets, listener);
            guest.connect();
            up = true;
            return guest;
        } catch (final IOException e) {
            throw new GuestException("cannot start the inner guest: " + e, e);
        } finally {
            if (guest != null && !up) {
                guest.close();
            }
        }
    }

    private void connect() {
        await(this::isConnected, START, "start");
        await(() -> find(0, MARK + "READY").isPresent(), BOOT, "get ready");
    }

    /** QEMU makes its sockets one after the other, and listens after the file is there. */
    private boolean isConnected() {
        try {
            if (mads == null) {
                mads = MadPeer.connect(sockets.resolve(InnerMachine.MAD_SOCKET));
            }
            if (control == null) {
                control = SocketChannel.open(
                    UnixDomainSocketAddress.of(sockets.resolve(InnerMachine.CONTROL_SOCKET)));
            }
            return true;
        } catch (final RdmaException | IOException e) {
            return false;
        }
    }

    private synchronized void add(final String line) {
        lines.add(line);
    }

    private void onLine(final String line) {
        add(line);
        listener.accept(line);
    }

    private synchronized int size() {
        return lines.size();
    }

    private synchronized Optional<String> find(final int from, final String head) {
        return lines.subList(from, lines.size()).stream().filter(line -> line.startsWith(head)).findFirst();
    }

    /**
     * Runs a line in the shell of the first process.
     *
     * @param line a shell command.
     * @return its exit code.
     * @throws GuestException if it does not end in time; shows the console.
     */
    public int shell(final String line) {
        final int from = size();
        send(line);
        await(() -> find(from, MARK + "DONE ").isPresent(), COMMAND, "end '" + line + "'");
        return Integer.parseInt(find(from, MARK + "DONE ").orElseThrow().substring((MARK + "DONE ").length()).strip());
    }

    /**
     * Gives a station a job.
     *
     * @param station which.
     * @param job     the job's name and arguments.
     * @return the job, running.
     */
    Job start(final Station station, final String job) {
        final Job started = new Job(station, job, size());
        if (shell("echo '" + job + "' > " + station.pipe()) != 0) {
            throw failure(station.name() + " takes no job");
        }
        return started;
    }

    /** Ends a station whose job is done, as a program ends: by returning from main. */
    int end(final Station station, final Duration timeout) {
        final int from = size();
        if (shell("echo end > " + station.pipe()) != 0) {
            throw failure(station.name() + " takes no job");
        }
        await(() -> find(from, station.exitMark()).isPresent(), timeout, "end station " + station.name());
        return exitCode(from, station);
    }

    /** Kills a station, and waits for its end. */
    int kill(final Station station, final Duration timeout) {
        final int from = size();
        shell(station.kill());
        await(() -> find(from, station.exitMark()).isPresent(), timeout, "kill " + station.name());
        return exitCode(from, station);
    }

    private int exitCode(final int from, final Station station) {
        return Integer.parseInt(find(from, station.exitMark()).orElseThrow()
            .substring(station.exitMark().length()).strip());
    }

    /** A job of a station. */
    final class Job {
        private final Station station;
        private final String name;
        private final int from;

        private Job(final Station station, final String name, final int from) {
            this.station = station;
            this.name = name;
            this.from = from;
        }

        /** Waits for its end; its exit code. */
        int await(final Duration timeout) {
            final String head = station.name() + '|' + StationMain.DONE;
            final String dead = station.exitMark();
            watch(() -> find(from, head).isPresent() || find(from, dead).isPresent(), timeout, "end " + this);
            return Integer.parseInt(find(from, head).orElseThrow(() -> failure(this + " died"))
                .substring(head.length()).strip());
        }

        /** Waits until it has printed a line. */
        void awaitLine(final String line, final Duration timeout) {
            final String head = station.name() + '|' + line;
            final String done = station.name() + '|' + StationMain.DONE;
            watch(() -> find(from, head).isPresent() || find(from, done).isPresent(), timeout,
                "say '" + line + "' in " + this);
            if (find(from, head).isEmpty()) {
                throw failure(this + " ended without '" + line + "'");
            }
        }

        /**
         * Waits. Of a machine that has been silent it makes sure that its shell answers, and has
         * the station's JVM show its threads, once: the console has them where the wait ends in vain.
         */
        private void watch(final BooleanSupplier condition, final Duration timeout, final String what) {
            final long end = System.nanoTime() + timeout.toNanos();
            boolean asked = false;
            Duration left = timeout;
            while (!holds(condition, left.compareTo(SILENCE) < 0 ? left : SILENCE, what)) {
                left = Duration.ofNanos(end - System.nanoTime());
                if (!qemu.isAlive() || hasGivenUp() || left.isNegative()) {
                    throw inVain(what, timeout);
                }
                if (qemu.silence().compareTo(SILENCE) >= 0) {
                    requireAnswer(asked ? "true" : station.showThreads());
                    asked = true;
                }
            }
        }

        /** What it has printed so far. */
        List<String> lines() {
            final String head = station.name() + '|';
            synchronized (InnerGuest.this) {
                return lines.subList(from, lines.size()).stream().filter(line -> line.startsWith(head))
                    .map(line -> line.substring(head.length())).toList();
            }
        }

        /** The last fact that it gave for a key; empty if it gave none. */
        String info(final String key) {
            final String head = "INFO " + key + '=';
            return lines().stream().filter(line -> line.startsWith(head)).reduce((first, last) -> last)
                .map(line -> line.substring(head.length())).orElse("");
        }

        long number(final String key) {
            final String value = info(key);
            return value.matches("-?\\d+") ? Long.parseLong(value) : -1;
        }

        @Override
        public String toString() {
            return '\'' + name + "' of " + station.name();
        }
    }

    private void send(final String line) {
        final ByteBuffer bytes = StandardCharsets.UTF_8.encode(line + "\n");
        try {
            while (bytes.hasRemaining()) {
                control.write(bytes);
            }
        } catch (final IOException e) {
            throw new GuestException("cannot send '" + line + "' to the inner guest; its console:\n"
                + qemu.tail(TAIL), e);
        }
    }

    private void await(final BooleanSupplier condition, final Duration timeout, final String what) {
        if (!holds(condition, timeout, what)) {
            throw inVain(what, timeout);
        }
    }

    /** Whether something becomes true in time, and before the machine ends. */
    private boolean holds(final BooleanSupplier condition, final Duration timeout, final String what) {
        try {
            return qemu.await(() -> condition.getAsBoolean() || hasGivenUp(), timeout) && condition.getAsBoolean();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GuestException("interrupted while the inner guest was to " + what, e);
        }
    }

    private boolean hasGivenUp() {
        return find(0, MARK + "FAILED").isPresent();
    }

    private void requireAnswer(final String line) {
        try {
            shell(line);
        } catch (final GuestException e) {
            hangs = hasIommu && qemu.isAlive();
            throw new GuestException("the inner guest has said nothing for " + qemu.silence().toSeconds()
                + " s, and its shell does not answer; QEMU's threads:\n" + qemu.threads() + e.getMessage(), e);
        }
    }

    private GuestException inVain(final String what, final Duration timeout) {
        return failure("the inner guest did not " + what
            + (qemu.isAlive() ? " within " + timeout.toSeconds() + " s" : ": QEMU has ended"));
    }

    private GuestException failure(final String what) {
        return new GuestException(what + " (" + qemu + "); the last lines of its console:\n" + qemu.tail(TAIL));
    }

    /** Waits until somebody ends the machine. */
    void awaitEnd() {
        try {
            qemu.awaitExit(Duration.ofDays(1));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
     * Whether the machine was lost by a fault of QEMU's own: it crashed, or not even the guest's first process answers.
     * A machine without an IOMMU that hangs is not: a wrong address of the driver's may have done it.
     *
     * @return true after a crash that nobody asked for, and where it hangs as a whole.
     */
    public boolean isLost() {
        return hangs || qemu.hasCrashed();
    }

    /** Ends the machine. Harmless when called again. */
    @Override
    public void close() {
        qemu.close();
        if (mads != null) {
            mads.close();
        }
        try {
            if (control != null) {
                control.close();
            }
        } catch (final IOException ignored) {
            // Nothing was buffered, and nobody is left at the other end.
        }
    }
}
