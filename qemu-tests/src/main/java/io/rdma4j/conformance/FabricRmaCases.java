/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EACCES;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_EKEYREJECTED;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.Feature;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** RMA and atomics: where bytes arrive, how peers name memory, what is counted. */
final class FabricRmaCases {
    private static final int PAGE = 4096;
    private static final int BIG = 1 << 20;
    private static final long KEY = 0x4711;

    private FabricRmaCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            rma("fabric.rmaWriteAndReadOfAnySize", FabricRmaCases::sizes),
            rma("fabric.rmaThroughTheCache", FabricRmaCases::cached),
            rma("fabric.rmaKeepsItsOrder", FabricRmaCases::order),
            rma("fabric.rmaWriteWithData", FabricRmaCases::withData),
            rma("fabric.rmaByVirtualAddressAndByOffset", FabricRmaCases::addressing),
            rma("fabric.rmaToSeveralBuffersIsToOneRange", FabricRmaCases::scattered),
            rma("fabric.rmaToBuffersApartIsToOneRange", FabricRmaCases::apart),
            rma("fabric.rmaByEveryKindOfKey", FabricRmaCases::keys),
            rma("fabric.rmaByRawKeys", FabricRmaCases::rawKeys),
            rma("fabric.rmaGoesToTheEndOfARegionAndNotBeyond", FabricRmaCases::bounds),
            rma("fabric.rmaNeedsTheRights", FabricRmaCases::rights),
            rma("fabric.rmaToUnknownKeysFailsAlone", FabricRmaCases::unknown),
            rma("fabric.rmaWriteIsDelivered", FabricRmaCases::delivered),
            atomics("fabric.atomicsOnRemoteWords", FabricRmaCases::atomics),
            atomics("fabric.atomicsOfEveryKind", FabricRmaCases::everyAtomic),
            atomics("fabric.countersCountWritesAndAtomics", FabricRmaCases::counted),
            rma("fabric.rmaReachesNoDisabledRegion", FabricRmaCases::disabled));
    }

    static ConformanceCase rma(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.RDMA_WRITE, Feature.RDMA_READ);
    }

    private static ConformanceCase atomics(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.ATOMICS);
    }

    static FabricMemory target(final FabricPair pair, final int length) {
        return pair.far().target(length, KEY);
    }

    /** Writes a pattern to a place at the peer, and says how that ended. */
    static FabricWc write(
        final FabricPair pair, final FabricMemory from, final int length, final long remote, final long key) {
        pair.near().post(() -> pair.near().endpoint().write(from.at(0), length, from.region(), remote, key, 5),
            "write");
        return pair.near().next();
    }

    static FabricWc read(
        final FabricPair pair, final FabricMemory into, final int length, final long remote, final long key) {
        pair.near().post(() -> pair.near().endpoint().read(into.at(0), length, into.region(), remote, key, 6),
            "read");
        return pair.near().next();
    }

    /** Bytes written to a region arrive at this place of memory, and nowhere else. */
    static void expectWritten(
        final ConformanceEnv env, final FabricPair pair, final FabricMemory from, final FabricMemory to,
        final int offset, final long remote, final long key) {
        final int seed = offset + 77;
        from.fill(seed, 0, 200);
        to.guard();
        write(pair, from, 200, remote, key).expect(5, OperationKind.WRITE);
        to.expectOnly(seed, offset, 200, "written to 0x" + Long.toHexString(remote));
        env.moved(200);
    }

    private static void sizes(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        exchange(env, pair, pair.nearMemory(BIG + PAGE), target(pair, BIG + PAGE));
    }

    private static void cached(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        for (int round = 0; round < 2; round++) {
            exchange(env, pair, pair.near().memory(BIG + PAGE), target(pair, BIG + PAGE));
        }
    }

    private static void exchange(
        final ConformanceEnv env, final FabricPair pair, final FabricMemory here, final FabricMemory there) {
        final MemoryRegion region = there.region();
        for (final int length : new int[] {1, 2, 63, 64, 4095, PAGE, PAGE + 1, 65_537, BIG}) {
            here.fill(length, 0, length);
            there.guard();
            write(pair, here, length, there.remote(70), region.key()).expect(5, OperationKind.WRITE);
            there.expectOnly(length, 70, length, length + " bytes written");
            there.fill(length + 1, 99, length);
            here.guard();
            read(pair, here, length, there.remote(99), region.key()).expect(6, OperationKind.READ);
            here.expectPattern(length + 1, 0, length, length + " bytes read");
            here.expectGuard(length, length + 64, "behind " + length + " bytes read");
            env.moved(2L * length);
        }
        region.close();
    }

    /** A read behind a write brings what was written; the last of many writes to one place stays. */
    private static void order(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory here = pair.nearMemory(24 * 64);
        final FabricMemory there = target(pair, PAGE);
        final MsgEndpoint endpoint = pair.near().endpoint();
        final long key = there.region().key();
        for (int round = 0; round < env.times(5, 50); round++) {
            for (int i = 0; i < 20; i++) {
                final int at = i * 64;
                here.fill(round + i, at, 64);
                pair.near().post(() -> endpoint.write(here.at(at), 64, here.region(), there.remote(0), key, at),
                    "write");
            }
            pair.near().post(() -> endpoint.read(here.at(20 * 64), 64, here.region(), there.remote(0), key, 7),
                "read");
            for (int i = 0; i < 20; i++) {
                pair.near().next().expect(i * 64L, OperationKind.WRITE);
            }
            pair.near().next().expect(7, OperationKind.READ);
            here.expectPattern(round + 19, 20 * 64, 64, "read behind 20 writes");
            env.moved(21 * 64);
        }
    }

    private static void withData(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = target(pair, PAGE);
        final FabricMemory receive = pair.farMemory(64);
        pair.far().post(() -> pair.far().endpoint().receive(receive.at(0), 64, receive.region(), 9), "receive");
        for (int i = 0; i < env.times(50, 200); i++) {
            final int data = i * 0x01010101;
            from.fill(i, 0, 100);
            to.guard();
            pair.near().post(() -> pair.near().endpoint().writeWithData(from.at(0), 100, from.region(), data,
                to.remote(300), to.region().key(), 5), "write with data");
            pair.near().next().expect(5, OperationKind.WRITE);
            final FabricWc told = pair.far().next().expect(0, OperationKind.REMOTE_WRITE);
            Check.that(told.hasData() && told.data() == data, "0x%x was sent, %s came", data, told);
            to.expectOnly(i, 300, 100, "written with data");
            env.moved(100);
        }
        // The receive is still there for a message.
        final FabricMemory message = pair.nearMemory(64).fill(1, 0, 64);
        pair.near().post(() -> pair.near().endpoint().send(message.at(0), 64, message.region(), 4), "send");
        pair.near().next().expect(4, OperationKind.SEND);
        pair.far().next().expect(9, OperationKind.RECEIVE);
    }

    private static void addressing(final ConformanceEnv env) {
        env.skipBetweenKinds("each end has its own MR modes, but agrees on none with the other");
        final FabricPair byAddress =
            FabricPair.of(env, hints -> hints.capabilities(Capability.MSG, Capability.RMA).demand(MrMode.VIRT_ADDR));
        final FabricMemory to = target(byAddress, PAGE);
        Check.equal(to.at(0), to.region().base(), "base with VIRT_ADDR");
        expectWritten(env, byAddress, byAddress.nearMemory(PAGE), to, 100, to.at(100), to.region().key());
        final FabricPair byOffset = FabricPair.rma(env);
        if (!byOffset.info().mrMode().contains(MrMode.VIRT_ADDR)) {
            final FabricMemory other = target(byOffset, PAGE);
            Check.equal(0L, other.region().base(), "base without VIRT_ADDR");
            expectWritten(env, byOffset, byOffset.nearMemory(PAGE), other, 100, 100, other.region().key());
            final MemoryRegion inside = env.own(byOffset.far().domain().register(other.at(1000), 500,
                Set.of(MrAccess.REMOTE_WRITE), KEY + 1));
            expectWritten(env, byOffset, byOffset.nearMemory(PAGE), other, 1007, 7, inside.key());
        }
    }

    private static void scattered(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(3 * PAGE);
        final FabricMemory to = pair.far().memory(8 * PAGE);
        final MemoryRegion region = env.own(pair.far().domain().register(new MrAttributes()
            .access(MrAccess.REMOTE_WRITE, MrAccess.REMOTE_READ).requestedKey(KEY)
            .buffer(to.at(6 * PAGE + 100), PAGE - 100).buffer(to.at(PAGE), PAGE).buffer(to.at(4 * PAGE), 200)));
        final int length = 2 * PAGE + 100;
        from.fill(3, 0, length);
        to.guard();
        write(pair, from, length, region.base(), region.key()).expect(5, OperationKind.WRITE);
        final int first = PAGE - 100;
        for (int i = 0; i < length; i++) {
            final int at = i < first ? 6 * PAGE + 100 + i : i < first + PAGE ? PAGE + i - first
                : 4 * PAGE + i - first - PAGE;
            Check.that(to.buffer().getByte(at) == Memory.pattern(3, i), "byte %d of %d is not at %d", i, length, at);
        }
        to.expectGuard(0, PAGE, "before the second buffer");
        to.expectGuard(2 * PAGE, 4 * PAGE, "between the second and the third");
        to.expectGuard(4 * PAGE + 200, 6 * PAGE + 100, "behind the third");
        from.guard();
        read(pair, from, length, region.base(), region.key()).expect(6, OperationKind.READ);
        from.expectPattern(3, 0, length, "read over all buffers");
        env.moved(2L * length);
    }

    /** Nothing begins or ends at a page: the device has a region for each buffer, peers one key for all. */
    private static void apart(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = pair.far().memory(3 * PAGE);
        final int[] begins = {2 * PAGE + 100, 72, 700};
        final MemoryRegion region = env.own(pair.far().domain().register(
            FabricRegionCases.apart(to, begins, MrAccess.REMOTE_WRITE, MrAccess.REMOTE_READ).requestedKey(KEY)));
        from.fill(3, 0, 600);
        to.guard();
        write(pair, from, 600, region.base(), region.key()).expect(5, OperationKind.WRITE);
        for (int i = 0; i < 600; i++) {
            final byte found = to.buffer().getByte(begins[i / 200] + i % 200);
            Check.that(found == Memory.pattern(3, i), "byte %d is not there", i);
        }
        to.expectGuard(0, 72, "before the second buffer");
        to.expectGuard(272, 700, "between the second and the third");
        to.expectGuard(900, 2 * PAGE + 100, "before the first");
        to.expectGuard(2 * PAGE + 300, 3 * PAGE, "behind the first");
        from.guard();
        read(pair, from, 600, region.base(), region.key()).expect(6, OperationKind.READ);
        from.expectPattern(3, 0, 600, "read over all buffers");
        from.guard();
        read(pair, from, 20, region.base() + 190, region.key()).expect(6, OperationKind.READ);
        Check.that(from.buffer().getByte(19) == Memory.pattern(3, 209), "byte 209 is not the last one read");
        env.moved(2L * 600);
    }

    private static void keys(final ConformanceEnv env) {
        env.skipBetweenKinds("each end has its own MR modes, but agrees on none with the other");
        final FabricPair provider =
            FabricPair.of(env, hints -> hints.capabilities(Capability.MSG, Capability.RMA).demand(MrMode.PROV_KEY));
        final FabricMemory to = target(provider, PAGE);
        expectWritten(env, provider, provider.nearMemory(PAGE), to, 100, to.remote(100), to.region().key());
        final FabricPair own = FabricPair.rma(env);
        if (own.info().mrMode().contains(MrMode.PROV_KEY)) {
            return;
        }
        final FabricMemory from = own.nearMemory(PAGE);
        final FabricMemory there = own.far().memory(16 * PAGE);
        for (int i = 0; i < 16; i++) {
            final MemoryRegion region = env.own(own.far().domain().register(there.at(i * PAGE), PAGE,
                Set.of(MrAccess.REMOTE_WRITE), i * 0x1_0000_0001L));
            expectWritten(env, own, from, there, i * PAGE + 100, region.base() + 100, i * 0x1_0000_0001L);
        }
    }

    private static void rawKeys(final ConformanceEnv env) {
        final FabricPair pair =
            FabricPair.of(env, hints -> hints.capabilities(Capability.MSG, Capability.RMA).demand(MrMode.RAW));
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = target(pair, PAGE);
        final byte[] raw = new byte[to.region().rawKeySize()];
        final long base = to.region().rawAttributes(raw);
        final Domain here = pair.near().domain();
        final long key = here.mapRaw(base, raw);
        expectWritten(env, pair, from, to, 100, base + 100, key);
        here.unmapKey(key);
        to.guard();
        final int code = pair.near().tryPost(() ->
            pair.near().endpoint().write(from.at(0), 8, from.region(), base, key, 5));
        if (code == 0) {
            Check.that(pair.near().next().errno() != 0, "a key that was unmapped was taken");
        }
        to.expectGuard(0, PAGE, "after the key was unmapped");
        pair.expectMessagesFlow();
    }

    private static void bounds(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = pair.far().memory(3 * PAGE);
        final MemoryRegion region = env.own(pair.far().domain().register(to.at(1000), 5000,
            Set.of(MrAccess.REMOTE_WRITE, MrAccess.REMOTE_READ), KEY));
        expectWritten(env, pair, from, to, 1000, region.base(), region.key());
        expectWritten(env, pair, from, to, 5800, region.base() + 4800, region.key());
        to.guard();
        for (final long remote : new long[] {region.base() - 1, region.base() + 4801, region.base() + 5000,
            region.base() + (1L << 40), -100}) {
            final FabricWc wc = write(pair, from, 200, remote, region.key());
            Check.that(wc.errno() == FI_EINVAL, "written to 0x%x of 0x%x: %s", remote, region.base(), wc);
        }
        to.expectGuard(0, 3 * PAGE, "outside of the region");
        expectWritten(env, pair, from, to, 1000, region.base(), region.key());
    }

    private static void rights(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = pair.far().memory(PAGE).guard();
        final Domain there = pair.far().domain();
        final MemoryRegion readable = env.own(there.register(to.at(0), PAGE, Set.of(MrAccess.REMOTE_READ), KEY));
        final MemoryRegion writable = env.own(there.register(to.at(0), PAGE, Set.of(MrAccess.REMOTE_WRITE), KEY + 1));
        from.fill(1, 0, 64);
        write(pair, from, 64, readable.base(), readable.key()).expectError(5, FI_EACCES);
        to.expectGuard(0, PAGE, "a write without the right");
        read(pair, from, 64, writable.base(), writable.key()).expectError(6, FI_EACCES);
        from.expectPattern(1, 0, 64, "where a read without the right would have stored");
        write(pair, from, 64, writable.base(), writable.key()).expect(5, OperationKind.WRITE);
        read(pair, from, 64, readable.base(), readable.key()).expect(6, OperationKind.READ);
        // Descriptors have rights, too.
        final MemoryRegion send = env.own(pair.near().domain().register(from.at(0), 64, Set.of(MrAccess.SEND), 0));
        FabricCheck.code(FI_EACCES, pair.near().tryPost(() -> pair.near().endpoint().read(from.at(0), 8, send,
            readable.base(), readable.key(), 1)), "a read into a region without READ");
        pair.expectMessagesFlow();
    }

    private static void unknown(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = target(pair, PAGE);
        for (final long key : new long[] {KEY + 1, 0, 0x1234, 0x7fff_ffffL}) {
            final FabricWc wc = write(pair, from, 8, to.remote(0), key);
            wc.expectError(5, FI_EKEYREJECTED);
        }
        expectWritten(env, pair, from, to, 100, to.remote(100), to.region().key());
        pair.expectMessagesFlow();
    }

    private static void delivered(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.rma(env);
        final FabricMemory from = pair.nearMemory(2 * PAGE);
        final FabricMemory to = target(pair, 2 * PAGE);
        final MsgEndpoint endpoint = pair.near().endpoint();
        for (final int length : new int[] {1, 64, PAGE, 2 * PAGE, 0}) {
            from.fill(length, 0, length);
            to.guard();
            final Message message = new Message(1).add(from.at(0), length, from.region()).context(4)
                .remote(to.remote(0), to.region().key());
            pair.near().post(() -> endpoint.writeMessage(message, OpFlags.DELIVERY_COMPLETE), "write");
            pair.near().next().expect(4, OperationKind.WRITE).expectLength(length);
            to.expectOnly(length, 0, length, length + " bytes that were delivered");
            env.moved(length);
        }
        final FabricMemory writeOnly = pair.far().memory(PAGE, KEY + 7, MrAccess.REMOTE_WRITE);
        final Message message = new Message(1).add(from.at(0), 64, from.region()).context(5)
            .remote(writeOnly.remote(0), writeOnly.region().key());
        pair.near().post(() -> endpoint.writeMessage(message, OpFlags.DELIVERY_COMPLETE), "write");
        pair.near().next().expectError(5, FI_EACCES);
        expectWritten(env, pair, from, to, 100, to.remote(100), to.region().key());
        pair.expectMessagesFlow();
    }

    private static void atomics(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.of(env, hints ->
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC));
        final FabricMemory here = pair.nearMemory(PAGE);
        final FabricMemory there = target(pair, PAGE);
        final MsgEndpoint endpoint = pair.near().endpoint();
        final long key = there.region().key();
        there.buffer().putLong(80, 40);
        for (int i = 0; i < 20; i++) {
            pair.near().post(() -> endpoint.fetchAdd(here.at(8), here.region(), 3, there.remote(80), key, 1), "add");
            pair.near().next().expect(1, OperationKind.ATOMIC);
            Check.equal(40L + 3L * i, here.buffer().getLong(8), "fetched by addition %d", i);
        }
        Check.equal(100L, there.buffer().getLong(80), "sum");
        pair.near().post(() -> endpoint.compareSwap(here.at(8), here.region(), 99, 7, there.remote(80), key, 2),
            "compare");
        pair.near().next().expect(2, OperationKind.ATOMIC);
        Check.that(here.buffer().getLong(8) == 100 && there.buffer().getLong(80) == 100, "swapped what differs");
        pair.near().post(() -> endpoint.compareSwap(here.at(8), null, 100, 7, there.remote(80), key, 3), "compare");
        pair.near().next().expect(3, OperationKind.ATOMIC);
        Check.that(here.buffer().getLong(8) == 100 && there.buffer().getLong(80) == 7, "not swapped");
        FabricCheck.code(FI_EINVAL, pair.near().tryPost(() ->
            endpoint.fetchAdd(here.at(4), here.region(), 1, there.remote(80), key, 1)), "a result at 4");
        env.moved(22 * 8);
    }

    private static void everyAtomic(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.of(env, hints ->
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC));
        final MsgEndpoint endpoint = pair.near().endpoint();
        AtomicKinds.tryAll(env, pair.nearMemory(PAGE), target(pair, PAGE), request -> {
            pair.near().post(() -> endpoint.atomic(request.context(3), 0), request.toString());
            pair.near().next().expect(3,
                request.result() == 0 ? OperationKind.ATOMIC_UPDATE : OperationKind.ATOMIC);
        });
    }

    private static FabricPair counting(final ConformanceEnv env, final boolean flagged) {
        return FabricPair.of(env, hints -> {
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT);
            return flagged ? hints.demand(MrMode.RMA_EVENT) : hints;
        });
    }

    private static void counted(final ConformanceEnv env) {
        for (final boolean flagged : new boolean[] {false, true}) {
            final FabricPair pair = counting(env, flagged);
            final FabricMemory here = pair.nearMemory(PAGE);
            final FabricMemory there = pair.far().memory(PAGE);
            final Domain domain = pair.far().domain();
            final Counter counter = env.own(domain.openCounter());
            final MrAttributes attributes = new MrAttributes().buffer(there.pinned()).requestedKey(KEY)
                .access(MrAccess.REMOTE_WRITE, MrAccess.REMOTE_READ);
            final MemoryRegion region =
                domain.register(flagged ? attributes.flags(MrFlag.RMA_EVENT) : attributes);
            region.bind(counter);
            if (flagged) {
                region.enable();
            }
            final long base = region.base();
            for (int i = 1; i <= 10; i++) {
                write(pair, here, 64, base, region.key()).expect(5, OperationKind.WRITE);
                pair.near().post(() -> pair.near().endpoint().fetchAdd(here.at(0), here.region(), 1, base + 128,
                    region.key(), 6), "add");
                pair.near().next().expect(6, OperationKind.ATOMIC);
                read(pair, here, 64, base, region.key()).expect(6, OperationKind.READ);
                // The additions make it 1 to 10, never -1: it stays as it is, and is not counted.
                swap(pair, here, base + 128, region.key(), -1);
                Check.equal(0, counter.await(2L * i, env.patience(Duration.ofSeconds(5))), "waiting for the counter");
                Check.equal(2L * i, counter.read(), "writes and atomics after round %d", i);
                env.moved(200);
            }
            swap(pair, here, base + 128, region.key(), there.buffer().getLong(128));
            Check.equal(0, counter.await(21, env.patience(Duration.ofSeconds(5))), "waiting for the counter");
            Check.equal(21L, counter.read(), "with the one swap that changed the number");
            Check.equal(0L, counter.readError(), "failures");
            counter.close();
            region.close();
        }
    }

    private static void swap(
        final FabricPair pair, final FabricMemory here, final long remote, final long key, final long compare) {
        pair.near().post(() -> pair.near().endpoint().compareSwap(here.at(8), here.region(), compare, 77, remote, key,
            7), "swap");
        pair.near().next().expect(7, OperationKind.ATOMIC);
    }

    /** A region that is not enabled yet has no key; what would be its key reaches nothing. */
    private static void disabled(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.of(env, hints ->
            hints.capabilities(Capability.MSG, Capability.RMA).demand(MrMode.ENDPOINT));
        final FabricMemory from = pair.near().memory(PAGE);
        final FabricMemory to = pair.far().memory(PAGE).guard();
        final MemoryRegion region = pair.far().domain().register(
            new MrAttributes().buffer(to.pinned()).access(MrAccess.REMOTE_WRITE).requestedKey(KEY));
        Check.equal(MemoryRegion.KEY_NOTAVAIL, region.key(), "key of a disabled region");
        Check.that(writeFrom(pair, from, region.base(), KEY).errno() != 0, "a disabled region was written");
        region.bind(pair.far().endpoint());
        Check.that(writeFrom(pair, from, region.base(), KEY).errno() != 0, "a bound region was written");
        to.expectGuard(0, PAGE, "before it is enabled");
        region.enable();
        from.fill(8, 0, 64);
        writeFrom(pair, from, region.base(), region.key()).expect(5, OperationKind.WRITE);
        to.expectOnly(8, 0, 64, "after it is enabled");
        env.moved(64);
        pair.far().endpoint().close();
        region.close();
    }

    private static FabricWc writeFrom(
        final FabricPair pair, final FabricMemory from, final long remote, final long key) {
        pair.near().post(() -> pair.near().endpoint().write(from.at(0), 64, null, remote, key, 5), "write");
        return pair.near().next();
    }
}
