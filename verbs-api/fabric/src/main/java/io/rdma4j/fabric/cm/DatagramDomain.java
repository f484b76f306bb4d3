/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The protection domain of datagrams. QEMU's device keeps the first address handle for a destination GID for ever, with
 * the domain that it was made in, and no other domain can then send there (docs/devices.md, "ah-cached-by-gid"). So on
 * such a device all datagram queue pairs of a context are in one domain, which lives as long as the context. Memory
 * that they use has to be registered there. Thread-safe.
 */
public final class DatagramDomain {
    private static final String QUIRK = "ah-cached-by-gid";
    private static final Map<RdmaContext, WeakReference<ProtectionDomain>> DOMAINS = new WeakHashMap<>();

    private DatagramDomain() {
    }

    /**
     * Whether datagrams need a domain of their own.
     *
     * @param context the device.
     * @return true if so.
     */
    public static boolean isNeeded(final RdmaContext context) {
        return context.peculiarities().stream().anyMatch(peculiarity -> QUIRK.equals(peculiarity.name()));
    }

    /**
     * The domain for datagram queue pairs.
     *
     * @param context the device.
     * @param own     what is used where the device does not mind.
     * @return one that is closed with the context, or the own one.
     */
    public static ProtectionDomain of(final RdmaContext context, final ProtectionDomain own) {
        return isNeeded(context) ? of(context) : own;
    }

    /**
     * The one domain of a context, made when it is first asked for.
     *
     * @param context the device.
     * @return closed with the context, by nobody else.
     */
    public static ProtectionDomain of(final RdmaContext context) {
        synchronized (DOMAINS) {
            final WeakReference<ProtectionDomain> known = DOMAINS.get(context);
            // A context holds on to its domains until they are closed.
            final ProtectionDomain pd = known == null ? null : known.get();
            if (pd != null && !pd.isClosed()) {
                return pd;
            }
            final ProtectionDomain made = context.allocatePd();
            DOMAINS.put(context, new WeakReference<>(made));
            return made;
        }
    }
}
