/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A way into the process-wide watch of the address space. All that are open share one userfaultfd and two daemon
 * threads; the last one that is closed ends them. Thread-safe.
 *
 * <p>The order in which it has to be used, so that nothing stale is ever found:
 * <ol>
 * <li>to remember something about a range: {@link #watch} first, then look at the memory (pin it, register it),
 * publish what was found, and then ask {@link MappingGuard#intact()}; if it is not, take it back;
 * <li>to look something up: {@link #quiet()} first, and only if it says true look into what is remembered. If it says
 * false, {@link #awaitQuiet} or treat it as a miss.
 * </ol>
 * Then a lookup that begins after munmap, mremap, mmap with MAP_FIXED or madvise returned to its caller does not find
 * what was true before. The kernel holds the caller back until the change was read from the userfaultfd, and before it
 * is read {@link #quiet()} is false, until everybody was told. (A lookup with an address that another thread is
 * <em>just about</em> to unmap, and that the kernel gave to somebody else before that call returned, is found out only
 * by {@link #changing()}.)
 *
 * <p>What is noticed: munmap, mremap (also with MREMAP_DONTUNMAP), mmap over it, brk, and madvise with MADV_DONTNEED,
 * MADV_FREE and MADV_REMOVE. What is not, because Linux does not tell: a hole punched into the file or the file cut
 * off (fallocate, ftruncate), remap_file_pages, MADV_GUARD_INSTALL. System V shared memory could be detached unnoticed,
 * so that it is not watched at all.
 *
 * <p>What it costs others: a thread that changes watched memory waits in the kernel until our reader has run once, tens
 * of microseconds, and during a pause of the JVM until the pause is over. Watching part of a mapping splits it; mremap
 * of the whole then fails with EFAULT, and vm.max_map_count may have to be raised. Huge pages are not formed there.
 *
 * <p>Memory that the JVM's malloc manages must not be watched, and what may be its is refused: a thread that frees
 * it inside of the JVM would wait in the kernel for our thread, while our thread waits at a safepoint for it. Direct
 * buffers and arenas have an owner whose end can be seen in Java; for them use that.
 */
public final class MappingWatch implements AutoCloseable {
    private static final MappingEngines SHARED = new MappingEngines(() -> UserfaultFd.open(UserfaultSource.ofLinux()),
        System::nanoTime);

    private final MappingEngines engines;
    private final MappingEngine engine;
    private final Set<MappingGuard> guards = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private MappingWatch(final MappingEngines engines) {
        this.engines = engines;
        this.engine = engines.acquire();
    }

    /**
     * Opens the watch. Where it cannot be had, this does not fail: {@link #available()} says false, and every
     * {@link #watch} answers with a guard that guards nothing.
     *
     * @return to be closed
     */
    public static MappingWatch open() {
        return open(SHARED);
    }

    static MappingWatch open(final MappingEngines engines) {
        return new MappingWatch(engines);
    }

    /**
     * Whether changes can be noticed here at all.
     *
     * @return false if not, and also after the watch was lost
     */
    public boolean available() {
        return engine.whyNot() == null;
    }

    /**
     * Why nothing can be watched, and what to do about it.
     *
     * @return a sentence; null if it can
     */
    public String whyNot() {
        return engine.whyNot();
    }

    /**
     * Begins to watch a range. Several may watch the same memory, or parts of it.
     *
     * @param address  of its first byte
     * @param length   bytes; whole pages are watched, so that changes beside it may be reported, too
     * @param listener is told of the first change
     * @return what guards it. If the range cannot be watched, {@link MappingGuard#intact()} is false from the beginning
     *     and {@link MappingGuard#whyNot()} says why; remember nothing then
     * @throws RdmaException EINVAL if that is no range of memory or there is no listener; EBADFD after close
     */
    public MappingGuard watch(final long address, final long length, final MappingListener listener) {
        return watch(null, address, length, listener);
    }

    /**
     * Begins to watch a range that may have an owner in Java.
     *
     * @param owner    the ByteBuffer, Arena or other object that frees this memory through the JVM; such memory is
     *                 not watched, its owner is to be watched instead. Null for memory that was mapped otherwise
     * @param address  of its first byte
     * @param length   bytes
     * @param listener is told of the first change
     * @return as {@link #watch(long, long, MappingListener)}
     * @throws RdmaException EINVAL if that is no range of memory or there is no listener; EBADFD after close
     */
    public MappingGuard watch(final Object owner, final long address, final long length,
            final MappingListener listener) {
        if (address <= 0 || length <= 0 || length > Long.MAX_VALUE - address) {
            throw RdmaException.of("watch memory").detail("address %#x, length %d is no range of memory", address,
                length).errno(RdmaException.EINVAL).build();
        }
        if (listener == null) {
            throw RdmaException.of("watch memory").detail("no listener for %d bytes at %#x", length, address)
                .errno(RdmaException.EINVAL).build();
        }
        requireOpen();
        final MappingGuard guard = new MappingGuard(engine, guards, address, length, listener);
        if (owner != null) {
            return guard.refuse("the memory belongs to a " + owner.getClass().getName()
                + " and is freed through the JVM: watch the owner instead");
        }
        guards.add(guard);
        engine.watch(guard);
        if (closed) {
            guard.close();
            requireOpen();
        }
        return guard;
    }

    private void requireOpen() {
        if (closed) {
            throw RdmaException.of("watch memory").detail("the watch is closed").errno(RdmaException.EBADFD).build();
        }
    }

    /**
     * Whether everybody was told of every change that this process could know of. The fast check: one volatile read,
     * which is acquired from the delivery of the last change.
     *
     * @return false while a change is read and delivered
     */
    public boolean quiet() {
        return engine.quiet();
    }

    /**
     * Waits until it is quiet.
     *
     * @param nanos how long at most; 0 only looks
     * @return whether it is
     */
    public boolean awaitQuiet(final long nanos) {
        return engine.awaitQuiet(nanos);
    }

    /**
     * Asks the kernel whether a watched mapping is being changed at this moment by a call that has not returned: the
     * one thing that {@link #quiet()} cannot know. To be asked before it, for an address that may have been handed out
     * anew while the thread that unmapped it is still in munmap. A system call.
     *
     * @return whether there is one
     */
    public boolean changing() {
        return engine.changing();
    }

    /**
     * Waits until no call is changing what is watched, and it is quiet. What is watched from then on is not taken for
     * memory that was at the same address before, and whose munmap has not returned. Each look is a system call.
     *
     * @param nanos how long at most; 0 only looks
     * @return whether it is so; where others change memory all the time, there may be no such moment
     */
    public boolean awaitSettled(final long nanos) {
        return engine.awaitSettled(nanos);
    }

    /**
     * How many changes the kernel has told of.
     *
     * @return events since the userfaultfd was opened, of all users
     */
    public long changes() {
        return engine.changes();
    }

    /**
     * How many guards of this watch are intact.
     *
     * @return the number
     */
    public int guarded() {
        return guards.size();
    }

    /** Ends all guards that came from here. Nothing happens the second time. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            guards.forEach(MappingGuard::close);
            engines.release(engine);
        }
    }

    @Override
    public String toString() {
        return "mapping watch" + (closed ? ", closed" : ", " + guards.size() + " guards") + ": " + engine;
    }
}
