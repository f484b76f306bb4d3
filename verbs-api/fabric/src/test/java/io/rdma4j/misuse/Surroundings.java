/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryMonitor;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.ProgressAgent;
import io.rdma4j.fabric.ReceiveContext;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.SharedReceiveContext;
import io.rdma4j.fabric.SharedReceiveOptions;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.cache.RegionCache;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.RdmaListener;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SharedSendQueue;
import io.rdma4j.verbs.WindowType;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** One object of each public type that is not made by a constructor, on emulated devices that are closed with this. */
final class Surroundings implements AutoCloseable {
    private static final AtomicInteger NAMES = new AtomicInteger();

    final Values values = new Values();
    private final RdmaContext verbs = RdmaDevices.open("emulated:any" + NAMES.incrementAndGet());
    private final RdmaContext fabrics = RdmaDevices.open("emulated:any" + NAMES.incrementAndGet());
    private final RdmaListener listener =
        RdmaConnector.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final Vanishing taken = new Vanishing();
    private final List<Object> vanishing = new ArrayList<>();
    private RegionCache cache;

    Surroundings() {
        verbs();
        messages();
        datagrams();
        put(RdmaContext.class, verbs);
        put(RdmaListener.class, listener);
        put(RdmaException.class, RdmaException.of("test").build());
        put(FabricException.class, FabricException.of("test").build());
        put(FabricException.Builder.class, FabricException.of("test"));
    }

    /** What refers to memory that may be taken away. */
    List<Object> vanishing() {
        return vanishing;
    }

    /** Takes it away. */
    void vanish() {
        taken.vanish();
    }

    private <T> void put(final Class<T> type, final T object) {
        values.add(type, object);
    }

    private void verbs() {
        final ProtectionDomain pd = verbs.allocatePd();
        final PinnedMemory memory = verbs.allocate(4 * 4096);
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ, AccessFlag.MW_BIND);
        final CompletionQueue cq = verbs.createCq(512);
        final QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxInline(64));
        QpConnector.connect(qp, qp.localAddress());
        final SendRequest send = new SendRequest().sge(memory.address(), 8, region.lkey());
        qp.postReceive(new ReceiveRequest().sge(memory.address(), 8, region.lkey()));
        qp.postSend(send);
        cq.poll(completion -> put(Completion.class, completion), 1);
        put(ProtectionDomain.class, pd);
        put(PinnedMemory.class, memory);
        put(MemoryRegion.class, region);
        put(QueuePair.class, qp);
        put(SendTemplate.class, qp.prepare(send));
        put(SharedSendQueue.class, new SharedSendQueue(qp, 4, (wrId, code) -> { }));
        put(CompletionQueue.class, cq);
        put(CompletionWaiter.class, CompletionWaiter.blocking(verbs.createCq(4)));
        put(CompletionChannel.class, verbs.createChannel());
        put(SharedReceiveQueue.class, pd.createSrq(8, 2));
        put(AddressHandle.class, pd.createAh(AhAttributes.to(qp.localAddress().gid())));
        put(MemoryWindow.class, pd.allocateWindow(WindowType.TYPE_1));
        put(FastRegion.class, pd.allocateFastRegion(4));
        put(AsyncEventSubscription.class, verbs.listen(event -> { }));
        put(DeviceAttributes.class, verbs.attributes());
        values.usual(long.class, memory.address());
        requestsWhoseMemoryGoes(pd);
    }

    private void requestsWhoseMemoryGoes(final ProtectionDomain pd) {
        for (final long address : taken.addresses()) {
            final MemoryRegion region = pd.register(address, Vanishing.LENGTH, AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
            vanishing.add(region);
            vanishing.add(new SendRequest().sge(address, 64, region.lkey()));
            vanishing.add(new SendRequest().inline(new UnsafeBuffer(address, Vanishing.LENGTH), 0, 64));
            vanishing.add(new ReceiveRequest().sge(address, 64, region.lkey()));
            values.unusual(long.class, address);
            // What is sent; where results go has to be there.
            values.unusual(DirectBuffer.class, new UnsafeBuffer(address, Vanishing.LENGTH));
        }
    }

    private void messages() {
        final TestDomain own = new TestDomain(new Hints().context(fabrics)
            .capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC));
        final Domain domain = own.domain;
        final EventQueue eq = own.fabric.openEventQueue(new EqAttributes().size(16).writable(true));
        final io.rdma4j.fabric.CompletionQueue cq = domain.openCompletionQueue(64);
        final PassiveEndpoint passive = own.fabric.openPassiveEndpoint(own.info, eq, null);
        passive.listen();
        final EndpointOptions options = new EndpointOptions().completionQueue(cq).eventQueue(eq);
        final MsgEndpoint asker = domain.openEndpoint(options);
        asker.connect(passive.address(), null);
        final EventEntry asked = await(eq, cq, FabricEvent.CONNREQ);
        domain.openEndpoint(new EndpointOptions().completionQueue(cq).eventQueue(eq).request(asked.request()))
            .accept(null);
        await(eq, cq, FabricEvent.CONNECTED);
        final PinnedMemory memory = domain.allocate(4096);
        cache = (RegionCache) domain.cache();
        put(Fabric.class, own.fabric);
        put(FabricInfo.class, own.info);
        put(Domain.class, domain);
        put(EventQueue.class, eq);
        put(EventEntry.class, asked);
        put(ConnectionRequest.class, asked.request());
        put(PassiveEndpoint.class, passive);
        put(MsgEndpoint.class, asker);
        put(Endpoint.class, asker);
        put(io.rdma4j.fabric.CompletionQueue.class, cq);
        put(Counter.class, domain.openCounter());
        put(io.rdma4j.fabric.MemoryRegion.class, domain.register(new MrAttributes().buffer(memory)
            .access(EnumSet.of(MrAccess.REMOTE_WRITE, MrAccess.SEND, MrAccess.RECV)).requestedKey(7)));
        for (final long address : taken.addresses()) {
            vanishing.add(domain.register(new MrAttributes().buffer(address, Vanishing.LENGTH)
                .access(EnumSet.of(MrAccess.REMOTE_WRITE, MrAccess.SEND, MrAccess.RECV))
                .requestedKey(8 + vanishing.size())));
        }
        put(RegistrationCache.class, cache);
        put(CachedRegion.class, cache.acquire(memory.address(), 64, memory, 0));
        put(ProgressAgent.class, new ProgressAgent("any"));
        put(MemoryMonitor.class, new SilentMonitor());
    }

    private void datagrams() {
        final Domain domain = new TestDomain(new Hints().context(verbs).endpointType(EndpointType.RDM)
            .capabilities(Capability.MSG, Capability.RMA, Capability.TAGGED)).domain;
        final io.rdma4j.fabric.CompletionQueue cq = domain.openCompletionQueue(64);
        final io.rdma4j.fabric.AddressVector av =
            domain.openAddressVector(new AvAttributes().type(AvType.TABLE).rxCtxBits(2));
        final AddressedEndpoint endpoint = domain.openAddressedEndpoint(
            new EndpointOptions().completionQueue(cq).addressVector(av).receiveContexts(cq, cq));
        put(FabricAddress.class, endpoint.address());
        final long self = av.insert(endpoint.address());
        final PinnedMemory memory = domain.allocate(4096);
        endpoint.send(memory.address(), 8, null, self, 1);
        Await.until(endpoint::toString, () -> {
            cq.read(entry -> put(CompletionEntry.class, entry), 1);
            return values.has(CompletionEntry.class);
        });
        put(io.rdma4j.fabric.AddressVector.class, av);
        put(AddressedEndpoint.class, endpoint);
        put(ReceiveContext.class, endpoint.receiveContext(0));
        put(TaggedMessages.class, endpoint.tagged());
        put(SharedReceiveContext.class, domain.openSharedReceiveContext(
            new SharedReceiveOptions().completionQueue(cq).addressVector(av)));
    }

    private static EventEntry await(
        final EventQueue eq, final io.rdma4j.fabric.CompletionQueue cq, final FabricEvent event) {
        final EventEntry[] found = new EventEntry[1];
        Await.until(event::toString, () -> {
            cq.read(entry -> { }, 16);
            eq.awaitRead(entry -> found[0] = entry.event() == event ? entry : found[0], 1, Duration.ofMillis(1));
            return found[0] != null;
        });
        return found[0];
    }

    /** All that was made on the devices goes with them. */
    @Override
    public void close() {
        listener.close();
        for (final RdmaContext context : new RdmaContext[] {verbs, fabrics}) {
            final String failure = context.failure();
            context.close();
            assertThat(failure).isNull();
            assertThat(context.reachableBytes()).isZero();
        }
        // The domains are never closed: a cache that stays open holds the memory in use for ever, and so the device.
        cache.close();
        taken.close();
    }

    private static final class SilentMonitor implements MemoryMonitor {
        @Override
        public String name() {
            return "silent";
        }

        @Override
        public void start(final Listener listener) {
            // Nothing is ever told.
        }

        @Override
        public void stop(final Listener listener) {
            // Nothing was begun.
        }

        @Override
        public boolean subscribe(final long address, final long length) {
            return true;
        }

        @Override
        public void unsubscribe(final long address, final long length) {
            // Nothing was kept.
        }
    }
}
