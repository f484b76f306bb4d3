/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A device, with its protection domains and regions, whose calls a test sees before they are done, or lets fail. */
final class HookedDevice implements InvocationHandler {
    private final Object target;
    private final Hook hook;

    /** What a test does with a call. */
    interface Hook {
        /** Of the device, a protection domain or a region; what it throws is what the call throws. */
        void before(String method, Object... arguments);
    }

    private HookedDevice(final Object target, final Hook hook) {
        this.target = target;
        this.hook = hook;
    }

    static RdmaContext of(final RdmaContext device, final Hook hook) {
        return hooked(RdmaContext.class, device, hook);
    }

    private static <T> T hooked(final Class<T> type, final Object target, final Hook hook) {
        return proxy(type, new HookedDevice(target, hook));
    }

    static <T> T proxy(final Class<T> type, final InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(HookedDevice.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    static Object call(final Object target, final Method method, final Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (final InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public Object invoke(final Object self, final Method method, final Object[] arguments) throws Throwable {
        final Object[] given = arguments == null ? new Object[0] : arguments;
        hook.before(method.getName(), given);
        if (given.length == 1 && given[0] instanceof MrOptions) {
            takeOff((MrOptions) given[0]);
        }
        final Object result = call(target, method, given);
        if (result instanceof ProtectionDomain && target instanceof RdmaContext) {
            return hooked(ProtectionDomain.class, result, hook);
        }
        return result instanceof MemoryRegion ? hooked(MemoryRegion.class, result, hook) : result;
    }

    /** The device takes protection domains of its own only. */
    private static void takeOff(final MrOptions options) {
        if (options.pd() != null && Proxy.isProxyClass(options.pd().getClass())) {
            options.pd((ProtectionDomain) ((HookedDevice) Proxy.getInvocationHandler(options.pd())).target);
        }
    }
}
