/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.Allocations;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedSendQueue;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** One thread at a time: what is offered arrives as it was offered, or is reported. */
class SharedSendQueueTest {
    @RegisterExtension
    final Devices devices = new Devices();

    private final List<String> failures = new ArrayList<>();

    private void failed(final long wrId, final int code) {
        failures.add(wrId + " " + ReturnCode.nameOf(code));
    }

    private SharedSendQueue queue(final QueuePair qp, final int capacity) {
        return new SharedSendQueue(qp, capacity, this::failed);
    }

    private Peer[] connected(final QpOptions options) {
        final Peer[] both = {
            new Peer(devices.open(), options.maxSendSge(4)),
            new Peer(devices.open(), new QpOptions().maxReceiveWr(256)),
        };
        both[0].connect(both[1]);
        return both;
    }

    private static void receive(final Peer peer, final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(peer.qp.postReceive(1_000 + i, peer.at(i * 64), 64, peer.lkey())).isZero();
        }
    }

    private static int offer(final SharedSendQueue queue, final Peer from, final long wrId) {
        return queue.offer(wrId, from.at(0), 8, from.lkey());
    }

    private static long[] wrIds(final List<Completions.Copy> copies) {
        return copies.stream().mapToLong(Completions.Copy::wrId).toArray();
    }

    @Test
    void postsWhatWasOfferedInOrder() {
        final Peer[] both = connected(new QpOptions().maxSendWr(256));
        receive(both[1], 200);
        final SharedSendQueue queue = queue(both[0].qp, 256);
        for (int i = 0; i < 200; i++) {
            assertThat(offer(queue, both[0], i)).isEqualTo(ReturnCode.OK);
        }
        Completions.assertNone(both[0].cq);
        assertThat(queue.drain(150)).isEqualTo(150);
        assertThat(queue.drain(1_000)).isEqualTo(50);
        assertThat(queue.drain(1_000)).isZero();
        assertThat(wrIds(Completions.await(both[0].cq, 200))).isEqualTo(LongStream.range(0, 200).toArray());
        assertThat(failures).isEmpty();
    }

    @Test
    void ringsOnceForABatch() {
        final List<Integer> batches = new ArrayList<>();
        final SharedSendQueue queue = queue(fake(256, (requests, count) -> {
            batches.add(count);
            return count;
        }), 256);
        for (int i = 0; i < 100; i++) {
            assertThat(queue.offer(i, 0, 8, 1)).isZero();
        }
        assertThat(queue.drain(1_000)).isEqualTo(100);
        assertThat(batches.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
        assertThat(batches).as("posts").hasSizeLessThanOrEqualTo(3);
    }

    /** What the far end of a queue does. */
    @FunctionalInterface
    private interface Poster {
        int post(SendRequest[] requests, int count);
    }

    private static QueuePair fake(final int maxSendWr, final Poster poster) {
        return (QueuePair) Proxy.newProxyInstance(QueuePair.class.getClassLoader(), new Class<?>[] {QueuePair.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "type" -> QpType.RC;
                case "maxSendSge" -> 3;
                case "maxSendWr" -> maxSendWr;
                case "postSend" -> poster.post((SendRequest[]) arguments[0], (Integer) arguments[1]);
                case "toString" -> "QP fake";
                default -> throw new AssertionError(method.toString());
            });
    }

    @Test
    void carriesEveryFieldOfARequest() {
        final List<String> seen = new ArrayList<>();
        final SharedSendQueue queue = queue(fake(16, (requests, count) -> {
            for (int i = 0; i < count; i++) {
                seen.add(describe(requests[i]));
            }
            return count;
        }), 16);
        final List<String> expected = new ArrayList<>();
        final SendRequest request = new SendRequest(3);
        for (final SendOpcode opcode : SendOpcode.values()) {
            final long n = Long.MIN_VALUE + opcode.ordinal();
            request.maskedCompareSwap(n + 4, n + 20, n + 5, n + 21).maskedAdd(n + 4, n + 22).invalidate((int) n + 23);
            request.wrId(n).opcode(opcode).flags(opcode.ordinal() & 7).immData((int) n - 1).remote(n + 2, (int) n + 3)
                .to(null, (int) n + 6, (int) n - 7).clearSges();
            if (opcode == SendOpcode.BIND_MW || opcode == SendOpcode.FAST_REG_MR) {
                assertThat(queue.offer(request)).as("%s", opcode).isEqualTo(ReturnCode.UNSUPPORTED);
                continue;
            }
            for (int i = 0; i < opcode.ordinal() % 4; i++) {
                request.addSge(n + 8 + i, Integer.MAX_VALUE - i, -i);
            }
            assertThat(queue.offer(request)).isZero();
            expected.add(describe(request));
        }
        assertThat(queue.offer(-1, 2, 3, 4)).isZero();
        expected.add(describe(new SendRequest().wrId(-1).sge(2, 3, 4)).replaceAll(" \\|.*", ""));
        assertThat(queue.drain(100)).isEqualTo(expected.size());
        assertThat(seen.subList(0, seen.size() - 1)).isEqualTo(expected.subList(0, expected.size() - 1));
        assertThat(seen.get(seen.size() - 1)).startsWith(expected.get(expected.size() - 1));
    }

    /** Behind the bar what a SEND does not look at. */
    private static String describe(final SendRequest r) {
        final StringBuilder text = new StringBuilder();
        text.append(r.wrId()).append(' ').append(r.opcode()).append(' ').append(r.flags());
        for (int i = 0; i < r.sges().size(); i++) {
            text.append(' ').append(r.sges().address(i)).append('+').append(r.sges().length(i)).append(':')
                .append(r.sges().lkey(i));
        }
        return text.append(" | ").append(r.immData()).append(' ').append(r.remoteAddress()).append(' ').append(r.rkey())
            .append(' ').append(r.compareAdd()).append(' ').append(r.swap()).append(' ').append(r.remoteQpn())
            .append(' ').append(r.remoteQkey()).append(' ').append(r.invalidateRkey()).append(masks(r)).toString();
    }

    private static String masks(final SendRequest r) {
        return switch (r.opcode()) {
            case MASKED_ATOMIC_CMP_AND_SWP -> " " + r.compareMask() + " " + r.swapMask();
            case MASKED_ATOMIC_FETCH_AND_ADD -> " " + r.fieldBoundary();
            default -> "";
        };
    }

    @Test
    void carriesMaskedAtomicsAndInvalidationsToTheDevice() {
        final KeyBench bench = new KeyBench(devices);
        final SharedSendQueue queue = queue(bench.user.qp, 16);
        bench.owner.bytes.putLong(64, 0xff);
        final SendRequest request = new SendRequest().sge(bench.user.at(0), 8, bench.user.lkey())
            .remote(bench.owner.at(64), bench.owner.region.rkey());
        assertThat(queue.offer(request.wrId(1).maskedAdd(0x0101, 0x80))).isZero();
        assertThat(queue.offer(request.wrId(2).maskedCompareSwap(0x100, 0xf00, 0x77, 0xff))).isZero();
        assertThat(queue.offer(new SendRequest().wrId(3).opcode(SendOpcode.LOCAL_INV).invalidate(1))).isZero();
        assertThat(queue.drain(8)).isEqualTo(3);
        final List<Completions.Copy> done = Completions.await(bench.user.cq, 3);
        assertThat(done).extracting(Completions.Copy::status)
            .containsExactly(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.MW_BIND_ERR);
        assertThat(bench.owner.bytes.getLong(64)).isEqualTo(0x177);
    }

    @Test
    void theOwnerPostsBindingsItself() {
        final KeyBench bench = new KeyBench(devices);
        final SharedSendQueue queue = queue(bench.owner.qp, 4);
        final MemoryWindow window = bench.owner.pd.allocateWindow(WindowType.TYPE_2);
        final SendRequest binding =
            new SendRequest().bind(window, window.nextRkey(), bench.bindable, bench.owner.at(0), 64);
        assertThat(queue.offer(binding)).isEqualTo(ReturnCode.UNSUPPORTED);
        assertThat(queue.drain(1)).isZero();
        KeyBench.assertRuns(bench.owner, binding, WcOpcode.BIND_MW);
    }

    @Test
    void aFullSendQueueLeavesTheRestWaiting() {
        final Peer[] both = connected(new QpOptions().maxSendWr(4));
        receive(both[1], 20);
        final SharedSendQueue queue = queue(both[0].qp, 32);
        for (int i = 0; i < 20; i++) {
            assertThat(offer(queue, both[0], i)).isZero();
        }
        final List<Completions.Copy> done = new ArrayList<>();
        assertThat(queue.drain(64)).isEqualTo(4);
        assertThat(queue.drain(64)).isEqualTo(ReturnCode.QUEUE_FULL);
        while (done.size() < 20) {
            done.addAll(Completions.await(both[0].cq, 1));
            assertThat(queue.drain(64)).isIn(0, 1);
        }
        assertThat(wrIds(done)).isEqualTo(LongStream.range(0, 20).toArray());
        assertThat(failures).isEmpty();
    }

    @Test
    void holdsAtLeastWhatItWasMadeForAndThenPushesBack() {
        for (final int capacity : new int[] {1, 2, 7, 64, 100}) {
            final int[] posted = new int[1];
            final SharedSendQueue queue = queue(fake(1_000, (requests, count) -> {
                posted[0] += count;
                return count;
            }), capacity);
            final SendRequest largest = new SendRequest(3).addSge(1, 1, 1).addSge(2, 2, 2).addSge(3, 3, 3);
            for (int lap = 0; lap < 50; lap++) {
                int held = 0;
                while (queue.offer(largest) == ReturnCode.OK) {
                    held++;
                }
                assertThat(held).as("capacity %d, lap %d", capacity, lap).isGreaterThanOrEqualTo(capacity);
                assertThat(queue.offer(largest)).isEqualTo(ReturnCode.BACK_PRESSURED);
                posted[0] = 0;
                assertThat(queue.drain(10_000)).isEqualTo(held).isEqualTo(posted[0]);
                // So that the laps end at every place of the ring.
                assertThat(queue.offer(1, 1, 1, 1)).isZero();
                assertThat(queue.drain(1)).isEqualTo(1);
            }
        }
    }

    @Test
    void refusesAtOnceWhatCanNeverBePosted() {
        final Peer[] both = connected(new QpOptions());
        final SharedSendQueue queue = queue(both[0].qp, 4);
        assertThat(queue.offer(null)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(queue.offer(1, 0, -1, 0)).isEqualTo(ReturnCode.INVALID_REQUEST);
        final SendRequest long5 = new SendRequest(5);
        for (int i = 0; i < 5; i++) {
            long5.addSge(0, 1, 1);
        }
        assertThat(queue.offer(long5)).isEqualTo(ReturnCode.TOO_MANY_SGES);
        final SharedSendQueue datagrams = queue(Peer.ud(devices.open()).qp, 4);
        assertThat(datagrams.offer(1, 0, 1, 0)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(datagrams.offer(new SendRequest().sge(0, 1, 0))).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(queue.drain(0)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(queue.drain(1)).isZero();
        assertThat(ReturnCode.nameOf(ReturnCode.BACK_PRESSURED)).isEqualTo("BACK_PRESSURED");
        assertInvalid(() -> queue(null, 1));
        assertInvalid(() -> queue(both[0].qp, 0), "capacity 0");
        assertInvalid(() -> queue(both[0].qp, (1 << 20) + 1), "1048577");
        assertInvalid(() -> new SharedSendQueue(both[0].qp, 1, null));
    }

    @Test
    void reportsWhatTheQpRefusesAndPostsTheRest() {
        final Peer[] both = connected(new QpOptions());
        receive(both[1], 8);
        final SharedSendQueue queue = queue(both[0].qp, 16);
        assertThat(offer(queue, both[0], 1)).isZero();
        assertThat(queue.offer(new SendRequest().wrId(2).opcode(SendOpcode.LOCAL_INV).sge(0, 1, 0))).isZero();
        assertThat(queue.offer(new SendRequest().wrId(3).opcode(SendOpcode.ATOMIC_FETCH_AND_ADD))).isZero();
        assertThat(offer(queue, both[0], 4)).isZero();
        assertThat(queue.drain(16)).isEqualTo(4);
        assertThat(wrIds(Completions.await(both[0].cq, 2))).containsExactly(1, 4);
        assertThat(failures).containsExactly("2 INVALID_REQUEST", "3 INVALID_REQUEST");
    }

    @Test
    void reportsAllOnceTheQpIsGone() {
        final Peer[] both = connected(new QpOptions());
        final SharedSendQueue queue = queue(both[0].qp, 8);
        assertThat(offer(queue, both[0], 1)).isZero();
        both[0].qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(queue.drain(8)).isEqualTo(1);
        assertThat(offer(queue, both[0], 2)).isZero();
        assertThat(offer(queue, both[0], 3)).isZero();
        both[0].qp.close();
        assertThat(queue.drain(8)).isEqualTo(2);
        assertThat(failures).containsExactly("1 WRONG_STATE", "2 CLOSED", "3 CLOSED");
    }

    @Test
    void flushesThroughAQpInError() {
        final Peer[] both = connected(new QpOptions());
        final SharedSendQueue queue = queue(both[0].qp, 8);
        both[0].qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(offer(queue, both[0], 9)).isZero();
        assertThat(queue.drain(8)).isEqualTo(1);
        final Completions.Copy flushed = Completions.await(both[0].cq, 1).get(0);
        assertThat(flushed.wrId()).isEqualTo(9);
        assertThat(flushed.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void carriesTheHandleOfEachDatagram() {
        final Peer a = Peer.ud(devices.open());
        final Peer[] others = {Peer.ud(devices.open()), Peer.ud(devices.open()), Peer.ud(devices.open())};
        final AddressHandle[] handles = new AddressHandle[others.length];
        for (int i = 0; i < others.length; i++) {
            receive(others[i], 40);
            handles[i] = a.pd.createAh(AhAttributes.to(others[i].qp.localAddress().gid()));
        }
        final SharedSendQueue queue = queue(a.qp, 4);
        final SendRequest request = new SendRequest().flags(0).sge(a.at(0), 4, a.lkey());
        for (int i = 0; i < 120; i++) {
            a.bytes.putInt(0, i);
            request.wrId(i).to(handles[i % 3], others[i % 3].qp.qpNumber(), Peer.QKEY);
            assertThat(queue.offer(request)).isZero();
            assertThat(queue.drain(8)).isEqualTo(1);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(Completions.await(others[i].cq, 40)).hasSize(40);
            final Peer other = others[i];
            assertThat(IntStream.range(0, 40).map(n -> other.bytes.getInt(n * 64 + 40)).toArray())
                .isEqualTo(IntStream.iterate(i, n -> n + 3).limit(40).toArray());
        }
    }

    @Test
    void reportsADatagramWhoseHandleWasClosedOrIsForeign() {
        final Peer a = Peer.ud(devices.open());
        final Peer b = Peer.ud(devices.open());
        final SharedSendQueue queue = queue(a.qp, 4);
        final AddressHandle handle = a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid()));
        final AddressHandle foreign = b.pd.createAh(AhAttributes.to(b.qp.localAddress().gid()));
        final SendRequest request = new SendRequest().sge(a.at(0), 4, a.lkey());
        assertThat(queue.offer(request.wrId(1).to(handle, b.qp.qpNumber(), Peer.QKEY))).isZero();
        assertThat(queue.offer(request.wrId(2).to(foreign, b.qp.qpNumber(), Peer.QKEY))).isZero();
        handle.close();
        assertThat(queue.drain(4)).isEqualTo(2);
        assertThat(failures).containsExactly("1 INVALID_REQUEST", "2 FOREIGN_OBJECT");
    }

    @Test
    void onceClosedRefusesOffersAndPostsWhatIsLeft() {
        final Peer[] both = connected(new QpOptions().maxSendWr(2));
        receive(both[1], 8);
        final SharedSendQueue queue = queue(both[0].qp, 8);
        for (int i = 0; i < 5; i++) {
            assertThat(offer(queue, both[0], i)).isZero();
        }
        queue.close();
        queue.close();
        assertThat(queue.isClosed()).isTrue();
        assertThat(offer(queue, both[0], 9)).isEqualTo(ReturnCode.CLOSED);
        assertThat(queue.offer(new SendRequest())).isEqualTo(ReturnCode.CLOSED);
        final List<Completions.Copy> done = new ArrayList<>();
        int code = queue.drain(8);
        while (code != ReturnCode.CLOSED) {
            done.addAll(Completions.await(both[0].cq, 1));
            code = queue.drain(8);
        }
        done.addAll(Completions.await(both[0].cq, 5 - done.size()));
        assertThat(wrIds(done)).containsExactly(0, 1, 2, 3, 4);
        assertThat(queue.drain(8)).isEqualTo(ReturnCode.CLOSED);
        assertThat(queue.toString()).contains("0 of ", "closed", both[0].qp.toString());
        assertThat(both[0].qp.isClosed()).isFalse();
    }

    @Test
    void reportsWhatIsAbandonedInOrder() {
        final Peer[] both = connected(new QpOptions().maxSendWr(2));
        receive(both[1], 8);
        final SharedSendQueue queue = queue(both[0].qp, 8);
        for (int i = 0; i < 6; i++) {
            assertThat(offer(queue, both[0], i)).isZero();
        }
        assertThat(queue.drain(8)).isEqualTo(2);
        assertThat(queue.abandon(3)).isEqualTo(3);
        assertThat(offer(queue, both[0], 9)).isEqualTo(ReturnCode.CLOSED);
        assertThat(queue.abandon(3)).isEqualTo(1);
        assertThat(queue.abandon(3)).isEqualTo(ReturnCode.CLOSED);
        assertThat(failures).containsExactly("2 CLOSED", "3 CLOSED", "4 CLOSED", "5 CLOSED");
        assertThat(wrIds(Completions.await(both[0].cq, 2))).containsExactly(0, 1);
    }

    @Test
    void aFailureHandlerMayOfferAndThrowAndNotDrain() {
        final Peer[] both = connected(new QpOptions());
        final List<Long> reported = new ArrayList<>();
        final SharedSendQueue[] self = new SharedSendQueue[1];
        self[0] = new SharedSendQueue(both[0].qp, 8, (wrId, code) -> {
            reported.add(wrId);
            assertThat(self[0].drain(1)).isEqualTo(ReturnCode.INVALID_REQUEST);
            if (wrId == 1) {
                assertThat(offer(self[0], both[0], 3)).isZero();
                throw new IllegalStateException("enough");
            }
        });
        both[0].qp.close();
        assertThat(offer(self[0], both[0], 1)).isZero();
        assertThat(offer(self[0], both[0], 2)).isZero();
        assertThatThrownBy(() -> self[0].drain(8)).hasMessage("enough");
        assertThat(self[0].drain(8)).isEqualTo(2);
        assertThat(reported).containsExactly(1L, 2L, 3L);
    }

    @Test
    void allocatesNothing() {
        final Peer[] both = connected(new QpOptions().maxSendWr(8));
        final SharedSendQueue queue = queue(both[0].qp, 16);
        final Peer a = Peer.ud(devices.open());
        final Peer b = Peer.ud(devices.open());
        final SharedSendQueue datagrams = queue(a.qp, 16);
        final SendRequest request = new SendRequest(2).addSge(both[0].at(0), 8, both[0].lkey())
            .addSge(both[0].at(8), 8, both[0].lkey());
        final SendRequest datagram = new SendRequest().sge(a.at(0), 8, a.lkey())
            .to(a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid())), b.qp.qpNumber(), Peer.QKEY);
        final int[] wrong = new int[1];
        assertThat(Allocations.perStep(20_000, () -> {
            int sum = 0;
            for (int i = 0; i < 3; i++) {
                both[1].qp.postReceive(i, both[1].at(0), 64, both[1].lkey());
            }
            b.qp.postReceive(1, b.at(0), 64, b.lkey());
            sum += queue.offer(1, both[0].at(0), 8, both[0].lkey()) + queue.offer(request) + queue.offer(request);
            sum += datagrams.offer(datagram);
            sum += queue.drain(16) + datagrams.drain(16) - 4;
            sum += both[0].cq.poll(c -> { }, 8) + both[1].cq.poll(c -> { }, 8) - 6;
            sum += a.cq.poll(c -> { }, 8) + b.cq.poll(c -> { }, 8) - 2;
            wrong[0] += sum == 0 ? 0 : 1;
        })).as("bytes a step").isZero();
        assertThat(wrong[0]).as("steps in which something was not done").isZero();
        assertThat(failures).isEmpty();
    }
}
