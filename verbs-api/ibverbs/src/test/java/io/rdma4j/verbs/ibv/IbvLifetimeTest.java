/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.ibv.Stub.Place;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * One thread is held in a call of the library, another one closes what the call is about. The library trusts its
 * caller: what is used after it was destroyed is memory of nobody. The stub counts that.
 */
@EnabledIf("hasGcc")
class IbvLifetimeTest {
    private static final int EINVAL = 22;
    private static final Duration LONG = Patience.duration();

    private IbvContext context;
    private ProtectionDomain pd;
    private PinnedMemory memory;

    static boolean hasGcc() {
        return Stub.isThere();
    }

    /** A thread with a result. */
    private static final class Task<T> extends FutureTask<T> {
        private final Thread thread = new Thread(this, "task");

        Task(final Callable<T> body) {
            super(body);
            thread.setDaemon(true);
            thread.start();
        }

        T result() throws Exception {
            return get(30, TimeUnit.SECONDS);
        }

        void assertFails(final String errno) {
            assertThatThrownBy(this::result).isInstanceOf(ExecutionException.class).cause()
                .isInstanceOf(RdmaException.class).hasMessageContaining(errno);
        }
    }

    private static Task<Void> start(final Runnable body) {
        return new Task<>(() -> {
            body.run();
            return null;
        });
    }

    @BeforeEach
    void opens() {
        context = Stub.open();
        pd = context.allocatePd();
        memory = context.allocate(8192);
    }

    @AfterEach
    void everythingIsGivenBack() {
        Stub.hold(Place.NONE);
        context.patienceNanos = Patience.nanos();
        Stub.ask("stub_refuse_states", 0);
        Stub.ask("stub_refuse_regions", 0);
        Stub.ask("stub_port", 4);
        context.close();
        Stub.assertNothingIsLeft();
    }

    private QueuePair ready(final CompletionQueue cq, final QpOptions options) {
        return Stub.connected(pd.createQp(options.cq(cq).maxSendWr(8).maxReceiveWr(8)));
    }

    private QpAttributes toRtr(final QueuePair qp, final int gidIndex) {
        return QpAttributes.to(QpState.RTR)
            .ah(new AhAttributes(context.queryGid(1, 0), gidIndex, 64, 0, 0, 0, 1))
            .pathMtu(Mtu.MTU_1024).destQpn(qp.qpNumber()).rqPsn(0).maxDestRdAtomic(1).minRnrTimer(12);
    }

    /** The kernel forgets events of what is destroyed: who has seen that there is one must not wait for it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEventOfAQueueThatIsClosedBeforeItIsRead(final boolean interrupted) throws Exception {
        final CompletionQueue cq = context.createCq(64);
        final QueuePair qp = ready(cq, new QpOptions());
        assertThat(cq.requestNotify(false)).isZero();
        Stub.hold(Place.GET_CQ_EVENT);
        final Task<Boolean> waiter = new Task<>(() -> cq.awaitEvent(LONG));
        assertThat(qp.postSend(1, memory.address(), 0, 1)).isZero();
        Stub.awaitHeld();
        qp.close();
        final Task<Boolean> closer = new Task<>(() -> {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            cq.close();
            return Thread.interrupted();
        });
        Stub.awaitBlocked(closer.thread);
        Stub.hold(Place.NONE);
        assertThat(closer.result()).isEqualTo(interrupted);
        waiter.assertFails("EBADFD");
    }

    @Test
    void anAsynchronousEventOfAQueueThatIsClosedBeforeItIsRead() throws Exception {
        final SharedReceiveQueue srq = pd.createSrq(8, 1);
        Stub.hold(Place.GET_ASYNC_EVENT);
        Stub.ask("stub_event", ((IbvSrq) srq).pointer, AsyncEventType.SRQ_LIMIT_REACHED.ordinal());
        Stub.awaitHeld();
        srq.close();
        Stub.hold(Place.NONE);
        start(context::close).result();
    }

    @Test
    void closingTheDeviceWaitsForWhoAsksForTheTypeOfAGid() throws Exception {
        Stub.hold(Place.QUERY_GID_EX);
        final Task<GidType> asker = new Task<>(() -> context.queryGidType(1, 1));
        Stub.awaitHeld();
        final Task<Void> closer = start(context::close);
        Stub.awaitBlocked(closer.thread);
        Stub.hold(Place.NONE);
        assertThat(asker.result()).isEqualTo(GidType.ROCE_V2);
        closer.result();
    }

    @Test
    void closingAChannelWaitsForWhoMakesAQueueOnIt() throws Exception {
        final CompletionChannel channel = context.createChannel();
        Stub.hold(Place.CREATE_CQ);
        final Task<CompletionQueue> maker = new Task<>(() -> context.createCq(16, channel));
        Stub.awaitHeld();
        final Task<Void> closer = start(channel::close);
        Stub.awaitBlocked(closer.thread);
        Stub.hold(Place.NONE);
        assertThat(maker.result().channel()).isSameAs(channel);
        closer.assertFails("EBUSY");
    }

    @Test
    void closingAQueueEndsTheSleepOfWhoWaitsForSeveral() throws Exception {
        final CompletionChannel channel = context.createChannel();
        final CompletionQueue first = context.createCq(16, channel);
        final CompletionQueue second = context.createCq(16, channel);
        final CompletionWaiter waiter = CompletionWaiter.blocking(first, second).spins(0);
        final Task<Integer> sleeper =
            new Task<>(() -> waiter.await(c -> { }, 1, Duration.ofSeconds(Long.MAX_VALUE)));
        while (!sleeper.isDone() && Arrays.stream(sleeper.thread.getStackTrace())
            .noneMatch(frame -> frame.getMethodName().equals("lead"))) {
            Patience.pause();
        }
        second.close();
        assertThat(sleeper.result()).isEqualTo(ReturnCode.CLOSED);
    }

    /** It may have been polled before, by who is just about to wait. */
    @Test
    void closingAQueueThatWasAskedForAnEventEndsTheNextWait() throws Exception {
        final CompletionChannel channel = context.createChannel();
        final CompletionQueue cq = context.createCq(16, channel);
        assertThat(cq.requestNotify(false)).isZero();
        cq.close();
        assertThat(new Task<>(() -> Optional.ofNullable(channel.await(Duration.ofSeconds(Long.MAX_VALUE)))).result())
            .isEmpty();
        context.createCq(16, channel).close();
        final Duration wait = Duration.ofMillis(30);
        final long began = System.nanoTime();
        assertThat(channel.await(wait)).isNull();
        assertThat(System.nanoTime() - began).as("nobody asked").isGreaterThanOrEqualTo(wait.toNanos());
    }

    @Test
    void closingADomainWaitsForWhoMovesARegionIntoIt() throws Exception {
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        final ProtectionDomain other = context.allocatePd();
        Stub.hold(Place.REG_MR);
        final Task<Void> mover = start(() -> region.reregister(new MrOptions().pd(other)));
        Stub.awaitHeld();
        final Task<Void> closer = start(other::close);
        Stub.awaitBlocked(closer.thread);
        Stub.hold(Place.NONE);
        mover.result();
        closer.result();
        assertThat(region.isClosed()).isTrue();
        assertThat(region.pd()).isSameAs(other);
    }

    @Test
    void closingADomainLeavesARegionThatHasJustMovedOutOfIt() throws Exception {
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        final ProtectionDomain other = context.allocatePd();
        Stub.hold(Place.REG_MR);
        final Task<Void> mover = start(() -> region.reregister(new MrOptions().pd(other)));
        Stub.awaitHeld();
        final Task<Void> closer = start(pd::close);
        Stub.awaitBlocked(closer.thread);
        Stub.hold(Place.NONE);
        mover.result();
        closer.result();
        assertThat(region.isClosed()).isFalse();
        assertThat(region.pd()).isSameAs(other);
    }

    @Test
    void aRegionIsChangedWhenWhoBindsToItIsThrough() throws Exception {
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        final MemoryWindow window = pd.allocateWindow(WindowType.TYPE_2);
        final QueuePair qp = ready(context.createCq(64), new QpOptions());
        Stub.hold(Place.POST_SEND);
        final Task<Integer> binder = new Task<>(() -> qp.postSend(
            new SendRequest().bind(window, window.nextRkey(), region, region.iova(), 8, AccessFlag.REMOTE_READ)));
        Stub.awaitHeld();
        final Task<Void> changer = start(() -> region.reregister(
            new MrOptions().access(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND, AccessFlag.REMOTE_READ)));
        Stub.awaitBlocked(changer.thread);
        Stub.hold(Place.NONE);
        assertThat(binder.result()).isZero();
        changer.result();
    }

    /** The device may refuse to end the old registration: then the new one goes, and nobody may have its address. */
    @Test
    void nobodyBindsToARegionThatIsBeingChanged() throws Exception {
        final IbvMr region = (IbvMr) pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        final int lkey = region.lkey();
        Stub.hold(Place.DEREG_MR);
        Stub.ask("stub_dereg", EINVAL);
        final Task<RdmaException> changer = new Task<>(() -> catchThrowableOfType(RdmaException.class,
            () -> region.reregister(new MrOptions().access(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND,
                AccessFlag.REMOTE_READ))));
        Stub.awaitHeld();
        assertThat(region.users.begin(region)).as("while it is being changed").isFalse();
        Stub.hold(Place.NONE);
        assertThat(changer.result().errno()).isEqualTo(RdmaException.EBUSY);
        assertThat(region.lkey()).isEqualTo(lkey);
        assertThat(region.users.begin(region)).isTrue();
        region.users.end();
    }

    /** Their codes are those of other requests. */
    @Test
    void refusalsOfBindingsAreTold() {
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        final MemoryWindow window = pd.allocateWindow(WindowType.TYPE_2);
        final QueuePair qp = ready(context.createCq(64), new QpOptions());
        final SendRequest binding =
            new SendRequest().bind(window, window.nextRkey(), region, region.iova(), 8, AccessFlag.REMOTE_READ);
        Stub.ask("stub_fail", 0, RdmaException.ENOMEM);
        assertThat(qp.postSend(binding)).isEqualTo(ReturnCode.QUEUE_FULL);
        Stub.ask("stub_fail", 0, RdmaException.EIO);
        assertThat(qp.postSend(binding)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(context.isFailed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void resettingAndClosingWaitForWhoPosts(final boolean closes) throws Exception {
        final QueuePair qp = ready(context.createCq(64), new QpOptions());
        Stub.hold(Place.POST_SEND);
        final Task<Integer> poster = new Task<>(() -> qp.postSend(1, memory.address(), 0, 1));
        Stub.awaitHeld();
        final Task<Void> ender = start(closes ? qp::close : () -> qp.modify(QpAttributes.to(QpState.RESET)));
        Stub.awaitBlocked(ender.thread);
        Stub.hold(Place.NONE);
        assertThat(poster.result()).isZero();
        ender.result();
        assertThat(qp.postSend(1, memory.address(), 0, 1))
            .isEqualTo(closes ? ReturnCode.CLOSED : ReturnCode.WRONG_STATE);
    }

    @Test
    void closingAQueueWaitsForWhoPolls() throws Exception {
        final CompletionQueue cq = context.createCq(64);
        Stub.hold(Place.POLL_CQ);
        final Task<Integer> poller = new Task<>(() -> cq.poll(c -> { }, 4));
        Stub.awaitHeld();
        final Task<Void> closer = start(cq::close);
        Stub.awaitBlocked(closer.thread);
        Stub.hold(Place.NONE);
        assertThat(poller.result()).isIn(0, ReturnCode.CLOSED);
        closer.result();
        assertThat(cq.poll(c -> { }, 4)).isEqualTo(ReturnCode.CLOSED);
    }

    /** What came before is there, and the rest when that thread comes back. */
    @Test
    void whoAsksForEventsDoesNotWaitForWhoHangsInTheLibrary() {
        final SharedReceiveQueue srq = pd.createSrq(8, 1);
        final QueuePair qp = ready(context.createCq(64), new QpOptions());
        Stub.hold(Place.QUERY_QP);
        Stub.ask("stub_event", ((IbvSrq) srq).pointer, AsyncEventType.SRQ_LIMIT_REACHED.ordinal());
        Stub.ask("stub_event", ((IbvQp) qp).pointer, AsyncEventType.QP_FATAL.ordinal());
        Stub.awaitHeld();
        context.patienceNanos = 0;
        final AsyncEvent first = context.pollAsyncEvent();
        assertThat(first.type()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED);
        first.acknowledge();
        assertThat(context.pollAsyncEvent()).isNull();
        assertThat(context.awaitAsyncEvent(Duration.ofMillis(1))).isNull();
        Stub.hold(Place.NONE);
        final AsyncEvent second = context.awaitAsyncEvent(LONG);
        assertThat(second.type()).isEqualTo(AsyncEventType.QP_FATAL);
        second.acknowledge();
    }

    @Test
    void aListenerOutlivesWhoHangsInTheLibrary() throws Exception {
        final SharedReceiveQueue srq = pd.createSrq(8, 1);
        final QueuePair qp = ready(context.createCq(64), new QpOptions());
        final CountDownLatch goOn = new CountDownLatch(1);
        final CompletableFuture<Thread> listener = new CompletableFuture<>();
        final CompletableFuture<AsyncEventType> second = new CompletableFuture<>();
        try (AsyncEventSubscription subscription = context.listen(event -> {
            if (listener.complete(Thread.currentThread())) {
                Patience.awaitUninterruptibly(goOn, "the test");
            } else {
                second.complete(event.type());
            }
        })) {
            Stub.ask("stub_event", ((IbvSrq) srq).pointer, AsyncEventType.SRQ_LIMIT_REACHED.ordinal());
            final Thread thread = Patience.get(listener);
            Stub.hold(Place.QUERY_QP);
            Stub.ask("stub_event", ((IbvQp) qp).pointer, AsyncEventType.QP_FATAL.ordinal());
            Stub.awaitHeld();
            context.patienceNanos = 0;
            goOn.countDown();
            while (thread.isAlive() && Arrays.stream(thread.getStackTrace())
                .noneMatch(frame -> frame.getMethodName().equals("timedWait"))) {
                Patience.pause();
            }
            assertThat(subscription.isClosed()).isFalse();
            Stub.hold(Place.NONE);
            assertThat(Patience.get(second)).isEqualTo(AsyncEventType.QP_FATAL);
        }
    }

    /** After ten seconds closing gives up, but not the memory that the thread uses in the library. */
    @Test
    void aDeviceInWhichAThreadIsStuckIsLeftOpen() throws Exception {
        final QueuePair qp = ready(context.createCq(64), new QpOptions());
        Stub.hold(Place.POST_SEND);
        final Task<Integer> poster = new Task<>(() -> qp.postSend(1, memory.address(), 0, 1));
        Stub.awaitHeld();
        context.patienceNanos = 0;
        assertThatThrownBy(context::close).isInstanceOf(RdmaException.class).hasMessageContaining("EBUSY")
            .satisfies(e -> assertThat(e + Arrays.toString(e.getSuppressed())).contains("out of its send queue"));
        assertThat(context.isClosed()).isTrue();
        assertThat(Stub.ask("stub_live")).as("what the thread is in is kept").isGreaterThan(1);
        Stub.hold(Place.NONE);
        assertThat(poster.result()).isZero();
    }

    /** Calls in which a thread hangs, what cannot be closed meanwhile, and what the refusal says. */
    private enum Hang {
        MODIFYING(Place.MODIFY_QP, "'modify QP'"),
        ASKING(Place.QUERY_QP, "'query QP'"),
        POSTING(Place.POST_SEND, "its send queue"),
        POLLING(Place.POLL_CQ, "polling it"),
        ARMING(Place.REQ_NOTIFY_CQ, "out of CQ"),
        FETCHING(Place.GET_CQ_EVENT, "fetching its events"),
        HEARING(Place.QUERY_QP, "handling an event"),
        REGISTERING(Place.REG_MR, "'reregister"),
        MAKING(Place.CREATE_SRQ, "making something"),
        MAKING_ON(Place.CREATE_CQ, "'create CQ'"),
        TELLING(Place.GET_ASYNC_EVENT, "fetching asynchronous events"),
        LOOKING(Place.QUERY_GID_EX, "asking about the device");

        final Place place;
        final String said;

        Hang(final Place place, final String said) {
            this.place = place;
            this.said = said;
        }
    }

    /** Adds what closes the object of the call; the thread that is in it, or null where that is the device's own. */
    private Task<?> hang(final Hang hang, final List<Runnable> closes) throws Exception {
        final CompletionChannel channel = context.createChannel();
        final CompletionQueue cq = context.createCq(64);
        final QueuePair qp = ready(cq, new QpOptions());
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        final long alone = ((IbvQp) qp).pointer;
        if (hang == Hang.FETCHING) {
            assertThat(cq.requestNotify(false)).isZero();
            assertThat(qp.postSend(1, memory.address(), 0, 1)).isZero();
        }
        Stub.hold(hang.place);
        closes.add(switch (hang) {
            case MODIFYING, ASKING, POSTING, HEARING -> qp::close;
            case POLLING, ARMING, FETCHING -> cq::close;
            case REGISTERING -> region::close;
            case MAKING -> pd::close;
            case MAKING_ON -> channel::close;
            case TELLING, LOOKING -> context::close;
        });
        if (Set.of(Hang.POLLING, Hang.ARMING, Hang.FETCHING).contains(hang)) {
            qp.close();
        }
        return switch (hang) {
            case MODIFYING -> start(() -> qp.modify(QpAttributes.to(QpState.ERR)));
            case ASKING -> start(qp::query);
            case POSTING -> new Task<>(() -> qp.postSend(1, memory.address(), 0, 1));
            case POLLING -> new Task<>(() -> cq.poll(c -> { }, 4));
            case ARMING -> new Task<>(() -> cq.requestNotify(false));
            case FETCHING -> new Task<>(() -> cq.awaitEvent(LONG));
            case REGISTERING -> start(() -> region.reregister(new MrOptions().access(AccessFlag.LOCAL_WRITE)));
            case MAKING -> new Task<>(() -> pd.createSrq(8, 1));
            case MAKING_ON -> start(() -> context.createCq(16, channel).close());
            case LOOKING -> new Task<>(() -> context.queryGidType(1, 1));
            case HEARING, TELLING -> {
                Stub.ask("stub_event", alone, AsyncEventType.QP_FATAL.ordinal());
                yield null;
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void closingGivesUpAndIsDoneWhenItIsTriedAgain(final Hang hang) throws Exception {
        final List<Runnable> closes = new ArrayList<>();
        final Task<?> held = hang(hang, closes);
        Stub.awaitHeld();
        final long before = Stub.ask("stub_live");
        context.patienceNanos = 0;
        assertThatThrownBy(start(closes.get(0))::result).isInstanceOf(ExecutionException.class).cause()
            .isInstanceOf(RdmaException.class).hasMessageContaining("EBUSY").hasMessageContaining(hang.said)
            .hasMessageContaining("waited 0 ms").hasMessageContaining("do it again");
        if (hang == Hang.LOOKING) {
            assertThat(context.isClosed()).isFalse();
        }
        // A device and a domain give back what nobody uses.
        if (!Set.of(Hang.TELLING, Hang.MAKING).contains(hang)) {
            assertThat(Stub.ask("stub_live")).as("nothing is given back").isEqualTo(before);
        }
        context.patienceNanos = Patience.nanos();
        Stub.hold(Place.NONE);
        if (hang == Hang.FETCHING) {
            held.assertFails("EBADFD");
        } else if (held != null) {
            held.result();
        }
        start(closes.get(0)).result();
    }

    /** Leaving RESET looks for room in the queue, which another thread may be changing. */
    @Test
    void changingAQueuePairDoesNotWaitForEverForAnotherChange() throws Exception {
        final QueuePair qp = ready(context.createCq(64), new QpOptions());
        Stub.hold(Place.QUERY_QP);
        final Task<Void> asker = start(qp::query);
        Stub.awaitHeld();
        context.patienceNanos = 0;
        assertThatThrownBy(start(() -> qp.modify(QpAttributes.to(QpState.RESET)))::result).cause()
            .hasMessageContaining("modify QP failed").hasMessageContaining("'task' does not come out of 'query QP'")
            .hasMessageContaining("EBUSY");
        Stub.hold(Place.NONE);
        asker.result();
        assertThat(qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aDeviceThatFailsEndsAllWaitsPostsAndPolls() throws Exception {
        final CompletionChannel channel = context.createChannel();
        final CompletionQueue cq = context.createCq(64);
        final CompletionQueue alone = context.createCq(64);
        final QueuePair qp = ready(cq, new QpOptions());
        final List<Task<?>> waits = new ArrayList<>();
        waits.add(new Task<>(() -> channel.await(LONG)));
        waits.add(new Task<>(() -> alone.awaitEvent(LONG)));
        waits.add(new Task<>(() -> {
            while (true) {
                context.allocatePd().close();
            }
        }));
        waits.add(new Task<>(() -> {
            while (true) {
                qp.query();
            }
        }));
        final Task<AsyncEvent> listener = new Task<>(() -> context.awaitAsyncEvent(LONG));
        final Task<Integer> poster = new Task<>(() -> {
            int code = 0;
            while (code >= 0 || code == ReturnCode.QUEUE_FULL) {
                code = qp.postSend(1, memory.address(), 0, 1);
            }
            return code;
        });
        final Task<Integer> poller = new Task<>(() -> {
            int code = 0;
            while (code >= 0) {
                code = cq.poll(c -> { }, 16);
            }
            return code;
        });
        final long before = Stub.ask("stub_posts");
        while (Stub.ask("stub_posts") < before + 100 && !poster.isDone()) {
            Patience.pause();
        }
        Stub.ask("stub_event", 0L, AsyncEventType.DEVICE_FATAL.ordinal());
        for (final Task<?> wait : waits) {
            wait.assertFails("EBADFD");
        }
        assertThat(poster.result()).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(poller.result()).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(listener.result().type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
    }

    @Test
    void aQueueThatComesWithTheFailureKnowsOfIt() throws Exception {
        Stub.hold(Place.CREATE_SRQ);
        final Task<SharedReceiveQueue> maker = new Task<>(() -> pd.createSrq(8, 1));
        Stub.awaitHeld();
        Stub.ask("stub_event", 0L, AsyncEventType.DEVICE_FATAL.ordinal());
        assertThat(context.awaitAsyncEvent(LONG).type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        Stub.hold(Place.NONE);
        assertThat(maker.result().postReceive(1, memory.address(), 1, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
    }

    /** It registers what it copies inline data to before its domain knows it. */
    @Test
    void aQueuePairThatComesWithTheFailureKnowsOfIt() throws Exception {
        final CompletionQueue cq = context.createCq(64);
        Stub.hold(Place.REG_MR);
        final Task<QueuePair> maker =
            new Task<>(() -> pd.createQp(new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(8).maxInline(512)));
        Stub.awaitHeld();
        Stub.ask("stub_event", 0L, AsyncEventType.DEVICE_FATAL.ordinal());
        assertThat(context.awaitAsyncEvent(LONG).type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        Stub.hold(Place.NONE);
        final QueuePair qp = maker.result();
        assertThat(qp.postReceive(1, memory.address(), 1, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(qp.postSend(1, memory.address(), 1, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
    }

    /** What was checked is what is posted, also if the request is changed in between. */
    @Test
    void aRequestThatChangesWhileItIsPosted() {
        final CompletionQueue cq = context.createCq(64);
        final QueuePair qp = ready(cq, new QpOptions().maxInline(64));
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        final SendRequest request = new SendRequest();
        final UnsafeBuffer changing = new UnsafeBuffer(ByteBuffer.allocateDirect(4096)) {
            @Override
            public int capacity() {
                request.inline(this, 0, 128);
                return super.capacity();
            }
        };
        request.inline(changing, 0, 10);
        assertThat(qp.postReceive(1, memory.address(), 256, region.lkey())).isZero();
        assertThat(qp.postSend(request)).isZero();
        final List<Integer> lengths = new ArrayList<>();
        cq.poll(c -> lengths.add(c.byteLength()), 1);
        assertThat(lengths).containsExactly(10);
    }

    @Test
    void refusalsSayWhatIsWrong() {
        Stub.ask("stub_refuse_regions", RdmaException.ENOMEM);
        assertThatThrownBy(() -> pd.register(memory)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("register memory failed").hasMessageContaining("+8192 with [] was refused")
            .hasMessageContaining("the device has no more regions").hasMessageContaining("ENOMEM");
        final QueuePair qp = pd.createQp(new QpOptions().cq(context.createCq(64)).maxSendWr(8).maxReceiveWr(8));
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        Stub.ask("stub_refuse_states", RdmaException.EINVAL);
        assertThatThrownBy(() -> qp.modify(toRtr(qp, 0))).hasMessageContaining("from INIT to RTR")
            .hasMessageContaining("is the peer's GID reachable");
        assertThatThrownBy(() -> qp.modify(toRtr(qp, 2))).hasMessageContaining("source GID index 2 is unbound");
        Stub.ask("stub_port", 1);
        assertThatThrownBy(() -> qp.modify(toRtr(qp, 0))).hasMessageContaining("port 1 is DOWN")
            .hasMessageContaining("ip link set");
    }
}
