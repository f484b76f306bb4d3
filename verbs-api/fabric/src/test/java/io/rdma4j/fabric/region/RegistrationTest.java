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

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Registering memory: what is accepted, what is refused, and what a region tells (checklist 1-21). */
@Timeout(60)
class RegistrationTest {
    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(4 * PAGE);

    @Test
    void aBufferIsOneRegion() {
        final Domain domain = domains.open();
        final long address = BufferUtil.address(buffer);
        final Set<MrAccess> access = EnumSet.of(MrAccess.REMOTE_WRITE);
        try (MemoryRegion region = domain.register(address + 3, 1000, access, 77)) {
            assertThat(region.domain()).isSameAs(domain);
            assertThat(region.address()).isEqualTo(address + 3);
            assertThat(region.length()).isEqualTo(1000);
            assertThat(region.access()).isEqualTo(access);
            assertThat(region.base()).isZero();
            assertThat(region.key()).isEqualTo(77);
            assertThat(region.isEnabled()).isTrue();
            assertThat(region.toString()).contains("key 0x4d", "enabled");
        }
    }

    @Test
    void aRegionTellsItsStateAfterTheEnd() {
        final MemoryRegion region = domains.open().register(remote(buffer, 5).context("mine"));
        region.close();
        region.close();
        assertThat(region.isClosed()).isTrue();
        assertThat(region.isEnabled()).isFalse();
        assertThat(region.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
        assertThat(region.length()).isEqualTo(4 * PAGE);
        assertThat(region.context()).isEqualTo("mine");
        assertRefused(FiErrno.FI_EBADFD, () -> region.rawAttributes(new byte[RawKey.LENGTH]));
        assertRefused(FiErrno.FI_EBADFD, region::enable);
        assertRefused(FiErrno.FI_EBADFD, region::refresh);
        assertRefused(FiErrno.FI_EBADFD, region::flush);
    }

    @Test
    void theProvidersKeyStandsInPlaceOfTheRequestedOne() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.PROV_KEY).demand(MrMode.PROV_KEY));
        try (MemoryRegion one = domain.register(remote(buffer, 9));
             MemoryRegion two = domain.register(remote(buffer, 9))) {
            assertThat(one.key()).isNotEqualTo(two.key());
            assertThat(one.key() >>> Integer.SIZE).as("a key of the device has 32 bits").isZero();
        }
    }

    @Test
    void keysAreNamesOnADeviceThatReachesNoMemoryOfPeers() {
        final Domain domain = domains.on(Domains.QEMU).open(hints ->
            hints.mrMode(MrMode.ALLOCATED, MrMode.PROV_KEY).demand(MrMode.PROV_KEY));
        try (MemoryRegion one = domain.register(remote(buffer, 9));
             MemoryRegion two = domain.register(remote(buffer, 9))) {
            assertThat(one.key()).isNotEqualTo(two.key());
        }
        final Domain named = domains.open(hints -> hints.mrMode(MrMode.ALLOCATED));
        try (MemoryRegion one = named.register(remote(buffer, 9))) {
            assertThat(one.key()).isEqualTo(9);
            assertRefused(FiErrno.FI_ENOKEY, () -> named.register(remote(buffer, 9)));
        }
    }

    @Test
    void virtualAddressesAreTheBaseWhereTheyAreDemanded() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.VIRT_ADDR).demand(MrMode.VIRT_ADDR));
        try (MemoryRegion region = domain.register(remote(buffer, 9))) {
            assertThat(region.base()).isEqualTo(region.address()).isEqualTo(BufferUtil.address(buffer));
        }
    }

    @Test
    void aLocalRegionHasNoKeyAndUsesUpNone() {
        final Domain domain = domains.open();
        final long key = 42;
        try (MemoryRegion local = domain.register(local(buffer).requestedKey(key));
             MemoryRegion other = domain.register(local(buffer).requestedKey(key));
             MemoryRegion remote = domain.register(remote(buffer, key))) {
            assertThat(local.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
            assertThat(other.key()).isEqualTo(MemoryRegion.KEY_NOTAVAIL);
            assertThat(remote.key()).isEqualTo(key);
            assertThat(local.rawAttributes(new byte[RawKey.LENGTH])).as("of any region").isEqualTo(local.base());
        }
    }

    @Test
    void aKeyInUseIsToldFromOneThatCannotBeHad() {
        final Domain domain = domains.open();
        final MemoryRegion first = domain.register(remote(buffer, 1));
        assertRefused(FiErrno.FI_ENOKEY, () -> domain.register(remote(buffer, 1)), "0x1", "in use");
        assertRefused(FiErrno.FI_EKEYREJECTED, () -> domain.register(remote(buffer, -1)), "FI_KEY_NOTAVAIL");
        assertRefused(FiErrno.FI_EKEYREJECTED, () -> domain.register(remote(buffer, 0xfffe_0000_0000_0001L)), "mapRaw");
        first.close();
        domain.register(remote(buffer, 1)).close();
    }

    @Test
    void aKeyIsAsWideAsTheDomainSays() {
        final KeyNames four = new KeyNames(4);
        four.take(0xffff_ffffL);
        assertRefused(FiErrno.FI_EKEYREJECTED, () -> four.take(0x1_0000_0000L), "4 bytes");
        assertRefused(FiErrno.FI_ENOKEY, () -> four.take(0xffff_ffffL));
        final KeyNames eight = new KeyNames(8);
        eight.take(Long.MAX_VALUE);
        eight.take(Long.MIN_VALUE);
    }

    @Test
    void keyZeroAndTheLargestOnesAreKeys() {
        final Domain domain = domains.open();
        for (final long key : new long[] {0, -2, Long.MIN_VALUE, Long.MAX_VALUE}) {
            try (MemoryRegion region = domain.register(remote(buffer, key))) {
                assertThat(region.key()).isEqualTo(key);
            }
        }
    }

    @Test
    void aKeyOfARegistrationThatFailedIsFree() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.ALLOCATED).demand(MrMode.ALLOCATED));
        final MrAttributes missing = new MrAttributes().buffer(PAGE, PAGE).requestedKey(7)
            .access(MrAccess.REMOTE_READ);
        assertRefused(FiErrno.FI_EFAULT, () -> domain.register(missing));
        domain.register(remote(buffer, 7)).close();
    }

    @Test
    void memoryThatMakesNoSenseIsRefused() {
        final Domain domain = domains.open();
        final Set<MrAccess> access = EnumSet.of(MrAccess.SEND);
        final long address = BufferUtil.address(buffer);
        assertInvalid(() -> domain.register(address, 0, access, 0), "0 bytes", "above 0");
        assertInvalid(() -> domain.register(address, -1, access, 0), "-1 bytes");
        assertInvalid(() -> domain.register(address, Long.MIN_VALUE, access, 0));
        assertInvalid(() -> domain.register(-PAGE, PAGE + 1, access, 0), "wraps around");
        assertInvalid(() -> domain.register(new MrAttributes().access(access)), "no buffer");
        assertInvalid(() -> domain.register(null), "null");
        assertInvalid(() -> domain.register(address, PAGE, null, 0), "null");
        assertInvalid(() -> domain.register(address, Long.MAX_VALUE, access, 0));
        assertInvalid(() -> domain.register(
            new MrAttributes().buffer(PAGE, Long.MAX_VALUE).buffer(address, Long.MAX_VALUE).access(access)));
        assertInvalid(() -> new MrAttributes().buffer(ByteBuffer.allocate(8)), "heap");
        assertInvalid(() -> new MrAttributes().buffer((ByteBuffer) null));
    }

    @Test
    void aViewThatIsReadOnlyIsNotWrittenTo() {
        final Domain domain = domains.open();
        final ByteBuffer view = ByteBuffer.allocateDirect(PAGE).asReadOnlyBuffer();
        for (final MrAccess right : List.of(MrAccess.RECV, MrAccess.READ, MrAccess.REMOTE_WRITE)) {
            assertRefused(FiErrno.FI_EFAULT,
                () -> domain.register(new MrAttributes().buffer(view).access(right).requestedKey(5)), "read-only");
            assertRefused(FiErrno.FI_EFAULT, () -> domain.register(
                new MrAttributes().buffer(new UnsafeBuffer(view)).access(right).requestedKey(5)), "read-only");
        }
        domain.register(new MrAttributes().buffer(view).access(MrAccess.SEND, MrAccess.WRITE, MrAccess.REMOTE_READ)
            .requestedKey(5)).close();
    }

    @Test
    void accessThatMakesNoSenseIsRefused() {
        final Domain domain = domains.open();
        final MrAttributes attributes = new MrAttributes().buffer(buffer);
        assertInvalid(() -> domain.register(attributes), "no access");
        assertInvalid(() -> domain.register(attributes.access(MrAccess.COLLECTIVE)), "SEND or RECV");
        domain.register(attributes.access(MrAccess.COLLECTIVE, MrAccess.SEND)).close();
        domain.register(attributes.access(MrAccess.COLLECTIVE, MrAccess.RECV)).close();
        assertInvalid(() -> domain.register(attributes.access(MrAccess.COLLECTIVE, MrAccess.REMOTE_READ,
            MrAccess.WRITE)), "SEND or RECV");
        assertInvalid(() -> attributes.access((Set<MrAccess>) null));
    }

    @Test
    void whatIsReservedMustBeAsReserved() {
        final Domain domain = domains.open();
        assertInvalid(() -> domain.register(local(buffer).offset(1)), "offset is 1", "must be 0");
        assertInvalid(() -> domain.register(local(buffer).hmemData(this)), "hmemData");
    }

    @Test
    void aPageSizeIsAHintThatTheSystemMustKnow() {
        final Domain domain = domains.open();
        domain.register(local(buffer).pageSize(PAGE)).close();
        domain.register(local(buffer).pageSize(0)).close();
        assertInvalid(() -> domain.register(local(buffer).pageSize(PAGE + 1)), "page size 4097", "4096");
        assertInvalid(() -> domain.register(local(buffer).pageSize(3L << 20)), "page size");
        assertInvalid(() -> domain.register(local(buffer).pageSize(-1)), "page size -1");
    }

    @Test
    void flagsThatTheDomainDoesNotHaveAreRefused() {
        final Domain domain = domains.open(Capability.MSG, Capability.RMA);
        final Map<MrFlag, String> whatIsMissing = Map.of(MrFlag.AUTH_KEY, "FI_AV_AUTH_KEY",
            MrFlag.RMA_EVENT, "Capability.RMA_EVENT", MrFlag.HMEM_DEVICE_ONLY, "Capability.HMEM",
            MrFlag.HMEM_HOST_ALLOC, "Capability.HMEM", MrFlag.DMABUF, "Capability.HMEM");
        whatIsMissing.forEach((flag, missing) -> assertRefused(FiErrno.FI_EBADFLAGS,
            () -> domain.register(local(buffer).flags(flag)), flag.name(), missing));
        assertRefused(FiErrno.FI_EBADFLAGS, () -> MrFlag.of(1L << 62));
    }

    @Test
    void theInterfaceIsIgnoredWithoutTheCapability() {
        final Domain domain = domains.open();
        domain.register(local(buffer).iface(HmemIface.CUDA, 99)).close();
    }

    @Test
    void aDomainHasNoMoreRegionsThanItSays() {
        final Domain domain = domains.open(hints -> hints.mrCount(1));
        final int limit = domain.info().domainAttributes().mrCount();
        final MemoryRegion[] regions = new MemoryRegion[limit];
        for (int i = 0; i < limit; i++) {
            regions[i] = domain.register(remote(buffer, i));
        }
        assertRefused(FiErrno.FI_ENOMR, () -> domain.register(local(buffer)), "mr_cnt");
        regions[0].close();
        domain.register(remote(buffer, 0)).close();
        for (int i = 1; i < limit; i++) {
            regions[i].close();
        }
    }

    @Test
    void aRegionWhoseKeyWasInUseTakesNoPlace() {
        final Domain domain = domains.open(hints -> hints.mrCount(2));
        final int limit = domain.info().domainAttributes().mrCount();
        final List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            if (i > 0) {
                assertRefused(FiErrno.FI_ENOKEY, () -> domain.register(remote(buffer, 0)));
            }
            regions.add(domain.register(remote(buffer, i)));
        }
        assertThat(regions).hasSizeGreaterThan(1);
        regions.forEach(MemoryRegion::close);
    }

    @Test
    void overlappingRegionsAreEqual() {
        final Domain domain = domains.open();
        try (MemoryRegion all = domain.register(remote(buffer, 1)); MemoryRegion part = domain.register(
            BufferUtil.address(buffer) + 100, 200, EnumSet.of(MrAccess.REMOTE_READ), 2)) {
            assertThat(all.isEnabled() && part.isEnabled()).isTrue();
        }
    }

    @Test
    void aRegionHoldsItsMemory() {
        final Domain domain = domains.open();
        final PinnedMemory memory = domain.allocate(PAGE);
        final MemoryRegion region = domain.register(new MrAttributes().buffer(memory).access(MrAccess.SEND));
        assertThat(org.assertj.core.api.Assertions.catchThrowable(memory::close)).hasMessageContaining("EBUSY");
        region.close();
        memory.close();
        assertRefused(FiErrno.FI_EBADFD,
            () -> domain.register(new MrAttributes().buffer(memory).access(MrAccess.SEND)));
    }

    /** Looked for at each access it would cost time for nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void memoryOfADeviceIsThereUnlessTheApplicationTellsOfChangedPages(final boolean tells) {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.MMU_NOTIFY)
            .demand(tells ? EnumSet.of(MrMode.MMU_NOTIFY) : EnumSet.noneOf(MrMode.class)));
        try (PinnedMemory memory = domain.allocate(PAGE); MemoryRegion region = domain.register(new MrAttributes()
            .buffer(memory).access(MrAccess.SEND)); MemoryRegion other = domain.register(local(buffer))) {
            assertThat(((FabricRegion) region).body().devices().isOnDemand()).isEqualTo(tells);
            assertThat(((FabricRegion) other).body().devices().isOnDemand()).isTrue();
        }
    }

    @Test
    void aClosedDomainRegistersNothing() {
        final Domain domain = domains.open();
        domain.close();
        assertRefused(FiErrno.FI_EBADFD, () -> domain.register(local(buffer)), "closed");
        assertRefused(FiErrno.FI_EBADFD, () -> domain.register(new MrAttributes()), "closed");
        assertRefused(FiErrno.FI_EBADFD, () -> domain.allocate(PAGE));
        assertRefused(FiErrno.FI_EBADFD, () -> domain.mapRaw(0, new byte[RawKey.LENGTH]));
        assertRefused(FiErrno.FI_EBADFD, () -> domain.unmapKey(1));
        assertRefused(FiErrno.FI_EBADFD, domain::openCounter);
    }
}
