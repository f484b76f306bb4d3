/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.endpoint.FabricEndpoint;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestNode;
import io.rdma4j.testing.Allocations;
import io.rdma4j.verbs.RdmaContext;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connected endpoints whose messages can have tags. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PieceMessagesTest {
    private static final long TAG = 0xfedc_ba98_7654_3210L;
    private static final long ANY = FiAddr.UNSPEC;
    private static final int SIZE = 1 << 18;
    private static final int MANY = 200;
    private static final String QEMU = "quirks=qemu-7.2";

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private Node a;
    private Node b;

    /** One side of a connection. */
    private static final class Node extends TestNode {
        final MsgEndpoint ep;

        Node(final Hints hints, final EndpointOptions options) {
            super(hints, SIZE);
            ep = domain.openEndpoint(options.completionQueue(cq));
        }

        @Override
        public void close() {
            ep.close();
            super.close();
        }

        @Override
        public String toString() {
            return ep + ", " + super.toString();
        }
    }

    private Node node(final String device, final Capability... capabilities) {
        return node(devices.device(device), new EndpointOptions().sizes(16, 16), capabilities);
    }

    private Node node(final RdmaContext device, final EndpointOptions options, final Capability... capabilities) {
        return devices.keep(new Node(new Hints().context(device).capabilities(Set.of(capabilities))
            .mrMode(MrMode.LOCAL, MrMode.ALLOCATED, MrMode.VIRT_ADDR, MrMode.PROV_KEY), options));
    }

    private void open(final String device) {
        a = node(device, Capability.MSG, Capability.TAGGED);
        b = node(device, Capability.MSG, Capability.TAGGED);
        connect();
    }

    private void connect() {
        a.ep.connect(b.ep.name());
        b.ep.connect(a.ep.name());
        a.others.add(b);
        b.others.add(a);
    }

    private void send(final int length, final long tag) {
        final Done done = a.succeeds(() -> a.ep.tagged().send(a.at(0), length, null, 0, tag, length));
        assertThat(done.kind()).isEqualTo(OperationKind.TAGGED_SEND);
    }

    private void receive(final long tag, final long ignore, final long context) {
        b.post(() -> b.ep.tagged().receive(b.at(0), 100_000, null, 55, tag, ignore, context));
    }

    private void gets(final long context, final int length, final long tag) {
        assertThat(b.next()).isEqualTo(new Done(
            b.ep, OperationKind.TAGGED_RECEIVE, context, length, false, 0, FiAddr.NOTAVAIL, tag, 0, 0, "", 0, false));
    }

    private Done search(final long tag, final long context, final long flags) {
        final Message message = new Message(1).add(b.at(0), 1_000, null).tag(tag).context(context);
        b.post(() -> b.ep.tagged().receiveMessage(message, flags));
        return b.next();
    }

    private void arrive() {
        for (int i = 0; i < 50; i++) {
            a.progress();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", QEMU})
    void taggedMessagesGoToTheirReceives(final String device) {
        open(device);
        receive(TAG + 1, 0, 1);
        receive(TAG, 0, 2);
        receive(0, 0xff, 3);
        send(10, TAG);
        gets(2, 10, TAG);
        send(11, 77);
        gets(3, 11, 77);
        send(12, TAG + 1);
        gets(1, 12, TAG + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", QEMU})
    void messagesOfAnySizeWithAndWithoutTags(final String device) {
        open(device);
        for (final int wanted : new int[] {0, 1, 128, 129, 1_000, 1_300, 60_000}) {
            final int length = (int) Math.min(wanted, a.domain.info().endpointAttributes().maxMessageSize());
            a.fill(0, length, length);
            b.post(() -> b.ep.receive(b.at(0), 100_000, null, 4));
            a.succeeds(() -> a.ep.send(a.at(0), length, null, 5));
            assertThat(b.next()).isEqualTo(new Done(
                b.ep, OperationKind.RECEIVE, 4, length, false, 0, FiAddr.NOTAVAIL, 0, 0, 0, "", 0, false));
            b.expect(0, length, length);
            a.fill(0, length, length + 1);
            receive(length, 0, 6);
            send(length, length);
            gets(6, length, length);
            b.expect(0, length, length + 1);
        }
    }

    @Test
    void allFormsOfUntaggedMessages() {
        open(QEMU);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[64]);
        final Message into = new Message(2).add(b.at(0), 10, null).add(b.at(100), 50, null);
        for (int i = 0; i < 5; i++) {
            b.post(() -> b.ep.receiveMessage(into, 0));
        }
        a.succeeds(() -> a.ep.sendWithData(a.at(0), 5, null, -7, 1));
        a.post(() -> a.ep.inject(heap, 0, 6));
        a.post(() -> a.ep.injectWithData(heap, 0, 7, 8));
        a.succeeds(() -> a.ep.sendMessage(
            new Message(2).add(a.at(0), 3, null).add(a.at(8), 30, null).data(9), OpFlags.REMOTE_CQ_DATA));
        a.succeeds(() -> a.ep.sendMessage(new Message(1).add(a.at(0), 70, null), OpFlags.INJECT));
        final int[] lengths = {5, 6, 7, 33, 60};
        final int[] data = {-7, 0, 8, 9, 0};
        for (int i = 0; i < 5; i++) {
            final Done done = b.next();
            assertThat(done.hasData()).isEqualTo(data[i] != 0);
            assertThat(done.data()).isEqualTo(data[i]);
            assertThat(done.errno()).isEqualTo(i == 4 ? FiErrno.FI_ETRUNC : 0);
            assertThat(done.length()).isEqualTo(lengths[i]);
        }
        assertThat(a.ep.inject(new UnsafeBuffer(new byte[200]), 0, 200)).isEqualTo(-FiErrno.FI_EMSGSIZE);
    }

    @Test
    void bothSidesMaySendFirst() {
        open("");
        a.post(() -> a.ep.tagged().receive(a.at(0), 8, null, ANY, 1, 0, 1));
        b.post(() -> b.ep.tagged().receive(b.at(0), 8, null, ANY, 1, 0, 1));
        assertThat(a.ep.tagged().send(a.at(8), 8, null, 0, 1, 2)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(b.ep.tagged().send(b.at(8), 8, null, 0, 1, 2)).isEqualTo(-FiErrno.FI_EAGAIN);
        a.post(() -> a.ep.tagged().send(a.at(8), 8, null, 0, 1, 2));
        b.post(() -> b.ep.tagged().send(b.at(8), 8, null, 0, 1, 2));
        a.until(() -> a.done.size() == 2 && b.done.size() == 2);
        assertThat(a.done).extracting(Done::context).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void looksClaimsAndDiscards() {
        open("");
        assertThat(search(TAG, 1, OpFlags.PEEK).errno()).isEqualTo(FiErrno.FI_ENOMSG);
        send(20, TAG);
        send(21, TAG);
        arrive();
        assertThat(search(TAG, 7, OpFlags.PEEK | OpFlags.CLAIM).length()).isEqualTo(20);
        assertThat(search(TAG, 1, OpFlags.PEEK | OpFlags.DISCARD).length()).isEqualTo(21);
        assertThat(search(0, 7, OpFlags.CLAIM).length()).isEqualTo(20);
        assertThat(search(TAG, 1, OpFlags.PEEK).errno()).isEqualTo(FiErrno.FI_ENOMSG);
    }

    @Test
    void aClaimedMessageThatIsNeverCompleteIsAnError() {
        open("");
        send(1, 1);
        a.post(() -> a.ep.tagged().send(a.at(0), 250_000, null, 0, TAG, 50));
        arrive();
        assertThat(search(TAG, 7, OpFlags.PEEK | OpFlags.CLAIM).length()).isEqualTo(250_000);
        ((FabricEndpoint) b.ep).disconnect("the test ends it");
        b.take();
        assertThat(search(0, 7, OpFlags.CLAIM).error()).isEqualTo("FI_ECONNRESET");
        assertThat(search(0, 7, OpFlags.CLAIM).error()).isEqualTo("FI_ENOMSG");
        assertThat(search(1, 8, OpFlags.PEEK).length()).as("the one before").isEqualTo(1);
    }

    @Test
    void receivesCanBeTakenBack() {
        open("");
        receive(TAG, 0, 1);
        b.post(() -> b.ep.receive(b.at(0), 8, null, 2));
        for (final long context : new long[] {1, 2}) {
            assertThat(b.ep.cancel(context)).isZero();
            final Done done = b.next();
            assertThat(done.context()).isEqualTo(context);
            assertThat(done.error()).isEqualTo("FI_ECANCELED");
            assertThat(b.ep.cancel(context)).isEqualTo(-FiErrno.FI_ENOENT);
        }
    }

    @Test
    void messagesThatWaitStopTheSender() {
        a = node(devices.device(""), new EndpointOptions().sizes(16, 16).window(4, 256), Capability.TAGGED);
        b = node(devices.device(""), new EndpointOptions().sizes(16, 16).window(8, 256), Capability.TAGGED);
        connect();
        send(1, 1);
        int sent = 1;
        for (int i = 0; i < 5_000; i++) {
            final int n = sent + 1;
            if (a.ep.tagged().send(a.at(0), n, null, 0, n, n) == 0) {
                a.next();
                sent++;
            }
            a.progress();
        }
        assertThat(sent).as("the smaller window").isEqualTo(4);
        for (int n = sent; n > 0; n--) {
            receive(n, 0, n);
            gets(n, n, n);
        }
        send(9, 9);
        receive(9, 0, 9);
        gets(9, 9, 9);
    }

    @Test
    void rmaGoesOnBeside() {
        a = node("", Capability.TAGGED, Capability.RMA);
        b = node("", Capability.TAGGED, Capability.RMA);
        connect();
        final MemoryRegion target = b.keep(b.domain.register(new MrAttributes()
            .buffer(b.memory).access(MrAccess.REMOTE_WRITE).requestedKey(3)));
        a.fill(0, 5_000, 3);
        a.succeeds(() -> a.ep.write(a.at(0), 5_000, null, target.base() + 10_000, target.key(), 1));
        b.expect(10_000, 5_000, 3);
        receive(TAG, 0, 1);
        send(10, TAG);
        gets(1, 10, TAG);
    }

    @Test
    void theEndIsTold() {
        open("");
        send(1, 1);
        a.post(() -> a.ep.tagged().send(a.at(0), 250_000, null, 0, 2, 50));
        arrive();
        receive(TAG, 0, 3);
        b.post(() -> b.ep.receive(b.at(0), 8, null, 4));
        a.ep.close();
        assertThat(a.next().error()).isEqualTo("FI_ECANCELED");
        for (int i = 0; i < 2; i++) {
            final Done done = b.nextAfterSilence();
            assertThat(done.error()).isEqualTo("FI_ECANCELED");
        }
        assertThat(b.ep.isConnected()).isFalse();
        assertThat(b.ep.tagged().send(b.at(0), 8, null, 0, 1, 1)).isEqualTo(-FiErrno.FI_ENOTCONN);
        receive(1, 0, 5);
        gets(5, 1, 1);
        receive(2, 0, 6);
        assertThat(b.next().error()).as("it was not complete").isEqualTo("FI_ECANCELED");
        b.ep.close();
        assertThat(b.ep.receive(b.at(0), 8, null, 1)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(b.ep.tagged().receive(b.at(0), 8, null, ANY, 1, 0, 1)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    /** Nobody greets or probes: RMA alone finds out that the peer is gone. */
    @Test
    void aLaneThatIsLostEndsMessages() {
        a = node("", Capability.MSG, Capability.TAGGED, Capability.RMA, Capability.MULTI_RECV);
        b = node("", Capability.MSG, Capability.TAGGED, Capability.RMA, Capability.MULTI_RECV);
        connect();
        a.post(() -> a.ep.receive(a.at(0), 8, null, 1));
        a.post(() -> a.ep.receiveMessage(new Message(1).add(a.at(64), 4_096, null).context(2), OpFlags.MULTI_RECV));
        a.post(() -> a.ep.tagged().receive(a.at(8), 8, null, ANY, TAG, 0, 3));
        b.ep.close();
        assertThat(a.ep.read(a.at(16), 8, null, 0, 5, 4)).as("the key is looked up").isEqualTo(-FiErrno.FI_EAGAIN);
        final Set<Long> ended = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            final Done done = a.nextAfterSilence();
            assertThat(done.error()).isEqualTo("FI_ECANCELED");
            ended.add(done.context());
        }
        assertThat(ended).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(a.ep.isConnected()).isFalse();
        assertThat(a.ep.send(a.at(0), 8, null, 5)).isEqualTo(-FiErrno.FI_ENOTCONN);
        a.fails(FiErrno.FI_ECANCELED, () -> a.ep.receive(a.at(0), 8, null, 6));
    }

    @Test
    void nobodyKnowsWhatBecameOfASendWhoseWordIsMissing() {
        open("");
        send(1, 1);
        final Message message = new Message(1).add(a.at(0), 8, null).tag(2).context(3);
        a.post(() -> a.ep.tagged().sendMessage(message, OpFlags.DELIVERY_COMPLETE));
        a.post(() -> a.ep.tagged().send(a.at(0), 250_000, null, 0, 2, 50));
        arrive();
        assertThat(a.done).isEmpty();
        ((FabricEndpoint) a.ep).disconnect("the test ends it");
        final Set<String> ended = new HashSet<>();
        for (int i = 0; i < 2; i++) {
            final Done done = a.next();
            ended.add(done.context() + " " + done.error());
            assertThat(done.text()).as("%s", done).doesNotContain("closed");
        }
        assertThat(ended).containsExactlyInAnyOrder("3 FI_ECONNRESET", "50 FI_ECANCELED");
    }

    /** Nobody reads it again for messages. */
    @Test
    void whatWaitsForACounterEndsWithTheConnection() {
        a = node("", Capability.MSG, Capability.TAGGED, Capability.TRIGGER);
        b = node("", Capability.MSG, Capability.TAGGED, Capability.TRIGGER);
        connect();
        send(1, 1);
        ((FabricEndpoint) a.ep).disconnect("the test ends it");
        a.take();
        a.take();
        final Counter counter = a.keep(a.domain.openCounter());
        counter.add(1);
        final Message message = new Message(1).add(a.at(0), 8, null).tag(2).trigger(counter, 1);
        assertThat(a.ep.tagged().sendMessage(message.context(3), OpFlags.TRIGGER)).isZero();
        assertThat(a.next()).extracting(Done::context, Done::error).containsExactly(3L, "FI_ENOTCONN");
        assertThat(a.ep.tagged().receiveMessage(message.context(4), OpFlags.TRIGGER)).isZero();
        assertThat(a.next()).extracting(Done::context, Done::error).containsExactly(4L, "FI_ECANCELED");
    }

    /** With room for more than one look at a queue takes. */
    private void openWide() {
        a = node(devices.device(""), new EndpointOptions().sizes(MANY, MANY).window(MANY, 256), Capability.TAGGED);
        b = node(devices.device(""), new EndpointOptions().sizes(MANY, MANY).window(MANY, 256), Capability.TAGGED);
        connect();
        send(1, 0);
        receive(0, 0, 0);
        gets(0, 1, 0);
        a.others.clear();
        b.others.clear();
    }

    @Test
    void eachSendIsOverOnceWhateverWasInTheQueueAtTheEnd() {
        openWide();
        for (int tag = 1; tag < MANY; tag++) {
            assertThat(a.ep.tagged().send(a.at(0), 8, null, 0, tag, tag)).isZero();
        }
        for (int tag = 1; tag < MANY; tag++) {
            receive(tag, 0, tag);
            gets(tag, 8, tag);
        }
        ((FabricEndpoint) a.ep).disconnect("the test ends it");
        a.until(() -> a.done.size() >= MANY - 1);
        for (int i = 0; i < 10; i++) {
            a.take();
        }
        assertThat(a.done).extracting(Done::context).doesNotHaveDuplicates().hasSize(MANY - 1);
        assertThat(a.done).as("the peer has them").extracting(Done::errno).containsOnly(0);
    }

    @Test
    void whatCameBeforeTheEndCanBeReceived() {
        openWide();
        for (int tag = 1; tag < MANY; tag++) {
            send(8, tag);
        }
        ((FabricEndpoint) b.ep).disconnect("the test ends it");
        b.take();
        for (int tag = MANY - 1; tag > 0; tag--) {
            receive(tag, 0, tag);
            gets(tag, 8, tag);
        }
    }

    @Test
    void closingTellsOfWhatIsPosted() {
        open("");
        send(1, 1);
        receive(TAG, 0, 3);
        b.ep.close();
        final Done done = b.next();
        assertThat(done.context()).isEqualTo(3);
        assertThat(done.error()).isEqualTo("FI_ECANCELED");
    }

    @Test
    void bothHaveToHaveThem() {
        a = node("", Capability.MSG, Capability.TAGGED);
        b = node("", Capability.MSG);
        assertThatThrownBy(() -> a.ep.connect(b.ep.name())).isInstanceOfSatisfying(FabricException.class,
            e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_ECONNREFUSED)).hasMessageContaining("TAGGED");
        assertThatThrownBy(() -> b.ep.connect(a.ep.name())).isInstanceOfSatisfying(FabricException.class,
            e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_ECONNREFUSED));
        assertThatThrownBy(() -> b.ep.tagged()).isInstanceOfSatisfying(FabricException.class,
            e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EOPNOTSUPP));
        assertThat(a.ep.tagged().send(a.at(0), 8, null, 0, 1, 1)).isEqualTo(-FiErrno.FI_ENOTCONN);
    }

    @Test
    void windowsThatMakeNoSenseAreRefused() {
        a = node("", Capability.TAGGED);
        final EndpointOptions narrow = new EndpointOptions().completionQueue(a.cq).window(1, 256);
        assertThatThrownBy(() -> a.domain.openEndpoint(narrow))
            .isInstanceOf(FabricException.class).hasMessageContaining("slots of a window is 1");
    }

    @Test
    void nothingIsAllocated() {
        open("");
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[64]);
        final MemoryRegion own = a.keep(a.domain.register(new MrAttributes()
            .buffer(a.memory).access(MrAccess.SEND)));
        final MemoryRegion there = b.keep(b.domain.register(new MrAttributes()
            .buffer(b.memory).access(MrAccess.RECV)));
        send(1, 1);
        receive(1, 0, 1);
        gets(1, 1, 1);
        final int[] seen = new int[3];
        final CompletionReader reader = entry -> seen[entry.isError() ? 1 : 0]++;
        assertThat(Allocations.perStep(20_000, () -> {
            seen[0] = 0;
            seen[2] |= b.ep.tagged().receive(b.at(0), 16_000, there, ANY, 1, 0, 3);
            seen[2] |= b.ep.receive(b.at(0), 16_000, there, 4);
            seen[2] |= a.ep.tagged().send(a.at(0), 10_000, own, 0, 1, 1);
            for (int i = 0; i < 10_000 && seen[0] < 2; i++) {
                a.cq.read(reader, 16);
                b.cq.read(reader, 16);
            }
            seen[2] |= a.ep.send(a.at(0), 64, own, 1);
            seen[2] |= a.ep.tagged().inject(heap, 0, 64, 0, 2);
            seen[2] |= b.ep.tagged().receive(b.at(0), 16_000, there, ANY, 2, 0, 5);
            for (int i = 0; i < 10_000 && seen[0] < 5; i++) {
                a.cq.read(reader, 16);
                b.cq.read(reader, 16);
            }
        })).isZero();
        assertThat(seen[1] | seen[2]).isZero();
    }
}
