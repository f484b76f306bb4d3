/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.rdma4j.verbs.AccessFlag.ON_DEMAND;
import static io.rdma4j.verbs.AccessFlag.RELAXED_ORDERING;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.ibv.Stub.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Pointer;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.DeviceAddress;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.spi.FeatureTable;
import io.rdma4j.verbs.spi.RegionOwner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** What the library is asked for when memory is registered, on the library of stub.c. */
@EnabledIf("hasGcc")
class StubRegionsTest {
    private static final int PAGE = 4096;
    private static final long ODP = 1;
    private static final long IMPLICIT = 2;
    private static final int RC_ALL = 0x3f;
    private static final int EIO = 5;
    private static final int EBADF = 9;
    private static final int EINVAL = 22;
    private static final int EOPNOTSUPP = 95;

    private RdmaContext context;
    private ProtectionDomain pd;
    private PinnedMemory memory;

    static boolean hasGcc() {
        return Stub.isThere();
    }

    private void open(final long general, final int rc, final int ud) {
        ask("stub_extended", 1, 0);
        ask("stub_odp", general, rc, ud);
        context = new IbvVerbsProvider().open(DeviceAddress.parse("ibv:stub0"));
        pd = context.allocatePd();
        memory = context.allocate(4 * PAGE);
    }

    private void open() {
        open(ODP | IMPLICIT, RC_ALL, RC_ALL);
    }

    @AfterEach
    void everythingIsGivenBack() {
        ask("stub_extended", 0, 0);
        ask("stub_dmabuf", EBADF);
        ask("stub_advise", 0);
        ask("stub_usual_flags");
        ask("stub_odp", ODP | IMPLICIT, 0x1f, 1);
        if (context != null) {
            context.close();
            assertThat(context.reachableBytes()).isZero();
        }
        assertThat((int) ask("stub_live")).as("objects that are left").isZero();
        assertThat((int) ask("stub_misuse")).as("uses of destroyed objects").isZero();
    }

    private static void assertAsked(
        final String how, final long first, final long length, final long iova, final int fd, final int access) {
        assertThat(new Pointer(ask("stub_how")).getString(0)).isEqualTo(how);
        assertThat(List.of(asked(0), asked(1), asked(2), asked(3), asked(4)))
            .containsExactly(first, length, iova, (long) fd, (long) access);
    }

    private static long asked(final int field) {
        return ask("stub_asked", field);
    }

    private static long advised(final int field) {
        return ask("stub_advised", field);
    }

    @Test
    void rangesByTheirAddressOrAnother() {
        open();
        final long at = memory.address();
        final MemoryRegion plain = pd.register(memory, LOCAL_WRITE, REMOTE_WRITE);
        assertAsked("reg_mr", at, 4 * PAGE, at, -1, 3);
        assertThatThrownBy(() -> plain.refresh(at, 1)).hasMessageContaining(context.whyNot(Feature.REFRESH));
        final MemoryRegion other = pd.register(new MrOptions().memory(at + 5, 100).iova(0x7000_0005L));
        assertAsked("reg_mr_iova2", at + 5, 100, 0x7000_0005L, -1, 0);
        assertThat(other.iova()).isEqualTo(0x7000_0005L);
        assertThat(other.address()).isEqualTo(at + 5);
        pd.register(new MrOptions().memory(memory).zeroBased());
        assertAsked("reg_mr_iova2", at, 4 * PAGE, 0, -1, 0);
        assertThatThrownBy(() -> pd.register(new MrOptions().memory(at + 5, 100).zeroBased()))
            .hasMessageContaining(context.whyNot(Feature.ZERO_BASED)).hasMessageContaining("EOPNOTSUPP");
        assertThatThrownBy(() -> pd.register(new MrOptions().memory(at + 5, 100).iova(4)))
            .hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> pd.register(new MrOptions().pages(new PageList(), 0, PAGE)))
            .hasMessageContaining(context.whyNot(Feature.PAGE_LISTS));
    }

    @Test
    void relaxedOrderingGoesByTheFunctionThatMayLeaveItOut() {
        open();
        final MemoryRegion region = pd.register(memory, LOCAL_WRITE, RELAXED_ORDERING);
        assertAsked("reg_mr_iova2", memory.address(), 4 * PAGE, memory.address(), -1, 1 << 20 | 1);
        assertThat(region.access()).containsOnly(LOCAL_WRITE, RELAXED_ORDERING);
    }

    @Test
    void onDemandNothingIsPinnedAndAdviceBringsPagesIn() {
        open();
        final long before = context.reachableBytes();
        final MemoryRegion region =
            pd.register(new MrOptions().memory(memory).iova(0x1000).access(LOCAL_WRITE, ON_DEMAND));
        assertAsked("reg_mr_iova2", memory.address(), 4 * PAGE, 0x1000, -1, 64 | 1);
        assertThat(context.reachableBytes()).isEqualTo(before);
        region.refresh(memory.address() + 3, 5000);
        assertThat(List.of(advised(1), advised(2), advised(3), advised(4), advised(5)))
            .as("write, now, address, length, key").containsExactly(1L, 1L, 0x1003L, 5000L, (long) region.lkey());
        final MemoryRegion readable = pd.register(memory, ON_DEMAND);
        readable.refresh(memory.address(), 1);
        assertThat(advised(1)).as("read").isZero();
        final long times = advised(0);
        assertThatThrownBy(() -> readable.refresh(memory.address(), 4 * PAGE + 1)).hasMessageContaining("not all in");
        assertThatThrownBy(() -> readable.refresh(memory.address() - 1, 1)).hasMessageContaining("not all in");
        assertThatThrownBy(readable::suspend).hasMessageContaining(context.whyNot(Feature.SUSPEND));
        assertThat(advised(0)).isEqualTo(times);
        ask("stub_advise", EOPNOTSUPP);
        readable.refresh(memory.address(), PAGE);
        ask("stub_advise", EINVAL);
        assertThatThrownBy(() -> readable.refresh(memory.address(), PAGE)).hasMessageContaining("ibv_advise_mr")
            .hasMessageContaining("EINVAL");
        readable.close();
        assertThatThrownBy(() -> readable.refresh(memory.address(), PAGE)).hasMessageContaining("EBADFD");
    }

    @Test
    void missingPagesAreNamedBeforeAnyAdvice() {
        open();
        final long times = advised(0);
        final MemoryRegion region = pd.register(PAGE, PAGE, ON_DEMAND);
        assertThatThrownBy(() -> region.refresh(PAGE, 10)).hasMessageContaining("EFAULT")
            .hasMessageContaining("map what is missing");
        try (MappedMemory pages = MappedMemory.anonymous(4 * PAGE)) {
            final MemoryRegion all = pd.register(pages.address(), 4 * PAGE, LOCAL_WRITE, ON_DEMAND);
            protect(pages.address() + 3 * PAGE, LibcConstants.PROT_READ);
            final String readOnly = Long.toHexString(pages.address() + 3 * PAGE);
            // The last byte of the range is the first one of that page.
            assertThatThrownBy(() -> all.refresh(pages.address() + 1, 3 * PAGE)).hasMessageContaining("EFAULT")
                .hasMessageContaining(readOnly);
            all.reregister(new MrOptions().access(ON_DEMAND));
            all.refresh(pages.address() + 1, 3 * PAGE);
            assertThat(advised(0)).isEqualTo(times + 1);
            protect(pages.address() + 3 * PAGE, LibcConstants.PROT_NONE);
            assertThatThrownBy(() -> all.refresh(pages.address() + 1, 3 * PAGE)).hasMessageContaining("EFAULT")
                .hasMessageContaining(readOnly);
            all.close();
        }
        assertThat(advised(0)).isEqualTo(times + 1);
    }

    private static void protect(final long page, final int rights) {
        Libc.mmap(page, PAGE, rights,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
    }

    @Test
    void allMemoryIsOneRegion() {
        open();
        final MemoryRegion region = pd.register(new MrOptions().allMemory().access(LOCAL_WRITE, ON_DEMAND));
        assertAsked("reg_mr", 0, -1, 0, -1, 64 | 1);
        assertThat(region.length()).isEqualTo(Long.MAX_VALUE);
        region.refresh(memory.address(), PAGE);
        assertThat(advised(3)).isEqualTo(memory.address());
        region.reregister(new MrOptions().access(ON_DEMAND));
        assertAsked("reg_mr", 0, -1, 0, -1, 64);
        assertThatThrownBy(() -> pd.register(new MrOptions().allMemory().access(LOCAL_WRITE)))
            .hasMessageContaining("EINVAL").hasMessageContaining("ON_DEMAND");
        assertThatThrownBy(() -> region.refresh(0, 1)).hasMessageContaining("not all in");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, ON_DEMAND_PAGING ON_DEMAND_EVERYWHERE ALL_MEMORY, only pages that stay",
        "1, 63, 35, ALL_MEMORY, general_odp_caps 0x1",
        "3, 11, 35, ON_DEMAND_PAGING ON_DEMAND_EVERYWHERE, rc_odp_caps 0xb",
        "3, 47, 35, ON_DEMAND_EVERYWHERE, rc_odp_caps 0x2f",
        "3, 31, 35, ON_DEMAND_EVERYWHERE, rc_odp_caps 0x1f",
        "3, 63, 1, ON_DEMAND_EVERYWHERE, ud_odp_caps 0x1",
        "3, 63, 35, '', ''"})
    void onDemandAsTheDeviceSays(
        final long general, final int rc, final int ud, final String missing, final String why) {
        open(general, rc, ud);
        for (final Feature feature : List.of(Feature.ON_DEMAND_PAGING, Feature.ON_DEMAND_EVERYWHERE,
            Feature.ALL_MEMORY)) {
            assertThat(context.supports(feature)).as(feature.name())
                .isEqualTo(!List.of(missing.split(" ")).contains(feature.name()));
            if (!context.supports(feature)) {
                assertThat(context.whyNot(feature)).contains(why);
            }
        }
        if (!context.supports(Feature.ON_DEMAND_PAGING)) {
            assertThatThrownBy(() -> pd.register(memory, ON_DEMAND)).hasMessageContaining("EOPNOTSUPP")
                .hasMessageContaining(context.whyNot(Feature.ON_DEMAND_PAGING));
        } else if (!context.supports(Feature.ALL_MEMORY)) {
            assertThatThrownBy(() -> pd.register(new MrOptions().allMemory().access(ON_DEMAND)))
                .hasMessageContaining("EOPNOTSUPP").hasMessageContaining(context.whyNot(Feature.ALL_MEMORY));
        }
    }

    @Test
    void dmaBufsByDescriptor() {
        open();
        assertThat(context.supports(Feature.DMA_BUFS)).isTrue();
        final MemoryRegion region =
            pd.register(new MrOptions().dmaBuf(17, 3 * PAGE + 8, 5000).access(LOCAL_WRITE, REMOTE_READ));
        assertAsked("reg_dmabuf_mr", 3 * PAGE + 8, 5000, 3 * PAGE + 8, 17, 5);
        assertThat(region.iova()).isEqualTo(3 * PAGE + 8);
        assertThat(region).hasToString("region dma-buf fd 17, 12296+5000");
        pd.register(new MrOptions().dmaBuf(17, 8, 5000).iova(0x5008).access(RELAXED_ORDERING));
        assertAsked("reg_dmabuf_mr", 8, 5000, 0x5008, 17, 1 << 20);
        pd.registerShared(region, region.address());
        assertAsked("reg_dmabuf_mr", 3 * PAGE + 8, 5000, 3 * PAGE + 8, 17, 0);
        assertThatThrownBy(() -> pd.register(new MrOptions().dmaBuf(17, 8, 5000).iova(0x5000)))
            .hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> pd.register(new MrOptions().dmaBuf(17, 0, PAGE).access(ON_DEMAND)))
            .hasMessageContaining("neither ON_DEMAND nor MW_BIND");
        assertThatThrownBy(() -> new MrOptions().dmaBuf(-1, 0, 1)).hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> new MrOptions().dmaBuf(17, 0, -1)).hasMessageContaining("EINVAL");
        assertThatThrownBy(() -> new MrOptions().dmaBuf(3, -1, 1)).hasMessageContaining("EINVAL");
    }

    @Test
    void aDriverWithoutDmaBufsSaysSo() {
        ask("stub_dmabuf", EOPNOTSUPP);
        open();
        assertThat(context.whyNot(Feature.DMA_BUFS)).contains("takes no dma-bufs", "EOPNOTSUPP");
        assertThatThrownBy(() -> pd.register(new MrOptions().dmaBuf(17, 0, PAGE)))
            .hasMessageContaining(context.whyNot(Feature.DMA_BUFS));
    }

    @ParameterizedTest
    @CsvSource({"0, false, false", "131072, true, false", "8388608, false, true", "16777216, false, true",
        "16908288, true, true"})
    void windowsByTheirType(final int flags, final boolean one, final boolean two) {
        ask("stub_flags", flags);
        open();
        assertThat(context.supports(WindowType.TYPE_1.feature())).isEqualTo(one);
        assertThat(context.supports(WindowType.TYPE_2.feature())).isEqualTo(two);
        for (final WindowType type : WindowType.values()) {
            if (!context.supports(type.feature())) {
                assertThatThrownBy(() -> pd.allocateWindow(type)).hasMessageContaining("EOPNOTSUPP")
                    .hasMessageContaining("of type " + (type.ordinal() + 1) + " (device_cap_flags 0x");
            }
        }
    }

    @Test
    void whatNoCapabilityTellsIsMissing() {
        open();
        assertThat(context.whyNot(Feature.KEYS_NOT_REUSED)).isEqualTo("the device does not say how it chooses keys");
        assertThat(context.whyNot(Feature.PROCESSOR_STORES)).isEqualTo(FeatureTable.STORES_PAST_PROCESSOR);
        assertThat(context.supports(Feature.REQUESTS_IN_TURN)).isFalse();
        assertThat(context.peculiarities()).isEmpty();
        assertThat(Quirk.of("efa")).containsExactly(Quirk.NO_RC);
        assertThat(Quirk.of("rxe")).contains(Quirk.KEYS_COUNT_UP).doesNotContain(Quirk.NO_RC);
    }

    /** One that fails leaves the old registration, and its memory's owner learns of the last one only. */
    @Test
    void anOwnerThatStaysIsToldOnlyAtTheEnd() {
        open();
        final int[] closed = new int[1];
        final RegionOwner owner = () -> closed[0]++;
        final MemoryRegion region = pd.register(memory.address(), 2 * PAGE, owner, LOCAL_WRITE);
        region.reregister(new MrOptions().length(PAGE));
        region.reregister(new MrOptions().memory(memory.address() + PAGE, PAGE, owner));
        assertThat(closed[0]).isZero();
        region.close();
        assertThat(closed[0]).isEqualTo(1);
    }

    @Test
    void whatCannotBeEndedIsAsBefore() {
        open();
        final int[] closed = new int[1];
        final RegionOwner owner = () -> closed[0]++;
        final MemoryRegion region = pd.register(memory.address(), PAGE, owner, LOCAL_WRITE, MW_BIND, REMOTE_READ);
        final int key = region.rkey();
        final long reachable = context.reachableBytes();
        ask("stub_dereg", EINVAL);
        assertThatThrownBy(() -> region.reregister(new MrOptions().access(MW_BIND).pd(context.allocatePd())))
            .hasMessageContaining("EBUSY").hasMessageContaining("close the windows");
        assertThat(region.rkey()).isEqualTo(key);
        assertThat(region.pd()).isSameAs(pd);
        assertThat(context.reachableBytes()).isEqualTo(reachable);
        region.reregister(new MrOptions().access(REMOTE_READ));
        assertThat(region.rkey()).isNotEqualTo(key);
        final MemoryRegion shared = pd.registerShared(region, region.address(), LOCAL_WRITE);
        region.close();
        assertThat(closed[0]).as("still registered").isZero();
        shared.close();
        assertThat(closed[0]).isEqualTo(1);
    }

    /** The device was removed just then: what is registered ends with it, and the library has no region any more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCannotBeEndedEndsWithTheDevice(final boolean domainFirst) {
        open();
        final int[] told = new int[1];
        final RegionOwner owner = () -> told[0]++;
        final MemoryRegion region = pd.register(memory.address(), PAGE, owner, LOCAL_WRITE);
        ask("stub_dereg", EIO);
        if (domainFirst) {
            assertThatThrownBy(pd::close).hasMessageContaining("ibv_dereg_mr refused");
            assertThat(told[0]).as("the device may still write there").isZero();
            context.close();
        } else {
            assertThatThrownBy(context::close).hasMessageContaining("ibv_dereg_mr refused");
        }
        assertThat(told[0]).isEqualTo(1);
        assertThat(region.isClosed()).isTrue();
        region.close();
        assertThat(told[0]).isEqualTo(1);
        assertThat((int) ask("stub_misuse")).as("uses of what was given back").isZero();
        ask("stub_forget");
    }

    @Test
    void memoryOfARegionThatCannotBeEndedGoesWithTheDevice() {
        open();
        final MemoryRegion region = pd.register(memory, LOCAL_WRITE);
        ask("stub_dereg", EIO);
        assertThatThrownBy(context::close).hasMessageContaining("ibv_dereg_mr refused");
        assertThat(region.isClosed()).isTrue();
        assertThat(memory.isClosed()).isTrue();
        assertThat(context.reachableBytes()).isZero();
        ask("stub_forget");
    }

    private void failDevice() {
        final QueuePair qp = Stub.connected(pd.createQp(
            new QpOptions().cq(context.createCq(8)).maxSendWr(4).maxReceiveWr(4)));
        ask("stub_fail", 0, EIO);
        assertThat(qp.postSend(1, memory.address(), 0, 0)).isEqualTo(ReturnCode.DEVICE_FAILED);
    }

    /** That the device failed may be the driver's own guess: a region that is refused to be ended is registered. */
    @ParameterizedTest
    @CsvSource({"true, EBUSY", "false, EINVAL"})
    void aRegionOfAFailedDeviceIsClosedWhenItIsEnded(final boolean windows, final String why) {
        open();
        final int[] told = new int[1];
        final RegionOwner owner = () -> told[0]++;
        final MemoryRegion region = windows ? pd.register(memory.address(), PAGE, owner, LOCAL_WRITE, MW_BIND)
            : pd.register(memory.address(), PAGE, owner, LOCAL_WRITE);
        failDevice();
        ask("stub_dereg", EINVAL);
        assertThatThrownBy(region::close).hasMessageContaining(why);
        assertThat(told[0]).as("still registered").isZero();
        region.close();
        assertThat(told[0]).isEqualTo(1);
    }

    /** It answers EIO to all that is asked of it. */
    @Test
    void aRegionOfADeviceThatIsRemovedIsClosed() {
        open();
        final int[] told = new int[1];
        final RegionOwner owner = () -> told[0]++;
        final MemoryRegion region = pd.register(memory.address(), PAGE, owner, LOCAL_WRITE);
        failDevice();
        ask("stub_dereg", EIO);
        region.close();
        assertThat(told[0]).isEqualTo(1);
        context.close();
        ask("stub_forget");
    }

    private static RegionOwner failing() {
        return () -> {
            throw new IllegalStateException("test of an owner that fails");
        };
    }

    /** The library gave the region up: its address is nobody's, whatever the owner says to that. */
    @Test
    void aRegionIsClosedWhenItsOwnerFails() {
        open();
        final MemoryRegion region = pd.register(memory.address(), PAGE, failing(), LOCAL_WRITE);
        assertThatThrownBy(region::close).isInstanceOf(IllegalStateException.class);
        assertThat(region.isClosed()).isTrue();
        region.close();
        assertThat((int) ask("stub_misuse")).isZero();
    }

    @Test
    void aRegionStaysRegisteredAnewWhenTheOldOwnerFails() {
        open();
        final ProtectionDomain next = context.allocatePd();
        final MemoryRegion region = pd.register(memory.address(), PAGE, failing(), LOCAL_WRITE);
        assertThatThrownBy(() -> region.reregister(new MrOptions().memory(memory.address() + PAGE, PAGE).pd(next)))
            .isInstanceOf(IllegalStateException.class);
        assertThat(region.isClosed()).isFalse();
        assertThat(region.address()).isEqualTo(memory.address() + PAGE);
        assertThat(region.pd()).isSameAs(next);
        assertThat((int) ask("stub_misuse")).isZero();
        pd.close();
        assertThat(region.isClosed()).as("closed with its former domain").isFalse();
        region.close();
    }
}
