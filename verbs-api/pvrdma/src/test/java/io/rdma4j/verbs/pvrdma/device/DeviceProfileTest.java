/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.Caps.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.ExtensionFlags;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceProfileTest {
    private static final DeviceProfile QEMU = DeviceProfile.find(0x1af4, 0x1100, 17);
    private static final DeviceProfile EMULATED = DeviceProfile.find(0x15ad, 0x4a34, 20);

    private final Caps raw = new Caps().wrap(new UnsafeBuffer(new byte[Caps.LAYOUT.length()]), 0);

    @ParameterizedTest
    @CsvSource({
        "1af4,1100,17,QEMU 7.2", "15ad,4a34,20,rdma4j emulated", "15ad,4a34,17,rdma4j emulated",
        "15ad,0820,20,VMware ESXi (as the Linux driver implies)",
        "1af4,1101,17,VMware ESXi (as the Linux driver implies)",
        "0,0,18,VMware ESXi (as the Linux driver implies)"})
    void isFoundByWhatIdentifiesTheDevice(final String vendor, final String id, final int version, final String name) {
        assertThat(DeviceProfile.find(Integer.parseInt(vendor, 16), Integer.parseInt(id, 16), version).name())
            .isEqualTo(name);
    }

    @Test
    void onlyQemuHasQuirks() {
        for (final DeviceProfile profile : DeviceProfile.table()) {
            assertThat(profile.quirks().isEmpty()).as(profile.name()).isEqualTo(!profile.name().startsWith("QEMU"));
        }
        assertThat(QEMU.has(Quirk.ARM_INVERTED)).isTrue();
        assertThat(EMULATED.has(Quirk.ARM_INVERTED)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> DeviceProfile.find(0, 0, 21));
    }

    @ParameterizedTest
    @EnumSource(Quirk.class)
    void everyQuirkIsDescribedInOneLine(final Quirk quirk) {
        assertThat(quirk.description()).matches("[a-z].*[^.]").doesNotContain("\n").contains("; ");
    }

    @Test
    void noTwoQuirksAreDescribedAlike() {
        final Set<String> descriptions = new HashSet<>();
        Arrays.stream(Quirk.values()).forEach(quirk -> descriptions.add(quirk.description()));
        assertThat(descriptions).hasSize(Quirk.values().length);
    }

    /** Distinct values in all fields: a pair that is swapped shows. */
    @Test
    @SuppressWarnings("unchecked")
    void capabilitiesAreCopiedFieldByField() throws ReflectiveOperationException {
        for (int i = 0; i < Caps.LAYOUT.length(); i++) {
            raw.buffer().putByte(i, (byte) (i % 4 == 3 ? 0x10 : i));
        }
        final DeviceCaps caps = DeviceCaps.of(raw, 20, EMULATED);
        for (final RecordComponent component : DeviceCaps.class.getRecordComponents()) {
            final String name = component.getName().replaceAll("[A-Z]", "_$0").toUpperCase(Locale.ROOT);
            final Object field = Caps.class.getField(name).get(null);
            final long expected = field instanceof IntField<?>
                ? raw.get((IntField<Caps>) field) : raw.get((LongField<Caps>) field);
            final long copied = ((Number) component.getAccessor().invoke(caps)).longValue();
            assertThat(copied).as(component.getName()).isEqualTo(expected).isNotZero();
        }
    }

    @Test
    void hugeCountsDoNotBecomeNegative() {
        raw.buffer().setMemory(0, Caps.LAYOUT.length(), (byte) -1);
        final DeviceCaps caps = DeviceCaps.of(raw, 20, EMULATED);

        assertThat(caps.maxQp()).isEqualTo(Integer.MAX_VALUE);
        assertThat(caps.maxMrSize()).isEqualTo(Long.MAX_VALUE);
        final DeviceLimits limits = new DeviceLimits(caps, EMULATED);
        assertThat(limits.maxMrSize()).as("with large regions").isEqualTo(512L << 30);
        assertThat(limits.maxMrPages()).isEqualTo(1 << 27);
        assertThat(limits.maxCqe()).isEqualTo(2097152);
        assertThat(limits.maxSge()).isEqualTo(251);
        assertThat(limits.maxSendWr(251)).isEqualTo(16384);
        assertThat(limits.gidTableLength()).as("an index is a byte in a work request").isEqualTo(256);
        assertThat(limits.toString()).contains("mrSize=549755813888");
    }

    @Test
    void believesExtensionsOfThisProjectsDeviceOnly() {
        raw.buffer().setMemory(0, Caps.LAYOUT.length(), (byte) -1);
        for (final DeviceProfile profile : DeviceProfile.table()) {
            final DeviceLimits limits = new DeviceLimits(DeviceCaps.of(raw, 20, profile), profile);
            final boolean own = profile == EMULATED;
            assertThat(profile.hasExtensions()).as(profile.name()).isEqualTo(own);
            assertThat(limits.hasExtension(ExtensionFlags.RDMA4J_EXT_CQ_RESIZE)).as(profile.name()).isEqualTo(own);
            assertThat(limits.maxMw()).as(profile.name()).isEqualTo(own ? Integer.MAX_VALUE : 0);
            assertThat(limits.maxMrSize()).as(profile.name()).isEqualTo(own ? 512L << 30 : 1L << 30);
        }
    }

    @Test
    void anExtensionIsThereIfItsBitIs() {
        raw.set(DEVICE_CAP_FLAGS2, ExtensionFlags.RDMA4J_EXT_CQ_RESIZE).set(MAX_MW, 7).set(MAX_MR_SIZE, 1L << 40);
        final DeviceLimits limits = new DeviceLimits(DeviceCaps.of(raw, 20, EMULATED), EMULATED);
        assertThat(limits.hasExtension(ExtensionFlags.RDMA4J_EXT_CQ_RESIZE)).isTrue();
        assertThat(limits.hasExtension(ExtensionFlags.RDMA4J_EXT_MEMORY_WINDOWS)).isFalse();
        assertThat(limits.maxMw()).isZero();
        assertThat(limits.maxMrSize()).isEqualTo(1L << 30);
    }

    @Test
    void fastRegistrationNeedsItsThreeBits() {
        raw.set(BMME_FLAGS, 7).set(MAX_FAST_REG_PAGE_LIST_LEN, 512);
        assertThat(new DeviceLimits(DeviceCaps.of(raw, 20, EMULATED), EMULATED).maxFastRegPages()).isEqualTo(512);
        assertThat(new DeviceLimits(DeviceCaps.of(raw, 17, QEMU), QEMU).maxFastRegPages()).isZero();
        raw.set(BMME_FLAGS, 5);
        assertThat(new DeviceLimits(DeviceCaps.of(raw, 20, EMULATED), EMULATED).maxFastRegPages()).isZero();
    }

    @Test
    void oldDevicesDoNotTellEverything() {
        raw.set(MAX_SGE, 4).set(MAX_SGE_RD, 99).set(MAX_FAST_REG_PAGE_LIST_LEN, 7);

        assertThat(DeviceCaps.of(raw, 17, EMULATED).maxSgeRd()).isEqualTo(4);
        assertThat(DeviceCaps.of(raw, 17, EMULATED).maxFastRegPageListLen()).isEqualTo(128);
        assertThat(DeviceCaps.of(raw, 18, EMULATED).maxSgeRd()).isEqualTo(99);
        assertThat(DeviceCaps.of(raw, 18, EMULATED).maxFastRegPageListLen()).isEqualTo(7);
    }

    @Test
    void fillsTheGapsThatQemuLeaves() {
        raw.set(MAX_SGE, 4).set(MAX_UAR, 2097152).set(FW_VER, 14);
        final DeviceCaps caps = DeviceCaps.of(raw, 17, QEMU);

        assertThat(caps.maxQpRdAtom()).isEqualTo(1);
        assertThat(caps.maxQpInitRdAtom()).isEqualTo(1);
        assertThat(caps.pageSizeCap()).isEqualTo(4096);
        assertThat(caps.vendorId()).isEqualTo(0x15ad);
        assertThat(caps.vendorPartId()).isEqualTo(0x0820);
        assertThat(caps.maxUar()).isEqualTo(1);
        assertThat(caps.maxFastRegPageListLen()).isZero();
        assertThat(caps.firmwareVersion()).isEqualTo("0.0.14");
        assertThat(DeviceCaps.of(raw, 17, EMULATED).maxQpRdAtom()).isZero();
    }

    private DeviceLimits qemuLimits() {
        raw.set(MAX_QP_WR, 10467).set(MAX_CQE, 28672).set(MAX_SRQ_WR, 12288).set(MAX_SGE, 4)
            .set(MAX_MR_SIZE, 128 << 20);
        return new DeviceLimits(DeviceCaps.of(raw, 17, QEMU), QEMU);
    }

    @ParameterizedTest
    @CsvSource({"1,4096,8192,8192", "2,4096,8192,4096", "3,4096,8192,4096", "4,2048,4096,2048"})
    void qemusRealLimits(final int sge, final int sends, final int receives, final int shared) {
        final DeviceLimits limits = qemuLimits();

        assertThat(limits.maxSendWr(sge)).isEqualTo(sends);
        assertThat(limits.maxRecvWr(sge)).isEqualTo(receives);
        assertThat(limits.maxSrqWr(sge)).isEqualTo(shared);
    }

    @Test
    void qemusRealLimitsOfTheRest() {
        final DeviceLimits limits = qemuLimits();

        assertThat(limits.maxCqe()).isEqualTo(4096);
        assertThat(limits.maxQpWr()).isEqualTo(4096);
        assertThat(limits.maxMrSize()).isEqualTo(128 << 20);
        assertThat(limits.maxSgeRd()).isEqualTo(4);
        assertThat(limits.maxSrqSge()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 5, 1000})
    void refusesSgesOutOfRange(final int sge) {
        final DeviceLimits limits = qemuLimits();

        assertThatIllegalArgumentException().isThrownBy(() -> limits.maxSendWr(sge)).withMessageContaining("1 to 4");
        assertThatIllegalArgumentException().isThrownBy(() -> limits.maxRecvWr(sge));
        assertThatIllegalArgumentException().isThrownBy(() -> limits.maxSrqWr(sge));
    }

    @Test
    void aDeviceWithoutSgesHasNoQueues() {
        final DeviceLimits limits = new DeviceLimits(DeviceCaps.of(raw, 20, EMULATED), EMULATED);

        assertThat(limits.maxQpWr()).isZero();
        assertThat(limits.maxCqe()).isZero();
        assertThat(limits.toString()).contains("qp=0");
    }
}
