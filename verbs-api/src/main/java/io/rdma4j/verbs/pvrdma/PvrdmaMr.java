/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.pvrdma.MemoryRegistration;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.spi.RegionOwner;

import java.util.Set;

/** A registered region. It alone holds the owner of the memory, and only while it is open. */
final class PvrdmaMr extends PvrdmaObject implements MemoryRegion {
    private final PvrdmaPd pd;
    private final long address;
    private final long length;
    private final Set<AccessFlag> access;
    private final boolean remote;
    private final MemoryRegistration registration;
    private volatile Object owner;

    PvrdmaMr(final PvrdmaPd pd, final RegionRequest request, final MemoryRegistration registration) {
        super(pd.context);
        this.pd = pd;
        this.address = request.address();
        this.length = request.length();
        this.access = request.access();
        this.remote = request.isRemote();
        this.registration = registration;
        this.owner = request.owner();
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public Set<AccessFlag> access() {
        return access;
    }

    @Override
    public int lkey() {
        return registration.lkey();
    }

    @Override
    public boolean hasRkey() {
        return remote;
    }

    @Override
    public int rkey() {
        if (!remote) {
            throw Errors.invalid("get rkey", context, "%s was registered without remote rights", this);
        }
        return registration.rkey();
    }

    @Override
    void destroy() {
        new Cleanup()
            .run(registration::close)
            .run(this::letGo)
            .run(() -> pd.forget(this))
            .throwIfFailed();
    }

    /** Only of memory that the device cannot reach any more. */
    private void letGo() {
        if (registration.isMapped()) {
            context.keep(this);
            return;
        }
        final Object last = owner;
        owner = null;
        if (last instanceof PvrdmaMemory) {
            ((PvrdmaMemory) last).detach(this);
        } else if (last instanceof RegionOwner) {
            ((RegionOwner) last).regionClosed();
        }
    }

    @Override
    public String toString() {
        return String.format("MR 0x%x+%d lkey=0x%x", address, length, lkey());
    }
}
