/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;

import org.junit.jupiter.api.Test;

final class ResourceTableTest {
    private final ResourceTable table = new ResourceTable("QP", "max_qp", 2, "fake:");

    @Test
    void aHandleMayComeBackBeforeItsFormerOwnerKnowsThatItIsFree() {
        enter(5);
        table.exit(5);

        table.reserve();
        assertThat(table.enter(5)).isTrue();
        table.cancel();

        assertThat(table.count()).isEqualTo(1);
    }

    @Test
    void whatIsBeingDestroyedStillCounts() {
        enter(1);
        enter(2);
        table.exit(1);

        assertThatThrownBy(table::reserve).isInstanceOf(RdmaException.class).hasMessageContaining("max_qp");

        table.cancel();
        table.reserve();
    }

    @Test
    void aRefusedDestroyLeavesTheObject() {
        enter(1);
        table.exit(1);
        assertThat(table.enter(1)).isTrue();

        assertThat(table.youngestFirst()).containsExactly(1);
    }

    @Test
    void theSameHandleTwiceIsSeen() {
        enter(1);
        table.reserve();

        assertThat(table.enter(1)).isFalse();
        assertThat(table.exit(7)).isFalse();
    }

    private void enter(final int handle) {
        table.reserve();
        assertThat(table.enter(handle)).isTrue();
    }
}
