/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.time.Duration;

/**
 * Events of the control path (fi_eq). Thread-safe. Reading it makes progress of what is connected through it.
 *
 * <p>It has no bound, and so no FI_EOVERRUN: it grows as needed. Each registration, insertion and connection that was
 * accepted is owed its one event, and whoever waits for a lost one would wait for ever. What can be in it is bounded
 * by what the application asked for or {@linkplain #write wrote}, and did not read: peers ask for connections by
 * datagrams, which wait in the device's receive queue, or are dropped there, until the queue is read. One that nobody
 * reads is the application's to avoid. An event for which the JVM has no memory is lost, those before it are not: an
 * insertion tells no further errors then, and even its {@link FabricEvent#AV_COMPLETE} may be missing; its array of
 * names is right all the same.
 */
public interface EventQueue extends AutoCloseable {
    /**
     * Takes events, errors too, in order. With several threads that read, each event goes to one of them.
     *
     * @param reader told of each; an event at which it throws was taken all the same.
     * @param limit  at most so many, above 0.
     * @return how many were taken, 0 or more.
     * @throws FabricException FI_EINVAL for null or a limit below 1, FI_EBADFD if closed.
     */
    int read(EventReader reader, int limit);

    /**
     * As {@link #read}, waiting for the first one.
     *
     * @param reader  told of each.
     * @param limit   at most so many, above 0.
     * @param timeout longest wait.
     * @return how many were taken; 0 if none came in time, {@link #signal()} was called, the thread was interrupted or
     *         the queue was closed meanwhile.
     * @throws FabricException as {@link #read}; FI_ENOSYS for a queue with {@link WaitObject#NONE}.
     */
    int awaitRead(EventReader reader, int limit, Duration timeout);

    /**
     * Looks at the next event without taking it (FI_PEEK).
     *
     * @param reader told of it.
     * @return 1, or 0 if there is none.
     * @throws FabricException FI_EINVAL for null, FI_EBADFD if closed.
     */
    int peek(EventReader reader);

    /**
     * Takes the next event if it is a failure (fi_eq_readerr).
     *
     * @param reader told of it.
     * @return 1, or 0 if the next one is none.
     * @throws FabricException FI_EINVAL for null, FI_EBADFD if closed.
     */
    int readError(EventReader reader);

    /**
     * Writes an event of the application's own (fi_eq_write).
     *
     * @param event   its kind.
     * @param fid     what it is about; may be null.
     * @param context comes with it; may be null.
     * @param data    comes with it.
     * @throws FabricException FI_EINVAL for null, FI_EACCES if the queue is not {@link EqAttributes#writable},
     *                         FI_EBADFD.
     */
    void write(FabricEvent event, Object fid, Object context, long data);

    /**
     * Ends one wait: one under way, else the next. From any thread.
     */
    void signal();

    /**
     * Whether it is safe to wait for {@link #fd()} (fi_trywait). To be called before each wait.
     *
     * @return 0; -FI_EAGAIN if there is something to read or to go on with, or the queue was signalled: read first;
     *         -FI_ENOSYS without a descriptor.
     * @throws FabricException FI_EBADFD if closed.
     */
    int tryWait();

    /**
     * Readable as long as there is something to read or to go on with, or the queue was signalled (FI_WAIT_FD). The
     * queue's: not to be read or closed. Each event is an edge too: who has the kernel report edges only reads until
     * nothing is left, and calls {@link #tryWait()}, before waiting again.
     *
     * @return a file descriptor; -1 for queues without, and for closed ones.
     */
    int fd();

    /**
     * How threads wait for it.
     *
     * @return as it was opened with.
     */
    WaitObject waitObject();

    /**
     * Events that wait to be read.
     *
     * @return 0 or more.
     */
    int size();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it; events that nobody read are dropped. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while domains, endpoints or address vectors are bound to it that are open.
     */
    @Override
    void close();
}
