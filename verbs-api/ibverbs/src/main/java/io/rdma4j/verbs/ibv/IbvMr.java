/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.memory.Presence;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionChecks;
import org.agrona.UnsafeApi;

import java.util.Set;

/** A registered region. */
final class IbvMr extends IbvObject implements MemoryRegion {
    private static final long PAGE = 4096;

    /** Work requests that name it by its address in the library are under way. */
    final Users users = new Users();
    private volatile Registration now;

    /** What the library has of it. */
    private record Registration(IbvPd pd, RegionRequest request, long pointer, int lkey, int rkey) {
    }

    private IbvMr(final IbvPd pd, final RegionRequest request) {
        super(pd.context);
        now = register(pd, request);
        publish(MrKind.KIND, context.nextNumber(), this::describe);
    }

    private void describe(final LiveEntry entry) {
        final Registration shown = now;
        final RegionRequest request = shown.request;
        entry.set(MrKind.PD, shown.pd.number)
            .set(MrKind.LKEY, shown.lkey & 0xffff_ffffL)
            .set(MrKind.RKEY, shown.rkey & 0xffff_ffffL)
            .set(MrKind.ACCESS, AccessFlag.bits(request.access()))
            .set(MrKind.IOVA, request.iova())
            .set(MrKind.LENGTH, request.memory().length())
            .set(MrKind.ADDRESS, request.memory().first())
            .set(MrKind.FLAGS, request.isOnDemand() ? MrKind.ON_DEMAND : 0);
    }

    static IbvMr create(final IbvPd pd, final RegionRequest request) {
        return new IbvMr(pd, request);
    }

    private Registration register(final IbvPd pd, final RegionRequest request) {
        try (Undo undo = new Undo()) {
            request.memory().keeper().enter(request.operation(), this);
            undo.add(() -> request.memory().keeper().abandon(this));
            final long mr = context.regions.register(pd, request);
            if (mr == 0) {
                throw refused(request, context.library.errno());
            }
            undo.forget();
            context.reachable.addAndGet(request.reachable());
            return new Registration(pd, request, mr, UnsafeApi.getInt(mr + Abi.Mr.LKEY),
                UnsafeApi.getInt(mr + Abi.Mr.RKEY));
        }
    }

    private RdmaException refused(final RegionRequest request, final int errno) {
        final RegionMemory memory = request.memory();
        final boolean isDmaBuf = memory.kind() == RegionMemory.Kind.DMA_BUF;
        final String hole = errno != RdmaException.EFAULT || isDmaBuf || request.isOnDemand() ? null
            : ProcessMaps.firstHole(memory.first(), memory.length(),
                request.access().contains(AccessFlag.LOCAL_WRITE));
        return RdmaException.of(request.operation())
            .device(context.address())
            .detail("%s with %s was refused%s", memory, request.access(),
                hole != null ? ": " + hole : errno == RdmaException.ENOMEM ? PinLimit.state() : "")
            .errno(errno == 0 ? RdmaException.EIO : errno)
            .hint(isDmaBuf ? "the descriptor must be open and of a dma-buf that holds the range; its exporter decides "
                + "whether this device may reach it" : hint(errno, memory.length()))
            .build();
    }

    private static String hint(final int errno, final long length) {
        return switch (errno) {
            case RdmaException.ENOMEM -> PinLimit.hint(length);
            case RdmaException.EFAULT -> "all of it must be mapped, and writable for LOCAL_WRITE";
            default -> null;
        };
    }

    /** What the library says to this decides alone whether the registration is still there; with its device it ends. */
    private void deregister(final Registration old) {
        if (!context.isGone()) {
            deregistered(old.request, context.library.deregMr(old.pointer));
        }
        context.reachable.addAndGet(-old.request.reachable());
    }

    /** Of a registration that the library gave up. Tells the memory's owner, who may throw: it is the last step. */
    private void giveMemory(final Registration old) {
        old.request.memory().keeper().leave(this);
    }

    private void deregistered(final RegionRequest request, final int answer) {
        final int errno = answer < 0 ? context.library.errno() : answer;
        if (errno == RdmaException.EINVAL && request.access().contains(AccessFlag.MW_BIND)) {
            throw RdmaException.of("close region").device(context.address()).object(this)
                .detail("the device refused, as it does while windows are bound to it").errno(RdmaException.EBUSY)
                .hint("close the windows, or bind them elsewhere, first").build();
        }
        // A device that was removed has no registration any more, and answers EIO. That it failed may be a guess, too:
        // then another answer says that it may still write to the memory.
        if (errno != RdmaException.EIO || !context.isFailed()) {
            context.require(answer, "close region", "ibv_dereg_mr");
        }
    }

    /** Registers the memory once more, in a domain: the library has no call that would share it. */
    IbvMr share(final IbvPd pd, final long iova, final AccessFlag... access) {
        final IbvMr[] shared = new IbvMr[1];
        // Its owner is not told that the last region is closed meanwhile.
        whileOpen(RegionChecks.SHARED, () -> {
            final RegionRequest request = now.request.shared(context, iova, access).check(context);
            context.requireWorking(RegionChecks.SHARED);
            shared[0] = create(pd, request);
        });
        return shared[0];
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
        return now.request.memory().first();
    }

    @Override
    public long iova() {
        return now.request.iova();
    }

    @Override
    public long length() {
        return now.request.memory().length();
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
    public int rkey() {
        RegionChecks.requireRkey(this, context);
        return now.rkey;
    }

    /** Not by the library's call of that purpose: when it fails, the old region may be gone, too. */
    @Override
    public void reregister(final MrOptions changes) {
        final String operation = RegionChecks.REREGISTER;
        requireOpen(operation);
        Errors.notNull(changes, operation, context, "options");
        RegionChecks.requireChange(changes, context);
        if (changes.pd() != null && (changes.pd().context() != context || !(changes.pd() instanceof IbvPd))) {
            throw Errors.invalid(operation, context, "%s belongs to another device", changes.pd());
        }
        whileOpen(operation, () -> change(changes));
    }

    private void change(final MrOptions changes) {
        final Registration old = now;
        final IbvPd pd = changes.pd() == null ? old.pd : (IbvPd) changes.pd();
        pd.requireOpen(RegionChecks.REREGISTER);
        final RegionRequest request = old.request.changed(context, changes).check(context);
        context.requireWorking(RegionChecks.REREGISTER);
        try (Undo undo = new Undo()) {
            final Registration next = registerIn(pd, request, undo);
            undo.add(() -> {
                deregister(next);
                giveMemory(next);
            });
            // Who is just binding a window to it has the address of what it was. Nobody gets that of what it becomes
            // before the old one is gone, as the device may refuse that: then the new one goes.
            users.bar();
            undo.add(users::unbar);
            users.awaitNone(RegionChecks.REREGISTER, context, this);
            deregister(old);
            now = next;
            undo.forget();
        }
        users.unbar();
        changed();
        if (pd != old.pd) {
            old.pd.forget(this);
        }
        giveMemory(old);
    }

    private Registration registerIn(final IbvPd pd, final RegionRequest request, final Undo undo) {
        if (pd == now.pd) {
            return register(pd, request);
        }
        final Registration[] made = new Registration[1];
        // That one may be closed by another thread now: it waits for this.
        pd.adopt(RegionChecks.REREGISTER, () -> {
            made[0] = register(pd, request);
            return this;
        });
        undo.add(() -> pd.forget(this));
        return made[0];
    }

    @Override
    public void refresh(final long address, final long length) {
        whileOpen(RegionChecks.REFRESH, () -> bringIn(now, address, length));
    }

    private void bringIn(final Registration registration, final long address, final long length) {
        final String operation = RegionChecks.REFRESH;
        if (!registration.request.isOnDemand()) {
            throw Errors.unsupported(operation, context, Feature.REFRESH);
        }
        final RegionMemory memory = registration.request.memory();
        if (address <= 0 || length <= 0 || address < memory.first()
            || length > memory.length() - (address - memory.first())) {
            throw Errors.invalid(operation, context, "0x%x+%d is empty, or not all in %s", address, length, this);
        }
        context.requireWorking(operation);
        final boolean write = access().contains(AccessFlag.LOCAL_WRITE);
        final long page = address & -PAGE;
        final String missing = Presence.firstMissing(page, (address + length + PAGE - 1 & -PAGE) - page, write);
        if (missing != null) {
            throw RdmaException.of(operation).device(context.address()).object(this)
                .detail("0x%x+%d: %s", address, length, missing).errno(RdmaException.EFAULT)
                .hint("map what is missing before a transfer touches it").build();
        }
        context.regions.prefetch(registration.pd, registration.lkey,
            registration.request.iova() + address - memory.first(), length, write);
    }

    @Override
    public void suspend() {
        requireSuspend("suspend region");
    }

    @Override
    public void resume() {
        requireSuspend("resume region");
    }

    private void requireSuspend(final String operation) {
        requireOpen(operation);
        throw Errors.unsupported(operation, context, Feature.SUSPEND);
    }

    /** For a domain that is closed: not a region that has moved to another one meanwhile. */
    void closeIn(final IbvPd pd) {
        closeIf(() -> now.pd == pd);
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
        final Registration last = now;
        // Until the memory is given back, a device that is closed waits for this.
        new Cleanup().run(() -> giveMemory(last)).run(() -> last.pd.forget(this)).throwIfFailed();
    }

    @Override
    public String toString() {
        final Registration registration = now;
        return registration == null ? "region" : "region " + registration.request.memory();
    }
}
