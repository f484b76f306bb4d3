/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.hw.pvrdma.GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Deadline;
import io.rdma4j.base.LiveKind;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.queues.Doorbell;
import io.rdma4j.queues.MappedDoorbell;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventListener;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.Peculiarity;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.pvrdma.device.CqHandle;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.ObjectPublisher;
import io.rdma4j.verbs.spi.PublishedObject;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** An open device. */
final class PvrdmaContext implements RdmaContext, ObjectPublisher {
    private static final String CREATE_CQ = "create CQ";
    /** What one direct buffer holds, in whole pages. */
    private static final int MAX_ALLOCATION = Integer.MAX_VALUE & -DmaDomain.PAGE_SIZE;

    final PvrdmaDevice device;
    final Traits traits;
    final Doorbell doorbell;
    final HandleTable<PvrdmaQp> qps = new HandleTable<>();
    final HandleTable<PvrdmaSrq> srqs = new HandleTable<>();
    final HandleTable<PvrdmaCq> cqs = new HandleTable<>();
    final ClosedRings closedRings = new ClosedRings();
    /** Held from looking whether a GID is bound, or unused, until that has been made use of. */
    final Object gidUse = new Object();
    final CompletionEvents completionEvents = new CompletionEvents(this);
    private final AsyncEvents asyncEvents = new AsyncEvents(this);
    private final String address;
    private final DeviceAttributes attributes;
    private final Children<PvrdmaPd> openPds = new Children<>();
    private final Children<PvrdmaCq> openCqs = new Children<>();
    private final Children<PvrdmaChannel> openChannels = new Children<>();
    private final Children<PvrdmaMemory> openMemories = new Children<>();
    private final AtomicInteger ahs = new AtomicInteger();
    /** Numbers of objects that the device knows nothing of. */
    private final AtomicInteger nextNumber = new AtomicInteger();
    private final AtomicInteger channels = new AtomicInteger();
    /** What the device can reach although it was closed. */
    private final Queue<Object> stuckMemory = new ConcurrentLinkedQueue<>();
    private final Object closing = new Object();
    private volatile boolean closed;

    /**
     * Takes over an open device.
     *
     * @param address what the application called it.
     * @param device  the device; closed with this.
     */
    PvrdmaContext(final String address, final PvrdmaDevice device) {
        this.address = address;
        this.device = device;
        this.traits = new Traits(device.profile(), device.caps(), device.limits(), device.dma());
        this.attributes = new PvrdmaAttributes(
            device.profile().name() + " pvrdma", device.version(), device.caps(), device.limits());
        final Doorbell plain = device.uar().isMapped() ? new MappedDoorbell(device.uar().buffer())
            : new TrappedDoorbell(device.uar(), this::doorbellFailed);
        this.doorbell = device.trace().isOfData() ? new TracedDoorbell(device.trace(), plain, qps, srqs) : plain;
        device.onAsyncEvent((type, info) -> {
            if (type == EventType.PVRDMA_EVENT_DEVICE_FATAL) {
                deviceFailed();
            }
        });
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public String whyNot(final Feature feature) {
        return traits.features.whyNot(Errors.notNull(feature, "why not", this, "feature"));
    }

    @Override
    public List<Peculiarity> peculiarities() {
        return traits.features.peculiarities();
    }

    @Override
    public PortAttributes queryPort(final int port) {
        final String operation = "query port";
        requireOpen(operation);
        Errors.requirePort(port, operation, this);
        requireWorking(operation);
        return PortQuery.decode(port, device.commands().queryPort(port));
    }

    @Override
    public Gid queryGid(final int port, final int index) {
        final String operation = "query GID";
        requireOpen(operation);
        Errors.requirePort(port, operation, this);
        Errors.requireGidIndex(index, operation, this);
        final byte[] gid = device.gids().get(index);
        return gid == null ? Gid.ZERO : Gid.of(gid);
    }

    @Override
    public GidType queryGidType(final int port, final int index) {
        final String operation = "query GID type";
        requireOpen(operation);
        Errors.requirePort(port, operation, this);
        Errors.requireGidIndex(index, operation, this);
        return device.gids().type() == PVRDMA_GID_TYPE_FLAG_ROCE_V2 ? GidType.ROCE_V2 : GidType.ROCE_V1;
    }

    @Override
    public String whyUnreachable(final Gid gid) {
        requirePeer(gid);
        return device.pci().whyUnreachable(gid.high(), gid.low());
    }

    @Override
    public boolean isByWire(final Gid gid) {
        requirePeer(gid);
        return device.pci().isByWire(gid.high(), gid.low());
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
        return device.commands().queryPkey(port, index);
    }

    @Override
    public void bindGid(final int index, final Gid gid) {
        final String operation = "bind GID";
        requireOpen(operation);
        Errors.requireGidIndex(index, operation, this);
        if (Errors.notNull(gid, operation, this, "GID").isZero()) {
            throw Errors.invalid(operation, this, "the GID is zero");
        }
        synchronized (gidUse) {
            requireUnusedGid(index, operation);
            requireWorking(operation);
            device.gids().bind(index, gid.bytes());
        }
    }

    @Override
    public void unbindGid(final int index) {
        final String operation = "unbind GID";
        requireOpen(operation);
        Errors.requireGidIndex(index, operation, this);
        synchronized (gidUse) {
            requireUnusedGid(index, operation);
            requireWorking(operation);
            device.gids().unbind(index);
        }
    }

    private void requireUnusedGid(final int index, final String operation) {
        if (traits.gidMustStay) {
            for (final PvrdmaPd pd : openPds.list()) {
                pd.qps().stream().filter(qp -> qp.usesGid(index)).forEach(qp -> refuseGid(operation, qp, index));
                pd.ahs().stream().filter(ah -> ah.attributes().sgidIndex() == index)
                    .forEach(ah -> refuseGid(operation, ah, index));
            }
        }
    }

    private void refuseGid(final String operation, final Object user, final int index) {
        throw Errors.error(RdmaException.EBUSY, operation, this,
            "%s sends from GID index %d, and this device hangs when it finds it unbound", user, index);
    }

    @Override
    public ProtectionDomain allocatePd() {
        final String operation = "allocate PD";
        requireOpen(operation);
        requireWorking(operation);
        return openPds.add(operation, this, new PvrdmaPd(this, device.commands().createPd()));
    }

    @Override
    public CompletionChannel createChannel() {
        final String operation = "create completion channel";
        requireOpen(operation);
        requireWorking(operation);
        return openChannels.add(operation, this, new PvrdmaChannel(this, channels.getAndIncrement()));
    }

    @Override
    public CompletionQueue createCq(final int cqe) {
        return createCq(cqe, (PvrdmaChannel) null);
    }

    @Override
    public CompletionQueue createCq(final int cqe, final CompletionChannel channel) {
        Errors.notNull(channel, CREATE_CQ, this, "channel");
        if (channel.context() != this || !(channel instanceof PvrdmaChannel)) {
            throw Errors.invalid(CREATE_CQ, this, "%s belongs to another device", channel);
        }
        return createCq(cqe, (PvrdmaChannel) channel);
    }

    private CompletionQueue createCq(final int cqe, final PvrdmaChannel channel) {
        requireOpen(CREATE_CQ);
        Errors.inRange(cqe, 1, attributes.maxCqe(), CREATE_CQ, this, "cqe");
        requireWorking(CREATE_CQ);
        final PvrdmaCq cq = openCqs.add(CREATE_CQ, this, newCq(RingGeometry.powerOfTwo(cqe), channel));
        if (device.failed()) {
            // Whoever told all CQs may not have seen this one.
            cq.fail();
        }
        return cq;
    }

    private PvrdmaCq newCq(final int count, final PvrdmaChannel channel) {
        try (Undo undo = new Undo()) {
            final RingMemory memory = RingMemory.allocate(this, RingGeometry.cqPages(count));
            undo.addIfGood(memory::close);
            final CqHandle created = device.commands().createCq(memory.pdirDma(), count, memory.pages());
            undo.add(() -> device.commands().destroyCq(created.handle()));
            if (created.cqe() < count) {
                throw Errors.error(RdmaException.EIO, CREATE_CQ, this, "the device gave %d entries when asked for %d",
                    created.cqe(), count);
            }
            final PvrdmaCq cq = new PvrdmaCq(
                this, created.handle(), CqRing.of(this, created.handle(), memory, count, 0), channel);
            undo.add(cq.publication::end);
            if (channel != null) {
                channel.attach(cq, CREATE_CQ);
            }
            fetchEventsOfFormer();
            cqs.put(cq.handle, cq);
            undo.forget();
            return cq;
        }
    }

    @Override
    public PinnedMemory allocate(final long length) {
        final String operation = "allocate pinned memory";
        requireOpen(operation);
        Errors.inRange(length, 1, MAX_ALLOCATION, operation, this, "length");
        return openMemories.add(operation, this, new PvrdmaMemory(this, device.dma().allocate(length)));
    }

    @Override
    public boolean reachesAnyMemory() {
        return device.dma().mapsAnyMemory();
    }

    @Override
    public AsyncEvent pollAsyncEvent() {
        return asyncEvents.await(0);
    }

    @Override
    public AsyncEvent awaitAsyncEvent(final Duration timeout) {
        return asyncEvents.await(Deadline.nanos(Errors.notNull(timeout, "await event", this, "timeout")));
    }

    @Override
    public AsyncEventSubscription listen(final AsyncEventListener listener) {
        return asyncEvents.listen(listener);
    }

    /** Waits for the acknowledgement of an object's events; none can be taken until {@link #eventsClosed}. */
    void closeEvents(final PvrdmaObject object) {
        asyncEvents.queue.close(object, device.responseTimeoutNanos());
    }

    void eventsClosed(final PvrdmaObject object) {
        asyncEvents.queue.closed(object);
    }

    /** Fetches the asynchronous events that the device has, as it has not much room for them. */
    void fetchEvents() {
        asyncEvents.fetch();
    }

    /**
     * Fetches what the device had to say about an object that another thread has closed meanwhile, before the one that
     * got its handle is there and would be taken for it.
     */
    void fetchEventsOfFormer() {
        fetchEvents();
    }

    @Override
    public Map<String, Long> counters() {
        final Map<String, Long> counts = new LinkedHashMap<>(device.counters());
        asyncEvents.count(counts);
        return counts;
    }

    @Override
    public boolean isFailed() {
        return device.failed();
    }

    @Override
    public String failure() {
        return device.failure();
    }

    @Override
    public long reachableBytes() {
        return device.dma().reachableBytes();
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
        fetchEvents();
        if (device.failed()) {
            throw RdmaException.of(operation)
                .device(address)
                .detail("the device failed: %s", device.failure())
                .errno(RdmaException.EBADFD)
                .hint("%s", device.failureHint())
                .build();
        }
    }

    /** Takes something from the device, as long as it listens: also from one that failed. */
    void whileWorking(final Runnable command) {
        if (device.takesCommands()) {
            command.run();
        }
    }

    /** The device wrote an index that cannot be: whatever it says or does from now on cannot be trusted. */
    int corruptIndex(final Object ring) {
        device.fail("it wrote an index that cannot be: " + ring);
        return ReturnCode.DEVICE_FAILED;
    }

    /** It was closed, which is no failure, or it cannot be reached. */
    private void doorbellFailed(final String reason) {
        if (!closed) {
            device.fail(reason);
        }
    }

    /**
     * Waits until the doorbells rung so far are with the device. A store to a mapped window is under way for a while:
     * who arms a CQ and then finds it empty could miss what came in between, and sleep.
     */
    void awaitDoorbells() {
        if (device.uar().isMapped()) {
            device.awaitWrites();
        }
    }

    private void deviceFailed() {
        for (final PvrdmaPd pd : openPds.list()) {
            pd.qps().forEach(qp -> qp.shutGates(ReturnCode.DEVICE_FAILED));
            pd.srqs().forEach(PvrdmaSrq::fail);
        }
        openCqs.list().forEach(PvrdmaCq::fail);
        completionEvents.endAll();
        asyncEvents.deviceFailed();
    }

    List<PvrdmaCq> openCqs() {
        return openCqs.list();
    }

    /** Whether no completion interrupts. Who arms a CQ meanwhile may be missed. */
    boolean noCqIsArmed() {
        return openCqs.list().stream().noneMatch(cq -> cq.event.isArmed());
    }

    void countAh() {
        if (ahs.incrementAndGet() > attributes.maxAh()) {
            ahs.decrementAndGet();
            throw Errors.error(RdmaException.ENOMEM, "create AH", this,
                "the device has %d address handles, all are in use", attributes.maxAh());
        }
    }

    /** A number for an object that the device has none for. */
    int nextNumber() {
        return nextNumber.getAndIncrement();
    }

    @Override
    public PublishedObject publish(final LiveKind kind, final long... attributes) {
        return new PublishedEntry(device.live(), kind, nextNumber(), attributes);
    }

    @Override
    public void cached(final MemoryRegion region) {
        if (region instanceof PvrdmaMr) {
            ((PvrdmaMr) region).cached();
        }
    }

    void uncountAh() {
        ahs.decrementAndGet();
    }

    /** Holds on to memory, and so to its owners, that could not be unmapped. */
    void keep(final Object memory) {
        stuckMemory.add(memory);
    }

    void forget(final PvrdmaPd pd) {
        openPds.remove(pd);
    }

    void forget(final PvrdmaCq cq) {
        openCqs.remove(cq);
    }

    void forget(final PvrdmaChannel channel) {
        openChannels.remove(channel);
    }

    void forget(final PvrdmaMemory memory) {
        openMemories.remove(memory);
    }

    @Override
    public void close() {
        synchronized (closing) {
            if (!closed) {
                closed = true;
                completionEvents.endAll();
                asyncEvents.end();
                closeAll();
            }
        }
    }

    /**
     * QPs use CQs and SRQs, completions come from QPs, regions lie in memory: each kind goes before what it uses. What
     * the device refuses to give up it loses in the reset at the end, so only a failure of that is told.
     */
    private void closeAll() {
        final Cleanup children = new Cleanup();
        openPds.list().forEach(pd -> pd.closeQps(children));
        openPds.list().forEach(pd -> pd.closeSrqs(children));
        openCqs.closeAll(children);
        openChannels.closeAll(children);
        openPds.closeAll(children);
        // A queue pair that was just being made kept its CQs until its domain was closed.
        openCqs.closeAll(children);
        openChannels.closeAll(children);
        openMemories.closeAll(children);
        new Cleanup().run(closedRings::clear).run(device::close).throwIfFailed();
    }

    @Override
    public String dump() {
        final StringBuilder text = new StringBuilder("device ").append(address).append('\n');
        append(text, () -> device.dumpState());
        for (final PvrdmaPd pd : openPds.list()) {
            append(text, pd::dump);
            pd.qps().forEach(qp -> append(text, qp::dump));
            pd.srqs().forEach(srq -> append(text, srq::dump));
        }
        openCqs.list().forEach(cq -> append(text, cq::dump));
        openChannels.list().forEach(channel -> append(text, channel::dump));
        append(text, completionEvents::toString);
        append(text, asyncEvents::toString);
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
