/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** What is left when making something fails in the middle; {@link Domains} looks at the device. */
@Timeout(60)
class RealmsTest {
    @RegisterExtension
    final Domains domains = new Domains();

    private Realms failingBy(final Domain domain, final RuntimeException failure) {
        return new Realms(domain, () -> new PdLease(domains.context().allocatePd(), true),
            new RegionRules(domain.info(), domains.context()), pd -> {
            throw failure;
        });
    }

    @Test
    void aRealmThatCannotBeMadeLeavesNothing() {
        final Domain domain = domains.open();
        final RuntimeException failure = new IllegalStateException("no cache");
        assertThat(new RegionRules(domain.info(), domains.context()).hasMemory).as("one to give back").isTrue();
        final long reachable = domains.context().reachableBytes();
        final long protectionDomains = domainsIn(domains.context().dump());
        assertThatThrownBy(() -> failingBy(domain, failure).open(null)).isSameAs(failure);
        assertThatThrownBy(() -> failingBy(domain, failure).openOwn(null)).isSameAs(failure);
        assertThat(domains.context().reachableBytes()).isEqualTo(reachable);
        assertThat(domainsIn(domains.context().dump())).isEqualTo(protectionDomains);
    }

    private static long domainsIn(final String dump) {
        return dump.lines().filter(line -> line.startsWith("PD ")).count();
    }

    /** Whatever the cache is: it may have threads and memory of its own. */
    @Test
    void theLastUserOfARealmClosesItsCache() {
        final Domain domain = domains.open();
        final AtomicInteger closings = new AtomicInteger();
        final Realm realm = withCache(domain, closings::incrementAndGet);
        realm.retain();
        realm.release();
        assertThat(closings).hasValue(0);
        realm.release();
        assertThat(closings).hasValue(1);
        assertThat(realm.tryRetain()).isFalse();
    }

    private Realm withCache(final Domain domain, final AutoCloseable closing) {
        final RegistrationCache cache = (RegistrationCache) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {RegistrationCache.class, AutoCloseable.class}, (self, method, arguments) -> {
                if (method.getName().equals("close")) {
                    closing.close();
                }
                return null;
            });
        return new Realms(domain, () -> new PdLease(domains.context().allocatePd(), true),
            new RegionRules(domain.info(), domains.context()), pd -> cache).openOwn(null);
    }

    /** All else is closed: {@link Domains} looks at the device. */
    @Test
    void aCacheThatCannotBeClosedIsToldOf() {
        final Domain domain = domains.open();
        final Realm first = withCache(domain, () -> {
            throw new IOException("no disk");
        });
        assertRefused(FiErrno.FI_EIO, first::release, "no disk");
        final RuntimeException failure = new IllegalStateException("no cache");
        final Realm second = withCache(domain, () -> {
            throw failure;
        });
        assertThatThrownBy(second::release).isSameAs(failure);
        first.release();
        assertRefused(FiErrno.FI_EBADFD, first::retain, "realm of", "closed");
    }

    /** Whose protection domain took so long that another one came first. */
    @Test
    void ofRealmsThatAreMadeAtOnceForOneKeyOneStays() {
        final Domain domain = domains.open();
        final Realms[] realms = new Realms[1];
        final List<Realm> came = new ArrayList<>();
        final AtomicInteger made = new AtomicInteger();
        realms[0] = new Realms(domain, () -> {
            final PdLease lease = new PdLease(domains.context().allocatePd(), true);
            if (made.getAndIncrement() == 0) {
                came.add(realms[0].open(new byte[] {1}));
            }
            return lease;
        }, new RegionRules(domain.info(), domains.context()), pd -> null);
        final Realm late = realms[0].open(new byte[] {1});
        assertThat(late).isSameAs(came.get(0));
        assertThat(made).hasValue(2);
        late.release();
        assertThat(late.tryRetain()).as("of who came first").isTrue();
        late.release();
        late.release();
        assertThat(late.tryRetain()).isFalse();
    }

    @Test
    void aKeyWithoutBytesIsTheDomains() {
        final Domain domain = domains.open(hints -> hints.authKey(new byte[] {7}));
        final Regions regions = Domains.regionsOf(domain);
        for (final byte[] key : new byte[][] {null, {}, {7}}) {
            final Realm realm = regions.openRealm(key);
            assertThat(realm).isSameAs(regions.defaultRealm());
            realm.release();
        }
    }

    @Test
    void theCauseIsTold() {
        final Domain domain = domains.open();
        final RdmaException failure = RdmaException.of("make cache").detail("no room").errno(RdmaException.ENOMEM)
            .build();
        assertRefused(FiErrno.FI_ENOMEM, () -> failingBy(domain, failure).open(null), "no room");
    }

    /** Where the device cannot look for pages at each access, what nobody is known to own is registered each time. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allCachesKnowTheDomainsMemoryByItsAddress(final boolean ofEndpoints) {
        final Set<MrMode> demanded = ofEndpoints ? EnumSet.of(MrMode.ENDPOINT) : EnumSet.noneOf(MrMode.class);
        final Domain domain = domains.on("extensions=false").open(hints -> hints
            .mrMode(MrMode.ALLOCATED, MrMode.ENDPOINT).demand(demanded));
        assertThat(domain.info().needs(MrMode.ENDPOINT)).isEqualTo(ofEndpoints);
        final PinnedMemory memory = domain.allocate(PAGE);
        final Realm other = Domains.regionsOf(domain).openRealm(new byte[] {1});
        assertThat(other.cache()).isNotSameAs(domain.cache());
        for (int i = 0; i < 3; i++) {
            other.cache().acquire(memory.address(), 64, 0).release();
        }
        assertThat(other.cache().statistics().asMap()).containsEntry("uncached", 0L).containsEntry("hits", 2L);
        memory.close();
        other.cache().acquire(memory.address(), 64, 0).release();
        assertThat(other.cache().statistics().hits()).as("nobody's any more").isEqualTo(2);
        other.release();
    }

    /** Nothing is registered at the addresses of a dma-buf that was unmapped (max_mr leaves no room to take rights). */
    @Test
    void aDmaBufThatWasGivenUpIsNotRegisteredAgain() {
        final Domain domain = domains.on("max_mr=8").open();
        final RegionRules rules = new RegionRules(domain.info(), domains.context());
        final Realm realm = Domains.regionsOf(domain).defaultRealm();
        try (PinnedMemory memory = domains.context().allocate(PAGE)) {
            final RegionPlan plan = new RegionPlan(null, new MrAttributes.DmaBufRange(0, 0, PAGE, 0),
                EnumSet.of(MrAccess.REMOTE_READ), EnumSet.of(MrFlag.DMABUF), 1, null, null, rules);
            final RegionDevices device =
                new RegionDevices(plan, RegionBuffers.of(memory.address(), PAGE, memory), 0, null);
            device.register(realm, true);
            final List<io.rdma4j.verbs.MemoryRegion> others = fill(realm.pd(), memory);
            device.hide(realm);
            assertThat(device.isRegistered()).as("no room to register it anew").isFalse();
            others.forEach(io.rdma4j.verbs.MemoryRegion::close);
            assertRefused(FiErrno.FI_EOPBADSTATE, () -> device.expose(realm), "dma-buf");
            device.close();
        }
    }

    /** Registers as often as the device has room. */
    static List<io.rdma4j.verbs.MemoryRegion> fill(final ProtectionDomain pd, final PinnedMemory memory) {
        final List<io.rdma4j.verbs.MemoryRegion> made = new ArrayList<>();
        try {
            while (true) {
                made.add(pd.register(memory));
            }
        } catch (final RdmaException e) {
            assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM);
        }
        return made;
    }
}
