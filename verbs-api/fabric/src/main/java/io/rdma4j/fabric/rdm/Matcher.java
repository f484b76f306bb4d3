/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.completion.Room;

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
    /** For parts of buffers that take several messages. */
    private Receive freeParts;
    private final ReceiveList receives = new ReceiveList();
    private final SlotList messages = new SlotList();
    private final Room room;
    private final Room partRoom;
    private int claimed;
    /** Of all that were posted, with tags and without: also one that finds its message at once has its turn. */
    private long posts;
    /** Messages wait although a receive has room for them: until the application has read what it has got. */
    private boolean isBlocked;

    Matcher(
        final int index, final int limit, final int iovLimit, final boolean takesTags, final boolean takesMany) {
        this.index = index;
        this.limit = limit;
        this.tags = takesTags ? new TagMatcher(limit) : null;
        this.room = new Room(limit);
        this.partRoom = new Room(takesMany ? limit : 0);
        this.free = chain(limit, iovLimit);
        this.freeParts = chain(partRoom.left(), 1);
    }

    private Receive chain(final int count, final int iovLimit) {
        Receive first = null;
        for (int i = 0; i < count; i++) {
            final Receive receive = new Receive(this, iovLimit);
            receive.newer = first;
            first = receive;
        }
        return first;
    }

    int index() {
        return index;
    }

    /** Of reports of receives, also of one that takes several messages. */
    Room room() {
        return room;
    }

    /** Of reports of messages in receives that take several: as many as there are receives, beside these. */
    Room partRoom() {
        return partRoom;
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
        receive.sequence = ++posts;
        return claimed(receive, context);
    }

    private Receive claimed(final Receive receive, final long context) {
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
        claimed--;
        if (receive.whole == null) {
            receive.newer = free;
            free = receive;
        } else {
            receive.whole = null;
            receive.newer = freeParts;
            freeParts = receive;
        }
    }

    void post(final Receive receive) {
        if (receive.tagged) {
            tags.post(receive);
        } else {
            receives.add(receive);
        }
    }

    /** Its message will never be complete: it waits again, where it was before. */
    void postAgain(final Receive receive) {
        if (receive.tagged) {
            tags.postAgain(receive);
        } else {
            receives.addAgain(receive);
        }
    }

    /**
     * Takes the oldest receive out that a message of this peer fits, or a part of it; null if there is none, or if
     * others have to be first.
     */
    Receive match(final PeerId peer, final int length) {
        if (isBlocked) {
            return null;
        }
        Receive receive = receives.oldest();
        while (receive != null && !receive.takes(peer)) {
            receive = receive.newer;
        }
        if (receive == null) {
            return null;
        }
        return receive.least == 0 ? receives.remove(receive) : part(receive, length);
    }

    private Receive part(final Receive whole, final int length) {
        if (!partRoom.take()) {
            isBlocked = true;
            return null;
        }
        final Receive part = freeParts;
        freeParts = part.newer;
        claimed(part, whole.context).partOf(whole, length);
        if (whole.isSpent) {
            receives.remove(whole);
        }
        return part;
    }

    /** Messages wait that a receive has room for, and can go on now. */
    boolean canGoOn() {
        return isBlocked && partRoom.left() > 0;
    }

    /** What waits may be for receives that are posted: a new one has to wait behind them. */
    boolean isBehind(final Receive receive) {
        return isBlocked && !receive.tagged && receives.size() > 0;
    }

    /** Gives messages that wait to receives that have room for them by now. */
    void goOn() {
        isBlocked = false;
        Slot first = messages.oldest();
        while (first != null && !isBlocked) {
            final Receive receive = match(first.channel.peer(), first.messageLength);
            if (receive == null) {
                first = first.newer;
            } else {
                messages.remove(first);
                first.channel.deliver(first, receive);
                first = messages.oldest();
            }
        }
    }

    /**
     * The message of a part will never be complete: its room is free again, if there is nothing behind it. True if that
     * makes a buffer take messages again that took none any more.
     */
    boolean giveUp(final Receive part) {
        final Receive whole = part.whole;
        part.giveBackPart();
        leave(part);
        if (!whole.isSpent || !whole.hasRoom()) {
            return false;
        }
        whole.isSpent = false;
        receives.addAgain(whole);
        return true;
    }

    /** A part is over; true if that was the last one. */
    boolean leave(final Receive part) {
        final Receive whole = part.whole;
        giveBack(part);
        whole.parts--;
        return whole.isSpent && whole.parts == 0;
    }

    /** Null if there is none; the others follow by {@link Receive#newer}. */
    Receive oldest() {
        return receives.oldest();
    }

    /** Takes a receive without a tag out that is posted. */
    Receive take(final Receive receive) {
        return receives.remove(receive);
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
