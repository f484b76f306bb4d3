/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.NamedElsewhere;
import io.rdma4j.testing.CutOffFile;
import io.rdma4j.verbs.RdmaContext;

import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages between endpoints. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmMessagesTest {
    @RegisterExtension
    final World world = new World();

    @ParameterizedTest
    @ValueSource(strings = {"", World.QEMU})
    void aMessageArrives(final String device) {
        final Rank[] both = world.pair(device);
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final long toA = b.knows(a);
        b.bytes.setMemory(0, 100, (byte) 0);
        a.bytes.setMemory(1000, 64, (byte) 7);
        b.post(() -> b.ep.receive(b.at(0), 100, b.region, FiAddr.UNSPEC, 5));
        assertThat(a.succeeds(() -> a.ep.send(a.at(1000), 64, a.region, toB, 9)))
            .isEqualTo(new Done(a.ep, OperationKind.SEND, 9, 64, false, 0, FiAddr.NOTAVAIL, 0, 0, 0, "", 0, false));
        assertThat(b.next())
            .isEqualTo(new Done(b.ep, OperationKind.RECEIVE, 5, 64, false, 0, toA, 0, 0, 0, "", 0, false));
        assertThat(b.bytes.getByte(63)).isEqualTo((byte) 7);
        assertThat(b.bytes.getByte(64)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", World.QEMU})
    void lengthsOnBothSidesOfAllLimits(final String device) {
        final Rank[] both = world.pair(device);
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final int[] lengths =
            {0, 1, 63, 64, 127, 128, 129, 255, 4063, 4064, 4095, 4096, 4097, 8192, 12_289, 70_000, 100_000};
        final long most = a.domain.info().endpointAttributes().maxMessageSize();
        for (int i = 0; i < lengths.length; i++) {
            final int length = (int) Math.min(most, lengths[i]);
            final int seed = i;
            final boolean early = i % 2 == 0;
            a.fill(0, length, i);
            if (early) {
                b.post(() -> b.ep.receive(b.at(0), 100_000, b.region, FiAddr.UNSPEC, seed));
            }
            a.post(() -> a.ep.send(a.at(0), length, a.region, toB, seed));
            if (!early) {
                for (int n = 0; n < 50; n++) {
                    a.progress();
                }
                b.post(() -> b.ep.receive(b.at(0), 100_000, b.region, FiAddr.UNSPEC, seed));
            }
            final Done got = b.next();
            assertThat(got.context()).isEqualTo(i);
            assertThat(got.length()).isEqualTo(length);
            assertThat(got.source()).as("a is not in b's vector").isEqualTo(FiAddr.NOTAVAIL);
            b.expect(0, length, i);
            assertThat(a.next().length()).isEqualTo(length);
        }
    }

    @Test
    void dataTravelsBesideIt() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        b.post(() -> b.ep.receive(b.at(0), 100, b.region, FiAddr.UNSPEC, 1));
        b.post(() -> b.ep.receive(b.at(0), 100, b.region, FiAddr.UNSPEC, 2));
        b.post(() -> b.ep.receive(b.at(0), 100, b.region, FiAddr.UNSPEC, 3));
        a.succeeds(() -> a.ep.sendWithData(a.at(0), 64, a.region, -5, toB, 1));
        a.post(() -> a.ep.injectWithData(new UnsafeBuffer(new byte[20]), 4, 16, 77, toB));
        a.post(() -> a.ep.inject(new UnsafeBuffer(new byte[20]), 4, 0, toB));
        assertThat(b.next().data()).isEqualTo(-5);
        final Done injected = b.next();
        assertThat(injected.data()).isEqualTo(77);
        assertThat(injected.length()).isEqualTo(16);
        assertThat(b.next().hasData()).isFalse();
        assertThat(a.done).as("what is injected does not complete").isEmpty();
    }

    @Test
    void anInjectedMessageMayBeTheFirst() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[8]);
        heap.putLong(0, 0x1234);
        a.post(() -> a.ep.inject(heap, 0, 8, toB));
        heap.putLong(0, 0);
        b.post(() -> b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 1));
        assertThat(b.next().length()).isEqualTo(8);
        assertThat(b.bytes.getLong(0)).isEqualTo(0x1234);
    }

    @Test
    void aMessageThatIsTooLongIsCutAtTheReceiver() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        b.bytes.setMemory(0, 20_000, (byte) 0x55);
        a.fill(0, 10_000, 3);
        b.post(() -> b.ep.receive(b.at(0), 5_000, b.region, FiAddr.UNSPEC, 1));
        a.succeeds(() -> a.ep.send(a.at(0), 10_000, a.region, toB, 1));
        final Done got = b.next();
        assertThat(got.errno()).isEqualTo(FiErrno.FI_ETRUNC);
        assertThat(got.length()).isEqualTo(5_000);
        assertThat(got.overflow()).isEqualTo(5_000);
        b.expect(0, 5_000, 3);
        assertThat(b.bytes.getByte(5_000)).isEqualTo((byte) 0x55);
        b.post(() -> b.ep.receive(b.at(0), 10_000, b.region, FiAddr.UNSPEC, 2));
        a.succeeds(() -> a.ep.send(a.at(0), 10_000, a.region, toB, 2));
        assertThat(b.next().errno()).as("the next one is not hurt").isZero();
    }

    @Test
    void buffersAreGatheredAndScattered() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        for (final int part : new int[] {10, 100, 3_000}) {
            a.fill(0, 3 * part, part);
            b.bytes.setMemory(0, 3 * part + 3, (byte) 0);
            final Message into = new Message(4).add(b.at(0), part / 2, b.region).add(b.at(part / 2), 0, b.region)
                .add(b.at(part / 2), 3 * part, b.region).context(part);
            b.post(() -> b.ep.receiveMessage(into, 0));
            final Message from = new Message(4).add(a.at(0), part, a.region).add(a.at(part), part, a.region)
                .add(a.at(2 * part), part, a.region).peer(toB).context(part).data(part);
            a.succeeds(() -> a.ep.sendMessage(from, OpFlags.REMOTE_CQ_DATA));
            final Done got = b.next();
            assertThat(got).isEqualTo(
                new Done(b.ep, OperationKind.RECEIVE, part, 3 * part, true, part, FiAddr.NOTAVAIL, 0, 0, 0, "", 0,
                    false));
            b.expect(0, 3 * part, part);
        }
    }

    @Test
    void aDirectedReceiveTakesFromItsPeerOnly() {
        final Rank a = world.rank(world.device(""), World.options());
        final Rank b = world.rank(world.device(""), World.options());
        final Rank c = world.rank(world.device(""), World.options());
        world.acquainted(a, b, c);
        final long fromA = c.knows(a);
        final long fromB = c.knows(b);
        final long toC = a.knows(c);
        final long bToC = b.knows(c);
        c.post(() -> c.ep.receive(c.at(0), 64, c.region, fromB, 1));
        c.post(() -> c.ep.receive(c.at(64), 64, c.region, fromA, 2));
        c.post(() -> c.ep.receive(c.at(128), 64, c.region, FiAddr.UNSPEC, 3));
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toC, 1));
        final Done first = c.next();
        assertThat(first.context()).isEqualTo(2);
        assertThat(first.source()).isEqualTo(fromA);
        a.succeeds(() -> a.ep.send(a.at(0), 9, a.region, toC, 1));
        assertThat(c.next().context()).isEqualTo(3);
        a.succeeds(() -> a.ep.send(a.at(0), 10, a.region, toC, 1));
        b.succeeds(() -> b.ep.send(b.at(0), 11, b.region, bToC, 1));
        final Done second = c.next();
        assertThat(second.context()).isEqualTo(1);
        assertThat(second.source()).isEqualTo(fromB);
        c.post(() -> c.ep.receive(c.at(0), 64, c.region, fromA, 4));
        assertThat(c.next().length()).isEqualTo(10);
    }

    @Test
    void aSlowReceiverStopsItsSenderAndNobodyElse() {
        final Rank a = world.rank(world.device(""), World.options());
        final Rank slow = world.rank(world.device(""), World.options().window(4, 256));
        final Rank other = world.rank(world.device(""), World.options());
        world.acquainted(a, slow, other);
        final long toSlow = a.knows(slow);
        final long toOther = a.knows(other);
        int sent = 0;
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toSlow, 0));
        sent++;
        for (int i = 0; i < 10_000; i++) {
            a.bytes.putLong(0, sent);
            if (a.ep.send(a.at(0), 8, a.region, toSlow, sent) == 0) {
                a.next();
                sent++;
            }
            a.progress();
        }
        assertThat(sent).as("the smaller window").isEqualTo(4);
        for (int i = 0; i < 100; i++) {
            other.post(() -> other.ep.receive(other.at(0), 8, other.region, FiAddr.UNSPEC, 0));
            a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toOther, 0));
            other.next();
        }
        for (int i = 0; i < sent; i++) {
            final int n = i;
            slow.post(() -> slow.ep.receive(slow.at(0), 8, slow.region, FiAddr.UNSPEC, n));
            assertThat(slow.next().context()).isEqualTo(i);
        }
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toSlow, 0));
    }

    @Test
    void receivesCanBeTakenBack() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        assertThat(b.ep.cancel(1)).isEqualTo(-FiErrno.FI_ENOENT);
        b.post(() -> b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 1));
        b.post(() -> b.ep.receive(b.at(8), 8, b.region, FiAddr.UNSPEC, 2));
        b.post(() -> b.ep.receive(b.at(16), 8, b.region, FiAddr.UNSPEC, 1));
        assertThat(b.ep.cancel(1)).isZero();
        final Done canceled = b.next();
        assertThat(canceled.errno()).isEqualTo(FiErrno.FI_ECANCELED);
        assertThat(canceled.context()).isEqualTo(1);
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toB, 0));
        assertThat(b.next().context()).isEqualTo(2);
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toB, 0));
        assertThat(b.next().context()).isEqualTo(1);
        assertThat(b.ep.cancel(1)).isEqualTo(-FiErrno.FI_ENOENT);
    }

    @Test
    void selectiveCompletionReportsWhatItIsAskedFor() {
        final Rank[] both = world.pair(world.device(""), world.device(""),
            World.options().selectiveCompletion(true), World.options());
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final Message message = new Message(1).add(a.at(0), 8, a.region).peer(toB).context(7);
        for (int i = 0; i < 40; i++) {
            b.post(() -> b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 0));
            a.post(() -> a.ep.send(a.at(0), 8, a.region, toB, 1));
            assertThat(b.next().errno()).isZero();
        }
        b.post(() -> b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 0));
        assertThat(a.succeeds(() -> a.ep.sendMessage(message, OpFlags.COMPLETION)).context()).isEqualTo(7);
        assertThat(a.done).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", World.QEMU})
    void anEndpointTalksToItself(final String device) {
        final Rank a = world.rank(world.device(device), World.options());
        final long self = a.knows(a);
        final long most = a.domain.info().endpointAttributes().maxMessageSize();
        for (int i = 0; i < 100 && 100 * i <= most; i++) {
            final int n = i;
            a.fill(0, 100 * i, i);
            a.post(() -> a.ep.receive(a.at(100_000), 100 * n, a.region, FiAddr.UNSPEC, 1000 + n));
            a.post(() -> a.ep.send(a.at(0), 100 * n, a.region, self, n));
            final Done one = a.next();
            final Done other = a.next();
            assertThat(one.context() + other.context()).isEqualTo(1000 + 2 * i);
            assertThat((one.kind() == OperationKind.RECEIVE ? one : other).source()).isEqualTo(self);
            a.expect(100_000, 100 * i, i);
        }
    }

    @Test
    void contextsHaveReceivesAndQueuesOfTheirOwn() {
        final RdmaContext device = world.device("");
        final AvAttributes vector = new AvAttributes().rxCtxBits(2);
        final Rank a = world.rank(device, World.hints(device), World.options(), vector);
        final Rank b = contexts(device, vector);
        world.acquainted(a, b);
        final long toB = a.knows(b);
        assertThat(b.ep.receiveContext(2).index()).isEqualTo(2);
        final CompletionQueue third = b.ep.receiveContext(2).completionQueue();
        assertThat(third).isNotSameAs(b.cq);
        a.succeeds(() -> a.ep.send(a.at(0), 2, a.region, FiAddr.rxAddr(toB, 2, 2), 0));
        a.succeeds(() -> a.ep.send(a.at(0), 1, a.region, FiAddr.rxAddr(toB, 1, 2), 0));
        a.succeeds(() -> a.ep.send(a.at(0), 3, a.region, toB, 0));
        b.post(() -> b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 10));
        assertThat(b.next().length()).isEqualTo(3);
        b.post(() -> b.ep.receiveContext(2).receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 12));
        final long[] got = {-1, -1};
        b.until(() -> third.read(entry -> {
            got[0] = entry.context();
            got[1] = entry.length();
        }, 1) == 1);
        assertThat(got).containsExactly(12, 2);
        b.post(() -> b.ep.receiveContext(1).receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 11));
        assertThat(b.next().context()).as("the second one shares the queue of the first").isEqualTo(11);
        final Message apart = new Message(2).add(b.at(0), 2, b.region).add(b.at(64), 6, b.region)
            .peer(FiAddr.UNSPEC).context(13);
        b.post(() -> b.ep.receiveContext(1).receiveMessage(apart, 0));
        a.bytes.putLong(0, 0x0706050403020100L);
        a.succeeds(() -> a.ep.send(a.at(0), 5, a.region, FiAddr.rxAddr(toB, 1, 2), 0));
        assertThat(b.next().context()).isEqualTo(13);
        assertThat(b.bytes.getShort(0)).isEqualTo((short) 0x0100);
        assertThat(b.bytes.getShort(64)).isEqualTo((short) 0x0302);
        final Message many = new Message(1).add(b.at(0), 1024, b.region).peer(FiAddr.UNSPEC).context(14);
        b.post(() -> b.ep.receiveContext(1).receiveMessage(many, OpFlags.MULTI_RECV));
        for (int i = 0; i < 2; i++) {
            a.succeeds(() -> a.ep.send(a.at(0), 5, a.region, FiAddr.rxAddr(toB, 1, 2), 0));
            assertThat(b.next().buffer()).as("message %d", i).isEqualTo(b.at(5 * i));
        }
        assertThat(a.ep.send(a.at(0), 3, a.region, FiAddr.rxAddr(toB, 3, 2), 0))
            .as("a context that the peer does not have").isEqualTo(-FiErrno.FI_EINVAL);
        final Rank c = contexts(device, vector);
        a.others.add(c);
        final long toC = a.knows(c);
        a.fails(FiErrno.FI_EINVAL, () -> a.ep.send(a.at(0), 3, a.region, FiAddr.rxAddr(toC, 3, 2), 0));
    }

    /** A rank with three contexts, of which two share its queue. */
    private Rank contexts(final RdmaContext device, final AvAttributes vector) {
        final Rank[] made = new Rank[1];
        final EndpointOptions options = World.options();
        made[0] = world.rank(device, World.hints(device), options, vector, (rank, own) -> {
            final CompletionQueue another = rank.keep(rank.domain.openCompletionQueue(16));
            own.receiveContexts(rank.cq, rank.cq, another);
        });
        return made[0];
    }

    @Test
    void transmitAndReceiveQueuesMayDiffer() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final RdmaContext device = world.device("");
        final CompletionQueue[] queues = new CompletionQueue[2];
        final Rank c = world.rank(device, World.hints(device), World.options(), new AvAttributes(), (rank, own) -> {
            queues[0] = rank.keep(rank.domain.openCompletionQueue(16));
            queues[1] = rank.keep(rank.domain.openCompletionQueue(16));
            own.completionQueues(queues[0], queues[1]);
        });
        world.acquainted(c, a, b);
        final long toC = a.knows(c);
        final long toA = c.knows(a);
        c.post(() -> c.ep.receive(c.at(0), 64, c.region, FiAddr.UNSPEC, 3));
        a.post(() -> a.ep.receive(a.at(0), 64, a.region, FiAddr.UNSPEC, 4));
        a.post(() -> a.ep.send(a.at(64), 64, a.region, toC, 5));
        final long[] got = new long[2];
        a.until(() -> queues[1].read(entry -> got[1] = entry.context(), 1) == 1);
        assertThat(c.ep.send(c.at(64), 64, c.region, toA, 6)).isZero();
        a.until(() -> queues[0].read(entry -> got[0] = entry.context(), 1) == 1);
        assertThat(got).containsExactly(6, 3);
        a.until(() -> a.done.size() == 2);
    }

    /** Before there is a connection the message waits as a copy, afterwards it goes at once. */
    @Test
    void aMappedFileThatWasCutOffIsNotInjected() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        try (CutOffFile file = new CutOffFile(128)) {
            final UnsafeBuffer from = new UnsafeBuffer(file.bytes());
            for (int round = 0; round < 2; round++) {
                file.cutOff();
                for (int i = 0; i < 20_000; i++) {
                    assertThat(a.ep.inject(from, 0, 128, toB)).isEqualTo(-FiErrno.FI_EFAULT);
                    assertThat(a.ep.injectWithData(from, 0, 128, 1, toB)).isEqualTo(-FiErrno.FI_EFAULT);
                }
                file.growAgain();
                from.putByte(7, (byte) (8 + round));
                b.post(() -> b.ep.receive(b.at(0), 128, b.region, FiAddr.UNSPEC, 1));
                a.post(() -> a.ep.inject(from, 0, 128, toB));
                assertThat(b.next().length()).isEqualTo(128);
                assertThat(b.bytes.getByte(7)).isEqualTo((byte) (8 + round));
            }
        }
    }

    /** Where regions are on demand, memory may come later: a copy of what is not there is an error and no signal. */
    @Test
    void memoryThatIsNotThereIsAnErrorOfWhatUsesIt() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final long hole = 4096;
        final MemoryRegion nowhere = a.domain.register(
            new MrAttributes().buffer(hole, 4096).access(MrAccess.SEND, MrAccess.RECV));
        final MemoryRegion nowhereThere = b.domain.register(
            new MrAttributes().buffer(hole, 4096).access(MrAccess.SEND, MrAccess.RECV));
        for (int round = 0; round < 2; round++) {
            if (round == 0) {
                // It waits for the connection, and is copied then.
                a.fails(FiErrno.FI_EFAULT, () -> a.ep.send(hole, 64, nowhere, toB, 1));
            } else {
                assertThat(a.ep.send(hole, 64, nowhere, toB, 1)).isEqualTo(-FiErrno.FI_EFAULT);
            }
            assertThat(a.ep.sendMessage(new Message(1).add(hole, 64, nowhere).peer(toB), OpFlags.INJECT))
                .isEqualTo(-FiErrno.FI_EFAULT);
            b.post(() -> b.ep.receive(hole, 64, nowhereThere, FiAddr.UNSPEC, 2));
            b.post(() -> b.ep.receive(b.at(0), 64, b.region, FiAddr.UNSPEC, 3));
            a.succeeds(() -> a.ep.send(a.at(0), 64, a.region, toB, 4));
            assertThat(FiErrno.name(b.next().errno())).isEqualTo("FI_EFAULT");
            a.succeeds(() -> a.ep.send(a.at(0), 64, a.region, toB, 5));
            assertThat(b.next().errno()).isZero();
        }
        nowhere.close();
        nowhereThere.close();
    }

    /** fi_mr: what a dma-buf's base address names need not be mapped in this process. */
    @ParameterizedTest
    @ValueSource(ints = {8, 3000, 20_000})
    void memoryIsCopiedWhereThisProcessHasIt(final int length) {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        try (NamedElsewhere from = new NamedElsewhere(a, a.region);
            NamedElsewhere to = new NamedElsewhere(b, b.region)) {
            for (int round = 0; round < 3; round++) {
                final int seed = round;
                a.fill(0, length, seed);
                if (round == 0) {
                    b.post(() -> b.ep.receive(to.at(64), length, to.region, FiAddr.UNSPEC, 1));
                } else {
                    b.post(() -> b.ep.receiveMessage(new Message(2).add(to.at(64), 5, to.region)
                        .add(to.at(69), length - 5, to.region).peer(FiAddr.UNSPEC), 0));
                }
                // The first one waits for the connection, the others are copied, or begun, at once.
                if (round < 2) {
                    a.succeeds(() -> a.ep.send(from.at(0), length, from.region, toB, 1));
                } else {
                    a.succeeds(() -> a.ep.sendMessage(new Message(2).add(from.at(0), 3, from.region)
                        .add(from.at(3), length - 3, from.region).peer(toB), OpFlags.COMPLETION));
                }
                assertThat(b.next().length()).isEqualTo(length);
                b.expect(64, length, seed);
            }
            a.fill(0, 64, 9);
            b.post(() -> b.ep.receive(to.at(64), 64, to.region, FiAddr.UNSPEC, 1));
            a.post(() -> a.ep.sendMessage(new Message(1).add(from.at(0), 64, from.region).peer(toB), OpFlags.INJECT));
            a.fill(0, 64, 10);
            assertThat(b.next().length()).isEqualTo(64);
            b.expect(64, 64, 9);
            assertThat(to.isUntouched()).isTrue();
        }
    }
}
