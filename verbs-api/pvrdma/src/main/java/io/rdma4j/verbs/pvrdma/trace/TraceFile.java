/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.trace;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.state.HeldFile;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The file of a trace. Whole lines are written, so that it can be read whenever the process ends: after each command,
 * and when the buffer is full. When it cannot be written any more, or is as long as it may become, that is told once,
 * and nothing is written from then on.
 *
 * <p>Not through a channel, which closes when its thread is interrupted: this may be any thread of the application.
 */
final class TraceFile {
    static final int BUFFER = 64 << 10;

    private static final System.Logger LOG = System.getLogger(TraceFile.class.getPackageName());
    /** For the reason why the trace ends. */
    private static final int RESERVE = 512;

    private final ReentrantLock lock = new ReentrantLock();
    private final TraceLine line = new TraceLine();
    private final byte[] buffer = new byte[BUFFER];
    private final Path path;
    private final long limit;
    private final long began = System.nanoTime();
    private RandomAccessFile file;
    /** Tells the file from another one that has its name later. */
    private Object key;
    private int buffered;
    private long written;
    private int devices;
    private int open;
    private boolean ended;

    private TraceFile(final Path path, final long limit) {
        this.path = path;
        this.limit = limit;
    }

    /**
     * Begins a trace; what the file held before is gone.
     *
     * @param path  where; nobody else may read it.
     * @param limit most bytes.
     * @return the file.
     * @throws IOException if it cannot be made, with a message that says why.
     */
    static TraceFile create(final Path path, final long limit) throws IOException {
        final TraceFile trace = new TraceFile(path, limit);
        requireRoom(path);
        try {
            Files.deleteIfExists(path);
            trace.make();
        } catch (final FileSystemException e) {
            throw new IOException(reason(path, e), e);
        }
        trace.add((TraceFormat.FIRST_LINE + "\n").getBytes(StandardCharsets.US_ASCII));
        trace.flush();
        return trace;
    }

    /**
     * Refuses a place where no trace can begin, as far as it can be told before. Nothing is changed there.
     *
     * @param path absolute.
     * @throws IOException what stands against it, with a message that says why.
     */
    static void requireRoom(final Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)
            && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("it is there, and is no ordinary file");
        }
        final Path folder = path.getParent();
        try {
            folder.getFileSystem().provider().checkAccess(folder, AccessMode.WRITE);
        } catch (final FileSystemException e) {
            throw new IOException(reason(path, e), e);
        }
        if (!Files.isDirectory(folder)) {
            throw new IOException("'" + folder + "' is no folder");
        }
    }

    /** By its name it may be another file already, so it is opened again by its descriptor. */
    private void make() throws IOException {
        try (Fd made = Fd.create(path.toString())) {
            final Path same = Path.of("/proc/self/fd/" + made.fd());
            key = key(same);
            file = new RandomAccessFile(same.toFile(), "rw");
        } catch (final RdmaException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Object key(final Path held) throws IOException {
        return Files.readAttributes(held, BasicFileAttributes.class).fileKey();
    }

    /** The names of Java's exceptions say what their messages leave out. */
    private static String reason(final Path path, final FileSystemException e) {
        return e.getReason() != null ? e.getReason()
            : e instanceof NoSuchFileException ? "there is no folder '" + path.toAbsolutePath().getParent() + "'"
            : e instanceof AccessDeniedException ? "no right to write there" : e.toString();
    }

    Path path() {
        return path;
    }

    /** Counts a device in; gives its number. */
    int enter() {
        lock.lock();
        try {
            open++;
            reopen();
            return ++devices;
        } finally {
            lock.unlock();
        }
    }

    /** The last one closes the file; the next device goes on behind. */
    void leave() {
        lock.lock();
        try {
            open--;
            flush();
            if (open == 0) {
                closeFile();
            }
        } finally {
            lock.unlock();
        }
    }

    private void reopen() {
        if (file == null && !ended) {
            try (HeldFile held = HeldFile.of(path); Undo undo = new Undo()) {
                requireOurs(held.path());
                final RandomAccessFile found = new RandomAccessFile(held.path().toFile(), "rw");
                undo.add(() -> close(found));
                found.seek(written);
                undo.forget();
                file = found;
            } catch (final IOException e) {
                giveUp(e instanceof FileSystemException missing ? reason(path, missing) : e.getMessage());
            }
        }
    }

    /** Another file of that name is somebody's: nothing in it is changed. */
    private void requireOurs(final Path held) throws IOException {
        if (!key.equals(key(held)) || Files.size(held) != written) {
            throw new IOException("it was changed, or replaced, by others");
        }
    }

    /**
     * Adds a record.
     *
     * @param device number of the device.
     * @param kind   of the record.
     * @param now    whether it must be in the file when this returns.
     * @param fields adds the fields.
     */
    void record(final int device, final String kind, final boolean now, final Consumer<TraceLine> fields) {
        lock.lock();
        try {
            if (ended) {
                return;
            }
            fields.accept(line.begin(device, System.nanoTime() - began, kind));
            line.end();
            if (written + buffered + line.length() > limit - RESERVE) {
                finish("it has the " + limit + " bytes that it may have");
                return;
            }
            add(line.bytes(), line.length());
            if (now) {
                flush();
            }
        } finally {
            lock.unlock();
        }
    }

    private void add(final byte[] bytes) {
        add(bytes, bytes.length);
    }

    private void add(final byte[] bytes, final int length) {
        if (buffered + length > BUFFER) {
            flush();
        }
        if (length > BUFFER) {
            write(bytes, length);
        } else {
            System.arraycopy(bytes, 0, buffer, buffered, length);
            buffered += length;
        }
    }

    /** Brings what is buffered into the file. */
    void flush() {
        lock.lock();
        try {
            write(buffer, buffered);
            buffered = 0;
        } finally {
            lock.unlock();
        }
    }

    private void write(final byte[] bytes, final int length) {
        // No file: the last device is closed, and somebody, such as a poster of it, is late.
        if (ended || file == null || length == 0) {
            return;
        }
        try {
            file.write(bytes, 0, length);
            written += length;
        } catch (final IOException e) {
            giveUp(e.getMessage());
        }
    }

    private void finish(final String why) {
        add((TraceFormat.END + " " + why + "\n").getBytes(StandardCharsets.US_ASCII));
        flush();
        giveUp(why);
    }

    /** What was written of a line is taken back: the file stays readable. */
    private void giveUp(final String why) {
        if (!ended) {
            ended = true;
            LOG.log(System.Logger.Level.WARNING,
                "the trace " + path + " ends here: " + why + "; everything else goes on");
            try {
                if (file != null) {
                    file.setLength(written);
                }
            } catch (final IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "the trace's last line stays as it is", e);
            }
            closeFile();
        }
    }

    private void closeFile() {
        if (file != null) {
            close(file);
        }
        file = null;
    }

    private static void close(final RandomAccessFile file) {
        try {
            file.close();
        } catch (final IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing the trace", e);
        }
    }

    boolean isEnded() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    /** Nobody traces to it any more: a device that is still open is not told of. */
    void end() {
        lock.lock();
        try {
            flush();
            closeFile();
            ended = true;
        } finally {
            lock.unlock();
        }
    }
}
