/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Eventfds that are replaced while they are signalled. */
@Timeout(60)
class GuestInterruptsTest {
    private final Served served = new Served();
    private final GuestInterrupts interrupts = new GuestInterrupts(served.device, () -> { });

    @AfterEach
    void close() throws InterruptedException {
        interrupts.reset();
        interrupts.thread().close();
        Patience.join(interrupts.thread().thread());
        served.close();
    }

    @Test
    void aVectorWhoseEventfdIsReplacedWhileItFiresFiresTheNewOne() throws Exception {
        final EventFd old = EventFd.create();
        final EventFd next = EventFd.create();
        interrupts.setEvent(0, new PassedEvent(old));
        whileItFires(interrupts, old, () -> interrupts.setEvent(0, new PassedEvent(next)));
        assertThat(ClientMachine.await(next)).isOne();
        assertThatThrownBy(old::fd).as("closed by the thread").hasMessageContaining("closed");
    }

    /** As when Linux' driver goes: the next one gets eventfds for the same vectors, and none of them fires. */
    @Test
    void aVectorDoesNotFireAgainAfterTheDeviceWasReset() throws Exception {
        final EventFd old = EventFd.create();
        final EventFd next = EventFd.create();
        served.device.interruptsTo(interrupts);
        interrupts.setEvent(0, new PassedEvent(old));
        whileItFires(interrupts, old, () -> {
            interrupts.setEvent(0, null);
            interrupts.message(1);
            served.device.reset();
        });
        final EventFd withoutOne = EventFd.create();
        final EventFd other = EventFd.create();
        interrupts.setEvent(0, new PassedEvent(next));
        interrupts.setEvent(1, new PassedEvent(withoutOne));
        interrupts.setEvent(2, new PassedEvent(other));
        // Twice: the first may be found by a look at the vectors that began before the eventfds were there.
        for (int i = 0; i < 2; i++) {
            interrupts.message(2);
            assertThat(ClientMachine.await(other)).as("what is told after the reset").isOne();
        }
        assertThat(withoutOne.read()).isZero();
        assertThat(next.read()).isZero();
    }

    /** Else it would stay masked, as the client has heard nothing that it could acknowledge. */
    @Test
    void aLineThatIsForgottenFiresWhenItIsAssertedAgain() throws Exception {
        final ServedFunction asserted = served.withAnswer("isLineAsserted", () -> true);
        final GuestInterrupts ofLine = new GuestInterrupts(asserted, () -> { });
        final EventFd first = EventFd.create();
        final EventFd line = EventFd.create();
        ofLine.setEvent(0, new PassedEvent(first));
        ofLine.setEvent(ofLine.count(Protocol.MSIX), new PassedEvent(line));
        whileItFires(ofLine, first, () -> {
            ofLine.line();
            ofLine.forget();
        });
        assertThat(ClientMachine.await(line)).isOne();
        ofLine.reset();
        ofLine.thread().close();
        Patience.join(ofLine.thread().thread());
    }

    /** Its lock keeps the thread where the note is taken and nothing is written yet. */
    private static void whileItFires(GuestInterrupts of, EventFd event, Runnable what) throws InterruptedException {
        synchronized (event) {
            of.message(0);
            while (of.thread().thread().getState() != Thread.State.BLOCKED) {
                Patience.pause();
            }
            what.run();
        }
    }
}
