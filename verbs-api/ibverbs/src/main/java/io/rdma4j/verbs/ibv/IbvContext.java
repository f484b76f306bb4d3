/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Deadline;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveDevice;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventListener;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.Peculiarity;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.ibv.lib.CallTable;
import io.rdma4j.verbs.ibv.lib.DataCalls;
import io.rdma4j.verbs.ibv.lib.VerbsLibrary;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.EventSubscription;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** An open device. */
final class IbvContext implements RdmaContext {
    static final String CLOSE = "close device";
    private static final String CREATE_CQ = IbvCq.CREATE;
    private static final int PAGE = 4096;
    /** What one direct buffer holds, in whole pages, and a page to align it. */
    private static final int MAX_ALLOCATION = (Integer.MAX_VALUE & -PAGE) - PAGE;
    /** The device, and threads that did not come out of the library, may use their memory: it must not be collected. */
    private static final Set<IbvContext> OPEN = ConcurrentHashMap.newKeySet();

    final VerbsLibrary library;
    final long pointer;
    final DataCalls calls;
    final RegionCalls regions;
    final Traits traits;
    final GidTable gids;
    final AsyncEvents events;
    final LiveDevice live;
    final Owners<IbvQp> qps = new Owners<>();
    final Owners<IbvSrq> srqs = new Owners<>();
    final QpNumbers qpNumbers = new QpNumbers();
    final AtomicLong reachable = new AtomicLong();
    private final String address;
    private final String driver;
    private final IbvAttributes attributes;
    private final Children<IbvPd> openPds = new Children<>();
    private final Children<IbvCq> openCqs = new Children<>();
    private final Children<IbvChannel> openChannels = new Children<>();
    private final Children<IbvMemory> openMemories = new Children<>();
    private final AtomicReference<String> failure = new AtomicReference<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Turn closing = new Turn(this, this);
    /** Held for reading while the library answers a question about the device, for writing when it is closed. */
    private final ReadWriteLock questions = new ReentrantReadWriteLock();
    private final AtomicInteger timeouts = new AtomicInteger();
    /** How long others are waited for who are in the library. */
    volatile long patienceNanos = LibraryWait.PATIENCE_NANOS;
    private volatile boolean closed;
    /** Whether all was given back, or is just now. */
    private volatile boolean gone;

    /**
     * Takes over an open device.
     *
     * @param address what the application called it.
     * @param library what opened it.
     * @param opened  its {@code ibv_context}; closed with this.
     * @param driver  what drives it.
     * @param gid     the GID to have at index 0; null for the best one.
     */
    IbvContext(final String address, final VerbsLibrary library, final long opened, final String driver,
        final Gid gid) {
        this.address = address;
        this.library = library;
        this.pointer = opened;
        this.driver = driver;
        this.calls = DataCalls.of(new CallTable(member(Abi.Context.OPS_POST_SEND), member(Abi.Context.OPS_POST_RECV),
            member(Abi.Context.OPS_POST_SRQ_RECV), member(Abi.Context.OPS_POLL_CQ),
            member(Abi.Context.OPS_REQ_NOTIFY_CQ)), Traits.isQuick(driver));
        this.regions = new RegionCalls(this);
        this.attributes = readAttributes();
        this.traits = new Traits(attributes, driver, regions, ContextCheck.hasWindows(pointer));
        this.gids = new GidTable(this, GidTypes.of(this), gid);
        this.events = new AsyncEvents(this, UnsafeApi.getInt(pointer + Abi.Context.ASYNC_FD));
        this.live = LiveDevice.open(address);
        live.describe(attributes.name() + ", driver " + driver + ", calls by " + calls);
    }

    /** From now on it has to be closed; which it is if this fails. */
    void start() {
        OPEN.add(this);
        try (Undo undo = new Undo()) {
            undo.add(this::close);
            events.start();
            undo.forget();
        }
    }

    long member(final int offset) {
        return UnsafeApi.getLong(pointer + offset);
    }

    private IbvAttributes readAttributes() {
        final UnsafeBuffer port = Struct.allocate(Abi.PortAttr.LENGTH);
        require(PortQuery.ask(this, 1, port), "query port", "ibv_query_port");
        return new IbvAttributes(DeviceQuery.ask(this), port, member(Abi.Context.DEVICE), driver,
            UnsafeApi.getInt(pointer + Abi.Context.NUM_COMP_VECTORS));
    }

    /** Throws what an errno says. */
    void require(final int errno, final String operation, final String function) {
        if (errno != 0) {
            throw refused(errno < 0 ? library.errno() : errno, operation, function);
        }
    }

    /** The answer to a call that destroys something: of a device that is gone, whatever it says is no matter. */
    void destroyed(final int answer, final String operation, final String function) {
        if (!isFailed()) {
            require(answer, operation, function);
        }
    }

    /** Throws if there is no object. */
    long requireObject(final long object, final String operation, final String function) {
        if (object == 0) {
            throw refused(library.errno(), operation, function);
        }
        return object;
    }

    /** The same of objects of which there are only so many. */
    long requireObject(
        final long object, final String operation, final String function, final String limit, final int most) {
        if (object == 0 && library.errno() == RdmaException.ENOMEM) {
            throw RdmaException.of(operation).device(address()).detail("%s refused", function)
                .errno(RdmaException.ENOMEM).hint("%s is %d: the device has no more of them, or too little memory may "
                    + "be locked: see ulimit -l", limit, most).build();
        }
        return requireObject(object, operation, function);
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    int maxSgeRead() {
        return attributes.maxSgeRead();
    }

    @Override
    public String whyNot(final Feature feature) {
        return traits.features.whyNot(Errors.notNull(feature, "why not", this, "feature"));
    }

    @Override
    public List<Peculiarity> peculiarities() {
        return traits.features.peculiarities();
    }

    /** Asks the library something about the device, which is not closed meanwhile. */
    private <T> T ask(final String operation, final Supplier<T> question) {
        questions.readLock().lock();
        try {
            requireOpen(operation);
            return question.get();
        } finally {
            questions.readLock().unlock();
        }
    }

    @Override
    public PortAttributes queryPort(final int port) {
        final String operation = "query port";
        requireOpen(operation);
        Errors.requirePort(port, operation, this);
        requireWorking(operation);
        final UnsafeBuffer attr = Struct.allocate(Abi.PortAttr.LENGTH);
        require(ask(operation, () -> PortQuery.ask(this, port, attr)), operation, "ibv_query_port");
        return PortQuery.decode(port, attr);
    }

    @Override
    public Gid queryGid(final int port, final int index) {
        final String operation = "query GID";
        requireOpen(operation);
        Errors.requirePort(port, operation, this);
        Errors.requireGidIndex(index, operation, this);
        return ask(operation, () -> gids.get(port, index));
    }

    @Override
    public GidType queryGidType(final int port, final int index) {
        final String operation = "query GID type";
        requireOpen(operation);
        Errors.requirePort(port, operation, this);
        Errors.requireGidIndex(index, operation, this);
        return ask(operation, () -> gids.typeOf(port, index));
    }

    @Override
    public String whyUnreachable(final Gid gid) {
        requirePeer(gid);
        return null;
    }

    @Override
    public boolean isByWire(final Gid gid) {
        requirePeer(gid);
        return true;
    }

    private void requirePeer(final Gid gid) {
        final String operation = "look for GID";
        requireOpen(operation);
        Errors.notNull(gid, operation, this, "GID");
    }

    @Override
    public int queryPkey(final int port, final int index) {
        final String operation = "query P_Key";
        requireOpen(operation);
        Errors.requirePort(port, operation, this);
        Errors.inRange(index, 0, attributes.maxPkeys() - 1, operation, this, "P_Key index");
        requireWorking(operation);
        final UnsafeBuffer pkey = Struct.allocate(Short.BYTES);
        require(ask(operation, () -> library.queryPkey(pointer, (byte) port, index, pkey.addressOffset())), operation,
            "ibv_query_pkey");
        return pkey.getShort(0, ByteOrder.BIG_ENDIAN) & 0xffff;
    }

    @Override
    public void bindGid(final int index, final Gid gid) {
        final String operation = "bind GID";
        requireOpen(operation);
        Errors.requireGidIndex(index, operation, this);
        if (Errors.notNull(gid, operation, this, "GID").isZero()) {
            throw Errors.invalid(operation, this, "the GID is zero");
        }
        if (!gid.equals(queryGid(1, index))) {
            throw Errors.unsupported(operation, this, Feature.GID_OF_CHOICE);
        }
    }

    @Override
    public void unbindGid(final int index) {
        final String operation = "unbind GID";
        requireOpen(operation);
        Errors.requireGidIndex(index, operation, this);
        if (!queryGid(1, index).isZero()) {
            throw Errors.unsupported(operation, this, Feature.GID_OF_CHOICE);
        }
    }

    /** Why packets do not reach anybody through the port, as far as this device knows; null if it should be well. */
    String portObjection(final int port) {
        return askInVain(() -> {
            final UnsafeBuffer attr = Struct.allocate(Abi.PortAttr.LENGTH);
            final PortState state = PortQuery.ask(this, port, attr) != 0 ? PortState.ACTIVE
                : PortQuery.decode(port, attr).state();
            return state == PortState.ACTIVE ? null : "port " + port + " is " + state
                + ": bring the network device up (ip link set ... up), or plug the cable in";
        });
    }

    /** The same of packets that come from a GID. */
    String wayObjection(final int port, final int gidIndex) {
        final String objection = portObjection(port);
        return objection != null ? objection : askInVain(() -> gids.objection(port, gidIndex));
    }

    /** Also for pollers, which nobody who closes the device waits for: null if it is closed. */
    private String askInVain(final Supplier<String> question) {
        questions.readLock().lock();
        try {
            return closed ? null : question.get();
        } finally {
            questions.readLock().unlock();
        }
    }

    private RdmaException refused(final int errno, final String operation, final String function) {
        return RdmaException.of(operation)
            .device(address())
            .detail("%s refused", function)
            .errno(errno == 0 ? RdmaException.EIO : Math.abs(errno))
            .hint(errno == RdmaException.ENOMEM
                ? "the device has no more of them, or too little memory may be locked: see ulimit -l" : null)
            .build();
    }

    @Override
    public ProtectionDomain allocatePd() {
        final String operation = "allocate PD";
        requireOpen(operation);
        requireWorking(operation);
        return openPds.add(operation, this, this, () -> new IbvPd(this,
            requireObject(library.allocPd(pointer), operation, "ibv_alloc_pd", "max_pd", attributes.maxPd())));
    }

    @Override
    public CompletionChannel createChannel() {
        final String operation = "create completion channel";
        requireOpen(operation);
        requireWorking(operation);
        return openChannels.add(operation, this, this, () -> IbvChannel.create(this, operation));
    }

    @Override
    public CompletionQueue createCq(final int cqe) {
        return createCq(cqe, (IbvChannel) null);
    }

    @Override
    public CompletionQueue createCq(final int cqe, final CompletionChannel channel) {
        Errors.notNull(channel, CREATE_CQ, this, "channel");
        if (channel.context() != this || !(channel instanceof IbvChannel)) {
            throw Errors.invalid(CREATE_CQ, this, "%s belongs to another device", channel);
        }
        ((IbvChannel) channel).requireOpen(CREATE_CQ);
        return createCq(cqe, (IbvChannel) channel);
    }

    private CompletionQueue createCq(final int cqe, final IbvChannel channel) {
        requireOpen(CREATE_CQ);
        Errors.inRange(cqe, 1, attributes.maxCqe(), CREATE_CQ, this, "cqe");
        requireWorking(CREATE_CQ);
        final IbvCq cq = openCqs.add(CREATE_CQ, this, this,
            () -> IbvCq.create(this, IbvAttributes.roundUp(cqe), channel));
        if (isFailed()) {
            // Whoever told all CQs may not have seen this one.
            cq.fail();
        }
        return cq;
    }

    @Override
    public PinnedMemory allocate(final long length) {
        final String operation = "allocate pinned memory";
        requireOpen(operation);
        Errors.inRange(length, 1, MAX_ALLOCATION, operation, this, "length");
        return openMemories.add(operation, this, this, () -> new IbvMemory(this, (int) (length + PAGE - 1 & -PAGE)));
    }

    @Override
    public boolean reachesAnyMemory() {
        return true;
    }

    @Override
    public AsyncEvent pollAsyncEvent() {
        return events.await(0, () -> false);
    }

    @Override
    public AsyncEvent awaitAsyncEvent(final Duration timeout) {
        return events.await(Deadline.nanos(Errors.notNull(timeout, "await event", this, "timeout")), () -> false);
    }

    @Override
    public AsyncEventSubscription listen(final AsyncEventListener told) {
        final String operation = "listen";
        Errors.notNull(told, operation, this, "listener");
        requireOpen(operation);
        final EventSubscription subscription = EventSubscription.start(this, events, told, AsyncEvents.CLOSE_NANOS);
        if (subscription == null) {
            requireWorking(operation);
        }
        return subscription;
    }

    @Override
    public Map<String, Long> counters() {
        final Map<String, Long> counts = new LinkedHashMap<>();
        events.count(counts);
        return counts;
    }

    @Override
    public boolean isFailed() {
        return failure.get() != null;
    }

    @Override
    public String failure() {
        return failure.get();
    }

    /** From now on only closing is possible. */
    void fail(final String reason) {
        if (!closed && failure.compareAndSet(null, reason)) {
            live.describe(attributes.name() + ", failed: " + reason);
            for (final IbvPd pd : openPds.list()) {
                pd.qps().forEach(qp -> qp.shutGates(ReturnCode.DEVICE_FAILED));
                pd.srqs().forEach(IbvSrq::fail);
            }
            openCqs.list().forEach(IbvCq::fail);
            openChannels.list().forEach(IbvChannel::endWaits);
            events.deviceFailed();
        }
    }

    /** A call failed in a way that a device that works has no reason for: perhaps it says why. */
    int doubtful(final int errno, final Object object) {
        events.fetch();
        fail(object + ": the library answered " + RdmaException.errnoName(errno));
        return ReturnCode.DEVICE_FAILED;
    }

    @Override
    public long reachableBytes() {
        return reachable.get();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    void requireOpen(final String operation) {
        if (closed) {
            throw Errors.closed(operation, this, this);
        }
    }

    /** Refuses control calls after the device failed. */
    void requireWorking(final String operation) {
        if (isFailed()) {
            throw RdmaException.of(operation)
                .device(address)
                .detail("the device failed: %s", failure())
                .errno(RdmaException.EBADFD)
                .hint("close it; open it again when it is back")
                .build();
        }
    }

    /** A number for an object that has none. */
    int nextNumber() {
        return numbers.getAndIncrement();
    }

    void forget(final IbvPd pd) {
        openPds.remove(pd);
    }

    void forget(final IbvCq cq) {
        openCqs.remove(cq);
    }

    void forget(final IbvChannel channel) {
        openChannels.remove(channel);
    }

    void forget(final IbvMemory memory) {
        openMemories.remove(memory);
    }

    @Override
    public void close() {
        closing.run(CLOSE, () -> {
            if (!closed) {
                refuseQuestions();
                openChannels.list().forEach(IbvChannel::endWaits);
                openCqs.list().forEach(IbvCq::endWaits);
            }
            if (!gone) {
                closeAll();
            }
        });
    }

    private void refuseQuestions() {
        LibraryWait.until(CLOSE, this, this, questions.writeLock()::tryLock,
            () -> "a thread does not come out of asking about the device");
        try {
            closed = true;
        } finally {
            questions.writeLock().unlock();
        }
    }

    /** A thread did not come out of the library in time: what it uses there must stay. */
    void countTimeout() {
        timeouts.incrementAndGet();
    }

    int timeouts() {
        return timeouts.get();
    }

    /** QPs use CQs and SRQs, regions lie in memory: each kind goes before what it uses. */
    private void closeAll() {
        final int before = timeouts();
        final Cleanup cleanup = new Cleanup().run(events::end);
        openPds.list().forEach(pd -> pd.closeQps(cleanup));
        openPds.closeAll(cleanup, this, this);
        openCqs.closeAll(cleanup, this, this);
        openChannels.closeAll(cleanup, this, this);
        openMemories.closeAll(cleanup, this, this);
        if (timeouts() != before) {
            cleanup.throwIfFailed();
        }
        gone = true;
        OPEN.remove(this);
        // The kernel takes what is left with the last file.
        final int answer = library.closeDevice(pointer);
        cleanup.run(() -> destroyed(answer, CLOSE, "ibv_close_device"));
        // It refused to end these; now nothing is registered any more, and their owners wait to hear so.
        openPds.list().forEach(pd -> pd.closeRegions(cleanup));
        openMemories.closeAll(cleanup, this, this);
        cleanup.run(live::close).throwIfFailed();
    }

    /** Whether the library has nothing of it any more, nor of what is in it. */
    boolean isGone() {
        return gone;
    }

    @Override
    public String dump() {
        final StringBuilder text = new StringBuilder("device ").append(address).append(' ').append(attributes.name())
            .append(", calls by ").append(calls).append('\n');
        if (closed) {
            return text.append("closed\n").toString();
        }
        append(text, () -> ask("dump", gids::toString));
        append(text, () -> String.valueOf(failure()));
        for (final IbvPd pd : openPds.list()) {
            append(text, pd::dump);
            pd.qps().forEach(qp -> append(text, qp::dump));
            pd.srqs().forEach(srq -> append(text, srq::dump));
        }
        openCqs.list().forEach(cq -> append(text, cq::dump));
        append(text, () -> counters().toString());
        return text.toString();
    }

    private static void append(final StringBuilder text, final Supplier<String> part) {
        try {
            text.append(part.get()).append('\n');
        } catch (final RuntimeException e) {
            text.append("(cannot be read: ").append(e).append(")\n");
        }
    }

    @Override
    public String toString() {
        return "device " + address;
    }
}
