/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.FabricAddress;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Asks again who is at an address that was inserted: another endpoint may have taken it over. A node that does not
 * answer holds up its own addresses, and no others, as long as there are not too many such. Thread-safe.
 */
final class Moves {
    /** Asked at one time; each takes a thread. */
    static final int MOST_NODES = 8;

    private final Contents contents;
    private final AddressResolver resolver;
    private final Worker worker;
    private final BooleanSupplier closed;
    private final Set<Long> asked = ConcurrentHashMap.newKeySet();
    /** Names that wait, by node, of which one thread asks at a time. Guarded by itself. */
    private final Map<InetAddress, List<Long>> waiting = new HashMap<>();
    private final AtomicInteger answers = new AtomicInteger();

    /** Closes the worker, which may have {@value #MOST_NODES} threads. */
    Moves(final Contents contents, final AddressResolver resolver, final Worker worker, final BooleanSupplier closed) {
        this.contents = contents;
        this.resolver = resolver;
        this.worker = worker;
        this.closed = closed;
    }

    /** Has the worker ask, unless it is about to; false if it cannot. */
    boolean askFor(final long fiAddr) {
        if (!asked.add(fiAddr)) {
            return true;
        }
        boolean taken = false;
        try {
            taken = worker.run(() -> queue(fiAddr));
        } finally {
            if (!taken) {
                asked.remove(fiAddr);
            }
        }
        return taken;
    }

    boolean isAskedFor(final long fiAddr) {
        return asked.contains(fiAddr);
    }

    /** How many were answered so far. */
    int count() {
        return answers.get();
    }

    /** By the worker, as it may have to wait for the lock of the contents. */
    private void queue(final long fiAddr) {
        boolean queued = false;
        try {
            final InetAddress node = node(fiAddr);
            final boolean isFirst;
            synchronized (waiting) {
                isFirst = !waiting.containsKey(node);
                waiting.computeIfAbsent(node, key -> new ArrayList<>()).add(fiAddr);
                queued = true;
            }
            if (isFirst) {
                ask(node);
            }
        } finally {
            if (!queued) {
                asked.remove(fiAddr);
            }
        }
    }

    /** Null if nobody has to be asked. */
    private InetAddress node(final long fiAddr) {
        final FabricAddress inserted = closed.getAsBoolean() ? null : contents.inserted(fiAddr);
        final InetSocketAddress socket = inserted == null ? null : Contents.socket(inserted);
        return socket == null ? null : socket.getAddress();
    }

    private void ask(final InetAddress node) {
        final List<Long> names;
        synchronized (waiting) {
            // Also without names it is there, and so nobody else asks.
            names = waiting.put(node, new ArrayList<>());
        }
        try {
            resolve(names);
        } finally {
            names.forEach(asked::remove);
            goOn(node);
        }
    }

    /** With those that came meanwhile, if there are any. */
    private void goOn(final InetAddress node) {
        final boolean isOver;
        synchronized (waiting) {
            isOver = waiting.get(node).isEmpty() && waiting.remove(node) != null;
        }
        // Behind other nodes, which may have waited for longer.
        if (!isOver && !worker.run(() -> ask(node))) {
            synchronized (waiting) {
                waiting.remove(node).forEach(asked::remove);
            }
        }
    }

    private void resolve(final List<Long> names) {
        final List<Question> questions = new ArrayList<>();
        for (final long name : names) {
            final int life = contents.lifeOf(name);
            final FabricAddress inserted = life == 0 || closed.getAsBoolean() ? null : contents.inserted(name);
            if (inserted != null) {
                questions.add(new Question(name, life, new AvEntry()));
                questions.get(questions.size() - 1).entry.inserted(inserted);
            }
        }
        if (questions.isEmpty()) {
            return;
        }
        final Problem[] problems = new Problem[questions.size()];
        final AvEntry[] entries = questions.stream().map(Question::entry).toArray(AvEntry[]::new);
        resolver.resolve(entries, problems, entries.length, resolver.deadline());
        for (int i = 0; i < entries.length; i++) {
            if (problems[i] == null && !closed.getAsBoolean()) {
                contents.moved(questions.get(i).fiAddr, questions.get(i).life, entries[i]);
                answers.incrementAndGet();
            }
        }
    }

    /** Who is there now, where this was inserted. */
    private record Question(long fiAddr, int life, AvEntry entry) {
    }

    /** Returns when nobody asks any more; as {@link Worker#close}. */
    void close() {
        worker.close();
    }
}
