/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others see is what was done. */
@Timeout(60)
class LiveCountersTest {
    @RegisterExtension
    final Devices devices = new Devices();

    private static void assertCounted(final LiveObject object, final int place, final long total) {
        assertThat(object.counter(place)).as("%s of %s %d", object.kind().counters().get(place), object.kind(),
            object.handle()).isEqualTo(total);
    }

    private static void assertQp(final QueuePair qp, final int place, final long total) {
        assertCounted(Seen.qp(qp), place, total);
    }

    private static void assertCq(final CompletionQueue cq, final int place, final long total) {
        assertCounted(Seen.cq(cq), place, total);
    }

    private static void assertStatus(final CompletionQueue cq, final int status, final long total) {
        assertCq(cq, CqKind.STATUS + status, total);
    }

    private static SendRequest[] batch(final Peer a, final int count, final boolean allSignaled) {
        final SendRequest[] batch = new SendRequest[count];
        for (int i = 0; i < count; i++) {
            batch[i] = new SendRequest().wrId(i).sge(a.at(0), 10 + i, a.lkey())
                .flags(allSignaled || i == count - 1 ? SendRequest.SIGNALED : 0);
        }
        return batch;
    }

    private static void receive(final Peer b, final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(b.qp.postReceive(i, b.at(0), 64, b.lkey())).isZero();
        }
    }

    private Peer[] connected(final String options) {
        final Peer a = Peer.rc(devices.open(options));
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        return new Peer[] {a, b};
    }

    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void postsDoorbellsAndCompletions(final String options) {
        final Peer[] both = connected(options);
        final Peer a = both[0];
        final Peer b = both[1];
        receive(b, 9);
        assertThat(a.qp.postSend(1, a.at(0), 7, a.lkey())).isZero();
        assertThat(a.qp.postSend(batch(a, 8, true), 8)).isEqualTo(8);
        Completions.await(a.cq, 9);
        Completions.await(b.cq, 9);

        assertQp(a.qp, QpKind.SQ_POSTED, 9);
        assertQp(a.qp, QpKind.SQ_DOORBELLS, 2);
        assertQp(a.qp, QpKind.SQ_RETIRED, 9);
        assertQp(a.qp, QpKind.RQ_POSTED, 0);
        assertQp(b.qp, QpKind.RQ_POSTED, 9);
        assertQp(b.qp, QpKind.RQ_DOORBELLS, 9);
        assertQp(b.qp, QpKind.RQ_RETIRED, 9);
        assertQp(b.qp, QpKind.SQ_POSTED, 0);
        final long bytes = 7 + 8 * 10 + 28;
        assertCq(a.cq, CqKind.COMPLETIONS, 9);
        assertStatus(a.cq, WcStatus.PVRDMA_WC_SUCCESS, 9);
        assertCq(a.cq, CqKind.BYTES_SENT, bytes);
        assertCq(a.cq, CqKind.BYTES_RECEIVED, 0);
        assertCq(b.cq, CqKind.COMPLETIONS, 9);
        assertCq(b.cq, CqKind.BYTES_RECEIVED, bytes);
        assertCq(b.cq, CqKind.BYTES_SENT, 0);
    }

    /** Where the device completes every send, and where it completes those that ask for it alone. */
    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void silentSendsHaveBytesAndNoCompletion(final String options) {
        final Peer[] both = connected(options);
        final Peer a = both[0];
        receive(both[1], 8);
        assertThat(a.qp.postSend(batch(a, 8, false), 8)).isEqualTo(8);
        Completions.await(a.cq, 1);
        assertQp(a.qp, QpKind.SQ_RETIRED, 8);
        assertCq(a.cq, CqKind.COMPLETIONS, 1);
        assertStatus(a.cq, WcStatus.PVRDMA_WC_SUCCESS, 1);
        assertCq(a.cq, CqKind.BYTES_SENT, 8 * 10 + 28);
    }

    @Test
    void bytesOfSilentSendsAreSeenThoughThePollIsEmpty() {
        final Peer[] both = connected(Devices.QEMU);
        final Peer a = both[0];
        receive(both[1], 1);
        assertThat(a.qp.postSend(new SendRequest().flags(0).sge(a.at(0), 33, a.lkey()))).isZero();
        Completions.assertNone(a.cq);
        assertCq(a.cq, CqKind.BYTES_SENT, 33);
        assertCq(a.cq, CqKind.COMPLETIONS, 0);
        assertCq(a.cq, CqKind.POLLS, Seen.cq(a.cq).counter(CqKind.EMPTY_POLLS));
    }

    @Test
    void pollsAndThoseThatFindNothing() {
        final Peer[] both = connected("");
        final Peer a = both[0];
        final Completions completions = new Completions();
        for (int i = 0; i < 5; i++) {
            assertThat(a.cq.poll(completions, 4)).isZero();
        }
        assertCq(a.cq, CqKind.POLLS, 5);
        assertCq(a.cq, CqKind.EMPTY_POLLS, 5);
        receive(both[1], 6);
        assertThat(a.qp.postSend(batch(a, 6, true), 6)).isEqualTo(6);
        int empty = 5;
        int polls = 5;
        while (completions.list.size() < 6) {
            empty += a.cq.poll(completions, 4) == 0 ? 1 : 0;
            polls++;
        }
        assertThat(a.cq.poll(null, 4)).as("no poll").isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.cq.poll(completions, 0)).as("no poll").isEqualTo(ReturnCode.INVALID_REQUEST);
        assertCq(a.cq, CqKind.POLLS, polls);
        assertCq(a.cq, CqKind.EMPTY_POLLS, empty);
    }

    @Test
    void whatAHandlerThrewAtIsCounted() {
        final Peer[] both = connected("");
        final Peer a = both[0];
        receive(both[1], 2);
        assertThat(a.qp.postSend(batch(a, 2, true), 2)).isEqualTo(2);
        Completions.await(both[1].cq, 2);
        long thrown = 0;
        while (thrown < 2) {
            try {
                a.cq.poll(completion -> {
                    throw new IllegalStateException("no");
                }, 4);
            } catch (final IllegalStateException e) {
                thrown++;
            }
        }
        assertCq(a.cq, CqKind.COMPLETIONS, 2);
        assertCq(a.cq, CqKind.BYTES_SENT, 21);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void failuresByStatus(final String options) {
        final Peer[] both = connected(options);
        final Peer a = both[0];
        receive(a, 3);
        a.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(a.qp.postSend(1, a.at(0), 10, a.lkey())).isZero();
        Completions.await(a.cq, 4);
        assertStatus(a.cq, WcStatus.PVRDMA_WC_WR_FLUSH_ERR, 4);
        assertStatus(a.cq, WcStatus.PVRDMA_WC_SUCCESS, 0);
        assertCq(a.cq, CqKind.COMPLETIONS, 4);
        assertCq(a.cq, CqKind.BYTES_SENT, 0);
        assertCq(a.cq, CqKind.BYTES_RECEIVED, 0);
        assertQp(a.qp, QpKind.RQ_RETIRED, 3);
    }

    @Test
    void aPeersRefusal() {
        final Peer[] both = connected("");
        final Peer a = both[0];
        assertThat(a.qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 0xbad)
            .sge(a.at(0), 8, a.lkey()))).isZero();
        Completions.await(a.cq, 1);
        assertStatus(a.cq, WcStatus.PVRDMA_WC_REM_ACCESS_ERR, 1);
    }

    /** Nothing may be written behind the last place. */
    @ParameterizedTest
    @ValueSource(ints = {22, 23, 24, 77, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void aStatusThatThereIsNotIsCountedWithTheLast(final int status) {
        final Peer[] both = connected("");
        final Peer a = both[0];
        receive(a, 1);
        new Forgery(a.cq).write(a.qp, WcOpcode.PVRDMA_WC_RECV, status, 8, 0);
        Completions.await(a.cq, 1);
        assertStatus(a.cq, status == 22 ? 22 : CqKind.STATUSES - 1, 1);
        assertCq(a.cq, CqKind.COMPLETIONS, 1);
    }

    @Test
    void whatIsDropped() {
        final Peer[] both = connected("");
        final Peer a = both[0];
        final Forgery device = new Forgery(a.cq);
        device.write(a.qp, WcOpcode.PVRDMA_WC_RECV, 0, 8, 5);
        device.write(a.qp, WcOpcode.PVRDMA_WC_SEND, 0, 8, 5);
        Completions.assertNone(a.cq);
        assertCq(a.cq, CqKind.DROPPED, 2);
        assertCq(a.cq, CqKind.COMPLETIONS, 0);
    }

    @Test
    void whatAFullQueueRefuses() {
        final Peer a = new Peer(devices.open(), new QpOptions().maxSendWr(4).maxReceiveWr(2));
        a.connect(Peer.rc(devices.open()));
        receive(a, 2);
        assertThat(a.qp.postReceive(1, a.at(0), 1, a.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
        for (int i = 0; i < 4; i++) {
            assertThat(a.qp.postSend(1, a.at(0), 1, a.lkey())).isZero();
        }
        for (int i = 0; i < 3; i++) {
            assertThat(a.qp.postSend(1, a.at(0), 1, a.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
        }
        assertQp(a.qp, QpKind.SQ_FULL, 3);
        assertQp(a.qp, QpKind.SQ_POSTED, 4);
        assertQp(a.qp, QpKind.RQ_FULL, 1);
        assertQp(a.qp, QpKind.RQ_POSTED, 2);
    }

    @Test
    void whatIsRefusedRingsNoDoorbell() {
        final Peer a = connected("")[0];
        assertThat(a.qp.postSend(new SendRequest[1], 1)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postReceive(new ReceiveRequest[1], 1)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertQp(a.qp, QpKind.SQ_DOORBELLS, 0);
        assertQp(a.qp, QpKind.RQ_DOORBELLS, 0);
    }

    /** The device would carry it out instead of flushing it. */
    @Test
    void whatTheDriverFlushesIsPostedWithoutADoorbell() {
        final Peer a = connected(Devices.QEMU)[0];
        a.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(a.qp.postSend(1, a.at(0), 10, a.lkey())).isZero();
        receive(a, 2);
        assertQp(a.qp, QpKind.SQ_POSTED, 1);
        assertQp(a.qp, QpKind.RQ_POSTED, 2);
        assertQp(a.qp, QpKind.SQ_DOORBELLS, 0);
        assertQp(a.qp, QpKind.RQ_DOORBELLS, 0);
    }

    @Test
    void numbersGoOnAfterReset() {
        final Peer[] both = connected("");
        final Peer a = both[0];
        receive(both[1], 1);
        assertThat(a.qp.postSend(1, a.at(0), 7, a.lkey())).isZero();
        Completions.await(a.cq, 1);
        a.qp.modify(QpAttributes.to(QpState.RESET));
        final LiveObject reset = Seen.qp(a.qp);
        final long start = 2L * a.qp.maxSendWr();
        assertCounted(reset, QpKind.SQ_POSTED, start);
        assertCounted(reset, QpKind.SQ_RETIRED, start);
        assertCounted(reset, QpKind.SQ_SKIPPED, start - 1);
        assertCounted(reset, QpKind.RQ_POSTED, 0);
        assertCounted(reset, QpKind.RQ_SKIPPED, 0);
        assertQp(a.qp, QpKind.SQ_DOORBELLS, 1);
    }

    @Test
    void receivesOfASharedQueue() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        final Peer a = Peer.rc(devices.open());
        a.connect(b);
        for (int i = 0; i < 4; i++) {
            assertThat(srq.postReceive(i, b.at(0), 64, b.lkey())).isZero();
        }
        assertThat(srq.postReceive(5, b.at(0), 64, b.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(a.qp.postSend(batch(a, 3, true), 3)).isEqualTo(3);
        Completions.await(b.cq, 3);
        final LiveObject seen = Seen.one(device, SrqKind.KIND, ((PvrdmaSrq) srq).handle);
        assertCounted(seen, SrqKind.RQ_POSTED, 4);
        assertCounted(seen, SrqKind.RQ_DOORBELLS, 4);
        assertCounted(seen, SrqKind.RQ_FULL, 1);
        assertCounted(seen, SrqKind.RQ_TAKEN, 3);
        assertCq(b.cq, CqKind.BYTES_RECEIVED, 33);
        assertStatus(b.cq, WcStatus.PVRDMA_WC_SUCCESS, 3);
        assertQp(b.qp, QpKind.RQ_POSTED, 0);
    }

    @Test
    void aSharedReceiveThatFails() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        b.connect(Peer.rc(devices.open()));
        assertThat(srq.postReceive(3, b.at(0), 64, b.lkey())).isZero();
        new Forgery(b.cq).write(b.qp, WcOpcode.PVRDMA_WC_RECV, WcStatus.PVRDMA_WC_LOC_PROT_ERR, 8, 3);
        Completions.await(b.cq, 1);
        assertStatus(b.cq, WcStatus.PVRDMA_WC_LOC_PROT_ERR, 1);
        assertStatus(b.cq, WcStatus.PVRDMA_WC_SUCCESS, 0);
        assertCq(b.cq, CqKind.COMPLETIONS, 1);
        assertCq(b.cq, CqKind.BYTES_RECEIVED, 0);
    }

    @Test
    void whoArms() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final CompletionQueue cq = device.createCq(16);
        final Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < 2000; n++) {
                    cq.requestNotify(false);
                }
            });
            threads[i].start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        assertCq(cq, CqKind.ARMS, 6000);
    }
}
