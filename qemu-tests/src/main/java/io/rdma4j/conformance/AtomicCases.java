/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Compare-and-swap and fetch-and-add of 64 bits: values, order, alignment, and many at once. */
final class AtomicCases {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private AtomicCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            atomic("atomic.compareAndSwapValues", AtomicCases::swapValues),
            atomic("atomic.fetchAndAddValues", AtomicCases::addValues),
            atomic("atomic.neighboursStay", AtomicCases::neighbours),
            atomic("atomic.orderWithinAQueue", AtomicCases::order),
            atomic("atomic.oldValueGoesToAnyAddress", AtomicCases::anyLocalAddress),
            atomic("atomic.refusesAddressesThatAreNotAligned", AtomicCases::notAligned).needs(Feature.QP_FLUSH),
            atomic("atomic.refusesOtherLengths", AtomicCases::otherLengths),
            atomic("atomic.severalQpsAddToOneWord", AtomicCases::severalQps).within(Duration.ofSeconds(60)),
            atomic("atomic.againstTheProcessor", AtomicCases::againstProcessor).within(Duration.ofSeconds(60)),
            atomic("atomic.lockOfTwoThreads", AtomicCases::lock).within(Duration.ofSeconds(60)));
    }

    private static ConformanceCase atomic(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.ATOMICS, Feature.REMOTE_KEYS);
    }

    private static void swapValues(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(64);
        final Memory word = pair.far().memory(64, REMOTE_ATOMIC);
        final long[] values =
            {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x0123_4567_89ab_cdefL, 0xffff_ffffL, 1L << 32};
        for (final long before : values) {
            for (final long expected : values) {
                final long value = before * 31 + expected + 7;
                word.buffer().putLong(8, before);
                old.buffer().putLong(16, ~before);
                Check.ok(pair.nearQp().postSend(
                    OneSided.compareAndSwap(old, 16, word, 8, expected, value).wrId(before)), "post");
                pair.near().sent().next().expect(before, WcOpcode.COMP_SWAP).expectBytes(8);
                Check.equal(before, old.buffer().getLong(16), "old value");
                Check.equal(before == expected ? value : before, word.buffer().getLong(8),
                    "word 0x%x, expected 0x%x, new 0x%x: value afterwards", before, expected, value);
                env.moved(8);
            }
        }
    }

    private static void addValues(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(64);
        final Memory word = pair.far().memory(64, REMOTE_ATOMIC);
        final long[] values = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0xffff_ffffL, 0x8000_0000L, -17};
        for (final long before : values) {
            for (final long increment : values) {
                word.buffer().putLong(0, before);
                Check.ok(pair.nearQp().postSend(
                    OneSided.fetchAndAdd(old, 0, word, 0, increment).wrId(increment)), "post");
                pair.near().sent().next().expect(increment, WcOpcode.FETCH_ADD).expectBytes(8);
                Check.equal(before, old.buffer().getLong(0), "old value");
                Check.equal(before + increment, word.buffer().getLong(0), "0x%x plus 0x%x", before, increment);
                env.moved(8);
            }
        }
    }

    private static void neighbours(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(4096).guard();
        final Memory word = pair.far().memory(4096, REMOTE_ATOMIC).guard();
        for (final int at : new int[] {0, 8, 56, 64, 4088}) {
            word.buffer().putLong(at, -1);
            Check.ok(pair.nearQp().postSend(OneSided.fetchAndAdd(old, 100, word, at, 1)), "post");
            pair.near().sent().next().expect(0, WcOpcode.FETCH_ADD);
            Check.equal(0L, word.buffer().getLong(at), "word at %d", at);
            word.expectGuard(0, at, "before the word at " + at);
            word.expectGuard(at + 8, 4096, "behind the word at " + at);
            old.expectGuard(0, 100, "before the old value");
            old.expectGuard(108, 4096, "behind the old value");
            word.guard();
            env.moved(8);
        }
    }

    /** Each sees what the one before has left; as many as the queue holds, with one doorbell. */
    private static void order(final ConformanceEnv env) {
        final int count = 32;
        final RcPair pair = RcPair.allowing(env, count, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(8 * count);
        final Memory word = pair.far().memory(8, REMOTE_ATOMIC);
        final SendRequest[] all = new SendRequest[count];
        for (int round = 0; round < env.times(10, 100); round++) {
            final long start = env.random().nextLong();
            word.buffer().putLong(0, start);
            for (int i = 0; i < count; i++) {
                all[i] = i % 2 == 0 ? OneSided.fetchAndAdd(old, 8 * i, word, 0, 1).wrId(i)
                    : OneSided.compareAndSwap(old, 8 * i, word, 0, start + i, start + i + 1).wrId(i);
            }
            Check.equal(count, pair.nearQp().postSend(all, count), "posted");
            for (int i = 0; i < count; i++) {
                pair.near().sent().next().expect(i, i % 2 == 0 ? WcOpcode.FETCH_ADD : WcOpcode.COMP_SWAP);
                Check.equal(start + i, old.buffer().getLong(8 * i), "what request %d found", i);
                env.moved(8);
            }
            Check.equal(start + count, word.buffer().getLong(0), "value at the end");
        }
    }

    /** Only the peer's address must be aligned. */
    private static void anyLocalAddress(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(2 * 4096).guard();
        final Memory word = pair.far().memory(8, REMOTE_ATOMIC);
        for (final int at : new int[] {1, 4, 4093, 4095}) {
            word.buffer().putLong(0, 0x0102_0304_0506_0708L);
            Check.ok(pair.nearQp().postSend(OneSided.fetchAndAdd(old, at, word, 0, 1)), "post");
            pair.near().sent().next().expect(0, WcOpcode.FETCH_ADD);
            Check.equal(0x0102_0304_0506_0708L, old.buffer().getLong(at), "old value at offset %d", at);
            old.guard();
            env.moved(8);
        }
    }

    private static void notAligned(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory old = refusal.near().memory(64).guard();
        final Memory word = refusal.far().memory(64, REMOTE_ATOMIC).guard();
        if (env.isPeculiar(env.device(), "misaligned-atomics-are-not-posted")) {
            Check.code(ReturnCode.INVALID_REQUEST, refusal.with(REMOTE_ATOMIC).pair().nearQp()
                .postSend(OneSided.fetchAndAdd(old, 0, word, 4, 1)), "an address that is not aligned");
            return;
        }
        for (final int offset : new int[] {1, 2, 4, 7, 9}) {
            refusal.with(REMOTE_ATOMIC).byPeer(OneSided.fetchAndAdd(old, 0, word, offset, 1),
                WcStatus.REM_INV_REQ_ERR, AsyncEventType.QP_REQ_ERR);
            refusal.with(REMOTE_ATOMIC).byPeer(OneSided.compareAndSwap(old, 0, word, offset, 0, 1),
                WcStatus.REM_INV_REQ_ERR, AsyncEventType.QP_REQ_ERR);
        }
        old.expectGuard(0, 64, "old value");
        word.expectGuard(0, 64, "word");
    }

    private static void otherLengths(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 2, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(64).guard();
        final Memory word = pair.far().memory(64, REMOTE_ATOMIC).guard();
        for (final SendOpcode opcode : List.of(SendOpcode.ATOMIC_CMP_AND_SWP, SendOpcode.ATOMIC_FETCH_AND_ADD)) {
            for (final int length : new int[] {0, 1, 4, 7, 9, 16}) {
                Check.code(ReturnCode.INVALID_REQUEST, pair.nearQp().postSend(new SendRequest().opcode(opcode)
                    .sge(old.at(0), length, old.lkey()).remote(word.at(0), word.rkey())), opcode + " of " + length);
            }
            Check.code(ReturnCode.INVALID_REQUEST, pair.nearQp().postSend(new SendRequest().opcode(opcode)
                .remote(word.at(0), word.rkey())), opcode + " without an element");
            Check.code(ReturnCode.INVALID_REQUEST, pair.nearQp().postSend(new SendRequest(2).opcode(opcode)
                .addSge(old.at(0), 4, old.lkey()).addSge(old.at(8), 4, old.lkey())
                .remote(word.at(0), word.rkey())), opcode + " of two elements");
        }
        word.expectGuard(0, 64, "word");
        pair.exchange(old, 0, word, 0, 64);
    }

    /** Several threads, each with a connection of its own: every old value is seen once, and none is lost. */
    private static void severalQps(final ConformanceEnv env) throws Exception {
        final int threads = 4;
        final int rounds = env.times(100, 1000);
        final Memory[] words = new Memory[1];
        final List<FutureTask<long[]>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            final Node far = Node.far(env, 8);
            final RcPair pair = RcPair.allowing(env, Node.near(env, 8), far, 8, 1, REMOTE_ATOMIC);
            if (i == 0) {
                words[0] = far.memory(8, REMOTE_ATOMIC);
            }
            final int rkey = words[0].allowing(env, far.pd(), 0, 8, LOCAL_WRITE, REMOTE_ATOMIC).rkey();
            final Memory old = pair.near().memory(8);
            tasks.add(start("adder " + i, () -> {
                final long[] seen = new long[rounds];
                final SendRequest add = OneSided.fetchAndAdd(old, 0, words[0], 0, 1).remote(words[0].at(0), rkey);
                for (int k = 0; k < rounds; k++) {
                    Check.ok(pair.nearQp().postSend(add.wrId(k)), "post");
                    pair.near().sent().next().expect(k, WcOpcode.FETCH_ADD);
                    seen[k] = old.buffer().getLong(0);
                    env.moved(8);
                }
                return seen;
            }));
        }
        final boolean[] found = new boolean[threads * rounds];
        for (final FutureTask<long[]> task : tasks) {
            long last = -1;
            for (final long value : task.get(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS)) {
                Check.that(value > last && value < found.length && !found[(int) value],
                    "old value %d after %d, or seen by another", value, last);
                found[(int) value] = true;
                last = value;
            }
        }
        Check.equal((long) threads * rounds, words[0].buffer().getLong(0), "sum");
    }

    private static <T> FutureTask<T> start(final String name, final Callable<T> body) {
        final FutureTask<T> task = new FutureTask<>(body);
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** The processor adds to the same word; that is atomic on devices that say so, as the emulated device is. */
    private static void againstProcessor(final ConformanceEnv env) throws Exception {
        if (!env.peer().address().startsWith("emulated:")) {
            throw env.skip("only the emulated device promises that its atomics and the processor's exclude each other");
        }
        final int rounds = env.times(500, 5000);
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(8);
        final Memory word = pair.far().memory(8, REMOTE_ATOMIC);
        final FutureTask<Void> processor = start("processor", () -> {
            for (int i = 0; i < rounds; i++) {
                word.buffer().getAndAddLong(0, 1L << 32);
            }
            return null;
        });
        for (int i = 0; i < rounds; i++) {
            if (i % 2 == 0) {
                Check.ok(pair.nearQp().postSend(OneSided.fetchAndAdd(old, 0, word, 0, 1)), "post");
                pair.near().sent().next().expect(0, WcOpcode.FETCH_ADD);
            } else {
                swapUntilDone(pair, old, word);
            }
            env.moved(8);
        }
        processor.get(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
        Check.equal((long) rounds << 32 | rounds, word.buffer().getLong(0), "sum of both");
    }

    /** Adds one by compare-and-swap, as often as it takes. */
    private static void swapUntilDone(final RcPair pair, final Memory old, final Memory word) {
        long expected = old.buffer().getLong(0);
        while (true) {
            Check.ok(pair.nearQp().postSend(OneSided.compareAndSwap(old, 0, word, 0, expected, expected + 1)), "post");
            pair.near().sent().next().expect(0, WcOpcode.COMP_SWAP);
            final long found = old.buffer().getLong(0);
            if (found == expected) {
                return;
            }
            expected = found;
        }
    }

    /** A lock in the peer's memory guards a counter there that is read, changed and written back. */
    private static void lock(final ConformanceEnv env) throws Exception {
        if (!env.device().supports(Feature.RDMA_WRITE) || !env.device().supports(Feature.RDMA_READ)) {
            throw env.skip("this takes READ and WRITE beside atomics");
        }
        final int rounds = env.times(30, 300);
        final Node far = Node.far(env, 8);
        final Memory shared = far.memory(128, REMOTE_ATOMIC, REMOTE_READ,
            REMOTE_WRITE);
        final List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            final RcPair pair = RcPair.allowing(env, Node.near(env, 4), far, 4, 1, REMOTE_ATOMIC,
                REMOTE_READ, REMOTE_WRITE);
            final Memory local = pair.near().memory(64);
            tasks.add(start("locker " + i, () -> {
                for (int k = 0; k < rounds; k++) {
                    underLock(pair, local, shared);
                    env.moved(32);
                }
                return null;
            }));
        }
        for (final FutureTask<Void> task : tasks) {
            task.get(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
        }
        Check.equal(2L * rounds, shared.buffer().getLong(64), "counter");
        Check.equal(0L, shared.buffer().getLong(0), "lock at the end");
    }

    private static void underLock(final RcPair pair, final Memory local, final Memory shared) {
        do {
            Check.ok(pair.nearQp().postSend(OneSided.compareAndSwap(local, 0, shared, 0, 0, 1)), "post");
            pair.near().sent().next().expect(0, WcOpcode.COMP_SWAP);
        } while (local.buffer().getLong(0) != 0);
        Check.ok(pair.nearQp().postSend(OneSided.read(local, 8, 8, shared, 64)), "post");
        pair.near().sent().next().expect(0, WcOpcode.RDMA_READ);
        local.buffer().putLong(8, local.buffer().getLong(8) + 1);
        local.buffer().putLong(16, 0);
        final SendRequest[] both = {OneSided.write(local, 8, 8, shared, 64), OneSided.write(local, 16, 8, shared, 0)};
        Check.equal(2, pair.nearQp().postSend(both, 2), "posted");
        pair.near().sent().next(2).forEach(wc -> wc.expect(0, WcOpcode.RDMA_WRITE));
    }
}
