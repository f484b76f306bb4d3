/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.libc.PollSet;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The system calls that a driver makes again and again. Each subclass reaches them in another way; every fork runs one
 * of them, so that the JIT compiler sees no choice.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public abstract class NativeCallBenchmark {
    static final IoctlRequest FIONREAD = new IoctlRequest("FIONREAD", 0x541B, Integer.BYTES, false);
    static final int WORD = 8;
    static final long FOREVER = TimeUnit.SECONDS.toNanos(10);
    private static final int FILE_BYTES = 1000;
    private static final int ONE_OFFSET = 64;
    private static final int POLLFD_OFFSET = 128;
    private static final int TIMESPEC_OFFSET = 192;
    private static final long PAGE = Libc.pageSize();

    final EventFd event = EventFd.create();
    final PollSet ready = new PollSet(1);
    final UnsafeBuffer argument;
    final Fd file = Fd.of(Libc.memfdCreate("benchmark", 0), "benchmark");
    private final EventFd signalled = EventFd.create();
    private final MappedMemory scratch = MappedMemory.anonymous(PAGE);
    private final MappedMemory locked = MappedMemory.anonymous(PAGE);

    /** Opens what is called. */
    protected NativeCallBenchmark() {
        Libc.ftruncate(file.fd(), FILE_BYTES);
        signalled.signal();
        ready.add(signalled.fd(), LibcConstants.POLLIN);
        argument = new UnsafeBuffer(scratch.address(), WORD);
        final UnsafeBuffer memory = new UnsafeBuffer(scratch.address(), (int) PAGE);
        memory.putLong(ONE_OFFSET, 1);
        memory.putInt(POLLFD_OFFSET, signalled.fd());
        memory.putInt(POLLFD_OFFSET + Integer.BYTES, LibcConstants.POLLIN);
        memory.putLong(TIMESPEC_OFFSET, TimeUnit.NANOSECONDS.toSeconds(FOREVER));
    }

    abstract int geteuid() throws Throwable;

    abstract int ioctl(int fd, long request, long address) throws Throwable;

    abstract long read(int fd, long address, long length) throws Throwable;

    abstract long write(int fd, long address, long length) throws Throwable;

    abstract int ppoll(long fds, long count, long timeout, long signalMask) throws Throwable;

    abstract int mlock(long address, long length) throws Throwable;

    abstract int munlock(long address, long length) throws Throwable;

    abstract long pread(int fd, long address, long length, long position) throws Throwable;

    /**
     * Makes sure that what is about to be timed succeeds.
     *
     * @throws Throwable if a call cannot be made
     */
    @Setup
    public void callsSucceed() throws Throwable {
        final boolean good = nothing() == Libc.geteuid() && ioctl() == 0 && argument.getInt(0) == FILE_BYTES
            && eventfd() == WORD && argument.getLong(0) == 1 && poll() == 1 && lock() == 0
            && pread() == Integer.BYTES;
        if (!good) {
            throw new IllegalStateException(getClass().getSimpleName() + ": a call fails");
        }
    }

    /** Closes what was opened. */
    @TearDown
    public void close() {
        event.close();
        signalled.close();
        file.close();
        scratch.close();
        locked.close();
    }

    /**
     * geteuid, which does next to nothing: the cost of a call.
     *
     * @return the result
     * @throws Throwable if the call cannot be made
     */
    @Benchmark
    public int nothing() throws Throwable {
        return geteuid();
    }

    /**
     * ioctl with an argument in memory.
     *
     * @return the result
     * @throws Throwable if the call cannot be made
     */
    @Benchmark
    public int ioctl() throws Throwable {
        return ioctl(file.fd(), FIONREAD.number(), scratch.address());
    }

    /**
     * Signals an eventfd and takes its count.
     *
     * @return the bytes read
     * @throws Throwable if the call cannot be made
     */
    @Benchmark
    public long eventfd() throws Throwable {
        write(event.fd(), scratch.address() + ONE_OFFSET, WORD);
        return read(event.fd(), scratch.address(), WORD);
    }

    /**
     * ppoll of one eventfd that is ready.
     *
     * @return the result
     * @throws Throwable if the call cannot be made
     */
    @Benchmark
    public int poll() throws Throwable {
        return ppoll(scratch.address() + POLLFD_OFFSET, 1, scratch.address() + TIMESPEC_OFFSET, 0);
    }

    /**
     * Locks a page that is present, and unlocks it.
     *
     * @return the results, added
     * @throws Throwable if the call cannot be made
     */
    @Benchmark
    public int lock() throws Throwable {
        return mlock(locked.address(), PAGE) + munlock(locked.address(), PAGE);
    }

    /**
     * pread of four bytes, as of a configuration space.
     *
     * @return the result
     * @throws Throwable if the call cannot be made
     */
    @Benchmark
    public long pread() throws Throwable {
        return pread(file.fd(), scratch.address(), Integer.BYTES, 0);
    }
}
