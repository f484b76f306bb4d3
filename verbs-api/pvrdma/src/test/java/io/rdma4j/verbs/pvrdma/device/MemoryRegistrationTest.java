/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.cmd.CreateMrRequest.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;

import java.nio.ByteBuffer;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryRegistrationTest {
    private final FakePvrdma fake = new FakePvrdma();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(6 * 4096);
    private final long base = BufferUtil.address(memory) + 4095 & -4096;
    private PvrdmaDevice device;
    private int pd;
    private long reachableBefore;
    private int pagesBefore;

    private void open() {
        device = fake.open();
        pd = device.commands().createPd();
        reachableBefore = device.dma().reachableBytes();
        pagesBefore = device.arena().usedPages();
        fake.requests.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingMoreIsHeld();
        device.close();
        assertThat(fake.iommu.mappings()).isZero();
        assertThat(device.arena().usedPages()).isZero();
    }

    private void assertNothingMoreIsHeld() {
        assertThat(device.dma().reachableBytes()).isEqualTo(reachableBefore);
        assertThat(device.arena().usedPages()).isEqualTo(pagesBefore);
    }

    private CreateMrRequest request() {
        return new CreateMrRequest().wrap(fake.requests.get(0), 0);
    }

    @ParameterizedTest
    @CsvSource({"0,1,1", "4095,2,2", "16,8192,3", "0,16384,4", "100,3996,1"})
    void theDeviceFindsTheBytesThroughStartLengthAndDirectory(final int offset, final int length, final int pages) {
        open();
        final UnsafeBuffer bytes = new UnsafeBuffer(base, 5 * 4096);
        try (MemoryRegistration region = device.register(pd, base + offset, length, 0x1f, memory)) {
            assertThat(request().get(START)).isEqualTo(base + offset);
            assertThat(request().get(LENGTH)).isEqualTo(length);
            assertThat(request().get(NCHUNKS)).isEqualTo(pages);
            assertThat(request().get(ACCESS_FLAGS)).isEqualTo(0x1f);
            assertThat(request().get(FLAGS)).isZero();
            assertThat(request().get(PD_HANDLE)).isEqualTo(pd);
            for (int i = offset; i < offset + length; i += 777) {
                bytes.putByte(i, (byte) (i + 1));
                assertThat(fake.page(request().get(PDIR_DMA), i / 4096).getByte(i % 4096)).isEqualTo((byte) (i + 1));
            }
            assertThat(region.address()).isEqualTo(base + offset);
            assertThat(region.length()).isEqualTo(length);
        }
        assertThat(fake.commandNames()).containsExactly("CREATE_MR", "DESTROY_MR");
    }

    @ParameterizedTest
    @CsvSource({"0,1,1", "4095,2,2", "16,8192,3"})
    void qemuGetsWholePages(final int offset, final int length, final int pages) {
        fake.qemu();
        open();
        try (MemoryRegistration region = device.register(pd, base + offset, length, 1, memory)) {
            assertThat(request().get(START)).isEqualTo(base);
            assertThat(request().get(LENGTH)).isEqualTo(pages * 4096L);
            assertThat(request().get(NCHUNKS)).isEqualTo(pages);
            assertThat(region.address()).as("keys are valid for what was asked").isEqualTo(base + offset);
            assertThat(region.length()).isEqualTo(length);
        }
    }

    @Test
    void givesTheKeysOfTheDevice() {
        fake.handlers.put(Command.CREATE_MR, (request, response) -> {
            response.putInt(16, 3);
            response.putInt(20, 0xaaaa);
            response.putInt(24, 0xbbbb);
        });
        open();
        final MemoryRegistration region = device.register(pd, base, 10, 1, memory);
        assertThat(region.handle()).isEqualTo(3);
        assertThat(region.lkey()).isEqualTo(0xaaaa);
        assertThat(region.rkey()).isEqualTo(0xbbbb);
        assertThat(region.toString()).contains("lkey=0xaaaa").doesNotContain("closed");
        assertThat(region.isClosed()).isFalse();

        region.close();
        region.close();

        assertThat(region.isClosed()).isTrue();
        assertThat(region.toString()).contains("closed");
        assertThat(fake.commandNames()).containsExactly("CREATE_MR", "DESTROY_MR");
    }

    @ParameterizedTest
    @CsvSource({
        "0x10000, 0, length 0",
        "0x10000, -1, length -1",
        "0, 10, address 0x0",
        "-4096, 10, no range",
        "0x7ffffffffffff000, 8192, no range",
        "0x10000, 0x7fffffffffffffff, no range",
        "0x10000, 0x40000001, 262145 pages",
        "0x10001, 0x40000000, 262145 pages"})
    void refusesRangesBeforeAnythingIsMapped(final String address, final String length, final String why) {
        open();

        assertThatThrownBy(() -> device.register(pd, Long.decode(address), Long.decode(length), 1, null))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL))
            .hasMessageContaining(why);
        assertThat(fake.requests).isEmpty();
    }

    @Test
    void refusesMoreThanTheDeviceTakes() {
        fake.caps(caps -> caps.set(Caps.MAX_MR_SIZE, 8192));
        open();

        assertThatThrownBy(() -> device.register(pd, base, 8193, 1, memory))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL))
            .hasMessageContaining("max_mr_size is 8192");
        device.register(pd, base + 100, 8192, 1, memory).close();
    }

    @Test
    void wholePagesCountAgainstTheSize() {
        fake.qemu().caps(caps -> caps.set(Caps.MAX_MR_SIZE, 8192));
        open();

        assertThatThrownBy(() -> device.register(pd, base + 100, 8192, 1, memory))
            .hasMessageContaining("12288 bytes would be registered");
    }

    @Test
    void aRefusedMappingLeavesNothing() {
        open();
        fake.iommu.refuseMap(1);

        assertThatThrownBy(() -> device.register(pd, base, 100, 1, null)).hasMessageContaining("refused by the test");

        assertNothingMoreIsHeld();
    }

    @Test
    void aDirectoryThatCannotBeAllocatedLeavesNothing() {
        open();
        final ByteBuffer large = ByteBuffer.allocateDirect(130 << 20);
        fake.iommu.refuseMap(2);

        assertThatThrownBy(() -> device.register(pd, BufferUtil.address(large), large.capacity(), 1, large))
            .hasMessageContaining("refused by the test");

        assertNothingMoreIsHeld();
        assertThat(fake.requests).isEmpty();
    }

    @Test
    void aRefusedCommandLeavesNothing() {
        open();
        fake.errors.put(Command.CREATE_MR, -22);

        assertThatThrownBy(() -> device.register(pd, base, 100, 1, memory))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL)).hasMessageContaining("CREATE_MR");

        assertNothingMoreIsHeld();
        assertThatThrownBy(() -> device.register(pd + 1, base, 100, 1, memory)).hasMessageContaining("no PD");
        assertNothingMoreIsHeld();
    }

    @Test
    void oneTooManyIsRefusedByTheDriver() {
        open();
        final MemoryRegistration[] regions = new MemoryRegistration[4];
        for (int i = 0; i < 4; i++) {
            regions[i] = device.register(pd, base, 100, 1, memory);
        }

        assertThatThrownBy(() -> device.register(pd, base, 100, 1, memory))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.ENOMEM)).hasMessageContaining("max_mr of the device is 4");

        assertThat(fake.requests).hasSize(4);
        for (final MemoryRegistration region : regions) {
            region.close();
        }
    }

    @Test
    void theDeviceGivesItUpBeforeTheMemoryIsUnmapped() {
        open();
        final MemoryRegistration region = device.register(pd, base, 100, 1, memory);
        fake.log.clear();

        region.close();

        assertThat(fake.log).containsExactly("write REQUEST ", "unmap");
    }

    @Test
    void isUnmappedEvenIfTheDeviceObjects() {
        open();
        final MemoryRegistration region = device.register(pd, base, 100, 1, memory);
        fake.errors.put(Command.DESTROY_MR, -16);

        assertThatThrownBy(region::close).satisfies(e -> Errors.hasErrno(e, RdmaException.EBUSY));

        assertNothingMoreIsHeld();
        region.close();
    }

    @Test
    void staysMappedIfTheIommuObjects() {
        open();
        final MemoryRegistration region = device.register(pd, base, 100, 1, memory);
        assertThat(region.isMapped()).isTrue();
        fake.iommu.refuseUnmap(1);

        assertThatThrownBy(region::close).hasMessageContaining("refused by the test");

        assertThat(region.isClosed()).isTrue();
        assertThat(region.isMapped()).isTrue();
        final long stuck = device.dma().reachableBytes() - reachableBefore;
        assertThat(stuck).isGreaterThanOrEqualTo(4096);
        reachableBefore += stuck;
        final MemoryRegistration other = device.register(pd, base, 100, 1, memory);
        other.close();
        assertThat(other.isMapped()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void canBeClosedAfterTheDeviceFailedOrClosed(final boolean fails) {
        open();
        final MemoryRegistration region = device.register(pd, base, 100, 1, memory);
        if (fails) {
            device.fail("test");
            region.close();
            assertNothingMoreIsHeld();
        } else {
            device.close();
            assertThat(fake.iommu.mappings()).isZero();
            region.close();
            reachableBefore = 0;
            pagesBefore = 0;
        }
        assertThat(region.isClosed()).isTrue();
    }

    @Test
    void aFailedDeviceTakesNoRegions() {
        open();
        device.fail("test");

        assertThatThrownBy(() -> device.register(pd, base, 100, 1, memory))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD));
    }
}
