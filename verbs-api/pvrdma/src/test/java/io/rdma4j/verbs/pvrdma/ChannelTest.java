/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

class ChannelTest {
    private static final Duration LONG = Patience.duration();
    private static final Duration SHORT = Duration.ofMillis(30);

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    /** The sender's end of a connection to a receiver whose CQ is in a channel. */
    private record Line(Peer from, Peer to) {
        void send() {
            assertThat(to.qp.postReceive(1, to.at(0), 8, to.lkey())).isZero();
            assertThat(from.qp.postSend(1, from.at(0), 8, from.lkey())).isZero();
            Completions.awaitSuccess(from.cq);
        }

        CompletionQueue cq() {
            return to.cq;
        }

        Line arm() {
            assertThat(to.cq.requestNotify(false)).isZero();
            return this;
        }
    }

    private Line line(final PvrdmaContext receiver, final CompletionChannel channel) {
        final Peer from = Peer.rc(devices.open());
        final Peer to = new Peer(receiver, receiver.allocatePd(), receiver.createCq(512, channel), new QpOptions());
        from.connect(to);
        return new Line(from, to);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "vectors=1", "vectors=0", Devices.QEMU})
    void namesTheQueueThatHasAnEvent(final String options) {
        final PvrdmaContext device = devices.open(options);
        final CompletionChannel channel = device.createChannel();
        final Line first = line(device, channel);
        final Line second = line(device, channel).arm();
        assertThat(channel.context()).isSameAs(device);
        assertThat(first.cq().channel()).isSameAs(channel);
        assertThat(first.from.cq.channel()).isNull();
        assertThat(channel.await(SHORT)).as("nothing came").isNull();

        second.send();
        assertThat(channel.await(LONG)).isSameAs(second.cq());
        assertThat(channel.await(SHORT)).as("one event for one request").isNull();
        Completions.awaitSuccess(second.cq());
        first.send();
        assertThat(channel.await(SHORT)).as("not asked for").isNull();
        Completions.awaitSuccess(first.cq());

        first.arm().send();
        assertThat(channel.await(LONG)).isSameAs(first.cq());
    }

    @Test
    void keepsTheOrderOfEventsAndMakesOneOfSeveral() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final Line first = line(device, channel);
        final Line second = line(device, channel);
        final Line third = line(device, channel);
        second.arm().send();
        first.arm().send();
        second.arm().send();
        third.arm().send();
        assertThat(channel.await(Duration.ZERO)).isSameAs(second.cq());
        assertThat(channel.await(Duration.ZERO)).isSameAs(first.cq());
        assertThat(channel.await(Duration.ofSeconds(-1))).isSameAs(third.cq());
        assertThat(channel.await(Duration.ZERO)).isNull();
    }

    @Test
    void sharesAnEventWithTheWaitOfTheQueueItself() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final Line first = line(device, channel);
        final Line second = line(device, channel);
        for (int i = 0; i < 3; i++) {
            first.arm().send();
            second.arm().send();
            assertThat(first.cq().awaitEvent(LONG)).isTrue();
            assertThat(channel.await(LONG)).isSameAs(second.cq());
            assertThat(channel.await(Duration.ZERO)).isNull();
            assertThat(second.cq().awaitEvent(Duration.ZERO)).isFalse();
        }
    }

    @Test
    void tellsOfSolicitedCompletionsOnly() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final Line line = line(device, channel);
        line.cq().requestNotify(true);
        line.send();
        assertThat(channel.await(SHORT)).isNull();
        line.to.qp.postReceive(2, line.to.at(0), 8, line.to.lkey());
        line.from.qp.postSend(new SendRequest().flags(SendRequest.SIGNALED | SendRequest.SOLICITED)
            .sge(line.from.at(0), 8, line.from.lkey()));
        assertThat(channel.await(LONG)).isSameAs(line.cq());
    }

    @Test
    void tellsOfCompletionsThatTheDriverMakes() {
        final PvrdmaContext device = devices.open(Devices.QEMU);
        final CompletionChannel channel = device.createChannel();
        final Line line = line(device, channel).arm();
        line.to.qp.postReceive(2, line.to.at(0), 8, line.to.lkey());
        crew.start(() -> {
            Thread.sleep(5);
            line.to.qp.modify(new QpAttributes().state(QpState.ERR));
        });
        assertThat(channel.await(LONG)).isSameAs(line.cq());
        Completions.await(line.cq(), 1);
    }

    @Test
    void dropsTheEventOfAQueueThatIsClosed() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final Line first = line(device, channel).arm();
        final Line second = line(device, channel).arm();
        first.send();
        second.send();
        assertThat(second.cq().awaitEvent(LONG)).as("both are known now").isTrue();
        first.to.qp.close();
        first.cq().close();
        assertThat(channel.await(SHORT)).isNull();
        assertClosed(() -> first.cq().awaitEvent(SHORT), "closed");
        second.arm().send();
        assertThat(channel.await(LONG)).isSameAs(second.cq());
    }

    @Test
    void aQueueThatIsClosedEndsOneWaitIfItWasAskedForAnEvent() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final Line line = line(device, channel);
        final Line other = line(device, device.createChannel());
        device.createCq(4, channel).close();
        assertWaits(() -> channel.await(SHORT) == null);
        for (int i = 0; i < 2; i++) {
            final CompletionQueue asked = device.createCq(4, channel);
            asked.requestNotify(false);
            asked.close();
        }
        assertWaits(() -> !line.cq().awaitEvent(SHORT));
        line.arm().send();
        other.arm().send();
        assertThat(other.cq().awaitEvent(LONG)).as("both are known now").isTrue();
        assertThat(channel.await(LONG)).as("events come first").isSameAs(line.cq());
        final long start = System.nanoTime();
        assertThat(channel.await(LONG)).as("closed meanwhile").isNull();
        assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
        assertWaits(() -> channel.await(SHORT) == null);
    }

    private static void assertWaits(final BooleanSupplier wait) {
        final long start = System.nanoTime();
        assertThat(wait.getAsBoolean()).as("without an event").isTrue();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
    }

    @Test
    void staysWhileQueuesUseIt() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final CompletionQueue first = device.createCq(4, channel);
        final CompletionQueue second = device.createCq(4, channel);
        assertBusy(channel::close, "channel 0", first.toString(), second.toString());
        assertThat(channel.isClosed()).isFalse();
        first.close();
        assertBusy(channel::close, second.toString());
        second.close();
        channel.close();
        channel.close();
        assertThat(channel.isClosed()).isTrue();
        assertClosed(() -> channel.await(LONG), "channel 0 is closed");
        assertClosed(() -> device.createCq(4, channel), "channel 0 is closed");
        channel.wakeUp();
        assertThat(device.cqs.size()).isZero();
    }

    @Test
    void belongsToOneDevice() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = devices.open().createChannel();
        assertInvalid(() -> device.createCq(4, channel), "channel 0", "another device");
        assertInvalid(() -> device.createCq(4, null), "null");
        assertInvalid(() -> device.createCq(0, device.createChannel()), "cqe is 0");
        assertInvalid(() -> channel.await(null), "null");
        assertThat(device.cqs.size()).isZero();
    }

    @Test
    void endsAWaitAtItsDeadline() {
        final CompletionChannel channel = devices.open().createChannel();
        for (final int millis : new int[] {0, 1, 7, 45}) {
            final long start = System.nanoTime();
            assertThat(channel.await(Duration.ofMillis(millis))).isNull();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    @Test
    void endsTheWaitsOfAllWhenTheDeviceFails() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        waitInManyWays(device, "made to");
        device.device.fail("made to");
        crew.join();
        assertClosed(() -> device.createChannel(), "made to");
    }

    @Test
    void endsTheWaitsOfAllWhenTheDeviceIsClosed() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        waitInManyWays(device, "closed");
        device.close();
        crew.join();
        assertClosed(() -> device.createChannel(), "closed");
    }

    /** On two channels and on a queue; one of the threads listens to the device, the others do not. */
    private void waitInManyWays(final PvrdmaContext device, final String reason) {
        final CompletionChannel first = device.createChannel();
        final CompletionChannel second = device.createChannel();
        final CompletionQueue cq = device.createCq(4, second);
        final List<Thread> threads = List.of(
            crew.start(() -> assertClosed(() -> first.await(LONG), reason)),
            crew.start(() -> assertClosed(() -> second.await(LONG), reason)),
            crew.start(() -> assertClosed(() -> second.await(Duration.ofDays(1)), reason)),
            crew.start(() -> assertClosed(() -> cq.awaitEvent(LONG), reason)));
        threads.forEach(Crew::awaitSleep);
    }

    @Test
    void endsTheWaitsOnAChannelThatIsClosed() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final CompletionChannel other = device.createChannel();
        final Thread leader = crew.start(() -> assertThat(other.await(LONG)).isNull());
        Crew.awaitSleep(leader);
        final Thread follower = crew.start(() -> assertClosed(() -> channel.await(LONG), "closed"));
        Crew.awaitSleep(follower);
        channel.close();
        other.wakeUp();
        crew.join();
    }

    @Test
    void endsOneWaitPerWakeUp() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final CompletionQueue cq = device.createCq(4, channel);
        channel.wakeUp();
        channel.wakeUp();
        final long start = System.nanoTime();
        assertThat(channel.await(LONG)).as("several before are one").isNull();
        channel.wakeUp();
        assertThat(cq.awaitEvent(LONG)).isFalse();
        assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
        assertThat(channel.await(SHORT)).isNull();
        assertThat(System.nanoTime() - start).as("none is left").isGreaterThan(SHORT.toNanos());

        final List<CompletionQueue> results = Collections.synchronizedList(new ArrayList<>());
        final Thread leader = crew.start(() -> results.add(channel.await(LONG)));
        Crew.awaitSleep(leader);
        final Thread follower = crew.start(() -> results.add(channel.await(LONG)));
        Crew.awaitSleep(follower);
        channel.wakeUp();
        Crew.await("first wake-up", () -> results.size() == 1);
        channel.wakeUp();
        crew.join();
        assertThat(results).containsExactly(null, null);
        assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
    }

    @Test
    void endsAWaitWhenTheThreadIsInterrupted() throws InterruptedException {
        final CompletionChannel channel = devices.open().createChannel();
        final long start = System.nanoTime();
        for (int i = 0; i < 2; i++) {
            final Thread thread = crew.start(() -> {
                assertThat(channel.await(LONG)).isNull();
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
            });
            Crew.awaitSleep(thread);
            thread.interrupt();
        }
        crew.join();
        assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
    }

    /** Whoever listens to the device leaves while another one waits: with an event, woken up, interrupted. */
    @Test
    void handsListeningOverWhenAThreadLeaves() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final CompletionChannel first = device.createChannel();
        final CompletionChannel second = device.createChannel();
        final Line toFirst = line(device, first);
        final Line toSecond = line(device, second);
        final List<Crew.Task> leavers = List.of(
            () -> assertThat(first.await(LONG)).isSameAs(toFirst.cq()),
            () -> assertThat(first.await(LONG)).as("woken up").isNull(),
            () -> assertThat(first.await(LONG)).as("interrupted").isNull());
        for (final Crew.Task leaver : leavers) {
            toFirst.arm();
            toSecond.arm();
            final Thread leader = crew.start(leaver);
            Crew.awaitSleep(leader);
            final Thread follower = crew.start(() -> assertThat(second.await(LONG)).isSameAs(toSecond.cq()));
            Crew.awaitSleep(follower);
            if (leaver == leavers.get(0)) {
                toFirst.send();
            } else if (leaver == leavers.get(1)) {
                first.wakeUp();
            } else {
                leader.interrupt();
            }
            leader.join(LONG.toMillis());
            assertThat(leader.isAlive()).as("it left").isFalse();
            toSecond.send();
            crew.join();
        }
    }

    @Test
    void servesAClosedConnectionToo() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final Line line = line(device, channel).arm();
        final QueuePair qp = line.to.qp;
        line.send();
        qp.close();
        assertThat(channel.await(LONG)).as("its completion went, its event may stay").isSameAs(line.cq());
        Completions.assertNone(line.cq());
    }
}
