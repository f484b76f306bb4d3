/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.WcStatus;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Pages that come later or change (checklist 19, 26, 28, 45). */
@Timeout(60)
class RefreshTest {
    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(4 * PAGE);
    private final long address = BufferUtil.address(buffer);

    private MrAttributes apart() {
        return new MrAttributes().buffer(address + 10, 100).buffer(address + 600, 50).access(MrAccess.REMOTE_READ)
            .requestedKey(7);
    }

    private static MrAttributes hole() {
        return new MrAttributes().buffer(PAGE, PAGE).requestedKey(1).access(MrAccess.REMOTE_READ);
    }

    @Test
    void memoryThatIsNotThereCanBeRegisteredWhereAllocatedIsUnset() {
        final Domain domain = domains.open();
        final FabricRegion region = (FabricRegion) domain.register(hole());
        assertThat(region.isEnabled()).isTrue();
        try (Wire wire = new Wire(region.realm())) {
            final RegionDevice.Keys keys = region.body().devices().keys();
            assertThat(wire.read(keys.iova(), keys.rkey(), 8)).as("nothing is mapped").isNotEqualTo(WcStatus.SUCCESS);
        }
        assertRefused(FiErrno.FI_EFAULT, region::refresh);
        assertThat(region.isEnabled()).as("without FI_MR_MMU_NOTIFY it stays enabled").isTrue();
        region.close();
    }

    @Test
    void memoryMustBeThereWhereAllocatedIsSet() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.ALLOCATED).demand(MrMode.ALLOCATED));
        assertRefused(FiErrno.FI_EFAULT, () -> domain.register(hole()), "0x1000");
    }

    @Test
    void withMmuNotifyARegionWaitsForItsPages() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final FabricRegion region = (FabricRegion) domain.register(hole());
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        assertThat(region.lkey(PAGE, 1)).isZero();
        assertThat(region.deviceAddress(PAGE, 1)).isEqualTo(-1);
        assertRefused(FiErrno.FI_EFAULT, region::refresh, "0x1000");
        assertRefused(FiErrno.FI_EOPBADSTATE, region::enable);
        assertThat(region.isEnabled()).isFalse();
        region.close();
    }

    @Test
    void withMmuNotifyARefreshedRegionIsEnabledAgainWithItsKey() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 7));
        final RegionDevice.Keys before = region.body().devices().keys();
        region.refresh(address + PAGE, PAGE);
        assertThat(region.isEnabled()).isTrue();
        assertThat(region.key()).isEqualTo(7);
        final RegionDevice.Keys after = region.body().devices().keys();
        try (Wire wire = new Wire(region.realm())) {
            assertThat(wire.read(after.iova(), after.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
        }
        assertThat(after.lkey()).as("what was posted before has this one").isEqualTo(before.lkey());
        region.close();
    }

    /** Whoever has the device's key from before gets through neither by it, nor by what it was looked up by. */
    @Test
    void afterARefreshThatFailedNobodyReachesAnyPageUntilAnotherOneSucceeds() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final long pages = Libc.mmap(0, 2 * PAGE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        final FabricRegion region = (FabricRegion) domain.register(
            new MrAttributes().buffer(pages, 2 * PAGE).access(MrAccess.REMOTE_READ).requestedKey(7));
        final RegionDevice.Keys keys = region.body().devices().keys();
        try (Wire wire = new Wire(region.realm())) {
            assertThat(wire.read(keys.iova(), keys.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
            Libc.munmap(pages + PAGE, PAGE);
            assertRefused(FiErrno.FI_EFAULT, region::refresh);
            assertThat(region.isEnabled()).isFalse();
            assertThat(wire.read(keys.iova(), keys.rkey(), 8)).as("a page that is there").isNotEqualTo(
                WcStatus.SUCCESS);
        }
        Libc.mmap(pages + PAGE, PAGE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        region.refresh();
        assertThat(region.isEnabled()).isTrue();
        final RegionDevice.Keys now = region.body().devices().keys();
        try (Wire wire = new Wire(region.realm())) {
            assertThat(wire.read(now.iova(), now.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
        }
        region.close();
        Libc.munmap(pages, 2 * PAGE);
    }

    @Test
    void keysOfTheDeviceStayInARefresh() {
        final Domain domain = domains.open(hints ->
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
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        // Of buffers apart it names the table of them.
        for (final MrAttributes attributes : List.of(remote(buffer, 7), apart())) {
            final MemoryRegion region = domain.register(attributes);
            final byte[] raw = new byte[region.rawKeySize()];
            region.rawAttributes(raw);
            region.refresh();
            final byte[] now = new byte[region.rawKeySize()];
            region.rawAttributes(now);
            assertThat(now).isEqualTo(raw);
            region.close();
        }
    }

    @Test
    void rangesOutsideAreRefusedAndChangeNothing() {
        final Domain domain = domains.open();
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
        final Domain domain = domains.on(Domains.QEMU).open(hints -> hints.mrMode(MrMode.ALLOCATED));
        try (MemoryRegion region = domain.register(remote(buffer, 7))) {
            assertRefused(FiErrno.FI_ENOSYS, region::refresh, "register anew");
        }
    }

    /** The device, as if it could neither exchange pages under the same keys nor suspend those on demand. */
    private RdmaContext withoutRefresh() {
        return HookedDevice.proxy(RdmaContext.class, (proxy, method, arguments) -> {
            if (arguments != null && (arguments[0] == Feature.REFRESH || arguments[0] == Feature.SUSPEND)) {
                return method.getName().equals("whyNot") ? "pages are held" : (Object) false;
            }
            return HookedDevice.call(domains.context(), method, arguments);
        });
    }

    /** The device; when one of its regions is refreshed, that is told before it is done. */
    static RdmaContext watched(final RdmaContext device, final BiConsumer<Long, Long> onRefresh) {
        return HookedDevice.of(device, (method, arguments) -> {
            if (method.equals("refresh")) {
                onRefresh.accept((Long) arguments[0], (Long) arguments[1]);
            }
        });
    }

    static Stream<Set<MrMode>> modesThatKeepTheRegistration() {
        return Stream.of(EnumSet.of(MrMode.ALLOCATED), EnumSet.of(MrMode.MMU_NOTIFY, MrMode.PROV_KEY));
    }

    /** A device that holds pages has no others than those that it is told of. */
    @ParameterizedTest
    @MethodSource("modesThatKeepTheRegistration")
    void theDeviceIsToldOfAllRangesInFull(final Set<MrMode> modes) {
        final List<List<Long>> told = new ArrayList<>();
        final RdmaContext context = watched(domains.context(),
            (from, length) -> told.add(List.of(from, length)));
        final Domain domain = domains.open(hints -> hints.context(context).mrMode(modes).demand(modes));
        try (MemoryRegion region = domain.register(remote(buffer, 7))) {
            told.clear();
            region.refresh(address + 5, 2 * PAGE, address + 3 * PAGE, PAGE, address, 1);
            assertThat(told).containsExactly(List.of(address + 5, 2L * PAGE), List.of(address + 3 * PAGE, (long) PAGE),
                List.of(address, 1L));
            told.clear();
            region.refresh();
            assertThat(told).containsExactly(List.of(address, 4L * PAGE));
        }
    }

    /** Each buffer is a region of its own at the device. */
    @ParameterizedTest
    @MethodSource("modesThatKeepTheRegistration")
    void theDeviceIsToldOfTheRangesOfEachBuffer(final Set<MrMode> modes) {
        final List<List<Long>> told = new ArrayList<>();
        final RdmaContext context = watched(domains.context(),
            (from, length) -> told.add(List.of(from, length)));
        final Domain domain = domains.open(hints -> hints.context(context).mrMode(modes).demand(modes));
        final long third = address + 2 * PAGE + 8;
        try (MemoryRegion region = domain.register(new MrAttributes().buffer(address + 10, 100)
            .buffer(address + 600, 50).buffer(third, 24).access(MrAccess.REMOTE_READ).requestedKey(7))) {
            told.clear();
            region.refresh();
            assertThat(told).containsExactly(List.of(address + 10, 100L), List.of(address + 600, 50L),
                List.of(third, 24L));
            told.clear();
            region.refresh(address + 600, 50);
            assertThat(told).containsExactly(List.of(address + 600, 50L));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withMmuNotifyNobodyReachesARegionDuringARefresh(final boolean keyOfTheDevice) {
        final Set<MrMode> modes = EnumSet.of(MrMode.MMU_NOTIFY);
        if (keyOfTheDevice) {
            modes.add(MrMode.PROV_KEY);
        }
        final List<String> seen = new ArrayList<>();
        final Runnable[] look = {() -> { }};
        final RdmaContext context =
            watched(domains.context(), (from, length) -> look[0].run());
        final Domain domain = domains.open(hints -> hints.context(context).mrMode(modes).demand(modes));
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 7));
        final Realm realm = region.realm();
        final RegionDevice.Keys keys = region.body().devices().keys();
        look[0] = () -> {
            try (Wire wire = new Wire(realm)) {
                seen.add(region.isEnabled() + " " + wire.read(keys.iova(), keys.rkey(), 8)
                    + (keyOfTheDevice ? "" : " " + (stateOf(realm, 7) == DirectoryLayout.DISABLED)));
            }
        };
        region.refresh(address, PAGE);
        assertThat(seen).as("enabled, what a peer gets, told as disabled in the directory")
            .containsExactly("false REM_ACCESS_ERR" + (keyOfTheDevice ? "" : " true"));
        assertThat(region.isEnabled()).isTrue();
        region.close();
    }

    /** By the keys of the device that a peer has looked up before: one for each buffer. */
    @Test
    void withMmuNotifyNobodyReachesAnyBufferDuringARefresh() {
        final List<WcStatus> seen = new ArrayList<>();
        final Runnable[] look = {() -> { }};
        final RdmaContext context =
            watched(domains.context(), (from, length) -> look[0].run());
        final Domain domain = domains.open(hints -> hints.context(context).mrMode(MrMode.MMU_NOTIFY)
            .demand(MrMode.MMU_NOTIFY));
        final FabricRegion region = (FabricRegion) domain.register(apart());
        final Realm realm = region.realm();
        final DirectoryEntry entry = region.body().devices().entry();
        final List<DirectoryEntry> pieces = lookUp(realm, entry);
        assertThat(read(realm, pieces)).containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS);
        look[0] = () -> {
            seen.addAll(read(realm, pieces));
            seen.addAll(read(realm, List.of(entry)));
        };
        region.refresh(address + 600, 50);
        assertThat(seen).as("both buffers, and the table of them").hasSize(3).containsOnly(WcStatus.REM_ACCESS_ERR);
        assertThat(read(realm, pieces)).containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS);
        region.close();
    }

    /** What was posted on this side before goes on. */
    @Test
    void withMmuNotifyARegionThatPeersDoNotReachIsNotSuspended() {
        final List<String> calls = new ArrayList<>();
        final RdmaContext context = HookedDevice.of(domains.context(), (method, arguments) -> calls.add(method));
        final Domain domain = domains.open(hints -> hints.context(context).mrMode(MrMode.MMU_NOTIFY)
            .demand(MrMode.MMU_NOTIFY));
        try (MemoryRegion mine = domain.register(Domains.local(buffer));
            MemoryRegion theirs = domain.register(remote(buffer, 7))) {
            mine.refresh();
            assertThat(calls).contains("refresh").doesNotContain("suspend", "reregister");
            theirs.refresh();
            assertThat(calls).contains("suspend");
        }
    }

    /** What it would count is refused meanwhile, so that the cell needs no other key. */
    @Test
    void withMmuNotifyTheCellOfARegionStaysInARefresh() {
        final Domain domain = domains.open(hints -> hints.capabilities(Capability.RMA, Capability.RMA_EVENT)
            .mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        try (FabricRegion region = (FabricRegion) domain.register(remote(buffer, 7))) {
            final DirectoryEntry before = region.body().devices().entry();
            assertThat(before.cellRkey()).isNotZero();
            region.refresh();
            assertThat(region.body().devices().entry()).isEqualTo(before);
        }
    }

    private static List<DirectoryEntry> lookUp(final Realm realm, final DirectoryEntry entry) {
        final List<DirectoryEntry> pieces = new ArrayList<>();
        try (Wire wire = new Wire(realm)) {
            assertThat(wire.read(entry.deviceBase(), entry.rkey(), entry.pieces() * DirectoryLayout.ENTRY_LENGTH))
                .isEqualTo(WcStatus.SUCCESS);
            for (int i = 0; i < entry.pieces(); i++) {
                pieces.add(DirectoryLayout.read(wire.bytes, i * DirectoryLayout.ENTRY_LENGTH));
            }
        }
        return pieces;
    }

    private static List<WcStatus> read(final Realm realm, final List<DirectoryEntry> pieces) {
        try (Wire wire = new Wire(realm)) {
            return pieces.stream().map(piece -> wire.read(piece.deviceBase(), piece.rkey(), 8)).toList();
        }
    }

    /** The device; once, when that is armed, a region of it cannot be resumed. */
    private static RdmaContext failing(final RdmaContext device, final boolean[] armed) {
        return HookedDevice.of(device, (method, arguments) -> {
            if (armed[0] && method.equals("resume")) {
                armed[0] = false;
                throw RdmaException.of("resume").errno(RdmaException.ENOMEM).build();
            }
        });
    }

    @Test
    void afterARefreshThatFailedAtItsEndTheNextOneIsOfAllOfIt() {
        final List<List<Long>> told = new ArrayList<>();
        final boolean[] armed = {false};
        final RdmaContext context = watched(failing(domains.context(), armed),
            (from, length) -> told.add(List.of(from, length)));
        final Domain domain = domains.open(hints -> hints.context(context).mrMode(MrMode.MMU_NOTIFY)
            .demand(MrMode.MMU_NOTIFY));
        try (MemoryRegion region = domain.register(remote(buffer, 7))) {
            armed[0] = true;
            assertRefused(FiErrno.FI_ENOMEM, () -> region.refresh(address, 1));
            assertThat(region.isEnabled()).isFalse();
            told.clear();
            region.refresh(address + PAGE, 1);
            assertThat(told).containsExactly(List.of(address, 4L * PAGE));
            assertThat(region.isEnabled()).isTrue();
            told.clear();
            region.refresh(address + PAGE, 1);
            assertThat(told).containsExactly(List.of(address + PAGE, 1L));
        }
    }

    private Domain toldByRegisteringAnew(final MrMode... more) {
        return toldByRegisteringAnew(withoutRefresh(), more);
    }

    private Domain toldByRegisteringAnew(final RdmaContext context, final MrMode... more) {
        return domains.open(hints -> hints.context(context).mrMode(MrMode.MMU_NOTIFY, more)
            .demand(MrMode.MMU_NOTIFY, more));
    }

    @Test
    void withoutRefreshAnApplicationsKeyStays() {
        final List<Long> anew = new ArrayList<>();
        final RdmaContext context = HookedDevice.of(withoutRefresh(), (method, arguments) -> {
            if (method.equals("reregister")) {
                anew.add(((MrOptions) arguments[0]).length());
            }
        });
        final FabricRegion region = (FabricRegion) toldByRegisteringAnew(context).register(remote(buffer, 7));
        final int before = region.body().devices().keys().rkey();
        region.refresh();
        assertThat(region.body().devices().keys().rkey()).as("registered anew").isNotEqualTo(before);
        assertThat(anew).as("rights, pages, rights").containsExactly(0L, 4L * PAGE, 0L);
        assertThat(region.isEnabled()).isTrue();
        assertThat(stateOf(region)).isEqualTo(DirectoryLayout.LIVE);
        region.close();
    }

    private static int stateOf(final FabricRegion region) {
        return stateOf(region.realm(), region.key());
    }

    private static int stateOf(final Realm realm, final long key) {
        final KeyDirectory directory = realm.directory();
        return DirectoryLayout.state(directory.table(),
            DirectoryLayout.slotOf(key, directory.capacity()) * DirectoryLayout.ENTRY_LENGTH);
    }

    /** On a device that goes on with the pages of the registration. */
    @Test
    void withoutRefreshPeersReachTheNewPages() {
        domains.on("extensions=false");
        try (MappedMemory mapped = MappedMemory.anonymous(PAGE)) {
            final ByteBuffer bytes = Libc.directBuffer(mapped.address(), PAGE).order(ByteOrder.nativeOrder());
            bytes.putLong(0, 1);
            final FabricRegion region =
                (FabricRegion) toldByRegisteringAnew().register(remote(bytes, 7).buffer(mapped.address(), PAGE));
            Libc.mmap(mapped.address(), PAGE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
                LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
            bytes.putLong(0, 2);
            region.refresh();
            final RegionDevice.Keys keys = region.body().devices().keys();
            try (Wire wire = new Wire(region.realm())) {
                assertThat(wire.read(keys.iova(), keys.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
                assertThat(wire.bytes.getLong(0)).isEqualTo(2);
            }
            region.close();
        }
    }

    @Test
    void withoutRefreshARawKeyThatWasToldIsNotMadeWorthless() {
        final FabricRegion region = (FabricRegion) toldByRegisteringAnew().register(remote(buffer, 7));
        final byte[] raw = new byte[region.rawKeySize()];
        region.rawAttributes(raw);
        final RegionDevice.Keys told = region.body().devices().keys();
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
        final Domain domain = toldByRegisteringAnew(MrMode.PROV_KEY);
        try (MemoryRegion mine = domain.register(Domains.local(buffer)); MemoryRegion none = domain.register(hole())) {
            mine.refresh();
            assertRefused(FiErrno.FI_EFAULT, none::refresh);
        }
        final MemoryRegion region = domain.register(remote(buffer, 7));
        final long key = region.key();
        assertRefused(FiErrno.FI_ENOSYS, region::refresh, "register anew");
        assertThat(region.key()).isEqualTo(key);
        assertThat(region.isEnabled()).isTrue();
        region.close();
    }

    @Test
    void withoutRefreshPagesOnDemandNeedNone() {
        final FabricRegion region = (FabricRegion) domains.open(hints -> hints.context(withoutRefresh()))
            .register(remote(buffer, 7));
        final RegionDevice.Keys told = region.body().devices().keys();
        assertThat(region.body().devices().isOnDemand()).isTrue();
        region.refresh();
        assertThat(region.body().devices().keys()).isSameAs(told);
        assertThat(region.isEnabled()).isTrue();
        region.close();
    }
}
