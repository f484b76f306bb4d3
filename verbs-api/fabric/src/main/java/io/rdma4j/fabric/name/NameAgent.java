/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * This process' part in its node's name service: one daemon thread as long as something is registered. It serves if it
 * can have the socket, else it registers with who serves; when that one ends the next one serves, and all register
 * again.
 */
final class NameAgent implements Runnable {
    private static final System.Logger LOG = System.getLogger(NameAgent.class.getName());
    private static final String REGISTER = "register service";
    private static final long WORK_MILLIS = 1000;
    private static final long RETRY_MILLIS = 20;
    private static final long CLOSE_SECONDS = 5;

    private final NameSettings settings;
    private final Object lock = new Object();
    private final Deque<Request> requests = new ArrayDeque<>();
    private boolean running;
    private volatile NameRole role;
    private volatile IOException lastFailure;

    /** By service; the thread's own. */
    private final Map<Integer, NodeRegistration> registered = new HashMap<>();
    /** Of these, what who serves now did not take, as another endpoint had the service; the thread's own. */
    private final Set<NodeRegistration> untold = new LinkedHashSet<>();

    /** What a caller waits for: to register, or with {@code ends} the end of a registration. */
    private record Request(int service, FabricAddress device, NodeRegistration ends,
        CompletableFuture<NodeRegistration> done) {
    }

    NameAgent(final NameSettings settings) {
        this.settings = settings;
    }

    NameSettings settings() {
        return settings;
    }

    boolean isServer() {
        final NameRole now = role;
        return now != null && now.isServer();
    }

    boolean isRunning() {
        synchronized (lock) {
            return running;
        }
    }

    NodeRegistration register(final int service, final FabricAddress device) {
        // Before the agent knows of it: what is registered has somebody who ends it.
        final long timeoutMillis = NameSettings.timeoutMillis();
        final Request request = new Request(service, device, null, new CompletableFuture<>());
        submit(request);
        return await(request, timeoutMillis);
    }

    /** Never fails, and no interrupt shortens it. What is not done in time the agent does later. */
    void unregister(final NodeRegistration registration) {
        synchronized (lock) {
            if (!running) {
                return;
            }
        }
        final Request request = new Request(0, null, registration, new CompletableFuture<>());
        submit(request);
        awaitEnd(request);
    }

    private void awaitEnd(final Request request) {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        boolean interrupted = false;
        boolean done = false;
        while (!done) {
            try {
                request.done().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                done = true;
            } catch (final InterruptedException e) {
                interrupted = true;
            } catch (final TimeoutException | ExecutionException e) {
                LOG.log(System.Logger.Level.DEBUG, "the end of {0}: {1}", request.ends(), e);
                done = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void submit(final Request request) {
        synchronized (lock) {
            requests.add(request);
            if (!running) {
                start(request);
            }
        }
        final NameRole now = role;
        if (now != null) {
            now.wakeUp();
        }
    }

    private void start(final Request first) {
        final Thread thread = DaemonThreads.of("rdma4j-name", this);
        try (Undo undo = new Undo()) {
            // Who submitted it is told.
            undo.add(() -> requests.remove(first));
            thread.start();
            running = true;
            undo.forget();
        }
    }

    private NodeRegistration await(final Request request, final long timeoutMillis) {
        try {
            return request.done().get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            request.done().cancel(false);
            throw failure(request, FiErrno.FI_ETIMEDOUT, "the name service of this user, port " + settings.port()
                + ", can neither be served nor does it answer: " + lastFailure, e);
        } catch (final InterruptedException e) {
            request.done().cancel(false);
            Thread.currentThread().interrupt();
            throw failure(request, FiErrno.FI_EINTR, "this thread was interrupted", e);
        } catch (final ExecutionException e) {
            if (e.getCause() instanceof FabricException) {
                throw (FabricException) e.getCause();
            }
            throw failure(request, FiErrno.FI_EIO, String.valueOf(e.getCause()), e);
        }
    }

    private FabricException failure(
        final Request request, final int errno, final String why, final Exception cause) {
        return FabricException.of(REGISTER).detail("service %s: %s",
            request.service() == 0 ? "(any)" : String.valueOf(request.service()), why).errno(errno)
            .hint("see " + NameSettings.ADDRESS + ", " + NameSettings.PORT + " and " + NameSocket.FOLDER)
            .cause(cause).build();
    }

    @Override
    public void run() {
        boolean ended = false;
        try {
            serve();
            ended = true;
        } finally {
            if (!ended) {
                // Else nobody would start another thread.
                synchronized (lock) {
                    running = false;
                }
            }
        }
    }

    private void serve() {
        while (true) {
            final Request request;
            synchronized (lock) {
                request = requests.poll();
                if (request == null && registered.isEmpty()) {
                    // Under the lock: whoever registers now starts another thread.
                    end();
                    running = false;
                    return;
                }
            }
            step(request);
        }
    }

    private void end() {
        if (role != null) {
            role.close();
            role = null;
        }
    }

    private void step(final Request request) {
        try {
            if (request != null) {
                carryOut(request);
            } else {
                toldAgain().work(WORK_MILLIS);
            }
        } catch (final IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "name service: {0}", e);
            lastFailure = e;
            end();
            retry(request);
        } catch (final RuntimeException | Error e) {
            // Others need this thread all the same.
            end();
            if (request != null) {
                request.done().completeExceptionally(e);
            } else {
                LOG.log(System.Logger.Level.WARNING, "name service", e);
                pause();
            }
        }
    }

    /** Once more, until whoever waits for it gives up. */
    private void retry(final Request request) {
        pause();
        if (request != null && !request.done().isDone()) {
            synchronized (lock) {
                requests.addFirst(request);
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (final InterruptedException ignored) {
            // Nobody knows this thread. What made it wait is tried again at once.
            Thread.onSpinWait();
        }
    }

    private void carryOut(final Request request) throws IOException {
        if (request.ends() != null) {
            untold.remove(request.ends());
            // The place may have been taken by a later registration.
            if (registered.remove(request.ends().service(), request.ends()) && role != null) {
                role.unregister(request.ends().service());
            }
            request.done().complete(null);
        } else if (!request.done().isDone()) {
            add(request);
        }
    }

    private void add(final Request request) throws IOException {
        final int service = toldAgain().register(request.service(), request.device());
        if (service < 0) {
            request.done().completeExceptionally(failure(request, -service,
                service == -FiErrno.FI_EADDRINUSE ? "another endpoint of this node has it" : "refused", null));
            return;
        }
        final NodeRegistration registration = new NodeRegistration(this, service, request.device());
        registered.put(service, registration);
        if (!request.done().complete(registration)) {
            registered.remove(service);
            role().unregister(service);
        }
    }

    private NameRole role() throws IOException {
        if (role == null) {
            final NameRole serving = NameListener.open(settings);
            role = serving != null ? serving : NameMember.open(settings);
            untold.clear();
            for (final NodeRegistration one : registered.values()) {
                final int result = role.register(one.service(), one.device());
                if (result < 0) {
                    untold.add(one);
                    LOG.log(System.Logger.Level.WARNING, "{0} is not told to others until its service is free: {1}",
                        one, FiErrno.name(result));
                }
            }
        }
        return role;
    }

    /** Who has been told once more what was not taken: the other endpoint may have gone. */
    private NameRole toldAgain() throws IOException {
        final NameRole now = role();
        for (final Iterator<NodeRegistration> all = untold.iterator(); all.hasNext();) {
            final NodeRegistration one = all.next();
            if (now.register(one.service(), one.device()) >= 0) {
                all.remove();
            }
        }
        return now;
    }
}
