/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.Dsr.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;

import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class InitTest {
    private final FakePvrdma fake = new FakePvrdma();

    private void assertNothingIsLeft() {
        assertThat(fake.closed).as("the function is given back").isTrue();
        assertThat(fake.iommu.mappings()).isZero();
        assertThat(fake.iovas.freeBytes()).isEqualTo(fake.iovas.capacity());
        assertThat(fake.busMaster()).isFalse();
        assertThat(fake.vectors.enabled).isFalse();
    }

    @Test
    void runsTheStepsInTheOrderOfTheSpecification() {
        fake.open();

        assertThat(fake.log).containsExactly(
            "reset function",
            "config 0x04 = 0x6",
            "map",
            "write DSRLOW ",
            "write DSRHIGH ",
            "enable 3 vectors",
            "write IMR 0",
            "write CTL ACTIVATE");
    }

    @Test
    void undoesThemInReverse() {
        final PvrdmaDevice device = fake.open();
        device.gids().bind(0, Gids.of(1));
        fake.log.clear();

        device.close();
        device.close();

        assertThat(fake.log).containsExactly(
            "write REQUEST ",
            "write IMR -1",
            "disable vectors",
            "write CTL RESET",
            "unmap",
            "config 0x04 = 0x2",
            "close function");
        assertThat(device.arena().usedPages()).isZero();
        assertThat(device.dma().reachableBytes()).isZero();
        assertNothingIsLeft();
    }

    @Test
    void namesItsSteps() {
        assertThat(new Bringup(fake, fake.options()).steps.names()).containsExactly(
            "publish what others may see",
            "identify the function",
            "reset the function, where the platform can",
            "enable memory decoding and bus mastering",
            "map registers and doorbells",
            "read VERSION",
            "open the journal of live objects",
            "make the page arena",
            "allocate the shared region",
            "allocate the command slot",
            "allocate the response slot",
            "build the asynchronous event ring",
            "build the completion notification ring",
            "hand over the shared region",
            "check the capabilities",
            "begin the trace",
            "enable interrupts",
            "make commands and the GID table",
            "unmask interrupts",
            "activate",
            "destroy what an earlier process left");
    }

    @Test
    void resetsBeforeTheFunctionMayReachMemory() {
        fake.offersReset = true;
        try (PvrdmaDevice device = fake.open()) {
            assertThat(fake.log).startsWith("reset function", "config 0x04 = 0x6");
            assertThat(device.counters()).containsEntry("function resets", 1L)
                .containsEntry("function resets refused", 0L);
        }
        assertNothingIsLeft();
    }

    @Test
    void noResetIsNoFailure() {
        try (PvrdmaDevice device = fake.open()) {
            assertThat(device.counters()).containsEntry("function resets", 0L)
                .containsEntry("function resets refused", 0L);
        }
    }

    @Test
    void triesAgainWhileAResetHasToWait() {
        fake.offersReset = true;
        fake.resetErrnos.addAll(List.of(RdmaException.EAGAIN, RdmaException.EAGAIN));
        try (PvrdmaDevice device = fake.open()) {
            assertThat(fake.log).filteredOn("reset function"::equals).hasSize(3);
            assertThat(device.counters()).containsEntry("function resets", 1L);
        }
    }

    @ParameterizedTest
    @CsvSource({"11,20", "5,1"})
    void refusedResetIsCountedAndToldAndNoFailure(final int errno, final int tries) {
        fake.offersReset = true;
        fake.resetErrnos.addAll(Collections.nCopies(100, errno));
        try (DriverLog log = new DriverLog(); PvrdmaDevice device = fake.open()) {
            assertThat(fake.log).filteredOn("reset function"::equals).hasSize(tries);
            assertThat(device.counters()).containsEntry("function resets", 0L)
                .containsEntry("function resets refused", 1L);
            assertThat(log.warnings()).singleElement().asString().contains("without a reset", "refused by the test");
        }
        assertNothingIsLeft();
    }

    @Test
    void tellsTheDeviceWhereEverythingIs() {
        try (PvrdmaDevice device = fake.open()) {
            assertThat(device.version()).isEqualTo(20);
            assertThat(fake.dsr.get(DRIVER_VERSION)).isEqualTo(20);
            assertThat(fake.dsr.get(GOS_INFO)).isEqualTo(0x46);
            assertThat(fake.dsr.get(UAR_PFN64)).isEqualTo(FakePvrdma.UAR_BUS_ADDRESS >>> 12);
            assertThat(fake.dsr.get(ASYNC_RING_PAGES_NUM_PAGES)).isEqualTo(4);
            assertThat(fake.dsr.get(CQ_RING_PAGES_NUM_PAGES)).isEqualTo(4);
            for (int page = 0; page < 4; page++) {
                assertThat(fake.page(fake.dsr.get(ASYNC_RING_PAGES_PDIR_DMA),
                    page).getInt(0)).as("blank where events come")
                    .isEqualTo(page == 1 ? -1 : 0);
                assertThat(fake.page(fake.dsr.get(CQ_RING_PAGES_PDIR_DMA),
                    page).getInt(0)).as("blank where notices come")
                    .isEqualTo(page == 1 ? -1 : 0);
            }
            fake.iommu.at(fake.dsr.get(CMD_SLOT_DMA), 4096);
            fake.iommu.at(fake.dsr.get(RESP_SLOT_DMA), 4096);
        }
    }

    @Test
    void gives32BitPageNumbersToOldDevices() {
        fake.version = 18;
        try (PvrdmaDevice device = fake.open()) {
            assertThat(device.version()).isEqualTo(18);
            assertThat(fake.dsr.uarPfn()).isEqualTo((int) (FakePvrdma.UAR_BUS_ADDRESS >>> 12));
            assertThat(fake.dsr.get(UAR_PFN64) >>> 32).isZero();
            assertThat(fake.dsr.get(DRIVER_VERSION)).as("its own, whatever the device has").isEqualTo(20);
        }
    }

    @ParameterizedTest
    @CsvSource({"17,1", "18,1", "18,2", "19,2", "20,1", "20,2"})
    void acceptsTheVersionsAndGidTypesOfTheSpecification(final int version, final int gidTypes) {
        fake.version = version;
        fake.caps(caps -> caps.set(Caps.GID_TYPES, gidTypes));
        try (PvrdmaDevice device = fake.open()) {
            assertThat(device.gids().type()).isEqualTo(gidTypes);
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 21, -1})
    void refusesOtherVersionsBeforeTouchingMore(final int version) {
        fake.version = version;

        assertThatThrownBy(fake::open)
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EOPNOTSUPP))
            .hasMessageContaining("fake:")
            .hasMessageContaining(Integer.toUnsignedString(version))
            .hasMessageContaining("17 to 20");
        assertThat(fake.log).noneMatch(entry -> entry.startsWith("write"));
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource({"17,2", "17,3", "18,3", "20,3", "20,4"})
    void refusesOtherGidTypes(final int version, final int gidTypes) {
        fake.version = version;
        fake.caps(caps -> caps.set(Caps.GID_TYPES, gidTypes));

        assertThatThrownBy(fake::open)
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EOPNOTSUPP))
            .hasMessageContaining("gid_types is 0x" + gidTypes);
        assertNothingIsLeft();
    }

    @Test
    void noticesThatTheDeviceDidNotReadTheSharedRegion() {
        fake.caps(caps -> caps.clear());

        assertThatThrownBy(fake::open).satisfies(e -> Errors.hasErrno(e, RdmaException.EIO))
            .hasMessageContaining("gid_types is 0");
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource({"15ad,07b0", "1af4,0820", "ffff,ffff"})
    void refusesADeviceOfAnotherVendorWithoutTouchingIt(final String vendor, final String device) {
        fake.ids(Integer.parseInt(vendor, 16), Integer.parseInt(device, 16));

        assertThatThrownBy(fake::open).satisfies(e -> Errors.hasErrno(e, RdmaException.ENODEV))
            .hasMessageContaining(vendor + ":" + device);
        assertThat(fake.log).containsExactly("close function");
    }

    private static Arguments fault(final String name, final int errno, final Consumer<FakePvrdma> fault) {
        return Arguments.of(name, errno, fault);
    }

    private static RdmaException refusal() {
        return RdmaException.of("enable vectors").detail("refused by the test").errno(RdmaException.EIO).build();
    }

    static Stream<Arguments> faults() {
        return Stream.of(
            fault("identify", RdmaException.ENODEV, f -> f.ids(1, 2)),
            fault("enable the function", 0, f -> f.failingConfigWrites = true),
            fault("UAR too small", RdmaException.ENODEV, f -> f.uarSize = 2048),
            fault("VERSION", RdmaException.EOPNOTSUPP, f -> f.version = 16),
            fault("first mapping: shared region", RdmaException.ENOMEM, f -> f.iommu.refuseMap(1)),
            fault("second mapping: asynchronous ring", RdmaException.ENOMEM, f -> f.iommu.refuseMap(2)),
            fault("third mapping: notification ring", RdmaException.ENOMEM, f -> f.iommu.refuseMap(3)),
            fault("DSRLOW", RdmaException.EIO, f -> f.failingWrite = Bar1.PVRDMA_REG_DSRLOW),
            fault("DSRHIGH", RdmaException.EIO, f -> f.failingWrite = Bar1.PVRDMA_REG_DSRHIGH),
            fault("capabilities", RdmaException.EIO, f -> f.caps(caps -> caps.set(Caps.GID_TYPES, 0))),
            fault("mode", RdmaException.EOPNOTSUPP, f -> f.caps(caps -> caps.set(Caps.MODE, 1))),
            fault("interrupts", RdmaException.EIO, f -> f.vectors.refusal = refusal()),
            fault("IMR", RdmaException.EIO, f -> f.failingWrite = Bar1.PVRDMA_REG_IMR),
            fault("ACTIVATE", RdmaException.EIO, f -> f.failingWrite = Bar1.PVRDMA_REG_CTL),
            fault("ERR after ACTIVATE", RdmaException.EIO, f -> f.errAfterActivate = -22));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void aFailingStepUndoesThoseBeforeIt(final String name, final int errno, final Consumer<FakePvrdma> fault) {
        fault.accept(fake);

        assertThatThrownBy(() -> PvrdmaDevice.open(fake, fake.options().eventRingPages(100)))
            .satisfies(e -> Errors.hasErrno(e, errno));

        assertNothingIsLeft();
        final boolean handedOver = fake.log.contains("write DSRHIGH ") && !name.equals("DSRHIGH");
        assertThat(fake.log.contains("write CTL RESET")).as("reset after the hand-over: %s", fake.log)
            .isEqualTo(handedOver);
    }

    @ParameterizedTest
    @CsvSource({"0,3", "3,0", "3,1", "3,2", "1,3", "2,1"})
    void worksWithFewerVectors(final int available, final int granted) {
        fake.vectors.available = available;
        fake.vectors.granted = granted;
        try (PvrdmaDevice device = fake.open()) {
            device.commands().destroyPd(device.commands().createPd());
            assertThat(device.awaitCompletionEvents(1_000_000)).isFalse();
        }
        assertNothingIsLeft();
    }

    @Test
    void asksForNoVectorsWhenTold() {
        try (PvrdmaDevice device = PvrdmaDevice.open(fake, fake.options().interruptVectors(0))) {
            device.commands().destroyPd(device.commands().createPd());
        }
        assertThat(fake.log).noneMatch(entry -> entry.startsWith("enable"));
    }

    @Test
    void describesItself() {
        final PvrdmaDevice device = fake.open();
        device.gids().bind(1, Gids.of(7));

        assertThat(device.dumpState()).contains("fake:", "rdma4j emulated", "VERSION=20", "fw=14.2.3", "driver_version",
            "cmd_slot_dma", "GidTable[1=", "prod_tail=0x0", "CREATE_BIND", "commands=1");
        device.close();
        fake.gone = true;
        assertThat(device.dumpState()).contains("closed").doesNotContain("registers:");
        assertThat(device).hasToString("PvrdmaDevice[fake: rdma4j emulated VERSION=20 fw=14.2.3 closed]");
    }

    @Test
    void reportsWhatCouldNotBeUndoneAfterUndoingTheRest() {
        final PvrdmaDevice device = fake.open();
        fake.failingWrite = Bar1.PVRDMA_REG_IMR;

        assertThatThrownBy(device::close).hasMessageContaining("refused by the test");

        assertNothingIsLeft();
        assertThat(fake.log).contains("write CTL RESET");
        device.close();
    }

    @Test
    void optionsRefuseNonsense() {
        assertThat(new PvrdmaOptions().responseTimeoutNanos()).isEqualTo(10_000_000_000L);
        for (final Consumer<PvrdmaOptions> nonsense : List.<Consumer<PvrdmaOptions>>of(
            o -> o.responseTimeoutNanos(0), o -> o.eventRingPages(1), o -> o.eventRingPages(512),
            o -> o.interruptVectors(-1), o -> o.interruptVectors(4))) {
            assertThatThrownBy(() -> nonsense.accept(new PvrdmaOptions()))
                .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
