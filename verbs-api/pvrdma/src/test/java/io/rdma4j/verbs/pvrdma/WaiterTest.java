/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class WaiterTest {
    private static final Duration LONG = Patience.duration();
    private static final Duration SHORT = Duration.ofMillis(30);
    private static final int POLLS_WITHOUT_A_LOOK = 1_000;

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    private enum Way {
        SPINNING {
            @Override
            CompletionWaiter over(final CompletionQueue... cqs) {
                return CompletionWaiter.spinning(cqs);
            }
        },
        YIELDING {
            @Override
            CompletionWaiter over(final CompletionQueue... cqs) {
                return CompletionWaiter.yielding(cqs);
            }
        },
        BACKING_OFF {
            @Override
            CompletionWaiter over(final CompletionQueue... cqs) {
                return CompletionWaiter.backingOff(cqs);
            }
        },
        IDLING {
            @Override
            CompletionWaiter over(final CompletionQueue... cqs) {
                return CompletionWaiter.idling(new SleepingMillisIdleStrategy(1), cqs);
            }
        },
        BLOCKING {
            @Override
            CompletionWaiter over(final CompletionQueue... cqs) {
                return CompletionWaiter.blocking(cqs);
            }
        };

        abstract CompletionWaiter over(CompletionQueue... cqs);

        boolean sleeps() {
            return this != SPINNING && this != YIELDING;
        }

        /** Starts a thread that waits, and returns when it does: it has polled in vain, and sleeps if it ever does. */
        void startWaiting(final Crew crew, final int expected, final CompletionQueue... cqs)
            throws InterruptedException {
            final CountDownLatch polls = new CountDownLatch(cqs.length + 1);
            final CompletionQueue[] watched =
                Arrays.stream(cqs).map(cq -> polled(cq, polls::countDown)).toArray(CompletionQueue[]::new);
            final Thread thread = crew.start(() -> assertThat(over(watched).await(c -> { }, 1,
                Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(expected));
            assertThat(polls.await(LONG.toSeconds(), TimeUnit.SECONDS)).as("polls").isTrue();
            if (sleeps()) {
                Crew.awaitSleep(thread);
            }
        }
    }

    private static CompletionQueue polled(final CompletionQueue cq, final Runnable onPoll) {
        return (CompletionQueue) Proxy.newProxyInstance(CompletionQueue.class.getClassLoader(),
            new Class<?>[] {CompletionQueue.class}, (proxy, method, args) -> {
                if (method.getName().equals("poll")) {
                    onPoll.run();
                }
                try {
                    return method.invoke(cq, args);
                } catch (final InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    }

    /** Two peers of one device, with CQs on one channel, and who sends to them. */
    private final class Scene {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final List<Peer> senders = new ArrayList<>();
        final List<Peer> receivers = new ArrayList<>();

        Scene() {
            for (int i = 0; i < 2; i++) {
                final Peer from = Peer.rc(devices.open());
                final Peer to =
                    new Peer(device, device.allocatePd(), device.createCq(512, channel), new QpOptions());
                from.connect(to);
                senders.add(from);
                receivers.add(to);
            }
        }

        CompletionQueue[] cqs() {
            return receivers.stream().map(peer -> peer.cq).toArray(CompletionQueue[]::new);
        }

        void send(final int to, final long wrId, final int flags) {
            final Peer receiver = receivers.get(to);
            final Peer sender = senders.get(to);
            assertThat(receiver.qp.postReceive(wrId, receiver.at(0), 8, receiver.lkey())).isZero();
            assertThat(sender.qp.postSend(new SendRequest().flags(flags).sge(sender.at(0), 8, sender.lkey()))).isZero();
        }

        void send(final int to, final long wrId) {
            send(to, wrId, SendRequest.SIGNALED);
        }
    }

    private static long nanos(final Runnable action) {
        final long start = System.nanoTime();
        action.run();
        return System.nanoTime() - start;
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void handsOverWhatComesWhileItWaits(final Way way) throws InterruptedException {
        final Scene scene = new Scene();
        final CompletionWaiter one = way.over(scene.cqs()[0]);
        final CompletionWaiter both = way.over(scene.cqs());
        for (int i = 0; i < 4; i++) {
            final int round = i;
            crew.start(() -> {
                Thread.sleep(round);
                scene.send(round / 2, round);
            });
            final Completions seen = new Completions();
            assertThat((i < 2 ? one : both).await(seen, 16, LONG)).isEqualTo(1);
            assertThat(seen.list).extracting(Completions.Copy::wrId).containsExactly((long) i);
            crew.join();
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void endsAtItsDeadline(final Way way) {
        final Scene scene = new Scene();
        for (final CompletionWaiter waiter : List.of(way.over(scene.cqs()[0]), way.over(scene.cqs()))) {
            for (final int millis : new int[] {-1, 0, 1, 25}) {
                final long waited = nanos(
                    () -> assertThat(waiter.await(c -> { }, 1, Duration.ofMillis(millis))).isZero());
                assertThat(waited).isBetween(TimeUnit.MILLISECONDS.toNanos(millis), Patience.nanos());
            }
            scene.send(0, 7);
            assertThat(waiter.await(c -> { }, 1, Duration.ZERO)).as("it is there already").isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void endsWhenTheThreadIsInterrupted(final Way way) {
        final CompletionWaiter waiter = way.over(devices.open().createCq(4));
        Thread.currentThread().interrupt();
        final long waited = nanos(() -> assertThat(waiter.await(c -> { }, 1, LONG)).isZero());
        assertThat(Thread.interrupted()).isTrue();
        assertThat(waited).isLessThan(LONG.toNanos());
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void endsWhenTheQueueIsClosed(final Way way) throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final CompletionQueue alone = device.createCq(4);
        final CompletionQueue[] both = {device.createCq(4, channel), device.createCq(4, channel)};
        way.startWaiting(crew, ReturnCode.CLOSED, alone);
        way.startWaiting(crew, ReturnCode.CLOSED, both);
        alone.close();
        device.close();
        crew.join();
        assertThat(way.over(alone).await(c -> { }, 1, LONG)).isEqualTo(ReturnCode.CLOSED);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void endsWhenOneOfItsQueuesIsClosed(final Way way) throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final CompletionQueue[] both = {device.createCq(4, channel), device.createCq(4, channel)};
        way.startWaiting(crew, ReturnCode.CLOSED, both);
        both[1].close();
        crew.join();
    }

    @Test
    void endsWhenAQueueIsClosedBetweenItsLastPollAndTheSleep() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final CompletionQueue first = device.createCq(4, channel);
        final int[] polls = new int[1];
        final CompletionQueue second = polled(device.createCq(4, channel), () -> {
            // The second time all are armed, and the first queue has been polled for the last time.
            if (++polls[0] == 2) {
                first.close();
            }
        });
        final CompletionWaiter waiter = CompletionWaiter.blocking(first, second).spins(0);
        crew.start(() -> assertThat(waiter.await(c -> { }, 1, Duration.ofSeconds(Long.MAX_VALUE)))
            .isEqualTo(ReturnCode.CLOSED));
        crew.join();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void endsWhenTheDeviceFails(final Way way) throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final CompletionQueue cq = device.createCq(4);
        way.startWaiting(crew, ReturnCode.DEVICE_FAILED, cq);
        device.device.fail("made to");
        crew.join();
        assertThat(way.over(cq).await(c -> { }, 1, LONG)).isEqualTo(ReturnCode.DEVICE_FAILED);
    }

    @Test
    void honoursTheLimitAndTheTurnOfEachQueue() {
        final Scene scene = new Scene();
        final CompletionWaiter waiter = CompletionWaiter.spinning(scene.cqs());
        for (int i = 0; i < 6; i++) {
            scene.send(0, i);
        }
        scene.send(1, 100);
        final Completions seen = new Completions();
        assertThat(waiter.await(seen, 2, LONG)).isEqualTo(2);
        assertThat(waiter.await(seen, 2, LONG)).isEqualTo(2);
        assertThat(seen.list).as("a busy queue lets the other have its turn").extracting(Completions.Copy::wrId)
            .contains(100L);
        assertThat(waiter.await(seen, 100, LONG)).isEqualTo(3);
        assertThat(seen.list).extracting(Completions.Copy::wrId).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L,
            100L);
    }

    @Test
    void sleepsThroughWhatIsNotSolicited() throws InterruptedException {
        final Scene scene = new Scene();
        final CompletionWaiter waiter = CompletionWaiter.blocking(scene.cqs()).spins(0).solicitedOnly(true);
        final Completions seen = new Completions();
        final Thread sleeper = crew.start(() -> assertThat(waiter.await(seen, 16, LONG)).isEqualTo(2));
        Crew.awaitSleep(sleeper);
        scene.send(0, 1);
        sleeper.join(SHORT.toMillis());
        assertThat(sleeper.isAlive()).isTrue();
        scene.send(1, 2, SendRequest.SIGNALED | SendRequest.SOLICITED);
        crew.join();
        assertThat(waiter.await(seen, 16, SHORT)).isZero();
        scene.send(0, 3);
        assertThat(waiter.await(seen, 16, SHORT)).as("who does not sleep sees all").isEqualTo(1);
    }

    @Test
    void looksOnceMoreWhenItGivesUp() throws InterruptedException {
        final Scene scene = new Scene();
        final CompletionWaiter waiter = CompletionWaiter.blocking(scene.cqs()[0]).spins(0).solicitedOnly(true);
        final Thread sleeper = crew.start(() -> assertThat(waiter.await(c -> { }, 1, LONG)).isEqualTo(1));
        Crew.awaitSleep(sleeper);
        scene.send(0, 1);
        scene.channel.wakeUp();
        crew.join();
    }

    @Test
    void endsWhenItIsWokenUp() throws InterruptedException {
        final Scene scene = new Scene();
        final long waited = nanos(() -> {
            scene.channel.wakeUp();
            assertThat(CompletionWaiter.blocking(scene.cqs()).await(c -> { }, 1, LONG)).isZero();
            scene.channel.wakeUp();
            assertThat(CompletionWaiter.blocking(scene.cqs()[1]).await(c -> { }, 1, LONG)).isZero();
        });
        assertThat(waited).isLessThan(LONG.toNanos());
    }

    @Test
    void refusesWhatCannotBe() {
        final PvrdmaContext device = devices.open();
        final CompletionChannel channel = device.createChannel();
        final CompletionQueue plain = device.createCq(4);
        final CompletionQueue inChannel = device.createCq(4, channel);
        final CompletionQueue elsewhere = device.createCq(4, device.createChannel());
        assertInvalid(CompletionWaiter::spinning, "no completion queue");
        assertInvalid(() -> CompletionWaiter.yielding((CompletionQueue[]) null), "no completion queue");
        assertInvalid(() -> CompletionWaiter.blocking(plain, null), "null");
        assertInvalid(() -> CompletionWaiter.idling((IdleStrategy) null, plain), "strategy is null");
        assertInvalid(() -> CompletionWaiter.blocking(plain, inChannel), "no channel in common", "createCq(cqe, ");
        assertInvalid(() -> CompletionWaiter.blocking(inChannel, elsewhere), "no channel in common");
        assertInvalid(() -> CompletionWaiter.blocking(plain).spins(-1), "-1");
        final CompletionWaiter waiter = CompletionWaiter.blocking(plain);
        assertThat(waiter.await(null, 1, SHORT)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(waiter.await(c -> { }, 0, SHORT)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(waiter.await(c -> { }, 1, null)).isEqualTo(ReturnCode.INVALID_REQUEST);
    }

    @Test
    void looksAtTheClockWhileItSpins() {
        final Duration timeout = Duration.ofMillis(10);
        final long[] deadline = new long[1];
        final int[] polls = new int[2];
        final CompletionQueue cq = polled(devices.open().createCq(4), () -> {
            // The first poll is made before the deadline is known.
            if (++polls[0] == 2) {
                deadline[0] = System.nanoTime() + timeout.toNanos();
            }
            if (polls[0] >= 2 && System.nanoTime() - deadline[0] > 0) {
                assertThat(++polls[1]).as("polls after the deadline").isLessThan(POLLS_WITHOUT_A_LOOK);
            }
        });
        final CompletionWaiter waiter = CompletionWaiter.blocking(cq).spins(Integer.MAX_VALUE);
        assertThat(waiter.await(c -> { }, 1, timeout)).isZero();
    }

    @Test
    void looksForAnInterruptWhileItSpins() {
        final int[] polls = new int[1];
        final CompletionQueue cq = polled(devices.open().createCq(4), () -> {
            assertThat(++polls[0]).as("polls after the interrupt").isLessThan(POLLS_WITHOUT_A_LOOK);
            Thread.currentThread().interrupt();
        });
        final CompletionWaiter waiter = CompletionWaiter.blocking(cq).spins(Integer.MAX_VALUE);
        assertThat(waiter.await(c -> { }, 1, LONG)).isZero();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void callsTheApplicationsStrategyBetweenPolls() {
        final CompletionQueue cq = devices.open().createCq(4);
        final int[] calls = new int[2];
        final IdleStrategy counting = new IdleStrategy() {
            @Override
            public void idle(final int work) {
                NoOpIdleStrategy.INSTANCE.idle(work);
            }

            @Override
            public void idle() {
                calls[0]++;
            }

            @Override
            public void reset() {
                calls[1]++;
            }
        };
        CompletionWaiter.idling(counting, cq).await(c -> { }, 1, Duration.ofMillis(2));
        assertThat(calls[0]).isPositive();
        assertThat(calls[1]).isEqualTo(1);
    }
}
