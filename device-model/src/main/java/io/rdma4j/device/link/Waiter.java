/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

/**
 * A sender on the list of a queue that has no receive for it. Its wait can end without one: then it stays on the list,
 * as leaving it would need that queue's lock, but whoever looks at the list sees that it need not be there.
 */
public final class Waiter implements Runnable {
    private final Runnable resume;
    private volatile boolean waiting;

    /**
     * One that does not wait.
     *
     * @param resume runs the sender's queue again; may be called by any thread that holds no lock of a device.
     */
    public Waiter(Runnable resume) {
        this.resume = resume;
    }

    /** The wait begins. The caller holds the sender's lock, and that of the queue with the list. */
    public void begin() {
        waiting = true;
    }

    /** The wait is over, by whatever it is. The caller holds the sender's lock. */
    public void end() {
        waiting = false;
    }

    /**
     * {@return whether it has to stay on the list; false for good if the caller holds the lock of the queue with the
     * list, as it cannot begin again there meanwhile}
     */
    public boolean isWaiting() {
        return waiting;
    }

    @Override
    public void run() {
        resume.run();
    }
}
