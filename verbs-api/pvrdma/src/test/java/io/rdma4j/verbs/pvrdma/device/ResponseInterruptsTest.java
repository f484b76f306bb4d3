/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.live.LiveDevice;

import java.util.ArrayList;

import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.Test;

/** Which interrupt tells that a response is complete. */
class ResponseInterruptsTest {
    private final FakeVectors vectors = new FakeVectors(new ArrayList<>());
    private final AtomicCounter silent =
        new DriverCounters(LiveDevice.unpublished("fake:", "this is a test")).silentVector;
    private final ResponseInterrupts interrupts;

    ResponseInterruptsTest() {
        vectors.enable(1);
        interrupts = new ResponseInterrupts(vectors.vector(0), silent);
    }

    private void fire(final int count) {
        for (int i = 0; i < count; i++) {
            vectors.fire(0);
        }
    }

    /** A command without a response, during which some interrupts come. */
    private void destroy(final int count) {
        interrupts.begin(false);
        fire(count);
    }

    /** Whether a response is complete, with so many interrupts by then. */
    private boolean query(final int count) {
        interrupts.begin(true);
        fire(count);
        return interrupts.tellComplete();
    }

    @Test
    void eachCommandWithItsOwn() {
        for (int i = 0; i < 10; i++) {
            destroy(1);
            assertThat(query(1)).isTrue();
        }
        assertThat(vectors.waits).hasValue(0);
    }

    @Test
    void lateOnesMayBeAllThatCame() {
        for (int late = 1; late < 10; late++) {
            for (int i = 0; i < late; i++) {
                destroy(0);
            }
            assertThat(query(late)).isFalse();
            assertThat(query(1)).as("still").isFalse();
            fire(1);
        }
        destroy(0);
        destroy(0);
        assertThat(query(3)).as("all of them").isTrue();
        assertThat(vectors.waits).hasValue(0);
    }

    @Test
    void theInterruptOfASilentResponseMayStillCome() {
        assertThat(query(0)).isFalse();
        assertThat(silent.get()).isEqualTo(1);
        assertThat(query(1)).isFalse();
        assertThat(query(2)).isTrue();
        assertThat(silent.get()).isEqualTo(1);
    }

    @Test
    void aDeviceThatRaisesThemForResponsesOnlyIsSoonBelieved() {
        for (int times = 0; times < 3; times++) {
            destroy(0);
            for (int i = 0; i < 3; i++) {
                assertThat(query(1)).isFalse();
            }
        }
        for (int i = 0; i < 10; i++) {
            destroy(0);
            assertThat(query(1)).isTrue();
        }
        assertThat(vectors.waits).hasValue(0);

        destroy(1);
        assertThat(query(1)).isTrue();
        destroy(0);
        assertThat(query(1)).as("since one came that nobody owed").isFalse();
    }

    @Test
    void oneThatIsLostTellsNothingOfTheDevice() {
        for (int times = 0; times < 10; times++) {
            destroy(0);
            for (int i = 0; i < 3; i++) {
                assertThat(query(1)).isFalse();
            }
            destroy(1);
            assertThat(query(1)).isTrue();
            destroy(0);
            assertThat(query(1)).as("it may be that of the command before").isFalse();
            fire(1);
        }
        for (int times = 0; times < 10; times++) {
            query(0);
            query(1);
            query(1);
            query(1);
        }
        destroy(0);
        assertThat(query(1)).as("it was always one of a response").isFalse();
    }

    @Test
    void oneThatCameBeforeTheResponseIsOfAnEarlierCommand() {
        aDeviceThatRaisesThemForResponsesOnlyIsSoonBelieved();
        interrupts.begin(true);
        fire(2);
        interrupts.await(1);
        interrupts.await(1);
        assertThat(interrupts.tellComplete()).as("nothing came since").isFalse();
        fire(1);
        assertThat(query(1)).isTrue();
    }

    @Test
    void afterALongSilenceOneThatComesIsNotThatOfTheNextResponse() {
        for (int i = 0; i < 10; i++) {
            assertThat(query(0)).isFalse();
        }
        assertThat(vectors.waits).hasValue(3);
        fire(1);
        assertThat(query(1)).isFalse();
        fire(8);
        assertThat(query(2)).as("all that were owed").isTrue();
    }

    @Test
    void moreThanAreOwedTellNothing() {
        assertThat(query(2)).isFalse();
        assertThat(query(1)).isTrue();
    }
}
