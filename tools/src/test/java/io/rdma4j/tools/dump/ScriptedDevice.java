/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static io.rdma4j.hw.pvrdma.Caps.*;

import io.rdma4j.driver.live.LiveCommand;
import io.rdma4j.driver.live.LiveCounter;
import io.rdma4j.driver.live.LiveError;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Cqne;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.GosInfo;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;
import io.rdma4j.verbs.pvrdma.live.EventRingKind;
import io.rdma4j.verbs.pvrdma.live.GidKind;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;

/** The states that the sections about the device as a whole are tested with. */
final class ScriptedDevice {
    static final long DSR = 0x1_0000_2000L;
    static final long SLOTS = 0x1_0000_3000L;
    static final long ASYNC_RING = 0x1_0001_0000L;
    static final long NOTICE_RING = 0x1_0002_0000L;
    private static final int PAGES = 2;
    private static final long BEGAN = 1_700_000_001_234_567_000L;

    private ScriptedDevice() {
    }

    /** A device at work: two events and a notice not taken yet, four commands, one of them refused. */
    static ScriptedView working() {
        final ScriptedView view = new ScriptedView();
        view.add(DeviceKind.KIND, 0, 20, DSR, SLOTS, SLOTS + 0x1000, 0, 0, 0xffff_ffeaL, 0xe0000, 0, 3)
            .add(EventRingKind.KIND, 0, ASYNC_RING, PAGES, Eqe.LENGTH, 0x1_0001_8000L)
            .add(EventRingKind.KIND, 1, NOTICE_RING, PAGES, Cqne.LENGTH, 0x1_0002_8000L)
            .add(GidKind.KIND, 0, 0xfe80_0000_0000_0000L, 0x5054_00ff_fe12_3456L, 1)
            .add(GidKind.KIND, 3, 0, 0x0000_ffff_c000_0207L, 2);
        view.memory(DSR, region()).memory(ASYNC_RING, asyncRing()).memory(NOTICE_RING, noticeRing());
        view.commands.add(createPd(0));
        view.commands.add(createCq(1));
        view.commands.add(refusedMr(2));
        view.commands.add(destroyPd(3));
        view.counters.add(new LiveCounter(0, "commands", 4));
        view.counters.add(new LiveCounter(1, "commands refused", 1));
        view.errors.add(new LiveError(3, 1_700_000_001_000L, 1_700_000_009_000L,
            "io.rdma4j.RdmaException: register memory failed\n\tat io.rdma4j.driver.X.y(X.java:1)\n"));
        return view;
    }

    private static byte[] region() {
        final byte[] page = new byte[Pdir.PAGE_SIZE];
        final Dsr dsr = new Dsr().wrap(new UnsafeBuffer(page), 0);
        dsr.set(Dsr.DRIVER_VERSION, 20).set(Dsr.GOS_INFO, GosInfo.LINUX_64).set(Dsr.CMD_SLOT_DMA, SLOTS)
            .set(Dsr.RESP_SLOT_DMA, SLOTS + 0x1000)
            .set(Dsr.ASYNC_RING_PAGES_NUM_PAGES, PAGES).set(Dsr.ASYNC_RING_PAGES_PDIR_DMA, 0x1_0001_8000L)
            .set(Dsr.CQ_RING_PAGES_NUM_PAGES, PAGES).set(Dsr.CQ_RING_PAGES_PDIR_DMA, 0x1_0002_8000L)
            .set(Dsr.UAR_PFN64, 0xe0000);
        final Caps caps = dsr.get(Dsr.CAPS);
        caps.set(FW_VER, 3L << 32 | 2 << 16 | 1).set(NODE_GUID, 0x5054_00ff_fe12_3456L).set(MAX_MR_SIZE, 1L << 32)
            .set(PAGE_SIZE_CAP, 0x1000).set(MAX_QP, 64).set(MAX_QP_WR, 1024).set(MAX_SGE, 4).set(MAX_CQ, 32)
            .set(MAX_CQE, 8192).set(MAX_MR, 100).set(MAX_PD, 10)
            .set(MAX_UAR, 1).set(GID_TBL_LEN, 16).set(MAX_PKEYS, 1).set(PHYS_PORT_CNT, 1)
            .set(GID_TYPES, GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1);
        return page;
    }

    private static byte[] asyncRing() {
        final byte[] ring = new byte[PAGES * Pdir.PAGE_SIZE];
        final UnsafeBuffer buffer = new UnsafeBuffer(ring);
        RingState.rxConsHead(buffer, 0, 1);
        RingState.rxProdTail(buffer, 0, 3);
        event(buffer, 0, EventType.PVRDMA_EVENT_PORT_ACTIVE, 1);
        event(buffer, 1, EventType.PVRDMA_EVENT_CQ_ERR, 7);
        event(buffer, 2, 99, 0);
        return ring;
    }

    private static void event(final UnsafeBuffer ring, final int slot, final int type, final int info) {
        ring.putInt(Pdir.PAGE_SIZE + slot * Eqe.LENGTH, type, ByteOrder.LITTLE_ENDIAN);
        ring.putInt(Pdir.PAGE_SIZE + slot * Eqe.LENGTH + 4, info, ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] noticeRing() {
        final byte[] ring = new byte[PAGES * Pdir.PAGE_SIZE];
        final UnsafeBuffer buffer = new UnsafeBuffer(ring);
        RingState.rxProdTail(buffer, 0, 1);
        buffer.putInt(Pdir.PAGE_SIZE, 5, ByteOrder.LITTLE_ENDIAN);
        return ring;
    }

    private static LiveCommand createPd(final long number) {
        final byte[] response = response(number, Command.CREATE_PD);
        new UnsafeBuffer(response).putInt(ResponseHeader.LAYOUT.length(), 2, ByteOrder.LITTLE_ENDIAN);
        return new LiveCommand(number, BEGAN, 12_300, 0, request(number, Command.CREATE_PD), response);
    }

    private static LiveCommand createCq(final long number) {
        final byte[] request = request(number, Command.CREATE_CQ);
        new CreateCqRequest().wrap(new UnsafeBuffer(request), 0).set(CreateCqRequest.PDIR_DMA, 0x1_0003_0000L)
            .set(CreateCqRequest.CQE, 64).set(CreateCqRequest.NCHUNKS, 3);
        final byte[] response = response(number, Command.CREATE_CQ);
        new CreateCqResponse().wrap(new UnsafeBuffer(response), 0).set(CreateCqResponse.CQ_HANDLE, 5)
            .set(CreateCqResponse.CQE, 64);
        return new LiveCommand(number, BEGAN + 1_000_000, 34_500, 0, request, response);
    }

    private static LiveCommand refusedMr(final long number) {
        final byte[] request = request(number, Command.CREATE_MR);
        new CreateMrRequest().wrap(new UnsafeBuffer(request), 0).set(CreateMrRequest.START, 0x7f00_1234L)
            .set(CreateMrRequest.LENGTH, 1 << 20).set(CreateMrRequest.NCHUNKS, 257);
        return new LiveCommand(number, BEGAN + 2_000_000, 5_000, -22, request, new byte[Command.RESPONSE_MAX]);
    }

    private static LiveCommand destroyPd(final long number) {
        final byte[] request = request(number, Command.DESTROY_PD);
        new HandleRequest().wrap(new UnsafeBuffer(request), 0).set(HandleRequest.HANDLE, 2);
        return new LiveCommand(number, BEGAN + 3_000_000, 4_000, 0, request, new byte[Command.RESPONSE_MAX]);
    }

    static byte[] request(final long key, final Command command) {
        final byte[] request = new byte[Command.REQUEST_MAX];
        new CommandHeader().wrap(new UnsafeBuffer(request), 0).set(CommandHeader.RESPONSE, key).cmd(command);
        return request;
    }

    static byte[] response(final long key, final Command command) {
        final byte[] response = new byte[Command.RESPONSE_MAX];
        new ResponseHeader().wrap(new UnsafeBuffer(response), 0).set(ResponseHeader.RESPONSE, key)
            .set(ResponseHeader.ACK, command.ack());
        return response;
    }

    /** Each number is wrong, in a way of its own. */
    static ScriptedView garbage() {
        final ScriptedView view = new ScriptedView();
        view.add(DeviceKind.KIND, 0, 99, DSR, 1, -1, 77, 0x100, -5, 3, 9, 4711)
            .add(EventRingKind.KIND, 0, ASYNC_RING, PAGES, Eqe.LENGTH, 1)
            .add(EventRingKind.KIND, 1, NOTICE_RING, 1 << 20, Cqne.LENGTH, 0)
            .add(EventRingKind.KIND, 7, 0, 0, 0, 0)
            .add(GidKind.KIND, -1, 0, 0, 0)
            .add(GidKind.KIND, 70_000, -1, -1, 0x30);
        final byte[] noise = new byte[Pdir.PAGE_SIZE];
        Arrays.fill(noise, (byte) 0xa5);
        view.memory(DSR, noise).memory(ASYNC_RING, Arrays.copyOf(noise, PAGES * Pdir.PAGE_SIZE));
        final byte[] unknown = request(1, Command.CREATE_PD);
        new CommandHeader().wrap(new UnsafeBuffer(unknown), 0).set(CommandHeader.CMD, 4711);
        view.commands.add(new LiveCommand(8, BEGAN, 1, 0x1234_5678, unknown, noise));
        view.commands.add(new LiveCommand(-9, Long.MIN_VALUE, -1, 0, request(1, Command.QUERY_PORT), noise));
        view.commands.add(new LiveCommand(10, Long.MAX_VALUE, 1, 0, new byte[3], new byte[0]));
        view.counters.add(new LiveCounter(0, "odd\u001b[31m label\n", -4));
        view.errors.add(new LiveError(0, Long.MAX_VALUE, Long.MIN_VALUE, "\u0007text"));
        return view;
    }
}
