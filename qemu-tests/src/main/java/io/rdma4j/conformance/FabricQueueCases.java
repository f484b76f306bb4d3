/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EAGAIN;
import static io.rdma4j.fabric.FiErrno.FI_EAVAIL;
import static io.rdma4j.fabric.FiErrno.FI_EBADFD;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_ENOSYS;
import static io.rdma4j.fabric.FiErrno.FI_ETRUNC;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.CqFormat;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.WaitObject;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Completion queues of the fabric layer: entries in memory, failures in their place, waiting, descriptors. */
final class FabricQueueCases {
    private static final int PAGE = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    private static final Duration SHORT = Duration.ofMillis(20);
    /** FI_MSG | FI_RECV and FI_MSG | FI_SEND, bits of rdma/fabric.h. */
    private static final long RECEIVED = 1L << 1 | 1L << 10;
    private static final long SENT = 1L << 1 | 1L << 11;
    private static final long REMOTE_CQ_DATA = 1L << 17;

    private FabricQueueCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("cq.entriesHaveTheFormatThatWasAskedFor", FabricQueueCases::formats),
            ConformanceCase.of("cq.entriesTellDataAndSource", FabricQueueCases::dataAndSource),
            ConformanceCase.of("cq.failuresStandInTheirPlace", FabricQueueCases::failures),
            ConformanceCase.of("cq.waitEndsWithACompletionOrInTime", FabricQueueCases::await),
            ConformanceCase.of("cq.waitEndsWithASignal", FabricQueueCases::signal),
            ConformanceCase.of("cq.waitObjectsAreAsAskedFor", FabricQueueCases::waitObjects),
            ConformanceCase.of("cq.descriptorTellsOfCompletions", FabricQueueCases::descriptor),
            ConformanceCase.of("cq.descriptorTellsOfConnectionsToo", FabricQueueCases::descriptorWhileConnecting),
            ConformanceCase.of("cq.limitOfZeroMakesProgressOnly", FabricQueueCases::progressOnly),
            ConformanceCase.of("cq.oneForEachDirection", FabricQueueCases::directions),
            ConformanceCase.of("cq.fabricQueuesRefuseNonsense", FabricQueueCases::nonsense));
    }

    /** Two endpoints of one domain, the far one with a queue of its own making. */
    private static final class Pair {
        private final ConformanceEnv env;
        private final PeerGroup group;
        private final Peer near;
        private final Peer far;
        private final CompletionQueue queue;
        private final FabricMemory from;
        private final FabricMemory to;

        Pair(final ConformanceEnv env, final EndpointType type, final CqAttributes attributes) {
            this.env = env;
            group = PeerGroup.of(env, type);
            near = group.join();
            final Domain domain = group.openDomain();
            queue = env.own(domain.openCompletionQueue(attributes));
            far = group.join(domain, options -> options.completionQueue(queue));
            group.drive(queue);
            from = near.buffer(PAGE);
            to = far.buffer(PAGE);
        }

        void message(final int length, final int room, final long context) {
            far.receive(to, 0, room, context);
            near.send(from, 0, length, near.to(far), 1);
            near.next().expect(1, OperationKind.SEND);
            env.moved(length);
        }

        /** Reads until there is something. */
        int read(final UnsafeBuffer entries, final int count) {
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            while (true) {
                final int code = queue.read(entries, 0, count);
                if (code != -FI_EAGAIN) {
                    return code;
                }
                group.progress();
                Check.that(System.nanoTime() - deadline < 0, "no completion in time; %s", far.endpoint());
            }
        }
    }

    private static void formats(final ConformanceEnv env) {
        for (final CqFormat format : CqFormat.values()) {
            final Pair pair = new Pair(env, EndpointType.DGRAM, new CqAttributes().format(format));
            final CqFormat wanted = format == CqFormat.UNSPEC ? CqFormat.DATA : format;
            Check.equal(wanted, pair.queue.format(), "format of a queue that was opened with %s", format);
            final int size = wanted.size();
            final UnsafeBuffer entries = new UnsafeBuffer(new byte[4 * size]);
            entries.setMemory(0, 4 * size, (byte) 0xa5);
            Check.equal(-FI_EAGAIN, pair.queue.read(entries, 0, 4), "reading an empty queue");
            pair.message(30, 64, 0x1234_5678_9abcL);
            Check.equal(1, pair.read(entries, 4), "read");
            Check.equal(0x1234_5678_9abcL, entries.getLong(0), "context");
            if (size >= CqFormat.MSG.size()) {
                Check.equal(RECEIVED, entries.getLong(8) & ~REMOTE_CQ_DATA, "flags of a receive");
                Check.equal(30L, entries.getLong(16), "length");
            }
            Check.equal((byte) 0xa5, entries.getByte(size), "byte behind the entry");
            pair.far.post(() -> pair.far.endpoint().inject(entries, 0, 1, pair.far.to(pair.near)), "inject");
            pair.far.send(pair.to, 0, 1, pair.far.to(pair.near), 77);
            pair.near.receive(pair.from, 0, 64, 1);
            pair.near.receive(pair.from, 0, 64, 1);
            Check.equal(1, pair.read(entries, 4), "read");
            Check.equal(77L, entries.getLong(0), "context of a send");
            Check.that(size < CqFormat.MSG.size() || entries.getLong(8) == SENT, "flags of a send");
        }
    }

    private static void dataAndSource(final ConformanceEnv env) {
        final Pair pair = new Pair(env, EndpointType.RDM, new CqAttributes().format(CqFormat.DATA));
        final long name = pair.far.to(pair.near);
        pair.far.receive(pair.to, 0, 64, 5);
        pair.near.post(() -> pair.near.endpoint().sendWithData(pair.from.at(0), 9, pair.from.region(), -2,
            pair.near.to(pair.far), 1), "send with data");
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[2 * CqFormat.DATA.size()]);
        final long[] sources = {0, 0};
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        int code = -FI_EAGAIN;
        while (code == -FI_EAGAIN) {
            pair.near.readOnce();
            code = pair.queue.readFrom(entries, 0, 2, sources);
            Check.that(System.nanoTime() - deadline < 0, "no completion in time");
        }
        Check.equal(1, code, "read");
        Check.equal(RECEIVED | REMOTE_CQ_DATA, entries.getLong(8), "flags");
        Check.equal(0xffff_fffeL, entries.getLong(32) & 0xffff_ffffL, "data");
        Check.equal(0L, entries.getLong(24), "buffer");
        Check.equal(name, sources[0], "source");
        FabricCheck.code(FI_EINVAL, pair.queue.readFrom(entries, 0, 2, new long[1]), "too few places for sources");
        FabricCheck.code(FI_EINVAL, pair.queue.readFrom(entries, 0, 2, null), "null");
    }

    private static void failures(final ConformanceEnv env) {
        final Pair pair = new Pair(env, EndpointType.RDM, new CqAttributes().format(CqFormat.MSG));
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[8 * CqFormat.MSG.size()]);
        Check.equal(-FI_EAGAIN, pair.queue.readError(entry -> { }), "failures of an empty queue");
        final int[] rooms = {64, 64, 10, 64};
        for (int i = 0; i < rooms.length; i++) {
            pair.far.receive(pair.to, i * 100, rooms[i], i);
        }
        for (int i = 0; i < rooms.length; i++) {
            pair.near.send(pair.from, 0, 20, pair.near.to(pair.far), i);
        }
        final List<Long> read = new ArrayList<>();
        while (read.size() < 4) {
            final int code = pair.read(entries, 8);
            if (code == -FI_EAVAIL) {
                Check.equal(2, read.size(), "completions before the failure");
                Check.equal(-FI_EAVAIL, pair.queue.read(entries, 0, 8), "reading again in front of a failure");
                Check.equal(1, pair.queue.readError(entry -> {
                    Check.equal(FiErrno.name(FI_ETRUNC), FiErrno.name(entry.errno()), "errno");
                    Check.equal(10L, entry.overflow(), "what did not fit");
                    read.add(entry.context());
                }), "failures");
                Check.that(pair.queue.readError(entry -> { }) != 1, "the failure came twice");
            } else {
                for (int i = 0; i < code; i++) {
                    read.add(entries.getLong(i * CqFormat.MSG.size()));
                }
            }
        }
        Check.equal(List.of(0L, 1L, 2L, 3L), read, "order of completions");
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

    private static void await(final ConformanceEnv env) throws Exception {
        for (final EndpointType type : new EndpointType[] {EndpointType.DGRAM, EndpointType.RDM}) {
            final Pair pair = new Pair(env, type, new CqAttributes());
            pair.message(10, 64, 1);
            Check.equal(1, pair.queue.awaitRead(entry -> { }, 5, env.patience(PATIENCE)), "what is there");
            pair.group.driveNoMore();
            Check.equal(-FI_EAGAIN, pair.queue.awaitRead(entry -> { }, 5, Duration.ZERO), "nothing at once");
            Check.equal(-FI_EAGAIN, pair.queue.awaitRead(entry -> { }, 5, SHORT), "nothing in time");
            final UnsafeBuffer entries = new UnsafeBuffer(new byte[PAGE]);
            Check.equal(-FI_EAGAIN, pair.queue.awaitRead(entries, 0, 5, SHORT), "nothing in time");
            pair.far.receive(pair.to, 0, 64, 1);
            final FutureTask<Integer> waiter =
                start(() -> pair.queue.awaitRead(entries, 0, 5, env.patience(PATIENCE)));
            Thread.sleep(30);
            pair.near.send(pair.from, 0, 10, pair.near.to(pair.far), 1);
            pair.near.next();
            Check.equal(1, end(env, waiter), "read by who slept");
        }
    }

    private static void signal(final ConformanceEnv env) throws Exception {
        final Pair pair = new Pair(env, EndpointType.DGRAM, new CqAttributes());
        pair.group.driveNoMore();
        final FutureTask<Integer> waiter =
            start(() -> pair.queue.awaitRead(entry -> { }, 5, env.patience(PATIENCE)));
        pair.queue.signal();
        Check.equal(-FI_EAGAIN, end(env, waiter), "of who was signaled");
        pair.queue.signal();
        Check.equal(-FI_EAGAIN, pair.queue.awaitRead(entry -> { }, 5, env.patience(PATIENCE)), "after a signal");
        Check.equal(-FI_EAGAIN, pair.queue.awaitRead(entry -> { }, 5, SHORT), "after it was used up");
    }

    private static void waitObjects(final ConformanceEnv env) {
        final Domain domain = FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG));
        for (final WaitObject object : WaitObject.values()) {
            if (object == WaitObject.MUTEX_COND) {
                FabricCheck.refused(FI_ENOSYS, () -> domain.openCompletionQueue(
                    new CqAttributes().waitObject(object)), "MUTEX_COND");
                continue;
            }
            final CompletionQueue queue = env.own(domain.openCompletionQueue(new CqAttributes().waitObject(object)));
            Check.equal(object, queue.waitObject(), "wait object");
            Check.equal(object == WaitObject.FD, queue.fd() >= 0, "whether %s has a descriptor", object);
            Check.equal(object == WaitObject.NONE ? -FI_ENOSYS : -FI_EAGAIN,
                queue.awaitRead(entry -> { }, 1, SHORT), "waiting with %s", object);
            Check.equal(object == WaitObject.FD ? 0 : -FI_ENOSYS, queue.tryWait(), "tryWait with %s", object);
        }
    }

    private static void descriptor(final ConformanceEnv env) {
        for (final EndpointType type : new EndpointType[] {EndpointType.DGRAM, EndpointType.RDM}) {
            final Pair pair = new Pair(env, type, new CqAttributes().waitObject(WaitObject.FD));
            pair.message(10, 64, 1);
            Check.equal(1, pair.queue.awaitRead(entry -> { }, 1, env.patience(PATIENCE)), "read");
            pair.group.driveNoMore();
            for (int round = 0; round < env.times(2, 10); round++) {
                pair.far.receive(pair.to, 0, 64, round);
                untilItSleeps(env, pair);
                pair.near.send(pair.from, 0, 10, pair.near.to(pair.far), 1);
                Check.equal(1, readByDescriptor(env, pair), "read");
                pair.near.next();
            }
        }
    }

    /** What a program does that waits in epoll, once it has asked: wait, and read only when it is told; ask again. */
    private static int readByDescriptor(final ConformanceEnv env, final Pair pair) {
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        boolean asked = true;
        while (true) {
            pair.near.readOnce();
            if (!asked || Readable.within(pair.queue.fd(), Duration.ofMillis(5))) {
                final int count = pair.queue.read(entry -> { }, 4);
                if (count != 0) {
                    return count;
                }
                asked = pair.queue.tryWait() == 0;
            }
            Check.that(System.nanoTime() - deadline < 0, "no completion, or the descriptor tells of none; %s",
                pair.far.endpoint());
        }
    }

    /** What the endpoint does on its own account, such as telling of room, may wake its reader, but comes to an end. */
    private static void untilItSleeps(final ConformanceEnv env, final Pair pair) {
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        while (pair.queue.tryWait() != 0 || Readable.within(pair.queue.fd(), SHORT)) {
            Check.equal(0, pair.queue.read(entry -> { }, 1), "completions of nothing");
            Check.that(System.nanoTime() - deadline < 0, "there is always something to go on with: %s",
                pair.far.endpoint());
        }
    }

    /** Who waits for the descriptor is woken for a peer that connects, and reads to answer it. */
    private static void descriptorWhileConnecting(final ConformanceEnv env) throws Exception {
        final Pair pair = new Pair(env, EndpointType.RDM, new CqAttributes().waitObject(WaitObject.FD));
        pair.group.driveNoMore();
        pair.far.receive(pair.to, 0, 64, 1);
        final FutureTask<Integer> reader = start(() -> {
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            while (System.nanoTime() - deadline < 0) {
                if (pair.queue.tryWait() == 0 && !Readable.within(pair.queue.fd(), env.patience(PATIENCE))) {
                    return -1;
                }
                final int count = pair.queue.read(entry -> { }, 4);
                if (count != 0) {
                    return count;
                }
            }
            return -2;
        });
        pair.near.send(pair.from, 0, 10, pair.near.to(pair.far), 1);
        pair.near.next().expect(1, OperationKind.SEND);
        Check.equal(1, end(env, reader), "read by who is only woken");
    }

    private static void progressOnly(final ConformanceEnv env) {
        final Pair pair = new Pair(env, EndpointType.RDM, new CqAttributes());
        pair.group.driveNoMore();
        pair.far.receive(pair.to, 0, 64, 1);
        pair.near.send(pair.from, 0, 10, pair.near.to(pair.far), 1);
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        while (!pair.near.ready()) {
            Check.equal(0, pair.queue.read(entry -> { }, 0), "taken with a limit of 0");
            Check.that(System.nanoTime() - deadline < 0, "no progress");
        }
        Check.equal(1, pair.queue.awaitRead(entry -> { }, 4, env.patience(PATIENCE)), "read");
    }

    private static void directions(final ConformanceEnv env) {
        for (final EndpointType type : new EndpointType[] {EndpointType.DGRAM, EndpointType.RDM}) {
            final PeerGroup group = PeerGroup.of(env, type);
            final Peer near = group.join();
            final Domain domain = group.openDomain();
            final CompletionQueue sent = env.own(domain.openCompletionQueue(8));
            final Peer far = group.join(domain, options -> options.completionQueues(sent, options.receiveQueue()));
            group.drive(sent);
            near.exchange(far, near.buffer(PAGE), far.buffer(PAGE), 70, 100);
            near.receive(near.buffer(PAGE), 0, 64, 1);
            far.send(far.buffer(PAGE), 0, 10, far.to(near), 3);
            near.next().expectLength(10);
            final List<FabricWc> read = new ArrayList<>();
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            while (read.isEmpty()) {
                group.progress();
                sent.read(entry -> read.add(FabricWc.of(entry)), 4);
                Check.that(System.nanoTime() - deadline < 0, "no completion of the send; %s", far.endpoint());
            }
            Check.equal(3L, read.get(0).context(), "context");
            Check.that(!far.ready(), "a send completed in the queue of receives");
        }
    }

    private static void nonsense(final ConformanceEnv env) {
        final Domain domain = FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG));
        FabricCheck.refused(FI_EINVAL, () -> domain.openCompletionQueue(null), "null");
        FabricCheck.refused(FI_EINVAL, () -> domain.openCompletionQueue(new CqAttributes().size(-1)), "a size of -1");
        FabricCheck.refused(FI_EINVAL, () -> domain.openCompletionQueue(new CqAttributes().format(null)), "no format");
        final CompletionQueue queue = env.own(domain.openCompletionQueue(new CqAttributes().format(CqFormat.MSG)));
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[2 * CqFormat.MSG.size()]);
        FabricCheck.code(FI_EINVAL, queue.read(entries, 0, 3), "more than the buffer holds");
        FabricCheck.code(FI_EINVAL, queue.read(entries, 1, 2), "a range that leaves the buffer");
        FabricCheck.code(FI_EINVAL, queue.read(entries, -1, 1), "a negative offset");
        FabricCheck.code(FI_EINVAL, queue.read(entries, 0, 0), "a count of 0");
        FabricCheck.code(FI_EINVAL, queue.read(entries, 0, Integer.MAX_VALUE), "a count that overflows");
        FabricCheck.code(FI_EINVAL, queue.read(null, 0, 1), "null");
        FabricCheck.code(FI_EINVAL, queue.read(null, 1), "null");
        FabricCheck.code(FI_EINVAL, queue.readError(null), "null");
        FabricCheck.code(FI_EINVAL, queue.awaitRead(entry -> { }, 0, SHORT), "a limit of 0");
        FabricCheck.code(FI_EINVAL, queue.awaitRead(entry -> { }, 1, null), "no timeout");
        queue.close();
        FabricCheck.code(FI_EBADFD, queue.read(entries, 0, 1), "a closed queue");
        FabricCheck.code(FI_EBADFD, queue.read(entry -> { }, 1), "a closed queue");
    }
}
