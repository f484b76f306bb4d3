/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Identity;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.testing.Patience;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The function as the bus shows it, before any RDMA. */
class PciTest {
    private static PciDevice open(String address) {
        return PciDevices.open(DeviceAddress.parse(address));
    }

    @Test
    void identifiesItself() {
        try (PciDevice pci = open("emulated:pci")) {
            final ConfigSpace config = pci.config();
            assertThat(config.read(0, 4)).isEqualTo(0x0820_15ad);
            assertThat(config.read(0x0a, 2)).isEqualTo(0x0280);
            assertThat(config.read(0x2c, 4)).isEqualTo(0x4a34_15ad);
            assertThat(config.read(0x04, 2)).isZero();
            assertThat(config.read(0x3d, 1)).isEqualTo(1);
            assertThat(pci.toString()).contains("emulated:pci");
        }
    }

    @Test
    void hasAnMsixCapabilityLikeQemus() {
        try (PciDevice pci = open("emulated:pci")) {
            final ConfigSpace config = pci.config();
            assertThat(config.read(0x06, 2) & 0x10).isNotZero();
            final int cap = config.read(0x34, 1);
            assertThat(config.read(cap, 1)).isEqualTo(0x11);
            assertThat(config.read(cap + 1, 1)).isZero();
            assertThat(config.read(cap + 2, 2)).isEqualTo(2);
            assertThat(config.read(cap + 4, 4)).isZero();
            assertThat(config.read(cap + 8, 4)).isEqualTo(0x2000);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0x4000", "1, 0x100", "2, 0x800000"})
    void tellsTheSizeOfABarToWhoWritesOnes(int bar, String size) {
        try (PciDevice pci = open("emulated:pci")) {
            final int offset = 0x10 + 4 * bar;
            final int address = pci.config().read(offset, 4);
            pci.config().write(offset, 4, -1);
            assertThat(-(pci.config().read(offset, 4) & ~15)).isEqualTo(Integer.decode(size));
            pci.config().write(offset, 4, address);
            assertThat(pci.bar(bar).size()).isEqualTo(Long.decode(size));
            assertThat(pci.bar(bar).busAddress()).isEqualTo(address & 0xffff_ffffL);
            assertThat(pci.bar(bar).isMapped()).isFalse();
            assertThatThrownBy(() -> pci.bar(bar).buffer()).isInstanceOf(RdmaException.class);
        }
    }

    @Test
    void keepsReadOnlyBits() {
        try (PciDevice pci = open("emulated:pci")) {
            for (int offset = 0; offset < 256; offset += 4) {
                if (offset != 4 && (offset < 0x10 || offset > 0x18)) {
                    pci.config().write(offset, 4, -1);
                }
            }
            pci.config().write(0x04, 2, 0xffff);
            assertThat(pci.config().read(0, 4)).isEqualTo(0x0820_15ad);
            assertThat(pci.config().read(0x04, 2)).isEqualTo(0x0407);
            assertThat(pci.config().read(0x1c, 4)).isZero();
            assertThat(pci.config().read(0x42, 2)).isEqualTo(0xc002);
            assertThat(pci.config().read(0x3c, 1)).isEqualTo(0xff);
        }
    }

    @ParameterizedTest
    @CsvSource({"-4, 4", "256, 4", "254, 4", "1, 2", "2, 4", "0, 3", "0, 8"})
    void refusesCrookedConfigurationAccesses(int offset, int size) {
        try (PciDevice pci = open("emulated:pci")) {
            assertThatThrownBy(() -> pci.config().read(offset, size)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pci.config().write(offset, size, 0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void answersNothingWithoutMemoryDecoding() {
        try (PciDevice pci = open("emulated:pci")) {
            assertThat(pci.bar(1).readInt(0)).isEqualTo(-1);
            pci.bar(2).writeInt(0, 5);
            assertThat(((EmulatedDevice) pci).counters().get(Counter.BAR_ACCESS_WITHOUT_MEMORY)).isEqualTo(2);
            pci.config().write(4, 2, 2);
            assertThat(pci.bar(1).readInt(0)).isEqualTo(20);
        }
    }

    @Test
    void reachesNoMemoryWithoutBusMastering() {
        try (RawDriver driver = new RawDriver("emulated:pci")) {
            driver.pci.config().write(4, 2, 2);
            driver.load();
            assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.GID_TYPES)).isZero();
            assertThat(driver.activate()).isNotZero();
            assertThat(driver.device().counters().get(Counter.DMA_WITHOUT_BUS_MASTER)).isEqualTo(1);
            driver.pci.config().write(4, 2, 6);
            driver.load();
            assertThat(driver.activate()).isZero();
        }
    }

    @Test
    void stopsTrafficWhenBusMasteringIsTakenAway() {
        try (RawPair pair = RawPair.connected("emulated:pci")) {
            pair.driver.pci.config().write(4, 2, 2);
            assertThat(pair.driver.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0))).isEqualTo(-14);
        }
    }

    @Test
    void isOpenOnceOnly() {
        try (PciDevice pci = open("emulated:same")) {
            assertThatThrownBy(() -> open("emulated:same?version=17")).isInstanceOf(RdmaException.class)
                .hasMessageContaining("EBUSY");
            assertThat(EmulatedDevice.lookup("same")).isSameAs(pci);
        }
        assertThatThrownBy(() -> EmulatedDevice.lookup("same")).isInstanceOf(RdmaException.class);
        open("emulated:same").close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"colour=red", "version=16", "version=21", "version=x", "quirks=none", "max_qp=1",
        "iova_bits=12", "max_sge=1000", "guid", "guid=1", "guid=0000:00ff:fe00:000g", "guid=0100:00ff:fe00:0001",
        "guid=0000:0000:0000:0001", "guid=0000:00ff:fe00:0000", "guid=00:00:00:ff:fe:00:00:01"})
    void refusesOptionsThatItDoesNotUnderstand(String option) {
        assertThatThrownBy(() -> open("emulated:bad?" + option)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("EINVAL");
    }

    @Test
    void saysWhichOptionsThereAre() {
        assertThatThrownBy(() -> open("emulated:bad?colour=red")).hasMessageContaining("max_qp")
            .hasMessageContaining("quirks");
        assertThat(new EmulatedProvider().usage()).contains("emulated:NAME").contains("iova_bits");
        assertThat(PciDevices.list()).contains(DeviceAddress.parse("emulated:"));
    }

    @Test
    void givesEachNameItsOwnStableAddress() {
        try (RawDriver a = RawDriver.ready("emulated:a"); RawDriver b = RawDriver.ready("emulated:b")) {
            assertThat(a.dsr.get(Dsr.CAPS).get(Caps.NODE_GUID)).isNotEqualTo(b.dsr.get(Dsr.CAPS).get(Caps.NODE_GUID))
                .isEqualTo(a.device().identity().guid());
            assertThat(a.device().identity().mac()[0] & 3).isEqualTo(2);
            assertThat(a.device().identity()).hasToString(Identity.of("a").toString());
        }
        assertThat(Identity.of("a").guid()).isNotEqualTo(Identity.of("aa").guid());
    }

    @Test
    void hasTheAddressThatWasChosen() {
        try (RawDriver a = RawDriver.ready("emulated:a?guid=0211:22ff:fe33:4455")) {
            assertThat(a.dsr.get(Dsr.CAPS).get(Caps.NODE_GUID)).isEqualTo(0x0211_22ff_fe33_4455L);
            assertThat(a.device().identity()).hasToString("00:11:22:33:44:55");
        }
        assertThat(Identity.parse("0x021122fffe334455").salt()).isEqualTo(Identity.parse("021122fffe334455").salt())
            .isNotEqualTo(Identity.parse("021122fffe334456").salt());
    }

    @Test
    void keepsAMaskedInterruptUntilItIsUnmasked() {
        try (RawDriver driver = RawDriver.ready("emulated:pci")) {
            final InterruptVector vector = driver.pci.interrupts().vector(0);
            vector.poll();
            driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, -1);
            driver.createPd();
            assertThat(vector.poll()).isZero();
            assertThat(driver.pci.bar(0).readInt(0x2000)).isEqualTo(1);
            driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, 0);
            assertThat(vector.poll()).isEqualTo(1);
            assertThat(driver.pci.bar(0).readInt(0x2000)).isZero();

            driver.pci.bar(0).writeInt(12, 1);
            driver.createPd();
            assertThat(vector.poll()).isZero();
            driver.pci.bar(0).writeInt(12, 0);
            assertThat(vector.poll()).isEqualTo(1);

            driver.pci.config().write(0x42, 2, 0xc000);
            driver.createPd();
            assertThat(vector.poll()).isZero();
            driver.pci.config().write(0x42, 2, 0x8000);
            assertThat(vector.poll()).isEqualTo(1);
        }
    }

    /** A driver that leaves masks all; the next one finds the register at 0, and leaves it. */
    @Test
    void nothingIsMaskedAfterAResetByRegister() {
        try (RawDriver driver = RawDriver.ready("emulated:pci")) {
            final InterruptVector vector = driver.pci.interrupts().vector(0);
            driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, -1);
            driver.createPd();
            vector.poll();
            driver.reset();
            assertThat(driver.registers.readInt(Bar1.PVRDMA_REG_IMR)).isZero();
            driver.load();
            driver.activate();
            assertThat(vector.poll()).as("what was masked is forgotten").isZero();
            driver.createPd();
            assertThat(vector.poll()).isOne();
        }
    }

    @Test
    void waitsAndGivesUpInTime() {
        try (RawDriver driver = RawDriver.ready("emulated:pci")) {
            final InterruptVector vector = driver.pci.interrupts().vector(1);
            final long before = System.nanoTime();
            assertThat(vector.await(TimeUnit.MILLISECONDS.toNanos(20))).isZero();
            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
            assertThat(vector.await(0)).isZero();
            driver.device().faults().raiseEvent(9, 1);
            driver.device().faults().raiseEvent(9, 1);
            assertThat(vector.await(Patience.nanos())).isEqualTo(2);
            assertThat(vector.fired()).isEqualTo(2);
        }
    }

    @Test
    void wakesWhoWaitsWhenVectorsAreDisabled() throws Exception {
        try (RawDriver driver = RawDriver.ready("emulated:pci")) {
            final InterruptVector vector = driver.pci.interrupts().vector(1);
            final Thread waiter = new Thread(() -> vector.await(Patience.nanos()));
            waiter.start();
            Thread.sleep(20);
            driver.pci.interrupts().disable();
            Patience.join(waiter);
            assertThatThrownBy(() -> driver.pci.interrupts().vector(0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void keepsAnInterruptForWhoEnablesLater() {
        try (RawDriver driver = new RawDriver("emulated:pci")) {
            driver.load();
            driver.activate();
            driver.createPd();
            assertThat(driver.registers.readInt(Bar1.PVRDMA_REG_ICR)).isEqualTo(1);
            assertThat(driver.registers.readInt(Bar1.PVRDMA_REG_ICR)).isZero();
            assertThat(driver.pci.interrupts().enable(2)).isEqualTo(2);
            assertThat(driver.pci.interrupts().vector(0).poll()).isEqualTo(1);
        }
    }

    /** Linux' driver is not ready for an answer before it has asked; its predecessor may have been killed. */
    @Test
    void whatWasToBeToldBeforeADriverCameIsNotToldToThatOne() {
        try (RawDriver driver = RawDriver.ready("emulated:pci?wire=none")) {
            driver.pci.interrupts().disable();
            driver.createPd();
            driver.load();
            driver.pci.interrupts().enable(3);
            assertThat(driver.pci.interrupts().vector(0).poll()).isZero();
            assertThat(driver.activate()).isZero();
            driver.createPd();
            assertThat(driver.pci.interrupts().vector(0).poll()).isEqualTo(1);
        }
    }

    @Test
    void isAsNewAfterAFunctionReset() {
        try (RawDriver driver = RawDriver.ready("emulated:pci")) {
            driver.register(100, 0);
            assertThat(driver.pci.reset()).isTrue();
            assertThat(driver.registers.readInt(0)).as("memory decoding is off").isEqualTo(-1);
            assertThat(driver.device().describe()).contains("regions 0");
            driver.pci.config().write(4, 2, 6);
            driver.load();
            assertThat(driver.activate()).isZero();
        }
    }

    @Test
    void hasNoOtherBars() {
        try (PciDevice pci = open("emulated:pci")) {
            assertThatThrownBy(() -> pci.bar(3)).isInstanceOf(RdmaException.class).hasMessageContaining("ENODEV");
        }
    }
}
