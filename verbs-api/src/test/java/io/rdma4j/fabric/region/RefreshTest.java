/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Rig.PAGE;
import static io.rdma4j.fabric.region.Rig.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.WcStatus;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** Pages that come later or change (checklist 19, 26, 28, 45). */
@Timeout(60)
class RefreshTest {
    @RegisterExtension
    final Rig rig = new Rig();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(4 * PAGE);
    private final long address = BufferUtil.address(buffer);

    private static MrAttributes hole() {
        return new MrAttributes().buffer(PAGE, PAGE).requestedKey(1).access(MrAccess.REMOTE_READ);
    }

    @Test
    void memoryThatIsNotThereCanBeRegisteredWhereAllocatedIsUnset() {
        final Domain domain = rig.domain();
        final FabricRegion region = (FabricRegion) domain.register(hole());
        assertThat(region.isEnabled()).isTrue();
        try (Wire wire = new Wire(region.realm())) {
            final RegionDevice.Keys keys = region.body().device().keys();
            assertThat(wire.read(keys.iova(), keys.rkey(), 8)).as("nothing is mapped").isNotEqualTo(WcStatus.SUCCESS);
        }
        assertRefused(FiErrno.FI_EFAULT, region::refresh);
        assertThat(region.isEnabled()).as("without FI_MR_MMU_NOTIFY it stays enabled").isTrue();
        region.close();
    }

    @Test
    void memoryMustBeThereWhereAllocatedIsSet() {
        final Domain domain = rig.domain(hints -> hints.mrMode(MrMode.ALLOCATED).demand(MrMode.ALLOCATED));
        assertRefused(FiErrno.FI_EFAULT, () -> domain.register(hole()), "0x1000");
    }

    @Test
    void withMmuNotifyARegionWaitsForItsPages() {
        final Domain domain = rig.domain(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final FabricRegion region = (FabricRegion) domain.register(hole());
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        assertThat(region.lkey()).isZero();
        assertThat(region.deviceAddress(PAGE, 1)).isEqualTo(-1);
        assertRefused(FiErrno.FI_EFAULT, region::refresh, "0x1000");
        assertRefused(FiErrno.FI_EOPBADSTATE, region::enable);
        assertThat(region.isEnabled()).isFalse();
        region.close();
    }

    @Test
    void withMmuNotifyARefreshedRegionIsEnabledAgainWithItsKey() {
        final Domain domain = rig.domain(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 7));
        final RegionDevice.Keys before = region.body().device().keys();
        region.refresh(address + PAGE, PAGE);
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.key()).isEqualTo(7);
        final RegionDevice.Keys after = region.body().device().keys();
        try (Wire wire = new Wire(region.realm())) {
            assertThat(wire.read(before.iova(), before.rkey(), 8)).as("the key from before")
                .isEqualTo(WcStatus.REM_ACCESS_ERR);
            assertThat(wire.read(after.iova(), after.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
        }
        region.close();
    }

    @Test
    void keysOfTheDeviceStayInARefresh() {
        final Domain domain = rig.domain(hints ->
            hints.mrMode(MrMode.MMU_NOTIFY, MrMode.PROV_KEY).demand(MrMode.MMU_NOTIFY, MrMode.PROV_KEY));
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 7));
        final long key = region.key();
        region.refresh();
        assertThat(region.key()).isEqualTo(key);
        assertThat(region.isEnabled()).isTrue();
        region.close();
    }

    @Test
    void aRawKeyThatWasToldStaysInARefresh() {
        final Domain domain = rig.domain(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 7));
        final byte[] raw = new byte[region.rawKeySize()];
        region.rawAttributes(raw);
        region.refresh();
        final byte[] now = new byte[region.rawKeySize()];
        region.rawAttributes(now);
        assertThat(now).isEqualTo(raw);
        region.close();
    }

    @Test
    void rangesOutsideAreRefusedAndChangeNothing() {
        final Domain domain = rig.domain();
        try (MemoryRegion region = domain.register(remote(buffer, 7))) {
            assertInvalid(() -> region.refresh((long[]) null), "null");
            assertInvalid(() -> region.refresh(address), "1 numbers");
            assertInvalid(() -> region.refresh(address - 1, 1), "not inside");
            assertInvalid(() -> region.refresh(address, 4 * PAGE + 1), "not inside");
            assertInvalid(() -> region.refresh(address, 0));
            assertInvalid(() -> region.refresh(address, -1));
            assertInvalid(() -> region.refresh(address, Long.MAX_VALUE));
            assertInvalid(() -> region.refresh(address, 1, address + 4 * PAGE, 1));
            region.refresh(address, 1, address + 3 * PAGE, PAGE);
            region.refresh(new long[0]);
            assertThat(region.isEnabled()).isTrue();
        }
    }

    @Test
    void aDeviceThatCannotSaysSo() {
        final Domain domain = rig.on(Rig.QEMU).domain(hints -> hints.mrMode(MrMode.ALLOCATED));
        try (MemoryRegion region = domain.register(remote(buffer, 7))) {
            assertRefused(FiErrno.FI_ENOSYS, region::refresh, "register anew");
        }
    }

    /** The device, as if it could not exchange pages under the same keys. */
    private RdmaContext withoutRefresh() {
        return (RdmaContext) Proxy.newProxyInstance(RefreshTest.class.getClassLoader(),
            new Class<?>[] {RdmaContext.class}, (proxy, method, arguments) -> {
                if (arguments != null && arguments[0] == Feature.REFRESH) {
                    return method.getName().equals("whyNot") ? "pages are held" : (Object) false;
                }
                try {
                    return method.invoke(rig.context(), arguments);
                } catch (final InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    }

    private Domain toldByRegisteringAnew(final MrMode... more) {
        return rig.domain(hints -> hints.context(withoutRefresh()).mrMode(MrMode.MMU_NOTIFY, more)
            .demand(MrMode.MMU_NOTIFY, more));
    }

    @Test
    void withoutRefreshAnApplicationsKeyStays() {
        final FabricRegion region = (FabricRegion) toldByRegisteringAnew().register(remote(buffer, 7));
        final int before = region.body().device().keys().rkey();
        region.refresh();
        assertThat(region.body().device().keys().rkey()).as("registered anew").isNotEqualTo(before);
        assertThat(region.isEnabled()).isTrue();
        assertThat(stateOf(region)).isEqualTo(DirectoryLayout.LIVE);
        region.close();
    }

    private static int stateOf(final FabricRegion region) {
        final KeyDirectory directory = region.realm().directory();
        return DirectoryLayout.state(directory.table(),
            DirectoryLayout.slotOf(region.key(), directory.capacity()) * DirectoryLayout.ENTRY_LENGTH);
    }

    @Test
    void withoutRefreshARawKeyThatWasToldIsNotMadeWorthless() {
        final FabricRegion region = (FabricRegion) toldByRegisteringAnew().register(remote(buffer, 7));
        final byte[] raw = new byte[region.rawKeySize()];
        region.rawAttributes(raw);
        final RegionDevice.Keys told = region.body().device().keys();
        assertRefused(FiErrno.FI_ENOSYS, region::refresh, "pages are held", "register anew");
        assertThat(region.isEnabled()).isTrue();
        assertThat(stateOf(region)).isEqualTo(DirectoryLayout.LIVE);
        try (Wire wire = new Wire(region.realm())) {
            assertThat(wire.read(told.iova(), told.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
        }
        region.close();
    }

    @Test
    void withoutRefreshAKeyOfTheDeviceIsNotMadeWorthless() {
        final MemoryRegion region = toldByRegisteringAnew(MrMode.PROV_KEY).register(remote(buffer, 7));
        final long key = region.key();
        assertRefused(FiErrno.FI_ENOSYS, region::refresh, "register anew");
        assertThat(region.key()).isEqualTo(key);
        assertThat(region.isEnabled()).isTrue();
        region.close();
    }
}
