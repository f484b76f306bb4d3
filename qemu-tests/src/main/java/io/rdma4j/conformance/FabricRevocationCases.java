/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EKEYREJECTED;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OperationKind;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Regions that are closed are out of reach when close() returns; what peers still hold of them is harmless. */
final class FabricRevocationCases {
    private static final int PAGE = 4096;
    private static final long KEY = 0x77;
    private static final int WAIT_SECONDS = 10;

    private FabricRevocationCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            FabricRmaCases.rma("fabric.closedRegionIsOutOfReachOfPeers", FabricRevocationCases::closed),
            FabricRmaCases.rma("fabric.closedRegionBreaksNothingElse", FabricRevocationCases::nothingElse),
            FabricRmaCases.rma("fabric.closedKeyUsedAgainReachesTheNewRegion", FabricRevocationCases::usedAgain),
            FabricRmaCases.rma("fabric.closedProviderKeysReachNothing", FabricRevocationCases::providerKeys),
            FabricRmaCases.rma("fabric.closedRawKeysReachNothing", FabricRevocationCases::rawKeys),
            FabricRmaCases.rma("fabric.closeUnderLoadIsAWall", FabricRevocationCases::underLoad)
                .within(Duration.ofSeconds(60)),
            FabricRmaCases.rma("fabric.regionsOfOtherKeysAreOutOfReach", FabricRevocationCases::authKeys));
    }

    private static void closed(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        for (int round = 0; round < env.times(3, 20); round++) {
            final FabricMemory to = FabricRmaCases.target(pair, PAGE);
            final long remote = to.remote(0);
            final long key = to.region().key();
            FabricRmaCases.expectWritten(env, pair, from, to, 100, remote + 100, key);
            to.region().close();
            to.guard();
            final FabricWc wc = FabricRmaCases.write(pair, from, 8, remote, key);
            Check.that(wc.errno() == FI_EKEYREJECTED, "a write to a closed region: %s", wc);
            to.expectGuard(0, PAGE, "after the region was closed");
            pair.expectMessagesFlow();
        }
    }

    /** The other direction, other regions and messages go on, while one key after the other dies. */
    private static void nothingElse(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory stays = pair.far().memory(PAGE, KEY + 1, MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
        final FabricMemory back = pair.near().memory(PAGE, KEY, MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
        final FabricMemory source = pair.far().memory(PAGE, 0, MrAccess.WRITE);
        for (int round = 0; round < env.times(3, 20); round++) {
            final FabricMemory dies = pair.far().memory(PAGE, KEY + 2, MrAccess.REMOTE_WRITE);
            final long remote = dies.remote(0);
            final long key = dies.region().key();
            FabricRmaCases.expectWritten(env, pair, from, dies, 100, remote + 100, key);
            dies.region().close();
            Check.that(FabricRmaCases.write(pair, from, 8, remote, key).errno() != 0, "a closed region was written");
            final int seed = round;
            source.fill(seed, 0, 64);
            pair.far().post(() -> pair.far().endpoint().write(source.at(0), 64, source.region(), back.remote(0),
                back.region().key(), 3), "write back");
            pair.far().next().expect(3, OperationKind.WRITE);
            back.expectPattern(seed, 0, 64, "written back");
            FabricRmaCases.expectWritten(env, pair, from, stays, 100, stays.remote(100), stays.region().key());
            pair.expectMessagesFlow();
        }
    }

    /** The peer still has the closed region in its memory; the new one has the same key, and other bytes. */
    private static void usedAgain(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        if (pair.info().mrMode().contains(MrMode.PROV_KEY)) {
            throw env.skip("keys are the provider's: %s", pair.info().why(MrMode.PROV_KEY));
        }
        final FabricMemory from = pair.nearMemory(PAGE);
        FabricMemory old = FabricRmaCases.target(pair, PAGE);
        FabricRmaCases.expectWritten(env, pair, from, old, 100, old.remote(100), old.region().key());
        for (int round = 0; round < env.times(5, 50); round++) {
            old.region().close();
            old.guard();
            final FabricMemory fresh = FabricRmaCases.target(pair, PAGE);
            Check.equal(old.region().length(), fresh.region().length(), "length");
            FabricRmaCases.expectWritten(env, pair, from, fresh, 200, fresh.remote(200), fresh.region().key());
            old.expectGuard(0, PAGE, "the closed region in round " + round);
            old = fresh;
        }
    }

    private static void providerKeys(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.of(env, hints ->
            hints.capabilities(Capability.MSG, Capability.RMA).demand(MrMode.PROV_KEY));
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = FabricRmaCases.target(pair, PAGE);
        final long remote = to.remote(0);
        final long key = to.region().key();
        FabricRmaCases.expectWritten(env, pair, from, to, 100, remote + 100, key);
        to.region().close();
        to.guard();
        Check.that(FabricRmaCases.write(pair, from, 8, remote, key).errno() != 0, "a closed region was written");
        to.expectGuard(0, PAGE, "after the region was closed");
        pair.expectMessagesFlow();
        final FabricMemory next = FabricRmaCases.target(pair, PAGE);
        FabricRmaCases.expectWritten(env, pair, from, next, 100, next.remote(100), next.region().key());
    }

    private static void rawKeys(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.of(env, hints ->
            hints.capabilities(Capability.MSG, Capability.RMA).demand(MrMode.RAW));
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = FabricRmaCases.target(pair, PAGE);
        final byte[] raw = new byte[to.region().rawKeySize()];
        final long base = to.region().rawAttributes(raw);
        final long key = pair.near().domain().mapRaw(base, raw);
        FabricRmaCases.expectWritten(env, pair, from, to, 100, base + 100, key);
        to.region().close();
        to.guard();
        Check.that(FabricRmaCases.write(pair, from, 8, base, key).errno() != 0, "a closed region was written");
        to.expectGuard(0, PAGE, "after the region was closed");
        pair.near().domain().unmapKey(key);
        pair.expectMessagesFlow();
    }

    /**
     * A peer writes without a pause; as soon as close() has returned the memory belongs to this side alone. Its own
     * thread reads the peer's queue, as its own process would.
     */
    private static void underLoad(final ConformanceEnv env) throws Exception {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final AtomicLong remote = new AtomicLong();
        final AtomicLong key = new AtomicLong();
        final AtomicInteger round = new AtomicInteger();
        final AtomicLong written = new AtomicLong();
        final FutureTask<Void> writer = new FutureTask<>(
            load(pair, from, remote, key, round, written));
        pair.near().alone();
        pair.far().alone();
        final Thread thread = new Thread(writer, "fabric.closeUnderLoad writer");
        thread.setDaemon(true);
        try {
            for (int i = 1; i <= env.times(10, 60); i++) {
                final FabricMemory to = pair.far().memory(PAGE, KEY + i, MrAccess.REMOTE_WRITE);
                remote.set(to.remote(0));
                key.set(to.region().key());
                final long before = written.get();
                round.set(i);
                if (i == 1) {
                    thread.start();
                }
                awaitTraffic(env, pair, writer, written, before);
                to.region().close();
                to.guard();
                awaitNoise(env, pair);
                to.expectGuard(0, PAGE, "after close() had returned in round " + i);
            }
        } finally {
            round.set(-1);
            if (thread.isAlive()) {
                drainUntilDone(env, pair, writer);
            }
        }
        writer.get(1, TimeUnit.MILLISECONDS);
        env.moved(written.get());
    }

    private static Callable<Void> load(
        final FabricPair pair, final FabricMemory from, final AtomicLong remote, final AtomicLong key,
        final AtomicInteger round, final AtomicLong written) {
        return () -> {
            final MsgEndpoint endpoint = pair.near().endpoint();
            while (round.get() >= 0) {
                final long to = remote.get();
                final long by = key.get();
                pair.near().post(() -> endpoint.write(from.at(0), 512, from.region(), to, by, 5), "write");
                if (pair.near().next().errno() == 0) {
                    written.incrementAndGet();
                }
            }
            return null;
        };
    }

    private static void awaitTraffic(
        final ConformanceEnv env, final FabricPair pair, final FutureTask<Void> writer, final AtomicLong written,
        final long before) throws Exception {
        final long deadline = System.nanoTime()
            + env.patience(Duration.ofSeconds(WAIT_SECONDS)).toNanos();
        while (written.get() < before + 20) {
            pair.far().ready();
            if (writer.isDone()) {
                writer.get();
            }
            Check.that(System.nanoTime() - deadline < 0, "only %d writes to the region of this round",
                written.get() - before);
        }
    }

    /** Gives the writer time for more attempts. */
    private static void awaitNoise(final ConformanceEnv env, final FabricPair pair) {
        final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(env.times(2, 5));
        while (System.nanoTime() - end < 0) {
            pair.far().ready();
            Thread.onSpinWait();
        }
    }

    private static void drainUntilDone(
        final ConformanceEnv env, final FabricPair pair, final FutureTask<Void> writer) {
        final long deadline = System.nanoTime()
            + env.patience(Duration.ofSeconds(WAIT_SECONDS)).toNanos();
        while (!writer.isDone() && System.nanoTime() - deadline < 0) {
            pair.far().ready();
        }
        Check.that(writer.isDone(), "the writer does not end");
    }

    private static void authKeys(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = pair.far().memory(PAGE).guard();
        final Domain there = pair.far().domain();
        final byte[] secret = {9, 8, 7};
        final MemoryRegion region;
        try {
            region = env.own(there.register(new MrAttributes().buffer(to.pinned())
                .access(MrAccess.REMOTE_WRITE).requestedKey(KEY).authKey(secret)));
        } catch (final FabricException e) {
            throw new AssertionError("a region with a key of its own: " + FiErrno.name(e.errno()), e);
        }
        Check.that(FabricRmaCases.write(pair, from, 8, region.base(), region.key()).errno() != 0,
            "a region of another authorization key was written");
        to.expectGuard(0, PAGE, "a region of another authorization key");
        final FabricSide near = FabricSide.of(env, pair.near().domain(), secret);
        final FabricSide far = FabricSide.of(env, there, secret);
        near.connect(far);
        final FabricMemory source = near.memory(PAGE).fill(3, 0, 64);
        near.post(() -> near.endpoint().write(source.at(0), 64, null, region.base(), region.key(), 5), "write");
        near.next().expect(5, OperationKind.WRITE);
        to.expectOnly(3, 0, 64, "by an endpoint with the key");
        Check.that(Set.of(MrAccess.REMOTE_WRITE).equals(region.access()), "rights of %s", region);
        env.moved(64);
    }
}
