/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventRecordTest {
    @Test
    void aPlainOneTellsOfNothingElse() {
        final EventEntry entry = EventRecord.of(FabricEvent.SHUTDOWN, "endpoint", null);
        assertThat(entry.event()).isEqualTo(FabricEvent.SHUTDOWN);
        assertThat(entry.fid()).isEqualTo("endpoint");
        assertThat(entry.region()).isNull();
        assertThat(entry.request()).isNull();
        assertThat(entry.context()).isNull();
        assertThat(entry.data()).isZero();
        assertThat(entry.privateData()).isEmpty();
        assertThat(entry.isError()).isFalse();
        assertThat(entry.errno()).isZero();
        assertThat(entry.providerError()).isEmpty();
        assertThat(entry).hasToString("SHUTDOWN of endpoint");
    }

    @Test
    void stepsKeepWhatWasSaidBefore() {
        final EventEntry entry = EventRecord.of(FabricEvent.AV_COMPLETE, null, 5).data(3).privateData(new byte[] {1})
            .failed(FiErrno.FI_ECANCELED, "aborted").request(null);
        assertThat(entry.data()).isEqualTo(3);
        assertThat(entry.context()).isEqualTo(5);
        assertThat(entry.privateData()).containsExactly(1);
        assertThat(entry.errno()).isEqualTo(FiErrno.FI_ECANCELED);
        assertThat(entry.isError()).isTrue();
        assertThat(entry.toString()).contains("AV_COMPLETE", "data 3", "1 bytes", "FI_ECANCELED", "aborted");
    }

    @Test
    void privateDataIsCopiedBothWays() {
        final byte[] bytes = {1, 2, 3};
        final EventEntry entry = EventRecord.of(FabricEvent.CONNECTED, null, null).privateData(bytes);
        bytes[0] = 9;
        entry.privateData()[1] = 9;
        assertThat(entry.privateData()).containsExactly(1, 2, 3);
        assertThat(EventRecord.of(FabricEvent.CONNECTED, null, null).privateData(null).privateData()).isEmpty();
    }
}
