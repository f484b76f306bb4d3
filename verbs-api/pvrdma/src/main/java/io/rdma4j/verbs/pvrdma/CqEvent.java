/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/** The event of a CQ: whether it was asked for, and whether it came. */
final class CqEvent extends EventSource<PvrdmaCq> {
    private final PvrdmaCq cq;
    private final ChannelEvents channel;
    /** Set before the device is asked, so no answer finds it unset; what the device says unasked means nothing. */
    private volatile boolean armed;
    private boolean came;

    CqEvent(final PvrdmaCq cq, final ChannelEvents channel, final CompletionEvents events) {
        super(cq, events);
        this.cq = cq;
        this.channel = channel;
    }

    /** For the thread that asks for the event. */
    void arm() {
        armed = true;
    }

    /** For any thread. */
    boolean isArmed() {
        return armed;
    }

    /** The device has something, or the driver. */
    void raise() {
        if (!armed || owner.isClosed()) {
            return;
        }
        armed = false;
        if (!came) {
            came = true;
            changed.signalAll();
            if (channel != null) {
                channel.add(this);
            }
        }
    }

    @Override
    PvrdmaCq take() {
        if (!came) {
            return null;
        }
        forget();
        return cq;
    }

    /** The channel hands it over. */
    PvrdmaCq taken() {
        came = false;
        return cq;
    }

    @Override
    boolean takeWakeUp() {
        return channel != null && channel.takeRequest();
    }

    @Override
    void clear() {
        // The event that was promised to whoever waits on the channel does not come any more.
        if (channel != null && (armed || came)) {
            channel.queueClosed();
        }
        forget();
    }

    private void forget() {
        if (came && channel != null) {
            channel.remove(this);
        }
        came = false;
    }

    @Override
    public String toString() {
        return (armed ? "armed" : "not armed") + (came ? ", event to take" : "");
    }
}
