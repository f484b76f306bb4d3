/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.fabric.event;

/** What is attached to an event queue: one source, which does its work when it makes progress. */
public final class ProgressUse {
    private final EventSources sources = new EventSources();
    private volatile boolean work;
    private volatile boolean done;

    /** With a source that has nothing to do. */
    public ProgressUse() {
        sources.add(new EventSource() {
            @Override
            public void progress() {
                done = work;
            }

            @Override
            public long idleNanos() {
                return Long.MAX_VALUE;
            }
        });
    }

    /** The source gets something to do. */
    public void wake() {
        work = true;
        sources.wake();
    }

    /** As who reads. */
    public void progress() {
        sources.progress();
    }

    /**
     * Whether the work was done.
     *
     * @return true if so
     */
    public boolean isDone() {
        return done;
    }
}
