/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * The other end of the load, in a process of its own or in this one: it does what it is told by lines, and sends back
 * what comes. All of it belongs to one thread; {@link #ask} may be called by another one.
 */
final class Echo implements AutoCloseable {
    /** A process of low priority gets no processor for minutes on a machine that has much to do. */
    private static final long SECONDS = 300;
    private static final int TURNS_AT_ONCE = 200;
    private static final long PAUSE_NANOS = 20_000;

    private record Question(String line, CompletableFuture<String> answer) {
    }

    private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();
    private final Thread thread;
    private final String device;
    private RdmaContext context;
    private ProtectionDomain pd;
    private FabricEcho datagrams;
    private final Map<String, EchoEnd> ends = new HashMap<>();
    private volatile boolean dead;
    private volatile boolean closed;
    private volatile Throwable failure;

    Echo(final String device) {
        this.device = device;
        thread = new Thread(this::run, "soak-echo");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * In a process of its own: a line in, a line out.
     *
     * @param args the device.
     * @throws IOException if the other one has gone.
     */
    public static void main(final String[] args) throws IOException {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        try (Echo echo = new Echo(args[0])) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(echo.ask(line));
            }
        }
    }

    String ask(final String line) {
        final Question question = new Question(line, new CompletableFuture<>());
        questions.add(question);
        if (failure != null) {
            throw new AssertionError(line, failure);
        }
        try {
            return question.answer.get(SECONDS, TimeUnit.SECONDS);
        } catch (final TimeoutException e) {
            final AssertionError late = new AssertionError(line + " is not answered, as " + thread + " is here", e);
            late.setStackTrace(thread.getStackTrace());
            throw late;
        } catch (final ExecutionException e) {
            throw new AssertionError(line, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(line, e);
        }
    }

    private void run() {
        try (RdmaContext opened = RdmaDevices.open(device)) {
            context = opened;
            pd = context.allocatePd();
            datagrams = new FabricEcho(context);
            int idle = 0;
            while (!closed) {
                final Question question = questions.poll();
                if (question != null) {
                    answer(question);
                }
                boolean busy = datagrams.serve();
                for (final EchoEnd end : ends.values()) {
                    busy |= end.serve();
                }
                idle = busy || question != null ? 0 : idle + 1;
                if (idle > TURNS_AT_ONCE) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
            if (dead) {
                // Nothing that is closed afterwards can tell anybody.
                context.close();
            }
            ends.values().forEach(EchoEnd::close);
            datagrams.close();
        } catch (final RuntimeException | AssertionError e) {
            failure = e;
            for (Question left = questions.poll(); left != null; left = questions.poll()) {
                left.answer.completeExceptionally(e);
            }
        }
    }

    private void answer(final Question question) {
        try {
            question.answer.complete(answer(question.line.split(" ")));
        } catch (final RuntimeException e) {
            question.answer.complete("refused " + e.getMessage().replace('\n', ' '));
        }
    }

    private String answer(final String... words) {
        switch (words[0]) {
            case "open" -> {
                final EchoEnd end = new EchoEnd(pd, QpType.valueOf(words[2]));
                ends.put(words[1], end);
                return end.connect(QpAddress.parse(words[3]));
            }
            case "resize" -> ends.get(words[1]).resize(Integer.parseInt(words[2]));
            case "close" -> ends.remove(words[1]).close();
            case "fabric" -> {
                return datagrams.address();
            }
            case "know" -> {
                return Long.toString(datagrams.know(FabricAddress.parse(words[1])));
            }
            case "forget" -> datagrams.forget(Long.parseLong(words[1]));
            default -> throw new IllegalArgumentException(words[0]);
        }
        return "done";
    }

    /** As far as a thread can do what a kill does: its device goes, and nobody is told before. */
    void die() {
        dead = true;
        closed = true;
        join();
    }

    @Override
    public void close() {
        closed = true;
        join();
    }

    private void join() {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(SECONDS));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new AssertionError("the echo does not end");
        }
    }
}
