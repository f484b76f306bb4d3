/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.base.Uninterrupted;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.LocalSockets;
import io.rdma4j.driver.libc.PollSet;

import java.io.IOException;
import java.net.ProtocolException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Serves one function at a socket, to one client at a time; a process may have several. A daemon thread carries out
 * what the client asks for, and whatever the device does by itself. The guest's doorbells ring on that thread, too.
 * Another one, for each client, signals its eventfds and closes what it passed for nothing.
 *
 * <p>A client that hangs up, is late or sends what is no message loses its connection, and the device is as after
 * power-up; then the next can connect. While one is connected, others are turned away.
 */
public final class VfioUserServer implements AutoCloseable {
    /** How long the first message, the rest of one, and the client's reading of an answer may take. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CLOSE_MILLIS = 30_000;
    private static final int BACKLOG = 4;
    /** So many clients may leave a thread behind that their files hold up: together some 3,000, of 4,096 or more. */
    static final int MAX_HELD_UP = 8;
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET_TYPE = 0140000;
    private static final int ECONNREFUSED = 111;

    private final Path path;
    private final Object file;
    private final ServedFunction device;
    private final Consumer<String> events;
    private final long patienceNanos;
    private final Fd listener;
    private final EventFd wake = EventFd.create();
    private final PollSet polled = new PollSet(3);
    private final PollSet written = new PollSet(2);
    private final Thread thread;
    private volatile boolean attention = true;
    private volatile boolean closed;
    private boolean released;
    /** Of the thread alone. */
    private Connection connection;
    /** One that has ended and may have left memory within the device's reach, or null. */
    private Connection unfinished;
    private final List<Thread> heldUp = new ArrayList<>(MAX_HELD_UP);
    /** Closes the sockets of clients that are turned away; null until there is one. */
    private ClientThread closer;
    /** Whether the device had more to do than it did at once. */
    private boolean behind;
    private long nextService;
    private long nextAccept = System.nanoTime();

    private VfioUserServer(Path path, Fd listener, ServedFunction device, Consumer<String> events,
        long patienceNanos) {
        this.path = path;
        this.file = inode(path);
        this.listener = listener;
        this.device = device;
        this.events = events;
        this.patienceNanos = patienceNanos;
        this.thread = new Thread(this::run, "rdma4j-vfio-user-" + device.address().path());
        thread.setDaemon(true);
    }

    /**
     * Begins to serve. A socket that is left of a process that is gone is replaced.
     *
     * @param path   of the socket.
     * @param device to serve; the caller closes it, after this.
     * @param events told in a sentence of clients that come and go, and of what was refused; on the server's thread.
     * @return to be closed.
     * @throws RdmaException EADDRINUSE if somebody listens there, or the file is no socket.
     */
    public static VfioUserServer open(Path path, ServedFunction device, Consumer<String> events) {
        return open(path, device, events, PATIENCE_NANOS);
    }

    /** A test of what happens in the end need not wait that long. */
    static VfioUserServer open(Path path, ServedFunction device, Consumer<String> events, long patienceNanos) {
        removeStale(path);
        try (Undo undo = new Undo()) {
            final Fd listener = LocalSockets.listen(path.toString(), BACKLOG);
            undo.add(() -> remove(path));
            undo.add(listener::close);
            final VfioUserServer server = new VfioUserServer(path, listener, device, events, patienceNanos);
            server.thread.start();
            undo.forget();
            return server;
        }
    }

    private static void removeStale(Path path) {
        try {
            if (((int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & FILE_TYPE) == SOCKET_TYPE
                && isDeaf(path)) {
                Files.deleteIfExists(path);
            }
        } catch (final IOException e) {
            // It is not there, or bind says what is wrong with it.
        }
    }

    private static boolean isDeaf(Path path) {
        try {
            LocalSockets.connect(path.toString()).close();
            return false;
        } catch (final RdmaException e) {
            return e.errno() == ECONNREFUSED;
        }
    }

    private static void remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            throw RdmaException.of("remove socket").object(path).detail("%s", e.getMessage()).errno(RdmaException.EIO)
                .cause(e).build();
        }
    }

    private static Object inode(Path path) {
        try {
            return Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
        } catch (final IOException e) {
            return null;
        }
    }

    /**
     * {@return the path of the socket}
     */
    public Path path() {
        return path;
    }

    private void run() {
        while (!closed) {
            try {
                step();
            } catch (final RuntimeException | InternalError | OutOfMemoryError e) {
                // The client's, or the device's: the next one finds it as after power-up. What filled the heap goes
                // first.
                endConnection();
                tell("client dropped: ", e);
            }
        }
        endConnection();
    }

    private void step() {
        polled.clear();
        polled.add(wake.fd(), LibcConstants.POLLIN);
        final int client = connection == null ? -1 : polled.add(connection.fd(), LibcConstants.POLLIN);
        final int next = nextAccept - System.nanoTime() > 0 ? -1 : polled.add(listener.fd(), LibcConstants.POLLIN);
        Libc.poll(polled, attention ? 0 : sleep());
        if (polled.revents(0) != 0) {
            wake.read();
        }
        if (attention || nextService - System.nanoTime() <= 0) {
            service();
        }
        if (connection != null) {
            serve(polled.revents(client));
        }
        if (next >= 0 && polled.revents(next) != 0) {
            tryAccept();
        }
    }

    private long sleep() {
        long left = nextService - System.nanoTime();
        if (nextAccept - System.nanoTime() > 0) {
            left = Math.min(left, nextAccept - System.nanoTime());
        }
        if (connection != null && connection.waitingSince() != 0) {
            left = Math.min(left, connection.waitingSince() + patienceNanos - System.nanoTime());
        }
        return left;
    }

    /** Cleared first: what is asked for meanwhile is done next. */
    private void service() {
        attention = false;
        final long left = device.service();
        behind = left <= 0;
        nextService = System.nanoTime() + Math.min(left, TimeUnit.HOURS.toNanos(1));
    }

    /** Any thread. */
    private void wantAttention() {
        attention = true;
        if (Thread.currentThread() != thread) {
            try {
                wake.signal();
            } catch (final RdmaException e) {
                if (!closed) {
                    throw e;
                }
                // It ended in between: nobody looks after the device any more.
            }
        }
    }

    private void serve(int revents) {
        try {
            // What a client that is gone has asked for may take long.
            final boolean gone = behind && (revents & LibcConstants.POLLHUP) != 0;
            if (gone || revents != 0 && !connection.receive()) {
                events.accept("client gone: " + connection);
                endConnection();
            } else if (connection.waitingSince() != 0
                && System.nanoTime() - connection.waitingSince() > patienceNanos) {
                throw new ProtocolException("its first message, or the rest of one, did not come");
            }
        } catch (final ProtocolException e) {
            events.accept("client dropped: " + e.getMessage() + "; " + connection);
            endConnection();
        }
    }

    private void endConnection() {
        final Connection ended = connection;
        connection = null;
        if (ended != null) {
            heldUp.add(ended.thread().thread());
            try {
                ended.close();
            } catch (final RuntimeException | InternalError | OutOfMemoryError e) {
                tell("device not left as it was found: ", e);
                unfinished = ended;
            }
        }
    }

    /** Where there is no memory for the words, nobody is told: this thread goes on. */
    private void tell(String what, Object why) {
        try {
            events.accept(what + why);
        } catch (final OutOfMemoryError e) {
            // Told when there is something else to be told.
        }
    }

    /** Where the process may have no more files or threads, the client that there is goes on; the next one waits. */
    private void tryAccept() {
        try {
            accept();
        } catch (final RdmaException | OutOfMemoryError e) {
            tell("client not accepted: ", e.getMessage());
            nextAccept = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        }
    }

    private void accept() {
        heldUp.removeIf(thread -> !thread.isAlive());
        if (heldUp.size() >= MAX_HELD_UP) {
            throw RdmaException.of("accept").object(path).detail("%d clients left files behind that threads wait for",
                MAX_HELD_UP).errno(RdmaException.EAGAIN).build();
        }
        if (closer != null && closer.isBehind()) {
            throw RdmaException.of("accept").object(path).detail("clients that were turned away left files behind that"
                + " a thread waits for").errno(RdmaException.EAGAIN).build();
        }
        if (unfinished != null) {
            // The device is not to reach the memory of a machine that is gone in the next one's name.
            unfinished.forgetMemory();
            unfinished = null;
        }
        final Fd socket = LocalSockets.accept(listener.fd());
        if (socket == null) {
            return;
        }
        try (Undo undo = new Undo()) {
            undo.add(() -> discard(socket));
            if (connection != null) {
                events.accept("client turned away: there is one already");
                return;
            }
            connection = new Connection(socket, device, events, this::send, this::wantAttention);
            undo.forget();
        }
        events.accept("client connected");
    }

    /** What was not received goes with it, and may have files that wait: not at the cost of the other client. */
    private void discard(Fd socket) {
        if (closer == null) {
            try (Undo undo = new Undo()) {
                // At its cost where there is no thread for it: else it would wait for an answer for ever.
                undo.add(socket::close);
                closer = new ClientThread(device.address().path() + "-turned-away", () -> { });
                undo.forget();
            }
        }
        closer.discard(socket);
    }

    private void send(Fd socket, UnsafeBuffer message, int length) throws ProtocolException {
        final long begun = System.nanoTime();
        int sent = 0;
        while (sent < length) {
            final int went = LocalSockets.send(socket.fd(), message, sent, length - sent);
            if (went > 0) {
                sent += went;
            } else if (went != -RdmaException.EAGAIN) {
                throw new ProtocolException("it takes no answer (" + RdmaException.errnoName(-went) + ")");
            } else {
                awaitRoom(socket, patienceNanos - (System.nanoTime() - begun));
            }
        }
    }

    private void awaitRoom(Fd socket, long nanos) throws ProtocolException {
        if (nanos <= 0 || closed) {
            throw new ProtocolException(closed ? "the server ends" : "it does not read answers");
        }
        written.clear();
        written.add(wake.fd(), LibcConstants.POLLIN);
        written.add(socket.fd(), LibcConstants.POLLOUT);
        Libc.poll(written, nanos);
        if (written.revents(0) != 0) {
            wake.read();
        }
    }

    /**
     * Ends the connection and the thread, and removes the socket. The device is left as after power-up, and
     * without memory. Harmless when called again.
     *
     * @throws RdmaException ETIMEDOUT if the thread does not end; then what it uses stays.
     */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            if (released) {
                return;
            }
            wake.signal();
            awaitThread();
            released = true;
            final Cleanup cleanup = new Cleanup();
            if (file != null && file.equals(inode(path))) {
                cleanup.run(() -> remove(path));
            }
            if (closer != null) {
                cleanup.run(closer::close);
            }
            cleanup.run(listener::close).run(wake::close).throwIfFailed();
        }
    }

    private void awaitThread() {
        if (!Uninterrupted.join(thread, TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS))) {
            throw RdmaException.of("close server").object(path).detail("%s did not end within %d ms",
                thread.getName(), CLOSE_MILLIS).errno(RdmaException.ETIMEDOUT).build();
        }
    }

    @Override
    public String toString() {
        return device.address() + " at " + path + (closed ? ", closed" : "");
    }
}
