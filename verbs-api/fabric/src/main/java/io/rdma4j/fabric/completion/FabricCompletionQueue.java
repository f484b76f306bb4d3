/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Deadline;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.wait.WaitFd;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.CqFormat;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.ReturnCode;

import java.time.Duration;

import org.agrona.MutableDirectBuffer;

/**
 * A completion queue: one of the device, whose completions are noted with the operations that they belong to, and the
 * rings of these operations, from which the application takes what is over. It has room for all that its endpoints can
 * have under way, so it cannot overflow.
 */
public final class FabricCompletionQueue implements CompletionQueue {
    private static final String OPEN = "open completion queue";
    private static final String OPEN_ENDPOINT = "open endpoint";
    private static final String CLOSE = "close completion queue";
    /** Completions of the device that one read notes at most. */
    private static final int BATCH = 64;

    private final EndpointHost host;
    private final CompletionWaker waker;
    private final io.rdma4j.verbs.CompletionQueue cq;
    private final CompletionHandler dispatch;
    private final CompletionPorts ports = new CompletionPorts();
    private final ReadyRings ready = new ReadyRings();
    private final Reports reports = new Reports(ready);
    private final Report report = new Report(reports);
    private final Entry entry = new Entry();
    private final EntryWriter writer;
    private final WaitObject waitObject;
    private final Sleeper sleeper;
    private final Waits waits;
    /** Whether the domain knows of it. */
    private final boolean counted;
    /** Null until the first endpoint with lanes inwards. */
    private volatile RmaArrivals arrivals;
    private int reserved;
    /** Reading is for one thread; a second look is one out of a callback. */
    private boolean isReading;
    /** The reader's: whether another thread had the lanes inwards when it looked for arrivals. */
    private boolean missed;
    private volatile boolean closed;

    private FabricCompletionQueue(
        final EndpointHost host, final CompletionWaker waker, final io.rdma4j.verbs.CompletionQueue cq,
        final CqAttributes attributes, final boolean counted) {
        this.host = host;
        this.waker = waker;
        this.cq = cq;
        this.counted = counted;
        this.waitObject = attributes.waitObject();
        this.writer =
            new EntryWriter(attributes.format() == CqFormat.UNSPEC ? CqFormat.DATA : attributes.format());
        this.dispatch = ports::dispatch;
        this.sleeper = new Sleeper(waker, waitObject == WaitObject.FD ? WaitFd.open() : null);
        this.waits = new Waits(this, waitObject, sleeper);
        waker.watch(cq, this);
    }

    /**
     * Opens a queue.
     *
     * @param host       its domain.
     * @param attributes its size, and how it is read and waited for.
     * @return the queue; the caller owns it.
     * @throws FabricException FI_EINVAL, FI_ENOSYS, FI_ENOMEM, FI_EBADFD.
     */
    public static FabricCompletionQueue open(final EndpointHost host, final CqAttributes attributes) {
        CqRules.check(OPEN, attributes);
        final FabricCompletionQueue queue = create(host, attributes, true);
        try (Undo undo = new Undo()) {
            undo.addIfGood(queue.sleeper::close);
            undo.add(queue::end);
            host.opened(queue);
            undo.forget();
            return queue;
        }
    }

    /**
     * Opens a queue that is not the application's: for an endpoint that is made of others.
     *
     * @param host its domain, which does not hear of it.
     * @param size least number of entries, above 0.
     * @return the queue; the caller owns it.
     */
    public static FabricCompletionQueue internal(final EndpointHost host, final int size) {
        return create(host, new CqAttributes().size(size), false);
    }

    private static FabricCompletionQueue create(
        final EndpointHost host, final CqAttributes attributes, final boolean counted) {
        try (Undo undo = new Undo()) {
            final CompletionWaker waker = CompletionWaker.join(host.context());
            undo.addIfGood(waker::leave);
            final io.rdma4j.verbs.CompletionQueue cq =
                host.context().createCq(CqRules.entries(host, attributes.size()), waker.channel());
            undo.add(cq::close);
            final FabricCompletionQueue made = new FabricCompletionQueue(host, waker, cq, attributes, counted);
            undo.forget();
            return made;
        } catch (final RdmaException e) {
            throw FabricException.from(OPEN, e);
        }
    }

    /**
     * The queue that an endpoint was given, if it can use it.
     *
     * @param host  the endpoint's domain.
     * @param queue as the application gave it.
     * @param which of the endpoint's queues it shall be, for messages.
     * @return the queue.
     * @throws FabricException FI_ENOCQ for null, FI_EDOMAIN for one of another domain.
     */
    public static FabricCompletionQueue of(
        final EndpointHost host, final CompletionQueue queue, final String which) {
        if (queue == null) {
            throw Failures.of(OPEN_ENDPOINT, FiErrno.FI_ENOCQ, "there is no %s queue", which)
                .hint("set one with EndpointOptions.completionQueue").build();
        }
        if (!(queue instanceof FabricCompletionQueue) || queue.domain() != host.domain()) {
            throw Failures.of(OPEN_ENDPOINT, FiErrno.FI_EDOMAIN, "the %s queue, %s, is of another domain", which,
                queue).build();
        }
        return (FabricCompletionQueue) queue;
    }

    /**
     * On which verbs queues that belong to a port of this domain's queues are to be created, if they shall wake up who
     * waits, see {@link #watch}. One for each device, with one thread that is started by the first wait.
     *
     * @param host the domain.
     * @return the channel.
     */
    public static CompletionChannel channelOf(final EndpointHost host) {
        return CompletionWaker.of(host.context()).channel();
    }

    /**
     * Events of a verbs queue that belongs to a port wake up who waits for this queue, from now on. The port arms it,
     * see {@link CompletionPort#arm}.
     *
     * @param queue created on {@link #channelOf}; may be watched by several.
     */
    public void watch(final io.rdma4j.verbs.CompletionQueue queue) {
        waker.watch(queue, this);
    }

    /**
     * Ends that. Harmless if it was not so.
     *
     * @param queue that was watched.
     */
    public void unwatch(final io.rdma4j.verbs.CompletionQueue queue) {
        waker.unwatch(queue, this);
    }

    /**
     * What wakes up who waits for another queue wakes up who waits for this one, too: for an endpoint that reads an
     * {@linkplain #internal internal} one.
     *
     * @param other   whose events are told here, too.
     * @param entries room for arrivals there; 0 for none.
     */
    public void watch(final FabricCompletionQueue other, final int entries) {
        watch(other.cq);
        if (entries > 0) {
            watch(other.arrivals(entries).cq());
        }
    }

    /**
     * Ends that. Harmless if it was not so.
     *
     * @param other that was watched.
     */
    public void unwatch(final FabricCompletionQueue other) {
        unwatch(other.cq);
        final RmaArrivals inward = other.arrivals;
        if (inward != null) {
            unwatch(inward.cq());
        }
    }

    /**
     * Asks the device for events of this queue, and looks once more: for a port that reads an internal one.
     *
     * @return 0; -FI_EAGAIN if there is something to read, or to go on with, now.
     */
    public int arm() {
        if (closed || isReading) {
            return -FiErrno.FI_EAGAIN;
        }
        final RmaArrivals inward = arrivals;
        if (ports.arm() != 0 || cq.requestNotify(false) != ReturnCode.OK
            || inward != null && inward.arm() != ReturnCode.OK) {
            return -FiErrno.FI_EAGAIN;
        }
        // What came before the device was asked brings no event; who holds the lanes may be noting such.
        return gather() != ReturnCode.OK || missed || ready.hasNext() ? -FiErrno.FI_EAGAIN : 0;
    }

    /**
     * Notes what is there, for an endpoint that has something to do with it although another of its queues is read. For
     * the thread that uses the endpoint.
     */
    public void gatherBeside() {
        cq.poll(dispatch, BATCH);
    }

    /**
     * Asks the device for events of this queue, and looks once more: for an endpoint of which another queue is waited
     * for, which {@linkplain #watch(FabricCompletionQueue, int) watches} this one.
     *
     * @return 0; -FI_EAGAIN if something was noted now, perhaps in any of the endpoint's queues.
     */
    public int armBeside() {
        return cq.requestNotify(false) == ReturnCode.OK && cq.poll(dispatch, BATCH) == ReturnCode.OK ? 0
            : -FiErrno.FI_EAGAIN;
    }

    /**
     * How long this queue may be left unread: for a port that reads an internal one.
     *
     * @return nanoseconds; {@link Long#MAX_VALUE} for ever.
     */
    public long idleNanos() {
        return ports.idleNanos();
    }

    /** Wakes up who waits: there is something to read. From any thread. */
    public void wake() {
        sleeper.wake();
    }

    /**
     * Where queue pairs of ports complete, with {@link WorkId}.
     *
     * @return open as long as this queue is.
     */
    public io.rdma4j.verbs.CompletionQueue cq() {
        return cq;
    }

    ReadyRings ready() {
        return ready;
    }

    @Override
    public Domain domain() {
        return host.domain();
    }

    /**
     * Makes room for the queue pairs of an endpoint on {@link #cq()}, before they are made. Reports need none, see
     * {@link Room}.
     *
     * @param entries how many completions may be there at once.
     */
    public synchronized void reserve(final int entries) {
        requireOpen();
        // More than is needed: where all entries are spoken for each is given back to the device on its own.
        final int wanted = Math.min(2 * (reserved + entries), host.context().attributes().maxCqe());
        if (wanted > cq.capacity() && host.context().supports(Feature.CQ_RESIZE)) {
            cq.resize(wanted);
        }
        reserved += entries;
    }

    private void requireOpen() {
        if (closed) {
            throw Failures.of(OPEN_ENDPOINT, FiErrno.FI_EBADFD, "%s is closed", this).build();
        }
    }

    /**
     * Gives room back.
     *
     * @param entries as they were reserved.
     */
    public synchronized void giveBack(final int entries) {
        reserved -= entries;
    }

    /**
     * Makes an endpoint known: the queue cannot be closed any more.
     *
     * @param port the endpoint.
     * @return its number, for {@link WorkId}.
     */
    public synchronized int attach(final CompletionPort port) {
        requireOpen();
        return ports.attach(port);
    }

    /**
     * The endpoint is gone. Its completions that were not read stay. Harmless if it was not attached.
     *
     * @param port the endpoint.
     */
    public void detach(final CompletionPort port) {
        ports.detach(port);
    }

    /**
     * Where RMA of peers comes in, for endpoints that have lanes for it. Made by the first call.
     *
     * @param entries room that the first lane needs.
     * @return open as long as this queue is.
     */
    public synchronized RmaArrivals arrivals(final int entries) {
        requireOpen();
        if (arrivals == null) {
            arrivals = new RmaArrivals(host, 2 * entries);
            waker.watch(arrivals.cq(), this);
        }
        return arrivals;
    }

    /**
     * A completion that an endpoint makes up itself. For the thread that reads the queue.
     *
     * @return the queue's one, to be set and committed.
     */
    public Report report() {
        return report;
    }

    /**
     * A port has something to go on with: its {@link CompletionPort#progress} is called by each read until it returns
     * false. For the thread that reads the queue. Harmless when called again.
     *
     * @param port the endpoint.
     */
    public void wants(final CompletionPort port) {
        ports.want(port);
    }

    /**
     * As {@link #wants(CompletionPort)}, without a search.
     *
     * @param port the number that {@link #attach} gave.
     */
    public void wants(final int port) {
        ports.want(port);
    }

    /** Notes what the device completed: how much, or a code. */
    private int gather() {
        final RmaArrivals inward = arrivals;
        if (inward != null) {
            // First: its locked instructions wait for all stores before them, of which a completion makes many.
            missed = !inward.gather();
            inward.moveTo(ready);
        }
        return cq.poll(dispatch, BATCH);
    }

    /**
     * Notes all that is there now, before an endpoint goes; more may come meanwhile, of other endpoints. Waits for who
     * {@linkplain #reserve makes the queue larger}, as it looks empty until then.
     */
    public synchronized void gatherAll() {
        // Fewer than a batch are not the end: those of closed queue pairs are passed over, and do not count.
        int noted = 1;
        for (int left = cq.capacity(); left > 0 && noted > 0; left -= noted) {
            noted = cq.poll(dispatch, BATCH);
        }
    }

    /** Notes what is there, and goes on with what is to be done; 0 or more, or a negated errno. */
    private int progress() {
        final int code = gather();
        ports.progress(this);
        return code >= ReturnCode.OK ? 0 : code == ReturnCode.DEVICE_FAILED ? -FiErrno.FI_EIO : -FiErrno.FI_EBADFD;
    }

    /** Peers whose data were taken may go on at once. */
    private void finish() {
        isReading = false;
        final RmaArrivals inward = arrivals;
        if (inward != null) {
            inward.refill();
        }
    }

    @Override
    public int read(final CompletionReader reader, final int limit) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (limit < 0 || reader == null && limit > 0 || isReading) {
            return -FiErrno.FI_EINVAL;
        }
        isReading = true;
        try {
            final int code = progress();
            int taken = 0;
            while (taken < limit && ready.hasNext()) {
                ready.take(entry);
                taken++;
                reader.onCompletion(entry);
            }
            return taken > 0 ? taken : code;
        } finally {
            finish();
        }
    }

    @Override
    public int read(final MutableDirectBuffer entries, final int offset, final int count) {
        return read(entries, offset, count, null);
    }

    @Override
    public int readFrom(final MutableDirectBuffer entries, final int offset, final int count, final long[] sources) {
        if (sources == null || sources.length < count) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        return read(entries, offset, count, sources);
    }

    private int read(final MutableDirectBuffer entries, final int offset, final int count, final long[] sources) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (!writer.fits(entries, offset, count) || isReading) {
            return -FiErrno.FI_EINVAL;
        }
        isReading = true;
        try {
            final int code = progress();
            int taken = 0;
            while (taken < count && ready.hasNext() && !ready.isNextFailed()) {
                ready.take(entry);
                writer.write(entry, entries, offset, taken);
                if (sources != null) {
                    sources[taken] = entry.source();
                }
                taken++;
            }
            return taken > 0 ? taken : ready.hasNext() ? -FiErrno.FI_EAVAIL : code < 0 ? code : -FiErrno.FI_EAGAIN;
        } finally {
            finish();
        }
    }

    @Override
    public int readError(final CompletionReader reader) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (reader == null || isReading) {
            return -FiErrno.FI_EINVAL;
        }
        isReading = true;
        try {
            final int code = progress();
            if (!ready.hasNext() || !ready.isNextFailed()) {
                return code < 0 && !ready.hasNext() ? code : -FiErrno.FI_EAGAIN;
            }
            ready.take(entry);
            reader.onCompletion(entry);
            return 1;
        } finally {
            finish();
        }
    }

    @Override
    public int awaitRead(final CompletionReader reader, final int limit, final Duration timeout) {
        if (limit < 1 || timeout == null || reader == null) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        final long deadline = Deadline.after(timeout);
        int taken = closed || waitObject != WaitObject.NONE ? read(reader, limit) : -FiErrno.FI_ENOSYS;
        for (int turn = 0; taken == 0 && waits.goesOn(turn, deadline); turn++) {
            taken = read(reader, limit);
        }
        return taken == 0 ? -FiErrno.FI_EAGAIN : taken;
    }

    @Override
    public int awaitRead(
        final MutableDirectBuffer entries, final int offset, final int count, final Duration timeout) {
        if (timeout == null) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        final long deadline = Deadline.after(timeout);
        int taken = closed || waitObject != WaitObject.NONE ? read(entries, offset, count) : -FiErrno.FI_ENOSYS;
        for (int turn = 0; taken == -FiErrno.FI_EAGAIN && waits.goesOn(turn, deadline); turn++) {
            taken = read(entries, offset, count);
        }
        return taken;
    }

    @Override
    public void signal() {
        sleeper.signal();
    }

    @Override
    public int tryWait() {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (!sleeper.hasFd()) {
            return -FiErrno.FI_ENOSYS;
        }
        if (isReading) {
            return -FiErrno.FI_EINVAL;
        }
        return waits.prepareFd();
    }

    @Override
    public int fd() {
        return closed ? -1 : sleeper.fd();
    }

    @Override
    public CqFormat format() {
        return writer.format();
    }

    @Override
    public WaitObject waitObject() {
        return waitObject;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            final int users = ports.count();
            if (users > 0) {
                throw Failures.of(CLOSE, FiErrno.FI_EBUSY, "%d endpoints are bound to it", users)
                    .hint("close the endpoints first").build();
            }
            end();
            closed = true;
        }
        reports.drop();
        sleeper.close();
        if (counted) {
            host.closed(this);
        }
    }

    private void end() {
        try {
            if (arrivals != null) {
                arrivals.close();
            }
            cq.close();
            waker.forget(this);
            waker.gone(cq);
            waker.leave();
        } catch (final RdmaException e) {
            throw FabricException.from(CLOSE, e);
        }
    }

    @Override
    public String toString() {
        return "completion queue of " + ports.count() + " endpoints, " + cq + (closed ? ", closed" : "");
    }
}
