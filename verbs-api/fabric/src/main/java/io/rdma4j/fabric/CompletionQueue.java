/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.time.Duration;
import org.agrona.MutableDirectBuffer;

/**
 * Where operations of endpoints complete (fi_cq). Reading it makes progress of its endpoints: keys are looked up,
 * broken RMA lanes are mended. One thread at a time reads.
 *
 * <p>It cannot overrun: it grows with the endpoints that are opened on it, where the device can do that; else opening
 * one is refused when there is no room for all that it may have under way. It says -FI_EIO once the device failed.
 *
 * <p>Whoever reads it closes connections of {@linkplain AddressedEndpoint reliable datagrams} that have ended, or were
 * given up before they were there. Should the device refuse that, a read throws a {@link io.rdma4j.RdmaException}, once
 * for each; of several that were given up, the first with the others suppressed. No completion is lost, and the next
 * read goes on.
 */
public interface CompletionQueue extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that it was opened from.
     */
    Domain domain();

    /**
     * Takes completions, those of failed operations too, in order. Does not allocate, but for an endpoint's table of
     * the peer's keys, which doubles a few times up to 4096 places.
     *
     * @param reader told of each.
     * @param limit  at most so many; 0 makes progress only.
     * @return how many were taken, 0 or more; or a negated errno: -FI_EBADFD, -FI_EINVAL, -FI_EIO.
     */
    int read(CompletionReader reader, int limit);

    /**
     * As {@link #read}, waiting for the first one.
     *
     * @param reader  told of each.
     * @param limit   at most so many, above 0.
     * @param timeout longest wait.
     * @return how many were taken; -FI_EAGAIN if none came in time or {@link #signal()} was called; -FI_ENOSYS for a
     *         queue with {@link WaitObject#NONE}; or a negated errno.
     */
    int awaitRead(CompletionReader reader, int limit, Duration timeout);

    /**
     * Takes completions of operations that went well into memory, in the {@linkplain #format() format} of this queue
     * (fi_cq_read). Does not allocate. Entries of failures are in their place between the others: they are taken by
     * {@link #readError} only.
     *
     * @param entries where to write; not over a buffer that is for reading only.
     * @param offset  first byte.
     * @param count   at most so many, above 0.
     * @return how many were taken; -FI_EAGAIN for none; -FI_EAVAIL if the next one is a failure; or a negated errno:
     *         -FI_EINVAL also for a range outside of the buffer.
     */
    int read(MutableDirectBuffer entries, int offset, int count);

    /**
     * As above, with who sent what was received (fi_cq_readfrom).
     *
     * @param entries where to write; not over a buffer that is for reading only.
     * @param offset  first byte.
     * @param count   at most so many, above 0.
     * @param sources gets {@link CompletionEntry#source()} of each; as long as count or longer.
     * @return as above.
     */
    int readFrom(MutableDirectBuffer entries, int offset, int count, long[] sources);

    /**
     * Takes the next completion if it is a failure (fi_cq_readerr).
     *
     * @param reader told of it.
     * @return 1; -FI_EAGAIN if the next one is none, or a negated errno.
     */
    int readError(CompletionReader reader);

    /**
     * As {@link #read(MutableDirectBuffer, int, int)}, waiting for the first one (fi_cq_sread).
     *
     * @param entries where to write; not over a buffer that is for reading only.
     * @param offset  first byte.
     * @param count   at most so many, above 0.
     * @param timeout longest wait.
     * @return as above; -FI_EAGAIN if none came in time or {@link #signal()} was called; -FI_ENOSYS for a queue with
     *         {@link WaitObject#NONE}.
     */
    int awaitRead(MutableDirectBuffer entries, int offset, int count, Duration timeout);

    /**
     * Ends one wait: one under way, else the next (fi_cq_signal). From any thread.
     */
    void signal();

    /**
     * Whether it is safe to wait for {@link #fd()} (fi_trywait): asks the device to tell of the next completion. To be
     * called before each wait, by the thread that reads.
     *
     * @return 0; -FI_EAGAIN if there is something to read, or to go on with soon: read first; -FI_ENOSYS without a
     *         descriptor.
     */
    int tryWait();

    /**
     * Becomes readable when there is something to read (FI_WAIT_FD, fi_control FI_GETWAIT), and now and then without:
     * an event of the device that was asked for earlier, or something to go on with. The queue's: not to be read or
     * closed.
     *
     * @return a file descriptor; -1 for queues without.
     */
    int fd();

    /**
     * What is written for each completion.
     *
     * @return not UNSPEC.
     */
    CqFormat format();

    /**
     * How threads wait for it.
     *
     * @return as it was opened with.
     */
    WaitObject waitObject();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while endpoints are bound to it.
     */
    @Override
    void close();
}
