/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Arrays;
import org.agrona.concurrent.Agent;

/**
 * Makes progress by a thread of its own, as the application would by reading: to be run by an Agrona
 * {@code AgentRunner} or {@code AgentInvoker}. It reads the queues that were added, and hands what came to their
 * readers, in its thread.
 *
 * <p>Queues may be added and removed at any time, from any thread. A completion queue that was added is read by the
 * agent and by nobody else. A queue that was closed is forgotten. A completion queue that reports a failure of its own,
 * such as that of the device, is given up: {@link #doWork} throws once, which the runner hands to its error handler;
 * what a reader throws goes the same way, and the queue is read on. Does not allocate.
 */
public final class ProgressAgent implements Agent {
    private static final String ADD = "add to progress agent";
    private static final String CREATE = "create progress agent";
    private static final int DEFAULT_LIMIT = 64;
    private static final long LONGEST_TURN_NS = 10_000_000_000L;
    private static final Duty[] NONE = {};

    private final String roleName;
    private final int limit;
    private volatile Duty[] duties = NONE;
    /** The thread that is at work now. */
    private volatile Thread worker;
    /** Odd while it is at work. Written by the worker. */
    private volatile long turns;

    /** Reads one queue. */
    private interface Duty {
        /** Entries, or a negated errno. */
        int work(int limit);

        AutoCloseable queue();

        boolean isClosed();
    }

    private record Completions(CompletionQueue queue, CompletionReader reader) implements Duty {
        @Override
        public int work(final int limit) {
            return queue.read(reader, limit);
        }

        @Override
        public boolean isClosed() {
            return queue.isClosed();
        }
    }

    private record Events(EventQueue queue, EventReader reader) implements Duty {
        @Override
        public int work(final int limit) {
            return queue.read(reader, limit);
        }

        @Override
        public boolean isClosed() {
            return queue.isClosed();
        }
    }

    /**
     * Without queues. Takes at most 64 entries of each queue at a time.
     *
     * @param roleName the name of the runner's thread.
     */
    public ProgressAgent(final String roleName) {
        this(roleName, DEFAULT_LIMIT);
    }

    /**
     * Without queues.
     *
     * @param roleName the name of the runner's thread.
     * @param limit    entries to take of each queue at a time, above 0.
     * @throws FabricException FI_EINVAL for null or a limit below 1.
     */
    public ProgressAgent(final String roleName, final int limit) {
        this.roleName = Arguments.notNull(CREATE, "role name", roleName);
        if (limit < 1) {
            throw FabricException.of(CREATE).detail("limit is %d, must be above 0", limit)
                .errno(FiErrno.FI_EINVAL).build();
        }
        this.limit = limit;
    }

    /**
     * Reads a completion queue from now on.
     *
     * @param queue  not added yet.
     * @param reader told of its completions by the agent's thread.
     * @return this.
     * @throws FabricException FI_EINVAL for null, FI_EALREADY if it was added before.
     */
    public ProgressAgent add(final CompletionQueue queue, final CompletionReader reader) {
        Arguments.notNull(ADD, "queue", queue);
        return add(new Completions(queue, Arguments.notNull(ADD, "reader", reader)));
    }

    /**
     * Reads an event queue from now on.
     *
     * @param queue  not added yet.
     * @param reader told of its events by the agent's thread.
     * @return this.
     * @throws FabricException FI_EINVAL for null, FI_EALREADY if it was added before.
     */
    public ProgressAgent add(final EventQueue queue, final EventReader reader) {
        Arguments.notNull(ADD, "queue", queue);
        return add(new Events(queue, Arguments.notNull(ADD, "reader", reader)));
    }

    private synchronized ProgressAgent add(final Duty duty) {
        for (final Duty each : duties) {
            if (each.queue() == duty.queue()) {
                throw FabricException.of(ADD).detail("%s was added already", duty.queue())
                    .errno(FiErrno.FI_EALREADY).build();
            }
        }
        final Duty[] more = Arrays.copyOf(duties, duties.length + 1);
        more[duties.length] = duty;
        duties = more;
        return this;
    }

    /**
     * Reads a queue no more. Once this returns the agent is done with it, unless it is called by a reader: then when
     * that has returned.
     *
     * @param queue a completion queue or an event queue.
     * @return false if it was not there (any more).
     * @throws FabricException FI_ETIMEDOUT if the agent's thread was held up by a reader for 10 s.
     */
    public boolean remove(final AutoCloseable queue) {
        final boolean found = drop(queue);
        // The worker makes the turn odd, then loads the duties; here it is the other way round.
        awaitTurn(turns);
        return found;
    }

    private void awaitTurn(final long turn) {
        final long start = System.nanoTime();
        while ((turn & 1) == 1 && turns == turn && worker != Thread.currentThread()) {
            if (System.nanoTime() - start > LONGEST_TURN_NS) {
                throw FabricException.of("remove from progress agent").detail("%s is still at work", worker)
                    .errno(FiErrno.FI_ETIMEDOUT).hint("readers must return soon").build();
            }
            Thread.yield();
        }
    }

    private synchronized boolean drop(final Object queue) {
        final Duty[] rest = Arrays.stream(duties).filter(each -> each.queue() != queue).toArray(Duty[]::new);
        final boolean found = rest.length < duties.length;
        duties = rest;
        return found;
    }

    /**
     * How many queues it reads.
     *
     * @return 0 or more.
     */
    public int size() {
        return duties.length;
    }

    /**
     * Reads each queue once. For one thread at a time.
     *
     * @return how many entries were taken: 0 lets the runner idle.
     * @throws FabricException once for a completion queue that is given up, with the errno that it said.
     */
    @Override
    public int doWork() {
        worker = Thread.currentThread();
        turns = turns + 1;
        try {
            int taken = 0;
            final Duty[] all = duties;
            for (final Duty duty : all) {
                // A reader may have removed it in this turn.
                taken += all == duties || has(duty) ? work(duty) : 0;
            }
            return taken;
        } finally {
            turns = turns + 1;
            worker = null;
        }
    }

    private boolean has(final Duty duty) {
        for (final Duty each : duties) {
            if (each == duty) {
                return true;
            }
        }
        return false;
    }

    private int work(final Duty duty) {
        if (duty.isClosed()) {
            drop(duty.queue());
            return 0;
        }
        final int taken;
        try {
            taken = duty.work(limit);
        } catch (final FabricException e) {
            if (duty.isClosed()) {
                // Meanwhile, by another thread: the next turn forgets it.
                return 0;
            }
            throw e;
        }
        return taken < 0 ? failed(duty, taken) : taken;
    }

    private int failed(final Duty duty, final int result) {
        drop(duty.queue());
        if (result == -FiErrno.FI_EBADFD) {
            return 0;
        }
        throw FabricException.of("read completion queue").detail("%s is given up", duty.queue()).errno(-result).build();
    }

    @Override
    public String roleName() {
        return roleName;
    }

    @Override
    public String toString() {
        return "progress agent " + roleName + " of " + duties.length + " queues";
    }
}
