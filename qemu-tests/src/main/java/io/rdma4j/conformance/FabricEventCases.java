/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EACCES;
import static io.rdma4j.fabric.FiErrno.FI_EAGAIN;
import static io.rdma4j.fabric.FiErrno.FI_EAVAIL;
import static io.rdma4j.fabric.FiErrno.FI_EBADFD;
import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_ENOSYS;
import static io.rdma4j.fabric.FiErrno.FI_ETIMEDOUT;
import static io.rdma4j.fabric.FiErrno.FI_ETRUNC;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.WaitObject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Event queues and counters: reading, waiting, waking, descriptors. */
final class FabricEventCases {
    private static final int PAGE = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    private static final Duration SHORT = Duration.ofMillis(20);

    private FabricEventCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("eq.writtenEventsComeInOrder", FabricEventCases::order),
            ConformanceCase.of("eq.peekLeavesTheEvent", FabricEventCases::peek),
            ConformanceCase.of("eq.readErrorTakesFailuresOnly", FabricEventCases::readError),
            ConformanceCase.of("eq.holdsMoreThanItsSize", FabricEventCases::grows),
            ConformanceCase.of("eq.waitEndsWithAnEventOrInTime", FabricEventCases::await),
            ConformanceCase.of("eq.waitEndsWithASignal", FabricEventCases::signal),
            ConformanceCase.of("eq.waitObjectsAreAsAskedFor", FabricEventCases::waitObjects),
            ConformanceCase.of("eq.descriptorIsReadableWhileThereIsSomething", FabricEventCases::descriptor),
            ConformanceCase.of("eq.nonsenseIsRefused", FabricEventCases::nonsense),
            ConformanceCase.of("cntr.addsAndSets", FabricEventCases::addsAndSets),
            ConformanceCase.of("cntr.waitsForAThreshold", FabricEventCases::threshold),
            ConformanceCase.of("cntr.waitEndsWithAFailure", FabricEventCases::failure),
            ConformanceCase.of("cntr.waitObjectsAreAsAskedFor", FabricEventCases::counterWaitObjects),
            ConformanceCase.of("cntr.countsWhatAnEndpointSendsAndReceives", FabricEventCases::endpoint),
            ConformanceCase.of("cntr.countsWhatIsNotToldOf", FabricEventCases::selective),
            ConformanceCase.of("cntr.countsFailuresApart", FabricEventCases::failures),
            ConformanceCase.of("cntr.wakesWhoWaitsForAnEndpoint", FabricEventCases::wakes));
    }

    private static Fabric fabric(final ConformanceEnv env) {
        final FabricInfo info = FabricPair.info(env.device(), hints -> hints.capabilities(Capability.MSG));
        return env.own(Fabrics.open(info));
    }

    private static EventQueue writable(final ConformanceEnv env) {
        return env.own(fabric(env).openEventQueue(new EqAttributes().writable(true)));
    }

    private static void order(final ConformanceEnv env) {
        final EventQueue queue = writable(env);
        final Object fid = new Object();
        for (int i = 0; i < 5; i++) {
            queue.write(FabricEvent.NOTIFY, fid, "context " + i, i);
        }
        Check.equal(5, queue.size(), "events");
        final List<EventEntry> read = new ArrayList<>();
        Check.equal(2, queue.read(read::add, 2), "read");
        Check.equal(3, queue.read(read::add, 10), "read");
        Check.equal(0, queue.read(read::add, 10), "read");
        for (int i = 0; i < 5; i++) {
            final EventEntry entry = read.get(i);
            Check.equal(FabricEvent.NOTIFY, entry.event(), "event");
            Check.equal("context " + i, entry.context(), "context");
            Check.equal((long) i, entry.data(), "data");
            Check.that(entry.fid() == fid && !entry.isError() && entry.errno() == 0, "%s", entry);
            Check.that(entry.privateData().length == 0 && entry.request() == null && entry.region() == null, "%s",
                entry);
        }
    }

    private static void peek(final ConformanceEnv env) {
        final EventQueue queue = writable(env);
        Check.equal(0, queue.peek(entry -> { }), "peek into an empty queue");
        queue.write(FabricEvent.NOTIFY, null, "a", 1);
        queue.write(FabricEvent.NOTIFY, null, "b", 2);
        final List<Object> seen = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Check.equal(1, queue.peek(entry -> seen.add(entry.context())), "peek");
        }
        Check.equal(List.of("a", "a", "a"), seen, "what was seen");
        Check.equal(2, queue.read(entry -> { }, 10), "events that are left");
    }

    /** The failure is one of memory that is not there. */
    private static void readError(final ConformanceEnv env) {
        final FabricInfo info = FabricPair.info(env.device(), hints -> hints.capabilities(Capability.MSG)
            .demand(MrMode.ALLOCATED));
        final Fabric fabric = env.own(Fabrics.open(info));
        final EventQueue queue = env.own(fabric.openEventQueue(new EqAttributes().writable(true)));
        final Domain domain = env.own(fabric.openDomain(info));
        domain.bind(queue);
        queue.write(FabricEvent.NOTIFY, null, "first", 0);
        domain.register(new MrAttributes().buffer(PAGE, PAGE)
            .access(MrAccess.SEND).context("bad"));
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        while (queue.size() < 2) {
            Check.that(System.nanoTime() - deadline < 0, "no event of the failure");
            Thread.onSpinWait();
        }
        Check.equal(0, queue.readError(entry -> { }), "errors, while the next event is none");
        Check.equal(1, queue.read(entry -> Check.equal("first", entry.context(), "context"), 1), "read");
        Check.equal(1, queue.readError(entry -> {
            Check.that(entry.isError() && entry.errno() > 0 && !entry.providerError().isBlank(), "%s", entry);
            Check.equal("bad", entry.context(), "context");
        }), "errors");
        Check.equal(0, queue.size(), "events that are left");
    }

    private static void grows(final ConformanceEnv env) {
        final EventQueue queue = env.own(fabric(env).openEventQueue(new EqAttributes().writable(true).size(4)));
        for (int i = 0; i < 1000; i++) {
            queue.write(FabricEvent.NOTIFY, null, null, i);
        }
        final long[] next = {0};
        Check.equal(1000, queue.read(entry -> Check.equal(next[0]++, entry.data(), "data"), 5000), "read");
    }

    private static void await(final ConformanceEnv env) throws Exception {
        final EventQueue queue = writable(env);
        Check.equal(0, queue.awaitRead(entry -> { }, 1, Duration.ZERO), "no event at once");
        Check.equal(0, queue.awaitRead(entry -> { }, 1, SHORT), "no event in time");
        final FutureTask<Integer> waiter = start(() -> queue.awaitRead(entry -> { }, 1, env.patience(PATIENCE)));
        queue.write(FabricEvent.NOTIFY, null, null, 0);
        Check.equal(1, end(env, waiter), "read by who waited");
    }

    private static FutureTask<Integer> start(final Callable<Integer> body) {
        final FutureTask<Integer> task = new FutureTask<>(body);
        final Thread thread = new Thread(task, "waiter");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static int end(final ConformanceEnv env, final FutureTask<Integer> task) throws Exception {
        return task.get(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void signal(final ConformanceEnv env) throws Exception {
        final EventQueue queue = writable(env);
        final FutureTask<Integer> waiter = start(() -> queue.awaitRead(entry -> { }, 1, env.patience(PATIENCE)));
        queue.signal();
        Check.equal(0, end(env, waiter), "read by who was signaled");
        // One that nobody waited for ends the next wait.
        queue.signal();
        Check.equal(0, queue.awaitRead(entry -> { }, 1, env.patience(PATIENCE)), "read after a signal");
        Check.equal(0, queue.awaitRead(entry -> { }, 1, SHORT), "read after the signal was used up");
    }

    private static void waitObjects(final ConformanceEnv env) {
        final Fabric fabric = fabric(env);
        for (final WaitObject object : WaitObject.values()) {
            if (object == WaitObject.MUTEX_COND) {
                FabricCheck.refused(FI_ENOSYS, () -> fabric.openEventQueue(new EqAttributes().waitObject(object)),
                    "MUTEX_COND");
                continue;
            }
            final EventQueue queue = env.own(fabric.openEventQueue(
                new EqAttributes().waitObject(object).writable(true)));
            Check.equal(object, queue.waitObject(), "wait object");
            Check.equal(object == WaitObject.FD, queue.fd() >= 0, "whether %s has a descriptor", object);
            queue.write(FabricEvent.NOTIFY, null, null, 1);
            Check.equal(1, queue.read(entry -> { }, 1), "read from a queue with %s", object);
            if (object == WaitObject.NONE) {
                FabricCheck.refused(FI_ENOSYS, () -> queue.awaitRead(entry -> { }, 1, SHORT), "waiting for NONE");
            } else {
                Check.equal(0, queue.awaitRead(entry -> { }, 1, SHORT), "no event in time");
            }
        }
    }

    private static void descriptor(final ConformanceEnv env) {
        final EventQueue queue = env.own(fabric(env).openEventQueue(
            new EqAttributes().waitObject(WaitObject.FD).writable(true)));
        Check.equal(0, queue.tryWait(), "tryWait of an empty queue");
        Check.that(!Readable.within(queue.fd(), SHORT), "readable, and there is nothing");
        queue.write(FabricEvent.NOTIFY, null, null, 1);
        Check.that(Readable.within(queue.fd(), env.patience(PATIENCE)), "not readable, and there is an event");
        Check.equal(-FI_EAGAIN, queue.tryWait(), "tryWait while there is something to read");
        Check.equal(1, queue.read(entry -> { }, 5), "read");
        Check.equal(0, queue.tryWait(), "tryWait of an empty queue");
        Check.that(!Readable.within(queue.fd(), SHORT), "readable, and all was read");
        queue.write(FabricEvent.NOTIFY, null, null, 1);
        Check.that(Readable.within(queue.fd(), env.patience(PATIENCE)), "not readable again");
    }

    private static void nonsense(final ConformanceEnv env) {
        final Fabric fabric = fabric(env);
        final EventQueue queue = env.own(fabric.openEventQueue(new EqAttributes()));
        FabricCheck.refused(FI_EACCES, () -> queue.write(FabricEvent.NOTIFY, null, null, 0), "writing");
        FabricCheck.refused(FI_EINVAL, () -> queue.read(null, 1), "null");
        FabricCheck.refused(FI_EINVAL, () -> queue.read(entry -> { }, 0), "a limit of 0");
        FabricCheck.refused(FI_EINVAL, () -> queue.peek(null), "null");
        FabricCheck.refused(FI_EINVAL, () -> queue.readError(null), "null");
        FabricCheck.refused(FI_EINVAL, () -> writable(env).write(null, null, null, 0), "no event");
        FabricCheck.refused(FI_EINVAL, () -> fabric.openEventQueue(new EqAttributes().size(-1)), "a negative size");
        FabricCheck.refused(FI_EINVAL, () -> fabric.openEventQueue(null), "null");
        FabricCheck.refused(FI_EBUSY, fabric::close, "a fabric with a queue");
        queue.close();
        queue.close();
        FabricCheck.refused(FI_EBADFD, () -> queue.read(entry -> { }, 1), "a closed queue");
        FabricCheck.refused(FI_EBADFD, () -> queue.peek(entry -> { }), "a closed queue");
    }

    private static Counter counter(final ConformanceEnv env) {
        return env.own(FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG)).openCounter());
    }

    private static void addsAndSets(final ConformanceEnv env) {
        final Counter counter = counter(env);
        Check.equal(0L, counter.read(), "count at first");
        counter.add(5);
        counter.add(-2);
        Check.equal(3L, counter.read(), "count");
        Check.equal(0L, counter.readError(), "failures");
        counter.addError(2);
        Check.equal(2L, counter.readError(), "failures");
        Check.equal(3L, counter.read(), "count");
        counter.set(-1);
        Check.equal(-1L, counter.read(), "count, which is unsigned");
        counter.close();
        counter.close();
        FabricCheck.refused(FI_EBADFD, () -> counter.add(1), "a closed counter");
        FabricCheck.code(FI_EBADFD, counter.await(1, SHORT), "waiting for a closed counter");
    }

    private static void threshold(final ConformanceEnv env) throws Exception {
        final Counter counter = counter(env);
        FabricCheck.code(0, counter.await(0, SHORT), "waiting for what is there");
        FabricCheck.code(FI_ETIMEDOUT, counter.await(3, SHORT), "waiting in vain");
        FabricCheck.refused(FI_EINVAL, () -> counter.await(1, null), "null");
        final FutureTask<Integer> waiter = start(() -> counter.await(3, env.patience(PATIENCE)));
        counter.add(1);
        counter.add(2);
        Check.equal(0, end(env, waiter), "of waiting for 3");
        counter.set(-1);
        FabricCheck.code(0, counter.await(1L << 62, SHORT), "waiting for less than 2^64 - 1");
    }

    private static void failure(final ConformanceEnv env) throws Exception {
        final Counter counter = counter(env);
        final FutureTask<Integer> waiter = start(() -> counter.await(3, env.patience(PATIENCE)));
        while (!waiter.isDone()) {
            Thread.sleep(5);
            counter.addError(1);
        }
        Check.equal(-FI_EAVAIL, end(env, waiter), "of waiting while failures are counted");
    }

    private static void counterWaitObjects(final ConformanceEnv env) {
        final Domain domain = FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG));
        FabricCheck.refused(FI_EINVAL, () -> domain.openCounter(null), "null");
        FabricCheck.refused(FI_ENOSYS, () -> domain.openCounter(WaitObject.MUTEX_COND), "MUTEX_COND");
        for (final WaitObject object : new WaitObject[] {WaitObject.NONE, WaitObject.UNSPEC, WaitObject.YIELD}) {
            final Counter counter = env.own(domain.openCounter(object));
            Check.equal(object, counter.waitObject(), "wait object");
            Check.equal(-1, counter.fd(), "descriptor");
            counter.add(1);
            FabricCheck.code(object == WaitObject.NONE ? FI_ENOSYS : 0, counter.await(1, SHORT), "waiting");
        }
        final Counter counter = env.own(domain.openCounter(WaitObject.FD));
        Check.that(counter.fd() >= 0, "no descriptor");
        FabricCheck.code(0, counter.tryWait(), "tryWait at first");
        Check.that(!Readable.within(counter.fd(), SHORT), "readable, and nothing has changed");
        counter.add(1);
        Check.that(Readable.within(counter.fd(), env.patience(PATIENCE)), "not readable, and it was added to");
        Check.equal(1L, counter.read(), "count");
        FabricCheck.code(FI_EAGAIN, counter.tryWait(), "tryWait after a change");
        FabricCheck.code(0, counter.tryWait(), "tryWait again");
        Check.that(!Readable.within(counter.fd(), SHORT), "readable, and nothing has changed since");
    }

    private static void endpoint(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Domain nearDomain = group.openDomain();
        final Counter sent = env.own(nearDomain.openCounter());
        final Counter received = env.own(nearDomain.openCounter());
        final Peer near = group.join(nearDomain, options ->
            options.counter(sent, CounterEvent.SEND).counter(received, CounterEvent.RECV));
        final Peer far = group.join();
        FabricCheck.refused(FI_EBUSY, sent::close, "a counter with an endpoint");
        for (int i = 1; i <= 3; i++) {
            near.expectMessagesFlow(far);
            Check.equal((long) i, sent.read(), "sent");
            Check.equal(i - 1L, received.read(), "received");
            far.expectMessagesFlow(near);
            Check.equal((long) i, sent.read(), "sent");
            Check.equal((long) i, received.read(), "received");
        }
        Check.equal(0L, sent.readError() + received.readError(), "failures");
        near.endpoint().close();
        sent.close();
    }

    private static void selective(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Domain domain = group.openDomain();
        final Counter sent = env.own(domain.openCounter());
        final Peer near = group.join(domain, options ->
            options.selectiveCompletion(true).counter(sent, CounterEvent.SEND));
        final Peer far = group.join();
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        for (int i = 0; i < 4; i++) {
            far.receive(to, 0, 64, i);
            near.send(from, 0, 10, near.to(far), i);
            far.next().expectLength(10);
        }
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        while (sent.read() < 4) {
            group.progress();
            Check.that(System.nanoTime() - deadline < 0, "%d of 4 sends were counted", sent.read());
        }
        Check.that(!near.ready(), "success was told that nobody asked for");
    }

    private static void failures(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Domain domain = group.openDomain();
        final Counter received = env.own(domain.openCounter());
        final Peer near = group.join(domain, options -> options.counter(received, CounterEvent.RECV));
        final Peer far = group.join();
        near.receive(near.buffer(PAGE), 0, 10, 1);
        far.send(far.buffer(PAGE), 0, 20, far.to(near), 2);
        near.next().expectError(1, FI_ETRUNC);
        Check.equal(1L, received.readError(), "failures");
        Check.equal(0L, received.read(), "successes");
        far.next();
        far.expectMessagesFlow(near);
        Check.equal(1L, received.read(), "successes");
        FabricCheck.code(FI_ETIMEDOUT, received.await(5, SHORT), "waiting after a failure that is known");
    }

    private static void wakes(final ConformanceEnv env) throws Exception {
        final PeerGroup group = PeerGroup.reliable(env);
        final Domain domain = group.openDomain();
        final Counter received = env.own(domain.openCounter());
        final Peer near = group.join(domain, options -> options.counter(received, CounterEvent.RECV));
        final Peer far = group.join();
        final FutureTask<Integer> waiter = start(() -> received.await(2, env.patience(PATIENCE)));
        far.expectMessagesFlow(near);
        far.expectMessagesFlow(near);
        Check.equal(0, end(env, waiter), "of waiting for two messages");
    }
}
