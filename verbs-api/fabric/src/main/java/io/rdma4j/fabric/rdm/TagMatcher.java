/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.cm.PeerId;

/**
 * Tagged receives of one receive context, and tagged messages that came before a receive did. Not both fit each other.
 *
 * <p>A message goes to the receive that was posted first of those that it fits. Receives that ignore no bits are found
 * by a hash of tag and source; one that ignores some, or takes any source, is in another chain. A message looks at up
 * to three chains, and takes the oldest receive of those that it finds there. Messages that wait are in the order in
 * which they came, and by tag. Memory is that of the receives and slots: nothing is allocated. For the thread that uses
 * the endpoint.
 */
final class TagMatcher {
    private static final int FROM_ANY = 0;
    private static final int LEAST_CHAINS = 16;
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    /** Of chains by hash; behind them is the one of receives that ignore bits. */
    private final int mask;
    private final int wild;
    private final Receive[] oldestOf;
    private final Receive[] newestOf;
    private final Slot[] firstOf;
    private final Slot[] lastOf;
    private final ReceiveList posted = new ReceiveList();
    private final SlotList messages = new SlotList();
    private final SlotList claims = new SlotList();
    /** How many of those that are posted are. */
    private int directed;

    TagMatcher(final int receives) {
        final int chains = Math.max(LEAST_CHAINS, 2 * Integer.highestOneBit(receives));
        mask = chains - 1;
        wild = chains;
        oldestOf = new Receive[chains + 1];
        newestOf = new Receive[chains + 1];
        firstOf = new Slot[chains];
        lastOf = new Slot[chains];
    }

    int posted() {
        return posted.size();
    }

    int waiting() {
        return messages.size();
    }

    private int chain(final long tag, final int source) {
        final long sum = tag + source * GOLDEN;
        // Programs put a rank into the one half of a tag, and a number into the other.
        final long half = (sum ^ sum >>> Integer.SIZE) * GOLDEN;
        return (int) ((half ^ half >>> Integer.SIZE) * GOLDEN >>> Integer.SIZE) & mask;
    }

    void post(final Receive receive) {
        posted.add(receive);
        link(receive);
    }

    /** Its message will never be complete: it waits again, where it was before. */
    void postAgain(final Receive receive) {
        posted.addAgain(receive);
        link(receive);
    }

    /** Puts it into the chain where it belongs, by when it was posted. */
    void link(final Receive receive) {
        directed += receive.directed ? 1 : 0;
        receive.bucket =
            receive.ignore != 0 ? wild : chain(receive.tag, receive.directed ? receive.hash() : FROM_ANY);
        Receive before = newestOf[receive.bucket];
        while (before != null && before.sequence > receive.sequence) {
            before = before.chainOlder;
        }
        linkBehind(receive, before);
    }

    private void linkBehind(final Receive receive, final Receive before) {
        final int chain = receive.bucket;
        final Receive after = before == null ? oldestOf[chain] : before.chainNewer;
        receive.chainOlder = before;
        receive.chainNewer = after;
        if (before == null) {
            oldestOf[chain] = receive;
        } else {
            before.chainNewer = receive;
        }
        if (after == null) {
            newestOf[chain] = receive;
        } else {
            after.chainOlder = receive;
        }
    }

    private Receive take(final Receive receive) {
        unlink(receive);
        return posted.remove(receive);
    }

    /** Takes it out of its chain: what it hashes by may change, until {@link #link}. */
    void unlink(final Receive receive) {
        if (receive.chainOlder == null) {
            oldestOf[receive.bucket] = receive.chainNewer;
        } else {
            receive.chainOlder.chainNewer = receive.chainNewer;
        }
        if (receive.chainNewer == null) {
            newestOf[receive.bucket] = receive.chainOlder;
        } else {
            receive.chainNewer.chainOlder = receive.chainOlder;
        }
        receive.chainOlder = null;
        receive.chainNewer = null;
        directed -= receive.directed ? 1 : 0;
    }

    /** Takes the receive out that was posted first of those that the message fits; null if there is none. */
    Receive match(final PeerId peer, final long tag) {
        Receive found = oldestOf[wild] == null ? null : ignoring(peer, tag);
        found = earlier(found, fromAny(tag));
        if (directed > 0) {
            found = earlier(found, from(peer, tag));
        }
        return found == null ? null : take(found);
    }

    /** Gives messages that wait to receives that they fit by now. */
    void goOn() {
        Slot first = messages.oldest();
        while (first != null) {
            final Slot next = first.newer;
            final Receive receive = match(first.channel.peer(), first.tag);
            if (receive != null) {
                remove(first);
                first.channel.deliver(first, receive);
            }
            first = next;
        }
    }

    private Receive ignoring(final PeerId peer, final long tag) {
        Receive receive = oldestOf[wild];
        while (receive != null && !(isAlike(receive, tag) && receive.takes(peer))) {
            receive = receive.chainNewer;
        }
        return receive;
    }

    private Receive fromAny(final long tag) {
        Receive receive = oldestOf[chain(tag, FROM_ANY)];
        while (receive != null && (receive.tag != tag || receive.directed)) {
            receive = receive.chainNewer;
        }
        return receive;
    }

    private Receive from(final PeerId peer, final long tag) {
        Receive receive = oldestOf[chain(tag, Receive.hash(peer))];
        while (receive != null && (receive.tag != tag || !receive.directed || !receive.takes(peer))) {
            receive = receive.chainNewer;
        }
        return receive;
    }

    private static Receive earlier(final Receive one, final Receive other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.sequence < other.sequence ? one : other;
    }

    private static boolean isAlike(final Receive receive, final long tag) {
        return ((receive.tag ^ tag) & ~receive.ignore) == 0;
    }

    /** Null if there is none; the others follow by {@link Receive#newer}. */
    Receive oldest() {
        return posted.oldest();
    }

    /** Takes the oldest receive out; null if there is none. */
    Receive any() {
        return posted.oldest() == null ? null : take(posted.oldest());
    }

    /** Takes the oldest receive with this context out; null if there is none. */
    Receive find(final long context) {
        final Receive receive = posted.find(context);
        return receive == null ? null : take(receive);
    }

    /** A message that no receive fits waits. */
    void keep(final Slot first, final long tag) {
        first.tagged = true;
        first.tag = tag;
        messages.add(first);
        final int chain = chain(tag, FROM_ANY);
        first.chainOlder = lastOf[chain];
        first.chainNewer = null;
        if (first.chainOlder == null) {
            firstOf[chain] = first;
        } else {
            first.chainOlder.chainNewer = first;
        }
        lastOf[chain] = first;
    }

    /** The oldest message that fits; it stays. Null if there is none. */
    Slot look(final Receive receive) {
        Slot first = receive.ignore == 0 ? firstOf[chain(receive.tag, FROM_ANY)] : messages.oldest();
        while (first != null && !(isAlike(receive, first.tag) && receive.takes(first.channel.peer()))) {
            first = receive.ignore == 0 ? first.chainNewer : first.newer;
        }
        return first;
    }

    /** Takes the oldest message out that fits; null if there is none, or if the receive was for one message only. */
    Slot messageFor(final Receive receive) {
        final Slot first = receive.once ? null : look(receive);
        if (first != null) {
            remove(first);
        }
        return first;
    }

    /** The message is for the receive with this context only, see {@link #takeClaimed}. */
    void claim(final Slot first, final long context) {
        remove(first);
        first.claimed = true;
        first.claim = context;
        claims.add(first);
    }

    /** Takes the message out that was claimed with this context; null if there is none. */
    Slot takeClaimed(final long context) {
        Slot first = claims.oldest();
        while (first != null && first.claim != context) {
            first = first.newer;
        }
        if (first != null) {
            remove(first);
        }
        return first;
    }

    /** The oldest message that waits; the others are behind it. */
    Slot oldestMessage() {
        return messages.oldest();
    }

    /** The message that was claimed first; the others are behind it. */
    Slot oldestClaimed() {
        return claims.oldest();
    }

    /** Takes a message out that waits, or was claimed. */
    void remove(final Slot first) {
        if (first.claimed) {
            first.claimed = false;
            claims.remove(first);
        } else {
            messages.remove(first);
            unchain(first);
        }
    }

    private void unchain(final Slot first) {
        final int chain = chain(first.tag, FROM_ANY);
        if (first.chainOlder == null) {
            firstOf[chain] = first.chainNewer;
        } else {
            first.chainOlder.chainNewer = first.chainNewer;
        }
        if (first.chainNewer == null) {
            lastOf[chain] = first.chainOlder;
        } else {
            first.chainNewer.chainOlder = first.chainOlder;
        }
        first.chainOlder = null;
        first.chainNewer = null;
    }

    @Override
    public String toString() {
        return posted.size() + " tagged receives posted, " + messages.size() + " tagged messages wait, " + claims.size()
            + " are claimed";
    }
}
