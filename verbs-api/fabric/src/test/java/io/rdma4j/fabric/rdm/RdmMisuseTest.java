/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What makes no sense is refused, and hurts nothing. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RdmMisuseTest {
    @RegisterExtension
    final World world = new World();

    private Rank a;
    private Rank b;
    private long toB;

    @BeforeEach
    void open() {
        final Rank[] both = world.pair("");
        a = both[0];
        b = both[1];
        toB = a.knows(b);
    }

    private int opening(final Consumer<EndpointOptions> change) {
        final EndpointOptions options = World.options().completionQueue(a.cq).addressVector(a.av);
        change.accept(options);
        final FabricException e =
            catchThrowableOfType(FabricException.class, () -> a.domain.openAddressedEndpoint(options).close());
        return e == null ? 0 : e.errno();
    }

    @Test
    void openingSaysWhatIsMissing() {
        assertThat(opening(options -> { })).isZero();
        assertThat(catchThrowableOfType(FabricException.class, () -> a.domain.openAddressedEndpoint(null)).errno())
            .isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.addressVector(null))).isEqualTo(FiErrno.FI_ENOAV);
        assertThat(opening(options -> options.addressVector(b.av))).isEqualTo(FiErrno.FI_EDOMAIN);
        assertThat(opening(options -> options.completionQueue(null))).isEqualTo(FiErrno.FI_ENOCQ);
        assertThat(opening(options -> options.completionQueue(b.cq))).isEqualTo(FiErrno.FI_EDOMAIN);
        assertThat(opening(options -> options.sizes(0, 1))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.sizes(1, -1))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.window(3, 4096))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.window(16, 100))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.window(2000, 1 << 20))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.mostConnections(-1))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.mostConnections(1))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.connectTimeout(null))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.connectTimeout(Duration.ZERO))).isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.receiveContexts(a.cq, a.cq))).as("no bits for them in the vector")
            .isEqualTo(FiErrno.FI_EINVAL);
        assertThat(opening(options -> options.receiveContexts(a.cq, null))).isEqualTo(FiErrno.FI_EINVAL);
    }

    @Test
    void addressesThatNameNobody() {
        for (final long dest : new long[] {FiAddr.UNSPEC, FiAddr.NOTAVAIL, toB + 1, 1L << 40, Long.MIN_VALUE}) {
            assertThat(a.ep.send(a.at(0), 8, a.region, dest, 1)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.inject(new UnsafeBuffer(new byte[8]), 0, 8, dest)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.write(a.at(0), 8, a.region, dest, 0, 0, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        }
        assertThat(a.ep.receive(a.at(0), 8, a.region, toB + 1, 1)).isEqualTo(-FiErrno.FI_EINVAL);
    }

    /** With FI_MR_LOCAL, too: the device does not touch it. */
    @Test
    void whatIsCopiedNeedsNoDescriptor() {
        final RdmaContext device = world.device("");
        final Rank strict = world.rank(device, World.hints(device).mrMode(MrMode.LOCAL).demand(MrMode.LOCAL),
            World.options(), new AvAttributes());
        world.acquainted(strict, b);
        final long there = strict.knows(b);
        b.post(() -> b.ep.receive(b.at(0), 64, b.region, FiAddr.UNSPEC, 1));
        final Message bytes = new Message(1).add(strict.at(0), 8, null).peer(there).remote(b.region.base() + 64, 77);
        assertThat(strict.ep.sendMessage(bytes, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        strict.succeeds(() -> strict.ep.sendMessage(bytes, OpFlags.INJECT));
        assertThat(b.next().length()).isEqualTo(8);
        assertThat(strict.ep.writeMessage(bytes, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        strict.succeeds(() -> strict.ep.writeMessage(bytes, OpFlags.INJECT));
    }

    @Test
    void memoryThatIsNone() {
        assertThat(a.ep.send(a.at(0), -1, a.region, toB, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.send(a.at(Rank.SIZE - 4), 8, a.region, toB, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.send(a.at(0), 8, b.region, toB, 1)).isEqualTo(-FiErrno.FI_EDOMAIN);
        assertThat(a.ep.send(0, 8, null, toB, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.send(8, 8, null, toB, 1)).as("not mapped").isNegative();
        assertThat(a.ep.receive(8, 8, null, FiAddr.UNSPEC, 1)).as("not mapped").isNegative();
        assertThat(a.ep.receive(a.at(0), -1, a.region, FiAddr.UNSPEC, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.read(a.at(0), -1, a.region, toB, 0, 0, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.send(null, 0, 8, toB, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.send(new UnsafeBuffer(new byte[8]), 0, 8, toB, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.receive((UnsafeBuffer) null, 0, 8, toB, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.inject(null, 0, 8, toB)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.inject(new UnsafeBuffer(new byte[8]), 4, 8, toB)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.inject(new UnsafeBuffer(new byte[8]), Integer.MAX_VALUE, 8, toB)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.inject(new UnsafeBuffer(new byte[8]), 0, -1, toB)).isEqualTo(-FiErrno.FI_EINVAL);
        final int most = a.domain.info().transmitAttributes().injectSize();
        assertThat(a.ep.inject(new UnsafeBuffer(new byte[most + 1]), 0, most + 1, toB))
            .isEqualTo(-FiErrno.FI_EMSGSIZE);
    }

    @Test
    void messagesAndFlags() {
        assertThat(a.ep.sendMessage(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.receiveMessage(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.readMessage(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.writeMessage(null, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        final Message many = new Message(200).peer(toB);
        for (int i = 0; i < 100; i++) {
            many.add(a.at(i), 1, a.region);
        }
        assertThat(a.ep.sendMessage(many, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.ep.receiveMessage(many, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        final Message one = new Message(1).add(a.at(0), 8, a.region).peer(toB);
        assertThat(a.ep.sendMessage(one, 1L << 60)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(a.ep.receiveMessage(one, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(a.ep.sendMessage(one, OpFlags.MATCH_COMPLETE)).as("without a tag").isEqualTo(-FiErrno.FI_EBADFLAGS);
        one.clear().add(a.at(0), 10_000, a.region);
        assertThat(a.ep.sendMessage(one, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        one.clear().add(a.at(0), -1, a.region);
        assertThat(a.ep.sendMessage(one, 0)).isEqualTo(-FiErrno.FI_EINVAL);
    }

    /** Before there is a connection, where the operation would wait for it, as when there is one. */
    @Test
    void rma() {
        final Message many = new Message(100).peer(toB).remote(b.region.base(), 77);
        for (int i = 0; i < 100; i++) {
            many.add(a.at(i), 1, a.region);
        }
        final Message one = new Message(1).add(a.at(0), 8, a.region).peer(toB).remote(b.region.base(), 77);
        final Message foreign = new Message(1).add(a.at(0), 8, b.region).peer(toB).remote(b.region.base(), 77);
        final MemoryRegion closed = a.domain.register(
            new MrAttributes().buffer(a.memory).access(MrAccess.READ, MrAccess.WRITE).requestedKey(78));
        closed.close();
        final AtomicRequest least = new AtomicRequest().operation(AtomicOp.MIN, AtomicType.UINT32)
            .operands(a.at(0), 1, null).result(a.at(64), b.region).remote(b.region.base(), 77).peer(toB);
        final long there = b.region.base();
        for (int i = 0; i < 2; i++) {
            assertThat(a.ep.writeMessage(one, 1L << 60)).isEqualTo(-FiErrno.FI_EBADFLAGS);
            assertThat(a.ep.readMessage(one, OpFlags.INJECT)).isEqualTo(-FiErrno.FI_EBADFLAGS);
            assertThat(a.ep.writeMessage(many, 0)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.writeMessage(foreign, 0)).isEqualTo(-FiErrno.FI_EDOMAIN);
            assertThat(a.ep.write(a.at(0), 8, b.region, toB, there, 77, 1)).isEqualTo(-FiErrno.FI_EDOMAIN);
            assertThat(a.ep.read(a.at(0), 8, closed, toB, there, 77, 1)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.read(a.at(Rank.SIZE - 4), 8, a.region, toB, there, 77, 1)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.fetchAdd(a.at(4), a.region, 1, toB, there, 77, 1)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.fetchAdd(a.at(0), a.region, 1, toB, there + 4, 77, 1)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.ep.atomic(least, 0)).isEqualTo(-FiErrno.FI_EDOMAIN);
            a.succeeds(() -> a.ep.write(a.at(0), 8, a.region, toB, there, 77, 1));
        }
        assertThat(a.done).isEmpty();
    }

    @Test
    void rmaThatCannotBeStartedWhenThereIsAConnection() {
        final MemoryRegion mine = a.domain.register(
            new MrAttributes().buffer(a.memory).access(MrAccess.READ, MrAccess.WRITE).requestedKey(78));
        a.post(() -> a.ep.write(a.at(0), 8, mine, toB, b.region.base(), 77, 1));
        mine.close();
        final Done closed = a.next();
        assertThat(closed.error()).isEqualTo("FI_EINVAL");
        assertThat(closed.text()).startsWith("it could not be started when the connection was there");
        final RdmaContext device = world.device("");
        final Rank plain = world.rank(device, World.hints(device).capabilities(Set.of(Capability.MSG)),
            World.options(), new AvAttributes());
        world.acquainted(a, plain);
        final long there = a.knows(plain);
        assertThat(a.fails(FiErrno.FI_EOPNOTSUPP, () -> a.ep.write(a.at(0), 8, a.region, there, 0, 77, 2)).text())
            .isEqualTo(closed.text());
    }

    /** What a late look-up of memory without a descriptor ends with is told as of messages. */
    @Test
    void memoryThatIsGoneWhenThereIsAConnectionIsNoRefusal() {
        for (final int errno : List.of(FiErrno.FI_EFAULT, FiErrno.FI_ENOMEM)) {
            assertThat(ErrorDetails.ofLateRma(errno)).isEqualTo(ErrorDetails.of(errno));
        }
    }

    @Test
    void contextsThatAreNotThere() {
        assertThat(a.ep.receiveContext(0).index()).isZero();
        assertThat(catchThrowableOfType(FabricException.class, () -> a.ep.receiveContext(1)).errno())
            .isEqualTo(FiErrno.FI_EINVAL);
        assertThat(catchThrowableOfType(FabricException.class, () -> a.ep.receiveContext(-1)).errno())
            .isEqualTo(FiErrno.FI_EINVAL);
    }

    @Test
    void moreThanItsSizeIsRefusedUntilCompletionsAreRead() {
        for (int i = 0; i < 16; i++) {
            assertThat(b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, i)).isZero();
        }
        assertThat(b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 16)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(b.ep.cancel(3)).isZero();
        assertThat(b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 16)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(b.next().context()).isEqualTo(3);
        assertThat(b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 16)).isZero();
    }

    @Test
    void aQueueWithAnEndpointStaysOpen() {
        assertThat(catchThrowableOfType(FabricException.class, a.cq::close).errno()).isEqualTo(FiErrno.FI_EBUSY);
        assertThat(catchThrowableOfType(FabricException.class, a.domain::close).errno()).isEqualTo(FiErrno.FI_EBUSY);
    }
}
