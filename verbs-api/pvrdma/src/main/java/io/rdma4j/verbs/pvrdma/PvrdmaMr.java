/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.pvrdma.device.MemoryRegistration;
import io.rdma4j.verbs.pvrdma.device.RegionPages;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionChecks;

import java.util.Set;
import java.util.function.Consumer;

/** A registered region. Closing and changing it exclude each other; what it is can be read at any time. */
final class PvrdmaMr extends PvrdmaObject implements MemoryRegion {
    private volatile RegionState state;
    /** Of the registration: one that follows it has another handle. */
    private volatile Publication publication;
    private volatile boolean cached;

    private PvrdmaMr(final RegionState state) {
        super(state.pd().context);
        this.state = state;
        publication = publish();
    }

    private Publication publish() {
        final Publication next =
            Publication.of(context.device.live(), MrKind.KIND, state.registration().handle(), this::describe);
        next.changed();
        return next;
    }

    private void describe(final LiveEntry entry) {
        RegionDescription.write(entry, state, cached);
    }

    /** The registration cache has it. */
    void cached() {
        cached = true;
        publication.changed();
    }

    /** Makes a region of memory that the caller is a user of. */
    static PvrdmaMr create(final PvrdmaPd pd, final RegionRequest request, final RegionMemory memory) {
        final PvrdmaMr region = new PvrdmaMr(new RegionState(pd, request, memory));
        memory.enter(region);
        return region;
    }

    @Override
    public ProtectionDomain pd() {
        return state.pd();
    }

    @Override
    public long address() {
        return state.registration().address();
    }

    @Override
    public long iova() {
        return state.registration().iova();
    }

    @Override
    public long length() {
        return state.registration().length();
    }

    @Override
    public Set<AccessFlag> access() {
        return state.access();
    }

    @Override
    public int lkey() {
        return state.registration().lkey();
    }

    @Override
    public int rkey() {
        RegionChecks.requireRkey(this, context);
        return state.registration().rkey();
    }

    /** All of what the region is now, at one moment. */
    RegionState state() {
        return state;
    }

    /** Lets somebody make another region of the same memory. */
    RegionMemory.Use share(final String operation) {
        final RegionMemory.Use[] use = new RegionMemory.Use[1];
        whileOpen(operation, () -> use[0] = state.memory().share());
        return use[0];
    }

    @Override
    public void reregister(final MrOptions changes) {
        final String operation = RegionChecks.REREGISTER;
        Errors.notNull(changes, operation, context, "changes");
        whileOpen(operation, () -> {
            final RegionState old = state;
            final Publication last = publication;
            state = change(old, changes);
            last.end();
            publication = publish();
            end(old);
        });
    }

    @Override
    public void refresh(final long address, final long length) {
        whileOpen(RegionChecks.REFRESH, () -> {
            final RegionMemory memory = state.memory();
            if (!memory.source().onDemand() && !context.supports(Feature.REFRESH)) {
                throw Errors.unsupported(RegionChecks.REFRESH, context, Feature.REFRESH);
            }
            requireInside(state.registration(), memory, address, length);
            context.requireWorking(RegionChecks.REFRESH);
            refresh(memory, address, length);
        });
    }

    @Override
    public void suspend() {
        change("suspend region", RegionPages::suspend);
    }

    @Override
    public void resume() {
        change("resume region", RegionPages::resume);
    }

    private void change(final String operation, final Consumer<RegionPages> call) {
        whileOpen(operation, () -> {
            final RegionMemory memory = state.memory();
            if (!memory.source().onDemand()) {
                throw Errors.error(RdmaException.EOPNOTSUPP, operation, context, "%s is not ON_DEMAND", this);
            }
            call.accept(memory.pages());
        });
    }

    private void requireInside(
        final MemoryRegistration now, final RegionMemory memory, final long address, final long length) {
        final boolean isRange = address > 0 && length > 0 && length <= Long.MAX_VALUE - DmaDomain.PAGE_SIZE - address;
        final boolean isInside = isRange && (memory.source() instanceof RangeSource
            ? address >= now.address() && length <= now.length() - (address - now.address())
            : memory.pages().holds(address, length));
        if (!isInside) {
            throw Errors.invalid(RegionChecks.REFRESH, context, "0x%x+%d is empty, or not all in %s", address, length,
                this);
        }
    }

    /** Says which region, to who knows of addresses only. */
    private void refresh(final RegionMemory memory, final long address, final long length) {
        try {
            memory.refresh(address, length);
        } catch (final RdmaException e) {
            throw RdmaException.of(RegionChecks.REFRESH)
                .device(context.address())
                .object(this)
                .detail("0x%x+%d: %s", address, length, e.getMessage())
                .errno(e.errno())
                .hint(memory.source().onDemand() ? "map what is missing before a transfer touches it"
                    : "until it is refreshed, the device reaches nothing there: map what is missing and refresh again")
                .cause(e)
                .build();
        }
    }

    private RegionState change(final RegionState old, final MrOptions changes) {
        final String operation = RegionChecks.REREGISTER;
        RegionChecks.requireChange(changes, context);
        final PvrdmaPd pd = changes.pd() == null ? old.pd() : requireOwn(changes.pd());
        pd.requireOpen(operation);
        final RegionRequest request = RegionRequest.changed(old, changes).check(context);
        context.requireWorking(operation);
        try (RegionMemory.Use use = request.isOf(old.memory())
            ? old.memory().share() : RegionMemory.map(context, request, old.memory())) {
            return pd.make(operation, () -> enter(old, register(pd, request, use.memory())));
        }
    }

    private RegionState enter(final RegionState old, final RegionState changed) {
        if (changed.pd() != old.pd()) {
            changed.pd().adopt(this);
        }
        if (changed.memory() != old.memory()) {
            changed.memory().enter(this);
        }
        return changed;
    }

    private PvrdmaPd requireOwn(final ProtectionDomain pd) {
        if (!(pd instanceof PvrdmaPd) || ((PvrdmaPd) pd).context != context) {
            throw Errors.invalid(RegionChecks.REREGISTER, context, "%s belongs to another device", pd);
        }
        return (PvrdmaPd) pd;
    }

    private RegionState register(final PvrdmaPd pd, final RegionRequest request, final RegionMemory memory) {
        try {
            return new RegionState(pd, request, memory);
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.ENOMEM) {
                throw e;
            }
            throw RdmaException.of(request.operation())
                .device(context.address())
                .object(this)
                .detail("the device has no room for the new registration beside the old one: %s", e.getMessage())
                .errno(RdmaException.ENOMEM)
                .hint("the region is as it was; close another one first, or close this one and register again")
                .cause(e)
                .build();
        }
    }

    /** Of the new registration nobody may be told that all is well while the old key may still lead somewhere. */
    private void end(final RegionState old) {
        try {
            old.registration().close();
        } catch (final RuntimeException e) {
            final Cleanup cleanup = new Cleanup().run(() -> giveMemory(old, state)).run(this::close);
            throw cleanup.addTo(e);
        }
        giveMemory(old, state);
    }

    /** Gives back what the region was beside its registration, but for what it is still. */
    private void giveMemory(final RegionState old, final RegionState next) {
        final Cleanup cleanup = new Cleanup();
        if (next == null || next.memory() != old.memory()) {
            cleanup.run(() -> old.memory().leave(this));
        }
        if (next == null || next.pd() != old.pd()) {
            cleanup.run(() -> old.pd().forget(this));
        }
        cleanup.throwIfFailed();
    }

    /** For a domain that is closed: not a region that has moved to another one meanwhile. */
    void closeIn(final PvrdmaPd pd) {
        closeIf(() -> state.pd() == pd);
    }

    @Override
    void destroy() {
        final RegionState last = state;
        new Cleanup()
            .run(publication::end)
            .run(last.registration()::close)
            .run(() -> giveMemory(last, null))
            .throwIfFailed();
    }

    @Override
    public String toString() {
        final RegionState now = state;
        final String iova = now.registration().iova() == now.registration().address() ? ""
            : String.format(" iova=0x%x", now.registration().iova());
        return String.format("MR 0x%x+%d%s lkey=0x%x", now.registration().address(), now.registration().length(), iova,
            now.registration().lkey());
    }
}
