/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.NamedElsewhere;
import io.rdma4j.testing.CutOffFile;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** Operations of several buffers, with flags, and those that take a copy. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MessageFormsTest {
    private static final int INJECT_SIZE = 128;

    @RegisterExtension
    final Sides sides = new Sides(Mode.PROV_KEY_VIRT::hints);

    private Side a;
    private Side b;
    private MemoryRegion desc;
    private MemoryRegion into;

    private void connect(final EndpointOptions options) {
        a = sides.open(sides.device(""), sides.hints.get(), options.sizes(16, 16));
        b = sides.open();
        Side.connect(a, b);
        desc = a.local();
        into = b.register(1);
        for (int i = 0; i < Side.SIZE / 8; i++) {
            a.bytes.putLong(8 * i, 0x1000_0000L + i);
        }
    }

    private void connect() {
        connect(new EndpointOptions());
    }

    private void receive(final int context) {
        b.post(() -> b.ep.receive(b.at(0), 4096, into, context));
    }

    private Message message(final int... offsetsAndLengths) {
        final Message message = new Message(8).context(77);
        for (int i = 0; i < offsetsAndLengths.length; i += 2) {
            message.add(a.at(offsetsAndLengths[i]), offsetsAndLengths[i + 1], desc);
        }
        return message;
    }

    @Test
    void injectedBuffersCanBeUsedAgainAtOnceAndSuccessIsNotTold() {
        connect();
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[INJECT_SIZE]);
        final UnsafeBuffer direct = new UnsafeBuffer(ByteBuffer.allocateDirect(INJECT_SIZE));
        for (int i = 0; i < 100; i++) {
            final DirectBuffer from = i % 2 == 0 ? heap : direct;
            heap.putLong(i % INJECT_SIZE / 8 * 8, i);
            direct.putLong(i % INJECT_SIZE / 8 * 8, i);
            receive(i);
            final int data = i;
            a.post(() -> data % 3 == 0 ? a.ep.injectWithData(from, 0, INJECT_SIZE, data)
                : a.ep.inject(from, 0, INJECT_SIZE));
            heap.putLong(i % INJECT_SIZE / 8 * 8, -1);
            direct.putLong(i % INJECT_SIZE / 8 * 8, -1);
            final Done done = b.next();
            assertThat(done.length()).isEqualTo(INJECT_SIZE);
            assertThat(done.hasData()).isEqualTo(i % 3 == 0);
            assertThat(done.data()).isEqualTo(i % 3 == 0 ? i : 0);
            assertThat(b.bytes.getLong(i % INJECT_SIZE / 8 * 8)).isEqualTo(i);
        }
        assertThat(a.done).as("success is not told").isEmpty();
        receive(1);
        assertThat(a.ep.inject(heap, INJECT_SIZE, 0)).isZero();
        assertThat(b.next().length()).isZero();
    }

    @Test
    void injectingMore() {
        connect();
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[256]);
        assertThat(a.ep.inject(heap, 0, INJECT_SIZE + 1)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(a.ep.injectWithData(heap, 0, 200, 1)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(a.ep.inject(null, 0, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.inject(heap, -1, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.inject(heap, 0, -1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.inject(heap, 250, 7)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.inject(heap, Integer.MAX_VALUE, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        int code = 0;
        int accepted = 0;
        while (code == 0) {
            code = a.ep.inject(heap, 0, 8);
            accepted += code == 0 ? 1 : 0;
        }
        assertThat(code).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(accepted).isEqualTo(16);
        for (int i = 0; i < 16; i++) {
            receive(i);
            b.next();
        }
        a.until(() -> a.ep.inject(heap, 0, 8) == 0);
        a.ep.close();
        assertThat(a.ep.inject(heap, 0, 8)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    /** An error of an injected message has context 0 (fi_msg). */
    @Test
    void failureOfAnInjectedMessageIsTold() {
        connect();
        b.post(() -> b.ep.receive(b.at(0), 4, into, 9));
        a.post(() -> a.ep.inject(a.bytes, 0, 8));
        final Done failed = a.next();
        assertThat(failed.errno()).isNotZero();
        assertThat(failed.context()).isZero();
        assertThat(failed.kind()).isEqualTo(OperationKind.SEND);
    }

    @Test
    void severalBuffersAreOneMessage() {
        connect();
        final int limit = a.domain.info().transmitAttributes().iovLimit();
        assertThat(limit).isGreaterThan(2);
        final Message parts = new Message(limit).context(20);
        parts.add(b.at(0), 8, into).add(b.at(512), 16, into).add(b.at(1024), 100, into);
        assertThat(b.ep.receiveMessage(parts, 0)).isZero();
        final Message message = message(0, 16, 64, 0, 128, 24);
        a.succeeds(() -> a.ep.sendMessage(message.data(5), OpFlags.REMOTE_CQ_DATA | OpFlags.MORE));
        final Done done = b.next();
        assertThat(done.context()).isEqualTo(20);
        assertThat(done.length()).isEqualTo(40);
        assertThat(done.data()).isEqualTo(5);
        assertThat(b.bytes.getLong(0)).isEqualTo(0x1000_0000L);
        assertThat(b.bytes.getLong(512)).isEqualTo(0x1000_0001L);
        assertThat(b.bytes.getLong(520)).isEqualTo(0x1000_0010L);
        assertThat(b.bytes.getLong(1024)).isEqualTo(0x1000_0011L);
        assertThat(b.bytes.getLong(1032)).isEqualTo(0x1000_0012L);
        // Nothing at all is a message, too.
        receive(1);
        a.succeeds(() -> a.ep.sendMessage(new Message(1), OpFlags.TRANSMIT_COMPLETE));
        assertThat(b.next().length()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void severalBuffersAreReadAndWritten(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        a = both[0];
        b = both[1];
        desc = a.local();
        into = b.register(1);
        final long key = mode.key(a, into);
        for (int i = 0; i < 64; i++) {
            a.bytes.putLong(8 * i, i);
        }
        final Message message = message(8, 8, 64, 24, 256, 8).remote(into.base() + 1024, key);
        assertThat(a.succeeds(() -> a.ep.writeMessage(message, 0)).length()).isEqualTo(40);
        final long[] expected = {1, 8, 9, 10, 32};
        for (int i = 0; i < expected.length; i++) {
            assertThat(b.bytes.getLong(1024 + 8 * i)).isEqualTo(expected[i]);
        }
        a.succeeds(() -> a.ep.writeMessage(message.data(-7), OpFlags.REMOTE_CQ_DATA));
        assertThat(b.next().data()).isEqualTo(-7);
        final Message back = message(2048, 16, 4096, 16, 8192, 8).remote(into.base() + 1024, key);
        final Done done = a.succeeds(() -> a.ep.readMessage(back, OpFlags.COMPLETION));
        assertThat(done.context()).isEqualTo(77);
        assertThat(done.kind()).isEqualTo(OperationKind.READ);
        assertThat(a.bytes.getLong(2056)).isEqualTo(8);
        assertThat(a.bytes.getLong(4104)).isEqualTo(10);
        assertThat(a.bytes.getLong(8192)).isEqualTo(32);
        mode.release(a, key);
    }

    @Test
    void injectedWritesAndMessages() {
        connect();
        for (int i = 0; i < 50; i++) {
            a.bytes.putLong(0, i);
            a.bytes.putLong(512, -i);
            final Message message = message(0, 8, 512, 8).remote(into.base() + 2048, into.key()).context(i);
            a.post(() -> a.ep.writeMessage(message, OpFlags.INJECT));
            a.bytes.putLong(0, 4711);
            a.bytes.putLong(512, 4711);
            assertThat(a.next().context()).isEqualTo(i);
            assertThat(b.bytes.getLong(2048)).isEqualTo(i);
            assertThat(b.bytes.getLong(2056)).isEqualTo(-i);
            receive(i);
            a.bytes.putLong(0, i + 1);
            a.post(() -> a.ep.sendMessage(message, OpFlags.INJECT));
            a.bytes.putLong(0, 4711);
            assertThat(a.next().context()).as("it was asked for").isEqualTo(i);
            assertThat(b.next().length()).isEqualTo(16);
            assertThat(b.bytes.getLong(0)).isEqualTo(i + 1);
        }
        assertThat(a.ep.sendMessage(message(0, 100, 200, 29), OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(a.ep.writeMessage(message(0, 129), OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EMSGSIZE);
    }

    /** Nothing of these is started, and nothing that was looked up for them is kept. */
    @Test
    void whatMakesNoSenseIsRefused() {
        connect();
        final Message good = message(0, 8).remote(into.base(), into.key());
        assertThat(a.ep.sendMessage(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.receiveMessage(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.readMessage(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.writeMessage(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        for (int bit = 0; bit < 64; bit++) {
            final long flag = 1L << bit;
            // FI_MULTI_RECV, FI_TRIGGER, FI_FENCE: they were not negotiated. FI_DELIVERY_COMPLETE: only RMA has it.
            final int send = 17 <= bit && bit <= 18 || 24 <= bit && bit <= 27 ? 0
                : bit == 20 || bit == 21 || bit == 28 ? -FiErrno.FI_EOPNOTSUPP : -FiErrno.FI_EBADFLAGS;
            if (send != 0) {
                assertThat(a.ep.sendMessage(good, flag)).as("bit %d", bit).isEqualTo(send);
            }
            if (send != 0 && bit != 28) {
                assertThat(a.ep.writeMessage(good, flag)).as("bit %d", bit).isEqualTo(send);
                assertThat(a.ep.readMessage(good, flag)).as("bit %d", bit).isEqualTo(send);
            }
            if (bit != 18 && bit != 24) {
                assertThat(a.ep.receiveMessage(good, flag)).as("bit %d", bit)
                    .isEqualTo(bit == 16 || bit == 20 ? -FiErrno.FI_EOPNOTSUPP : -FiErrno.FI_EBADFLAGS);
            }
        }
        assertThat(a.ep.readMessage(good, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(a.ep.readMessage(good, OpFlags.REMOTE_CQ_DATA)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        final Message[] bad = {message(0, 8, 0, -1), message(0, 1, 0, 1, 0, 1, 0, 1, 0, 1), message(0, Side.SIZE + 1),
            new Message(2).add(a.at(0), 8, desc).add(a.at(0), 8, into)};
        final int[] codes = {-FiErrno.FI_EINVAL, -FiErrno.FI_EINVAL, -FiErrno.FI_EINVAL, -FiErrno.FI_EDOMAIN};
        for (int i = 0; i < bad.length; i++) {
            bad[i].remote(into.base(), into.key());
            assertThat(a.ep.sendMessage(bad[i], 0)).as("%d", i).isEqualTo(codes[i]);
            assertThat(a.ep.receiveMessage(bad[i], 0)).as("%d", i).isEqualTo(codes[i]);
            assertThat(a.ep.writeMessage(bad[i], 0)).as("%d", i).isEqualTo(codes[i]);
            assertThat(a.ep.readMessage(bad[i], 0)).as("%d", i).isEqualTo(codes[i]);
        }
        assertThat(a.ep.sendMessage(message(0, Integer.MAX_VALUE, 0, 1), 0)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(a.ep.cancel(1)).isEqualTo(-FiErrno.FI_ENOSYS);
        a.succeeds(() -> a.ep.writeMessage(good, 0));
        a.ep.close();
        assertThat(a.ep.sendMessage(good, 0)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(a.ep.receiveMessage(good, 0)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(a.ep.readMessage(good, 0)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(a.ep.writeMessage(good, 0)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void selectiveCompletionsAreToldOnDemand() {
        connect(new EndpointOptions().selectiveCompletion(true));
        for (int i = 0; i < 100; i++) {
            receive(i);
            final int context = i;
            final Message message = message(0, 8).remote(into.base() + 512, into.key()).context(i);
            a.post(() -> a.ep.send(a.at(0), 8, desc, context));
            b.next();
            a.post(() -> a.ep.write(a.at(0), 8, desc, into.base() + 512, into.key(), context));
            a.post(() -> a.ep.writeMessage(message, 0));
            if (i % 10 == 0) {
                assertThat(a.succeeds(() -> a.ep.readMessage(message, OpFlags.COMPLETION)).context()).isEqualTo(i);
            }
        }
        receive(5);
        assertThat(a.succeeds(() -> a.ep.sendMessage(message(0, 8), OpFlags.COMPLETION)).context()).isEqualTo(77);
        assertThat(a.done).isEmpty();
        // Receives are always told, and so are failures.
        assertThat(b.next().context()).isEqualTo(5);
        a.ep.receive(a.at(0), 8, desc, 3);
        b.succeeds(() -> b.ep.send(b.at(0), 8, b.local(), 1));
        assertThat(a.next().context()).isEqualTo(3);
        a.fails(FiErrno.FI_EKEYREJECTED,
            () -> a.ep.write(a.at(0), 8, desc, into.base(), into.key() ^ 0x7777, 9));
    }

    @Test
    void countersCountAllThatIsOver() {
        a = sides.open();
        final Counter sent = a.domain.openCounter();
        sides.open();
        final Side c = sides.open();
        final EndpointOptions options = new EndpointOptions().completionQueue(a.cq).sizes(16, 16)
            .selectiveCompletion(true).counter(sent, CounterEvent.SEND, CounterEvent.WRITE);
        try (var ep = a.domain.openEndpoint(options)) {
            ep.connect(c.ep.name());
            c.ep.connect(ep.name());
            final MemoryRegion here = a.local();
            final MemoryRegion there = c.register(1);
            for (int i = 0; i < 10; i++) {
                c.post(() -> c.ep.receive(c.at(0), 64, there, 1));
                a.post(() -> ep.inject(a.bytes, 0, 8));
                a.post(() -> ep.write(a.at(0), 8, here, there.base(), there.key(), 1));
                a.post(() -> ep.read(a.at(0), 8, here, there.base(), there.key(), 1));
                c.next();
            }
            a.until(() -> sent.read() == 20);
            a.fails(FiErrno.FI_EKEYREJECTED,
                () -> ep.write(a.at(0), 8, here, there.base(), there.key() ^ 0x7777, 1));
            assertThat(sent.readError()).isEqualTo(1);
            assertThat(sent.read()).isEqualTo(20);
            org.assertj.core.api.Assertions.assertThatThrownBy(sent::close)
                .isInstanceOfSatisfying(FabricException.class,
                    e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EBUSY));
        }
        sent.close();
    }

    @Test
    void dataOfPeersWritesAreCounted() {
        b = sides.open();
        final Counter written = b.domain.openCounter();
        a = sides.open();
        try (var ep = b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq).sizes(16, 16)
            .counter(written, CounterEvent.REMOTE_WRITE, CounterEvent.RECV))) {
            ep.connect(a.ep.name());
            a.ep.connect(ep.name());
            desc = a.local();
            into = b.register(1);
            for (int i = 0; i < 5; i++) {
                a.succeeds(() -> a.ep.writeWithData(a.at(0), 8, desc, 1, into.base(), into.key(), 1));
                b.next();
            }
            assertThat(written.read()).isEqualTo(5);
            ep.receive(b.at(0), 64, into, 1);
            a.succeeds(() -> a.ep.send(a.at(0), 8, desc, 1));
            b.next();
            assertThat(written.read()).isEqualTo(6);
        }
        written.close();
    }

    /** The endpoint reads it, not the device. What the JVM would tell at some later moment is told at once. */
    @Test
    void aMappedFileThatWasCutOffIsNotInjected() {
        connect();
        try (CutOffFile file = new CutOffFile(INJECT_SIZE)) {
            final UnsafeBuffer from = new UnsafeBuffer(file.bytes());
            final UnsafeBuffer bare = new UnsafeBuffer(from.addressOffset(), INJECT_SIZE);
            file.cutOff();
            for (int i = 0; i < 20_000; i++) {
                assertThat(a.ep.inject(bare, 0, INJECT_SIZE)).isEqualTo(-FiErrno.FI_EFAULT);
                assertThat(a.ep.inject(from, 0, INJECT_SIZE)).isEqualTo(-FiErrno.FI_EFAULT);
                assertThat(a.ep.injectWithData(from, 0, INJECT_SIZE, 1)).isEqualTo(-FiErrno.FI_EFAULT);
            }
            file.growAgain();
            from.putByte(7, (byte) 8);
            receive(1);
            a.post(() -> a.ep.inject(from, 0, INJECT_SIZE));
            assertThat(b.next().length()).isEqualTo(INJECT_SIZE);
            assertThat(b.bytes.getByte(7)).isEqualTo((byte) 8);
        }
    }

    /** The program took the registered memory away: a copy of it is an error and no signal. */
    @Test
    void memoryThatIsNotThereIsNotInjected() {
        connect();
        try (MappedMemory memory = MappedMemory.anonymous(4096); MemoryRegion gone = a.domain.register(
            new MrAttributes().buffer(memory.address(), 4096).access(MrAccess.SEND, MrAccess.WRITE))) {
            Libc.mmap(memory.address(), 4096, LibcConstants.PROT_NONE,
                LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
            final Message message = new Message(1).add(memory.address(), 64, gone);
            assertThat(a.ep.sendMessage(message, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EFAULT);
            assertThat(a.ep.writeMessage(message.remote(into.base(), into.key()), OpFlags.INJECT))
                .isEqualTo(-FiErrno.FI_EFAULT);
            receive(1);
            a.post(() -> a.ep.sendMessage(message(0, 64), OpFlags.INJECT));
            assertThat(b.next().length()).isEqualTo(64);
        }
    }

    /** The endpoint's key is another one than the region's: the bytes are registered for it, where they are. */
    @Test
    void aRegionOfAnotherKeyLeadsToWhereThisProcessHasIt() {
        connect();
        final byte[] key = {1};
        final MsgEndpoint mine = a.keep(
            a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq).sizes(16, 16).authKey(key)));
        final MsgEndpoint theirs = b.keep(
            b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq).sizes(16, 16).authKey(key)));
        mine.connect(theirs.name());
        theirs.connect(mine.name());
        try (NamedElsewhere from = new NamedElsewhere(a, desc)) {
            for (final long flags : new long[] {0, OpFlags.INJECT}) {
                b.bytes.putLong(0, 0);
                b.post(() -> theirs.receive(b.at(0), 64, into, 1));
                a.post(() -> mine.sendMessage(new Message(1).add(from.at(0), 64, from.region), flags));
                assertThat(b.next().length()).isEqualTo(64);
                assertThat(b.bytes.getLong(0)).isEqualTo(0x1000_0000L);
            }
        }
    }

    @Test
    void whatIsInjectedIsCopiedFromWhereThisProcessHasIt() {
        connect();
        try (NamedElsewhere from = new NamedElsewhere(a, desc)) {
            receive(1);
            a.post(() -> a.ep.sendMessage(new Message(2).add(from.at(0), 8, from.region)
                .add(from.at(24), 16, from.region), OpFlags.INJECT));
            assertThat(b.next().length()).isEqualTo(24);
            assertThat(b.bytes.getLong(0)).isEqualTo(0x1000_0000L);
            assertThat(b.bytes.getLong(16)).isEqualTo(0x1000_0004L);
        }
    }
}
