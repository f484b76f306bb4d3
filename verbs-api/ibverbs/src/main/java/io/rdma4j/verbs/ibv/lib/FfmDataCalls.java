/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv.lib;

import io.rdma4j.RdmaException;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Calls by {@code java.lang.foreign}, which JDK 22 has and JDK 17, by which this is compiled, has not: what is needed
 * of it is looked up by name, once. The handles are constants to the JIT; the address of the function is an argument.
 */
final class FfmDataCalls implements DataCalls {
    private static final MethodHandle POST;
    private static final MethodHandle QUICK_POST;
    private static final MethodHandle POLL;
    private static final MethodHandle QUICK_POLL;
    private static final MethodHandle ARM;
    /** From an address to what the handles take for one. */
    private static final Method OF_ADDRESS;
    private static final ReflectiveOperationException WHY_NOT;

    static {
        MethodHandle post = null;
        MethodHandle quickPost = null;
        MethodHandle poll = null;
        MethodHandle quickPoll = null;
        MethodHandle arm = null;
        Method ofAddress = null;
        ReflectiveOperationException whyNot = null;
        if (Runtime.version().feature() >= 22) {
            try {
                final Foreign foreign = new Foreign();
                post = foreign.handle(false, long.class, long.class, long.class);
                quickPost = foreign.handle(true, long.class, long.class, long.class);
                poll = foreign.handle(false, long.class, int.class, long.class);
                quickPoll = foreign.handle(true, long.class, int.class, long.class);
                arm = foreign.handle(false, long.class, int.class);
                ofAddress = foreign.segment.getMethod("ofAddress", long.class);
            } catch (final ReflectiveOperationException e) {
                whyNot = e;
            }
        }
        POST = post;
        QUICK_POST = quickPost;
        POLL = poll;
        QUICK_POLL = quickPoll;
        ARM = arm;
        OF_ADDRESS = ofAddress;
        WHY_NOT = whyNot;
    }

    /** The thread stays where the collector waits for it, which a call leaves and enters again otherwise. */
    private final boolean quick;
    private final Object postSend;
    private final Object postRecv;
    private final Object postSrqRecv;
    private final Object pollCq;
    private final Object reqNotifyCq;

    FfmDataCalls(final CallTable table, final boolean quick) {
        if (!isAvailable()) {
            throw RdmaException.of("open device").object("-Drdma4j.ibv.calls=" + (quick ? "critical" : "ffm"))
                .detail("this JVM has no java.lang.foreign").errno(RdmaException.EOPNOTSUPP)
                .hint("leave it out, or run JDK 22 or later").cause(WHY_NOT).build();
        }
        this.quick = quick;
        postSend = function(table.postSend());
        postRecv = function(table.postRecv());
        postSrqRecv = function(table.postSrqRecv());
        pollCq = function(table.pollCq());
        reqNotifyCq = function(table.reqNotifyCq());
    }

    static boolean isAvailable() {
        return OF_ADDRESS != null;
    }

    private static Object function(final long address) {
        try {
            return OF_ADDRESS.invoke(null, address);
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int postSend(final long qp, final long wr, final long badWr) {
        return post(postSend, qp, wr, badWr);
    }

    @Override
    public int postRecv(final long qp, final long wr, final long badWr) {
        return post(postRecv, qp, wr, badWr);
    }

    @Override
    public int postSrqRecv(final long srq, final long wr, final long badWr) {
        return post(postSrqRecv, srq, wr, badWr);
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // A method handle declares it.
    private int post(final Object function, final long queue, final long wr, final long badWr) {
        try {
            return quick ? (int) QUICK_POST.invokeExact(function, queue, wr, badWr)
                : (int) POST.invokeExact(function, queue, wr, badWr);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    @SuppressWarnings("checkstyle:IllegalCatch") // A method handle declares it.
    public int pollCq(final long cq, final int count, final long wc) {
        try {
            return quick ? (int) QUICK_POLL.invokeExact(pollCq, cq, count, wc)
                : (int) POLL.invokeExact(pollCq, cq, count, wc);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    @SuppressWarnings("checkstyle:IllegalCatch") // A method handle declares it.
    public int reqNotifyCq(final long cq, final int solicitedOnly) {
        try {
            return (int) ARM.invokeExact(reqNotifyCq, cq, solicitedOnly);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    private static RuntimeException unexpected(final Throwable e) {
        if (e instanceof Error) {
            throw (Error) e;
        }
        return e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }

    @Override
    public String toString() {
        return quick ? "java.lang.foreign, critical" : "java.lang.foreign";
    }

    /** What is needed of the package, by name. */
    private static final class Foreign {
        private final Class<?> layout = Class.forName("java.lang.foreign.MemoryLayout");
        private final Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        private final Class<?> descriptor = Class.forName("java.lang.foreign.FunctionDescriptor");
        private final Class<?> linker = Class.forName("java.lang.foreign.Linker");
        private final Class<?> option = Class.forName("java.lang.foreign.Linker$Option");
        private final Class<?> values = Class.forName("java.lang.foreign.ValueLayout");
        private final Object nativeLinker = linker.getMethod("nativeLinker").invoke(null);
        private final Object harmless = harmless();

        Foreign() throws ReflectiveOperationException {
            // Fields have all that there is.
        }

        /** A call that returns an int; its first argument is the function. */
        MethodHandle handle(final boolean critical, final Class<?>... arguments) throws ReflectiveOperationException {
            final Object layouts = Array.newInstance(layout, arguments.length);
            for (int i = 0; i < arguments.length; i++) {
                Array.set(layouts, i, layoutOf(arguments[i]));
            }
            final Object function = descriptor.getMethod("of", layout, layouts.getClass())
                .invoke(null, layoutOf(int.class), layouts);
            final Object options = Array.newInstance(option, critical ? 1 : 0);
            if (critical) {
                Array.set(options, 0, option.getMethod("critical", boolean.class).invoke(null, false));
            }
            final MethodHandle handle = (MethodHandle) linker
                .getMethod("downcallHandle", descriptor, options.getClass())
                .invoke(nativeLinker, function, options);
            final MethodType type = MethodType.methodType(int.class, arguments).insertParameterTypes(0, Object.class);
            return called(MethodHandles.explicitCastArguments(handle, type), arguments);
        }

        /**
         * Calls it once, with a function that takes nothing and does nothing. Whatever is compiled before that asks at
         * each call whether the class behind the handle is initialized, for good, and allocates for it.
         */
        @SuppressWarnings("checkstyle:IllegalCatch") // A method handle declares it.
        private MethodHandle called(final MethodHandle handle, final Class<?>... arguments)
            throws ReflectiveOperationException {
            final List<Object> values = new ArrayList<>();
            values.add(harmless);
            for (final Class<?> argument : arguments) {
                values.add(argument == int.class ? (Object) 0 : (Object) 0L);
            }
            try {
                handle.invokeWithArguments(values);
            } catch (final Throwable e) {
                throw unexpected(e);
            }
            return handle;
        }

        private Object harmless() throws ReflectiveOperationException {
            final Object lookup = linker.getMethod("defaultLookup").invoke(nativeLinker);
            final Optional<?> found = (Optional<?>) Class.forName("java.lang.foreign.SymbolLookup")
                .getMethod("find", String.class).invoke(lookup, "getpid");
            return found.orElseThrow(() -> new NoSuchMethodException("getpid of the C library"));
        }

        private Object layoutOf(final Class<?> type) throws ReflectiveOperationException {
            return values.getField(type == int.class ? "JAVA_INT" : "JAVA_LONG").get(null);
        }
    }
}
