/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The system calls of this process, one of which fails: for all who call through {@link Libc} and its neighbours, but
 * {@link FaultableMemory}, as long as this is open. The calls of the thread that opened it are told from those of all
 * others together. They are numbered for each function, from 1: whoever waits or looks around makes some calls more or
 * fewer each time, and few of another kind.
 *
 * <p>A call that fails is not made; but {@code close} is, as with Linux the descriptor is gone then. What
 * {@code munmap} and {@code munlock} were kept from doing is done by {@link #close()}: nobody else can.
 */
public final class SystemFaults implements AutoCloseable {
    private static final String NONE = "none";
    private static final String ANY = null;
    private static final int SIGKILL = 9;
    private static final int KILL = -1;

    private final Thread own = Thread.currentThread();
    private final Queue<String> ownCalls = new ConcurrentLinkedQueue<>();
    private final Queue<String> otherCalls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger met = new AtomicInteger();
    private final Queue<LongSupplier> owed = new ConcurrentLinkedQueue<>();
    private final boolean others;
    private final String function;
    private final int number;
    private final int errno;
    private final Calls before;
    private volatile boolean failed;
    private volatile StackTraceElement[] where = {};

    private SystemFaults(final boolean others, final String function, final int number, final int errno) {
        this.others = others;
        this.function = function;
        this.number = number;
        this.errno = errno;
        before = Calls.replace(new WatchedCalls(this::around));
    }

    /** Only looks. */
    public static SystemFaults counting() {
        return new SystemFaults(false, NONE, 1, 0);
    }

    /**
     * One call fails.
     *
     * @param others   whether it is one of another thread
     * @param function as {@link #calls} has it
     * @param number   which of its calls, from 1
     * @param errno    with which it fails
     * @return to be closed, by the thread whose calls are told from those of others
     */
    public static SystemFaults failing(
        final boolean others, final String function, final int number, final int errno) {
        return new SystemFaults(others, function, number, errno);
    }

    /**
     * The process is killed ({@code SIGKILL}) before it makes a call.
     *
     * @param others whether it is one of another thread
     * @param number which of all calls, from 1
     * @return to be closed, if it was never made
     */
    public static SystemFaults killing(final boolean others, final int number) {
        return new SystemFaults(others, ANY, number, KILL);
    }

    /**
     * How a call can fail.
     *
     * @param call as {@link #calls} has it
     * @return errnos; none for a call that cannot
     */
    public static List<Integer> errnos(final String call) {
        return CallErrnos.of(call);
    }

    /**
     * What was called until now.
     *
     * @param ofOthers whether by other threads
     * @return functions of the C library, in order, with their command where there are several in one
     */
    public List<String> calls(final boolean ofOthers) {
        return new ArrayList<>(ofOthers ? otherCalls : ownCalls);
    }

    /** Whether the call was made, and has failed. */
    public boolean hasFailed() {
        return failed;
    }

    /** From where it was made. */
    public List<StackTraceElement> where() {
        return List.of(where);
    }

    /** What the failing call was kept from giving back. */
    public int owed() {
        return owed.size();
    }

    private long around(final String name, final LongSupplier call) {
        final boolean isOwn = Thread.currentThread() == own;
        (isOwn ? ownCalls : otherCalls).add(name);
        final boolean isMeant = isOwn != others && (function == ANY || function.equals(name))
            && met.incrementAndGet() == number;
        return isMeant ? fail(name, call) : call.getAsLong();
    }

    private long fail(final String name, final LongSupplier call) {
        if (errno == KILL) {
            killThisProcess();
        }
        where = Thread.currentThread().getStackTrace();
        failed = true;
        if (name.startsWith("close")) {
            call.getAsLong();
        } else if ("munmap".equals(name) || "munlock".equals(name)) {
            owed.add(call);
        }
        Native.setLastError(errno);
        return -1;
    }

    private static void killThisProcess() {
        NativeLibrary.getProcess().getFunction("kill")
            .invokeInt(new Object[] {(int) ProcessHandle.current().pid(), SIGKILL});
    }

    /** All is as before. */
    @Override
    public void close() {
        Calls.replace(before);
        owed.forEach(LongSupplier::getAsLong);
    }
}
