/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.endpoint.FabricEndpoint;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.concurrent.TimeUnit;

/** Connected endpoints whose messages go in pieces, and that complete in two queues: their application reads one. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TwoQueuesTest {
    /** More than windows and pieces have room for. */
    private static final int MANY = 600;

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private final TestNode node = devices.keep(new TestNode(
        new Hints().context(devices.device("")).capabilities(Capability.MSG, Capability.TAGGED), 4096));
    private final CompletionQueue sends = queue();
    private final CompletionQueue receives = queue();
    private final MsgEndpoint two =
        node.keep(node.domain.openEndpoint(options().completionQueues(sends, receives)));
    private final MsgEndpoint one = node.keep(node.domain.openEndpoint(options().completionQueue(node.cq)));

    TwoQueuesTest() {
        two.connect(one.name());
        one.connect(two.name());
    }

    private static EndpointOptions options() {
        return new EndpointOptions().sizes(16, 16).selectiveCompletion(true);
    }

    private CompletionQueue queue() {
        return node.keep(node.domain.openCompletionQueue(new CqAttributes().size(64).waitObject(WaitObject.FD)));
    }

    private void exchange(final MsgEndpoint from, final MsgEndpoint to, final CompletionQueue read) {
        final int[] counts = new int[3];
        Await.until(() -> counts[0] + " sent, " + counts[1] + " posted, " + counts[2] + " came of " + two, () -> {
            if (counts[1] - counts[2] < 8 && to.receive(node.at(0), 64, null, counts[1]) == 0) {
                counts[1]++;
            }
            if (from.send(node.at(64), 64, null, counts[0]) == 0) {
                counts[0]++;
            }
            for (final CompletionQueue queue : new CompletionQueue[] {read, node.cq}) {
                queue.read(done -> {
                    assertThat(done.errno()).isZero();
                    counts[2] += done.kind() == OperationKind.RECEIVE ? 1 : 0;
                }, 8);
            }
            return counts[2] >= MANY;
        });
    }

    @Test
    void aSenderReadsWhereItsSendsComplete() {
        exchange(two, one, sends);
    }

    @Test
    void aReceiverReadsWhereItsReceivesComplete() {
        exchange(one, two, receives);
    }

    @Test
    void whoReadsReceivesGetsThemBackAtTheEnd() {
        exchange(one, two, receives);
        Await.until("all that is posted came, or is", () -> receives.read(done -> { }, 8) == 0);
        final long[] ended = {0};
        assertThat(two.receive(node.at(0), 64, null, MANY)).isZero();
        one.close();
        ((FabricEndpoint) two).disconnect("the test ends it");
        Await.until(two::toString, () -> {
            receives.read(done -> ended[0] += done.errno() == FiErrno.FI_ECANCELED ? 1 : 0, 16);
            return ended[0] > 0;
        });
    }

    /** The peer's greeting is in the queue that nobody reads: the descriptor of the other one tells. */
    @Test
    void whoSleepsAtOneQueueHearsOfTheOther() {
        Await.until("it has nothing to do", () -> {
            sends.read(done -> { }, 8);
            return sends.tryWait() == 0;
        });
        assertThat(one.send(node.at(64), 64, null, 1)).isEqualTo(-FiErrno.FI_EAGAIN);
        final PollSet set = new PollSet(1);
        set.add(sends.fd(), LibcConstants.POLLIN);
        Await.until("it is woken up", () -> Libc.poll(set, 0) == 1);
        Await.until(two::toString, () -> {
            sends.read(done -> { }, 8);
            node.cq.read(done -> { }, 8);
            return one.send(node.at(64), 64, null, 1) == 0;
        });
    }
}
