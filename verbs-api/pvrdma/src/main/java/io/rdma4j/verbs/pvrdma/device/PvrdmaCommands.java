/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.cmd.CreateMrRequest.*;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.ExtensionFlags;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.SrqAttrMask;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMwRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMwResponse;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpResult;
import io.rdma4j.hw.pvrdma.cmd.CreateSrqRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleResponse;
import io.rdma4j.hw.pvrdma.cmd.ModifyQpRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifySrqRequest;
import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyResponse;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortResponse;
import io.rdma4j.hw.pvrdma.cmd.QueryQpRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryQpResponse;
import io.rdma4j.hw.pvrdma.cmd.QuerySrqResponse;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingRequest;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingResponse;
import io.rdma4j.hw.pvrdma.cmd.SrqAttr;

import java.util.function.Consumer;
import java.util.function.IntConsumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The commands of the device as typed calls. Objects are counted against the device's limits, handles are checked and
 * ring sizes are computed before the device sees a request, and the device's quirks are dealt with here: callers ask
 * for what they want.
 *
 * <p>A failed device is still told to destroy what it has, until it refuses for the first time; some keep their objects
 * over the reset at close. Destroying on a device that lost a response or is gone does nothing. Neither throws.
 * Thread-safe.
 */
public final class PvrdmaCommands {
    /** The driver itself is the owner of all objects; there is no second user context. */
    private static final int DRIVER_CONTEXT = 0;
    /** In CREATE_BIND: no VLAN. */
    private static final int NO_VLAN = 0xfff;
    private static final int BIND_MTU = 1024;
    private static final int MAX_QPN = 0xff_ffff;
    /** What QUERY_QP tells truly where the rest is meaningless. */
    private static final int TRUSTED_QP_ATTR_LENGTH = QpAttr.PKEY_INDEX.offset();

    private final CommandChannel channel;
    private final FailureLatch latch;
    private final DeviceLimits limits;
    private final DeviceProfile profile;
    private final int version;
    private final Object deviceName;
    private final LiveObjects objects;
    /** Null once it was told, and usually. */
    private volatile IntConsumer firstQp;

    PvrdmaCommands(
        final CommandChannel channel, final FailureLatch latch, final DeviceLimits limits, final DeviceProfile profile,
        final int version, final Object deviceName) {
        this.channel = channel;
        this.latch = latch;
        this.limits = limits;
        this.profile = profile;
        this.version = version;
        this.deviceName = deviceName;
        objects = new LiveObjects(channel, latch, limits, deviceName);
    }

    /** Has somebody told the handle of the first QP, before there is another one. */
    void tellFirstQp(final IntConsumer whom) {
        firstQp = whom;
    }

    /**
     * CREATE_PD.
     *
     * @return the handle, 0 is a valid one.
     * @throws RdmaException ENOMEM if the device's limit is reached, or as the device says.
     */
    public int createPd() {
        return objects.create(objects.pds, 0, () -> channel.execute(Command.CREATE_PD, new CreatePdRequest(),
            r -> r.set(CreatePdRequest.CTX_HANDLE, DRIVER_CONTEXT), PvrdmaCommands::handle), handle -> handle);
    }

    /**
     * DESTROY_PD.
     *
     * @param pd its handle.
     * @throws RdmaException EINVAL if there is none, or as the device says.
     */
    public void destroyPd(final int pd) {
        objects.destroy(Command.DESTROY_PD, objects.pds, pd);
    }

    /**
     * CREATE_MR of pages that a directory names.
     *
     * @param pd      handle of the protection domain.
     * @param start   address that work requests will use for the first byte; its place in the page is that of the first
     *                byte in the first page of the directory.
     * @param length  bytes.
     * @param access  {@link io.rdma4j.hw.pvrdma.AccessFlags}, passed on as they are.
     * @param pdir    the pages; must live until the region is destroyed.
     * @param nchunks how many pages.
     * @return handle and keys.
     * @throws RdmaException ENOMEM if the device's limit is reached, EINVAL for an unknown PD, or as the device says.
     */
    public MrKeys createMr(
        final int pd, final long start, final long length, final int access, final PageDirectory pdir,
        final int nchunks) {
        objects.pds.require("create MR", pd);
        return objects.create(objects.mrs, 0, () -> channel.execute(Command.CREATE_MR, new CreateMrRequest(),
            r -> r.set(START, start).set(LENGTH, length).set(PDIR_DMA, pdir.pdirDma()).set(PD_HANDLE, pd)
                .set(ACCESS_FLAGS, access).set(NCHUNKS, nchunks), PvrdmaCommands::mrKeys), MrKeys::handle);
    }

    /**
     * CREATE_MR of a region without pages: FAST_REG_MR work requests give it some, time after time.
     *
     * @param pd       handle of the protection domain.
     * @param maxPages most pages at a time, 1 to {@link DeviceCaps#maxFastRegPageListLen()}.
     * @return handle and keys; the keys name nothing yet.
     * @throws RdmaException ENOMEM if the device's limit is reached, EINVAL for an unknown PD or too many pages,
     *                       EOPNOTSUPP if the device has no such regions, or as the device says.
     */
    public MrKeys createFastRegion(final int pd, final int maxPages) {
        objects.pds.require("create fast region", pd);
        if (limits.maxFastRegPages() == 0) {
            throw unsupported("create fast region", "the device has no fast registration");
        }
        if (maxPages < 1 || maxPages > limits.maxFastRegPages()) {
            throw invalid("create fast region", "%d pages, allowed: 1 to %d", maxPages, limits.maxFastRegPages());
        }
        return objects.create(objects.mrs, 0, () -> channel.execute(Command.CREATE_MR, new CreateMrRequest(),
            r -> r.set(PD_HANDLE, pd).set(FLAGS, MrFlags.PVRDMA_MR_FLAG_FRMR)
                .set(NCHUNKS, maxPages), PvrdmaCommands::mrKeys), MrKeys::handle);
    }

    /**
     * DESTROY_MR.
     *
     * @param mr its handle.
     * @throws RdmaException EINVAL if there is none, or as the device says.
     */
    public void destroyMr(final int mr) {
        objects.destroy(Command.DESTROY_MR, objects.mrs, mr);
    }

    /**
     * CREATE_MW, an extension.
     *
     * @param pd   handle of the protection domain.
     * @param type 1 or 2.
     * @return handle and first key; the key names nothing before the window is bound.
     * @throws RdmaException EOPNOTSUPP without {@link ExtensionFlags#RDMA4J_EXT_MEMORY_WINDOWS}, ENOMEM if the device's
     *                       limit is reached, EINVAL for an unknown PD or type, or as the device says.
     */
    public MwKeys createMw(final int pd, final int type) {
        requireExtension("create memory window", ExtensionFlags.RDMA4J_EXT_MEMORY_WINDOWS);
        objects.pds.require("create memory window", pd);
        if (type != 1 && type != 2) {
            throw invalid("create memory window", "type %d, allowed: 1 and 2", type);
        }
        return objects.create(objects.mws, 0, () -> channel.execute(Command.CREATE_MW, new CreateMwRequest(),
            r -> r.set(CreateMwRequest.PD_HANDLE, pd).set(CreateMwRequest.TYPE, type), answer -> {
                final CreateMwResponse response = new CreateMwResponse().wrap(answer, 0);
                return new MwKeys(response.get(CreateMwResponse.MW_HANDLE), response.get(CreateMwResponse.RKEY));
            }), MwKeys::handle);
    }

    /**
     * DESTROY_MW, an extension.
     *
     * @param mw its handle.
     * @throws RdmaException EINVAL if there is none, or as the device says.
     */
    public void destroyMw(final int mw) {
        objects.destroy(Command.DESTROY_MW, objects.mws, mw);
    }

    /**
     * CREATE_CQ.
     *
     * @param pdirDma bus address of the directory of the ring's pages, the state page first, all zero.
     * @param cqe     entries, a power of two up to {@link DeviceLimits#maxCqe()}.
     * @param nchunks pages, the state page included: {@link RingGeometry#cqPages}.
     * @return handle and entries.
     * @throws RdmaException ENOMEM if the device's limit is reached, EINVAL if the sizes do not fit, or as the device
     *                       says.
     */
    public CqHandle createCq(final long pdirDma, final int cqe, final int nchunks) {
        requireRing("create CQ", "cqe", cqe, limits.maxCqe(), pdirDma);
        requirePages("create CQ", nchunks, RingGeometry.cqPages(cqe));
        final CqHandle created = objects.create(objects.cqs, Uar.HANDLE_MASK, () -> channel.execute(Command.CREATE_CQ,
            new CreateCqRequest(),
            r -> r.set(CreateCqRequest.PDIR_DMA, pdirDma).set(CreateCqRequest.CTX_HANDLE, DRIVER_CONTEXT)
                .set(CreateCqRequest.CQE, cqe).set(CreateCqRequest.NCHUNKS, nchunks),
            answer -> {
                final CreateCqResponse response = new CreateCqResponse().wrap(answer, 0);
                return new CqHandle(response.get(CreateCqResponse.CQ_HANDLE), response.get(CreateCqResponse.CQE));
            }), CqHandle::handle);
        requireCqe("CREATE_CQ", created.cqe(), cqe);
        return created;
    }

    /**
     * RESIZE_CQ_RING, an extension: the device moves what was not consumed to the beginning of the new ring, and goes
     * on there. Nobody may consume meanwhile. When this returns, the device does not touch the old ring any more.
     *
     * @param cq      its handle.
     * @param pdirDma bus address of the directory of the new ring's pages, the state page first, all zero.
     * @param cqe     entries, a power of two up to {@link DeviceLimits#maxCqe()}.
     * @param nchunks pages, the state page included: {@link RingGeometry#cqPages}.
     * @return entries of the new ring.
     * @throws RdmaException EOPNOTSUPP without {@link ExtensionFlags#RDMA4J_EXT_CQ_RESIZE}, EINVAL if there is no such
     *                       CQ, the sizes do not fit, or more entries wait than the new ring holds; the old ring stays
     *                       in use then.
     */
    public int resizeCqRing(final int cq, final long pdirDma, final int cqe, final int nchunks) {
        requireExtension("resize CQ", ExtensionFlags.RDMA4J_EXT_CQ_RESIZE);
        objects.cqs.require("resize CQ", cq);
        requireRing("resize CQ", "cqe", cqe, limits.maxCqe(), pdirDma);
        requirePages("resize CQ", nchunks, RingGeometry.cqPages(cqe));
        final int granted = channel.execute(Command.RESIZE_CQ_RING, new ResizeCqRingRequest(),
            r -> r.set(ResizeCqRingRequest.PDIR_DMA, pdirDma).set(ResizeCqRingRequest.CQ_HANDLE, cq)
                .set(ResizeCqRingRequest.CQE, cqe).set(ResizeCqRingRequest.NCHUNKS, nchunks),
            answer -> new ResizeCqRingResponse().wrap(answer, 0).get(ResizeCqRingResponse.CQE));
        requireCqe("RESIZE_CQ_RING", granted, cqe);
        return granted;
    }

    /** More entries than there is memory for would let ring indices lead out of the ring. */
    private void requireCqe(final String command, final int granted, final int asked) {
        if (granted < 1 || granted > asked || Integer.bitCount(granted) != 1) {
            latch.fail(command + " answered " + granted + " entries when asked for " + asked);
            latch.check(command);
        }
    }

    /**
     * DESTROY_CQ.
     *
     * @param cq its handle; no QP may use it any more.
     * @throws RdmaException EINVAL if there is none, or as the device says.
     */
    public void destroyCq(final int cq) {
        objects.destroy(Command.DESTROY_CQ, objects.cqs, cq);
    }

    /**
     * CREATE_QP.
     *
     * @param wanted what it shall be.
     * @return number and handle.
     * @throws RdmaException ENOMEM if the device's limit is reached, EINVAL if a size or a handle does not fit, or as
     *                       the device says.
     */
    public QpHandle createQp(final CreateQp wanted) {
        wanted.validate(limits);
        objects.pds.require("create QP", wanted.pd());
        objects.cqs.require("create QP", wanted.sendCq());
        objects.cqs.require("create QP", wanted.recvCq());
        if (wanted.usesSrq()) {
            objects.srqs.require("create QP", wanted.srq());
        }
        return firstQp == null ? create(wanted) : createFirst(wanted);
    }

    /** Whoever is told must find no other one of this process below it. */
    private synchronized QpHandle createFirst(final CreateQp wanted) {
        final QpHandle created = create(wanted);
        final IntConsumer told = firstQp;
        if (told != null) {
            told.accept(created.handle());
            firstQp = null;
        }
        return created;
    }

    private QpHandle create(final CreateQp wanted) {
        final QpHandle created = objects.create(objects.qps, Uar.HANDLE_MASK, () -> channel.execute(Command.CREATE_QP,
            new CreateQpRequest(), wanted::fill,
            answer -> {
                final CreateQpResult response = CreateQpResult.read(version, answer);
                return new QpHandle(response.qpn(), response.qpHandle(), response.maxSendWr(), response.maxRecvWr(),
                    response.maxSendSge(), response.maxRecvSge());
            }), QpHandle::handle);
        requireQpn(created.qpn());
        return created;
    }

    /** No packet could name such a QP; whoever wants its address would learn of it much later. */
    private void requireQpn(final int qpn) {
        if ((qpn & ~MAX_QPN) != 0) {
            latch.fail(String.format("CREATE_QP answered QP number 0x%x, which has more than 24 bits", qpn));
            latch.check("create QP");
        }
    }

    /**
     * MODIFY_QP.
     *
     * @param qp       its handle.
     * @param attrMask {@link io.rdma4j.hw.pvrdma.QpAttrMask}: which attributes count.
     * @param filler   writes them; all others are zero.
     * @throws RdmaException EINVAL if there is no such QP, or as the device says.
     */
    public void modifyQp(final int qp, final int attrMask, final Consumer<QpAttr> filler) {
        objects.qps.require("modify QP", qp);
        channel.execute(Command.MODIFY_QP, new ModifyQpRequest(),
            r -> filler.accept(r.set(ModifyQpRequest.QP_HANDLE, qp)
                .set(ModifyQpRequest.ATTR_MASK, attrMask).get(ModifyQpRequest.ATTRS)));
    }

    /**
     * QUERY_QP.
     *
     * @param qp       its handle.
     * @param attrMask {@link io.rdma4j.hw.pvrdma.QpAttrMask}: which attributes are wanted.
     * @param reader   gets them, valid during the call; what the device does not tell truly is zero, see
     *                 {@link Quirk#QUERY_QP_GARBAGE}.
     * @throws RdmaException EINVAL if there is no such QP, or as the device says.
     */
    public void queryQp(final int qp, final int attrMask, final Consumer<QpAttr> reader) {
        objects.qps.require("query QP", qp);
        channel.execute(Command.QUERY_QP, new QueryQpRequest(),
            r -> r.set(QueryQpRequest.QP_HANDLE, qp).set(QueryQpRequest.ATTR_MASK, attrMask), answer -> {
                final QpAttr attr = new QueryQpResponse().wrap(answer, 0).get(QueryQpResponse.ATTRS);
                if (profile.has(Quirk.QUERY_QP_GARBAGE)) {
                    answer.setMemory(attr.offset() + TRUSTED_QP_ATTR_LENGTH,
                        QpAttr.LAYOUT.length() - TRUSTED_QP_ATTR_LENGTH, (byte) 0);
                }
                reader.accept(attr);
                return null;
            });
    }

    /**
     * DESTROY_QP.
     *
     * @param qp its handle.
     * @throws RdmaException EINVAL if there is none, or as the device says.
     */
    public void destroyQp(final int qp) {
        objects.destroy(Command.DESTROY_QP, objects.qps, qp);
    }

    /**
     * CREATE_SRQ.
     *
     * @param pd      handle of the protection domain.
     * @param pdirDma bus address of the directory of the ring's pages, the state page first, all zero.
     * @param maxWr   entries, a power of two up to {@link DeviceLimits#maxSrqWr}.
     * @param maxSge  SGEs of each.
     * @param nchunks pages, the state page included: {@link RingGeometry#srqPages}.
     * @return the handle.
     * @throws RdmaException ENOMEM if the device's limit is reached, EINVAL if a size or the PD does not fit, or as the
     *                       device says.
     */
    public int createSrq(final int pd, final long pdirDma, final int maxWr, final int maxSge, final int nchunks) {
        objects.pds.require("create SRQ", pd);
        if (maxSge < 1 || maxSge > limits.maxSrqSge()) {
            throw invalid("create SRQ", "max_sge is %d, allowed: 1 to %d", maxSge, limits.maxSrqSge());
        }
        requireRing("create SRQ", "max_wr", maxWr, limits.maxSrqWr(maxSge), pdirDma);
        requirePages("create SRQ", nchunks, RingGeometry.srqPages(maxWr, maxSge));
        return objects.create(objects.srqs, Uar.HANDLE_MASK, () -> channel.execute(Command.CREATE_SRQ,
            new CreateSrqRequest(),
            r -> r.set(CreateSrqRequest.PDIR_DMA, pdirDma).set(CreateSrqRequest.PD_HANDLE, pd)
                .set(CreateSrqRequest.NCHUNKS, nchunks).get(CreateSrqRequest.ATTRS).set(SrqAttr.MAX_WR, maxWr)
                .set(SrqAttr.MAX_SGE, maxSge),
            PvrdmaCommands::handle), handle -> handle);
    }

    /**
     * MODIFY_SRQ: asks for one event when fewer entries than this are left.
     *
     * @param srq   its handle.
     * @param limit entries; 0 takes it back.
     * @throws RdmaException EINVAL if there is no such SRQ, or as the device says.
     */
    public void modifySrq(final int srq, final int limit) {
        objects.srqs.require("modify SRQ", srq);
        final int id = (profile.has(Quirk.SRQ_COMMANDS_SWAPPED) ? Command.QUERY_SRQ : Command.MODIFY_SRQ).id();
        channel.execute(Command.MODIFY_SRQ, new CommandChannel.Wire(id, Command.MODIFY_SRQ.ack(), false),
            new ModifySrqRequest(),
            r -> r.set(ModifySrqRequest.SRQ_HANDLE, srq)
                .set(ModifySrqRequest.ATTR_MASK, SrqAttrMask.PVRDMA_SRQ_LIMIT).get(ModifySrqRequest.ATTRS)
                .set(SrqAttr.SRQ_LIMIT, limit), answer -> null);
    }

    /**
     * QUERY_SRQ.
     *
     * @param srq    its handle.
     * @param reader gets the attributes, valid during the call.
     * @throws RdmaException EINVAL if there is no such SRQ, or as the device says.
     */
    public void querySrq(final int srq, final Consumer<SrqAttr> reader) {
        objects.srqs.require("query SRQ", srq);
        final int id = (profile.has(Quirk.SRQ_COMMANDS_SWAPPED) ? Command.MODIFY_SRQ : Command.QUERY_SRQ).id();
        channel.execute(Command.QUERY_SRQ, new CommandChannel.Wire(id, Command.QUERY_SRQ.ack(), true),
            new HandleRequest(), r -> r.set(HandleRequest.HANDLE, srq), answer -> {
                reader.accept(new QuerySrqResponse().wrap(answer, 0).get(QuerySrqResponse.ATTRS));
                return null;
            });
    }

    /**
     * DESTROY_SRQ.
     *
     * @param srq its handle; no QP may use it any more.
     * @throws RdmaException EINVAL if there is none, or as the device says.
     */
    public void destroySrq(final int srq) {
        objects.destroy(Command.DESTROY_SRQ, objects.srqs, srq);
    }

    /**
     * QUERY_PORT.
     *
     * @param port from 1.
     * @return a copy of the attributes.
     * @throws RdmaException EINVAL if there is no such port, or as the device says.
     */
    public PortAttr queryPort(final int port) {
        requirePort("query port", port);
        return channel.execute(Command.QUERY_PORT, new QueryPortRequest(), r -> r.set(QueryPortRequest.PORT_NUM, port),
            answer -> new PortAttr().wrap(new UnsafeBuffer(new byte[PortAttr.LAYOUT.length()]), 0)
                .copyFrom(answer, new QueryPortResponse().wrap(answer, 0).get(QueryPortResponse.ATTRS).offset()));
    }

    /**
     * QUERY_PKEY.
     *
     * @param port  from 1.
     * @param index in the table of the port, from 0.
     * @return the P_Key, 16 bits.
     * @throws RdmaException EINVAL if there is no such port or index, or as the device says.
     */
    public int queryPkey(final int port, final int index) {
        requirePort("query P_Key", port);
        if (index < 0 || index >= limits.maxPkeys()) {
            throw invalid("query P_Key", "index %d, allowed: 0 to %d", index, limits.maxPkeys() - 1);
        }
        return channel.execute(Command.QUERY_PKEY, new QueryPkeyRequest(),
            r -> r.set(QueryPkeyRequest.PORT_NUM, port).set(QueryPkeyRequest.INDEX, index),
            answer -> new QueryPkeyResponse().wrap(answer, 0).get(QueryPkeyResponse.PKEY));
    }

    void createBind(final int index, final byte[] gid, final int gidType) {
        channel.execute(Command.CREATE_BIND, new CreateBindRequest(),
            r -> r.set(CreateBindRequest.MTU, BIND_MTU).set(CreateBindRequest.VLAN, NO_VLAN)
                .set(CreateBindRequest.INDEX, index).set(CreateBindRequest.NEW_GID, gid)
                .set(CreateBindRequest.GID_TYPE, gidType));
    }

    void destroyBind(final int index, final byte[] gid) {
        channel.takeBack(Command.DESTROY_BIND, new DestroyBindRequest(), r -> r.set(DestroyBindRequest.INDEX, index)
            .set(DestroyBindRequest.DEST_GID, gid));
    }

    /** A failed device that refuses is asked no more. */
    void unbindRefused(final RdmaException refusal) {
        if (latch.failed()) {
            latch.failDeaf(refusal.getMessage());
        }
    }

    private static MrKeys mrKeys(final UnsafeBuffer answer) {
        final CreateMrResponse response = new CreateMrResponse().wrap(answer, 0);
        return new MrKeys(response.get(CreateMrResponse.MR_HANDLE), response.get(CreateMrResponse.LKEY),
            response.get(CreateMrResponse.RKEY));
    }

    private static int handle(final UnsafeBuffer answer) {
        return new HandleResponse().wrap(answer, 0).get(HandleResponse.HANDLE);
    }

    /**
     * Objects that exist now, of all kinds. For leak checks.
     *
     * @return 0 if all were destroyed.
     */
    public int liveObjects() {
        return objects.count();
    }

    /** Destroys what its owners left, users before what they use, and refuses everything from then on. */
    void close() {
        objects.close();
    }

    private void requireRing(
        final String operation, final String name, final int count, final int limit, final long pdirDma) {
        if (count < 1 || count > limit || Integer.bitCount(count) != 1) {
            throw invalid(operation, "%s is %d, allowed: a power of two up to %d", name, count, limit);
        }
        if (pdirDma == 0) {
            throw invalid(operation, "pdir_dma is 0, which means none");
        }
    }

    private void requirePages(final String operation, final int nchunks, final int needed) {
        if (nchunks != needed) {
            throw invalid(operation, "nchunks is %d, the ring has %d pages", nchunks, needed);
        }
    }

    private void requirePort(final String operation, final int port) {
        if (port < 1 || port > limits.physPortCnt()) {
            throw invalid(operation, "port %d, allowed: 1 to %d", port, limits.physPortCnt());
        }
    }

    private void requireExtension(final String operation, final int flag) {
        if (!limits.hasExtension(flag)) {
            throw unsupported(operation, "the device has no extension " + ExtensionFlags.NAMES.of(flag));
        }
    }

    private RdmaException unsupported(final String operation, final String why) {
        return RdmaException.of(operation)
            .device(deviceName)
            .detail("%s", why)
            .errno(RdmaException.EOPNOTSUPP)
            .build();
    }

    private RdmaException invalid(final String operation, final String detail, final Object... values) {
        return RdmaException.of(operation)
            .device(deviceName)
            .detail(detail, values)
            .errno(RdmaException.EINVAL)
            .build();
    }

    /** What errors call the device. */
    Object deviceName() {
        return deviceName;
    }

    @Override
    public String toString() {
        return objects.toString();
    }
}
