/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.pvrdma.device.PvrdmaOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The system takes the device away while it is in use. */
@Timeout(60)
class LossTest {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final String REASON = "the system asks for the device (unbind)";
    private static final Duration LONG = Patience.duration();

    private final EmulatedDevice emulated =
        (EmulatedDevice) PciDevices.open(DeviceAddress.parse("emulated:loss" + NAMES.incrementAndGet()));
    private final OtherPlatform platform = new OtherPlatform(emulated);
    private final PvrdmaContext context = new PvrdmaContext("emulated:",
        PvrdmaDevice.open(platform, new PvrdmaOptions().responseTimeoutNanos(2 * Patience.nanos())));
    private final List<Thread> waiting = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @AfterEach
    void closes() {
        context.close();
    }

    private Peer peer() {
        context.bindGid(0, Gid.linkLocal(context.device.caps().nodeGuid()));
        final Peer a = Peer.rc(context);
        a.connect(Peer.rc(context));
        return a;
    }

    /** Unbound, it still works; pulled out, it does not. */
    private void lose(final boolean pulled) {
        if (pulled) {
            emulated.faults().remove();
        }
        final Thread system = new Thread(() -> platform.lossListener.accept(REASON));
        system.start();
        join(system);
    }

    private void join(final Thread thread) {
        try {
            Patience.join(thread, context::dump);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void start(final Runnable body) {
        final Thread thread = new Thread(body);
        thread.setUncaughtExceptionHandler((dead, e) -> failure.set(e));
        waiting.add(thread);
        thread.start();
    }

    private void awaitAsleep() {
        waiting.forEach(Crew::awaitSleep);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wakesWhoWaitsAndClosesInBoundedTime(final boolean pulled) {
        final Peer a = peer();
        final AtomicReference<AsyncEvent> event = new AtomicReference<>();
        final AtomicInteger refused = new AtomicInteger();
        final CompletionQueue other = context.createCq(16);
        a.cq.requestNotify(false);
        start(() -> event.set(context.awaitAsyncEvent(LONG)));
        for (final CompletionQueue cq : List.of(a.cq, a.cq, other)) {
            start(() -> {
                final RdmaException e = (RdmaException) catchThrowable(() -> cq.awaitEvent(LONG));
                assertThat(e).hasMessageContaining(REASON);
                refused.incrementAndGet();
            });
        }
        awaitAsleep();

        lose(pulled);

        waiting.forEach(this::join);
        assertThat(failure.get()).isNull();
        AsyncEventTest.assertEvent(event.get(), AsyncEventType.DEVICE_FATAL, context, 0);
        assertThat(refused).hasValue(3);
        assertThat(context.isFailed()).isTrue();
        assertThat(context.failure()).isEqualTo(REASON);
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(a.cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
        final long start = System.nanoTime();
        context.close();
        assertThat(System.nanoTime() - start).as("it waits for no response").isLessThan(Patience.nanos());
        assertThat(context.device.commands().liveObjects()).isZero();
        assertThat(context.device.dma().reachableBytes()).isZero();
    }

    @Test
    void saysWhatHappenedAndWhatToDo() {
        lose(false);
        for (final Throwable e : List.of(catchThrowable(context::allocatePd), catchThrowable(() -> context.createCq(1)),
            catchThrowable(() -> context.queryPort(1)))) {
            assertThat(e).isInstanceOf(RdmaException.class).hasMessageContaining(REASON)
                .hasMessageContaining("close the device: the system waits for that");
            assertThat(((RdmaException) e).errno()).isEqualTo(RdmaException.EBADFD);
        }
        assertThat(context.dump()).contains("failed: " + REASON);
    }

    @Test
    void aLossThatCameBeforeTheContextIsKnownToIt() {
        final EmulatedDevice second =
            (EmulatedDevice) PciDevices.open(DeviceAddress.parse("emulated:loss" + NAMES.incrementAndGet()));
        final OtherPlatform early = new OtherPlatform(second);
        final PvrdmaDevice device = PvrdmaDevice.open(early);
        early.lossListener.accept(REASON);
        final PvrdmaContext late = new PvrdmaContext("emulated:", device);

        assertThat(late.awaitAsyncEvent(LONG).type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        assertThatThrownBy(late::allocatePd).hasMessageContaining(REASON);
        late.close();
    }

    /** Objects are made while the device is lost: each either is refused, or knows that the device failed. */
    @Test
    void whatIsMadeMeanwhileFailsToo() {
        final List<CompletionQueue> made = new ArrayList<>();
        start(() -> {
            try {
                while (true) {
                    made.add(context.createCq(16));
                }
            } catch (final RdmaException e) {
                if (e.errno() != RdmaException.EBADFD && e.errno() != RdmaException.ENOMEM) {
                    throw e;
                }
            }
        });
        lose(false);
        waiting.forEach(this::join);
        assertThat(failure.get()).isNull();
        made.forEach(cq -> assertThat(cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.DEVICE_FAILED));
    }

    /** Loses the device when it has executed a command, before the caller knows. */
    private void loseAt(final Command command) {
        context.device.channel().observer((request, err, response) -> {
            if (request.getInt(CommandHeader.CMD.offset()) == command.id()) {
                platform.lossListener.accept(REASON);
            }
        });
    }

    @Test
    void aSharedReceiveQueueThatIsMadeMeanwhileFailsToo() {
        final Peer a = peer();
        loseAt(Command.CREATE_SRQ);
        final SharedReceiveQueue srq = a.pd.createSrq(16, 1);
        assertThat(srq.postReceive(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
    }

    @Test
    void aQueuePairThatIsMadeMeanwhileFailsToo() {
        final Peer a = peer();
        loseAt(Command.CREATE_QP);
        final QueuePair qp = a.pd.createQp(new QpOptions().cq(a.cq));
        assertThat(qp.postReceive(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
    }
}
