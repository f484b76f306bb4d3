/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.pvrdma.EmulatedCommands;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An endpoint lives on when one of its operations fails at this side's memory. */
@Timeout(120)
class MendingTest {
    /** Nobody maps anything here. */
    private static final long NOWHERE = 0x6000_0000_0000L;

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private static MemoryRegion brief(final DatagramNode node, final int offset) {
        return node.domain.register(new MrAttributes().buffer(node.at(offset), 4096)
            .access(MrAccess.SEND, MrAccess.RECV));
    }

    /** The region goes while a receive waits in it: the datagram that takes this receive breaks the queue pair. */
    @Test
    void aReceiveThatFailsTakesNoOthersAlong() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final long toA = node.name(a);
        for (int round = 0; round < 5; round++) {
            final MemoryRegion gone = brief(node, 4096);
            node.post(() -> b.receive(node.at(8192), 64, null, FiAddr.UNSPEC, 1));
            node.post(() -> b.receive(node.at(4096), 64, gone, FiAddr.UNSPEC, 2));
            node.post(() -> b.receive(node.at(8256), 64, null, FiAddr.UNSPEC, 3));
            node.post(() -> b.receive(node.at(8320), 64, null, FiAddr.UNSPEC, 4));
            gone.close();
            node.post(() -> a.send(node.at(0), 11, null, toB, 9));
            node.post(() -> a.send(node.at(0), 12, null, toB, 9));
            assertThat(node.received(b)).matches(one -> one.context() == 1 && one.length() == 11);
            final Done failed = node.received(b);
            assertThat(failed.error()).as("%s", failed).isEqualTo("FI_EFAULT");
            assertThat(failed.context()).isEqualTo(2);
            assertThat(failed.text()).isNotBlank();
            node.sent(a);
            node.sent(a);
            mended(node, b, round + 1);
            node.fill(0, 64, round);
            for (int i = 3; i <= 4; i++) {
                final int size = i;
                node.post(() -> a.send(node.at(0), size, null, toB, 9));
                final Done received = node.received(b);
                assertThat(received.errno()).as("%s", received).isZero();
                assertThat(received.context()).isEqualTo(i);
                assertThat(received.length()).isEqualTo(i);
                node.expect(8256 + 64 * (i - 3), i, round);
                node.sent(a);
            }
            node.post(() -> a.receive(node.at(8192), 64, null, FiAddr.UNSPEC, 5));
            node.post(() -> b.send(node.at(0), 13, null, toA, 6));
            assertThat(node.sent(b).errno()).isZero();
            assertThat(node.received(a).length()).isEqualTo(13);
        }
    }

    private static void mended(final DatagramNode node, final AddressedEndpoint endpoint, final long times) {
        node.until(() -> ((DatagramEndpoint) endpoint).mended() >= times);
        assertThat(((DatagramEndpoint) endpoint).mended()).as("%s", endpoint).isEqualTo(times);
    }

    /** What it has sent before completes where nobody looks. */
    @Test
    void aReceiveThatFailedIsMendedByWhoReadsReceivesAlone() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressedEndpoint a = node.open(
            node.options().completionQueues(node.keep(node.domain.openCompletionQueue(16)), node.cq));
        final AddressedEndpoint b = node.open();
        final long toA = node.name(a);
        final long toB = node.name(b);
        final MemoryRegion nothing = node.keep(node.domain.register(
            new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.RECV)));
        node.post(() -> a.receive(NOWHERE, 64, nothing, FiAddr.UNSPEC, 1));
        node.post(() -> a.send(node.at(0), 8, null, toB, 2));
        node.post(() -> b.send(node.at(0), 8, null, toA, 3));
        node.sent(b);
        assertThat(node.received(a).error()).isEqualTo("FI_EFAULT");
        mended(node, a, 1);
    }

    /** Receives are not touched by a send that fails; the device looks for pages when it sends. */
    @Test
    void aSendThatFailsStopsSendsForAMoment() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toA = node.name(a);
        final long toB = node.name(b);
        final MemoryRegion nothing = node.keep(node.domain.register(
            new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.SEND)));
        for (int round = 1; round <= 5; round++) {
            node.post(() -> a.receive(node.at(8192), 64, null, FiAddr.UNSPEC, 1));
            node.post(() -> b.receive(node.at(8192), 64, null, FiAddr.UNSPEC, 4));
            node.post(() -> a.send(NOWHERE, 8, nothing, toB, 2));
            final Done failed = node.sent(a);
            assertThat(failed.error()).as("%s", failed).isEqualTo("FI_EFAULT");
            mended(node, a, round);
            node.post(() -> b.send(node.at(0), 14, null, toA, 3));
            assertThat(node.received(a).length()).isEqualTo(14);
            node.sent(b);
            node.post(() -> a.send(node.at(0), 15, null, toB, 5));
            assertThat(node.sent(a).errno()).isZero();
            assertThat(node.received(b).length()).isEqualTo(15);
        }
    }

    /** Datagrams behind one whose memory is gone, posted before anybody knew of it, go once each, in order. */
    @Test
    void aSendThatFailsTakesNoOthersAlong() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final MemoryRegion nothing = node.keep(node.domain.register(
            new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.SEND)));
        final MemoryRegion desc = node.region();
        for (int i = 0; i < 12; i++) {
            final int size = 20 + i;
            node.post(() -> b.receive(node.at(8192 + 64 * size), 64, desc, FiAddr.UNSPEC, size));
        }
        node.fill(0, 64, 3);
        for (int i = 0; i < 15; i++) {
            final int size = 20 + i - (i + 1) / 5;
            final Message message = new Message(2).add(node.at(0), 10, desc).add(node.at(10), size - 10, desc)
                .peer(toB).context(i);
            final int code = i % 5 == 3 ? a.send(NOWHERE, 8, nothing, toB, i)
                : i % 5 == 0 ? a.inject(node.bytes, 0, size, toB)
                : i % 5 == 1 ? a.sendWithData(node.at(0), size, desc, size, toB, i)
                : a.sendMessage(message, 0);
            assertThat(code).as("send %d", i).isZero();
        }
        for (int i = 0; i < 15; i++) {
            if (i % 5 != 0) {
                final Done sent = node.sent(a);
                assertThat(sent.context()).isEqualTo(i);
                assertThat(sent.error()).as("%s", sent).isEqualTo(FiErrno.name(i % 5 == 3 ? FiErrno.FI_EFAULT : 0));
            }
        }
        for (int size = 20; size < 32; size++) {
            final Done received = node.received(b);
            assertThat(received.length()).as("%s", received).isEqualTo(size);
            assertThat(received.context()).isEqualTo(size);
            node.expect(8192 + 64 * size, size, 3);
        }
        mended(node, a, 3);
    }

    /** All of them were flushed, and go again: as they were given. */
    @Test
    void aSendThatIsRefusedChangesNoneThatIsUnderWay() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressedEndpoint a = node.open(node.options().sizes(4, 4));
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final MemoryRegion nothing = node.keep(node.domain.register(
            new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.RECV)));
        assertThat(a.receive(NOWHERE, 64, nothing, FiAddr.UNSPEC, 1)).isZero();
        final long toA = node.name(a);
        assertThat(b.send(node.at(0), 8, null, toA, 3)).isZero();
        for (int i = 0; i < 4; i++) {
            final int context = i;
            node.post(() -> b.receive(node.at(8192), 64, null, FiAddr.UNSPEC, context));
            assertThat(a.send(node.at(0), 10 + i, null, toB, i)).isZero();
        }
        assertThat(a.sendWithData(node.at(0), 9, null, 77, toB, 9)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(a.injectWithData(node.bytes, 0, 9, 78, toB)).isEqualTo(-FiErrno.FI_EAGAIN);
        for (int i = 0; i < 4; i++) {
            assertThat(node.sent(a).errno()).isZero();
            final Done received = node.received(b);
            assertThat(received.length()).as("%s", received).isEqualTo(10 + i);
            assertThat(received.hasData()).as("%s", received).isFalse();
        }
    }

    /** The receives stay. */
    @Test
    void bothDirectionsFailAtOnce() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final long toA = node.name(a);
        final MemoryRegion nothing = node.keep(node.domain.register(
            new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.SEND, MrAccess.RECV)));
        assertThat(a.receive(NOWHERE, 64, nothing, FiAddr.UNSPEC, 1)).isZero();
        assertThat(a.receive(node.at(8192), 64, null, FiAddr.UNSPEC, 2)).isZero();
        node.post(() -> b.receive(node.at(8256), 64, null, FiAddr.UNSPEC, 7));
        assertThat(b.send(node.at(0), 8, null, toA, 3)).isZero();
        assertThat(a.send(NOWHERE, 8, nothing, toB, 4)).isZero();
        assertThat(a.send(node.at(0), 8, null, toB, 5)).isZero();
        assertThat(node.received(a)).matches(one -> one.context() == 1 && one.error().equals("FI_EFAULT"));
        assertThat(node.sent(a)).matches(one -> one.context() == 4 && one.errno() != 0);
        assertThat(node.sent(a)).matches(one -> one.context() == 5 && one.errno() == 0);
        assertThat(node.received(b)).matches(one -> one.context() == 7 && one.length() == 8);
        node.sent(b);
        // The send was flushed when the receive failed, and fails by itself when it is posted again.
        mended(node, a, 2);
        node.post(() -> b.send(node.at(0), 9, null, toA, 6));
        assertThat(node.received(a)).matches(one -> one.context() == 2 && one.length() == 9);
    }

    /** The device does not take a step: what was to go again is over, and nothing goes any more. */
    @ParameterizedTest
    @CsvSource({"false, 0", "true, 0", "true, 1", "true, 2", "true, 3"})
    void whatCannotBeMendedIsLost(final boolean byReceive, final int stepsBefore) {
        final DatagramNode node = DatagramNode.on(devices, "");
        final Counter failures = node.keep(node.domain.openCounter());
        final AddressedEndpoint a = node.open(node.options().counter(failures, CounterEvent.SEND)
            .counter(failures, CounterEvent.RECV));
        final AddressedEndpoint b = node.open();
        final long toA = node.name(a);
        final long toB = node.name(b);
        final MemoryRegion nothing = node.keep(node.domain.register(
            new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.SEND, MrAccess.RECV)));
        assertThat(a.receive(byReceive ? NOWHERE : node.at(8192), 64, byReceive ? nothing : null, FiAddr.UNSPEC, 1))
            .isZero();
        assertThat(a.receive(node.at(8192), 64, null, FiAddr.UNSPEC, 2)).isZero();
        assertThat(b.receive(node.at(8256), 64, null, FiAddr.UNSPEC, 8)).isZero();
        if (byReceive) {
            assertThat(b.send(node.at(0), 8, null, toA, 3)).isZero();
        }
        assertThat(a.send(byReceive ? node.at(0) : NOWHERE, 8, byReceive ? null : nothing, toB, 4)).isZero();
        assertThat(a.send(node.at(0), 8, null, toB, 5)).isZero();
        EmulatedCommands.refuseAfter(node.context, Command.MODIFY_QP, stepsBefore);
        if (byReceive) {
            assertThat(node.received(a)).matches(one -> one.context() == 1 && one.error().equals("FI_EFAULT"));
            assertThat(node.sent(b).errno()).isZero();
        } else {
            assertThat(node.sent(a)).matches(one -> one.context() == 4 && one.error().equals("FI_EFAULT"));
        }
        for (int context = byReceive ? 4 : 5; context <= 5; context++) {
            final int which = context;
            final Done sent = node.sent(a);
            assertThat(sent.error()).as("%s, %s, %s", sent, sent.text(), a).isEqualTo("FI_ECANCELED");
            assertThat(sent.context()).isEqualTo(context);
        }
        for (int context = byReceive ? 2 : 1; context <= 2; context++) {
            final int which = context;
            assertThat(node.received(a)).matches(one -> one.context() == which && one.error().equals("FI_ECANCELED"));
        }
        assertThat(a.send(node.at(0), 8, null, toB, 6)).isEqualTo(-FiErrno.FI_EIO);
        // Their memory is the application's again.
        node.bytes.setMemory(8192, 64, (byte) 0x55);
        assertThat(b.send(node.at(0), 8, null, toA, 7)).isZero();
        assertThat(node.sent(b).errno()).isZero();
        for (int i = 0; i < 64; i++) {
            assertThat(node.bytes.getByte(8192 + i)).isEqualTo((byte) 0x55);
        }
        assertThat(a.receive(node.at(8192), 64, null, FiAddr.UNSPEC, 8)).isEqualTo(-FiErrno.FI_EIO);
        node.silence();
        assertThat(((DatagramEndpoint) a).mended()).isZero();
        assertThat(failures.readError()).as("each is over once").isEqualTo(4);
    }
}
