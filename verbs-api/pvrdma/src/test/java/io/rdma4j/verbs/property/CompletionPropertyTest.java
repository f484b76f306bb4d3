/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Every signaled request completes exactly once and in order, also when a QP fails or a region closes under way. */
@Timeout(180)
class CompletionPropertyTest {
    private static final int RUNS = 300;
    private static final int RACES = 40;
    private static final int STEPS = 200;
    private static final int LONGEST = 512;
    private static final int RACE_SENDS = 600;

    @RegisterExtension
    static final Device DEVICE = new Device("emulated:completions");

    @FuzzTest(maxDuration = "60s")
    void everySignaledRequestCompletesOnceAndInOrder(final byte[] data) {
        run(new Choices(data));
    }

    @Campaign(value = "model", usual = RUNS)
    void everySignaledRequestCompletesOnceAndInOrderForAnySeed(final long seed) {
        run(Choices.of(seed));
    }

    private static void run(final Choices choices) {
        try (Side near = new Side(DEVICE.context(), 1); Side far = new Side(DEVICE.context(), 2)) {
            Side.connect(near, far);
            near.register(choices);
            far.register(choices);
            final Ledger nearLedger = new Ledger(near.qp);
            final Ledger farLedger = new Ledger(far.qp);
            final Outcomes outcomes = new Outcomes();
            for (int i = 0; i < STEPS && !choices.isExhausted(); i++) {
                final boolean first = choices.oneIn(2);
                step(choices, first ? near : far, first ? nearLedger : farLedger, first ? far : near, outcomes);
            }
            finish(near, far, outcomes);
            nearLedger.check(outcomes);
            farLedger.check(outcomes);
        }
    }

    private static void step(
        final Choices choices, final Side side, final Ledger ledger, final Side peer, final Outcomes outcomes) {
        switch (choices.below(32)) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 -> receive(choices, side, ledger);
            case 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 -> ledger.send(request(choices, side, peer));
            case 22, 23, 24, 25, 26 -> side.cq.poll(outcomes, choices.between(1, 8));
            case 27, 28 -> side.register(choices);
            case 29, 30 -> closeOne(choices, side);
            default -> fail(side);
        }
    }

    private static void receive(final Choices choices, final Side side, final Ledger ledger) {
        final Piece piece = Piece.anyPiece(side, choices, LONGEST);
        ledger.receive(piece.address(side), piece.length(), piece.region().lkey());
    }

    /** The piece may be longer than the receive, and the region may be closed before the device looks. */
    private static SendRequest request(final Choices choices, final Side side, final Side peer) {
        final Piece piece = Piece.anyPiece(side, choices, LONGEST / 4);
        final MemoryRegion target = peer.any(choices);
        final SendOpcode[] opcodes = {SendOpcode.SEND, SendOpcode.SEND, SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ};
        return new SendRequest(1)
            .opcode(opcodes[choices.below(opcodes.length)])
            .flags(choices.oneIn(3) ? 0 : SendRequest.SIGNALED)
            .remote(target.iova(), target.rkey())
            .sge(piece.address(side), (int) Math.min(piece.length(), target.length()), piece.region().lkey());
    }

    /** Its key may still stand in requests that the device has not looked at. */
    private static void closeOne(final Choices choices, final Side side) {
        if (side.regions.size() > 1) {
            side.regions.remove(choices.below(side.regions.size())).close();
        }
    }

    private static void fail(final Side side) {
        side.qp.modify(QpAttributes.to(QpState.ERR));
    }

    private static void finish(final Side near, final Side far, final Outcomes outcomes) {
        fail(near);
        fail(far);
        outcomes.drain(near.cq);
        outcomes.drain(far.cq);
    }

    @Campaign(value = "model", usual = RACES)
    void everySignaledRequestCompletesOnceAndInOrderWhileOthersInterfere(final long seed) throws Exception {
        final Choices choices = Choices.of(seed);
        try (Side near = new Side(DEVICE.context(), 1); Side far = new Side(DEVICE.context(), 2)) {
            Side.connect(near, far);
            final MemoryRegion doomed = near.register(0, Side.LENGTH);
            final MemoryRegion target = far.register(0, Side.LENGTH);
            final Ledger nearLedger = new Ledger(near.qp);
            final Ledger farLedger = new Ledger(far.qp);
            final Outcomes outcomes = new Outcomes();
            final FutureTask<Void> sender = thread(() -> sendMany(near, nearLedger, doomed, outcomes));
            final FutureTask<Void> receiver = thread(() -> receiveMany(farLedger, far, target));
            interfere(choices, near, far, doomed);
            for (final FutureTask<Void> task : List.of(sender, receiver)) {
                join(task);
            }
            finish(near, far, outcomes);
            nearLedger.check(outcomes);
            farLedger.check(outcomes);
        }
    }

    private static FutureTask<Void> thread(final Runnable work) {
        final FutureTask<Void> task = new FutureTask<>(work, null);
        final Thread thread = new Thread(task, "property");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static void join(final FutureTask<Void> task) throws Exception {
        try {
            task.get(Patience.millis(), TimeUnit.MILLISECONDS);
        } catch (final ExecutionException e) {
            throw new AssertionError("a thread failed\n" + DEVICE.context().dump(), e);
        } catch (final TimeoutException e) {
            throw new AssertionError("a thread does not end\n" + DEVICE.context().dump(), e);
        }
    }

    /** Posts and polls; gives up when the queue stays full, which it does when the far side has ended. */
    private static void sendMany(
        final Side side, final Ledger ledger, final MemoryRegion region, final Outcomes outcomes) {
        final SendRequest request = new SendRequest(1);
        int full = 0;
        for (int sent = 0; sent < RACE_SENDS && full < 100_000;) {
            request.sge(region.address(), sent % LONGEST, region.lkey())
                .flags(sent % 5 == 4 ? 0 : SendRequest.SIGNALED);
            if (ledger.send(request)) {
                sent++;
            } else {
                full++;
            }
            side.cq.poll(outcomes, 16);
        }
    }

    /** Never more than the queue holds: what is received is polled at the end. */
    private static void receiveMany(final Ledger ledger, final Side side, final MemoryRegion region) {
        for (int i = 0; i < Side.MAX_WR; i++) {
            ledger.receive(region.address(), LONGEST, region.lkey());
        }
    }

    private static void interfere(
        final Choices choices, final Side near, final Side far, final MemoryRegion doomed) {
        for (int spin = choices.below(20_000); spin > 0; spin--) {
            Thread.onSpinWait();
        }
        switch (choices.below(3)) {
            case 0 -> doomed.close();
            case 1 -> fail(near);
            default -> fail(far);
        }
    }
}
