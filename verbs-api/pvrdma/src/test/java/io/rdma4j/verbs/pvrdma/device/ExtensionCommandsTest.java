/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.ExtensionFlags;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMwRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingRequest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands of this project's own device, and those for fast registration. */
class ExtensionCommandsTest {
    private static final long PDIR = 0x123_4567_8000L;

    private final FakePvrdma fake = new FakePvrdma().caps(caps -> caps.set(Caps.DEVICE_CAP_FLAGS2, 7)
        .set(Caps.MAX_MW, 2).set(Caps.BMME_FLAGS, 7).set(Caps.MAX_FAST_REG_PAGE_LIST_LEN, 64));
    private PvrdmaDevice device;

    private PvrdmaCommands open() {
        device = fake.open();
        return device.commands();
    }

    @AfterEach
    void nothingIsLeft() {
        device.close();
        assertThat(device.commands().liveObjects()).isZero();
        assertThat(fake.iommu.mappings()).isZero();
    }

    private UnsafeBuffer last() {
        return fake.requests.get(fake.requests.size() - 1);
    }

    @Test
    void createsAndDestroysWindows() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        fake.handlers.put(Command.CREATE_MW, (request, response) -> response.putInt(20, 0x1234_5600));

        final MwKeys window = commands.createMw(pd, 2);
        assertThat(window.rkey()).isEqualTo(0x1234_5600);
        final CreateMwRequest request = new CreateMwRequest().wrap(last(), 0);
        assertThat(new CommandHeader().wrap(last(), 0).get(CommandHeader.CMD)).isEqualTo(64);
        assertThat(request.get(CreateMwRequest.PD_HANDLE)).isEqualTo(pd);
        assertThat(request.get(CreateMwRequest.TYPE)).isEqualTo(2);
        assertThat(commands.liveObjects()).isEqualTo(2);
        assertThat(device.dumpState()).contains("MW 1/2");

        commands.destroyMw(window.handle());
        assertThat(new CommandHeader().wrap(last(), 0).get(CommandHeader.CMD)).isEqualTo(65);
        assertThat(new HandleRequest().wrap(last(), 0).get(HandleRequest.HANDLE)).isEqualTo(window.handle());
        assertThat(commands.liveObjects()).isEqualTo(1);
        assertThatThrownBy(() -> commands.destroyMw(window.handle()))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL));
    }

    @Test
    void stopsAtTheDevicesLimitOfWindows() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        commands.createMw(pd, 1);
        commands.createMw(pd, 1);
        assertThatThrownBy(() -> commands.createMw(pd, 1)).satisfies(e -> Errors.hasErrno(e, RdmaException.ENOMEM))
            .hasMessageContaining("max_mw");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, -1})
    void refusesOtherTypesOfWindows(final int type) {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        assertThatThrownBy(() -> commands.createMw(pd, type)).satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL));
        assertThatThrownBy(() -> commands.createMw(pd + 99, 1)).hasMessageContaining("no PD");
        assertThat(fake.commandNames()).containsExactly("CREATE_PD");
    }

    @Test
    void destroysWindowsThatWereLeftBeforeTheRegions() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        commands.createFastRegion(pd, 1);
        commands.createMw(pd, 1);
        device.close();
        assertThat(fake.commandNames()).containsExactly("CREATE_PD", "CREATE_MR", "CREATE_MW", "DESTROY_MW",
            "DESTROY_MR", "DESTROY_PD");
    }

    @Test
    void createsRegionsForFastRegistration() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        commands.createFastRegion(pd, 64);
        final CreateMrRequest request = new CreateMrRequest().wrap(last(), 0);
        assertThat(request.get(CreateMrRequest.FLAGS)).isEqualTo(2);
        assertThat(request.get(CreateMrRequest.ACCESS_FLAGS)).isZero();
        assertThat(request.get(CreateMrRequest.NCHUNKS)).isEqualTo(64);
        assertThat(request.get(CreateMrRequest.PDIR_DMA)).isZero();
        assertThat(request.get(CreateMrRequest.PD_HANDLE)).isEqualTo(pd);
        for (final int pages : new int[] {0, -1, 65}) {
            assertThatThrownBy(() -> commands.createFastRegion(pd, pages))
                .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL)).hasMessageContaining("1 to 64");
        }
    }

    @Test
    void resizesACompletionQueue() {
        fake.handlers.put(Command.RESIZE_CQ_RING, (request, response) -> response.putInt(16, request.getInt(28)));
        final PvrdmaCommands commands = open();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        assertThat(commands.resizeCqRing(cq, PDIR + 4096, 256, 5)).isEqualTo(256);
        final ResizeCqRingRequest request = new ResizeCqRingRequest().wrap(last(), 0);
        assertThat(request.get(ResizeCqRingRequest.CQ_HANDLE)).isEqualTo(cq);
        assertThat(request.get(ResizeCqRingRequest.PDIR_DMA)).isEqualTo(PDIR + 4096);
        assertThat(request.get(ResizeCqRingRequest.CQE)).isEqualTo(256);
        assertThat(request.get(ResizeCqRingRequest.NCHUNKS)).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({"0,1", "-1,1", "100,3", "16384,257", "64,1", "64,3"})
    void refusesSizesOfCompletionQueuesBeforeTheDeviceSeesThem(final int cqe, final int nchunks) {
        final PvrdmaCommands commands = open();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        assertThatThrownBy(() -> commands.resizeCqRing(cq, PDIR, cqe, nchunks))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL));
        assertThatThrownBy(() -> commands.resizeCqRing(cq + 1, PDIR, 64, 2)).hasMessageContaining("no CQ");
        assertThatThrownBy(() -> commands.resizeCqRing(cq, 0, 64, 2)).hasMessageContaining("pdir_dma");
        assertThat(fake.commandNames()).containsExactly("CREATE_CQ");
    }

    @Test
    void aDeviceThatGrantsMoreThanThereIsMemoryForIsGivenUp() {
        fake.handlers.put(Command.RESIZE_CQ_RING, (request, response) -> response.putInt(16, 512));
        final PvrdmaCommands commands = open();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        assertThatThrownBy(() -> commands.resizeCqRing(cq, PDIR, 256, 5))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD)).hasMessageContaining("RESIZE_CQ_RING answered");
        assertThat(device.failed()).isTrue();
    }

    @Test
    void asksNoOtherDeviceForExtensions() {
        fake.subsystem(0x15ad, 0x0820);
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        assertThat(device.hasExtension(ExtensionFlags.RDMA4J_EXT_MEMORY_WINDOWS)).isFalse();
        assertThatThrownBy(() -> commands.createMw(pd, 1)).satisfies(e -> Errors.hasErrno(e, RdmaException.EOPNOTSUPP))
            .hasMessageContaining("MEMORY_WINDOWS");
        assertThatThrownBy(() -> commands.resizeCqRing(cq, PDIR, 64, 2))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EOPNOTSUPP)).hasMessageContaining("CQ_RESIZE");
        assertThat(fake.commandNames()).containsExactly("CREATE_PD", "CREATE_CQ");
    }

    @Test
    void refusesFastRegionsWhereThereIsNoFastRegistration() {
        fake.caps(caps -> caps.set(Caps.BMME_FLAGS, 3).set(Caps.MAX_FAST_REG_PAGE_LIST_LEN, 64));
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        assertThatThrownBy(() -> commands.createFastRegion(pd, 1))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EOPNOTSUPP));
    }

    @Test
    void theJournalKnowsWindowsByTheirCommands() {
        assertThat(ObjectKind.createdBy(Command.CREATE_MW)).isEqualTo(ObjectKind.MW);
        assertThat(ObjectKind.destroyedBy(Command.DESTROY_MW)).isEqualTo(ObjectKind.MW);
        for (final ObjectKind kind : ObjectKind.values()) {
            assertThat(ObjectKind.of(kind.code())).isEqualTo(kind);
        }
        assertThat(ObjectKind.of(0)).isNull();
        assertThat(ObjectKind.of(9)).isNull();
        assertThat(ObjectKind.MW).as("before what it shows").isLessThan(ObjectKind.MR);
        open();
    }
}
