/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Refusal;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.verbs.WcStatus;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;

/** What a failure carries for programs: the provider's number, and the device's own. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FailureDataTest {
    @RegisterExtension
    final Sides sides = new Sides();

    @Test
    void whatTheDeviceSaysComesWithTheFailure() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final MemoryRegion desc = a.local();
        final UnsafeBuffer data = new UnsafeBuffer(new byte[16]);
        final List<String> seen = new ArrayList<>();
        final CompletionReader reader = entry -> seen.add(entry.context() + ": " + entry.providerErrno() + " "
            + entry.errorData(data, 4) + " " + data.getInt(4) + " " + (data.getInt(8) != 0));
        assertThat(a.fabric.info().domainAttributes().maxErrData()).isEqualTo(CompletionEntry.ERROR_DATA_LENGTH);
        a.post(() -> a.ep.write(a.at(0), 8, desc, 0, 99, 1));
        a.until(() -> read(a, reader) > 0);
        both[1].post(() -> both[1].ep.receive(both[1].at(0), 8, null, 1));
        a.post(() -> a.ep.send(a.at(0), 9, desc, 2));
        a.until(() -> read(a, reader) > 0);
        final int own = Failures.NO_KEY;
        final int told = Failures.detail(WcStatus.REM_INV_REQ_ERR, data.getInt(8));
        assertThat(seen).containsExactly("1: " + own + " 8 0 false",
            "2: " + told + " 8 " + WcStatus.REM_INV_REQ_ERR.ordinal() + " true");
        final MemoryRegion region = both[1].register(5);
        a.post(() -> a.ep.write(a.at(0), 8, desc, 0, 5, 3));
        a.until(() -> read(a, reader) > 0);
        assertThat(seen.get(2)).as("a success").startsWith("3: 0 0 ");
        assertThat(region.isEnabled()).isTrue();
    }

    @Test
    void whatCannotTakeItIsRefused() {
        final Side a = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints)[0];
        final MemoryRegion desc = a.local();
        a.post(() -> a.ep.write(a.at(0), 8, desc, 0, 99, 1));
        a.until(() -> read(a, entry -> {
            for (final UnsafeBuffer to : new UnsafeBuffer[] {null, new UnsafeBuffer(new byte[8]),
                new UnsafeBuffer(ByteBuffer.allocateDirect(16).asReadOnlyBuffer())}) {
                Refusal.assertInvalid(() -> entry.errorData(to, 1));
            }
        }) > 0);
    }

    private static int read(final Side side, final CompletionReader reader) {
        return side.cq.read(reader, 1);
    }
}
