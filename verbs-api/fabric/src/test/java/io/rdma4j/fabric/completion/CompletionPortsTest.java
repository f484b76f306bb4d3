/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;
import io.rdma4j.driver.wait.WaitFd;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.verbs.Completion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What endpoints cost that have nothing to do, counted in calls. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CompletionPortsTest {
    private static final int MANY = 1_000;

    @RegisterExtension
    final Queues queues = new Queues();

    private int progressed;
    private int armed;
    private int asked;

    /** Counts how often it is called, and wants to be called some times. */
    private final class Port implements CompletionPort {
        private int more;
        private int arms;
        private int throwing;
        private long idle = Long.MAX_VALUE;

        @Override
        public void completed(final int what, final int slot, final Completion completion) {
            throw new AssertionError("nothing is under way");
        }

        @Override
        public boolean progress(final FabricCompletionQueue queue) {
            progressed++;
            if (throwing > 0) {
                throwing--;
                throw new IllegalStateException("thrown");
            }
            return more-- > 0;
        }

        @Override
        public int arm() {
            armed++;
            return arms;
        }

        @Override
        public long idleNanos() {
            asked++;
            return idle;
        }

        @Override
        public Endpoint endpoint() {
            return queues.endpoint;
        }
    }

    private int calls() {
        return progressed + armed + asked;
    }

    @Test
    void idlePortsAreNotCalled() {
        final FabricCompletionQueue queue = queues.open();
        final List<Port> ports = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            ports.add(new Port());
            queue.attach(ports.get(i));
        }
        queue.read(null, 0);
        assertThat(progressed).as("each once, when it is new").isEqualTo(MANY);
        progressed = 0;
        for (int i = 0; i < 100; i++) {
            queue.read(null, 0);
            assertThat(queue.arm()).isZero();
            assertThat(queue.idleNanos()).isEqualTo(Long.MAX_VALUE);
        }
        assertThat(calls()).isZero();
        ports.forEach(queue::detach);
        queue.read(null, 0);
        assertThat(calls()).isZero();
    }

    @Test
    void onesThatWantAreCalledUntilTheyDoNot() {
        final FabricCompletionQueue queue = queues.open();
        final Port one = new Port();
        final Port other = new Port();
        queue.attach(one);
        final int number = queue.attach(other);
        queue.read(null, 0);
        progressed = 0;
        one.more = 3;
        other.more = 1;
        queue.wants(one);
        queue.wants(one);
        queue.wants(number);
        final int[] expected = {2, 4, 5, 6, 6, 6};
        for (final int calls : expected) {
            queue.read(null, 0);
            assertThat(progressed).isEqualTo(calls);
        }
        queue.detach(one);
        queue.detach(other);
    }

    /** One that throws may have more to do, but keeps no other waiting. */
    @Test
    void onesBehindOneThatThrowsAreCalledNextTimeAndThenItself() {
        final FabricCompletionQueue queue = queues.open();
        final Port[] ports = {new Port(), new Port(), new Port()};
        for (final Port port : ports) {
            port.more = Integer.MAX_VALUE;
            queue.attach(port);
        }
        queue.read(null, 0);
        progressed = 0;
        ports[0].throwing = 2;
        assertThatThrownBy(() -> queue.read(null, 0)).hasMessage("thrown");
        assertThat(progressed).isEqualTo(1);
        assertThatThrownBy(() -> queue.read(null, 0)).hasMessage("thrown");
        assertThat(progressed).as("the two behind it, and then itself").isEqualTo(4);
        queue.read(null, 0);
        assertThat(progressed).as("all").isEqualTo(7);
        for (final Port port : ports) {
            queue.detach(port);
        }
    }

    /**
     * Another queue's descriptor keeps the thread that listens to the device listening: it does not hear of times. Each
     * round would last as long as that listens, so that this test would not end in time.
     */
    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void timesOfPortsAreKeptForWhoWatchesADescriptor() {
        final FabricCompletionQueue other = queues.open(new CqAttributes().waitObject(WaitObject.FD));
        final FabricCompletionQueue queue = queues.open(new CqAttributes().waitObject(WaitObject.FD));
        assertThat(other.tryWait()).isZero();
        final Port port = new Port();
        port.more = Integer.MAX_VALUE;
        port.idle = TimeUnit.MILLISECONDS.toNanos(1);
        queue.attach(port);
        final PollSet set = new PollSet(1);
        set.add(queue.fd(), LibcConstants.POLLIN);
        for (int round = 0; round < 500; round++) {
            queue.read(null, 0);
            assertThat(queue.tryWait()).isZero();
            assertThat(Libc.poll(set, TimeUnit.SECONDS.toNanos(30))).as("round %d: %s", round, queue).isEqualTo(1);
        }
        queue.detach(port);
    }

    @Test
    void onlyThoseThatWantAreAskedBeforeAWait() {
        final FabricCompletionQueue queue = queues.open();
        final Port one = new Port();
        one.more = Integer.MAX_VALUE;
        one.idle = 12_345;
        assertThat(queue.attach(one)).isZero();
        assertThat(queue.arm()).as("it is new").isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(armed).isZero();
        queue.read(null, 0);
        assertThat(queue.arm()).isZero();
        assertThat(armed).isEqualTo(1);
        assertThat(queue.idleNanos()).isEqualTo(12_345);
        one.arms = -FiErrno.FI_EAGAIN;
        assertThat(queue.arm()).isEqualTo(-FiErrno.FI_EAGAIN);
        queue.detach(one);
        assertThat(queue.arm()).isZero();
    }

    @Test
    void numbersAreUsedAgain() {
        final FabricCompletionQueue queue = queues.open();
        final Port[] ports = {new Port(), new Port(), new Port()};
        for (int i = 0; i < ports.length; i++) {
            assertThat(queue.attach(ports[i])).isEqualTo(i);
        }
        queue.detach(ports[1]);
        queue.detach(ports[1]);
        assertThatThrownBy(queue::close).isInstanceOfSatisfying(FabricException.class,
            e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EBUSY)).hasMessageContaining("2 endpoints");
        assertThat(queue.attach(ports[1])).isEqualTo(1);
        for (final Port port : ports) {
            queue.detach(port);
        }
        queue.close();
        assertThatThrownBy(() -> queue.attach(ports[0])).isInstanceOfSatisfying(FabricException.class,
            e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EBADFD));
    }

    /** Who has the lanes may note what came before the device was asked: no event comes for that. */
    @Test
    void nobodySleepsWhileAnotherThreadHasTheLanesInwards() throws InterruptedException {
        final FabricCompletionQueue queue = queues.open(new CqAttributes().waitObject(WaitObject.FD));
        final RmaArrivals arrivals = queue.arrivals(8);
        queue.read(null, 0);
        final Thread other = new Thread(arrivals::hold);
        other.start();
        other.join();
        assertThat(queue.tryWait()).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(queue.arm()).isEqualTo(-FiErrno.FI_EAGAIN);
        arrivals.letGo();
        assertThat(queue.tryWait()).isZero();
        arrivals.giveBack(8);
    }

    @Test
    void aClosedDescriptorHasNoNumber() {
        final Sleeper sleeper = new Sleeper(CompletionWaker.of(queues.context), WaitFd.open());
        assertThat(sleeper.fd()).isNotNegative();
        sleeper.close();
        assertThat(sleeper.fd()).isEqualTo(-1);
    }

    /** Something may come between the last look and the time until which is slept. */
    @Test
    void whoWasWokenUpBeforeHasNoTimeAnyMore() {
        final Sleeper sleeper = new Sleeper(CompletionWaker.of(queues.context), WaitFd.open());
        sleeper.arm();
        sleeper.wake();
        sleeper.dueIn(0);
        assertThat(sleeper.leftOrWake(System.nanoTime())).as("else the clock goes round and round")
            .isEqualTo(Long.MAX_VALUE);
        sleeper.close();
    }

    /** All endpoints of a queue complete in the same two queues of the device, so that a read polls these only. */
    @Test
    void thousandEndpointsShareTwoQueuesOfTheDevice() {
        final FabricCompletionQueue queue = queues.open();
        final List<MsgEndpoint> endpoints = new ArrayList<>();
        endpoints.add(queues.domain.openEndpoint(new EndpointOptions().sizes(1, 1).completionQueue(queue)));
        final long polled = deviceQueues();
        assertThat(polled).as("two for each of two queues with endpoints").isEqualTo(4);
        for (int i = 1; i < MANY; i++) {
            endpoints.add(queues.domain.openEndpoint(new EndpointOptions().sizes(1, 1).completionQueue(queue)));
        }
        assertThat(deviceQueues()).isEqualTo(polled);
        for (int i = 0; i < 10; i++) {
            assertThat(queue.read(null, 0)).isZero();
        }
        assertThatThrownBy(queue::close).hasMessageContaining("1000 endpoints");
        endpoints.forEach(MsgEndpoint::close);
    }

    private long deviceQueues() {
        return queues.context.dump().lines().filter(line -> line.strip().startsWith("CQ ")).count();
    }
}
