/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Who hears of what. Changed by any thread; looked up without a lock. A device may have thousands of queues that come
 * and go: a change costs what the one queue watches, not what all of them do.
 *
 * @param <S> what events are about.
 * @param <Q> who hears of them.
 */
final class Watchers<S, Q> {
    /** Lists are replaced when they change; none is empty. */
    private final Map<S, List<Q>> bySource = new ConcurrentHashMap<>();
    /** The same the other way round. Guarded by this. */
    private final Map<Q, Set<S>> sourcesOf = new HashMap<>();

    /** Once is enough: it hears of it until told otherwise, however often this was called. */
    synchronized void watch(final S source, final Q queue) {
        if (sourcesOf.computeIfAbsent(queue, any -> new HashSet<>()).add(source)) {
            bySource.merge(source, List.of(queue), (old, one) -> Stream.concat(old.stream(), one.stream()).toList());
        }
    }

    /** Harmless if it does not watch it. */
    synchronized void unwatch(final S source, final Q queue) {
        final Set<S> sources = sourcesOf.get(queue);
        if (sources != null && sources.remove(source)) {
            drop(source, queue);
            if (sources.isEmpty()) {
                sourcesOf.remove(queue);
            }
        }
    }

    /** It hears of nothing any more. */
    synchronized void forget(final Q queue) {
        final Set<S> sources = sourcesOf.remove(queue);
        if (sources != null) {
            sources.forEach(source -> drop(source, queue));
        }
    }

    /** Nobody hears of it any more. */
    synchronized void gone(final S source) {
        for (final Q queue : bySource.getOrDefault(source, List.of())) {
            unwatch(source, queue);
        }
    }

    private void drop(final S source, final Q queue) {
        bySource.computeIfPresent(source, (any, old) -> {
            final List<Q> left = old.stream().filter(one -> !one.equals(queue)).toList();
            return left.isEmpty() ? null : left;
        });
    }

    /** Those that hear of one source. */
    void tell(final S source, final Consumer<Q> how) {
        bySource.getOrDefault(source, List.of()).forEach(how);
    }

    /** All that hear of anything; some perhaps more than once. */
    void tellAll(final Consumer<Q> how) {
        bySource.values().forEach(queues -> queues.forEach(how));
    }

    @Override
    public String toString() {
        return bySource.toString();
    }
}
