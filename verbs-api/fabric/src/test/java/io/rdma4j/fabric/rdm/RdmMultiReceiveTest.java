/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One buffer takes message after message. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RdmMultiReceiveTest {
    private static final long ANY = FiAddr.UNSPEC;
    private static final int LEAST = 100;

    @RegisterExtension
    final World world = new World();

    private Rank a;
    private Rank b;
    private long toB;

    private static EndpointOptions options() {
        return World.options().leastMultiReceive(LEAST);
    }

    private void open(final String device) {
        open(device, options());
    }

    private void open(final String device, final EndpointOptions receiver) {
        final Rank[] both = world.pair(world.device(device), world.device(device), options(), receiver);
        a = both[0];
        b = both[1];
        toB = a.knows(b);
        b.knows(a);
    }

    private int receiveMany(final int at, final int length, final long context) {
        final Message message = new Message(1).add(b.at(at), length, b.region).context(context);
        return b.ep.receiveMessage(message, OpFlags.MULTI_RECV);
    }

    private void send(final int length, final int seed) {
        a.fill(0, length, seed);
        a.succeeds(() -> a.ep.send(a.at(0), length, a.region, toB, seed));
    }

    private void gets(final long context, final int at, final int length, final int seed, final boolean released) {
        final Done done = b.next();
        assertThat(done).extracting(Done::kind, Done::context, Done::length, Done::buffer, Done::released, Done::errno)
            .as("%s", done)
            .containsExactly(OperationKind.RECEIVE, context, (long) length, b.at(at), released, 0);
        b.expect(at, length, seed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", World.QEMU})
    void messagesLieOneBehindTheOtherUntilTheRoomIsUsedUp(final String device) {
        open(device);
        assertThat(receiveMany(50, 1_000, 7)).isZero();
        send(300, 1);
        gets(7, 50, 300, 1, false);
        send(0, 2);
        gets(7, 350, 0, 2, false);
        send(600, 3);
        gets(7, 350, 600, 3, false);
        send(1, 4);
        gets(7, 950, 1, 4, true);
        send(5, 5);
        assertThat(receiveMany(2_000, 500, 8)).isZero();
        gets(8, 2_000, 5, 5, false);
    }

    /** A message after the other goes into memory that is the program's again. */
    @Test
    void aBufferWhoseRegionIsGoneIsNotWritten() {
        open("");
        final PinnedMemory memory = b.domain.allocate(4096);
        final MemoryRegion region = b.domain.register(new MrAttributes().buffer(memory)
            .access(EnumSet.of(MrAccess.RECV)).requestedKey(99));
        assertThat(b.ep.receiveMessage(new Message(1).add(memory.address(), 1_000, region).context(7),
            OpFlags.MULTI_RECV)).isZero();
        send(8, 1);
        assertThat(b.next().errno()).isZero();
        memory.buffer().setMemory(0, 1_000, (byte) 3);
        region.close();

        send(8, 2);

        final Done refused = b.next();
        assertThat(FiErrno.name(refused.errno())).as("%s", refused).isEqualTo("FI_EFAULT");
        for (int i = 0; i < 1_000; i++) {
            assertThat(memory.buffer().getByte(i)).isEqualTo((byte) 3);
        }
        memory.close();
    }

    private static void progress(final BooleanSupplier condition, final Rank... ranks) {
        Await.until(Await.LONG, () -> Arrays.toString(ranks), () -> {
            for (final Rank rank : ranks) {
                rank.cq.read(null, 0);
            }
            return condition.getAsBoolean();
        });
    }

    /** The buffer that was posted before has its turn first. */
    @Test
    void aReceiveWhoseMessageBrokeOffTakesNothingThatWaitsForABufferBefore() {
        final RdmaContext device = world.device("");
        b = world.rank(device, World.hints(device).capabilities(Capability.MSG, Capability.MULTI_RECV,
            Capability.DIRECTED_RECV),
            options().sizes(16, 2), new AvAttributes());
        a = world.rank(world.device(""), options());
        final Rank d = world.rank(world.device(""), options());
        world.acquainted(a, b, d);
        final long fromD = b.knows(d);
        final long dToB = d.knows(b);
        toB = a.knows(b);
        b.knows(a);
        b.post(() -> b.ep.receive(b.at(0), 64, b.region, ANY, 8));
        b.post(() -> b.ep.receive(b.at(0), 64, b.region, ANY, 9));
        send(10, 1);
        d.succeeds(() -> d.ep.send(d.at(0), 10, d.region, dToB, 1));
        b.next();
        b.next();

        final Message many = new Message(1).add(b.at(0), 1_000, b.region).context(1).peer(fromD);
        assertThat(b.ep.receiveMessage(many, OpFlags.MULTI_RECV)).isZero();
        assertThat(b.ep.receive(b.at(10_000), 200_000, b.region, ANY, 2)).isZero();
        final Matcher matcher = ((RdmEndpoint) b.ep).resources().contexts()[0].matcher();
        assertThat(a.ep.send(a.at(0), 200_000, a.region, toB, 5)).isZero();
        progress(() -> matcher.posted() == 1, a, b);
        for (int i = 0; i < 3; i++) {
            assertThat(d.ep.send(d.at(0), 10, d.region, dToB, i)).isZero();
        }
        progress(() -> matcher.waiting() == 1, b, d);
        a.ep.close();
        progress(() -> ((RdmEndpoint) b.ep).connections() == 1, b, d);
        for (int i = 0; i < 3; i++) {
            assertThat(b.next().context()).as("message %d", i).isEqualTo(1);
        }
        assertThat(matcher.posted()).as("the buffer, and the receive again").isEqualTo(2);
    }

    @Test
    void messagesThatWaitComeInOrder() {
        open("");
        for (int i = 1; i <= 5; i++) {
            send(100 * i, i);
        }
        assertThat(receiveMany(0, 650, 1)).isZero();
        gets(1, 0, 100, 1, false);
        gets(1, 100, 200, 2, false);
        gets(1, 300, 300, 3, true);
        b.post(() -> b.ep.receive(b.at(1_000), 400, b.region, ANY, 2));
        final Done single = b.next();
        assertThat(single).extracting(Done::context, Done::buffer, Done::released).containsExactly(2L, 0L, false);
        b.expect(1_000, 400, 4);
        assertThat(receiveMany(0, 650, 3)).isZero();
        gets(3, 0, 500, 5, false);
    }

    @Test
    void whatDoesNotFitIsCutAndEndsTheBuffer() {
        open("");
        assertThat(receiveMany(0, 200, 1)).isZero();
        b.fill(200, 64, 99);
        send(50, 1);
        gets(1, 0, 50, 1, false);
        send(400, 2);
        final Done cut = b.next();
        assertThat(cut).extracting(Done::errno, Done::length, Done::overflow, Done::buffer, Done::released)
            .containsExactly(FiErrno.FI_ETRUNC, 150L, 250L, b.at(50), true);
        b.expect(50, 150, 2);
        b.expect(200, 64, 99);
    }

    @Test
    void itCanBeTakenBack() {
        open("");
        assertThat(receiveMany(0, 1_000, 1)).isZero();
        send(10, 1);
        gets(1, 0, 10, 1, false);
        assertThat(b.ep.cancel(1)).isZero();
        assertThat(b.next()).extracting(Done::context, Done::errno, Done::released)
            .containsExactly(1L, FiErrno.FI_ECANCELED, true);
        assertThat(b.ep.cancel(1)).isEqualTo(-FiErrno.FI_ENOENT);
        send(10, 2);
        assertThat(receiveMany(0, 1_000, 2)).isZero();
        gets(2, 0, 10, 2, false);
    }

    @Test
    void takenBackWithinAMessageItEndsBehindThat() {
        open("");
        assertThat(receiveMany(0, 120_000, 1)).isZero();
        a.fill(0, 100_000, 3);
        begin(100_000);
        assertThat(b.ep.cancel(1)).isZero();
        b.others.add(a);
        gets(1, 0, 100_000, 3, false);
        assertThat(b.next()).extracting(Done::context, Done::errno, Done::released)
            .containsExactly(1L, FiErrno.FI_ECANCELED, true);
        assertClean();
    }

    /** Of a message that is longer than the window b gets a part, and its sender does not go on. */
    private void begin(final int length) {
        final RdmReceiveContext context = ((RdmEndpoint) b.ep).resources().contexts()[0];
        a.post(() -> a.ep.send(a.at(0), length, a.region, toB, 5));
        // The first message waits for the connection.
        b.until(() -> context.matcher().claimed() == 2);
        a.others.clear();
        b.others.clear();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void asManyBuffersTakeMessagesAsThereAreReceives(final int receives) {
        open("", World.options().sizes(16, receives).leastMultiReceive(LEAST));
        for (int i = 0; i < receives; i++) {
            assertThat(receiveMany(1_000 * i, 500, i)).isZero();
        }
        assertThat(receiveMany(0, 500, 9)).isEqualTo(-FiErrno.FI_EAGAIN);
        for (int i = 0; i < receives; i++) {
            send(300, i);
            gets(i, 1_000 * i, 300, i, false);
            send(150, i);
            gets(i, 1_000 * i + 300, 150, i, true);
        }
        assertThat(receiveMany(0, 500, 9)).isZero();
        send(10, 9);
        gets(9, 0, 10, 9, false);
        assertThat(b.ep.cancel(9)).isZero();
        b.next();
        assertClean(receives);
    }

    /** A buffer has room, but nobody has read what it took: the receive behind it may not have what waits. */
    @Test
    void aReceiveThatIsPostedLaterDoesNotGetWhatWaitsForABuffer() {
        open("", World.options().sizes(16, 2).leastMultiReceive(LEAST));
        connect();
        assertThat(receiveMany(0, 850, 1)).isZero();
        final RdmReceiveContext context = ((RdmEndpoint) b.ep).resources().contexts()[0];
        a.others.clear();
        sendAll(0, 5);
        Await.until(Await.LONG, context::toString, () -> {
            a.take();
            return b.cq.read(entry -> { }, 0) == 0 && context.matcher().waiting() == 3;
        });
        assertThat(b.ep.receive(b.at(5_000), 300, b.region, ANY, 2)).isZero();
        for (int i = 0; i < 5; i++) {
            assertThat(b.next().context()).as("message %d", i).isEqualTo(i < 4 ? 1 : 2);
        }
        b.expect(5_000, 200, 4);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatNobodyReadsStopsTheSenders(final boolean competes) {
        open("", World.options().sizes(16, 4).leastMultiReceive(LEAST));
        connect();
        assertThat(receiveMany(0, 100_000, 1)).isZero();
        sendAll(0, 12);
        // A few are read, and make room: what comes now waits behind what has waited.
        b.take();
        assertThat(b.done.size()).isBetween(1, 4);
        sendAll(12, 14);
        if (competes) {
            // Another receive may not get what is meant for the first one.
            final int code = b.ep.receive(b.at(150_000), 500, b.region, ANY, 99);
            if (code == 0) {
                assertThat(b.ep.cancel(99)).isZero();
            } else {
                assertThat(code).isEqualTo(-FiErrno.FI_EAGAIN);
            }
        }
        for (int i = 0; i < 14; i++) {
            b.until(() -> !b.done.isEmpty());
            if (b.done.peek().context() == 99) {
                assertThat(b.done.poll().errno()).isEqualTo(FiErrno.FI_ECANCELED);
            }
            gets(1, 200 * i, 200, i, false);
        }
        for (int i = 0; i < 14; i++) {
            assertThat(a.next().context()).isEqualTo(i);
        }
    }

    private void connect() {
        b.post(() -> b.ep.receive(b.at(0), 8, b.region, ANY, 2));
        send(8, 0);
        b.next();
    }

    private void sendAll(final int from, final int to) {
        for (int i = from; i < to; i++) {
            final int seed = i;
            a.fill(1_000 * i, 200, seed);
            a.post(() -> a.ep.send(a.at(1_000 * seed), 200, a.region, toB, seed));
        }
    }

    @Test
    void severalPeersFillItAtOnce() {
        final Rank[] all = world.acquainted(world.rank(world.device(""), options()),
            world.rank(world.device(""), options()), world.rank(world.device(""), options()));
        b = all[0];
        for (int from = 1; from < all.length; from++) {
            b.knows(all[from]);
        }
        assertThat(receiveMany(0, 200_000, 1)).isZero();
        for (int from = 1; from < all.length; from++) {
            final Rank rank = all[from];
            rank.fill(0, 60_000, from);
            final long dest = rank.knows(b);
            rank.post(() -> rank.ep.send(rank.at(0), 60_000, rank.region, dest, 5));
        }
        for (int i = 0; i < 2; i++) {
            final Done done = b.next();
            assertThat(done.length()).isEqualTo(60_000);
            final int at = (int) (done.buffer() - b.at(0));
            final int seed = b.bytes.getByte(at);
            assertThat(seed).isIn(1, 2);
            b.expect(at, 60_000, seed);
        }
    }

    @Test
    void roomOfAMessageThatBreaksOffIsFreeAgain() {
        open("");
        assertThat(receiveMany(0, 200_100, 1)).isZero();
        final RdmReceiveContext context = ((RdmEndpoint) b.ep).resources().contexts()[0];
        begin(200_050);
        assertThat(context.matcher().posted()).as("it has no more room").isZero();
        // It sends what goes into the window once more, which is not all.
        a.ep.close();
        b.until(() -> {
            b.passTime();
            return context.matcher().posted() > 0;
        });
        final Rank other = world.rank(world.device(""), options());
        world.acquainted(b, other);
        b.knows(other);
        final long dest = other.knows(b);
        other.fill(0, 200_000, 3);
        other.post(() -> other.ep.send(other.at(0), 200_000, other.region, dest, 5));
        gets(1, 0, 200_000, 3, false);
        assertThat(b.ep.cancel(1)).isZero();
        b.next();
        assertClean();
    }

    @Test
    void theBufferComesBackThoughItsLastMessageBreaksOff() {
        open("", World.options().sizes(16, 2).leastMultiReceive(LEAST));
        final Rank other = world.rank(world.device(""), options());
        b.knows(other);
        final long dest = other.knows(b);
        assertThat(receiveMany(0, 200_150, 1)).isZero();
        begin(200_000);
        b.others.add(other);
        other.fill(0, 100, 6);
        other.post(() -> other.ep.send(other.at(0), 100, other.region, dest, 5));
        gets(1, 200_000, 100, 6, false);
        a.ep.close();
        b.until(() -> {
            b.passTime();
            return !b.done.isEmpty();
        });
        assertThat(b.next()).extracting(Done::context, Done::length, Done::errno, Done::released)
            .containsExactly(1L, 0L, 0, true);
        assertClean(2);
    }

    private void assertClean() {
        assertClean(16);
    }

    private void assertClean(final int receives) {
        final RdmReceiveContext context = ((RdmEndpoint) b.ep).resources().contexts()[0];
        b.take();
        assertThat(b.done).isEmpty();
        assertThat(context.matcher().claimed()).isZero();
        assertThat(context.room().left()).isEqualTo(receives);
        assertThat(context.matcher().partRoom().left()).isEqualTo(receives);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void messagesAtRandomGoWhereAModelSays(final long seed) {
        open("");
        final Random random = new Random(seed);
        final Deque<int[]> sent = new ArrayDeque<>();
        int posted = 0;
        int at = 0;
        for (int i = 0; i < 300; i++) {
            if (random.nextInt(3) > 0) {
                final int length = random.nextInt(300);
                final int number = i;
                a.fill(0, length, number);
                if (a.ep.send(a.at(0), length, a.region, toB, number) == 0) {
                    sent.add(new int[] {length, number});
                    assertThat(a.next().context()).isEqualTo(number);
                }
            } else if (posted - released < 3) {
                final int length = LEAST + random.nextInt(800);
                final int from = at;
                final int code = random.nextInt(4) == 0 ? b.ep.receive(b.at(from), length, b.region, ANY, ++posted)
                    : receiveMany(from, length, ++posted);
                if (code == 0) {
                    at = (at + 1_000) % 200_000;
                    buffers.add(new int[] {posted, from, length, 0});
                } else {
                    assertThat(code).isEqualTo(-FiErrno.FI_EAGAIN);
                    posted--;
                }
            }
            b.progress();
            check(sent);
        }
        assertThat(released).isGreaterThan(10);
    }

    private final Deque<int[]> buffers = new ArrayDeque<>();
    private int released;

    /** Each message lies at the end of what the oldest buffer has. */
    private void check(final Deque<int[]> sent) {
        for (Done done = b.done.poll(); done != null; done = b.done.poll()) {
            final int[] message = sent.poll();
            final int[] buffer = buffers.peek();
            assertThat(message).as("%s, which nobody sent", done).isNotNull();
            assertThat(done.context()).as("%s", done).isEqualTo(buffer[0]);
            final int room = buffer[2] - buffer[3];
            final int at = buffer[1] + buffer[3];
            final boolean isSingle = done.buffer() == 0;
            assertThat(isSingle || done.buffer() == b.at(at)).as("%s at %d", done, b.at(at)).isTrue();
            assertThat(done.errno()).isEqualTo(message[0] > room ? FiErrno.FI_ETRUNC : 0);
            assertThat(done.length()).as("%s", done).isEqualTo(Math.min(room, message[0]));
            b.expect(at, Math.min(room, message[0]), message[1]);
            buffer[3] += Math.min(room, message[0]);
            final boolean isOver = isSingle || buffer[2] - buffer[3] < LEAST;
            assertThat(done.released()).as("%s", done).isEqualTo(isOver && !isSingle);
            if (isOver) {
                buffers.remove();
                released++;
            }
        }
    }

    @Test
    void onlyOneBufferWithRoomCanBeGiven() {
        open("");
        assertThat(receiveMany(0, LEAST - 1, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(b.ep.receiveMessage(new Message(2), OpFlags.MULTI_RECV)).isEqualTo(-FiErrno.FI_EINVAL);
        final Message two = new Message(2).add(b.at(0), 500, b.region).add(b.at(500), 500, b.region);
        assertThat(b.ep.receiveMessage(two, OpFlags.MULTI_RECV)).isEqualTo(-FiErrno.FI_EINVAL);
        final Message one = new Message(1).add(b.at(0), 500, b.region);
        assertThat(b.ep.tagged().receiveMessage(one, OpFlags.MULTI_RECV)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(b.ep.sendMessage(one, OpFlags.MULTI_RECV)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        b.ep.close();
        assertThat(receiveMany(0, LEAST, 1)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThatThrownBy(() -> a.domain.openAddressedEndpoint(
            World.options().addressVector(a.av).completionQueue(a.cq).leastMultiReceive(0)))
            .isInstanceOf(FabricException.class).hasMessageContaining("least room");
    }

    @Test
    void withoutTheCapabilityThereIsNone() {
        b = world.rank(world.device(""), World.hints(world.device("")).capabilities(Capability.MSG), World.options(),
            new AvAttributes());
        assertThat(receiveMany(0, 500, 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
    }
}
