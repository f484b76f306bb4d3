/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SharedReceiveQueue;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Objects of one device mean nothing to another (checklist 103). */
class ForeignObjectsTest {
    @RegisterExtension
    final Devices devices = new Devices();

    @Test
    void aRegionBelongsToOneDevice() {
        final RdmaContext mine = devices.open();
        final RdmaContext other = devices.open();
        final ProtectionDomain pd = mine.allocatePd();
        final PinnedMemory memory = other.allocate(4096);

        assertRefused(() -> pd.register(memory, AccessFlag.LOCAL_WRITE));

        try (MemoryRegion region = other.allocatePd().register(memory, AccessFlag.LOCAL_WRITE)) {
            assertThat(region.pd().context()).isSameAs(other);
        }
        memory.close();
    }

    @Test
    void aQpTakesQueuesOfItsOwnDeviceOnly() {
        final RdmaContext mine = devices.open();
        final RdmaContext other = devices.open();
        final ProtectionDomain pd = mine.allocatePd();
        final CompletionQueue cq = mine.createCq(512);
        final CompletionQueue foreignCq = other.createCq(512);
        final SharedReceiveQueue foreignSrq = other.allocatePd().createSrq(16, 1);
        final SharedReceiveQueue srqOfAnotherDomain = mine.allocatePd().createSrq(16, 1);

        assertRefused(() -> pd.createQp(new QpOptions().cq(foreignCq)));
        assertRefused(() -> pd.createQp(new QpOptions().sendCq(cq).receiveCq(foreignCq)));
        assertRefused(() -> pd.createQp(new QpOptions().cq(cq).srq(foreignSrq)));
        assertRefused(() -> pd.createQp(new QpOptions().cq(cq).srq(srqOfAnotherDomain)));
        pd.createQp(new QpOptions().cq(cq)).close();
    }

    private static void assertRefused(final ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(RdmaException.EINVAL));
    }
}
