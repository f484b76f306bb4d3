/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import static io.rdma4j.hw.pvrdma.cmd.PortAttr.*;

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
import io.rdma4j.hw.pvrdma.cmd.SrqAttr;

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
                engine.protection().createPd(new CreatePdRequest().wrap(request, 0).get(CreatePdRequest.CTX_HANDLE)));
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
        return new HandleRequest().wrap(request, 0).get(HandleRequest.HANDLE);
    }

    private static void created(UnsafeBuffer response, int handle) {
        new HandleResponse().wrap(response, 0).set(HandleResponse.HANDLE, handle);
    }

    private void queryPort(UnsafeBuffer request, UnsafeBuffer response) {
        final int port = new QueryPortRequest().wrap(request, 0).get(QueryPortRequest.PORT_NUM);
        if (port != 1 && !(port == 0 && options.has(Quirk.PORT_DOWN))) {
            throw CommandError.invalid("port %d, there is port 1", port);
        }
        final boolean down = options.has(Quirk.PORT_DOWN);
        new QueryPortResponse().wrap(response, 0).get(QueryPortResponse.ATTRS)
            .set(STATE, down || !engine.isUp() ? PortState.PVRDMA_PORT_DOWN : PortState.PVRDMA_PORT_ACTIVE)
            .set(MAX_MTU, Math.max(options.limits().mtu(), 5)).set(ACTIVE_MTU, options.limits().mtu())
            .set(GID_TBL_LEN, options.limits().gidEntries()).set(MAX_MSG_SZ, down ? 1024 : Limits.MAX_MESSAGE)
            .set(QKEY_VIOL_CNTR, (int) counters.get(Counter.BAD_QKEY)).set(PKEY_TBL_LEN, 1).set(MAX_VL_NUM, 1)
            .set(ACTIVE_WIDTH, down ? 1 : WIDTH_4X).set(ACTIVE_SPEED, down ? 1 : SPEED_EDR)
            .set(PHYS_STATE, engine.isUp() ? LINK_UP : LINK_POLLING);
    }

    private void queryPkey(UnsafeBuffer request, UnsafeBuffer response) {
        final QueryPkeyRequest query = new QueryPkeyRequest().wrap(request, 0);
        if (query.get(QueryPkeyRequest.PORT_NUM) > 1
            || query.get(QueryPkeyRequest.PORT_NUM) == 0 && !options.has(Quirk.PORT_DOWN)
            || query.get(QueryPkeyRequest.INDEX) > (options.has(Quirk.PORT_DOWN) ? 1 : 0)) {
            throw CommandError.invalid("port %d pkey index %d: there is port 1 and index 0",
                query.get(QueryPkeyRequest.PORT_NUM), query.get(QueryPkeyRequest.INDEX));
        }
        new QueryPkeyResponse().wrap(response, 0).set(QueryPkeyResponse.PKEY, DEFAULT_PKEY);
    }

    private void createMr(CreateMrRequest request, UnsafeBuffer response) {
        final MrKeys keys = engine.protection().createMr(new MrRequest(request.get(CreateMrRequest.PD_HANDLE),
            request.get(CreateMrRequest.START), request.get(CreateMrRequest.LENGTH),
            request.get(CreateMrRequest.ACCESS_FLAGS), mrFlags(request), request.get(CreateMrRequest.PDIR_DMA),
            request.get(CreateMrRequest.NCHUNKS)));
        new CreateMrResponse().wrap(response, 0).set(CreateMrResponse.MR_HANDLE, keys.handle())
            .set(CreateMrResponse.LKEY, keys.lkey()).set(CreateMrResponse.RKEY, keys.rkey());
    }

    /** QEMU looks at one flag and overlooks the others. */
    private int mrFlags(CreateMrRequest request) {
        return options.has(Quirk.WHOLE_PAGES) ? request.get(CreateMrRequest.FLAGS) & MrFlags.PVRDMA_MR_FLAG_DMA
            : request.get(CreateMrRequest.FLAGS);
    }

    private void createMw(CreateMwRequest request, UnsafeBuffer response) {
        final MrKeys keys = engine.protection().createMw(request.get(CreateMwRequest.PD_HANDLE),
            request.get(CreateMwRequest.TYPE));
        new CreateMwResponse().wrap(response, 0).set(CreateMwResponse.MW_HANDLE, keys.handle())
            .set(CreateMwResponse.RKEY, keys.rkey());
    }

    private void createCq(CreateCqRequest request, UnsafeBuffer response) {
        final int handle = engine.queues().createCq(request.get(CreateCqRequest.CTX_HANDLE),
            request.get(CreateCqRequest.CQE), request.get(CreateCqRequest.PDIR_DMA),
            request.get(CreateCqRequest.NCHUNKS));
        new CreateCqResponse().wrap(response, 0).set(CreateCqResponse.CQ_HANDLE, handle)
            .set(CreateCqResponse.CQE, request.get(CreateCqRequest.CQE));
    }

    private void resizeCq(ResizeCqRingRequest request, UnsafeBuffer response) {
        engine.queues().resizeCq(request.get(ResizeCqRingRequest.CQ_HANDLE), request.get(ResizeCqRingRequest.CQE),
            request.get(ResizeCqRingRequest.PDIR_DMA), request.get(ResizeCqRingRequest.NCHUNKS));
        new ResizeCqRingResponse().wrap(response, 0)
            .set(ResizeCqRingResponse.CQE, request.get(ResizeCqRingRequest.CQE));
    }

    private long uarPage(UnsafeBuffer request) {
        final CreateUcRequest uc = new CreateUcRequest().wrap(request, 0);
        final long pfn = options.version() >= Bar1.PVRDMA_PPN64_VERSION ? uc.get(CreateUcRequest.PFN64)
            : uc.pfn() & 0xffff_ffffL;
        return pfn - (uarAddress.getAsLong() >>> Pdir.PAGE_SHIFT);
    }

    private void bind(CreateBindRequest request) {
        final ByteBuffer gid = ByteBuffer.wrap(request.get(CreateBindRequest.NEW_GID));
        final int offered = options.version() >= Bar1.PVRDMA_ROCEV2_VERSION ? GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2
            : GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1;
        final boolean ignored = options.has(Quirk.ZERO_CAPS);
        if (request.get(CreateBindRequest.GID_TYPE) != offered && !ignored) {
            throw CommandError.invalid("gid_type %d, the device offers %d", request.get(CreateBindRequest.GID_TYPE),
                offered);
        }
        engine.gids().bind(request.get(CreateBindRequest.INDEX), new GidEntry(gid.getLong(), gid.getLong(), offered));
    }

    private void unbind(DestroyBindRequest request) {
        final ByteBuffer gid = ByteBuffer.wrap(request.get(DestroyBindRequest.DEST_GID));
        engine.gids().unbind(request.get(DestroyBindRequest.INDEX), gid.getLong(), gid.getLong());
    }

    private void createSrq(CreateSrqRequest request, UnsafeBuffer response) {
        if (request.get(CreateSrqRequest.SRQ_TYPE) != 0) {
            throw CommandError.invalid("srq type %d, there is 0", request.get(CreateSrqRequest.SRQ_TYPE));
        }
        final SrqAttr attr = request.get(CreateSrqRequest.ATTRS);
        created(response, engine.queues().createSrq(request.get(CreateSrqRequest.PD_HANDLE), attr.get(SrqAttr.MAX_WR),
            attr.get(SrqAttr.MAX_SGE), request.get(CreateSrqRequest.PDIR_DMA), request.get(CreateSrqRequest.NCHUNKS)));
    }

    private void modifySrq(ModifySrqRequest request) {
        engine.queues().modifySrq(request.get(ModifySrqRequest.SRQ_HANDLE), request.get(ModifySrqRequest.ATTR_MASK),
            request.get(ModifySrqRequest.ATTRS).get(SrqAttr.SRQ_LIMIT));
    }

    private void querySrq(int handle, UnsafeBuffer response) {
        final SrqState state = engine.queues().querySrq(handle);
        new QuerySrqResponse().wrap(response, 0).get(QuerySrqResponse.ATTRS).set(SrqAttr.MAX_WR, state.maxWr())
            .set(SrqAttr.MAX_SGE, state.maxSge()).set(SrqAttr.SRQ_LIMIT, state.limit());
    }
}
