/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Limits;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.engine.Engine;
import io.rdma4j.device.engine.GidEntry;
import io.rdma4j.device.engine.MrKeys;
import io.rdma4j.device.engine.MrRequest;
import io.rdma4j.device.engine.SrqState;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.PortState;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMwRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMwResponse;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateSrqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateUcRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleResponse;
import io.rdma4j.hw.pvrdma.cmd.ModifySrqRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyResponse;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortResponse;
import io.rdma4j.hw.pvrdma.cmd.QuerySrqResponse;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingRequest;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingResponse;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** The commands, decoded: all but those of queue pairs. */
public final class EngineCommands implements Commands {
    private static final int LINK_POLLING = 2;
    private static final int LINK_UP = 5;
    private static final int WIDTH_4X = 2;
    private static final int SPEED_EDR = 32;
    private static final int DEFAULT_PKEY = 0xffff;

    private final DeviceOptions options;
    private final Counters counters;
    private final Engine engine;
    private final LongSupplier uarAddress;
    private final QpCommands qps;

    /**
     * The commands of one device.
     *
     * @param options    of the device.
     * @param counters   of the device.
     * @param engine     does the work.
     * @param uarAddress bus address of the doorbell BAR.
     */
    public EngineCommands(DeviceOptions options, Counters counters, Engine engine, LongSupplier uarAddress) {
        this.options = options;
        this.counters = counters;
        this.engine = engine;
        this.uarAddress = uarAddress;
        this.qps = new QpCommands(options, engine);
    }

    @Override
    public void run(Command command, UnsafeBuffer request, UnsafeBuffer response) {
        switch (command) {
            case QUERY_PORT -> queryPort(request, response);
            case QUERY_PKEY -> queryPkey(request, response);
            case CREATE_PD -> created(response,
                engine.protection().createPd(new CreatePdRequest().wrap(request, 0).ctxHandle()));
            case DESTROY_PD -> engine.protection().destroyPd(handle(request));
            case CREATE_MR -> createMr(new CreateMrRequest().wrap(request, 0), response);
            case DESTROY_MR -> engine.protection().destroyMr(handle(request));
            case CREATE_MW -> createMw(new CreateMwRequest().wrap(request, 0), response);
            case DESTROY_MW -> engine.protection().destroyMw(handle(request));
            case CREATE_CQ -> createCq(new CreateCqRequest().wrap(request, 0), response);
            case RESIZE_CQ_RING -> resizeCq(new ResizeCqRingRequest().wrap(request, 0), response);
            case DESTROY_CQ -> engine.queues().destroyCq(handle(request));
            case CREATE_QP, MODIFY_QP, QUERY_QP, DESTROY_QP -> qps.run(command, request, response);
            case CREATE_UC -> created(response, engine.protection().createUc(uarPage(request)));
            case DESTROY_UC -> engine.protection().destroyUc(handle(request));
            case CREATE_BIND -> bind(new CreateBindRequest().wrap(request, 0));
            case DESTROY_BIND -> unbind(new DestroyBindRequest().wrap(request, 0));
            case CREATE_SRQ -> createSrq(new CreateSrqRequest().wrap(request, 0), response);
            case MODIFY_SRQ -> modifySrq(new ModifySrqRequest().wrap(request, 0));
            case QUERY_SRQ -> querySrq(handle(request), response);
            case DESTROY_SRQ -> engine.queues().destroySrq(handle(request));
            default -> throw new CommandError(CommandError.EOPNOTSUPP, command + " is not offered");
        }
    }

    private static int handle(UnsafeBuffer request) {
        return new HandleRequest().wrap(request, 0).handle();
    }

    private static void created(UnsafeBuffer response, int handle) {
        new HandleResponse().wrap(response, 0).handle(handle);
    }

    private void queryPort(UnsafeBuffer request, UnsafeBuffer response) {
        final int port = new QueryPortRequest().wrap(request, 0).portNum();
        if (port != 1 && !(port == 0 && options.has(Quirk.PORT_DOWN))) {
            throw CommandError.invalid("port %d, there is port 1", port);
        }
        final boolean down = options.has(Quirk.PORT_DOWN);
        final boolean dark = down || !engine.isUp();
        new QueryPortResponse().wrap(response, 0).portAttr()
            .state(dark ? PortState.PVRDMA_PORT_DOWN : PortState.PVRDMA_PORT_ACTIVE)
            .maxMtu(Math.max(options.limits().mtu(), 5)).activeMtu(options.limits().mtu())
            .gidTblLen(options.limits().gidEntries()).maxMsgSz(down ? 1024 : Limits.MAX_MESSAGE)
            .qkeyViolCntr((int) counters.get(Counter.BAD_QKEY)).pkeyTblLen(1).maxVlNum(1)
            .activeWidth(down ? 1 : WIDTH_4X).activeSpeed(down ? 1 : SPEED_EDR)
            .physState(down ? 0 : dark ? LINK_POLLING : LINK_UP);
    }

    private void queryPkey(UnsafeBuffer request, UnsafeBuffer response) {
        final QueryPkeyRequest query = new QueryPkeyRequest().wrap(request, 0);
        if (query.port() > 1 || query.port() == 0 && !options.has(Quirk.PORT_DOWN)
            || query.index() > (options.has(Quirk.PORT_DOWN) ? 1 : 0)) {
            throw CommandError.invalid("port %d pkey index %d: there is port 1 and index 0", query.port(),
                query.index());
        }
        new QueryPkeyResponse().wrap(response, 0).pkey(DEFAULT_PKEY);
    }

    private void createMr(CreateMrRequest request, UnsafeBuffer response) {
        final MrKeys keys = engine.protection().createMr(new MrRequest(request.pd(), request.start(), request.length(),
            request.access(), mrFlags(request), request.pdirDma(), request.nchunks()));
        new CreateMrResponse().wrap(response, 0).mrHandle(keys.handle()).lkey(keys.lkey()).rkey(keys.rkey());
    }

    /** QEMU looks at one flag and overlooks the others. */
    private int mrFlags(CreateMrRequest request) {
        return options.has(Quirk.WHOLE_PAGES) ? request.flags() & MrFlags.PVRDMA_MR_FLAG_DMA : request.flags();
    }

    private void createMw(CreateMwRequest request, UnsafeBuffer response) {
        final MrKeys keys = engine.protection().createMw(request.pd(), request.type());
        new CreateMwResponse().wrap(response, 0).mwHandle(keys.handle()).rkey(keys.rkey());
    }

    private void createCq(CreateCqRequest request, UnsafeBuffer response) {
        final int handle = engine.queues().createCq(request.ctxHandle(), request.cqe(), request.pdirDma(),
            request.nchunks());
        new CreateCqResponse().wrap(response, 0).cqHandle(handle).cqe(request.cqe());
    }

    private void resizeCq(ResizeCqRingRequest request, UnsafeBuffer response) {
        engine.queues().resizeCq(request.cqHandle(), request.cqe(), request.pdirDma(), request.nchunks());
        new ResizeCqRingResponse().wrap(response, 0).cqe(request.cqe());
    }

    private long uarPage(UnsafeBuffer request) {
        final CreateUcRequest uc = new CreateUcRequest().wrap(request, 0);
        final long pfn = options.version() >= Bar1.PVRDMA_PPN64_VERSION ? uc.pfn64() : uc.pfn() & 0xffff_ffffL;
        return pfn - (uarAddress.getAsLong() >>> Pdir.PAGE_SHIFT);
    }

    private void bind(CreateBindRequest request) {
        final ByteBuffer gid = ByteBuffer.wrap(request.gid());
        final int offered = options.version() >= Bar1.PVRDMA_ROCEV2_VERSION ? GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2
            : GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1;
        final boolean ignored = options.has(Quirk.ZERO_CAPS);
        if (request.gidType() != offered && !ignored) {
            throw CommandError.invalid("gid_type %d, the device offers %d", request.gidType(), offered);
        }
        engine.gids().bind(request.index(), new GidEntry(gid.getLong(), gid.getLong(), offered));
    }

    private void unbind(DestroyBindRequest request) {
        final ByteBuffer gid = ByteBuffer.wrap(request.gid());
        engine.gids().unbind(request.index(), gid.getLong(), gid.getLong());
    }

    private void createSrq(CreateSrqRequest request, UnsafeBuffer response) {
        if (request.type() != 0) {
            throw CommandError.invalid("srq type %d, there is 0", request.type());
        }
        created(response, engine.queues().createSrq(request.pd(), request.srqAttr().maxWr(), request.srqAttr().maxSge(),
            request.pdirDma(), request.nchunks()));
    }

    private void modifySrq(ModifySrqRequest request) {
        engine.queues().modifySrq(request.srqHandle(), request.attrMask(), request.srqAttr().srqLimit());
    }

    private void querySrq(int handle, UnsafeBuffer response) {
        final SrqState state = engine.queues().querySrq(handle);
        new QuerySrqResponse().wrap(response, 0).srqAttr().maxWr(state.maxWr()).maxSge(state.maxSge())
            .srqLimit(state.limit());
    }
}
