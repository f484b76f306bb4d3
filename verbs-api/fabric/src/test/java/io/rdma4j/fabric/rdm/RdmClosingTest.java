/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.pvrdma.EmulatedCommands;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.concurrent.TimeUnit;

/**
 * What peers were told that it has arrived is reported, also when the endpoint is closed meanwhile; and it keeps
 * nothing else waiting while nobody takes it.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmClosingTest {
    /** Data of peers' writes that an endpoint keeps in its application's queue. */
    private static final int ROOM = 1024;
    /** What then waits in the link. */
    private static final int BESIDE = 10;

    @RegisterExtension
    final World world = new World();

    private Rank a;
    private Rank b;
    private long toA;
    private long toB;

    @BeforeEach
    void open() {
        a = world.rank(world.device(""), World.options());
        b = world.rank(world.device(""), World.options());
        toA = b.knows(a);
        toB = a.knows(b);
    }

    /** Who reads nothing at {@code a} has it go on all the same. */
    private void write(final int data) {
        b.post(() -> {
            a.cq.read(null, 0);
            return b.ep.writeWithData(b.at(0), 8, b.region, data, toA, a.region.base(), a.region.key(), data);
        });
        b.until(() -> {
            a.cq.read(null, 0);
            return !b.done.isEmpty();
        });
        final Done told = b.done.poll();
        assertThat(told.errno()).as(told.toString()).isZero();
    }

    /** Of those that came when the link was closed nobody knows the source. */
    private void assertArrived(final int count, final int known) {
        a.take();
        for (int i = 0; i < count; i++) {
            assertThat(a.done).as("arrival %d", i).isNotEmpty();
            final Done one = a.done.poll();
            assertThat(one.kind()).isEqualTo(OperationKind.REMOTE_WRITE);
            assertThat(one.errno()).isZero();
            assertThat(one.data()).isEqualTo(i);
            assertThat(one.source()).isEqualTo(i < known ? toB : FiAddr.NOTAVAIL);
            a.take();
        }
        assertThat(a.done).isEmpty();
    }

    @Test
    void dataOfWritesIsReportedAfterClosingAlsoIfThereWasNoRoomForIt() {
        for (int i = 0; i < ROOM + BESIDE; i++) {
            write(i);
        }
        a.ep.close();
        assertArrived(ROOM + BESIDE, ROOM + BESIDE);
    }

    @Test
    void dataOfAWriteThatCameWhileItWasClosedIsReported() {
        write(0);
        EmulatedCommands.afterNext(a.context, Command.DESTROY_QP, () -> {
            b.post(() -> b.ep.writeWithData(b.at(0), 8, b.region, 1, toA, a.region.base(), a.region.key(), 1));
            assertThat(b.next().errno()).isZero();
        });
        a.ep.close();
        assertArrived(2, 1);
    }

    /** Each link has a queue of its own on this device, and the queue of receives is full of data that nobody takes. */
    @Test
    void dataOfWritesThatNobodyTakesKeepsNoSendWaiting() {
        final CompletionQueue[] sends = new CompletionQueue[1];
        final RdmaContext small = world.device("max_cqe=1024");
        a = world.rank(small, World.hints(small), World.options().window(64, 256), new AvAttributes(), (rank, own) -> {
            sends[0] = rank.keep(rank.domain.openCompletionQueue(64));
            own.completionQueues(sends[0], rank.cq);
        });
        toA = b.knows(a);
        toB = a.knows(b);
        final Rank c = world.rank(world.device(""), World.options());
        final long toC = a.knows(c);
        sendTo(c, toC, sends[0]);
        for (int i = 0; i < ROOM; i++) {
            write(i);
        }
        sendTo(c, toC, sends[0]);
        assertArrived(ROOM, ROOM);
    }

    private void sendTo(final Rank other, final long to, final CompletionQueue sends) {
        other.post(() -> other.ep.receive(other.at(0), 8, other.region, FiAddr.UNSPEC, 1));
        Await.until(a::toString, () -> {
            sends.read(null, 0);
            other.take();
            return a.ep.send(a.at(0), 8, a.region, to, 2) == 0;
        });
        Await.until(a::toString, () -> {
            other.take();
            return sends.read(sent -> assertThat(sent.errno()).isZero(), 16) > 0;
        });
        assertThat(other.next().errno()).isZero();
    }

    /** The device of {@code a} keeps the queue pair of its link with {@code b}, which goes. */
    private void refuseTheEndOfB() {
        a.others.add(b);
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toB, 0));
        EmulatedCommands.refuseNext(a.context, Command.DESTROY_QP);
        b.ep.close();
        Await.until(a::toString, () -> {
            try {
                a.take();
                return false;
            } catch (final RdmaException e) {
                assertThat(e).hasMessageContaining("DESTROY_QP");
                return true;
            }
        });
    }

    @Test
    void aLinkThatTheDeviceKeepsKeepsNoOtherWaiting() {
        final Rank c = world.rank(world.device(""), World.options());
        a.others.add(c);
        final long toC = a.knows(c);
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toC, 1));
        refuseTheEndOfB();
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toC, 2));
        closeWithWhatIsKept();
    }

    /** A queue pair that lives may still write there. */
    @Test
    void slotsOfALinkThatTheDeviceKeepsAreNoOtherLinks() {
        final Rank c = world.rank(world.device(""), World.options());
        a.others.add(c);
        final long toC = a.knows(c);
        refuseTheEndOfB();
        final Connections links = ((RdmEndpoint) a.ep).resources().links();
        final long before = links.slotBytes();
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toC, 1));
        assertThat(links.slotBytes()).isGreaterThan(before);
        closeWithWhatIsKept();
    }

    /** The queue pair keeps its completion queue, and its protection domain. */
    private void closeWithWhatIsKept() {
        assertThatThrownBy(a::close).hasMessageContaining("DESTROY_CQ");
        assertThatThrownBy(a::close).hasMessageContaining("DESTROY_PD");
        a.close();
        a.context.close();
    }
}
