/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.region.EndpointRealm;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.testing.CutOffFile;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.ProtectionDomain;

import java.nio.ByteBuffer;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams of all forms. */
@Timeout(120)
class MessagesTest {
    private static final String FULL = "";

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    @ParameterizedTest
    @ValueSource(strings = {FULL, TestDevices.QEMU, "extensions=false"})
    void everySizeArrivesWithItsSender(final String options) {
        final DatagramNode node = DatagramNode.on(devices, options);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final long fromA = node.name(a);
        final int mtu = (int) node.info.endpointAttributes().maxMessageSize();
        final MemoryRegion region = node.region();
        int context = 0;
        for (final int size : new int[] {0, 1, 2, 63, 64, 65, 255, mtu - 1, mtu}) {
            final MemoryRegion desc = context % 2 == 0 ? region : null;
            node.fill(0, size, size);
            node.bytes.setMemory(8192, 8192, (byte) 0x55);
            final int id = context++;
            node.post(() -> b.receive(node.at(8192), mtu, desc, FiAddr.UNSPEC, 100 + id));
            node.post(() -> a.send(node.at(0), size, desc, toB, id));
            final Done sent = node.sent(a);
            assertThat(sent.errno()).as("%s", sent).isZero();
            assertThat(sent.context()).isEqualTo(id);
            final Done received = node.received(b);
            assertThat(received.errno()).as("%s", received).isZero();
            assertThat(received.context()).isEqualTo(100 + id);
            assertThat(received.length()).isEqualTo(size);
            assertThat(received.source()).isEqualTo(fromA);
            assertThat(received.hasData()).isFalse();
            node.expect(8192, size, size);
            assertThat(node.bytes.getByte(8192 + size)).isEqualTo((byte) 0x55);
        }
        assertThat(node.done).isEmpty();
    }

    /** QEMU's device sends to a GID only from the protection domain that did so first; memory has to be there too. */
    @ParameterizedTest
    @ValueSource(strings = {FULL, TestDevices.QEMU})
    void severalDomainsOfOneDevice(final String options) {
        final DatagramNode one = DatagramNode.on(devices, options);
        final DatagramNode two = DatagramNode.on(devices, new Hints().context(one.context));
        final AddressedEndpoint a = one.open();
        final AddressedEndpoint b = two.open();
        final AddressedEndpoint c = two.open(two.options().authKey(new byte[] {5}));
        final ProtectionDomain pd = ((EndpointRealm) a).realm().pd();
        assertThat(pd == ((EndpointRealm) b).realm().pd()).isEqualTo(options.equals(TestDevices.QEMU));
        assertThat(pd == ((EndpointRealm) c).realm().pd()).isEqualTo(options.equals(TestDevices.QEMU));
        final long toB = one.name(b);
        final long fromA = two.name(a);
        two.post(() -> b.receive(two.at(0), 100, null, FiAddr.UNSPEC, 1));
        one.post(() -> a.send(one.at(0), 100, null, toB, 2));
        assertThat(two.received(b).source()).isEqualTo(fromA);
        two.close();
        assertThat(pd.isClosed()).isFalse();
        one.post(() -> a.send(one.at(0), 100, null, toB, 2));
        one.sent(a);
        assertThat(one.sent(a).errno()).isZero();
    }

    /** Several buffers become one message, and one message several buffers. */
    @ParameterizedTest
    @ValueSource(strings = {FULL, TestDevices.QEMU})
    void buffersAreGatheredAndScattered(final String options) {
        final DatagramNode node = DatagramNode.on(devices, options);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final MemoryRegion region = node.region();
        final int parts = node.info.transmitAttributes().iovLimit();
        final int into = node.info.receiveAttributes().iovLimit();
        node.fill(0, 100 * parts, 3);
        final Message out = new Message(8).peer(toB).context(5);
        for (int i = 0; i < parts; i++) {
            out.add(node.at(100 * i), 100, i % 2 == 0 ? region : null);
        }
        final Message in = new Message(8).context(6);
        for (int i = 0; i < into; i++) {
            in.add(node.at(4096 + 1000 * i), i == into - 1 ? 900 : 10 * i, i % 2 == 0 ? null : region);
        }
        node.post(() -> b.receiveMessage(in, 0));
        node.post(() -> a.sendMessage(out, OpFlags.MORE));
        assertThat(node.sent(a).context()).isEqualTo(5);
        final Done received = node.received(b);
        assertThat(received.errno()).as("%s", received).isZero();
        assertThat(received.length()).isEqualTo(100L * parts);
        int at = 0;
        for (int i = 0; i < into; i++) {
            final int length = i == into - 1 ? 100 * parts - at : 10 * i;
            node.expect(4096 + 1000 * i, length, 3, at);
            at += length;
        }
        assertThat(node.domain.cache().statistics().inUse()).as("what the cache lent").isZero();
        assertThat(a.sendMessage(tooMany(node, parts + 1).peer(toB), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(b.receiveMessage(tooMany(node, into + 1), 0)).isEqualTo(-FiErrno.FI_EINVAL);
    }

    private static Message tooMany(final DatagramNode node, final int count) {
        final Message message = new Message(count);
        for (int i = 0; i < count; i++) {
            message.add(node.at(0), 1, null);
        }
        return message;
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, TestDevices.QEMU})
    void injectedMessagesAreTakenAtOnce(final String options) {
        final DatagramNode node = DatagramNode.on(devices, options);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final int most = node.info.transmitAttributes().injectSize();
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[most + 1]);
        for (int round = 0; round < 100; round++) {
            final int size = round % (most + 1);
            heap.setMemory(0, most, (byte) round);
            node.post(() -> b.receive(node.at(0), 256, null, FiAddr.UNSPEC, 9));
            node.post(() -> a.inject(heap, 0, size, toB));
            heap.setMemory(0, most, (byte) -1);
            final Done received = node.received(b);
            assertThat(received.length()).isEqualTo(size);
            for (int i = 0; i < size; i++) {
                assertThat(node.bytes.getByte(i)).isEqualTo((byte) round);
            }
        }
        // The message form is told of.
        node.fill(512, 64, 1);
        node.post(() -> b.receive(node.at(0), 256, null, FiAddr.UNSPEC, 9));
        node.post(() -> a.sendMessage(new Message(2).add(node.at(512), 30, null).add(node.at(542), 34, null).peer(toB)
            .context(7), OpFlags.INJECT | OpFlags.INJECT_COMPLETE));
        node.bytes.setMemory(512, 64, (byte) 0);
        assertThat(node.sent(a).context()).isEqualTo(7);
        assertThat(node.received(b).length()).isEqualTo(64);
        node.expect(0, 64, 1);
        node.post(() -> b.receive(node.at(0), 256, null, FiAddr.UNSPEC, 9));
        node.post(() -> a.sendMessage(new Message(1).add(node.at(512), most, null).peer(toB), OpFlags.INJECT));
        assertThat(node.sent(a).errno()).isZero();
        assertThat(node.received(b).length()).isEqualTo(most);
        assertThat(a.inject(heap, 0, most + 1, toB)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(a.sendMessage(new Message(1).add(node.at(0), most + 1, null).peer(toB), OpFlags.INJECT))
            .isEqualTo(-FiErrno.FI_EMSGSIZE);
        node.silence();
    }

    @Test
    void dataComeBesideMessages() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[8]);
        for (int i = 0; i < 3; i++) {
            node.post(() -> b.receive(node.at(0), 64, null, FiAddr.UNSPEC, 1));
        }
        node.post(() -> a.sendWithData(node.at(128), 8, null, 0xcafe_0001, toB, 2));
        node.post(() -> a.injectWithData(heap, 0, 8, 0xcafe_0002, toB));
        node.post(() -> a.sendMessage(new Message(1).add(node.at(128), 8, null).peer(toB).data(0xcafe_0003),
            OpFlags.REMOTE_CQ_DATA));
        for (int i = 1; i <= 3; i++) {
            final Done received = node.received(b);
            assertThat(received.hasData()).isTrue();
            assertThat(received.data()).isEqualTo(0xcafe_0000 + i);
            assertThat(received.length()).isEqualTo(8);
        }
    }

    /** QEMU's device loses immediate data: they are refused rather than lost. */
    @Test
    void dataAreRefusedWhereTheDeviceLosesThem() {
        final DatagramNode node = DatagramNode.on(devices, TestDevices.QEMU);
        final AddressedEndpoint a = node.open();
        final long toA = node.name(a);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[8]);
        assertThat(node.info.domainAttributes().cqDataSize()).isZero();
        assertThat(a.sendWithData(node.at(0), 8, null, 1, toA, 2)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        assertThat(a.injectWithData(heap, 0, 8, 1, toA)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        // More often than there are places.
        for (int i = 0; i < 40; i++) {
            assertThat(a.sendMessage(new Message(1).add(node.at(0), 8, null).peer(toA), OpFlags.REMOTE_CQ_DATA))
                .isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        }
        node.silence();
        assertThat(a.send(node.at(0), 8, null, toA, 3)).isZero();
        assertThat(node.sent(a).context()).isEqualTo(3);
    }

    /** Buffers without a descriptor come through the cache; one on the heap cannot. */
    @Test
    void buffersOfTheProcess() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final UnsafeBuffer from = new UnsafeBuffer(ByteBuffer.allocateDirect(4096));
        final UnsafeBuffer to = new UnsafeBuffer(ByteBuffer.allocateDirect(4096));
        from.putStringAscii(100, "a datagram");
        node.post(() -> b.receive(to, 200, 1000, FiAddr.UNSPEC, 1));
        node.post(() -> a.send(from, 100, 300, toB, 2));
        assertThat(node.sent(a).errno()).isZero();
        assertThat(node.received(b).length()).isEqualTo(300);
        assertThat(to.getStringAscii(200)).isEqualTo("a datagram");
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[100]);
        assertThat(a.send(heap, 0, 10, toB, 2)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(b.receive(heap, 0, 10, FiAddr.UNSPEC, 2)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.send(from, 4090, 7, toB, 2)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.cache()).isSameAs(node.domain.cache());
        assertThat(a.cache().statistics().misses()).isPositive();
        assertThat(a.cache().statistics().inUse()).as("what the cache lent").isZero();
    }

    @Test
    void completionsOnDemandOnly() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final AddressedEndpoint a = node.open(node.options().selectiveCompletion(true));
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        for (int i = 0; i < 40; i++) {
            final int id = i;
            node.post(() -> b.receive(node.at(0), 64, null, FiAddr.UNSPEC, id));
            if (i % 10 == 3) {
                node.post(() -> a.sendMessage(new Message(1).add(node.at(64), 8, null).peer(toB).context(id),
                    OpFlags.COMPLETION));
                assertThat(node.sent(a).context()).isEqualTo(id);
            } else {
                node.post(() -> a.send(node.at(64), 8, null, toB, id));
            }
            assertThat(node.received(b).context()).isEqualTo(id);
        }
        node.silence();
    }

    @Test
    void countersCount() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final Counter sent = node.domain.openCounter();
        final Counter received = node.domain.openCounter();
        final AddressedEndpoint a = node.open(node.options().counter(sent, CounterEvent.SEND)
            .counter(received, CounterEvent.RECV));
        final long toA = node.name(a);
        for (int i = 0; i < 5; i++) {
            node.post(() -> a.receive(node.at(0), 4, null, FiAddr.UNSPEC, 1));
            final int size = i < 3 ? 4 : 5;
            node.post(() -> a.send(node.at(64), size, null, toA, 2));
            node.sent(a);
            node.received(a);
        }
        assertThat(sent.read()).isEqualTo(5);
        assertThat(received.read()).isEqualTo(3);
        assertThat(received.readError()).isEqualTo(2);
        a.close();
        sent.close();
        received.close();
    }

    /** Queues for each direction, and one vector, shared by many. */
    @Test
    void severalEndpointsShareAVectorAndQueues() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final CompletionQueue other = node.domain.openCompletionQueue(16);
        final AddressedEndpoint[] all = new AddressedEndpoint[5];
        final long[] names = new long[all.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = node.open(i == 4 ? node.options().completionQueues(other, node.cq) : node.options());
            names[i] = node.name(all[i]);
        }
        for (int from = 0; from < all.length; from++) {
            for (int to = 0; to < all.length; to++) {
                final AddressedEndpoint sender = all[from];
                final AddressedEndpoint receiver = all[to];
                final long dest = names[to];
                node.post(() -> receiver.receive(node.at(0), 64, null, FiAddr.UNSPEC, 1));
                node.post(() -> sender.send(node.at(64), 8, null, dest, 2));
                assertThat(node.received(receiver).source()).isEqualTo(names[from]);
                if (from == 4) {
                    assertThat(other.awaitRead(entry -> assertThat(entry.context()).isEqualTo(2), 1,
                        Patience.duration())).isEqualTo(1);
                } else {
                    node.sent(sender);
                }
            }
        }
        all[4].close();
        other.close();
    }

    @Test
    void aMappedFileThatWasCutOffIsNotInjected() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        try (CutOffFile file = new CutOffFile(128)) {
            final UnsafeBuffer from = new UnsafeBuffer(file.bytes());
            final Message lost = new Message(1).add(from.addressOffset(), 128, null).peer(toB);
            file.cutOff();
            for (int i = 0; i < 20_000; i++) {
                assertThat(a.inject(from, 0, 128, toB)).isEqualTo(-FiErrno.FI_EFAULT);
                assertThat(a.injectWithData(from, 0, 128, 1, toB)).isEqualTo(-FiErrno.FI_EFAULT);
                assertThat(a.sendMessage(lost, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EFAULT);
            }
            file.growAgain();
            from.putByte(7, (byte) 8);
            node.post(() -> b.receive(node.at(8192), 128, null, FiAddr.UNSPEC, 1));
            node.post(() -> a.inject(from, 0, 128, toB));
            assertThat(node.received(b).length()).isEqualTo(128);
            assertThat(node.bytes.getByte(8192 + 7)).isEqualTo((byte) 8);
        }
    }
}
