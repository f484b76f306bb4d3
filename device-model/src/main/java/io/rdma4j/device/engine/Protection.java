/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Quirk;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** User contexts, protection domains and memory regions. */
public final class Protection {
    private final EngineContext context;
    private final ObjectTable<UserContext> users;
    private final ObjectTable<ProtectionDomain> domains;
    private final Set<Long> userPages = ConcurrentHashMap.newKeySet();

    Protection(EngineContext context) {
        this.context = context;
        this.users = context.table("user context", Math.max(2, context.limits().maxUar()), 3);
        this.domains = context.table("protection domain", context.limits().maxPd(), 0x2a);
    }

    /**
     * Creates a user context for a doorbell page.
     *
     * @param page of the doorbell BAR.
     * @return its handle.
     */
    public int createUc(long page) {
        if (!context.has(Quirk.PLAIN_REGISTERS) && (page < 0 || page >= context.limits().maxUar()
            || userPages.contains(page))) {
            throw CommandError.invalid("doorbell page %d: must be free and below %d", page, context.limits().maxUar());
        }
        final int handle = users.add(number -> new UserContext(number, page));
        if (page != 0) {
            userPages.add(page);
        }
        return handle;
    }

    /**
     * Destroys a user context.
     *
     * @param handle its handle.
     */
    public void destroyUc(int handle) {
        if (users.get(handle) == null && context.has(Quirk.PLAIN_HANDLES)) {
            return;
        }
        userPages.remove(users.require(handle).page());
        users.release(handle);
    }

    /** Whether a doorbell page belongs to the user context with this handle. */
    boolean owns(long page, int handle) {
        final UserContext user = users.get(handle);
        return context.has(Quirk.PLAIN_REGISTERS) || handle != 0 && user != null && user.page() == page;
    }

    void requireContext(int handle) {
        if (handle != 0) {
            users.require(handle);
        }
    }

    /**
     * Creates a protection domain.
     *
     * @param contextHandle of its user context, 0 for the driver.
     * @return its handle.
     */
    public int createPd(int contextHandle) {
        requireContext(contextHandle);
        return domains.add(handle -> new ProtectionDomain(handle, contextHandle));
    }

    /**
     * Destroys a protection domain that nothing uses.
     *
     * @param handle its handle.
     */
    public void destroyPd(int handle) {
        if (domains.get(handle) == null && context.has(Quirk.PLAIN_HANDLES)) {
            return;
        }
        if (domains.require(handle).isUsed()) {
            throw new CommandError(CommandError.EBUSY, "protection domain 0x" + Integer.toHexString(handle)
                + " is in use");
        }
        domains.release(handle);
    }

    ProtectionDomain pd(int handle) {
        return domains.require(handle);
    }

    /**
     * Registers memory.
     *
     * @param request what is asked for.
     * @return the region's names.
     */
    public MrKeys createMr(MrRequest request) {
        return context.regions().create(request, pd(request.pd()));
    }

    /**
     * Deregisters memory: when this returns, no access to it is under way, nor will one begin.
     *
     * @param handle of the region.
     */
    public void destroyMr(int handle) {
        context.regions().destroy(handle);
    }

    /**
     * Creates a memory window.
     *
     * @param pdHandle its protection domain.
     * @param type     1 or 2.
     * @return the window's names; it has no lkey.
     */
    public MrKeys createMw(int pdHandle, int type) {
        return context.regions().createWindow(pd(pdHandle), type);
    }

    /**
     * Destroys a memory window: when this returns, no access through it is under way, nor will one begin.
     *
     * @param handle of the window.
     */
    public void destroyMw(int handle) {
        context.regions().destroyWindow(handle);
    }

    /**
     * {@return how many regions there are}
     */
    public int regions() {
        return context.regions().size();
    }

    void reset() {
        context.regions().reset();
        domains.snapshot().forEach(pd -> domains.release(pd.handle()));
        users.snapshot().forEach(user -> destroyUc(user.handle()));
    }

    String describe() {
        final StringBuilder text = new StringBuilder();
        text.append("  user contexts ").append(users.size()).append(", protection domains ").append(domains.size())
            .append(", regions ").append(regions())
            .append(", windows ").append(context.regions().windows()).append('\n');
        if (context.room().own() > 0) {
            text.append("  tables of pages ").append(context.room().own()).append(" words\n");
        }
        context.regions().table().snapshot().stream().limit(32)
            .forEach(region -> text.append("  ").append(region).append('\n'));
        return text.toString();
    }
}
