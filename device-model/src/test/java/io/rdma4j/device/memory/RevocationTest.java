/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases of memory that work requests may take away. */
class RevocationTest {
    private final Revocation revocation = new Revocation();

    private int live() {
        final int busy = revocation.claim(revocation.lease());
        assertThat(busy).isNotZero();
        assertThat(revocation.live(busy)).isTrue();
        return revocation.lease();
    }

    @Test
    void isFreeAtFirst() {
        assertThat(Revocation.isFree(revocation.lease())).isTrue();
        assertThat(Revocation.isLive(revocation.lease())).isFalse();
    }

    @Test
    void aLeaseEndsWithTheClaimOfAnother() {
        final int lease = live();
        assertThat(revocation.enter(lease)).isTrue();
        revocation.leave();
        final int busy = revocation.claim(lease);
        assertThat(revocation.enter(lease)).isFalse();
        assertThat(Revocation.isLive(revocation.lease())).isFalse();
        revocation.live(busy);
        assertThat(revocation.enter(lease)).as("the lease before").isFalse();
        assertThat(revocation.enter(revocation.lease())).isTrue();
    }

    @Test
    void oneOfTwoClaimsWins() {
        final int lease = live();
        assertThat(revocation.claim(lease)).isNotZero();
        assertThat(revocation.claim(lease)).isZero();
        assertThat(revocation.claim(revocation.lease())).as("while it changes").isZero();
    }

    @Test
    void whatIsOverNeverComesBack() {
        final int lease = live();
        final int busy = revocation.claim(lease);
        revocation.end();
        revocation.end();
        assertThat(revocation.live(busy)).isFalse();
        revocation.free(busy);
        assertThat(Revocation.isFree(revocation.lease())).isFalse();
        assertThat(revocation.claim(revocation.lease())).isZero();
        assertThat(revocation).hasToString("over, copies now 0");
    }

    @Test
    void aClaimThatFailedFreesNothing() {
        final int lease = live();
        revocation.free(0);
        assertThat(revocation.lease()).isEqualTo(lease);
    }

    @Test
    @Timeout(60)
    void aClaimWaitsForTheCopiesUnderWay() throws InterruptedException {
        final int lease = live();
        assertThat(revocation.enter(lease)).isTrue();
        assertThat(revocation.enter(lease)).isTrue();
        final AtomicBoolean over = new AtomicBoolean();
        final Thread claimer = new Thread(() -> {
            final int busy = revocation.claim(lease);
            over.set(true);
            revocation.free(busy);
        });
        claimer.start();
        while (Revocation.isLive(revocation.lease())) {
            Patience.pause();
        }
        revocation.leave();
        assertThat(over).isFalse();
        revocation.leave();
        claimer.join();
        assertThat(over).isTrue();
        assertThat(Revocation.isFree(revocation.lease())).isTrue();
    }

    /** One thread shows 0 and -1 in turn in two words; whoever has a lease sees both words alike, and unchanging. */
    @Test
    @Timeout(60)
    void nobodyWithALeaseSeesAChange() throws InterruptedException {
        final long[] words = new long[2];
        final AtomicLong copies = new AtomicLong();
        final AtomicBoolean torn = new AtomicBoolean();
        final AtomicBoolean done = new AtomicBoolean();
        live();
        final Thread reader = new Thread(() -> {
            while (!done.get()) {
                final int lease = revocation.lease();
                if (Revocation.isLive(lease) && revocation.enter(lease)) {
                    final long first = words[0];
                    Thread.onSpinWait();
                    if (words[1] != first || words[0] != first) {
                        torn.set(true);
                    }
                    revocation.leave();
                    copies.incrementAndGet();
                }
            }
        });
        reader.start();
        for (long i = 0; i < 50_000 || copies.get() < 1000; i++) {
            final int busy = revocation.claim(revocation.lease());
            words[0] = i;
            words[1] = i;
            revocation.live(busy);
        }
        done.set(true);
        reader.join();
        assertThat(torn).as("after %d copies", copies.get()).isFalse();
    }
}
