/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventListener;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.Peculiarity;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The fake device: one port, one GID that follows from its name, messages delivered by the sending thread. */
final class FakeContext implements RdmaContext {
    static final long CLAIMED_MAX_MESSAGE = 1024;
    /** The first queue pair has the next one. */
    private static final int QPN_BASE = 0x10;
    private static final Map<Gid, FakeContext> LINK = new ConcurrentHashMap<>();

    private final DeviceAddress address;
    private final Gid gid;
    private final Fault fault;
    private final long faultAfter;
    private final int faultyQp;
    private final String lacks;
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong counted = new AtomicLong();
    private final AtomicInteger lastQpn = new AtomicInteger(QPN_BASE);
    private final Map<Integer, FakeQp> qps = new ConcurrentHashMap<>();
    /** Queue pairs know addresses only: without this the collector could take a buffer that a peer still writes. */
    private final Queue<FakeMemory> memories = new ConcurrentLinkedQueue<>();
    private volatile String failure;
    private volatile boolean closed;

    FakeContext(final DeviceAddress address) {
        this.address = address;
        gid = Gid.linkLocal(0x1000 + address.path().hashCode());
        fault = Fault.valueOf(address.option("fault", "none").toUpperCase(Locale.ROOT));
        lacks = address.option("lacks", "RDMA_READ");
        faultAfter = address.option("after", 0, 0, Integer.MAX_VALUE);
        faultyQp = (int) address.option("qp", 0, 0, Integer.MAX_VALUE);
        if (LINK.putIfAbsent(gid, this) != null) {
            throw RdmaException.of("open device").device(address).detail("it is\nin use").errno(RdmaException.EBUSY)
                .hint("close it").build();
        }
    }

    /** What goes wrong with the next message of a queue pair. */
    Fault nextFault(final int qpn) {
        messages.incrementAndGet();
        return (faultyQp == 0 || qpn == QPN_BASE + faultyQp) && counted.incrementAndGet() == faultAfter ? fault
            : Fault.NONE;
    }

    FakeQp add(final FakeQp qp, final int qpn) {
        qps.put(qpn, qp);
        return qp;
    }

    int newQpn() {
        return lastQpn.incrementAndGet();
    }

    static FakeQp find(final Gid gid, final int qpn) {
        return LINK.get(gid).qps.get(qpn);
    }

    void fail(final String why) {
        failure = why;
    }

    @Override
    public String address() {
        return address.toString();
    }

    @Override
    public DeviceAttributes attributes() {
        return FakeAttributes.create();
    }

    @Override
    public boolean supports(final Feature feature) {
        return !feature.name().equals(lacks);
    }

    @Override
    public String whyNot(final Feature feature) {
        return supports(feature) ? null : lacks.equals("RDMA_READ") ? "it cannot read" : "it has no " + lacks;
    }

    @Override
    public List<Peculiarity> peculiarities() {
        return List.of(new Peculiarity("goes-wrong", "Does so on demand."), new Peculiarity("small", "Has 1 port."));
    }

    @Override
    public PortAttributes queryPort(final int port) {
        if (port != 1) {
            throw RdmaException.of("query port").device(address).detail("there is no port %d", port)
                .errno(RdmaException.EINVAL).hint("ports are 1 to 1").build();
        }
        return new PortAttributes(1, PortState.ACTIVE, Mtu.MTU_4096, Mtu.MTU_1024, 3, 1, 0x04010000, 0x12,
            CLAIMED_MAX_MESSAGE, 0, 0, 0, 0, 0, 3, 0, 0, 2, 1, 32, 5, "Ethernet");
    }

    @Override
    public Gid queryGid(final int port, final int index) {
        return index == 0 ? gid : Gid.ZERO;
    }

    @Override
    public GidType queryGidType(final int port, final int index) {
        return GidType.ROCE_V1;
    }

    @Override
    public String whyUnreachable(final Gid peer) {
        return LINK.containsKey(peer) ? null : "nobody has it";
    }

    @Override
    public boolean isByWire(final Gid peer) {
        return false;
    }

    @Override
    public int queryPkey(final int port, final int index) {
        return 0xffff;
    }

    @Override
    public void bindGid(final int index, final Gid wanted) {
        throw Unused.call("bindGid");
    }

    @Override
    public void unbindGid(final int index) {
        throw Unused.call("unbindGid");
    }

    @Override
    public ProtectionDomain allocatePd() {
        return new FakePd(this);
    }

    @Override
    public CompletionQueue createCq(final int cqe) {
        return new FakeCq(this, cqe);
    }

    @Override
    public CompletionQueue createCq(final int cqe, final CompletionChannel channel) {
        throw Unused.call("createCq with a channel");
    }

    @Override
    public CompletionChannel createChannel() {
        throw Unused.call("createChannel");
    }

    @Override
    public PinnedMemory allocate(final long length) {
        final FakeMemory memory = new FakeMemory((int) length);
        memories.add(memory);
        return memory;
    }

    @Override
    public boolean reachesAnyMemory() {
        return false;
    }

    @Override
    public AsyncEvent pollAsyncEvent() {
        return null;
    }

    @Override
    public AsyncEvent awaitAsyncEvent(final Duration timeout) {
        return null;
    }

    @Override
    public AsyncEventSubscription listen(final AsyncEventListener listener) {
        throw Unused.call("listen");
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("messages", messages.get());
    }

    @Override
    public boolean isFailed() {
        return failure != null;
    }

    @Override
    public String failure() {
        return failure;
    }

    @Override
    public long reachableBytes() {
        return 0;
    }

    @Override
    public String dump() {
        return "dump of " + address + "\n  messages " + messages;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        LINK.remove(gid, this);
    }
}
