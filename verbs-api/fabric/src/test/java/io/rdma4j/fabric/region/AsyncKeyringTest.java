/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Asynchronous registration for several authorization keys (checklist 12, 48-52), at turns that a test gives. */
@Timeout(60)
class AsyncKeyringTest {
    private static final byte[] RED = "red".getBytes(StandardCharsets.UTF_8);
    private static final byte[] GREEN = "green".getBytes(StandardCharsets.UTF_8);
    private static final long KEY = 77;

    @RegisterExtension
    final Domains domains = new Domains();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(Domains.PAGE);
    private final ArrayDeque<Runnable> turns = new ArrayDeque<>();
    private Runnable onExecute = () -> { };

    private Domain domain;
    private AddressVector keys;
    private long red;
    private Regions regions;
    private FabricEventQueue queue;

    /** The worker of a domain. */
    private final class Turns extends ThreadPoolExecutor {
        Turns() {
            super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        public void execute(final Runnable work) {
            onExecute.run();
            turns.add(work);
        }
    }

    private void open(final Consumer<Hints> asked) {
        domain = domains.open(hints -> asked.accept(hints.endpointType(EndpointType.RDM).avAuthKeys(true)));
        keys = domain.openAddressVector(new AvAttributes());
        red = keys.insertAuthKey(RED, 0);
        keys.insertAuthKey(GREEN, 0);
        try (FabricRegion any = (FabricRegion) domain.register(remote().avAuthKey(keys, red).flags(MrFlag.AUTH_KEY))) {
            regions = any.regions();
        }
        queue = (FabricEventQueue) Domains.fabricOf(domain).openEventQueue(0);
        regions.bind(queue, () -> new AsyncRegistrar(queue, new Turns()));
    }

    @AfterEach
    void nothingKeepsTheDomainOpen() {
        keys.close();
        domain.close();
        assertThat(queue.size()).as("events that a test did not expect").isZero();
        queue.close();
    }

    private MrAttributes remote() {
        return new MrAttributes().buffer(memory).access(MrAccess.REMOTE_READ).requestedKey(KEY).context("mine");
    }

    private MrAttributes forAll() {
        return remote().avAuthKey(keys, FiAddr.NOTAVAIL);
    }

    private EventEntry next() {
        final List<EventEntry> entries = new ArrayList<>();
        assertThat(queue.read(entries::add, 2)).as("one event for all keys").isEqualTo(1);
        assertThat(entries.get(0).context()).isEqualTo("mine");
        return entries.get(0);
    }

    /** Of what was registered: a closed region's key is free, and no part has kept a place. */
    private void assertKeyIsFree() {
        final MemoryRegion again = domain.register(forAll());
        turns.remove().run();
        assertThat(next().isError()).isFalse();
        again.close();
    }

    private WcStatus read(final KeyringRegion region, final byte[] authKey) {
        final Realm realm = regions.openRealm(authKey);
        final RegionDevice.Keys there = ((FabricRegion) region.in(realm)).body().devices().keys();
        try (Wire wire = new Wire(realm)) {
            assertThat(there.realm()).isSameAs(realm);
            return wire.read(there.iova(), there.rkey(), Long.BYTES);
        } finally {
            realm.release();
        }
    }

    @Test
    void peersOfEachKeyReachItOnceItsOneEventIsThere() {
        open(hints -> { });
        final MemoryRegion region = domain.register(forAll());
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        assertThat(region.toString()).contains("2 authorization keys, not registered");
        assertThat(queue.size()).isZero();
        turns.remove().run();
        final EventEntry entry = next();
        assertThat(entry.isError()).isFalse();
        assertThat(entry.region()).isSameAs(region);
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.key()).isEqualTo(KEY);
        assertThat(read((KeyringRegion) region, RED)).isEqualTo(WcStatus.SUCCESS);
        assertThat(read((KeyringRegion) region, GREEN)).isEqualTo(WcStatus.SUCCESS);
        region.close();
        assertThat(region.isClosed()).isTrue();
        assertKeyIsFree();
    }

    @Test
    void whatWaitsForItsTurnKeepsTheDomainOpenAndTakesNoOrders() {
        open(hints -> hints.capabilities(Capability.RMA, Capability.RMA_EVENT));
        final MemoryRegion region = domain.register(forAll());
        final Counter counter = domain.openCounter();
        assertRefused(FiErrno.FI_EBUSY, domain::close, "2 regions");
        assertRefused(FiErrno.FI_ENOKEY, () -> domain.register(forAll()));
        assertRefused(FiErrno.FI_EOPBADSTATE, region::enable, "pending");
        assertRefused(FiErrno.FI_EOPBADSTATE, region::refresh, "pending");
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.bind(counter), "pending");
        counter.close();
        turns.remove().run();
        assertThat(next().isError()).isFalse();
        region.close();
    }

    @Test
    void closedBeforeItsTurnItHasOneEventAndNothing() {
        open(hints -> { });
        final MemoryRegion region = domain.register(forAll());
        region.close();
        assertThat(region.isClosed()).isTrue();
        final EventEntry entry = next();
        assertThat(entry.errno()).isEqualTo(FiErrno.FI_ECANCELED);
        assertThat(entry.region()).isSameAs(region);
        turns.remove().run();
        region.close();
        assertKeyIsFree();
    }

    @Test
    void thePartsThatAreThereBeforeTheLastOneAreNobodys() {
        open(hints -> { });
        final KeyringRegion region = (KeyringRegion) domain.register(forAll());
        // As if its turn had come, and the second part were under way.
        ((FabricRegion) region.in(null)).activate();
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        region.close();
        assertThat(next().errno()).isEqualTo(FiErrno.FI_ECANCELED);
        turns.remove().run();
        assertKeyIsFree();
    }

    /** The part that is there already ends with the registration, and its owner is told in the middle of it. */
    @Test
    void anOwnerThatIsToldOfTheEndMayCloseTheRegion() {
        open(hints -> { });
        final MemoryRegion[] region = new MemoryRegion[1];
        final AtomicInteger told = new AtomicInteger();
        final RegionOwner owner = () -> {
            told.incrementAndGet();
            region[0].close();
        };
        final MrAttributes owned = new MrAttributes().buffer(BufferUtil.address(memory), Domains.PAGE, owner)
            .access(MrAccess.REMOTE_READ).requestedKey(KEY).context("mine").avAuthKey(keys, FiAddr.NOTAVAIL);
        region[0] = domain.register(owned);
        ((FabricRegion) ((KeyringRegion) region[0]).in(null)).activate();
        region[0].close();
        assertThat(told).hasValue(1);
        assertThat(next().errno()).isEqualTo(FiErrno.FI_ECANCELED);
        turns.remove().run();
        region[0] = domain.register(owned);
        turns.remove().run();
        assertThat(next().isError()).isFalse();
        region[0].close();
        assertThat(told).as("again, by the last part or by each").hasValueGreaterThan(1);
    }

    /** By the thread that registers, so that nobody would end what a close waits for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOwnerThatIsToldOfAFailureMayCloseTheRegion(final boolean forAllKeys) {
        final boolean[] fails = {false};
        final RdmaContext context = HookedDevice.of(domains.context(), (method, arguments) -> {
            if (fails[0] && method.equals("register") && arguments[0] instanceof PinnedMemory) {
                throw RdmaException.of("register the table of pieces").errno(FiErrno.FI_EIO).build();
            }
        });
        open(hints -> hints.context(context));
        final MemoryRegion[] region = new MemoryRegion[1];
        final AtomicInteger told = new AtomicInteger();
        final RegionOwner owner = () -> {
            told.incrementAndGet();
            region[0].close();
        };
        final long address = BufferUtil.address(memory);
        final MrAttributes owned = new MrAttributes().buffer(address + 8, 16, owner).buffer(address + 600, 16, owner)
            .access(MrAccess.REMOTE_READ).requestedKey(KEY).context("mine");
        region[0] = domain.register(forAllKeys ? owned.avAuthKey(keys, FiAddr.NOTAVAIL)
            : owned.avAuthKey(keys, red).flags(MrFlag.AUTH_KEY));
        // Its directory is there already.
        final Realm realm = regions.openRealm(RED);
        fails[0] = true;
        turns.remove().run();
        fails[0] = false;
        realm.release();
        assertThat(told).hasPositiveValue();
        assertThat(next().errno()).isEqualTo(FiErrno.FI_EIO);
        region[0].close();
        assertThat(region[0].isClosed()).isTrue();
        assertKeyIsFree();
    }

    @Test
    void whatFailsForTheLastKeyIsTakenBackForTheFirst() {
        domains.on("max_mr=16");
        open(hints -> { });
        final MemoryRegion region;
        try (PinnedMemory page = domains.context().allocate(Domains.PAGE)) {
            final List<io.rdma4j.verbs.MemoryRegion> others = RealmsTest.fill(regions.defaultRealm().pd(), page);
            others.remove(0).close();
            region = domain.register(forAll());
            turns.remove().run();
            final EventEntry entry = next();
            assertThat(entry.errno()).isEqualTo(FiErrno.FI_ENOMEM);
            assertThat(entry.region()).isSameAs(region);
            others.add(regions.defaultRealm().pd().register(page));
            assertThat(RealmsTest.fill(regions.defaultRealm().pd(), page)).as("more places than one").isEmpty();
            others.forEach(io.rdma4j.verbs.MemoryRegion::close);
        }
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.isClosed()).isFalse();
        assertRefused(FiErrno.FI_EOPBADSTATE, region::enable, "failed");
        assertKeyIsFree();
        region.close();
        assertThat(region.isClosed()).isTrue();
        assertKeyIsFree();
    }

    @Test
    void aRegistrationForWhichThereIsNoThreadLeavesNothing() {
        open(hints -> { });
        onExecute = () -> {
            throw new OutOfMemoryError("unable to create native thread, pretended");
        };
        assertThatThrownBy(() -> domain.register(forAll())).isInstanceOf(OutOfMemoryError.class);
        onExecute = () -> { };
        assertKeyIsFree();
    }

    @Test
    void whereThereIsRoomForOneKeyOnlyNothingIsTaken() {
        open(hints -> hints.mrCount(1));
        assertRefused(FiErrno.FI_ENOMR, () -> domain.register(forAll()), "mr_cnt");
        assertThat(turns).isEmpty();
    }
}
