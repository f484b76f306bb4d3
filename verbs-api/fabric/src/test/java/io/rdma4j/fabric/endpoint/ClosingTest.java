/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.pvrdma.EmulatedCommands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.agrona.BufferUtil;

/** What becomes of operations when an endpoint is closed, and what several endpoints of one queue have in common. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ClosingTest {
    /** Two chunks of the arena: which holes rings get depends on when those before have rested. */
    private static final long APART = 2 * 256 * 1024;
    /** The device tells of an operation after it has written what it writes. */
    private static final long TOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Set<Thread.State> BUSY = EnumSet.of(Thread.State.NEW, Thread.State.RUNNABLE);

    @RegisterExtension
    final Sides sides = new Sides();

    @Test
    void whatIsUnderWayIsCancelledAndWhatIsOverIsNot() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(0);
        for (int i = 0; i < 16; i++) {
            assertThat(a.ep.receive(a.at(8 * i), 8, i % 2 == 0 ? desc : null, i)).isZero();
        }
        // Nobody receives these.
        assertThat(a.ep.send(a.at(0), 8, desc, 100)).isZero();
        assertThat(a.ep.send(a.at(0), 8, null, 101)).isZero();
        assertThat(a.ep.write(a.at(0), 8, desc, region.base(), region.key(), 200)).isZero();
        a.ep.close();
        final List<Done> all = new ArrayList<>();
        while (all.size() < 19) {
            all.add(a.next());
        }
        assertThat(a.cq.read(e -> { }, 1)).isZero();
        final List<Done> receives = all.stream().filter(d -> d.kind() == OperationKind.RECEIVE).toList();
        assertThat(receives).hasSize(16).allMatch(d -> d.errno() == FiErrno.FI_ECANCELED)
            .extracting(Done::context).isSorted();
        assertThat(all.stream().filter(d -> d.kind() == OperationKind.SEND)).hasSize(2)
            .allMatch(d -> d.errno() == FiErrno.FI_ECANCELED && d.text().contains("closed"));
        assertThat(all.stream().filter(d -> d.kind() == OperationKind.WRITE)).singleElement()
            .matches(d -> d.errno() == 0);
        desc.close();
    }

    /** The device's events have a thread, which the last one to close waits for. */
    @Test
    void whoIsInterruptedClosesEverythingAsWell() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final MemoryRegion region = both[1].register(0);
        assertThat(both[0].ep.write(both[0].at(0), 8, null, region.base(), region.key(), 1)).isZero();
        Thread.currentThread().interrupt();
        final boolean isInterrupted;
        try {
            both[0].close();
            both[1].close();
        } finally {
            isInterrupted = Thread.interrupted();
        }
        assertThat(isInterrupted).isTrue();
        assertThat(both[1].domain.isClosed()).isTrue();
    }

    /** Found by the campaign of misuse. */
    @Test
    void anEndpointKnowsItsAddressWhenItsDeviceIsClosed() {
        final Side a = sides.open(sides.device(""), Mode.PROV_KEY_VIRT.hints(), new EndpointOptions());
        final FabricAddress address = a.ep.address();
        a.context.close();
        assertThat(a.ep.address()).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 200, 256})
    void allThatIsOverIsReportedAsItWent(final int count) {
        final EndpointOptions options = new EndpointOptions().sizes(256, 256);
        final Side a = sides.open(sides.device(""), Mode.PROV_KEY_VIRT.hints(), options);
        final Side b = sides.open(sides.device(""), Mode.PROV_KEY_VIRT.hints(), options);
        Side.connect(a, b);
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(0);
        for (int i = 0; i < count; i++) {
            assertThat(a.ep.fetchAdd(a.at(0), desc, 1, region.base(), region.key(), i)).isZero();
        }
        awaitValue(b, count);
        LockSupport.parkNanos(TOLD_NANOS);
        a.ep.close();
        for (int i = 0; i < count; i++) {
            final Done one = a.next();
            assertThat(one.errno()).as(one.toString()).isZero();
            assertThat(one.context()).isEqualTo(i);
        }
        assertThat(a.cq.read(e -> { }, 1)).isZero();
    }

    /** While its ring is replaced a queue looks empty: what is over is there all the same. */
    @Test
    void whatIsOverIsNotLostWhileTheQueueGrows() throws InterruptedException {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = both[1].register(0);
        assertThat(a.ep.fetchAdd(a.at(0), desc, 1, region.base(), region.key(), 7)).isZero();
        awaitValue(both[1], 1);
        LockSupport.parkNanos(TOLD_NANOS);
        final CountDownLatch replaced = new CountDownLatch(1);
        final CountDownLatch goesOn = new CountDownLatch(1);
        EmulatedCommands.afterNext(a.context, Command.RESIZE_CQ_RING, () -> {
            replaced.countDown();
            await(goesOn);
        });
        final Thread opener = DaemonThreads.start("opens another endpoint", () -> a.domain.openEndpoint(
            new EndpointOptions().completionQueue(a.cq).sizes(256, 256)).close());
        Patience.await(replaced, "the queue grows");
        final Thread closer = DaemonThreads.start("closes the endpoint", a.ep::close);
        try {
            Await.until(closer::toString, () -> !BUSY.contains(closer.getState()));
        } finally {
            goesOn.countDown();
        }
        Patience.join(closer);
        Patience.join(opener);
        final Done one = a.next();
        assertThat(one.errno()).as(one.toString()).isZero();
        assertThat(one.context()).isEqualTo(7);
    }

    private static void await(final CountDownLatch latch) {
        try {
            Patience.await(latch, "the test goes on");
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Completions of a queue pair that is closed lie before, and are passed over. */
    @Test
    void allThatIsOverIsReportedBehindWhatAClosedQueuePairLeft() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final Side b = sides.open(Mode.PROV_KEY_VIRT.hints());
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(0);
        final CompletionQueue sent = a.domain.openCompletionQueue(8);
        final MsgEndpoint ep = a.domain.openEndpoint(new EndpointOptions().completionQueues(sent, a.cq).sizes(256, 8));
        ep.connect(b.ep.name());
        b.ep.connect(ep.name());
        leaveCompletions(a, sent);
        for (int i = 0; i < 200; i++) {
            assertThat(ep.fetchAdd(a.at(0), desc, 1, region.base(), region.key(), i)).isZero();
        }
        awaitValue(b, 200);
        LockSupport.parkNanos(TOLD_NANOS);
        ep.close();
        final List<Done> all = new ArrayList<>();
        while (all.size() < 200) {
            assertThat(sent.read(entry -> all.add(Done.of(entry)), 200)).isPositive();
        }
        assertThat(all).allMatch(one -> one.errno() == 0).extracting(Done::context).isSorted();
        sent.close();
    }

    private static void leaveCompletions(final Side side, final CompletionQueue queue) {
        final ProtectionDomain pd = side.context.allocatePd();
        final QueuePair qp = pd.createQp(new QpOptions().cq(((FabricCompletionQueue) queue).cq()).maxReceiveWr(8));
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        for (int i = 0; i < 8; i++) {
            assertThat(qp.postReceive(i, side.at(0), 0, 0)).isEqualTo(ReturnCode.OK);
        }
        qp.modify(QpAttributes.to(QpState.ERR));
        LockSupport.parkNanos(TOLD_NANOS);
        qp.close();
        pd.close();
    }

    private static void awaitValue(final Side side, final long value) {
        Await.until(() -> side.bytes.getLong(0) + " of " + value, () -> side.bytes.getLongVolatile(0) == value);
    }

    /** The peer was told that they have arrived. */
    @ParameterizedTest
    @ValueSource(ints = {1, 64, 200})
    void dataOfPeersIsReportedAfterClosing(final int count) {
        final EndpointOptions options = new EndpointOptions().sizes(256, 256);
        final Side a = sides.open(sides.device(""), Mode.PROV_KEY_VIRT.hints(), options);
        final Side b = sides.open(sides.device(""), Mode.PROV_KEY_VIRT.hints(), options);
        Side.connect(a, b);
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(0);
        for (int i = 0; i < count; i++) {
            final int data = i;
            a.succeeds(() -> a.ep.writeWithData(a.at(0), 8, desc, data, region.base(), region.key(), 1));
        }
        b.ep.close();
        for (int i = 0; i < count; i++) {
            final Done one = b.next();
            assertThat(one.kind()).isEqualTo(OperationKind.REMOTE_WRITE);
            assertThat(one.hasData()).isTrue();
            assertThat(one.data()).isEqualTo(i);
            assertThat(one.length()).isEqualTo(8);
            assertThat(one.endpoint()).isSameAs(b.ep);
        }
        assertThat(b.cq.read(e -> { }, 1)).isZero();
    }

    @Test
    void closingInACallback() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = both[1].register(0);
        a.ep.receive(a.at(0), 8, desc, 1);
        a.ep.write(a.at(0), 8, desc, region.base(), region.key(), 2);
        a.ep.write(a.at(0), 8, desc, region.base(), region.key(), 3);
        final List<Long> seen = new ArrayList<>();
        while (seen.size() < 3) {
            assertThat(a.cq.read(e -> {
                seen.add(e.context());
                a.ep.close();
            }, 8)).isNotNegative();
        }
        assertThat(seen).containsExactly(2L, 3L, 1L);
    }

    @Test
    void peerThatIsGoneEndsTheConnection() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(0);
        final long key = region.key();
        b.ep.close();
        assertThat(a.ep.write(a.at(0), 8, desc, region.base(), key, 1)).isZero();
        assertThat(a.ep.write(a.at(0), 8, desc, region.base(), key, 2)).isZero();
        assertThat(a.nextAfterSilence().errno()).isEqualTo(FiErrno.FI_ETIMEDOUT);
        assertThat(a.next().errno()).isEqualTo(FiErrno.FI_ECANCELED);
        assertThat(a.ep.isConnected()).isFalse();
        assertThat(a.ep.write(a.at(0), 8, desc, region.base(), key, 3)).isEqualTo(-FiErrno.FI_ENOTCONN);
    }

    @Test
    void twoEndpointsOfOneQueueAndOneWithTwo() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final Side b = sides.open(Mode.PROV_KEY_VIRT.hints());
        Side.connect(a, b);
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(0);
        final CompletionQueue arrivals = b.domain.openCompletionQueue(8);
        final MsgEndpoint a2 = a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq).sizes(4, 4));
        final MsgEndpoint b2 =
            b.domain.openEndpoint(new EndpointOptions().completionQueues(b.cq, arrivals).sizes(4, 4));
        a2.connect(b2.name());
        b2.connect(a2.name());
        assertThat(a.ep.writeWithData(a.at(0), 8, desc, 1, region.base(), region.key(), 1)).isZero();
        assertThat(a2.writeWithData(a.at(0), 8, desc, 2, region.base(), region.key(), 2)).isZero();
        assertThat(List.of(a.next().endpoint(), a.next().endpoint())).containsExactlyInAnyOrder(a.ep, a2);
        final Done there = b.next();
        assertThat(there.endpoint()).isSameAs(b.ep);
        assertThat(there.data()).isEqualTo(1);
        final int[] data = new int[1];
        assertThat(arrivals.read(e -> data[0] = e.data(), 8)).isOne();
        assertThat(data[0]).isEqualTo(2);
        assertRefused(FiErrno.FI_EBUSY, arrivals::close);
        assertRefused(FiErrno.FI_EBUSY, a.cq::close);
        assertThat(b2.receive(b.at(0), 8, null, 3)).isZero();
        b2.close();
        final int[] errno = new int[1];
        assertThat(arrivals.read(e -> errno[0] = e.errno(), 8)).isOne();
        assertThat(errno[0]).isEqualTo(FiErrno.FI_ECANCELED);
        arrivals.close();
        a2.close();
        assertRefused(FiErrno.FI_EBUSY, a.cq::close);
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, region.base(), region.key(), 4));
    }

    /** The queue that was opened is far too small for all of them. */
    @Test
    void queueGrowsWithItsEndpoints() {
        final Side a = sides.open(Mode.PROV_KEY_VIRT.hints());
        final CompletionQueue tiny = a.domain.openCompletionQueue(1);
        final List<MsgEndpoint> all = new ArrayList<>();
        final MemoryRegion region = a.register(0);
        for (int i = 0; i < 20; i++) {
            all.add(a.domain.openEndpoint(new EndpointOptions().completionQueue(tiny).sizes(16, 16)));
            if (i % 2 == 1) {
                all.get(i).connect(all.get(i - 1).name());
                all.get(i - 1).connect(all.get(i).name());
            }
        }
        for (int n = 0; n < 16; n++) {
            for (final MsgEndpoint one : all) {
                assertThat(one.write(a.at(0), 8, region, region.base(), region.key(), n)).isZero();
            }
        }
        final int[] good = new int[1];
        int taken = 0;
        while (taken < 320) {
            final int code = tiny.read(e -> good[0] += e.isError() ? 0 : 1, 7);
            assertThat(code).isBetween(0, 7);
            taken += code;
        }
        assertThat(good[0]).isEqualTo(320);
        all.forEach(MsgEndpoint::close);
        tiny.close();
    }

    @Test
    void nothingIsLeft() {
        final Side a = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        final ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
        for (int i = 0; i < 30; i++) {
            openAndClose(a, buffer);
        }
        // The most of some: where a thread stands still in the middle of closing, the first rings' memory has rested
        // before the last ones' does.
        long after = 0;
        for (int i = 0; i < 5; i++) {
            after = Math.max(after, leftByOne(a, buffer));
        }
        // A page of each of these would be more than rings that lie apart from each other add.
        for (int i = 0; i < 150; i++) {
            openAndClose(a, buffer);
        }
        final long most = after + APART;
        a.until(() -> leftByOne(a, buffer) <= most);
        assertThat(buffer.isDirect()).isTrue();
    }

    /** Memory of closed rings rests for some milliseconds; then the next endpoint uses it. */
    private static long leftByOne(final Side a, final ByteBuffer buffer) {
        LockSupport.parkNanos(20_000_000);
        openAndClose(a, buffer);
        return a.context.reachableBytes();
    }

    private static void openAndClose(final Side a, final ByteBuffer buffer) {
        final MsgEndpoint one = a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq));
        assertThat(one.receive(BufferUtil.address(buffer), 4096, null, 7)).isZero();
        one.close();
        assertThat(a.next().errno()).isEqualTo(FiErrno.FI_ECANCELED);
    }

    @Test
    void messagesOnADeviceWithoutRma() {
        final Side a = sides.open(sides.device("quirks=qemu-7.2"), new io.rdma4j.fabric.Hints()
            .mrMode(io.rdma4j.fabric.MrMode.LOCAL, io.rdma4j.fabric.MrMode.ALLOCATED,
                io.rdma4j.fabric.MrMode.VIRT_ADDR, io.rdma4j.fabric.MrMode.PROV_KEY),
            new EndpointOptions().sizes(16, 16));
        final Side b = sides.open(sides.device("quirks=qemu-7.2"), new io.rdma4j.fabric.Hints()
            .mrMode(io.rdma4j.fabric.MrMode.LOCAL, io.rdma4j.fabric.MrMode.ALLOCATED,
                io.rdma4j.fabric.MrMode.VIRT_ADDR, io.rdma4j.fabric.MrMode.PROV_KEY),
            new EndpointOptions().sizes(16, 16));
        Side.connect(a, b);
        final MemoryRegion from = a.register(0, io.rdma4j.fabric.MrAccess.SEND);
        final MemoryRegion into = b.register(0, io.rdma4j.fabric.MrAccess.RECV);
        b.post(() -> b.ep.receive(b.at(0), 64, into, 1));
        a.bytes.putLong(0, 99);
        a.succeeds(() -> a.ep.send(a.at(0), 64, from, 2));
        assertThat(b.next().length()).isEqualTo(64);
        assertThat(b.bytes.getLong(0)).isEqualTo(99);
        assertThat(a.ep.write(a.at(0), 8, from, 0, 1, 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(a.ep.read(a.at(0), 8, from, 0, 1, 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(a.ep.fetchAdd(a.at(0), from, 1, 0, 1, 1)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
    }
}
