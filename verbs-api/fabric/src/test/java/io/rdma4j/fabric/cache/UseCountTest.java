/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many users an entry can have. */
class UseCountTest {
    private static final class Counted extends UseCount {
        private long told;

        Counted() {
            super(null, false);
        }

        @Override
        void tell(final long more) {
            told += more;
        }

        @Override
        void becomesIdle() {
            // Nobody lists it.
        }
    }

    /** One more would retire it by the carry: who does not get it registers for itself. */
    @Test
    void whatHasAllTheUsersThatCanBeIsNotTaken() {
        final Counted entry = new Counted();
        for (long users = 1; users < UseCount.USES; users++) {
            assertThat(entry.take(null)).isTrue();
        }
        assertThat(entry.take(null)).isFalse();
        assertThat(entry.uses()).isEqualTo(UseCount.USES);
        assertThat(entry.isRetired()).isFalse();
        assertThat(entry.leave()).isEqualTo(UseCount.OTHERS);
        assertThat(entry.take(null)).isTrue();
        for (long users = UseCount.USES; users > 1; users--) {
            assertThat(entry.leave()).isEqualTo(UseCount.OTHERS);
        }
        assertThat(entry.leave()).isEqualTo(UseCount.IDLE);
        assertThat(entry.takes()).isEqualTo(UseCount.USES);
        entry.tellAll();
        assertThat(entry.told).isEqualTo(UseCount.USES);
    }
}
