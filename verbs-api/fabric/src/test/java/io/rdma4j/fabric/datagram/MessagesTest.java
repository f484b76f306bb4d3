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
import io.rdma4j.verbs.ProtectionDomain;

import java.nio.ByteBuffer;
import java.time.Duration;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams of all forms. */
@Timeout(120)
class MessagesTest {
    private static final String FULL = "";
    private static final String LIKE_QEMU = "?quirks=qemu-7.2";

    @ParameterizedTest
    @ValueSource(strings = {FULL, LIKE_QEMU, "?extensions=false"})
    void everySizeArrivesWithItsSender(final String options) {
        try (Rig rig = new Rig(options)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final long fromA = rig.name(a);
            final int mtu = (int) rig.info.endpointAttributes().maxMessageSize();
            final MemoryRegion region = rig.region();
            int context = 0;
            for (final int size : new int[] {0, 1, 2, 63, 64, 65, 255, mtu - 1, mtu}) {
                final MemoryRegion desc = context % 2 == 0 ? region : null;
                rig.fill(0, size, size);
                rig.bytes.setMemory(8192, 8192, (byte) 0x55);
                final int id = context++;
                rig.post(() -> b.receive(rig.at(8192), mtu, desc, FiAddr.UNSPEC, 100 + id));
                rig.post(() -> a.send(rig.at(0), size, desc, toB, id));
                final Rig.Done sent = rig.sent(a);
                assertThat(sent.errno()).as("%s", sent).isZero();
                assertThat(sent.context()).isEqualTo(id);
                final Rig.Done received = rig.received(b);
                assertThat(received.errno()).as("%s", received).isZero();
                assertThat(received.context()).isEqualTo(100 + id);
                assertThat(received.length()).isEqualTo(size);
                assertThat(received.source()).isEqualTo(fromA);
                assertThat(received.hasData()).isFalse();
                rig.expect(8192, size, size);
                assertThat(rig.bytes.getByte(8192 + size)).isEqualTo((byte) 0x55);
            }
            assertThat(rig.done).isEmpty();
        }
    }

    /** QEMU's device sends to a GID only from the protection domain that did so first; memory has to be there too. */
    @ParameterizedTest
    @ValueSource(strings = {FULL, LIKE_QEMU})
    void severalDomainsOfOneDevice(final String options) {
        try (Rig one = new Rig(options)) {
            final Rig two = new Rig(one.context, new Hints());
            final AddressedEndpoint a = one.open();
            final AddressedEndpoint b = two.open();
            final AddressedEndpoint c = two.open(two.options().authKey(new byte[] {5}));
            final ProtectionDomain pd = ((EndpointRealm) a).realm().pd();
            assertThat(pd == ((EndpointRealm) b).realm().pd()).isEqualTo(options.equals(LIKE_QEMU));
            assertThat(pd == ((EndpointRealm) c).realm().pd()).isEqualTo(options.equals(LIKE_QEMU));
            final long toB = one.name(b);
            final long fromA = two.name(a);
            two.post(() -> b.receive(two.at(0), 100, null, FiAddr.UNSPEC, 1));
            one.post(() -> a.send(one.at(0), 100, null, toB, 2));
            assertThat(two.received(b).source()).isEqualTo(fromA);
            two.closeAll();
            assertThat(pd.isClosed()).isFalse();
            one.post(() -> a.send(one.at(0), 100, null, toB, 2));
            one.sent(a);
            assertThat(one.sent(a).errno()).isZero();
        }
    }

    /** Several buffers become one message, and one message several buffers. */
    @ParameterizedTest
    @ValueSource(strings = {FULL, LIKE_QEMU})
    void buffersAreGatheredAndScattered(final String options) {
        try (Rig rig = new Rig(options)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final MemoryRegion region = rig.region();
            final int parts = rig.info.transmitAttributes().iovLimit();
            final int into = rig.info.receiveAttributes().iovLimit();
            rig.fill(0, 100 * parts, 3);
            final Message out = new Message(8).peer(toB).context(5);
            for (int i = 0; i < parts; i++) {
                out.add(rig.at(100 * i), 100, i % 2 == 0 ? region : null);
            }
            final Message in = new Message(8).context(6);
            for (int i = 0; i < into; i++) {
                in.add(rig.at(4096 + 1000 * i), i == into - 1 ? 900 : 10 * i, i % 2 == 0 ? null : region);
            }
            rig.post(() -> b.receiveMessage(in, 0));
            rig.post(() -> a.sendMessage(out, OpFlags.MORE));
            assertThat(rig.sent(a).context()).isEqualTo(5);
            final Rig.Done received = rig.received(b);
            assertThat(received.errno()).as("%s", received).isZero();
            assertThat(received.length()).isEqualTo(100L * parts);
            int at = 0;
            for (int i = 0; i < into; i++) {
                final int length = i == into - 1 ? 100 * parts - at : 10 * i;
                rig.expect(4096 + 1000 * i, length, 3 + at * 7);
                at += length;
            }
            assertThat(a.sendMessage(tooMany(rig, parts + 1).peer(toB), 0)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(b.receiveMessage(tooMany(rig, into + 1), 0)).isEqualTo(-FiErrno.FI_EINVAL);
        }
    }

    private static Message tooMany(final Rig rig, final int count) {
        final Message message = new Message(count);
        for (int i = 0; i < count; i++) {
            message.add(rig.at(0), 1, null);
        }
        return message;
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, LIKE_QEMU})
    void injectedMessagesAreTakenAtOnce(final String options) {
        try (Rig rig = new Rig(options)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final int most = rig.info.transmitAttributes().injectSize();
            final UnsafeBuffer heap = new UnsafeBuffer(new byte[most + 1]);
            for (int round = 0; round < 100; round++) {
                final int size = round % (most + 1);
                heap.setMemory(0, most, (byte) round);
                rig.post(() -> b.receive(rig.at(0), 256, null, FiAddr.UNSPEC, 9));
                rig.post(() -> a.inject(heap, 0, size, toB));
                heap.setMemory(0, most, (byte) -1);
                final Rig.Done received = rig.received(b);
                assertThat(received.length()).isEqualTo(size);
                for (int i = 0; i < size; i++) {
                    assertThat(rig.bytes.getByte(i)).isEqualTo((byte) round);
                }
            }
            // The message form is told of.
            rig.fill(512, 64, 1);
            rig.post(() -> b.receive(rig.at(0), 256, null, FiAddr.UNSPEC, 9));
            rig.post(() -> a.sendMessage(new Message(2).add(rig.at(512), 30, null).add(rig.at(542), 34, null).peer(toB)
                .context(7), OpFlags.INJECT | OpFlags.INJECT_COMPLETE));
            rig.bytes.setMemory(512, 64, (byte) 0);
            assertThat(rig.sent(a).context()).isEqualTo(7);
            assertThat(rig.received(b).length()).isEqualTo(64);
            rig.expect(0, 64, 1);
            assertThat(a.inject(heap, 0, most + 1, toB)).isEqualTo(-FiErrno.FI_EMSGSIZE);
            assertThat(a.sendMessage(new Message(1).add(rig.at(0), most + 1, null).peer(toB), OpFlags.INJECT))
                .isEqualTo(-FiErrno.FI_EMSGSIZE);
            rig.silence();
        }
    }

    @Test
    void dataComeBesideMessages() {
        try (Rig rig = new Rig(FULL)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final UnsafeBuffer heap = new UnsafeBuffer(new byte[8]);
            for (int i = 0; i < 3; i++) {
                rig.post(() -> b.receive(rig.at(0), 64, null, FiAddr.UNSPEC, 1));
            }
            rig.post(() -> a.sendWithData(rig.at(128), 8, null, 0xcafe_0001, toB, 2));
            rig.post(() -> a.injectWithData(heap, 0, 8, 0xcafe_0002, toB));
            rig.post(() -> a.sendMessage(new Message(1).add(rig.at(128), 8, null).peer(toB).data(0xcafe_0003),
                OpFlags.REMOTE_CQ_DATA));
            for (int i = 1; i <= 3; i++) {
                final Rig.Done received = rig.received(b);
                assertThat(received.hasData()).isTrue();
                assertThat(received.data()).isEqualTo(0xcafe_0000 + i);
                assertThat(received.length()).isEqualTo(8);
            }
        }
    }

    /** QEMU's device loses immediate data: they are refused rather than lost. */
    @Test
    void dataAreRefusedWhereTheDeviceLosesThem() {
        try (Rig rig = new Rig(LIKE_QEMU)) {
            final AddressedEndpoint a = rig.open();
            final long toA = rig.name(a);
            final UnsafeBuffer heap = new UnsafeBuffer(new byte[8]);
            assertThat(rig.info.domainAttributes().cqDataSize()).isZero();
            assertThat(a.sendWithData(rig.at(0), 8, null, 1, toA, 2)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
            assertThat(a.injectWithData(heap, 0, 8, 1, toA)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
            assertThat(a.sendMessage(new Message(1).add(rig.at(0), 8, null).peer(toA), OpFlags.REMOTE_CQ_DATA))
                .isEqualTo(-FiErrno.FI_EOPNOTSUPP);
            rig.silence();
        }
    }

    /** Buffers without a descriptor come through the cache; one on the heap cannot. */
    @Test
    void buffersOfTheProcess() {
        try (Rig rig = new Rig(FULL)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final UnsafeBuffer from = new UnsafeBuffer(ByteBuffer.allocateDirect(4096));
            final UnsafeBuffer to = new UnsafeBuffer(ByteBuffer.allocateDirect(4096));
            from.putStringAscii(100, "a datagram");
            rig.post(() -> b.receive(to, 200, 1000, FiAddr.UNSPEC, 1));
            rig.post(() -> a.send(from, 100, 300, toB, 2));
            assertThat(rig.sent(a).errno()).isZero();
            assertThat(rig.received(b).length()).isEqualTo(300);
            assertThat(to.getStringAscii(200)).isEqualTo("a datagram");
            final UnsafeBuffer heap = new UnsafeBuffer(new byte[100]);
            assertThat(a.send(heap, 0, 10, toB, 2)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(b.receive(heap, 0, 10, FiAddr.UNSPEC, 2)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.send(from, 4090, 7, toB, 2)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.cache()).isSameAs(rig.domain.cache());
        }
    }

    @Test
    void completionsOnDemandOnly() {
        try (Rig rig = new Rig(FULL)) {
            final AddressedEndpoint a = rig.open(rig.options().selectiveCompletion(true));
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            for (int i = 0; i < 40; i++) {
                final int id = i;
                rig.post(() -> b.receive(rig.at(0), 64, null, FiAddr.UNSPEC, id));
                if (i % 10 == 3) {
                    rig.post(() -> a.sendMessage(new Message(1).add(rig.at(64), 8, null).peer(toB).context(id),
                        OpFlags.COMPLETION));
                    assertThat(rig.sent(a).context()).isEqualTo(id);
                } else {
                    rig.post(() -> a.send(rig.at(64), 8, null, toB, id));
                }
                assertThat(rig.received(b).context()).isEqualTo(id);
            }
            rig.silence();
        }
    }

    @Test
    void countersCount() {
        try (Rig rig = new Rig(FULL)) {
            final Counter sent = rig.domain.openCounter();
            final Counter received = rig.domain.openCounter();
            final AddressedEndpoint a = rig.open(rig.options().counter(sent, CounterEvent.SEND)
                .counter(received, CounterEvent.RECV));
            final long toA = rig.name(a);
            for (int i = 0; i < 5; i++) {
                rig.post(() -> a.receive(rig.at(0), 4, null, FiAddr.UNSPEC, 1));
                final int size = i < 3 ? 4 : 5;
                rig.post(() -> a.send(rig.at(64), size, null, toA, 2));
                rig.sent(a);
                rig.received(a);
            }
            assertThat(sent.read()).isEqualTo(5);
            assertThat(received.read()).isEqualTo(3);
            assertThat(received.readError()).isEqualTo(2);
            a.close();
            sent.close();
            received.close();
        }
    }

    /** Queues for each direction, and one vector, shared by many. */
    @Test
    void severalEndpointsShareAVectorAndQueues() {
        try (Rig rig = new Rig(FULL)) {
            final CompletionQueue other = rig.domain.openCompletionQueue(16);
            final AddressedEndpoint[] all = new AddressedEndpoint[5];
            final long[] names = new long[all.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = rig.open(i == 4 ? rig.options().completionQueues(other, rig.cq) : rig.options());
                names[i] = rig.name(all[i]);
            }
            for (int from = 0; from < all.length; from++) {
                for (int to = 0; to < all.length; to++) {
                    final AddressedEndpoint sender = all[from];
                    final AddressedEndpoint receiver = all[to];
                    final long dest = names[to];
                    rig.post(() -> receiver.receive(rig.at(0), 64, null, FiAddr.UNSPEC, 1));
                    rig.post(() -> sender.send(rig.at(64), 8, null, dest, 2));
                    assertThat(rig.received(receiver).source()).isEqualTo(names[from]);
                    if (from == 4) {
                        assertThat(other.awaitRead(entry -> assertThat(entry.context()).isEqualTo(2), 1,
                            Duration.ofSeconds(10))).isEqualTo(1);
                    } else {
                        rig.sent(sender);
                    }
                }
            }
            all[4].close();
            other.close();
        }
    }
}
