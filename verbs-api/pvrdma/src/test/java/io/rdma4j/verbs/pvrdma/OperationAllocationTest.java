/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link AllocationTest} posts is also carried out here, device and all, and nothing is left to the collector. */
class OperationAllocationTest {
    private static final int STEPS = TestBudget.rounds(4_000, 10_000);
    /** Polls; the device is done when its doorbell has been rung, but for what waits for something else. */
    private static final long IOVA = 0x10_0000;

    @RegisterExtension
    final Devices devices = new Devices();

    private final Counter counter = new Counter();

    private static final class Counter implements CompletionHandler {
        private long successes;
        private long failures;

        @Override
        public void onCompletion(final Completion completion) {
            if (completion.status() == WcStatus.SUCCESS) {
                successes++;
            } else {
                failures++;
            }
        }
    }

    /** Polls until so many have come. */
    private void poll(final Peer peer, final int count) {
        int left = count;
        final long begun = System.nanoTime();
        while (left > 0) {
            left -= peer.cq.poll(counter, left);
            if (System.nanoTime() - begun > Patience.nanos()) {
                throw new AssertionError(left + " of " + count + " completions did not come to " + peer.cq);
            }
        }
    }

    private static void taken(final int code) {
        if (code < 0) {
            throw new AssertionError(ReturnCode.nameOf(code));
        }
    }

    private void assertNothing(final Runnable step) {
        assertThat(Allocations.perStep(STEPS, step)).as("bytes a step").isZero();
        assertThat(counter.successes).as("completions").isGreaterThanOrEqualTo(2L * STEPS);
        assertThat(counter.failures).as("of them not successful").isZero();
    }

    private Peer[] connected() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        return new Peer[] {a, b};
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND", "SEND_WITH_IMM", "RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "RDMA_READ",
        "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD", "MASKED_ATOMIC_CMP_AND_SWP", "MASKED_ATOMIC_FETCH_AND_ADD"})
    void carryingOut(final SendOpcode opcode) {
        final Peer[] ends = connected();
        final Peer a = ends[0];
        final Peer b = ends[1];
        final SendRequest request = new SendRequest().opcode(opcode).sge(a.at(0), 8, a.lkey())
            .remote(b.at(64), b.region.rkey()).atomic(1, 2);
        final boolean received = opcode.name().startsWith("SEND") || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
        assertNothing(() -> {
            if (received) {
                taken(b.qp.postReceive(1, b.at(0), 64, b.lkey()));
            }
            taken(a.qp.postSend(request));
            poll(a, 1);
            if (received) {
                poll(b, 1);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4_095, 4_097, 16_384})
    void messagesOfAnySize(final int length) {
        final Peer[] ends = connected();
        final Peer a = ends[0];
        final Peer b = ends[1];
        final SendRequest write = new SendRequest(2).opcode(SendOpcode.RDMA_WRITE).flags(0)
            .addSge(a.at(3), length / 2, a.lkey()).addSge(a.at(20_000), length - length / 2, a.lkey())
            .remote(b.at(5), b.region.rkey());
        assertNothing(() -> {
            taken(b.qp.postReceive(1, b.at(7), length, b.lkey()));
            taken(a.qp.postSend(write));
            taken(a.qp.postSend(2, a.at(1), length, a.lkey()));
            poll(a, 1);
            poll(b, 1);
        });
    }

    @Test
    void lists() {
        final Peer[] ends = connected();
        final Peer a = ends[0];
        final Peer b = ends[1];
        final ReceiveRequest[] receives = new ReceiveRequest[8];
        final SendRequest[] sends = new SendRequest[8];
        for (int i = 0; i < receives.length; i++) {
            receives[i] = new ReceiveRequest(2).addSge(b.at(0), 32, b.lkey()).addSge(b.at(64), 32, b.lkey());
            sends[i] = new SendRequest().wrId(i).opcode(i % 2 == 0 ? SendOpcode.SEND : SendOpcode.RDMA_WRITE_WITH_IMM)
                .flags(i == 7 ? SendRequest.SIGNALED : 0).sge(a.at(0), 64, a.lkey())
                .remote(b.at(128), b.region.rkey());
        }
        assertNothing(() -> {
            taken(b.qp.postReceive(receives, receives.length));
            taken(a.qp.postSend(sends, sends.length));
            poll(b, sends.length);
            poll(a, 1);
        });
    }

    @Test
    void datagramsIntoASharedQueueByLists() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.ud(devices.open());
        final var pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(64, 1);
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().type(QpType.UD).srq(srq));
        QpConnector.activate(b.qp, Peer.QKEY);
        final SendRequest[] sends = new SendRequest[4];
        for (int i = 0; i < sends.length; i++) {
            sends[i] = new SendRequest().to(a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid())),
                b.qp.qpNumber(), Peer.QKEY).sge(a.at(0), 64, a.lkey());
        }
        final ReceiveRequest receive = new ReceiveRequest().sge(b.at(0), 128, b.lkey());
        assertNothing(() -> {
            for (int i = 0; i < sends.length; i++) {
                taken(srq.postReceive(receive));
            }
            taken(a.qp.postSend(sends, sends.length));
            poll(b, sends.length);
            poll(a, sends.length);
        });
    }

    @Test
    void armingAndLookingInVain() {
        final Peer[] ends = connected();
        final Peer a = ends[0];
        final Peer b = ends[1];
        assertNothing(() -> {
            taken(b.cq.requestNotify(false));
            taken(b.cq.poll(counter, 16));
            taken(b.qp.postReceive(1, b.at(0), 64, b.lkey()));
            taken(a.qp.postSend(1, a.at(0), 64, a.lkey()));
            poll(a, 1);
            poll(b, 1);
        });
    }

    /** Receives come after the messages: the sender waits, and starts again when there is one. */
    @Test
    void messagesThatWaitForTheirReceive() {
        final Peer[] ends = connected();
        final Peer a = ends[0];
        final Peer b = ends[1];
        assertNothing(() -> {
            taken(a.qp.postSend(1, a.at(0), 64, a.lkey()));
            taken(a.qp.postSend(2, a.at(0), 64, a.lkey()));
            taken(b.qp.postReceive(1, b.at(0), 64, b.lkey()));
            taken(b.qp.postReceive(2, b.at(0), 64, b.lkey()));
            poll(a, 2);
            poll(b, 2);
        });
    }

    @Test
    void queuesThatAreFull() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = new Peer(devices.open(), new QpOptions().maxReceiveWr(4));
        a.connect(b);
        final int room = b.qp.maxReceiveWr();
        final long[] refused = new long[1];
        assertNothing(() -> {
            int posted = 0;
            while (b.qp.postReceive(posted, b.at(0), 64, b.lkey()) == ReturnCode.OK) {
                posted++;
            }
            if (posted != room || b.qp.postReceive(1, b.at(0), 64, b.lkey()) != ReturnCode.QUEUE_FULL) {
                refused[0]++;
            }
            for (int i = 0; i < posted; i++) {
                taken(a.qp.postSend(i, a.at(0), 64, a.lkey()));
            }
            poll(a, posted);
            poll(b, posted);
        });
        assertThat(refused[0]).as("laps with another number of receives than %d", room).isZero();
    }

    @Test
    void registeringByTheQueueAndInvalidating() {
        final KeyBench bench = new KeyBench(devices);
        final Peer owner = bench.owner;
        final FastRegion region = owner.pd.allocateFastRegion(4);
        region.map(bench.pages(3, 4), 0, 8192);
        final SendRequest register = new SendRequest().fastRegister(region, region.nextKey(), IOVA,
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        final SendRequest invalidate = KeyBench.invalidation(0);
        final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE)
            .sge(bench.user.at(0), 8, bench.user.lkey());
        assertNothing(() -> {
            taken(owner.qp.postSend(register.newKey(region.nextKey())));
            poll(owner, 1);
            taken(bench.user.qp.postSend(write.remote(IOVA, region.rkey())));
            poll(bench.user, 1);
            taken(owner.qp.postSend(invalidate.invalidate(region.rkey())));
            poll(owner, 1);
        });
    }

    @Test
    void bindingAWindowAndInvalidating() {
        final KeyBench bench = new KeyBench(devices);
        final Peer owner = bench.owner;
        final MemoryWindow window = owner.pd.allocateWindow(WindowType.TYPE_2);
        final SendRequest bind = new SendRequest().bind(window, window.nextRkey(), bench.bindable, owner.at(0), 64,
            AccessFlag.REMOTE_WRITE);
        final SendRequest invalidate = KeyBench.invalidation(0);
        assertNothing(() -> {
            taken(owner.qp.postSend(bind.newKey(window.nextRkey())));
            poll(owner, 1);
            taken(owner.qp.postSend(invalidate.invalidate(window.rkey())));
            poll(owner, 1);
        });
    }
}
