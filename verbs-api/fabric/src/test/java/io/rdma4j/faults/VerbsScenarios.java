/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;

import java.nio.ByteBuffer;
import java.time.Duration;

/** Programs of the verbs. */
final class VerbsScenarios {
    private static final int LENGTH = 64;
    private static final int PAGES = 16 * 4096;
    private static final int LARGE = 5 << 20;
    private static final Duration PATIENCE = Patience.duration();

    private VerbsScenarios() {
    }

    static void traffic(final Scenario.Place place) {
        try (RdmaContext context = RdmaDevices.open(place.device(0))) {
            exchange(context, context, PAGES);
        }
    }

    static void largeMemory(final Scenario.Place place) {
        try (RdmaContext context = RdmaDevices.open(place.device(0))) {
            exchange(context, context, LARGE);
        }
    }

    static void betweenDevices(final Scenario.Place place) {
        between(place.device(0), place.device(1));
    }

    static void betweenSockets(final Scenario.Place place) {
        final int host = Math.floorMod(place.name().hashCode(), 200);
        between(place.device(0).replace("port=0", "address=127.17." + host + ".1"),
            place.device(1).replace("port=0", "address=127.17." + host + ".2"));
    }

    private static void between(final String near, final String far) {
        try (RdmaContext one = RdmaDevices.open(near); RdmaContext other = RdmaDevices.open(far)) {
            exchange(one, other, PAGES);
        }
    }

    private static void exchange(final RdmaContext near, final RdmaContext far, final int length) {
        try (ProtectionDomain nearPd = near.allocatePd();
             ProtectionDomain farPd = far.allocatePd();
             PinnedMemory from = near.allocate(length);
             PinnedMemory to = far.allocate(length);
             MemoryRegion source = nearPd.register(from, AccessFlag.LOCAL_WRITE);
             MemoryRegion target = farPd.register(to, AccessFlag.LOCAL_WRITE);
             CompletionQueue sent = near.createCq(16);
             CompletionQueue came = far.createCq(16);
             QueuePair sender = nearPd.createQp(new QpOptions().cq(sent).maxSendWr(8).maxReceiveWr(8));
             QueuePair receiver = farPd.createQp(new QpOptions().cq(came).maxSendWr(8).maxReceiveWr(8))) {
            // Where messages get lost it is over in a tenth of the usual time.
            final QpAttributes soon = new QpAttributes().timeout(11);
            QpConnector.connect(sender, receiver.localAddress(), soon);
            QpConnector.connect(receiver, sender.localAddress(), soon);
            from.buffer().putLong(0, length);
            post(receiver.postReceive(1, to.address(), LENGTH, target.lkey()));
            post(sender.postSend(2, from.address(), LENGTH, source.lkey()));
            // Both queues, as with a wire that is polled each end has work to do.
            final int[] done = new int[1];
            Await.until(() -> "sent and received, " + done[0], () -> {
                done[0] += sent.poll(VerbsScenarios::look, 1) + came.poll(VerbsScenarios::look, 1);
                return done[0] == 2;
            });
            assertThat(to.buffer().getLong(0)).isEqualTo(length);
        }
    }

    static void registration(final Scenario.Place place) {
        try (RdmaContext context = RdmaDevices.open(place.device(0));
             ProtectionDomain pd = context.allocatePd();
             PinnedMemory pinned = context.allocate(PAGES);
             MemoryRegion ofPinned = pd.register(pinned, AccessFlag.LOCAL_WRITE);
             Fd file = Fd.of(Libc.memfdCreate("faults", 0), "faults")) {
            Libc.ftruncate(file.fd(), PAGES);
            final ByteBuffer direct = ByteBuffer.allocateDirect(PAGES);
            try (MemoryRegion ofBuffer = pd.register(direct, AccessFlag.LOCAL_WRITE);
                 MappedMemory anonymous = MappedMemory.anonymous(PAGES);
                 MemoryRegion ofMapping = pd.register(anonymous.address(), PAGES, AccessFlag.LOCAL_WRITE);
                 MappedMemory shared = MappedMemory.map(0, PAGES, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
                     LibcConstants.MAP_SHARED, file.fd(), 0);
                 MemoryRegion ofFile = pd.register(shared.address(), PAGES, AccessFlag.REMOTE_READ);
                 MappedMemory unlocked = MappedMemory.anonymous(PAGES);
                 MemoryRegion onDemand = pd.register(unlocked.address(), PAGES, AccessFlag.ON_DEMAND)) {
                ofMapping.reregister(new MrOptions().access(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
                ofMapping.refresh(ofMapping.address(), PAGES);
                ofBuffer.reregister(new MrOptions().memory(anonymous.address(), PAGES));
                assertThat(ofPinned.lkey()).isNotEqualTo(ofFile.lkey());
                assertThat(onDemand.isClosed()).isFalse();
            }
        }
    }

    static void events(final Scenario.Place place) {
        try (RdmaContext context = RdmaDevices.open(place.device(0));
             CompletionChannel channel = context.createChannel();
             CompletionQueue cq = context.createCq(16, channel);
             ProtectionDomain pd = context.allocatePd();
             PinnedMemory memory = context.allocate(PAGES);
             MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
             AsyncEventSubscription listening = context.listen(event -> { });
             QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(4).maxReceiveWr(4))) {
            QpConnector.connect(qp, qp.localAddress());
            cq.requestNotify(false);
            message(qp, memory, region);
            assertThat(channel.await(PATIENCE)).isSameAs(cq);
            assertThat(cq.poll(VerbsScenarios::look, 4)).isEqualTo(2);
            message(qp, memory, region);
            final CompletionWaiter waiter = CompletionWaiter.blocking(cq).spins(0);
            int came = 0;
            while (came < 2) {
                final int some = waiter.await(VerbsScenarios::look, 2, PATIENCE);
                assertThat(some).isPositive();
                came += some;
            }
            assertThat(context.pollAsyncEvent()).isNull();
            assertThat(listening).isNotNull();
        }
    }

    private static void message(final QueuePair qp, final PinnedMemory memory, final MemoryRegion region) {
        post(qp.postReceive(1, memory.address() + LENGTH, LENGTH, region.lkey()));
        post(qp.postSend(2, memory.address(), LENGTH, region.lkey()));
    }

    private static void post(final int code) {
        if (code != ReturnCode.OK) {
            throw new RefusedException("a post: " + code);
        }
    }

    private static void look(final Completion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            throw new RefusedException("a completion: " + completion.status());
        }
    }
}
