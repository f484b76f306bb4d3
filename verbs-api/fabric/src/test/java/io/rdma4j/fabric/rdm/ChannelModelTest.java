/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cm.PeerId;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two ends over a pipe, against a model that says what has to arrive where. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ChannelModelTest {
    private static final int STEPS = 4_000;
    private static final int MEMORY = 1 << 20;

    private final ModelEnd a = new ModelEnd(true, 1, 4, 256, 8);
    private final ModelEnd b = new ModelEnd(false, 1, 4, 256, 8);
    private final Direction there = new Direction(a, b);

    /** A message that was sent. */
    private record Message(int number, long seed, int length, Integer data) {
    }

    /** One direction: what is on its way, by receive context, and where receives are. */
    private static final class Direction {
        final ModelEnd from;
        final ModelEnd to;
        final UnsafeBuffer source = ModelEnd.area(1, MEMORY).buffer();
        final UnsafeBuffer target = ModelEnd.area(1, MEMORY).buffer();
        final List<Deque<Message>> expected = new ArrayList<>();
        final List<Deque<int[]>> posted = new ArrayList<>();
        int sends;
        int receives;
        int checked;
        int confirmed;
        /** What the sender of each message that arrived is to be told if it asked for that. */
        final Map<Integer, Integer> outcomes = new HashMap<>();
        /** Memory of what is being sent must stay as it is: it goes round. */
        int sendAt;
        int receiveAt;

        Direction(final ModelEnd from, final ModelEnd to) {
            this.from = from;
            this.to = to;
            for (int i = 0; i < to.contexts.length; i++) {
                expected.add(new ArrayDeque<>());
                posted.add(new ArrayDeque<>());
            }
        }

        void send(final Random random, final int most) {
            final int length = random.nextInt(4) == 0 ? random.nextInt(most) : random.nextInt(100);
            final int rx = random.nextInt(expected.size());
            if (sendAt + length > MEMORY) {
                sendAt = 0;
            }
            final long seed = random.nextLong();
            fill(source, sendAt, length, seed);
            final Integer data = random.nextBoolean() ? null : random.nextInt();
            final int code =
                from.send(rx, source.addressOffset() + sendAt, length, data, random.nextInt(3) == 0, sends);
            if (code == 0) {
                expected.get(rx).add(new Message(sends, seed, length, data));
                sends++;
                sendAt += length;
            }
        }

        void receive(final Random random, final int most) {
            final int length = random.nextInt(3) == 0 ? random.nextInt(most) : most;
            final int rx = random.nextInt(expected.size());
            if (receiveAt + length > MEMORY) {
                receiveAt = 0;
            }
            final PeerId only = random.nextInt(3) == 0 ? to.channel.peer() : null;
            posted.get(rx).add(new int[] {receives, receiveAt, length});
            if (to.receive(rx, target.addressOffset() + receiveAt, length, only, receives)) {
                receives++;
                receiveAt += length;
            } else {
                posted.get(rx).removeLast();
            }
            check();
        }

        /** From the start of the memory, without data. */
        int send(final int length, final long context) {
            return send(length, false, context);
        }

        int send(final int length, final boolean delivery, final long context) {
            return from.send(0, source.addressOffset(), length, null, delivery, context);
        }

        /** To the start of the memory, from anybody. */
        void receive(final int length, final long context) {
            assertThat(to.receive(0, target.addressOffset(), length, null, context)).as(to.toString()).isTrue();
        }

        void check() {
            while (checked < to.got.size()) {
                final ModelEnd.Got got = to.got.get(checked++);
                final Message message = expected.get(got.rxIndex()).poll();
                final int[] where = posted.get(got.rxIndex()).poll();
                assertThat(message).as("%s that nobody sent", got).isNotNull();
                assertThat(where[0]).as("receives are used in order").isEqualTo((int) got.context());
                assertThat(got.length()).isEqualTo(Math.min(message.length(), where[2]));
                assertThat(got.overflow()).isEqualTo(message.length() - got.length());
                outcomes.put(message.number(), got.overflow() > 0 ? FiErrno.FI_ETRUNC : 0);
                assertThat(got.hasData()).isEqualTo(message.data() != null);
                assertThat(got.data()).isEqualTo(message.data() == null ? 0 : message.data());
                final UnsafeBuffer wanted = new UnsafeBuffer(new byte[message.length()]);
                fill(wanted, 0, message.length(), message.seed());
                for (int i = 0; i < got.length(); i++) {
                    if (target.getByte(where[1] + i) != wanted.getByte(i)) {
                        throw new AssertionError("byte " + i + " of " + message + " differs");
                    }
                }
            }
        }

        /** Who asked is told what became of a message, after it arrived. */
        void checkConfirmed() {
            while (confirmed < from.sent.size()) {
                final ModelEnd.Sent one = from.sent.get(confirmed++);
                assertThat(one.errno()).as("%s of %s", one, this)
                    .isEqualTo(one.delivered() ? outcomes.get((int) one.context()) : Integer.valueOf(0));
            }
        }

        private static void fill(final UnsafeBuffer to, final int at, final int length, final long seed) {
            final byte[] bytes = new byte[length];
            new Random(seed).nextBytes(bytes);
            to.putBytes(at, bytes);
        }

        boolean isOver() {
            return checked == sends;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void eachMessageArrivesOnceInOrderAndUnchanged(final long seed) {
        final Random random = new Random(seed);
        final int contexts = 1 + random.nextInt(3);
        final ModelEnd one = new ModelEnd(true, contexts, 4 + random.nextInt(8), 64 + random.nextInt(200), 5);
        final ModelEnd other = new ModelEnd(false, contexts, 4 + random.nextInt(8), 64 + random.nextInt(200), 5);
        ModelEnd.connect(one, other);
        final Direction forth = new Direction(one, other);
        final Direction back = new Direction(other, one);
        final int most = 1 + random.nextInt(3_000);
        for (int i = 0; i < STEPS; i++) {
            step(random, forth, back, most);
        }
        drain(random, forth, back, most);
        assertThat(forth.sends).isPositive();
        assertThat(back.sends).isPositive();
        assertClean(one);
        assertClean(other);
    }

    private static void step(final Random random, final Direction there, final Direction back, final int most) {
        final Direction one = random.nextBoolean() ? there : back;
        switch (random.nextInt(6)) {
            case 0, 1 -> one.send(random, most);
            case 2 -> one.receive(random, most);
            case 3 -> one.from.progress();
            default -> one.from.wire.move(one.from, one.to);
        }
        there.check();
        back.check();
        there.checkConfirmed();
        back.checkConfirmed();
        assertThat(there.from.broken).as(there.from.toString()).isNull();
        assertThat(back.from.broken).as(back.from.toString()).isNull();
    }

    private static void drain(final Random random, final Direction there, final Direction back, final int most) {
        for (int i = 0; i < 1_000_000 && !(there.isOver() && back.isOver() && isQuiet(there) && isQuiet(back)); i++) {
            there.from.wire.move(there.from, there.to);
            back.from.wire.move(back.from, back.to);
            there.from.progress();
            back.from.progress();
            if (!there.isOver()) {
                there.receive(random, most);
            }
            if (!back.isOver()) {
                back.receive(random, most);
            }
            there.check();
            back.check();
            there.checkConfirmed();
            back.checkConfirmed();
        }
        assertThat(there.isOver()).as("%d of %d arrived: %s, %s", there.checked, there.sends, there.from, there.to)
            .isTrue();
        assertThat(back.isOver()).as("%d of %d arrived: %s, %s", back.checked, back.sends, back.from, back.to).isTrue();
    }

    private static boolean isQuiet(final Direction one) {
        return one.from.wire.sent.isEmpty() && one.from.wanting.isEmpty();
    }

    private static void assertClean(final ModelEnd end) {
        assertThat(end.broken).isNull();
        assertThat(end.table.claimedOps()).as(end.toString()).isZero();
        assertThat(end.table.freePieces()).as(end.toString()).isEqualTo(end.table.pieceCount());
        assertThat(end.wire.posted.size() + end.channel.freeSlots()).as("no slot is lost")
            .isEqualTo(end.slots + Channel.CONTROL_SLOTS);
        assertThat(end.sent.stream().filter(one -> !one.delivered()).map(ModelEnd.Sent::context)).isSorted();
        assertThat(end.sent.stream().map(ModelEnd.Sent::context)).doesNotHaveDuplicates();
    }

    @Test
    void nothingIsSaidBeforeTheGreeting() {
        final List<Integer> taken = new ArrayList<>();
        for (int p = a.table.claimControl(a.channel); p != SendTable.NONE; p = a.table.claimControl(a.channel)) {
            taken.add(p);
        }
        ModelEnd.connect(a, b);
        // There is no room for the greeting, but always for this.
        a.channel.probe();
        taken.forEach(a.table::giveBackPiece);
        a.progress();
        while (a.wire.move(a, b) || b.wire.move(b, a)) {
            assertThat(b.broken).isNull();
        }
        assertThat(b.broken).isNull();
    }

    @Test
    void aPeerThatTakesNothingStopsTheSenderAtItsWindow() {
        final ModelEnd wide = new ModelEnd(true, 1, 6, 256, 64);
        final ModelEnd narrow = new ModelEnd(false, 1, 4, 256, 64);
        final Direction toNarrow = new Direction(wide, narrow);
        ModelEnd.connect(wide, narrow);
        exchangeGreetings(wide, narrow);
        int taken = 0;
        while (toNarrow.send(8, taken) == 0) {
            taken++;
        }
        assertThat(taken).as("the smaller window").isEqualTo(4);
        while (wide.wire.move(wide, narrow)) {
            // All that is under way.
        }
        assertThat(toNarrow.send(8, 9)).isEqualTo(-FiErrno.FI_EAGAIN);
        toNarrow.receive(8, 0);
        toNarrow.receive(8, 1);
        assertThat(narrow.wire.move(narrow, wide)).as("credits go back at half the window").isTrue();
        assertThat(toNarrow.send(8, 9)).isZero();
    }

    /** Whatever went before: a receiver that waits for the last of many messages needs a window for all of them. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 7, 8, 16, 33})
    void asManyMessagesCanWaitAsTheWindowHas(final int slots) {
        for (int taken = 0; taken <= slots; taken++) {
            final ModelEnd one = new ModelEnd(true, 2, slots, 256, 64);
            final ModelEnd other = new ModelEnd(false, 2, slots, 256, 64);
            ModelEnd.connect(one, other);
            exchangeGreetings(one, other);
            final Direction forth = new Direction(one, other);
            for (int i = 0; i < taken; i++) {
                forth.receive(8, i);
                assertThat(forth.send(8, i)).isZero();
                pump(one, other);
            }
            assertThat(other.got).hasSize(taken);
            for (int waiting = 0; waiting < slots; waiting++) {
                assertThat(one.send(1, forth.source.addressOffset(), 8, null, false, waiting))
                    .as("%d received, %d of %d wait: %s, %s", taken, waiting, slots, one, other).isZero();
                pump(one, other);
            }
            assertThat(other.contexts[1].waiting()).isEqualTo(slots);
            assertThat(forth.send(8, 0)).isEqualTo(-FiErrno.FI_EAGAIN);
        }
    }

    /** As {@link Channel#CONTROL_SLOTS} has it, whenever the peer looks. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void atMostTwoMessagesOfCreditsAreOnTheirWay(final long seed) {
        final Random random = new Random(seed);
        for (int slots = 4; slots < 20; slots++) {
            final ModelEnd one = new ModelEnd(true, 2, slots, 256, 64);
            final ModelEnd other = new ModelEnd(false, 2, slots, 256, 64);
            ModelEnd.connect(one, other);
            exchangeGreetings(one, other);
            final Direction forth = new Direction(one, other);
            int favoured = 0;
            for (int i = 0; i < STEPS; i++) {
                final int rx = random.nextInt(2);
                favoured = i % slots == 0 ? random.nextInt(4) : favoured;
                switch (random.nextInt(4) == 0 ? random.nextInt(4) : favoured) {
                    case 0 -> one.send(rx, forth.source.addressOffset(), 8, null, false, i);
                    case 1 -> other.receive(rx, forth.target.addressOffset(), 8, null, i);
                    case 2 -> one.wire.move(one, other);
                    default -> other.wire.move(other, one);
                }
                assertThat(other.wire.underWay(Header.CREDIT)).as("window of %d: %s", slots, other).isLessThan(3);
            }
            assertUnbroken(one, other);
        }
    }

    /** The ends of this test know each other. */
    private void greet() {
        ModelEnd.connect(a, b);
        exchangeGreetings(a, b);
    }

    private static void exchangeGreetings(final ModelEnd one, final ModelEnd other) {
        for (int i = 0; i < 4; i++) {
            one.wire.move(one, other);
            other.wire.move(other, one);
        }
        assertThat(one.channel.isUp() && other.channel.isUp()).isTrue();
    }

    private void assertUnbroken() {
        assertUnbroken(a, b);
    }

    private static void assertUnbroken(final ModelEnd one, final ModelEnd other) {
        assertThat(one.broken).isNull();
        assertThat(other.broken).isNull();
    }

    private void assertLeft() {
        assertThat(a.left && b.left).as("%s, %s", a, b).isTrue();
    }

    @Test
    void bothEndsMaySayGoodbyeAtOnce() {
        greet();
        a.channel.sayBye();
        b.channel.sayBye();
        pump();
        assertLeft();
        assertThat(a.drained + b.drained).isEqualTo(2);
        assertUnbroken();
    }

    @Test
    void aGoodbyeIsRefusedWhileAMessageWaits() {
        greet();
        assertThat(there.send(8, 0)).isZero();
        pump();
        assertThat(a.channel.isIdle()).isTrue();
        assertThat(b.channel.isIdle()).isFalse();
        a.channel.sayBye();
        assertThat(there.send(8, 1)).isEqualTo(-FiErrno.FI_EAGAIN);
        pump();
        assertThat(a.left).isFalse();
        assertThat(a.channel.isUp() && b.channel.isUp()).isTrue();
        there.receive(8, 1);
        a.channel.sayBye();
        pump();
        assertLeft();
    }

    private void pump() {
        pump(a, b);
    }

    private static void pump(final ModelEnd one, final ModelEnd other) {
        boolean moved = true;
        while (moved) {
            moved = one.wire.move(one, other) | other.wire.move(other, one);
            one.progress();
            other.progress();
        }
    }

    @Test
    void whatIsCompleteCanBeReceivedAfterTheEnd() {
        greet();
        assertThat(there.send(8, 0)).isZero();
        assertThat(there.send(4_000, 1)).isZero();
        pump();
        b.channel.close();
        assertThat(b.drained).isZero();
        there.receive(100, 5);
        assertThat(b.got).containsExactly(new ModelEnd.Got(5, 0, 8, 0, false, 0));
        assertThat(b.drained).isEqualTo(1);
        assertThat(b.contexts[0].waiting()).as("the incomplete one is gone").isZero();
    }

    @Test
    void aReceiveWhoseMessageBreaksOffWaitsForTheNextOne() {
        greet();
        there.receive(4_000, 5);
        assertThat(there.send(4_000, 1)).isZero();
        a.wire.move(a, b);
        assertThat(b.contexts[0].posted()).isZero();
        b.channel.close();
        assertThat(b.unfinished).isEqualTo(1);
        assertThat(b.contexts[0].posted()).isEqualTo(1);
        assertThat(b.drained).isEqualTo(1);
    }

    @Test
    void aPeerThatIsWaitedForIsProbed() {
        ModelEnd.connect(a, b);
        assertThat(a.channel.isWaiting()).as("for the first message").isTrue();
        exchangeGreetings(a, b);
        assertThat(a.channel.isWaiting() || b.channel.isWaiting()).isFalse();
        assertThat(there.send(4_000, 1)).isZero();
        pump();
        assertThat(a.channel.isWaiting()).as("for credits").isTrue();
        assertThat(b.channel.isWaiting()).as("for the rest of a message").isTrue();
        assertThat(a.wire.sent).isEmpty();
        a.channel.probe();
        a.channel.probe();
        assertThat(a.wire.sent).as("one at a time").hasSize(1);
        pump();
        a.channel.probe();
        assertThat(a.wire.sent).hasSize(1);
        pump();
        there.receive(4_000, 5);
        pump();
        assertThat(b.got).containsExactly(new ModelEnd.Got(5, 0, 4_000, 0, false, 0));
        a.channel.sayBye();
        assertThat(a.channel.isWaiting()).as("for an answer").isTrue();
        pump();
        assertLeft();
        assertUnbroken();
    }

    @Test
    void whoAsksIsToldWhenAReceiveHasTheMessage() {
        greet();
        assertThat(there.send(8, true, 1)).isZero();
        assertThat(there.send(8, true, 2)).isZero();
        pump();
        assertThat(a.sent).as("nobody has them").isEmpty();
        assertThat(a.channel.isIdle()).isFalse();
        assertThat(a.channel.isWaiting()).isTrue();
        there.receive(8, 5);
        pump();
        assertThat(a.sent).containsExactly(new ModelEnd.Sent(1, 0, true));
        there.receive(3, 6);
        pump();
        assertThat(a.sent.get(1)).as("it does not fit").isEqualTo(new ModelEnd.Sent(2, FiErrno.FI_ETRUNC, true));
        a.channel.sayBye();
        pump();
        assertLeft();
        assertUnbroken();
    }

    @Test
    void onlySoManyMessagesWaitForThePeersWord() {
        final ModelEnd one = new ModelEnd(true, 1, 32, 256, 64);
        final ModelEnd other = new ModelEnd(false, 1, 32, 256, 64);
        final Direction forth = new Direction(one, other);
        ModelEnd.connect(one, other);
        exchangeGreetings(one, other);
        for (int i = 0; i < Channel.MOST_UNCONFIRMED; i++) {
            assertThat(forth.send(8, true, i)).isZero();
            while (one.wire.move(one, other)) {
                // All that is under way.
            }
        }
        assertThat(forth.send(8, true, 99)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(forth.send(8, false, 100)).as("others may go").isZero();
    }

    @Test
    void aWordThatNobodyWaitsForEndsTheConnection() {
        greet();
        assertThat(there.send(8, 1)).isZero();
        final UnsafeBuffer word = ModelEnd.area(1, Header.LENGTH).buffer();
        for (final int operation : new int[] {0, 7, 8, 65_535}) {
            a.broken = null;
            Header.write(word, 0, Header.DELIVERED, 0, 0, operation, 0);
            b.wire.send(b.table.probe(), word.addressOffset(), Header.LENGTH, 0);
            b.wire.move(b, a);
            assertThat(a.broken).as("operation %d", operation).contains("does not wait for that");
        }
        assertThat(a.sent).isEmpty();
    }

    @Test
    void goodbyesMayCrossWithAMessage() {
        greet();
        there.receive(8, 5);
        b.channel.sayBye();
        assertThat(there.send(8, 1)).isZero();
        while (a.wire.move(a, b)) {
            // The message is there, and b's goodbye does not count it.
        }
        a.channel.sayBye();
        while (a.wire.move(a, b)) {
            // b grants it.
        }
        pump();
        assertUnbroken();
        assertLeft();
    }
}
