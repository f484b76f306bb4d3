/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.WcStatus;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Addresses behind which other pages come to lie (checklist 26, 28, 45). */
@Timeout(60)
class RemapTest {
    private static final int LENGTH = 4 * PAGE;
    private static final int ANONYMOUS = LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS;
    private static final int RW = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;

    /** It follows its pages when it is told of them, and has no regions on demand. */
    private static final String WITHOUT_SUSPENSION = "extensions=false";

    @RegisterExtension
    final Domains domains = new Domains();

    private final long address = Libc.mmap(0, LENGTH, LibcConstants.PROT_NONE, ANONYMOUS, -1, 0);
    private final UnsafeBuffer bytes = new UnsafeBuffer(address, LENGTH);

    @AfterEach
    void unmap() {
        Libc.munmap(address, LENGTH);
    }

    private void map(final int protection, final int value) {
        Libc.mmap(address, LENGTH, protection, ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        if (protection == RW) {
            bytes.setMemory(0, LENGTH, (byte) value);
        }
    }

    private Domain open(final MrMode... modes) {
        final Set<MrMode> set = EnumSet.noneOf(MrMode.class);
        Collections.addAll(set, modes);
        return domains.open(hints -> hints.mrMode(set).demand(set));
    }

    private static MrMode[] modes(final String names) {
        return Arrays.stream(names.split(" ")).map(MrMode::valueOf).toArray(MrMode[]::new);
    }

    private FabricRegion register(final Domain domain) {
        return (FabricRegion) domain.register(new MrAttributes().buffer(address, LENGTH)
            .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).requestedKey(1));
    }

    private static int read(final FabricRegion region) {
        final RegionDevice.Keys keys = region.body().devices().keys();
        try (Wire wire = new Wire(keys.realm())) {
            final WcStatus status = wire.read(keys.iova() + PAGE, keys.rkey(), 8);
            return status == WcStatus.SUCCESS ? wire.bytes.getByte(0) : -1;
        }
    }

    @Test
    void whereAllocatedIsUnsetPagesMayComeGoAndChange() {
        final FabricRegion region = register(open());
        assertThat(read(region)).as("nothing is there").isEqualTo(-1);
        map(RW, 5);
        assertThat(read(region)).isEqualTo(5);
        map(RW, 6);
        assertThat(read(region)).isEqualTo(6);
        map(LibcConstants.PROT_NONE, 0);
        assertThat(read(region)).isEqualTo(-1);
        region.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ALLOCATED", "MMU_NOTIFY", "MMU_NOTIFY PROV_KEY", "MMU_NOTIFY RAW", "ALLOCATED PROV_KEY"})
    void aRefreshBringsTheNewPagesUnderTheOldKey(final String names) {
        map(RW, 5);
        final FabricRegion region = register(open(modes(names)));
        final long key = region.key();
        assertThat(read(region)).isEqualTo(5);
        map(RW, 6);
        region.refresh();
        assertThat(read(region)).isEqualTo(6);
        map(RW, 7);
        region.refresh(address, 2 * PAGE, address + 2 * PAGE, 2 * PAGE);
        assertThat(read(region)).isEqualTo(7);
        assertThat(region.key()).isEqualTo(key);
        assertThat(region.isEnabled()).isTrue();
        region.close();
    }

    /** Only what a refresh names has to be there: the other pages may come with a later one (fi_mr_refresh). */
    @ParameterizedTest
    @ValueSource(strings = {"MMU_NOTIFY", "MMU_NOTIFY PROV_KEY"})
    void someOfItsPagesEnableARegionThatHadNone(final String names) {
        final FabricRegion region = register(open(modes(names)));
        assertThat(region.isEnabled()).isFalse();
        assertRefused(FiErrno.FI_EFAULT, () -> region.refresh(address + PAGE, PAGE));
        Libc.mmap(address + PAGE, PAGE, RW, ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        bytes.setMemory(PAGE, PAGE, (byte) 5);
        assertRefused(FiErrno.FI_EFAULT, () -> region.refresh(address + PAGE, 2 * PAGE));
        assertThat(region.isEnabled()).isFalse();
        region.refresh(address + PAGE, PAGE);
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.key()).isNotEqualTo(MemoryRegion.KEY_NOTAVAIL);
        assertThat(read(region)).isEqualTo(5);
        assertRefused(FiErrno.FI_EFAULT, region::refresh);
        map(RW, 6);
        region.refresh();
        assertThat(read(region)).isEqualTo(6);
        region.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MMU_NOTIFY", "MMU_NOTIFY PROV_KEY"})
    void aRefreshThatFailsDisablesUntilOneSucceeds(final String names) {
        map(RW, 5);
        final FabricRegion region = register(open(modes(names)));
        final long key = region.key();
        map(LibcConstants.PROT_NONE, 0);
        assertRefused(FiErrno.FI_EFAULT, region::refresh);
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.realm()).isNull();
        assertThat(read(region)).isEqualTo(-1);
        map(RW, 6);
        assertThat(read(region)).as("not before the refresh").isEqualTo(-1);
        region.refresh();
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.key()).isEqualTo(key);
        assertThat(read(region)).isEqualTo(6);
        region.close();
    }

    /** fi_mr_enable: no further resource bindings afterwards. */
    @Test
    void aCounterIsNotBoundToARegionThatWasEnabledWithoutPages() {
        final Domain domain = domains.open(hints -> hints.capabilities(Capability.RMA, Capability.RMA_EVENT)
            .mrMode(MrMode.MMU_NOTIFY, MrMode.RMA_EVENT).demand(MrMode.MMU_NOTIFY, MrMode.RMA_EVENT));
        final MemoryRegion region = domain.register(new MrAttributes().buffer(address, LENGTH)
            .access(MrAccess.REMOTE_WRITE).requestedKey(1).flags(MrFlag.RMA_EVENT));
        final Counter early = domain.openCounter();
        final Counter late = domain.openCounter();
        region.bind(early);
        region.enable();
        assertThat(region.isEnabled()).as("its pages are missing").isFalse();
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.bind(late), "enable");
        map(RW, 5);
        region.refresh();
        assertThat(region.isEnabled()).isTrue();
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> region.bind(late), "enable");
        early.close();
        late.close();
        region.close();
    }

    /** The device's key stays as long as its endpoint is open, and the region in that endpoint's realm with it. */
    @ParameterizedTest
    @ValueSource(strings = {"MMU_NOTIFY", "MMU_NOTIFY PROV_KEY", "MMU_NOTIFY RAW", "MMU_NOTIFY ALLOCATED PROV_KEY"})
    void aRegionWhoseRefreshFailedOutlivesItsEndpoint(final String names) {
        map(RW, 5);
        final Domain domain = open(modes(names + " ENDPOINT"));
        final CompletionQueue cq = domain.openCompletionQueue(16);
        final Endpoint first = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final FabricRegion region = register(domain);
        region.bind(first);
        region.enable();
        region.rawAttributes(new byte[region.rawKeySize()]);
        map(LibcConstants.PROT_NONE, 0);
        assertRefused(FiErrno.FI_EFAULT, region::refresh);
        first.close();
        map(RW, 6);
        final Endpoint second = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        region.bind(second);
        region.enable();
        region.refresh();
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.realm()).isSameAs(((EndpointRealm) second).realm());
        assertThat(read(region)).isEqualTo(6);
        second.close();
        region.close();
        cq.close();
    }

    /** A peer that comes between the change and the refresh: without pages on demand that is the end of the process. */
    @ParameterizedTest
    @ValueSource(strings = {"MMU_NOTIFY", "MMU_NOTIFY PROV_KEY", "MMU_NOTIFY ALLOCATED"})
    void whoComesTooEarlyGetsAnError(final String names) {
        map(RW, 5);
        final FabricRegion region = register(open(modes(names)));
        requireOnDemand(region);
        assertThat(read(region)).isEqualTo(5);
        map(LibcConstants.PROT_NONE, 0);
        assertThat(read(region)).as("nothing is there").isEqualTo(-1);
        map(RW, 6);
        region.refresh();
        assertThat(read(region)).isEqualTo(6);
        region.close();
    }

    private static void requireOnDemand(final FabricRegion region) {
        assertThat(region.body().devices().isOnDemand()).as("else the next access is a signal").isTrue();
    }

    /** Several buffers are looked for when they are needed as one is. */
    @Test
    void ofSeveralBuffersEachMayComeGoAndChange() {
        final FabricRegion region = (FabricRegion) open().register(new MrAttributes().buffer(address + 3 * PAGE, PAGE)
            .buffer(address + PAGE, PAGE).access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).requestedKey(1));
        requireOnDemand(region);
        assertThat(read(region)).as("nothing is there").isEqualTo(-1);
        map(RW, 5);
        assertThat(read(region)).as("the second buffer").isEqualTo(5);
        Libc.mmap(address + PAGE, PAGE, LibcConstants.PROT_NONE, ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        assertThat(read(region)).as("it went away").isEqualTo(-1);
        map(RW, 6);
        assertThat(read(region)).isEqualTo(6);
        region.refresh();
        region.close();
    }

    @Test
    void withMmuNotifyARegionOfSeveralBuffersWaitsForAllOfThem() {
        Libc.mmap(address, PAGE, RW, ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        final FabricRegion region = (FabricRegion) open(MrMode.MMU_NOTIFY).register(new MrAttributes()
            .buffer(address, PAGE).buffer(address + 2 * PAGE, PAGE).access(MrAccess.REMOTE_READ).requestedKey(1));
        assertThat(region.isEnabled()).isFalse();
        assertRefused(FiErrno.FI_EFAULT, region::refresh);
        map(RW, 3);
        region.refresh();
        assertThat(read(region)).isEqualTo(3);
        Libc.mmap(address + 2 * PAGE, PAGE, LibcConstants.PROT_NONE, ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        assertThat(read(region)).as("too early").isEqualTo(-1);
        region.close();
    }

    @Test
    void withMmuNotifyARegionIsEnabledByTheRefreshThatFindsItsPages() {
        final FabricRegion region = register(open(MrMode.MMU_NOTIFY));
        assertThat(region.isEnabled()).isFalse();
        assertRefused(FiErrno.FI_EFAULT, region::refresh);
        map(RW, 9);
        region.refresh();
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.key()).isEqualTo(1);
        assertThat(read(region)).isEqualTo(9);
        region.close();
    }

    /** Other pages than those that failed are out of reach, too (checklist 45). */
    @ParameterizedTest
    @ValueSource(strings = {"", WITHOUT_SUSPENSION})
    void aRefreshOfAPartThatFailsLeavesPeersNothingByTheDevicesKey(final String device) {
        domains.on(device);
        map(RW, 5);
        final FabricRegion region = register(open(MrMode.MMU_NOTIFY, MrMode.PROV_KEY));
        final long key = region.key();
        Libc.mmap(address + 3 * PAGE, PAGE, LibcConstants.PROT_NONE, ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        assertRefused(FiErrno.FI_EFAULT, () -> region.refresh(address + 3 * PAGE, PAGE));
        assertThat(region.isEnabled()).isFalse();
        assertThat(read(region)).as("a page that was not refreshed").isEqualTo(-1);
        map(RW, 6);
        region.refresh(address + 3 * PAGE, PAGE);
        assertThat(region.key()).isEqualTo(key);
        assertThat(read(region)).as("all of it was refreshed").isEqualTo(6);
        region.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", WITHOUT_SUSPENSION})
    void ofSeveralBuffersTheDevicesKeyGoesWhenARefreshFails(final String device) {
        domains.on(device);
        map(RW, 5);
        final Domain domain = open(MrMode.MMU_NOTIFY, MrMode.PROV_KEY);
        final FabricRegion region = (FabricRegion) domain.register(new MrAttributes().buffer(address + 3 * PAGE, PAGE)
            .buffer(address, PAGE).access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE));
        final RegionDevice.Keys told = region.body().devices().keys();
        try (Wire wire = new Wire(told.realm())) {
            assertThat(wire.read(told.iova(), told.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
        }
        Libc.mmap(address, PAGE, LibcConstants.PROT_NONE, ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        assertRefused(FiErrno.FI_EFAULT, () -> region.refresh(address, PAGE));
        assertThat(region.isEnabled()).isFalse();
        try (Wire wire = new Wire(told.realm())) {
            assertThat(wire.read(told.iova(), told.rkey(), 8)).as("the buffer that was not refreshed")
                .isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
        if (!device.isEmpty()) {
            assertThat(told.realm().directory().read(Integer.toUnsignedLong(told.rkey()))).as("a key of nothing")
                .isNull();
        }
        map(RW, 6);
        region.refresh(address, PAGE);
        assertThat(region.isEnabled()).isTrue();
        assertThat(read(region)).isEqualTo(6);
        region.close();
    }
}
