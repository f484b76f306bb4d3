/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An endpoint lives on when one of its operations fails at this side's memory. */
@Timeout(120)
class MendingTest {
    /** Nobody maps anything here. */
    private static final long NOWHERE = 0x6000_0000_0000L;

    private static MemoryRegion brief(final Rig rig, final int offset) {
        return rig.domain.register(new MrAttributes().buffer(rig.at(offset), 4096)
            .access(MrAccess.SEND, MrAccess.RECV));
    }

    /** The region goes while a receive waits in it: the datagram that takes this receive breaks the queue pair. */
    @Test
    void aReceiveThatFailsTakesNoOthersAlong() {
        try (Rig rig = new Rig("")) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final long toA = rig.name(a);
            for (int round = 0; round < 5; round++) {
                final MemoryRegion gone = brief(rig, 4096);
                rig.post(() -> b.receive(rig.at(8192), 64, null, FiAddr.UNSPEC, 1));
                rig.post(() -> b.receive(rig.at(4096), 64, gone, FiAddr.UNSPEC, 2));
                rig.post(() -> b.receive(rig.at(8256), 64, null, FiAddr.UNSPEC, 3));
                rig.post(() -> b.receive(rig.at(8320), 64, null, FiAddr.UNSPEC, 4));
                gone.close();
                rig.post(() -> a.send(rig.at(0), 11, null, toB, 9));
                rig.post(() -> a.send(rig.at(0), 12, null, toB, 9));
                assertThat(rig.received(b)).matches(one -> one.context() == 1 && one.length() == 11);
                final Rig.Done failed = rig.received(b);
                assertThat(failed.error()).as("%s", failed).isEqualTo("FI_EFAULT");
                assertThat(failed.context()).isEqualTo(2);
                assertThat(failed.text()).isNotBlank();
                rig.sent(a);
                rig.sent(a);
                mended(rig, b, round + 1);
                rig.fill(0, 64, round);
                for (int i = 3; i <= 4; i++) {
                    final int size = i;
                    rig.post(() -> a.send(rig.at(0), size, null, toB, 9));
                    final Rig.Done received = rig.received(b);
                    assertThat(received.errno()).as("%s", received).isZero();
                    assertThat(received.context()).isEqualTo(i);
                    assertThat(received.length()).isEqualTo(i);
                    rig.expect(8256 + 64 * (i - 3), i, round);
                    rig.sent(a);
                }
                rig.post(() -> a.receive(rig.at(8192), 64, null, FiAddr.UNSPEC, 5));
                rig.post(() -> b.send(rig.at(0), 13, null, toA, 6));
                assertThat(rig.sent(b).errno()).isZero();
                assertThat(rig.received(a).length()).isEqualTo(13);
            }
        }
    }

    private static void mended(final Rig rig, final AddressedEndpoint endpoint, final long times) {
        final long deadline = System.nanoTime() + 20_000_000_000L;
        while (((DatagramEndpoint) endpoint).mended() < times) {
            rig.take();
            assertThat(System.nanoTime() - deadline).as("%s", endpoint).isNegative();
        }
        assertThat(((DatagramEndpoint) endpoint).mended()).as("%s", endpoint).isEqualTo(times);
    }

    /** Receives are not touched by a send that fails; the device looks for pages when it sends. */
    @Test
    void aSendThatFailsStopsSendsForAMoment() {
        try (Rig rig = new Rig("")) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toA = rig.name(a);
            final long toB = rig.name(b);
            final MemoryRegion nothing = rig.keep(rig.domain.register(
                new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.SEND)));
            for (int round = 1; round <= 5; round++) {
                rig.post(() -> a.receive(rig.at(8192), 64, null, FiAddr.UNSPEC, 1));
                rig.post(() -> b.receive(rig.at(8192), 64, null, FiAddr.UNSPEC, 4));
                rig.post(() -> a.send(NOWHERE, 8, nothing, toB, 2));
                final Rig.Done failed = rig.sent(a);
                assertThat(failed.error()).as("%s", failed).isEqualTo("FI_EFAULT");
                mended(rig, a, round);
                rig.post(() -> b.send(rig.at(0), 14, null, toA, 3));
                assertThat(rig.received(a).length()).isEqualTo(14);
                rig.sent(b);
                rig.post(() -> a.send(rig.at(0), 15, null, toB, 5));
                assertThat(rig.sent(a).errno()).isZero();
                assertThat(rig.received(b).length()).isEqualTo(15);
            }
        }
    }

    /** Datagrams behind one whose memory is gone, posted before anybody knew of it, go once each, in order. */
    @Test
    void aSendThatFailsTakesNoOthersAlong() {
        try (Rig rig = new Rig("")) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final MemoryRegion nothing = rig.keep(rig.domain.register(
                new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.SEND)));
            final MemoryRegion desc = rig.region();
            for (int i = 0; i < 12; i++) {
                final int size = 20 + i;
                rig.post(() -> b.receive(rig.at(8192 + 64 * size), 64, desc, FiAddr.UNSPEC, size));
            }
            rig.fill(0, 64, 3);
            for (int i = 0; i < 15; i++) {
                final int size = 20 + i - (i + 1) / 5;
                final Message message = new Message(2).add(rig.at(0), 10, desc).add(rig.at(10), size - 10, desc)
                    .peer(toB).context(i);
                final int code = i % 5 == 3 ? a.send(NOWHERE, 8, nothing, toB, i)
                    : i % 5 == 0 ? a.inject(rig.bytes, 0, size, toB)
                    : i % 5 == 1 ? a.sendWithData(rig.at(0), size, desc, size, toB, i)
                    : a.sendMessage(message, 0);
                assertThat(code).as("send %d", i).isZero();
            }
            for (int i = 0; i < 15; i++) {
                if (i % 5 != 0) {
                    final Rig.Done sent = rig.sent(a);
                    assertThat(sent.context()).isEqualTo(i);
                    assertThat(sent.error()).as("%s", sent).isEqualTo(FiErrno.name(i % 5 == 3 ? FiErrno.FI_EFAULT : 0));
                }
            }
            for (int size = 20; size < 32; size++) {
                final Rig.Done received = rig.received(b);
                assertThat(received.length()).as("%s", received).isEqualTo(size);
                assertThat(received.context()).isEqualTo(size);
                rig.expect(8192 + 64 * size, size, 3);
            }
            mended(rig, a, 3);
        }
    }

    /** The receives stay. */
    @Test
    void bothDirectionsFailAtOnce() {
        try (Rig rig = new Rig("")) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final long toA = rig.name(a);
            final MemoryRegion nothing = rig.keep(rig.domain.register(
                new MrAttributes().buffer(NOWHERE, 4096).access(MrAccess.SEND, MrAccess.RECV)));
            assertThat(a.receive(NOWHERE, 64, nothing, FiAddr.UNSPEC, 1)).isZero();
            assertThat(a.receive(rig.at(8192), 64, null, FiAddr.UNSPEC, 2)).isZero();
            rig.post(() -> b.receive(rig.at(8256), 64, null, FiAddr.UNSPEC, 7));
            assertThat(b.send(rig.at(0), 8, null, toA, 3)).isZero();
            assertThat(a.send(NOWHERE, 8, nothing, toB, 4)).isZero();
            assertThat(a.send(rig.at(0), 8, null, toB, 5)).isZero();
            assertThat(rig.received(a)).matches(one -> one.context() == 1 && one.error().equals("FI_EFAULT"));
            assertThat(rig.sent(a)).matches(one -> one.context() == 4 && one.errno() != 0);
            assertThat(rig.sent(a)).matches(one -> one.context() == 5 && one.errno() == 0);
            assertThat(rig.received(b)).matches(one -> one.context() == 7 && one.length() == 8);
            rig.sent(b);
            // The send was flushed when the receive failed, and fails by itself when it is posted again.
            mended(rig, a, 2);
            rig.post(() -> b.send(rig.at(0), 9, null, toA, 6));
            assertThat(rig.received(a)).matches(one -> one.context() == 2 && one.length() == 9);
        }
    }
}
