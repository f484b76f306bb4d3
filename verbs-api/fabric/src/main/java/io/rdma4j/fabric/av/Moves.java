/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.FabricAddress;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Asks again who is at an address that was inserted: another endpoint may have taken it over. Thread-safe. */
final class Moves {
    private final Contents contents;
    private final AddressResolver resolver;
    private final Worker worker;
    private final BooleanSupplier closed;
    private final Set<Long> asked = ConcurrentHashMap.newKeySet();
    private final AtomicInteger answers = new AtomicInteger();

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
            taken = worker.run(() -> ask(fiAddr));
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

    private void ask(final long fiAddr) {
        try {
            final int life = contents.lifeOf(fiAddr);
            final FabricAddress inserted = life == 0 || closed.getAsBoolean() ? null : contents.inserted(fiAddr);
            if (inserted == null) {
                return;
            }
            final AvEntry entry = new AvEntry();
            entry.inserted(inserted);
            final Problem[] problem = new Problem[1];
            resolver.resolve(new AvEntry[] {entry}, problem, 1, resolver.deadline());
            if (problem[0] == null && !closed.getAsBoolean()) {
                contents.moved(fiAddr, life, entry);
                answers.incrementAndGet();
            }
        } finally {
            asked.remove(fiAddr);
        }
    }
}
