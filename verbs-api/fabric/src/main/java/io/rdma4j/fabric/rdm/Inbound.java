/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Pieces of messages that come on one channel. Pieces of one message follow each other; at most the newest message is
 * not complete. It fills a receive, or waits in its slots for one.
 */
final class Inbound {
    private final Channel channel;
    private final ChannelHost host;
    private final SlotArea area;
    /** Whose message is not complete; null for none. */
    private Receive filling;
    /** First piece of a message that is not complete and waits; null for none. */
    private Slot waiting;
    private int messageLength;
    private int messageDone;
    private boolean isOpen;
    private int sequence;
    private int held;
    /** Whether a message was cut that a receive has claimed, which is told of it. */
    private boolean hasCut;

    Inbound(final Channel channel, final ChannelHost host, final SlotArea area) {
        this.channel = channel;
        this.host = host;
        this.area = area;
    }

    /** Pieces that came; wraps around. */
    int sequence() {
        return sequence;
    }

    /** Slots that wait for a receive. */
    int held() {
        return held;
    }

    boolean isIdle() {
        return held == 0 && !isOpen;
    }

    /** A message is not complete: the peer has to go on. */
    boolean isOpen() {
        return isOpen;
    }

    /** Takes a piece; null, or what is wrong with it. */
    String piece(final Slot slot, final long first, final int length) {
        final UnsafeBuffer from = area.buffer();
        final int at = slot.offset;
        final int flags = Header.flags(first);
        final int bytes = length - Header.LENGTH;
        if (Header.sent(from, at) != sequence || (flags & ~Header.ALL_FLAGS) != 0) {
            return "a piece is out of order";
        }
        final boolean begins = (flags & Header.FIRST) != 0;
        if (begins == isOpen) {
            return "a message begins within another one, or not at its beginning";
        }
        if (begins) {
            messageLength = Header.length(from, at);
            messageDone = 0;
        }
        messageDone += bytes;
        final boolean last = (flags & Header.LAST) != 0;
        if (messageLength < 0 || messageDone < 0 || messageDone > messageLength
            || last != (messageDone == messageLength) || bytes == 0 && !last) {
            return "a message has another length than it says";
        }
        final Matcher context = begins ? host.context(Header.rxIndex(first)) : null;
        if (begins && context == null) {
            return "a message is for a receive context that is not there";
        }
        final boolean tagged = (flags & Header.TAGGED) != 0;
        if (begins && tagged && context.tags() == null) {
            return "a message has a tag, and none are taken here";
        }
        sequence++;
        isOpen = !last;
        slot.bytes = bytes;
        slot.operation = last && (flags & Header.DELIVERY) != 0 ? Header.operation(first) : Slot.NOBODY;
        if (begins) {
            final boolean hasData = (flags & Header.HAS_DATA) != 0;
            if (tagged) {
                beginTagged(slot, context, hasData, last);
            } else {
                begin(slot, context, hasData, Header.data(from, at), last);
            }
        } else {
            goOn(slot, last);
        }
        return null;
    }

    private void begin(
        final Slot slot, final Matcher context, final boolean hasData, final int data, final boolean last) {
        final Receive receive = context.match(channel.peer(), messageLength);
        if (receive == null) {
            slot.first(messageLength, hasData, data, last);
            context.keep(slot);
            hold(slot, context, last);
        } else {
            receive.begin(messageLength, hasData, data);
            fill(receive, slot, last);
        }
    }

    private void hold(final Slot slot, final Matcher context, final boolean last) {
        slot.context = context;
        held++;
        waiting = last ? null : slot;
    }

    private void beginTagged(final Slot slot, final Matcher context, final boolean hasData, final boolean last) {
        final int data = Header.data(area.buffer(), slot.offset);
        final long tag = Header.tag(area.buffer(), slot.offset);
        final Receive receive = context.tags().match(channel.peer(), tag);
        if (receive == null) {
            slot.first(messageLength, hasData, data, last);
            context.tags().keep(slot, tag);
            hold(slot, context, last);
        } else {
            receive.beginTagged(messageLength, hasData, data, tag);
            fill(receive, slot, last);
        }
    }

    private void goOn(final Slot slot, final boolean last) {
        if (waiting != null) {
            waiting.append(slot, last);
            held++;
            waiting = last ? null : waiting;
        } else {
            fill(filling, slot, last);
        }
    }

    private void fill(final Receive receive, final Slot slot, final boolean last) {
        receive.take(address(slot), slot.bytes);
        filling = last ? null : receive;
        leave(slot, receive);
        if (last) {
            host.received(receive, channel);
        }
    }

    /** Its bytes are in the receive. */
    private void leave(final Slot slot, final Receive receive) {
        if (slot.operation == Slot.NOBODY) {
            channel.release(slot);
        } else {
            channel.confirm(slot, receive.outcome());
        }
    }

    private long address(final Slot slot) {
        return area.buffer().addressOffset() + slot.offset + Header.LENGTH;
    }

    /** A receive takes a message that waited, and was taken out of its context. */
    void deliver(final Slot first, final Receive receive) {
        if (first.tagged) {
            receive.beginTagged(first.messageLength, first.hasData, first.data, first.tag);
        } else {
            receive.begin(first.messageLength, first.hasData, first.data);
        }
        final boolean complete = first.complete;
        Slot slot = first;
        while (slot != null) {
            final Slot next = slot.nextPiece;
            slot.nextPiece = null;
            receive.take(address(slot), slot.bytes);
            held--;
            leave(slot, receive);
            slot = next;
        }
        if (complete) {
            host.received(receive, channel);
        } else {
            waiting = null;
            filling = receive;
        }
    }

    /** No more pieces come: what is not complete never will be. Complete messages stay. */
    void end() {
        if (filling != null) {
            final Receive receive = filling;
            filling = null;
            // Others' messages may have come meanwhile: what waits and what is posted never fit each other, unless a
            // buffer before it has to have its turn.
            final Slot first = receive.whole == null && !receive.home.isBehind(receive)
                ? receive.home.messageFor(receive) : null;
            if (first == null) {
                host.unfinished(receive);
            } else {
                first.channel.deliver(first, receive);
            }
        }
        if (waiting != null) {
            final Slot first = waiting;
            waiting = null;
            if (first.claimed) {
                first.isCut = true;
                hasCut = true;
            } else {
                first.context.remove(first);
            }
            for (Slot slot = first; slot != null; slot = slot.nextPiece) {
                held--;
            }
        }
        isOpen = false;
    }

    boolean hasCut() {
        return hasCut;
    }

    void toldOfCut() {
        hasCut = false;
    }

    /** All messages that still wait are dropped. */
    void dropAll(final Matcher context) {
        drop(context, context.oldestMessage());
        if (context.tags() != null) {
            drop(context, context.tags().oldestMessage());
            drop(context, context.tags().oldestClaimed());
        }
        held = 0;
    }

    private void drop(final Matcher context, final Slot oldest) {
        Slot first = oldest;
        while (first != null) {
            final Slot next = first.newer;
            if (first.channel == channel) {
                context.remove(first);
            }
            first = next;
        }
    }

    @Override
    public String toString() {
        return sequence + " pieces came, " + held + " wait" + (isOpen ? ", a message is not complete" : "");
    }
}
