/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv.lib;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.SymbolProvider;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.Map;

/**
 * Calls by JNA's direct mapping. JNA binds the native methods of a class to addresses, once and for all objects of it;
 * so each table has a copy of this class.
 */
final class JnaDataCalls implements DataCalls {
    /** A copy for each table. Never more than there are makes of devices. */
    private static final Map<CallTable, DataCalls> BOUND = new HashMap<>();

    // Not private: the copies are other classes.
    JnaDataCalls() {
        // The class has its functions, an object nothing.
    }

    static DataCalls of(final CallTable table) {
        synchronized (BOUND) {
            return BOUND.computeIfAbsent(table, JnaDataCalls::bind);
        }
    }

    private static DataCalls bind(final CallTable table) {
        try (InputStream bytes = JnaDataCalls.class.getResourceAsStream("JnaDataCalls.class")) {
            final Class<?> copy =
                MethodHandles.lookup().defineHiddenClass(bytes.readAllBytes(), false).lookupClass();
            Native.register(copy, NativeLibrary.getInstance(VerbsLibrary.NAME,
                Map.of(Library.OPTION_SYMBOL_PROVIDER, new Table(table), Library.OPTION_CLASSLOADER,
                    JnaDataCalls.class.getClassLoader())));
            return (DataCalls) copy.getDeclaredConstructor().newInstance();
        } catch (final IOException | ReflectiveOperationException e) {
            throw new IllegalStateException("cannot bind the calls of " + table, e);
        }
    }

    @SuppressWarnings("checkstyle:MethodName") // The C member of this name.
    private static native int post_send(long qp, long wr, long badWr);

    @SuppressWarnings("checkstyle:MethodName") // The C member of this name.
    private static native int post_recv(long qp, long wr, long badWr);

    @SuppressWarnings("checkstyle:MethodName") // The C member of this name.
    private static native int post_srq_recv(long srq, long wr, long badWr);

    @SuppressWarnings("checkstyle:MethodName") // The C member of this name.
    private static native int poll_cq(long cq, int count, long wc);

    @SuppressWarnings("checkstyle:MethodName") // The C member of this name.
    private static native int req_notify_cq(long cq, int solicitedOnly);

    @Override
    public int postSend(final long qp, final long wr, final long badWr) {
        return post_send(qp, wr, badWr);
    }

    @Override
    public int postRecv(final long qp, final long wr, final long badWr) {
        return post_recv(qp, wr, badWr);
    }

    @Override
    public int postSrqRecv(final long srq, final long wr, final long badWr) {
        return post_srq_recv(srq, wr, badWr);
    }

    @Override
    public int pollCq(final long cq, final int count, final long wc) {
        return poll_cq(cq, count, wc);
    }

    @Override
    public int reqNotifyCq(final long cq, final int solicitedOnly) {
        return req_notify_cq(cq, solicitedOnly);
    }

    @Override
    public String toString() {
        return "JNA";
    }

    /** Where the functions are; its text, by which JNA tells libraries apart, has the addresses. */
    private record Table(CallTable calls) implements SymbolProvider {
        @Override
        public long getSymbolAddress(final long handle, final String name, final SymbolProvider parent) {
            switch (name) {
                case "post_send":
                    return calls.postSend();
                case "post_recv":
                    return calls.postRecv();
                case "post_srq_recv":
                    return calls.postSrqRecv();
                case "poll_cq":
                    return calls.pollCq();
                case "req_notify_cq":
                    return calls.reqNotifyCq();
                default:
                    return parent.getSymbolAddress(handle, name, null);
            }
        }
    }
}
