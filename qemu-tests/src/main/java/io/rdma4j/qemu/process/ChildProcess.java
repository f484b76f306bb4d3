/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import io.rdma4j.testing.ProcessTree;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A long-running program: its output goes line by line, with the time since its start, to a log file and to a
 * listener; it is killed by {@link #close()} and at the latest when this JVM ends. Its temporary files go with it.
 *
 * <p>Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
    /** 128 and the number of SIGABRT, SIGBUS, SIGSEGV. */
    private static final Set<Integer> CRASHES = Set.of(134, 135, 139);
    private static final int TAIL_LINES = 200;
    private static final Duration KILL_WAIT = Duration.ofSeconds(10);

    private final String name;
    private final Process process;
    private final List<Path> temporary;
    private final Thread reader;
    private final Thread shutdownHook;
    private final long startNanos = System.nanoTime();
    private final ArrayDeque<String> tail = new ArrayDeque<>();
    private final Object monitor = new Object();
    private volatile long lastLineNanos = startNanos;
    /** The reader's alone. */
    private boolean logIsLost;

    private ChildProcess(
        final String name, final Process process, final BufferedWriter writer, final Consumer<String> onLine,
        final List<Path> temporary) {
        this.name = name;
        this.process = process;
        this.temporary = temporary;
        shutdownHook = new Thread(this::endWithJvm, "rdma4j-" + name + "-kill");
        Runtime.getRuntime().addShutdownHook(shutdownHook);
        reader = new Thread(() -> readOutput(writer, onLine), "rdma4j-" + name + "-output");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a program with an empty standard input.
     *
     * @param name    what messages and threads call it.
     * @param command program and arguments.
     * @param log     file that is written anew: the command, then all its output, standard error included.
     * @param onLine  called by the reading thread with each line, control sequences removed; must not block.
     * @return the running program; the caller closes it.
     * @throws UncheckedIOException if it cannot be started or the log not be written.
     */
    public static ChildProcess start(
        final String name, final List<String> command, final Path log, final Consumer<String> onLine) {
        return start(name, command, log, onLine, List.of());
    }

    /**
     * Starts a program that has temporary files: they are deleted when it is gone, in whichever way, and when it cannot
     * be started.
     *
     * @param name      what messages and threads call it.
     * @param command   program and arguments.
     * @param log       file that is written anew: the command, then all its output, standard error included.
     * @param onLine    called by the reading thread with each line, control sequences removed; must not block.
     * @param temporary files, and folders with all that is in them; need not be there.
     * @return the running program; the caller closes it.
     * @throws UncheckedIOException if it cannot be started or the log not be written.
     */
    public static ChildProcess start(
        final String name, final List<String> command, final Path log, final Consumer<String> onLine,
        final List<Path> temporary) {
        ChildProcess started = null;
        try {
            started = launch(name, command, log, onLine, List.copyOf(temporary));
            return started;
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot start " + name + ": " + String.join(" ", command), e);
        } finally {
            if (started == null) {
                delete(temporary);
            }
        }
    }

    private static ChildProcess launch(
        final String name, final List<String> command, final Path log, final Consumer<String> onLine,
        final List<Path> temporary) throws IOException {
        final BufferedWriter writer = Files.newBufferedWriter(log);
        Process process = null;
        ChildProcess child = null;
        try {
            writer.write("$ " + String.join(" ", command));
            writer.newLine();
            process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
            child = new ChildProcess(name, process, writer, onLine, temporary);
            return child;
        } finally {
            if (child == null) {
                writer.close();
                if (process != null) {
                    // This JVM is ending: it takes no further hook that would do this.
                    ProcessTree.kill(process);
                }
            }
        }
    }

    /**
     * The process id.
     *
     * @return as the system numbers it.
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Whether the program runs.
     *
     * @return false once it ended.
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Whether it ended by a fault of its own: a memory error or a failed check of itself.
     *
     * @return false as long as it is alive, and where it was killed or ended by itself.
     */
    public boolean hasCrashed() {
        return !process.isAlive() && CRASHES.contains(process.exitValue());
    }

    /**
     * Waits until something is true that the program's output or end may bring about.
     *
     * @param condition looked at after each line of output, and four times a second.
     * @param timeout   longest wait.
     * @return whether the condition became true; false if the time passed, or the program ended without it.
     * @throws InterruptedException if this thread is interrupted.
     */
    public boolean await(final BooleanSupplier condition, final Duration timeout) throws InterruptedException {
        final long deadline = System.nanoTime() + timeout.toNanos();
        synchronized (monitor) {
            while (!condition.getAsBoolean()) {
                final boolean running = isAlive() || reader.isAlive();
                final long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (!running || left <= 0) {
                    return condition.getAsBoolean();
                }
                monitor.wait(Math.min(left, 250));
            }
        }
        return true;
    }

    /**
     * How long it has been silent.
     *
     * @return time since its last line of output, or since it was started.
     */
    public Duration silence() {
        return Duration.ofNanos(System.nanoTime() - lastLineNanos);
    }

    /**
     * What its threads do, as the system tells it: for a program that does not answer.
     *
     * @return a line for each thread: name, state, ticks of user and system time, the system call it is in and where
     *     the kernel lets it wait; says so if it is gone.
     */
    public String threads() {
        final StringBuilder text = new StringBuilder();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid()), "task"))) {
            for (final Path task : tasks) {
                final String stat = line(task.resolve("stat"));
                final String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
                text.append("    ").append(line(task.resolve("comm"))).append(": ").append(fields[0])
                    .append(", ticks ").append(fields[11]).append('+').append(fields[12])
                    .append(", syscall ").append(line(task.resolve("syscall")))
                    .append(", ").append(line(task.resolve("wchan"))).append('\n');
            }
        } catch (final IOException e) {
            text.append("    (").append(e).append(")\n");
        }
        return text.toString();
    }

    /** Not everybody may read everything, and not every kernel has it. */
    private static String line(final Path file) throws IOException {
        try {
            return Files.readString(file).strip();
        } catch (final AccessDeniedException | NoSuchFileException e) {
            return "?";
        }
    }

    /**
     * Waits until the program ended and all its output was read.
     *
     * @param timeout longest wait.
     * @return whether it ended in time.
     * @throws InterruptedException if this thread is interrupted.
     */
    public boolean awaitExit(final Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            return false;
        }
        reader.join(KILL_WAIT.toMillis());
        return true;
    }

    /**
     * The last lines of output.
     *
     * @param lines how many at most; 200 are kept.
     * @return the lines, indented, each ended by a newline; says so if there are none.
     */
    public String tail(final int lines) {
        final StringBuilder text = new StringBuilder();
        synchronized (monitor) {
            tail.stream().skip(Math.max(0, tail.size() - lines)).forEach(line ->
                text.append("    | ").append(line).append('\n'));
        }
        return text.length() == 0 ? "    (no output)\n" : text.toString();
    }

    /**
     * Kills the program and what it started, then deletes its temporary files. Returns when it is gone, even if this
     * thread was interrupted. Harmless when called again.
     *
     * @throws UncheckedIOException if a temporary file cannot be deleted.
     */
    @Override
    public void close() {
        final boolean interrupted = Thread.interrupted();
        try {
            kill();
            // Whoever the program started held its output open.
            reader.join(KILL_WAIT.toMillis());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            forgetShutdownHook();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        deleteTemporary();
    }

    /** Not before the program is gone: it might make another file. */
    private void endWithJvm() {
        try {
            kill();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        deleteTemporary();
    }

    private void kill() throws InterruptedException {
        ProcessTree.kill(process);
        process.waitFor(KILL_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The hook and {@link #close()} may meet here. */
    private void deleteTemporary() {
        synchronized (monitor) {
            delete(temporary);
        }
    }

    private static void delete(final List<Path> files) {
        for (final Path file : files) {
            try {
                Folders.delete(file);
            } catch (final IOException e) {
                throw new UncheckedIOException("cannot delete " + file, e);
            }
        }
    }

    private void forgetShutdownHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (final IllegalStateException ignored) {
            // The JVM is ending: the hook runs, and does what close() did.
        }
    }

    private void readOutput(final BufferedWriter log, final Consumer<String> onLine) {
        try (Reader in = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            final LineSplitter lines = new LineSplitter(line -> takeLine(line, log, onLine));
            final char[] chunk = new char[8192];
            int n = in.read(chunk);
            while (n >= 0) {
                lines.feed(new String(chunk, 0, n));
                n = in.read(chunk);
            }
            lines.end();
        } catch (final IOException e) {
            remember("(output of " + name + " lost: " + e + ")");
        } finally {
            closeLog(log);
            synchronized (monitor) {
                monitor.notifyAll();
            }
        }
    }

    private void closeLog(final BufferedWriter log) {
        try {
            log.close();
        } catch (final IOException e) {
            loseLog(e);
        }
    }

    private void takeLine(final String line, final BufferedWriter log, final Consumer<String> onLine) {
        if (!logIsLost) {
            try {
                log.write(String.format("[%9.3f] %s%n", (System.nanoTime() - startNanos) / 1e9, line));
                log.flush();
            } catch (final IOException e) {
                loseLog(e);
            }
        }
        remember(line);
        onLine.accept(line);
    }

    /** As on a full disk. Whoever waits for a line gets it nevertheless. */
    private void loseLog(final IOException e) {
        if (!logIsLost) {
            logIsLost = true;
            remember("(log of " + name + " lost: " + e + ")");
        }
    }

    private void remember(final String line) {
        synchronized (monitor) {
            if (tail.size() == TAIL_LINES) {
                tail.removeFirst();
            }
            tail.addLast(line);
            lastLineNanos = System.nanoTime();
            monitor.notifyAll();
        }
    }

    @Override
    public String toString() {
        return name + "[pid=" + pid() + (isAlive() ? " running" : " exit=" + process.exitValue()) + ']';
    }
}
