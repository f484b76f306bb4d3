/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The system takes the device away. */
@Timeout(30)
class LossTest {
    private static final String REASON = "the system wants the device back (unbind)";

    private final FakePvrdma fake = new FakePvrdma();
    private final PvrdmaDevice device = PvrdmaDevice.open(fake,
        fake.options().responseTimeoutNanos(2 * Patience.nanos()));
    private final List<Integer> events = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void closes() {
        final long start = System.nanoTime();
        device.close();
        assertThat(System.nanoTime() - start).as("it waits for no response").isLessThan(Patience.nanos());
        assertThat(fake.closed).isTrue();
    }

    private void lose() {
        fake.lossListener.accept(REASON);
    }

    @Test
    void tellsWhoeverListensOnceAndRefusesWithTheReason() {
        device.onAsyncEvent((type, info) -> events.add(type));
        lose();
        device.fail("a consequence");

        assertThat(events).containsExactly(EventType.PVRDMA_EVENT_DEVICE_FATAL);
        assertThat(device.failure()).isEqualTo(REASON);
        assertThat(device.failureHint()).contains("the system waits for that");
        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD))
            .hasMessageContaining(REASON)
            .hasMessageContaining("close the device: the system waits for that");
        assertThat(device.dumpState()).contains("failed: " + REASON);
    }

    @Test
    void whoListensLaterIsToldAtOnce() {
        lose();
        device.onAsyncEvent((type, info) -> events.add(type));
        device.onAsyncEvent((type, info) -> events.add(type));
        assertThat(events).containsExactly(EventType.PVRDMA_EVENT_DEVICE_FATAL);
    }

    @Test
    void anUnboundDeviceIsToldToGiveUpItsObjects() {
        device.commands().createPd();
        device.gids().bind(0, Gids.of(1));
        fake.requests.clear();
        lose();
        assertThat(device.takesCommands()).isTrue();

        device.close();

        assertThat(fake.commandNames()).containsExactly("DESTROY_PD", "DESTROY_BIND");
        assertThat(fake.log).contains("write CTL RESET");
    }

    @Test
    void aDeviceThatIsGoneIsToldNothing() {
        device.commands().createPd();
        fake.requests.clear();
        fake.gone = true;
        lose();
        assertThat(device.takesCommands()).isFalse();

        device.close();

        assertThat(fake.requests).isEmpty();
    }

    @Test
    void registersThatCannotBeReadMeanGoneToo() {
        fake.failingReads = true;
        lose();
        assertThat(device.takesCommands()).isFalse();
        assertThat(device.failure()).isEqualTo(REASON);
        fake.failingReads = false;
    }

    /** A mapped window whose function does not decode memory any more: the JVM makes an Error of the bus error. */
    @Test
    void registersThatAreABusErrorMeanGoneToo() {
        device.onAsyncEvent((type, info) -> events.add(type));
        fake.busErrors = true;
        lose();
        assertThat(events).containsExactly(EventType.PVRDMA_EVENT_DEVICE_FATAL);
        assertThat(device.takesCommands()).isFalse();
        assertThat(device.failure()).isEqualTo(REASON);
        assertThat(device.dumpState()).contains("registers: not readable");
        device.awaitWrites();
        fake.busErrors = false;
    }

    @Test
    void aLossDuringCloseIsNoNews() {
        device.onAsyncEvent((type, info) -> events.add(type));
        device.close();
        lose();
        assertThat(events).isEmpty();
        assertThat(device.failed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wakesWhoWaitsForEvents(final boolean asynchronous) throws InterruptedException {
        assertEndsSoon(() -> asynchronous ? device.awaitAsyncEvents(2 * Patience.nanos())
            : device.awaitCompletionEvents(2 * Patience.nanos()), this::lose);
    }

    @Test
    void endsTheWaitForAResponseThatCannotComeAnyMore() throws InterruptedException {
        fake.answers = false;
        final AtomicReference<RdmaException> seen = new AtomicReference<>();
        assertEndsSoon(() -> {
            try {
                device.commands().queryPort(1);
                return true;
            } catch (final RdmaException e) {
                seen.set(e);
                return false;
            }
        }, () -> {
            fake.gone = true;
            lose();
        });
        Errors.hasErrno(seen.get(), RdmaException.ENODEV);
        assertThat(seen.get()).hasMessageContaining(REASON);
    }

    private void assertEndsSoon(final BooleanSupplier waiting, final Runnable event) throws InterruptedException {
        final AtomicReference<Boolean> result = new AtomicReference<>();
        final Thread waiter = new Thread(() -> result.set(waiting.getAsBoolean()));
        waiter.start();
        final long deadline = System.nanoTime() + Patience.nanos();
        while (waiter.getState() != Thread.State.TIMED_WAITING) {
            assertThat(waiter.isAlive() && System.nanoTime() < deadline).as("waits, but is %s", waiter.getState())
                .isTrue();
            Thread.onSpinWait();
        }
        event.run();
        Patience.join(waiter);
        assertThat(result.get()).isFalse();
    }

    @Test
    void readsVersionOnlyToFindOut() {
        lose();
        assertThat(fake.log).noneMatch(line -> line.startsWith("write " + Bar1.name(Bar1.PVRDMA_REG_REQUEST)));
    }
}
