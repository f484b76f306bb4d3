/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.pvrdma.EmulatedCommands;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Fabrics and domains: who owns the device, what may be closed when, what is left. */
@Timeout(60)
class FabricTest {
    private static FabricInfo info(final String address) {
        return Fabrics.getInfo(new Hints().address(address)).get(0);
    }

    /** A program that forgets to close a domain loses what it has, and nothing of another context. */
    private static WeakReference<RdmaContext> forgetADomain() {
        final RdmaContext context = RdmaDevices.open("emulated:forgotten");
        final FabricInfo info = Fabrics.getInfo(new Hints().context(context)).get(0);
        Fabrics.open(info).openDomain(info);
        context.close();
        return new WeakReference<>(context);
    }

    @Test
    void aDomainThatIsNeverClosedKeepsNoContextForEver() {
        final WeakReference<RdmaContext> context = forgetADomain();
        Await.until("the context is let go", () -> {
            System.gc();
            return context.get() == null;
        });
    }

    @Test
    void theDeviceIsOpenAsLongAsADomainIs() {
        final Fabric fabric = Fabrics.open(info("emulated:fp1"));
        final Domain one = fabric.openDomain(fabric.info());
        final Domain two = fabric.openDomain(fabric.info());
        final RdmaContext context = ((EndpointHost) one).context();
        assertThat(((EndpointHost) two).context()).as("one device for both").isSameAs(context);
        assertRefused(FiErrno.FI_EBUSY, fabric::close, "2 domains");
        one.close();
        assertThat(context.isClosed()).isFalse();
        two.close();
        assertThat(context.isClosed()).isTrue();
        assertThat(context.reachableBytes()).isZero();
        final Domain again = fabric.openDomain(fabric.info());
        assertThat(((EndpointHost) again).context()).isNotSameAs(context);
        again.close();
        again.close();
        fabric.close();
        fabric.close();
        assertThat(fabric.isClosed()).isTrue();
        assertRefused(FiErrno.FI_EBADFD, () -> fabric.openDomain(fabric.info()), "closed");
        assertRefused(FiErrno.FI_EBADFD, () -> fabric.openEventQueue(0), "closed");
    }

    @Test
    void theApplicationsDeviceStaysOpenAndAsItWas() {
        try (RdmaContext context = RdmaDevices.open("emulated:fp2")) {
            final Fabric fabric = Fabrics.open(Fabrics.getInfo(new Hints().context(context)).get(0));
            fabric.openDomain(fabric.info()).close();
            final long before = context.reachableBytes();
            for (int i = 0; i < 20; i++) {
                final Domain domain = fabric.openDomain(fabric.info());
                final MemoryRegion region = domain.register(new MrAttributes()
                    .buffer(ByteBuffer.allocateDirect(1 << 16)).access(MrAccess.REMOTE_WRITE).requestedKey(i));
                final Counter counter = domain.openCounter();
                assertRefused(FiErrno.FI_EBUSY, domain::close, "1 region", "1 counter", "in any order");
                if (i % 2 == 0) {
                    region.close();
                    counter.close();
                } else {
                    counter.close();
                    region.close();
                }
                domain.close();
                assertThat(context.reachableBytes()).as("round %d", i).isEqualTo(before);
            }
            fabric.close();
            assertThat(context.isClosed()).isFalse();
        }
    }

    /** A device can be opened once: who asks what it can do, or opens a fabric of it, too, is answered from that. */
    @Test
    void aDeviceThatIsOpenIsShared() {
        final FabricInfo first = info("emulated:fp8");
        try (Fabric fabric = Fabrics.open(first); Domain domain = fabric.openDomain(first)) {
            final FabricInfo second = info("emulated:fp8");
            assertThat(second.mrMode()).isEqualTo(first.mrMode());
            assertThat(((EndpointHost) domain).context().isClosed()).isFalse();
            final RdmaContext context;
            try (Fabric other = Fabrics.open(second); Domain more = other.openDomain(second)) {
                context = ((EndpointHost) more).context();
                assertThat(context).isSameAs(((EndpointHost) domain).context());
                assertRefused(FiErrno.FI_EINVAL, () -> fabric.openDomain(info("emulated:fp9")), "emulated:fp9");
            }
            assertThat(context.isClosed()).isFalse();
            domain.register(new MrAttributes().buffer(ByteBuffer.allocateDirect(8)).access(MrAccess.SEND)).close();
        }
        try (RdmaContext again = RdmaDevices.open("emulated:fp8")) {
            assertThat(again.isClosed()).as("nobody has it open any more").isFalse();
        }
    }

    @Test
    void anInfoBelongsToItsFabric() {
        final Fabric fabric = Fabrics.open(info("emulated:fp3"));
        assertRefused(FiErrno.FI_EINVAL, () -> fabric.openDomain(null), "null");
        assertRefused(FiErrno.FI_EINVAL, () -> fabric.openDomain(info("emulated:fp4")), "emulated:fp4");
        fabric.close();
    }

    @Test
    void eventQueuesKeepAFabricOpen() {
        final Fabric fabric = Fabrics.open(info("emulated:fp5"));
        assertRefused(FiErrno.FI_EINVAL, () -> fabric.openEventQueue(-1), "-1");
        final EventQueue queue = fabric.openEventQueue(1);
        assertRefused(FiErrno.FI_EBUSY, fabric::close, "1 event queue");
        final Domain domain = fabric.openDomain(fabric.info());
        domain.bind(queue);
        assertRefused(FiErrno.FI_EBUSY, queue::close, "1 object");
        domain.close();
        queue.close();
        fabric.close();
    }

    /** A peer's access that is refused is told to who owns the queue pair, if nobody else listens. */
    @Test
    void refusedAccessesAreTold() throws Exception {
        try (RdmaContext context = RdmaDevices.open("emulated:fp6")) {
            final Fabric fabric = Fabrics.open(Fabrics.getInfo(new Hints().context(context)).get(0));
            final Domain domain = fabric.openDomain(fabric.info());
            final EndpointHost host = (EndpointHost) domain;
            final Realm realm = host.openRealm(null);
            final CountDownLatch told = new CountDownLatch(1);
            final CompletionQueue cq = context.createCq(1024);
            final QueuePair near = realm.pd().createQp(new QpOptions().cq(cq));
            final QueuePair far = realm.pd().createQp(new QpOptions().cq(cq));
            final EndpointHost.Subscription subscription = host.onAccessError(far, told::countDown);
            assertThat(subscription).isNotNull();
            QpConnector.connect(near, far.localAddress());
            QpConnector.connect(far, near.localAddress(), new QpAttributes().accessFlags(Set.of()));
            near.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(4096, 0x1234567));
            assertThat(told.await(Patience.millis(), TimeUnit.MILLISECONDS)).as(context.dump()).isTrue();
            subscription.close();
            subscription.close();
            near.close();
            far.close();
            cq.close();
            realm.release();
            domain.close();
            fabric.close();
            context.listen(event -> { }).close();
        }
    }

    @Test
    void aListenerOfSomebodyElseIsLeftAlone() {
        try (RdmaContext context = RdmaDevices.open("emulated:fp7")) {
            context.listen(event -> { });
            final Fabric fabric = Fabrics.open(Fabrics.getInfo(new Hints().context(context)).get(0));
            final Domain domain = fabric.openDomain(fabric.info());
            final ProtectionDomain pd = context.allocatePd();
            final QueuePair qp = pd.createQp(new QpOptions().cq(context.createCq(1024)));
            assertThat(((EndpointHost) domain).onAccessError(qp, () -> { })).isNull();
            domain.close();
            fabric.close();
        }
    }

    @Test
    void aDeviceThatIsClosedUnderneathCanStillBeLeft() {
        final RdmaContext context = RdmaDevices.open("emulated:fp8");
        final Fabric fabric = Fabrics.open(Fabrics.getInfo(new Hints().context(context)).get(0));
        final Domain domain = fabric.openDomain(fabric.info());
        final MrAttributes attributes = new MrAttributes().buffer(ByteBuffer.allocateDirect(64))
            .access(MrAccess.REMOTE_READ).requestedKey(1);
        final MemoryRegion region = domain.register(attributes);
        context.close();
        assertRefused(FiErrno.FI_EBADFD, () -> domain.register(attributes.requestedKey(2)));
        region.close();
        domain.close();
        fabric.close();
        assertThat(context.reachableBytes()).isZero();
    }

    @Test
    void aDomainWhoseProtectionDomainTheDeviceKeepsIsClosed() {
        try (RdmaContext context = RdmaDevices.open("emulated:kept")) {
            final Fabric fabric = Fabrics.open(Fabrics.getInfo(new Hints().context(context)).get(0));
            final Domain domain = fabric.openDomain(fabric.info());
            EmulatedCommands.refuseNext(context, Command.DESTROY_PD);
            assertRefused(FiErrno.FI_EINVAL, domain::close, "DESTROY_PD");
            assertThat(domain.isClosed()).isTrue();
            domain.close();
            fabric.close();
        }
    }

    /** The application does not even know of the domain that the device keeps. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPassiveEndpointWhoseDomainCannotBeEndedDoesNotKeepTheFabricOpen(final boolean ofEndpoints) {
        final Set<MrMode> demanded = ofEndpoints ? EnumSet.of(MrMode.ENDPOINT) : EnumSet.noneOf(MrMode.class);
        try (RdmaContext context = RdmaDevices.open("emulated:kept")) {
            final FabricInfo info = Fabrics.getInfo(new Hints().context(context)
                .mrMode(MrMode.ALLOCATED, MrMode.ENDPOINT).demand(demanded)).get(0);
            final Fabric fabric = Fabrics.open(info);
            final EventQueue queue = fabric.openEventQueue(4);
            final PassiveEndpoint passive = fabric.openPassiveEndpoint(info, queue, null);
            EmulatedCommands.refuseNext(context, Command.DESTROY_PD);
            assertRefused(FiErrno.FI_EINVAL, passive::close, "DESTROY_PD");
            assertThat(passive.isClosed()).isTrue();
            queue.close();
            fabric.close();
            assertThat(fabric.isClosed()).isTrue();
        }
    }
}
