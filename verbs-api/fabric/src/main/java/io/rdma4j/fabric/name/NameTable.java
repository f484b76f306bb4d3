/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;

/** Which endpoint each service of this node is, and whose it is. For one thread. */
final class NameTable {
    /** Where services begin that nobody asked for by number: those that IANA gives to nobody. */
    private static final int FIRST_FREE = 49_152;

    private final Map<Integer, Entry> entries = new HashMap<>();
    /** Not where the last server began: endpoints that it named tell this one of themselves in a moment only. */
    private int next = new SecureRandom().nextInt(FIRST_FREE, ServiceRange.MAX + 1);

    /** An endpoint and the connection that it lives with. */
    private record Entry(Object owner, FabricAddress device) {
    }

    /** The service; or a negated errno. */
    int add(final Object owner, final int service, final FabricAddress device) {
        final int chosen = service == 0 ? free() : service;
        if (chosen == 0) {
            return -FiErrno.FI_EADDRNOTAVAIL;
        }
        return entries.putIfAbsent(chosen, new Entry(owner, device)) == null ? chosen : -FiErrno.FI_EADDRINUSE;
    }

    private int free() {
        for (int i = FIRST_FREE; i <= ServiceRange.MAX; i++) {
            final int candidate = next;
            next = next == ServiceRange.MAX ? FIRST_FREE : next + 1;
            if (!entries.containsKey(candidate)) {
                return candidate;
            }
        }
        return 0;
    }

    boolean remove(final Object owner, final int service) {
        final Entry entry = entries.get(service);
        return entry != null && entry.owner() == owner && entries.remove(service) != null;
    }

    void removeAll(final Object owner) {
        entries.values().removeIf(entry -> entry.owner() == owner);
    }

    /** Null if there is none. */
    FabricAddress find(final int service) {
        final Entry entry = entries.get(service);
        return entry == null ? null : entry.device();
    }
}
