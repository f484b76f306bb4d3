/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.cm.PeerId;

/**
 * Receives of one receive context, oldest first, and messages that came before a receive did, oldest first. Not both
 * fit each other. Memory is that of the receives and slots: nothing is allocated. What is tagged is apart, see {@link
 * TagMatcher}. For the thread that uses the endpoint.
 */
final class Matcher {
    private final int index;
    private final int limit;
    private final TagMatcher tags;
    private Receive free;
    private final ReceiveList receives = new ReceiveList();
    private final SlotList messages = new SlotList();
    private int claimed;

    Matcher(final int index, final int limit, final int iovLimit, final boolean takesTags) {
        this.index = index;
        this.limit = limit;
        this.tags = takesTags ? new TagMatcher(limit) : null;
        for (int i = 0; i < limit; i++) {
            final Receive receive = new Receive(this, iovLimit);
            receive.newer = free;
            free = receive;
        }
    }

    int index() {
        return index;
    }

    /** Null where none are taken. */
    TagMatcher tags() {
        return tags;
    }

    int posted() {
        return receives.size();
    }

    int waiting() {
        return messages.size();
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
        if (receive.tagged) {
            receive.untag();
        }
        receive.older = null;
        receive.newer = free;
        free = receive;
        claimed--;
    }

    void post(final Receive receive) {
        if (receive.tagged) {
            tags.post(receive);
        } else {
            receives.add(receive);
        }
    }

    /** Its message will never be complete: it waits again, before all others. */
    void postAgain(final Receive receive) {
        if (receive.tagged) {
            tags.postAgain(receive);
        } else {
            receives.addFirst(receive);
        }
    }

    /** Takes the oldest receive out that a message of this peer fits; null if there is none. */
    Receive match(final PeerId peer) {
        Receive receive = receives.oldest();
        while (receive != null && !receive.takes(peer)) {
            receive = receive.newer;
        }
        return receive == null ? null : receives.remove(receive);
    }

    /** Null if there is none; the others follow by {@link Receive#newer}. */
    Receive oldest() {
        return receives.oldest();
    }

    /** Takes the oldest receive out, tagged ones last; null if there is none. */
    Receive any() {
        if (receives.oldest() == null) {
            return tags == null ? null : tags.any();
        }
        return receives.remove(receives.oldest());
    }

    /** Takes the oldest receive with this context out, tagged ones last; null if there is none. */
    Receive find(final long context) {
        final Receive receive = receives.find(context);
        if (receive == null) {
            return tags == null ? null : tags.find(context);
        }
        return receives.remove(receive);
    }

    /** A message that no receive fits waits. */
    void keep(final Slot first) {
        messages.add(first);
    }

    /** Takes the oldest message out that fits; null if there is none. */
    Slot messageFor(final Receive receive) {
        if (receive.tagged) {
            return tags.messageFor(receive);
        }
        Slot first = messages.oldest();
        while (first != null && !receive.takes(first.channel.peer())) {
            first = first.newer;
        }
        if (first != null) {
            messages.remove(first);
        }
        return first;
    }

    /** The oldest message that waits; the others are behind it. */
    Slot oldestMessage() {
        return messages.oldest();
    }

    /** Takes a message out that waits. */
    void remove(final Slot first) {
        if (first.tagged) {
            tags.remove(first);
        } else {
            messages.remove(first);
        }
    }

    @Override
    public String toString() {
        return "context " + index + ": " + posted() + " of " + limit + " receives posted, " + waiting()
            + " messages wait" + (tags == null ? "" : ", " + tags);
    }
}
