/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.local;
import static io.rdma4j.fabric.region.Domains.remote;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.verbs.WcStatus;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What is bound to regions, and the disabled state (checklist 29, 30, 40-44, 47, 62, 64). */
@Timeout(60)
class BindTest {
    private static final Consumer<Hints> COUNTS = hints ->
        hints.capabilities(Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT);
    private static final Consumer<Hints> RMA_EVENT = COUNTS.andThen(hints ->
        hints.mrMode(MrMode.RMA_EVENT).demand(MrMode.RMA_EVENT));
    private static final Consumer<Hints> ENDPOINT = hints -> hints.mrMode(MrMode.ENDPOINT).demand(MrMode.ENDPOINT);

    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);

    /** Adds to the cell of a region, as an endpoint does behind a write. */
    private static WcStatus add(final MemoryRegion region, final long value) {
        final RegionDevices devices = ((FabricRegion) region).body().devices();
        final DirectoryEntry entry = devices.entry();
        try (Wire wire = new Wire(devices.keys().realm())) {
            return wire.add(entry.cellIova(), entry.cellRkey(), value);
        }
    }

    @Test
    void aCounterCountsWhatPeersAddFromTheBindingOn() {
        final Domain domain = domains.open(COUNTS);
        final Counter counter = domain.openCounter();
        final Counter late = domain.openCounter();
        final MemoryRegion one = domain.register(remote(buffer, 1));
        final MemoryRegion two = domain.register(remote(buffer, 2));
        one.bind(counter);
        two.bind(counter);
        assertThat(add(one, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(add(two, 2)).isEqualTo(WcStatus.SUCCESS);
        one.bind(late);
        add(one, 1);
        assertThat(counter.read()).isEqualTo(4);
        assertThat(late.read()).isEqualTo(1);
        assertThat(counter.await(4, Duration.ZERO)).isZero();
        assertThat(counter.await(5, Duration.ofMillis(1))).isEqualTo(-FiErrno.FI_ETIMEDOUT);
        counter.close();
        late.close();
        assertThat(counter.read()).as("after the end").isEqualTo(4);
        one.close();
        two.close();
    }

    @Test
    void aCellEndsWithItsRegion() {
        final Domain domain = domains.open(COUNTS);
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 1));
        final DirectoryEntry entry = region.body().devices().entry();
        try (Wire wire = new Wire(region.realm())) {
            assertThat(wire.add(entry.cellIova() + 8, entry.cellRkey(), 1)).as("its neighbour")
                .isEqualTo(WcStatus.REM_ACCESS_ERR);
            region.close();
            assertThat(wire.add(entry.cellIova(), entry.cellRkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
        try (MemoryRegion next = domain.register(remote(buffer, 1)); Counter counter = domain.openCounter()) {
            next.bind(counter);
            assertThat(counter.read()).isZero();
        }
    }

    @Test
    void countersAreBoundByTheirRules() {
        final Domain domain = domains.open(COUNTS);
        final Domain other = domains.open(COUNTS);
        final MemoryRegion region = domain.register(remote(buffer, 1));
        final Counter counter = domain.openCounter();
        final Counter foreign = other.openCounter();
        assertInvalid(() -> region.bind((Counter) null), "null");
        assertRefused(FiErrno.FI_EDOMAIN, () -> region.bind(foreign), "another domain");
        region.bind(counter);
        assertRefused(FiErrno.FI_EBUSY, () -> region.bind(counter), "already");
        assertRefused(FiErrno.FI_EBUSY, region::close, "counter at 0");
        assertThat(region.isEnabled()).as("after a refused close").isTrue();
        assertRefused(FiErrno.FI_EBUSY, domain::close, "1 region", "1 counter");
        counter.close();
        final Counter closed = domain.openCounter();
        closed.close();
        assertRefused(FiErrno.FI_EBADFD, () -> region.bind(closed));
        try (MemoryRegion quiet = domain.register(new MrAttributes().buffer(buffer).access(MrAccess.REMOTE_READ)
            .requestedKey(2))) {
            assertRefused(FiErrno.FI_EBADFD, () -> quiet.bind(closed));
        }
        region.close();
        final Counter after = domain.openCounter();
        assertRefused(FiErrno.FI_EBADFD, () -> region.bind(after));
        after.close();
        foreign.close();
    }

    @Test
    void withoutTheCapabilityNothingIsCounted() {
        final Domain domain = domains.open(Capability.MSG, Capability.RMA);
        try (MemoryRegion region = domain.register(remote(buffer, 1)); Counter counter = domain.openCounter()) {
            assertRefused(FiErrno.FI_ENOSYS, () -> region.bind(counter), "RMA_EVENT");
        }
    }

    @Test
    void aDeviceWithoutAtomicsCountsNothing() {
        final Domain domain = domains.on(Domains.QEMU).open(hints -> hints.mrMode(MrMode.ALLOCATED));
        try (MemoryRegion region = domain.register(remote(buffer, 1)); Counter counter = domain.openCounter()) {
            assertRefused(FiErrno.FI_ENOSYS, () -> region.bind(counter));
        }
    }

    @Test
    void withRmaEventARegionIsDisabledUntilItsCountersAreBound() {
        final Domain domain = domains.open(RMA_EVENT);
        final MemoryRegion region = domain.register(remote(buffer, 1).flags(MrFlag.RMA_EVENT));
        final RegionDevices devices = ((FabricRegion) region).body().devices();
        final Counter counter = domain.openCounter();
        final Counter second = domain.openCounter();
        assertThat(region.isEnabled()).isFalse();
        assertThat(((FabricRegion) region).isUsable()).isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        assertThat(stateInDirectory(domain, 1)).isEqualTo(DirectoryLayout.DISABLED);
        try (Wire wire = new Wire(devices.keys().realm())) {
            assertThat(wire.read(devices.keys().iova(), devices.keys().lkey(), 8)).as("by a guessed key")
                .isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
        region.bind(counter);
        region.enable();
        assertThat(stateInDirectory(domain, 1)).isEqualTo(DirectoryLayout.LIVE);
        assertRefused(FiErrno.FI_EOPBADSTATE, region::enable, "once");
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.bind(second), "before enable()");
        add(region, 3);
        assertThat(counter.read()).isEqualTo(3);
        counter.close();
        second.close();
        region.close();
        assertThat(stateInDirectory(domain, 1)).isEqualTo(DirectoryLayout.FREE);
    }

    @Test
    void withRmaEventOnlyFlaggedRegionsAreCounted() {
        final Domain domain = domains.open(RMA_EVENT);
        try (MemoryRegion region = domain.register(remote(buffer, 1)); Counter counter = domain.openCounter()) {
            assertThat(region.isEnabled()).isTrue();
            assertThat(((FabricRegion) region).body().devices().entry().cellIova()).isZero();
            assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.bind(counter), "MrFlag.RMA_EVENT");
            assertRefused(FiErrno.FI_EOPBADSTATE, region::enable);
        }
    }

    private static int stateInDirectory(final Domain domain, final long key) {
        final KeyDirectory directory = Domains.regionsOf(domain).defaultRealm().directory();
        final int slot = DirectoryLayout.slotOf(key, directory.capacity()) * DirectoryLayout.ENTRY_LENGTH;
        return DirectoryLayout.state(directory.table(), slot);
    }

    @Test
    void regionsOfAnEndpointAreReachedThroughItOnly() {
        final Domain domain = domains.open(ENDPOINT);
        assertThat(domain.cache()).isNull();
        final CompletionQueue cq = domain.openCompletionQueue(512);
        final Endpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final Endpoint second = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 1));
        assertThat(region.isEnabled()).isFalse();
        assertRefused(FiErrno.FI_EOPBADSTATE, region::enable, "bind it to an endpoint");
        assertInvalid(() -> region.bind((Endpoint) null), "null");
        region.bind(endpoint);
        assertRefused(FiErrno.FI_EBUSY, () -> region.bind(second), "is bound to");
        region.enable();
        final Realm realm = ((EndpointRealm) endpoint).realm();
        assertThat(region.realm()).isSameAs(realm).isNotSameAs(((EndpointRealm) second).realm());
        assertThat(region.key()).isEqualTo(1);
        assertThatThrownBy(region::close).hasMessageContaining("is bound to endpoint " + endpoint.address())
            .hasMessageNotContainingAny("under way", "QP ");
        try (Wire through = new Wire(realm); Wire past = new Wire(((EndpointRealm) second).realm())) {
            final RegionDevice.Keys keys = region.body().devices().keys();
            assertThat(through.write(keys.iova(), keys.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
            assertThat(past.write(keys.iova(), keys.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
        endpoint.close();
        assertThat(region.isEnabled()).as("its endpoint is closed").isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        region.bind(second);
        region.enable();
        second.close();
        region.close();
        cq.close();
    }

    @Test
    void endpointsAreBoundByTheirRules() {
        final Domain plain = domains.open();
        final Domain domain = domains.open(ENDPOINT);
        final CompletionQueue cq = domain.openCompletionQueue(512);
        final Endpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        try (MemoryRegion region = plain.register(local(buffer))) {
            assertInvalid(() -> region.bind(endpoint), "no ENDPOINT");
        }
        final Domain other = domains.open(ENDPOINT);
        try (MemoryRegion region = other.register(local(buffer))) {
            assertRefused(FiErrno.FI_EDOMAIN, () -> region.bind(endpoint));
        }
        try (MemoryRegion region = domain.register(remote(buffer, 1).authKey(new byte[] {1}))) {
            assertInvalid(() -> region.bind(endpoint), "authorization");
        }
        final MemoryRegion bound = domain.register(remote(buffer, 1));
        bound.bind(endpoint);
        assertRefused(FiErrno.FI_EBUSY, bound::close, "endpoint");
        assertThat(bound.isClosed()).as("after a refused close").isFalse();
        assertRefused(FiErrno.FI_EBUSY, cq::close);
        assertRefused(FiErrno.FI_EBUSY, domain::close, "1 endpoint", "1 completion queue");
        endpoint.close();
        bound.close();
        cq.close();
    }

    @Test
    void aRegionOfAnotherAuthorizationKeyIsInAnotherRealm() {
        final Domain domain = domains.open();
        try (MemoryRegion mine = domain.register(remote(buffer, 1));
             MemoryRegion theirs = domain.register(remote(buffer, 2).authKey(new byte[] {1}));
             MemoryRegion same = domain.register(remote(buffer, 3).authKey(new byte[] {1}))) {
            final Realm realm = ((FabricRegion) theirs).realm();
            assertThat(realm).isNotSameAs(((FabricRegion) mine).realm()).isSameAs(((FabricRegion) same).realm());
            assertThat(realm.authDigest()).isNotEqualTo(new byte[8]);
            assertThat(((FabricRegion) mine).realm().authDigest()).isEqualTo(new byte[8]);
            final RegionDevice.Keys keys = ((FabricRegion) theirs).body().devices().keys();
            try (Wire wire = new Wire(((FabricRegion) mine).realm())) {
                assertThat(wire.read(keys.iova(), keys.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            }
        }
    }

    @Test
    void beforeVersion15AuthorizationKeysAreIgnored() {
        final Domain domain = domains.open(hints -> hints.apiVersion(1, 4).mrMode(MrMode.SCALABLE));
        try (MemoryRegion mine = domain.register(remote(buffer, 1));
             MemoryRegion theirs = domain.register(remote(buffer, 2).authKey(new byte[] {1}))) {
            assertThat(((FabricRegion) theirs).realm()).isSameAs(((FabricRegion) mine).realm());
        }
    }

    @Test
    void sinceVersion15AuthorizationKeysCount() {
        final Domain domain = domains.open(hints -> hints.apiVersion(1, 5));
        try (MemoryRegion mine = domain.register(remote(buffer, 1));
             MemoryRegion theirs = domain.register(remote(buffer, 2).authKey(new byte[] {1}))) {
            assertThat(((FabricRegion) theirs).realm()).isNotSameAs(((FabricRegion) mine).realm());
        }
    }

    @Test
    void anEndpointThatIsClosedIsNotBound() {
        final Domain domain = domains.open(ENDPOINT);
        final CompletionQueue cq = domain.openCompletionQueue(512);
        final Endpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final MemoryRegion region = domain.register(remote(buffer, 1));
        endpoint.close();
        assertRefused(FiErrno.FI_EBADFD, () -> region.bind(endpoint), "closed");
        final Endpoint second = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        region.bind(second);
        second.close();
        region.close();
        cq.close();
    }

    /** An endpoint that says as often as told that it is open, then that it is closed. */
    private static Endpoint closing(final Domain domain, final Realm realm, final int timesOpen) {
        final AtomicInteger asked = new AtomicInteger();
        return (Endpoint) Proxy.newProxyInstance(BindTest.class.getClassLoader(),
            new Class<?>[] {Endpoint.class, EndpointRealm.class}, (proxy, method, arguments) -> {
                switch (method.getName()) {
                    case "isClosed":
                        return asked.getAndIncrement() >= timesOpen;
                    case "domain":
                        return domain;
                    case "realm":
                        return realm;
                    case "hashCode":
                        return 1;
                    case "equals":
                        return proxy == arguments[0];
                    default:
                        return "endpoint that closes";
                }
            });
    }

    /** Any resource binding comes before fi_mr_enable, whatever the region was disabled for. */
    @Test
    void aCounterIsNotBoundToARegionThatWasEnabled() {
        final Domain domain = domains.open(COUNTS.andThen(ENDPOINT));
        final CompletionQueue cq = domain.openCompletionQueue(512);
        final Endpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final Counter early = domain.openCounter();
        final Counter late = domain.openCounter();
        final MemoryRegion region = domain.register(remote(buffer, 1));
        region.bind(endpoint);
        region.bind(early);
        region.enable();
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.bind(late), "enable");
        early.close();
        late.close();
        endpoint.close();
        region.close();
        cq.close();
    }

    @Test
    void anEndpointThatClosesWhileItIsBoundHoldsNoRegion() {
        final Domain domain = domains.open(ENDPOINT);
        final Realm realm = Domains.regionsOf(domain).openRealm(null);
        final MemoryRegion refused = domain.register(remote(buffer, 1));
        assertRefused(FiErrno.FI_EBADFD, () -> refused.bind(closing(domain, realm, 1)), "closed");
        refused.close();
        final MemoryRegion bound = domain.register(remote(buffer, 2));
        bound.bind(closing(domain, realm, 2));
        bound.close();
        assertThat(bound.isClosed()).isTrue();
        realm.release();
    }

    /** Neither the endpoint, nor other regions that it has. */
    @Test
    void aRegionThatWasNotBoundLeavesItsEndpointAsItWas() {
        final Domain domain = domains.open(ENDPOINT);
        final Realm realm = Domains.regionsOf(domain).openRealm(null);
        final FabricRegion bound = (FabricRegion) domain.register(remote(buffer, 1));
        final MemoryRegion refused = domain.register(remote(buffer, 2));
        final Endpoint endpoint = closing(domain, realm, 3);
        bound.bind(endpoint);
        assertRefused(FiErrno.FI_EBADFD, () -> refused.bind(endpoint), "closed");
        bound.enable();
        bound.regions().endpointClosed(endpoint);
        assertThat(bound.isEnabled()).as("it was the endpoint's").isFalse();
        final WeakReference<Endpoint> held = bindInVain(refused, domain, realm);
        Await.until(() -> "the endpoint is let go", () -> {
            System.gc();
            return held.get() == null;
        });
        refused.close();
        bound.close();
        realm.release();
    }

    private static WeakReference<Endpoint> bindInVain(
        final MemoryRegion region, final Domain domain, final Realm realm) {
        final Endpoint endpoint = closing(domain, realm, 1);
        assertRefused(FiErrno.FI_EBADFD, () -> region.bind(endpoint), "closed");
        return new WeakReference<>(endpoint);
    }

    /** All that is beside it at the device: a table of its pieces, a cell. */
    @Test
    void aRegionInPiecesThatIsCountedGoesFromEndpointToEndpoint() {
        final Domain domain = domains.open(COUNTS.andThen(ENDPOINT));
        final CompletionQueue cq = domain.openCompletionQueue(16);
        final long address = BufferUtil.address(buffer);
        final FabricRegion region = (FabricRegion) domain.register(new MrAttributes().buffer(address + 10, 100)
            .buffer(address + 600, 50).access(MrAccess.REMOTE_WRITE).requestedKey(1));
        for (int i = 0; i < 3; i++) {
            try (Endpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq))) {
                region.bind(endpoint);
                region.enable();
                final Realm realm = ((EndpointRealm) endpoint).realm();
                final DirectoryEntry entry = realm.directory().read(1);
                assertThat(entry.pieces()).isEqualTo(2);
                try (Wire wire = new Wire(realm)) {
                    assertThat(wire.read(entry.deviceBase(), entry.rkey(), 8)).as("table").isEqualTo(WcStatus.SUCCESS);
                    assertThat(wire.add(entry.cellIova(), entry.cellRkey(), 1)).as("cell").isEqualTo(WcStatus.SUCCESS);
                }
            }
        }
        region.close();
        cq.close();
    }

    /** A counter that closes the endpoint when it is asked for its domain: the region is being worked on then. */
    private static Counter closingWhenAsked(final Domain domain, final Endpoint endpoint) {
        return (Counter) Proxy.newProxyInstance(BindTest.class.getClassLoader(), new Class<?>[] {Counter.class},
            (proxy, method, arguments) -> {
                endpoint.close();
                return domain;
            });
    }

    @ParameterizedTest
    @EnumSource(EndpointType.class)
    void aRegionThatFailsWhileItsEndpointClosesHarmsNoOther(final EndpointType type) {
        final Domain domain = domains.open(ENDPOINT.andThen(hints -> hints.endpointType(type)));
        final CompletionQueue cq = domain.openCompletionQueue(512);
        final AddressVector peers =
            type == EndpointType.MSG ? null : domain.openAddressVector(new AvAttributes());
        final EndpointOptions options = new EndpointOptions().completionQueue(cq).addressVector(peers);
        final Endpoint endpoint =
            peers == null ? domain.openEndpoint(options) : domain.openAddressedEndpoint(options);
        final MemoryRegion failing = domain.register(local(buffer));
        final List<MemoryRegion> others = Stream.generate(() -> domain.register(local(buffer))).limit(8).toList();
        for (final MemoryRegion region : others) {
            region.bind(endpoint);
            region.enable();
        }
        failing.bind(endpoint);
        failing.enable();
        assertRefused(FiErrno.FI_EBUSY, () -> failing.bind(closingWhenAsked(domain, endpoint)), "bind counter");
        assertThat(endpoint.isClosed()).isTrue();
        assertThat(others).noneMatch(MemoryRegion::isEnabled);
        others.forEach(MemoryRegion::close);
        failing.close();
        if (peers != null) {
            peers.close();
        }
        cq.close();
        domain.close();
    }
}
