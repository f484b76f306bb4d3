/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Cleanup;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.pvrdma.device.RegionPages;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Memory that one region is made of, or several that share it: mapped, pinned and held until the last of them is
 * closed. Thread-safe.
 */
final class RegionMemory {
    private final PvrdmaContext context;
    private final List<Object> users = new ArrayList<>();
    private volatile RegionSource source;
    private MemoryOwners owners;
    private RegionPages pages;
    private boolean registered;

    private RegionMemory(final PvrdmaContext context, final RegionSource source) {
        this.context = context;
        this.source = source;
    }

    /** Who works on making a region of it. */
    final class Use implements AutoCloseable {
        RegionMemory memory() {
            return RegionMemory.this;
        }

        @Override
        public void close() {
            leave(this);
        }

        @Override
        public String toString() {
            return "a registration under way";
        }
    }

    /** Maps memory of a new region. The caller closes what it gets when there is a region, or will be none. */
    static Use map(final PvrdmaContext context, final RegionRequest request) {
        return map(context, request, null);
    }

    /** The same for a region that has other memory until now; null if it is new. */
    static Use map(final PvrdmaContext context, final RegionRequest request, final RegionMemory previous) {
        final RegionMemory memory = new RegionMemory(context, request.source());
        final Use use = memory.newUse();
        memory.owners = new MemoryOwners(context, request.operation(), request.source().owners(), memory,
            previous == null ? null : previous.owners);
        try {
            memory.pages = request.source().map(context.device, request.length());
        } finally {
            if (memory.pages == null) {
                memory.owners.abandon();
            }
        }
        return use;
    }

    private Use newUse() {
        final Use use = new Use();
        synchronized (this) {
            users.add(use);
        }
        return use;
    }

    /** For another region of it; the caller has one that is open. */
    Use share() {
        return newUse();
    }

    /** A region was made of it; who made it is a user. */
    synchronized void enter(final PvrdmaMr region) {
        users.add(region);
        registered = true;
    }

    /** Of the last user, ends the device's access to the memory and lets go of it. */
    void leave(final Object user) {
        synchronized (this) {
            users.remove(user);
            if (!users.isEmpty()) {
                return;
            }
        }
        new Cleanup().run(pages::close).run(() -> letGo(user)).throwIfFailed();
    }

    /** Only of memory that the device cannot reach any more; what is stuck goes by the name of its last user. */
    private void letGo(final Object last) {
        if (pages.isMapped()) {
            synchronized (this) {
                users.add(last);
            }
            context.keep(this);
            return;
        }
        source = null;
        if (registered) {
            owners.letGo();
        } else {
            owners.abandon();
        }
    }

    /** For all regions of it: the device must be able to write if one of them says so. The caller is a user. */
    void refresh(final long from, final long bytes) {
        final boolean write;
        synchronized (this) {
            write = users.stream().anyMatch(user -> user instanceof PvrdmaMr
                && ((PvrdmaMr) user).access().contains(AccessFlag.LOCAL_WRITE));
        }
        source.refresh(pages, from, bytes, write);
    }

    RegionPages pages() {
        return pages;
    }

    /** Null after the last user left. */
    RegionSource source() {
        return source;
    }

    long length() {
        return pages.length();
    }

    @Override
    public synchronized String toString() {
        return users.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
}
