/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.cm.PeerId;

/**
 * Receives of one receive context, oldest first, and messages that came before a receive did, oldest first. Not both
 * fit each other. Memory is that of the receives and slots: nothing is allocated. For the thread that uses the
 * endpoint.
 */
final class Matcher {
    private final int index;
    private final int limit;
    private Receive free;
    private Receive oldestReceive;
    private Receive newestReceive;
    private Slot oldestMessage;
    private Slot newestMessage;
    private int posted;
    private int claimed;
    private int waiting;

    Matcher(final int index, final int receives, final int iovLimit) {
        this.index = index;
        this.limit = receives;
        for (int i = 0; i < receives; i++) {
            final Receive receive = new Receive(this, iovLimit);
            receive.newer = free;
            free = receive;
        }
    }

    int index() {
        return index;
    }

    int posted() {
        return posted;
    }

    int waiting() {
        return waiting;
    }

    /** How many are with the application: free ones are not. */
    int claimed() {
        return claimed;
    }

    /** An unused receive; null if all are in use. To be given back, or posted. */
    Receive claim(final long context) {
        final Receive receive = free;
        if (receive == null) {
            return null;
        }
        free = receive.newer;
        receive.newer = null;
        claimed++;
        return receive.clear(context);
    }

    /** It is over, or was not begun. */
    void giveBack(final Receive receive) {
        receive.letGo();
        receive.older = null;
        receive.newer = free;
        free = receive;
        claimed--;
    }

    void post(final Receive receive) {
        receive.older = newestReceive;
        receive.newer = null;
        if (newestReceive == null) {
            oldestReceive = receive;
        } else {
            newestReceive.newer = receive;
        }
        newestReceive = receive;
        posted++;
    }

    /** Its message will never be complete: it waits again, before all others. */
    void postAgain(final Receive receive) {
        receive.older = null;
        receive.newer = oldestReceive;
        if (oldestReceive == null) {
            newestReceive = receive;
        } else {
            oldestReceive.older = receive;
        }
        oldestReceive = receive;
        posted++;
    }

    /** Takes the oldest receive out that a message of this peer fits; null if there is none. */
    Receive match(final PeerId peer) {
        Receive receive = oldestReceive;
        while (receive != null && !receive.takes(peer)) {
            receive = receive.newer;
        }
        return receive == null ? null : unlink(receive);
    }

    /** Null if there is none; the others follow by {@link Receive#newer}. */
    Receive oldest() {
        return oldestReceive;
    }

    /** Takes the oldest receive out; null if there is none. */
    Receive any() {
        return oldestReceive == null ? null : unlink(oldestReceive);
    }

    /** Takes the oldest receive with this context out; null if there is none. */
    Receive find(final long context) {
        Receive receive = oldestReceive;
        while (receive != null && receive.context != context) {
            receive = receive.newer;
        }
        return receive == null ? null : unlink(receive);
    }

    private Receive unlink(final Receive receive) {
        if (receive.older == null) {
            oldestReceive = receive.newer;
        } else {
            receive.older.newer = receive.newer;
        }
        if (receive.newer == null) {
            newestReceive = receive.older;
        } else {
            receive.newer.older = receive.older;
        }
        receive.older = null;
        receive.newer = null;
        posted--;
        return receive;
    }

    /** A message that no receive fits waits. */
    void keep(final Slot first) {
        first.older = newestMessage;
        first.newer = null;
        if (newestMessage == null) {
            oldestMessage = first;
        } else {
            newestMessage.newer = first;
        }
        newestMessage = first;
        waiting++;
    }

    /** Takes the oldest message out that fits; null if there is none. */
    Slot messageFor(final Receive receive) {
        Slot first = oldestMessage;
        while (first != null && !receive.takes(first.channel.peer())) {
            first = first.newer;
        }
        if (first != null) {
            remove(first);
        }
        return first;
    }

    /** The oldest message that waits; the others are behind it. */
    Slot oldestMessage() {
        return oldestMessage;
    }

    /** Takes a message out that waits. */
    void remove(final Slot first) {
        if (first.older == null) {
            oldestMessage = first.newer;
        } else {
            first.older.newer = first.newer;
        }
        if (first.newer == null) {
            newestMessage = first.older;
        } else {
            first.newer.older = first.older;
        }
        first.older = null;
        first.newer = null;
        waiting--;
    }

    @Override
    public String toString() {
        return "context " + index + ": " + posted + " of " + limit + " receives posted, " + waiting
            + " messages wait";
    }
}
