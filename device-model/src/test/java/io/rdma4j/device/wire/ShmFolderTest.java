/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.testing.PersianDigits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

class ShmFolderTest {
    private static final int CLAIMS = 3000;

    /** What a claim begins with looks, for a moment, like what a dead process has left. */
    @Test
    void claimsAreNotLostToWhoCleansUp(@TempDir final Path place) throws Exception {
        final ShmFolder folder = new ShmFolder(place);
        final AtomicBoolean end = new AtomicBoolean();
        final FutureTask<Void> cleaner = new FutureTask<>(() -> {
            while (!end.get()) {
                folder.sweep();
            }
            return null;
        });
        final Thread thread = new Thread(cleaner, "cleaner");
        thread.start();
        try {
            for (int i = 0; i < CLAIMS; i++) {
                final ShmFolder.Owner owner = new ShmFolder.Owner(new Gid(1, i), i, 1, 2, 3);
                final ShmFolder.Opened taken = folder.claim(owner);
                assertThat(folder.isTaken(owner.gid())).isTrue();
                folder.release(taken);
            }
        } finally {
            end.set(true);
        }
        Patience.get(cleaner);
        assertThat(folder.files()).isEmpty();
    }

    @Test
    @ExtendWith(PersianDigits.class)
    void offersAreReadFromTheirNamesAndGoWithTheirOwners(@TempDir final Path place) throws Exception {
        final ShmFolder folder = new ShmFolder(place);
        final Gid dest = new Gid(0, 0xffff_0a01_0203L);
        final Gid source = new Gid(1, 2);
        final Path file = folder.offer(new ShmRing.Title(5, source, 6, dest, 7), 89);
        assertThat(ShmFolder.Offer.of(file)).isEqualTo(new ShmFolder.Offer(file, dest, source, 5, 89));
        assertThat(dest).hasToString("::ffff:10.1.2.3");
        folder.sweep();
        assertThat(folder.files()).isEmpty();
    }
}
