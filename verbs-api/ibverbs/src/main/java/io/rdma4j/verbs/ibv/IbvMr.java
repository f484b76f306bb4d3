/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionOwner;
import org.agrona.UnsafeApi;

import java.util.Set;

/** A registered region. */
final class IbvMr extends IbvObject implements MemoryRegion {
    private static final String REREGISTER = "reregister memory";
    private static final Set<AccessFlag> REMOTE =
        Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    /** Work requests that name it by its address in the library are under way. */
    final Users users = new Users();
    private volatile Registration now;

    /** What the library has of it. */
    private record Registration(IbvPd pd, RegionRequest request, long pointer, int lkey, int rkey) {
    }

    private IbvMr(final IbvPd pd, final RegionRequest request) {
        super(pd.context);
        now = register(pd, request);
    }

    static IbvMr create(final IbvPd pd, final RegionRequest request) {
        return new IbvMr(pd, request);
    }

    private Registration register(final IbvPd pd, final RegionRequest request) {
        try (Undo undo = new Undo()) {
            if (request.owner() instanceof IbvMemory) {
                final IbvMemory memory = (IbvMemory) request.owner();
                memory.attach(request.operation(), this);
                undo.add(() -> memory.detach(this));
            }
            final int access = AccessFlag.bits(request.access());
            final long mr = request.iova() == request.address()
                ? context.library.regMr(pd.pointer, request.address(), request.length(), access)
                : context.library.call(context.regMrIova, pd.pointer, request.address(), request.length(),
                    request.iova(), access);
            if (mr == 0) {
                throw refused(request, context.library.errno());
            }
            undo.forget();
            context.reachable.addAndGet(request.length());
            return new Registration(pd, request, mr, UnsafeApi.getInt(mr + Abi.Mr.LKEY),
                UnsafeApi.getInt(mr + Abi.Mr.RKEY));
        }
    }

    private RdmaException refused(final RegionRequest request, final int errno) {
        final String hole = errno != RdmaException.EFAULT ? null : ProcessMaps.firstHole(request.address(),
            request.length(), request.access().contains(AccessFlag.LOCAL_WRITE));
        return RdmaException.of(request.operation())
            .device(context.address())
            .detail("0x%x+%d with %s was refused%s", request.address(), request.length(), request.access(),
                hole == null ? "" : ": " + hole)
            .errno(errno == 0 ? RdmaException.EIO : errno)
            .hint(hint(errno))
            .build();
    }

    private static String hint(final int errno) {
        return switch (errno) {
            case RdmaException.ENOMEM -> "more memory than may be locked: see ulimit -l, or the device has no more "
                + "regions";
            case RdmaException.EFAULT -> "all of it must be mapped, and writable for LOCAL_WRITE";
            default -> null;
        };
    }

    private void deregister(final Registration old) {
        final Cleanup cleanup = new Cleanup();
        cleanup.run(() -> deregistered(context.library.deregMr(old.pointer)));
        cleanup.runIfGood(() -> context.reachable.addAndGet(-old.request.length()));
        cleanup.runIfGood(() -> letGo(old.request.owner()));
        cleanup.throwIfFailed();
    }

    private void deregistered(final int answer) {
        if (answer == RdmaException.EINVAL && !context.isFailed()
            && now.request.access().contains(AccessFlag.MW_BIND)) {
            throw RdmaException.of("close region").device(context.address()).object(this)
                .detail("the device refused, as it does while windows are bound to it").errno(RdmaException.EBUSY)
                .hint("close the windows, or bind them elsewhere, first").build();
        }
        context.destroyed(answer, "close region", "ibv_dereg_mr");
    }

    private void letGo(final Object owner) {
        if (owner instanceof IbvMemory) {
            ((IbvMemory) owner).detach(this);
        } else if (owner instanceof RegionOwner) {
            ((RegionOwner) owner).regionClosed();
        }
    }

    RegionRequest request() {
        return now.request;
    }

    long pointer() {
        return now.pointer;
    }

    @Override
    public ProtectionDomain pd() {
        return now.pd;
    }

    @Override
    public long address() {
        return now.request.address();
    }

    @Override
    public long iova() {
        return now.request.iova();
    }

    @Override
    public long length() {
        return now.request.length();
    }

    @Override
    public Set<AccessFlag> access() {
        return now.request.access();
    }

    @Override
    public int lkey() {
        return now.lkey;
    }

    @Override
    public boolean hasRkey() {
        return now.request.access().stream().anyMatch(REMOTE::contains);
    }

    @Override
    public int rkey() {
        final Registration registration = now;
        if (!hasRkey()) {
            throw RdmaException.of("rkey").device(context.address()).object(this)
                .detail("it was registered without remote rights").errno(RdmaException.EINVAL)
                .hint("add REMOTE_READ, REMOTE_WRITE or REMOTE_ATOMIC").build();
        }
        return registration.rkey;
    }

    @Override
    public void reregister(final MrOptions changes) {
        requireOpen(REREGISTER);
        Errors.notNull(changes, REREGISTER, context, "options");
        if (!changes.hasMemory() && !changes.hasLength() && !changes.hasIova() && changes.accessFlags() == null
            && changes.pd() == null) {
            throw Errors.invalid(REREGISTER, context, "%s: nothing is to be changed", this);
        }
        if (changes.pd() != null && changes.pd().context() != context) {
            throw Errors.invalid(REREGISTER, context, "%s belongs to another device", changes.pd());
        }
        whileOpen(REREGISTER, () -> change(changes));
    }

    private void change(final MrOptions changes) {
        final Registration old = now;
        final IbvPd pd = changes.pd() == null ? old.pd : (IbvPd) changes.pd();
        pd.requireOpen(REREGISTER);
        final RegionRequest request = old.request.changed(context, REREGISTER, changes).check(context);
        context.requireWorking(REREGISTER);
        now = register(pd, request);
        if (pd != old.pd) {
            pd.adopt(this);
            old.pd.forget(this);
        }
        deregister(old);
    }

    @Override
    public void refresh(final long address, final long length) {
        requireOpen("refresh region");
        throw context.unsupported("refresh region", Feature.REFRESH);
    }

    /** Before it counts as closed: some devices refuse as long as windows are bound. */
    @Override
    void leave() {
        users.bar();
        try (Undo undo = new Undo()) {
            undo.add(users::unbar);
            users.awaitNone("close region", context, this);
            deregister(now);
            undo.forget();
        }
        super.leave();
    }

    @Override
    void destroy() {
        now.pd.forget(this);
    }

    @Override
    public String toString() {
        final Registration registration = now;
        return registration == null ? "region" : String.format("region 0x%x+%d", registration.request.address(),
            registration.request.length());
    }
}
