/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.verbs.live.MrKind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A device that is looked at again and again. Queues that were closed meanwhile stay in the sums, so that no total of
 * the device goes back. Not thread-safe.
 */
final class Watched implements AutoCloseable {
    /** Who is not seen for so long was closed: an object can be missed once, when it is written just then. */
    private static final int MISSES = 5;

    private final LiveView view;
    private final int number;
    private final Map<Long, Seen> seen = new HashMap<>();
    private Reading last;
    private Map<Key, Long> lastSums = Map.of();
    private List<LiveObject> closed = List.of();

    private static final class Seen {
        private LiveObject object;
        private int misses;
    }

    /**
     * Takes over a view.
     *
     * @param view   closed with this.
     * @param number tells devices apart that a process opened by the same address.
     */
    Watched(final LiveView view, final int number) {
        this.view = view;
        this.number = number;
    }

    boolean isAlive() {
        return view.isAlive();
    }

    /** Why there is nothing to see any more. */
    String farewell() {
        return isRunning(view.pid()) ? String.format("process %d closed %s", view.pid(), view.address())
            : String.format("process %d ended, with %s open", view.pid(), view.address());
    }

    /** Not one that has ended and whose parent was not told yet: state Z or X, see proc_pid_stat(5). */
    private static boolean isRunning(final long pid) {
        try {
            final String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), ISO_8859_1);
            final int state = stat.lastIndexOf(')') + 2;
            return state < stat.length() && stat.charAt(state) != 'Z' && stat.charAt(state) != 'X';
        } catch (final IOException e) {
            return false;
        }
    }

    /** Looks once. */
    Frame look() {
        final Reading reading = Reading.of(view);
        final Map<Long, LiveObject> before = new HashMap<>();
        seen.forEach((id, one) -> before.put(id, one.object));
        remember(reading);
        final List<LiveObject> counted = new ArrayList<>(closed);
        seen.values().forEach(one -> counted.add(one.object));
        final Map<Key, Long> sums = reading.sums(counted);
        final double seconds = last == null ? Double.NaN : (reading.nanos() - last.nanos()) / 1e9;
        final Frame frame = new Frame(new Frame.Device(view.pid(), view.address(), number, view.description(),
            view.openedMillis(), reading.state()), seconds, sums, lastSums, reading.objects(), before,
            view.takeTroubles());
        last = reading;
        lastSums = sums;
        return frame;
    }

    private void remember(final Reading reading) {
        seen.values().forEach(one -> one.misses++);
        for (final LiveObject object : reading.objects()) {
            if (object.kind() != MrKind.KIND) {
                final Seen one = seen.computeIfAbsent(object.id(), id -> new Seen());
                one.object = object;
                one.misses = 0;
            }
        }
        seen.values().removeIf(one -> one.misses > MISSES && retire(one.object));
    }

    /** Those of a kind become one, so that a process that opens and closes all day can be watched all day. */
    private boolean retire(final LiveObject object) {
        final List<LiveObject> kept = new ArrayList<>();
        LiveObject sum = object;
        for (final LiveObject other : closed) {
            if (other.kind() == object.kind()) {
                sum = sum(sum, other);
            } else {
                kept.add(other);
            }
        }
        kept.add(sum);
        closed = kept;
        return true;
    }

    private static LiveObject sum(final LiveObject a, final LiveObject b) {
        final long[] counters = new long[Math.max(a.counters().length, b.counters().length)];
        for (int i = 0; i < counters.length; i++) {
            counters[i] = a.counter(i) + b.counter(i);
        }
        return new LiveObject(a.kind(), 0, 0, new long[0], counters);
    }

    @Override
    public void close() {
        view.close();
    }
}
