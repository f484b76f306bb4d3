/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.FencedPages;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.WcStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Regions for the authorization keys of an address vector (FI_AV_AUTH_KEY; checklist 3, 11, 12). */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class KeyringTest {
    private static final byte[] RED = "red".getBytes(StandardCharsets.UTF_8);
    private static final byte[] GREEN = "green".getBytes(StandardCharsets.UTF_8);
    private static final byte[] BLUE = "blue".getBytes(StandardCharsets.UTF_8);
    private static final long KEY = 77;

    @RegisterExtension
    final Domains domains = new Domains();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * Domains.PAGE).order(ByteOrder.nativeOrder());
    private final ByteBuffer result = ByteBuffer.allocateDirect(Domains.PAGE).order(ByteOrder.nativeOrder());

    private static Hints hints(final Hints hints) {
        return hints.endpointType(EndpointType.RDM).avAuthKeys(true);
    }

    private MrAttributes remote(final AddressVector vector, final long source, final long key) {
        return new MrAttributes().buffer(memory).access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE)
            .requestedKey(key).avAuthKey(vector, source);
    }

    /** Two endpoints of one authorization key, and what the first one sees of the second one's regions. */
    private final class Pair {
        private final CompletionQueue queue;
        private final AddressedEndpoint near;
        private final AddressedEndpoint far;
        private final long dest;

        Pair(final Domain domain, final AddressVector vector, final byte[] authKey) {
            queue = domains.keep(domain.openCompletionQueue(16));
            final EndpointOptions options = new EndpointOptions().completionQueue(queue).addressVector(vector)
                .authKey(authKey);
            near = domains.keep(domain.openAddressedEndpoint(options));
            far = domains.keep(domain.openAddressedEndpoint(options));
            dest = vector.insert(far.address());
        }

        /** 0, or how a read of the far side's memory failed. */
        int read(final long key) {
            final long address = new UnsafeBuffer(result).addressOffset();
            final int[] code = {-FiErrno.FI_EAGAIN};
            final int[] errno = {-1};
            Await.until("a read of " + key + " is over", () -> {
                if (code[0] == -FiErrno.FI_EAGAIN) {
                    code[0] = near.read(address, Long.BYTES, null, dest, 0, key, 1);
                }
                queue.read(entry -> errno[0] = entry.errno(), 1);
                return errno[0] >= 0 || code[0] != 0 && code[0] != -FiErrno.FI_EAGAIN;
            });
            return errno[0] >= 0 ? errno[0] : code[0];
        }
    }

    private AddressVector redAndGreen(final Domain domain) {
        final AddressVector keys = domains.keep(domain.openAddressVector(new AvAttributes()));
        keys.insertAuthKey(RED, 0);
        keys.insertAuthKey(GREEN, 0);
        return keys;
    }

    /** Both ends of a message use the region. */
    private void exchange(final Pair pair, final MemoryRegion region) {
        final long address = new UnsafeBuffer(memory).addressOffset();
        memory.putLong(0, 0x1234);
        memory.putLong(64, 0);
        assertThat(pair.far.receive(address + 64, Long.BYTES, region, FiAddr.UNSPEC, 1)).isZero();
        assertThat(pair.near.send(address, Long.BYTES, region, pair.dest, 2)).isZero();
        final List<Integer> errnos = new ArrayList<>();
        Await.until(() -> "both ends are done: " + errnos, () -> {
            pair.queue.read(entry -> errnos.add(entry.errno()), 2);
            return errnos.size() == 2;
        });
        assertThat(errnos).containsExactly(0, 0);
        assertThat(memory.getLong(64)).isEqualTo(0x1234);
    }

    /** An atomic of several steps, whose result lies in the region. */
    private int fetchMax(final Pair pair, final MemoryRegion region, final long key) {
        final long address = new UnsafeBuffer(memory).addressOffset();
        final AtomicRequest request = new AtomicRequest().operation(AtomicOp.MAX, AtomicType.UINT64)
            .operands(address, 1, null).result(address + 128, region).peer(pair.dest).remote(256, key);
        memory.putLong(0, 7);
        memory.putLong(128, -1);
        memory.putLong(256, 5);
        final int[] code = {-FiErrno.FI_EAGAIN};
        final int[] errno = {-1};
        Await.until("an atomic is over", () -> {
            if (code[0] == -FiErrno.FI_EAGAIN) {
                code[0] = pair.near.atomic(request, 0);
            }
            pair.queue.read(entry -> errno[0] = entry.errno(), 1);
            return errno[0] >= 0 || code[0] != 0 && code[0] != -FiErrno.FI_EAGAIN;
        });
        return errno[0] >= 0 ? errno[0] : code[0];
    }

    @Test
    void eachKeyOfTheVectorReachesTheRegionAndNoOther() {
        final Domain domain = domains.open(KeyringTest::hints);
        final AddressVector keys = redAndGreen(domain);
        final AddressVector peers = domains.keep(domain.openAddressVector(new AvAttributes()));
        final Pair red = new Pair(domain, peers, RED);
        final Pair green = new Pair(domain, peers, GREEN);
        final Pair blue = new Pair(domain, peers, BLUE);
        memory.putLong(0, 4711);
        final MemoryRegion region = domain.register(remote(keys, FiAddr.NOTAVAIL, KEY));
        assertThat(region.key()).isEqualTo(KEY);
        assertThat(region.toString()).contains("2 authorization keys");
        for (final Pair pair : List.of(red, green)) {
            result.putLong(0, 0);
            assertThat(pair.read(KEY)).isZero();
            assertThat(result.getLong(0)).isEqualTo(4711);
        }
        assertThat(blue.read(KEY)).isEqualTo(FiErrno.FI_EKEYREJECTED);
        assertRefused(FiErrno.FI_ENOKEY, () -> domain.register(remote(keys, FiAddr.NOTAVAIL, KEY)));
        region.close();
        region.close();
        assertThat(region.isClosed()).isTrue();
        assertThat(red.read(KEY)).isIn(FiErrno.FI_EKEYREJECTED, FiErrno.FI_EACCES);
        final MemoryRegion again = domain.register(remote(keys, FiAddr.NOTAVAIL, KEY));
        again.close();
    }

    @Test
    void oneKeyCanBeNamed() {
        final Domain domain = domains.open(KeyringTest::hints);
        final AddressVector keys = domains.keep(domain.openAddressVector(new AvAttributes()));
        keys.insertAuthKey(RED, 0);
        final long green = keys.insertAuthKey(GREEN, 0);
        final AddressVector peers = domains.keep(domain.openAddressVector(new AvAttributes()));
        final Pair reds = new Pair(domain, peers, RED);
        final Pair greens = new Pair(domain, peers, GREEN);
        final MemoryRegion region = domains.keep(domain.register(remote(keys, green, KEY).flags(MrFlag.AUTH_KEY)));
        assertThat(greens.read(region.key())).isZero();
        assertThat(reds.read(region.key())).isEqualTo(FiErrno.FI_EKEYREJECTED);
    }

    @Test
    void thePeerCanBeNamedByWhoseKeyItIs() {
        final Domain domain = domains.open(KeyringTest::hints);
        final AddressVector keys = domains.keep(domain.openAddressVector(new AvAttributes()));
        keys.insertAuthKey(RED, 0);
        final long green = keys.insertAuthKey(GREEN, 0);
        final AddressVector peers = domains.keep(domain.openAddressVector(new AvAttributes()));
        final Pair reds = new Pair(domain, peers, RED);
        final Pair greens = new Pair(domain, peers, GREEN);
        final long[] peer = new long[1];
        assertThat(keys.insert(new FabricAddress[] {greens.near.address()}, peer, new AvInsert().authKey(green)))
            .isEqualTo(1);
        domains.keep(domain.register(remote(keys, peer[0], KEY)));
        assertThat(greens.read(KEY)).isZero();
        assertThat(reds.read(KEY)).isEqualTo(FiErrno.FI_EKEYREJECTED);
        final long without = keys.insert(reds.near.address());
        assertRefused(FiErrno.FI_EINVAL, () -> domain.register(remote(keys, without, KEY + 1)));
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        final Domain domain = domains.open(KeyringTest::hints);
        final Domain other = domains.open(KeyringTest::hints);
        final Domain ordinary = domains.open();
        final AddressVector keys = domains.keep(domain.openAddressVector(new AvAttributes()));
        assertRefused(FiErrno.FI_EINVAL, () -> domain.register(remote(keys, FiAddr.NOTAVAIL, KEY)));
        final long red = keys.insertAuthKey(RED, 0);
        assertRefused(FiErrno.FI_EINVAL, () -> domain.register(remote(keys, 12345, KEY).flags(MrFlag.AUTH_KEY)));
        assertRefused(FiErrno.FI_EINVAL, () -> domain.register(remote(keys, 12345, KEY)));
        assertRefused(FiErrno.FI_EINVAL, () -> domain.register(remote(null, red, KEY)));
        assertRefused(FiErrno.FI_EINVAL, () -> domain.register(remote(keys, red, KEY).authKey(RED)));
        assertRefused(FiErrno.FI_EDOMAIN, () -> other.register(remote(keys, red, KEY)));
        assertRefused(FiErrno.FI_EINVAL, () -> ordinary.register(remote(keys, FiAddr.NOTAVAIL, KEY)));
        assertRefused(FiErrno.FI_EBADFLAGS, () -> ordinary.register(
            new MrAttributes().buffer(memory).access(MrAccess.SEND).flags(MrFlag.AUTH_KEY)));
        final long address = new UnsafeBuffer(memory).addressOffset();
        assertRefused(FiErrno.FI_EINVAL, () -> domain.register(address, Domains.PAGE, Set.of(MrAccess.SEND), KEY));
        final AddressVector closed = domain.openAddressVector(new AvAttributes());
        closed.close();
        assertRefused(FiErrno.FI_EBADFD, () -> domain.register(remote(closed, FiAddr.NOTAVAIL, KEY)));
    }

    /** FI_DIRECTED_RECV tells peers apart; keys need it not. */
    @Test
    void aRegionForOnePeerNeedsDirectedReceives() {
        final Domain plain = domains.open(asked -> hints(asked).capabilities(Capability.MSG, Capability.RMA));
        final AddressVector keys = domains.keep(plain.openAddressVector(new AvAttributes()));
        final long red = keys.insertAuthKey(RED, 0);
        assertRefused(FiErrno.FI_EOPNOTSUPP, () -> plain.register(remote(keys, 12345, KEY)), "DIRECTED_RECV");
        plain.register(remote(keys, FiAddr.NOTAVAIL, KEY)).close();
        plain.register(remote(keys, red, KEY).flags(MrFlag.AUTH_KEY)).close();
    }

    @Test
    void aDeviceThatChoosesKeysHasOneForEachAuthorizationKey() {
        final Domain domain = domains.open(asked -> hints(asked).mrMode(MrMode.PROV_KEY).demand(MrMode.PROV_KEY));
        final AddressVector keys = domains.keep(domain.openAddressVector(new AvAttributes()));
        final long red = keys.insertAuthKey(RED, 0);
        keys.insertAuthKey(GREEN, 0);
        assertRefused(FiErrno.FI_ENOSYS, () -> domain.register(remote(keys, FiAddr.NOTAVAIL, KEY)));
        final MemoryRegion one = domain.register(remote(keys, red, KEY).flags(MrFlag.AUTH_KEY));
        assertThat(one.key()).isNotEqualTo(MemoryRegion.KEY_NOTAVAIL);
        one.close();
    }

    @Test
    void aRegionThatIsBoundToAnEndpointIsOfThatEndpointsKeyOnly() {
        final Domain domain = domains.open(asked -> hints(asked).mrMode(MrMode.ENDPOINT).demand(MrMode.ENDPOINT));
        final AddressVector keys = redAndGreen(domain);
        final Pair red = new Pair(domain, keys, RED);
        final Pair green = new Pair(domain, keys, GREEN);
        final Pair stranger = new Pair(domain, domains.keep(domain.openAddressVector(new AvAttributes())), GREEN);
        final MemoryRegion region = domain.register(remote(keys, FiAddr.NOTAVAIL, KEY));
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        assertRefused(FiErrno.FI_EOPBADSTATE, region::enable, "bind it to an endpoint first");
        assertRefused(FiErrno.FI_EINVAL, () -> region.bind(stranger.far), "another vector");
        region.bind(green.far);
        assertRefused(FiErrno.FI_EBUSY, () -> region.bind(green.far));
        assertRefused(FiErrno.FI_EBUSY, () -> region.bind(red.far));
        region.enable();
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.key()).isEqualTo(KEY);
        memory.putLong(0, 4711);
        assertThat(green.read(KEY)).isZero();
        assertThat(result.getLong(0)).isEqualTo(4711);
        assertThat(red.read(KEY)).isEqualTo(FiErrno.FI_EKEYREJECTED);
        assertRefused(FiErrno.FI_EBUSY, region::close);
        green.far.close();
        region.close();
        assertThat(region.isClosed()).isTrue();
    }

    /** Whichever key an endpoint has: the region is one of that key, too (fi_mr: associated with all of them). */
    @Test
    void itIsADescriptorForEndpointsOfEachKey() {
        final Domain domain = domains.open(asked -> hints(asked).mrMode(MrMode.LOCAL).demand(MrMode.LOCAL));
        final AddressVector keys = redAndGreen(domain);
        final MemoryRegion region = domains.keep(domain.register(new MrAttributes().buffer(memory)
            .access(MrAccess.SEND, MrAccess.RECV).avAuthKey(keys, FiAddr.NOTAVAIL)));
        final long address = new UnsafeBuffer(memory).addressOffset();
        for (final byte[] key : List.of(RED, GREEN)) {
            final Pair pair = new Pair(domain, keys, key);
            exchange(pair, region);
        }
        final Pair blue = new Pair(domain, keys, BLUE);
        assertThat(blue.far.receive(address, 8, region, FiAddr.UNSPEC, 1)).isEqualTo(-FiErrno.FI_EDOMAIN);
    }

    @Test
    void itIsADescriptorForTheEndpointThatItIsBoundTo() {
        final Domain domain = domains.open(asked -> hints(asked).mrMode(MrMode.ENDPOINT).demand(MrMode.ENDPOINT));
        final AddressVector keys = redAndGreen(domain);
        final Pair red = new Pair(domain, keys, RED);
        final Pair green = new Pair(domain, keys, GREEN);
        final MemoryRegion region = domain.register(new MrAttributes().buffer(memory)
            .access(MrAccess.SEND, MrAccess.RECV, MrAccess.REMOTE_READ).requestedKey(KEY)
            .avAuthKey(keys, FiAddr.NOTAVAIL));
        region.bind(green.far);
        assertRefused(FiErrno.FI_EBUSY, region::close, "bound to");
        region.enable();
        final long address = new UnsafeBuffer(memory).addressOffset();
        assertThat(green.far.receive(address, 8, region, FiAddr.UNSPEC, 1)).isZero();
        assertRefused(FiErrno.FI_EBUSY, region::close, "bound to");
        green.far.close();
        assertThat(region.isEnabled()).isFalse();
        // The refusals have closed nothing of it.
        region.bind(red.far);
        region.enable();
        assertThat(red.read(KEY)).isZero();
        red.far.close();
        region.close();
    }

    @Test
    void resultsOfAtomicsLieInItForEachKey() {
        final Domain domain = domains.open(KeyringTest::hints);
        final AddressVector keys = redAndGreen(domain);
        final MemoryRegion region = domains.keep(domain.register(new MrAttributes().buffer(memory)
            .access(MrAccess.READ, MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).requestedKey(KEY)
            .avAuthKey(keys, FiAddr.NOTAVAIL)));
        for (final byte[] key : List.of(RED, GREEN)) {
            assertThat(fetchMax(new Pair(domain, keys, key), region, KEY)).isZero();
            assertThat(memory.getLong(128)).as("what was there").isEqualTo(5);
            assertThat(memory.getLong(256)).isEqualTo(7);
        }
    }

    /** Whose part is not the first one. */
    @Test
    void resultsOfAtomicsLieInItForTheEndpointThatItIsBoundTo() {
        final Domain domain = domains.open(asked -> hints(asked).mrMode(MrMode.ENDPOINT).demand(MrMode.ENDPOINT));
        final AddressVector keys = redAndGreen(domain);
        final Pair green = new Pair(domain, keys, GREEN);
        final MemoryRegion there = domain.register(remote(keys, FiAddr.NOTAVAIL, KEY));
        there.bind(green.far);
        there.enable();
        final MemoryRegion here = domain.register(new MrAttributes().buffer(memory).access(MrAccess.READ)
            .avAuthKey(keys, FiAddr.NOTAVAIL));
        here.bind(green.near);
        here.enable();
        assertThat(fetchMax(green, here, KEY)).isZero();
        assertThat(memory.getLong(128)).as("what was there").isEqualTo(5);
        assertThat(memory.getLong(256)).isEqualTo(7);
        green.near.close();
        green.far.close();
        here.close();
        there.close();
    }

    /** The file is not there to be flushed any more: key and memory are free all the same. */
    @Test
    void whatCannotBeFlushedAtTheEndGivesItsKeyBack(@TempDir final Path folder) throws IOException {
        final Domain domain = domains.open(asked -> hints(asked).capabilities(Capability.RMA, Capability.RMA_PMEM));
        final AddressVector keys = redAndGreen(domain);
        try (FencedPages room = new FencedPages(1)) {
            PersistenceTest.map(folder.resolve("data"), room.address(), Domains.PAGE);
            final MemoryRegion region = domain.register(new MrAttributes().buffer(room.address(), Domains.PAGE)
                .access(MrAccess.REMOTE_WRITE).flags(MrFlag.RMA_PMEM).requestedKey(KEY)
                .avAuthKey(keys, FiAddr.NOTAVAIL));
            Libc.munmap(room.address(), Domains.PAGE);
            assertRefused(FiErrno.FI_ENOMEM, region::close, "not mapped");
            assertThat(region.isClosed()).isTrue();
            domain.register(remote(keys, FiAddr.NOTAVAIL, KEY)).close();
            region.close();
        }
    }

    /** Memory that is gone is so for peers of each key. */
    @Test
    void aRefreshThatFailsDisablesItForEachKey() {
        final Domain domain =
            domains.open(asked -> hints(asked).mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final AddressVector keys = redAndGreen(domain);
        final long length = 2L * Domains.PAGE;
        final long address = Libc.mmap(0, length, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        final MemoryRegion region = domains.keep(domain.register(new MrAttributes().buffer(address, length)
            .access(MrAccess.REMOTE_READ).requestedKey(KEY).avAuthKey(keys, FiAddr.NOTAVAIL)));
        Libc.munmap(address + Domains.PAGE, Domains.PAGE);
        try {
            assertRefused(FiErrno.FI_EFAULT, region::refresh);
            assertThat(region.isEnabled()).isFalse();
            assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        } finally {
            Libc.munmap(address, Domains.PAGE);
        }
    }

    /** The same memory changes behind all parts, whichever of them is being refreshed. */
    @Test
    void withMmuNotifyNobodyReachesItByAnyKeyDuringARefresh() {
        final Runnable[] look = {() -> { }};
        final RdmaContext context =
            RefreshTest.watched(domains.context(), (from, length) -> look[0].run());
        final Domain domain = domains.open(asked -> hints(asked).context(context).mrMode(MrMode.MMU_NOTIFY)
            .demand(MrMode.MMU_NOTIFY));
        final AddressVector keys = redAndGreen(domain);
        final KeyringRegion region = (KeyringRegion) domain.register(remote(keys, FiAddr.NOTAVAIL, KEY));
        final Regions regions = ((FabricRegion) region.in(null)).regions();
        final Realm red = regions.openRealm(RED);
        final Realm green = regions.openRealm(GREEN);
        final RegionDevice.Keys keysOfRed = ((FabricRegion) region.in(red)).body().devices().keys();
        final RegionDevice.Keys keysOfGreen = ((FabricRegion) region.in(green)).body().devices().keys();
        final List<String> seen = new ArrayList<>();
        look[0] = () -> seen.add(region.isEnabled() + " " + read(red, keysOfRed) + " " + read(green, keysOfGreen));
        region.refresh(region.address(), Domains.PAGE);
        region.refresh();
        assertThat(seen).as("enabled, what peers get").hasSize(4).containsOnly("false REM_ACCESS_ERR REM_ACCESS_ERR");
        assertThat(region.key()).isEqualTo(KEY);
        assertThat(read(red, keysOfRed)).isEqualTo(WcStatus.SUCCESS);
        assertThat(read(green, keysOfGreen)).isEqualTo(WcStatus.SUCCESS);
        region.close();
        red.release();
        green.release();
    }

    @Test
    void afterARefreshThatFailedForOneKeyTheNextOneIsOfAllOfItForEach() {
        final List<Long> told = new ArrayList<>();
        final boolean[] fails = {false};
        final RdmaContext context = RefreshTest.watched(domains.context(), (from, length) -> {
            told.add(length);
            if (fails[0] && told.size() > 1) {
                throw RdmaException.of("refresh").errno(RdmaException.ENOMEM).build();
            }
        });
        final Domain domain = domains.open(asked -> hints(asked).context(context).mrMode(MrMode.MMU_NOTIFY)
            .demand(MrMode.MMU_NOTIFY));
        final AddressVector keys = redAndGreen(domain);
        final MemoryRegion region = domain.register(remote(keys, FiAddr.NOTAVAIL, KEY));
        told.clear();
        fails[0] = true;
        assertRefused(FiErrno.FI_ENOMEM, () -> region.refresh(region.address(), Domains.PAGE));
        assertThat(region.isEnabled()).isFalse();
        fails[0] = false;
        told.clear();
        region.refresh(region.address(), Domains.PAGE);
        assertThat(told).containsExactly(2L * Domains.PAGE, 2L * Domains.PAGE);
        assertThat(region.isEnabled()).isTrue();
        region.close();
    }

    private static WcStatus read(final Realm realm, final RegionDevice.Keys keys) {
        try (Wire wire = new Wire(realm)) {
            return wire.read(keys.iova(), keys.rkey(), Long.BYTES);
        }
    }

    @Test
    void aKeyOfOneVectorDoesNotGoWithEndpointsOfAnother() {
        final Domain domain = domains.open(asked -> hints(asked).mrMode(MrMode.ENDPOINT).demand(MrMode.ENDPOINT));
        final AddressVector keys = domains.keep(domain.openAddressVector(new AvAttributes()));
        final AddressVector others = domains.keep(domain.openAddressVector(new AvAttributes()));
        final long red = keys.insertAuthKey(RED, 0);
        others.insertAuthKey(RED, 0);
        final Pair stranger = new Pair(domain, others, RED);
        for (final MrAttributes attributes : List.of(remote(keys, FiAddr.NOTAVAIL, KEY),
            remote(keys, red, KEY).flags(MrFlag.AUTH_KEY))) {
            final MemoryRegion region = domain.register(attributes);
            assertRefused(FiErrno.FI_EINVAL, () -> region.bind(stranger.far), "another vector");
            region.close();
        }
    }

    private Domain countedAndBound() {
        return domains.open(asked -> hints(asked).capabilities(Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT)
            .mrMode(MrMode.ENDPOINT, MrMode.RMA_EVENT).demand(MrMode.ENDPOINT, MrMode.RMA_EVENT));
    }

    /** The part for red could still take it, as it waits to be enabled. */
    @Test
    void aCounterThatComesTooLateIsBoundToNoPart() {
        final Domain domain = countedAndBound();
        final AddressVector keys = redAndGreen(domain);
        final Pair green = new Pair(domain, keys, GREEN);
        final Counter counter = domains.keep(domain.openCounter());
        final MemoryRegion region =
            domain.register(remote(keys, FiAddr.NOTAVAIL, KEY).flags(MrFlag.RMA_EVENT));
        region.bind(green.far);
        region.enable();
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.bind(counter), "bind before enable()");
        green.far.close();
        region.close();
        assertThat(counter.isClosed()).isFalse();
    }

    /** Whoever comes first: peers reach the region through one endpoint. */
    @Test
    void ofEndpointsThatAreBoundAtOnceOneIs() throws InterruptedException {
        final Domain domain = domains.open(asked -> hints(asked).mrMode(MrMode.ENDPOINT).demand(MrMode.ENDPOINT));
        final AddressVector keys = redAndGreen(domain);
        final EndpointOptions options = new EndpointOptions().addressVector(keys)
            .completionQueue(domains.keep(domain.openCompletionQueue(16)));
        for (int round = 0; round < 50; round++) {
            final List<AddressedEndpoint> ends = Stream.of(RED, GREEN)
                .map(key -> domain.openAddressedEndpoint(options.authKey(key))).toList();
            final MemoryRegion region = domain.register(remote(keys, FiAddr.NOTAVAIL, KEY));
            final CyclicBarrier start = new CyclicBarrier(ends.size());
            final Queue<String> ended = new ConcurrentLinkedQueue<>();
            final List<Thread> threads = ends.stream().map(end -> new Thread(() -> ended.add(bind(region, end, start))))
                .toList();
            threads.forEach(Thread::start);
            for (final Thread thread : threads) {
                Patience.join(thread);
            }
            assertThat(ended).containsExactlyInAnyOrder("bound", "FI_EBUSY");
            ends.forEach(AddressedEndpoint::close);
            region.close();
        }
    }

    private static String bind(final MemoryRegion region, final AddressedEndpoint end, final CyclicBarrier start) {
        try {
            start.await();
            region.bind(end);
            return "bound";
        } catch (final FabricException e) {
            return FiErrno.name(e.errno());
        } catch (final InterruptedException | BrokenBarrierException e) {
            return e.toString();
        }
    }

    /** Of two parts one finds room for its event cell, and then both. */
    @Test
    void whatFailedInTheMiddleCanBeRepeated() {
        final Domain domain = domains.on("max_mr=16").open(asked -> hints(asked)
            .capabilities(Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT)
            .mrMode(MrMode.RMA_EVENT).demand(MrMode.RMA_EVENT));
        final AddressVector keys = redAndGreen(domain);
        final Counter counter = domain.openCounter();
        final KeyringRegion region =
            (KeyringRegion) domain.register(remote(keys, FiAddr.NOTAVAIL, KEY).flags(MrFlag.RMA_EVENT));
        // As if the second part had failed.
        final FabricRegion first = (FabricRegion) region.in(null);
        first.bind(counter);
        region.bind(counter);
        assertRefused(FiErrno.FI_EBUSY, () -> region.bind(counter), "already");
        try (PinnedMemory page = domains.context().allocate(Domains.PAGE)) {
            final List<io.rdma4j.verbs.MemoryRegion> others =
                RealmsTest.fill(first.regions().defaultRealm().pd(), page);
            others.remove(0).close();
            assertRefused(FiErrno.FI_ENOMEM, region::enable);
            others.remove(0).close();
            region.enable();
            assertThat(region.in(null).isUsable()).as("a part that is in no realm yet, else the first one").isTrue();
            assertRefused(FiErrno.FI_EOPBADSTATE, region::enable, "once");
            others.forEach(io.rdma4j.verbs.MemoryRegion::close);
        }
        counter.close();
        region.close();
        assertRefused(FiErrno.FI_EBADFD, region::enable);
    }
}
