/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Protection domains without a device. */
final class NoDomain {
    /** One that must not be used. */
    static final ProtectionDomain PD = proxy(ProtectionDomain.class, (proxy, method, arguments) -> {
        if (method.getName().equals("toString")) {
            return "no domain";
        }
        throw new AssertionError(method + " was called");
    });

    private NoDomain() {
    }

    /** One whose regions are only open or closed. */
    static ProtectionDomain ofStandIns() {
        return proxy(ProtectionDomain.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "context" -> null;
            case "register" -> region();
            case "toString" -> "stand-ins";
            default -> throw new AssertionError(method + " was called");
        });
    }

    /** One that has no room for large regions, and says how much was registered. */
    static ProtectionDomain ofSmall(final long largest, final List<Long> registered) {
        return proxy(ProtectionDomain.class, (proxy, method, arguments) -> {
            if (method.getName().equals("register")) {
                final long length = (Long) arguments[1];
                if (length > largest && ((AccessFlag[]) arguments[3]).length > 0) {
                    throw RdmaException.of("register memory").detail("%d bytes", length).errno(RdmaException.ENOMEM)
                        .build();
                }
                registered.add(length);
                return region();
            }
            return method.getName().equals("toString") ? "small" : null;
        });
    }

    private static MemoryRegion region() {
        final AtomicBoolean closed = new AtomicBoolean();
        return proxy(MemoryRegion.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "lkey" -> 1;
            case "address", "iova" -> 0L;
            case "isClosed" -> closed.get();
            case "close" -> {
                closed.set(true);
                yield null;
            }
            default -> throw new AssertionError(method + " was called");
        });
    }

    private static <T> T proxy(final Class<T> type, final InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(NoDomain.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
