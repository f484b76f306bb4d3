/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;
import com.code_intelligence.jazzer.junit.FuzzTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A key directory against a map: any order of entries written, disabled and removed, of keys that collide. After each
 * step a search as peers do it finds what the map has, and a search that began before the step finds that, or what was
 * there before. So tombstones neither hide an entry nor pile up.
 */
@Timeout(180)
class KeyDirectoryPropertyTest {
    private static final int RUNS = 100;
    private static final int LENGTH = 1024;
    private static final int CAPACITY = 16;
    private static final int KEYS = 24;

    @FuzzTest(maxDuration = "60s")
    void aDirectoryIsAMap(final byte[] data) {
        run(data);
    }

    @Campaign(value = "model", usual = RUNS)
    void aDirectoryIsAMapForAnySeed(final long seed) {
        run(CampaignSeeds.bytes(seed, LENGTH));
    }

    private static void run(final byte[] data) {
        final KeyDirectory directory = DirectoryTest.directory(CAPACITY);
        final Map<Long, DirectoryEntry> model = new HashMap<>();
        for (int i = 0; i + 1 < data.length; i += 2) {
            final long key = (data[i] & 0xff) % KEYS;
            final UnsafeBuffer before = copy(directory);
            final DirectoryEntry old = model.get(key);
            if (data[i + 1] % 3 == 0) {
                directory.remove(key);
                model.remove(key);
            } else if (model.containsKey(key) || model.size() < CAPACITY / 2) {
                final DirectoryEntry entry = new DirectoryEntry(key, i, data[i + 1], i, i, i, i, i);
                directory.put(entry, data[i + 1] % 2 == 0);
                model.put(key, entry);
            }
            assertSame(directory, model);
            assertOvertakenSearch(directory, before, key, old, model);
        }
        model.keySet().forEach(directory::remove);
        assertThat(directory.table()).as("an empty directory has no tombstones")
            .isEqualTo(new UnsafeBuffer(new byte[directory.table().capacity()]));
    }

    private static UnsafeBuffer copy(final KeyDirectory directory) {
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[directory.table().capacity()]);
        copy.putBytes(0, directory.table(), 0, copy.capacity());
        return copy;
    }

    private static void assertSame(final KeyDirectory directory, final Map<Long, DirectoryEntry> model) {
        for (long key = 0; key < KEYS; key++) {
            requireEqual(search(directory, directory.table(), directory.table(), 0, key), model.get(key), key);
        }
    }

    /** The first entries are read before the step, the others after it. */
    private static void assertOvertakenSearch(
        final KeyDirectory directory, final UnsafeBuffer before, final long changed, final DirectoryEntry old,
        final Map<Long, DirectoryEntry> model) {
        for (long key = 0; key < KEYS; key++) {
            for (int early = 1; early < 4; early++) {
                final DirectoryEntry found = search(directory, before, directory.table(), early, key);
                if (key == changed) {
                    if (found != null && !found.equals(old)) {
                        requireEqual(found, model.get(key), key);
                    }
                } else {
                    requireEqual(found, model.get(key), key);
                }
            }
        }
    }

    /** Millions of times: no text is made of what is as it should be. */
    private static void requireEqual(final DirectoryEntry found, final DirectoryEntry expected, final long key) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError("key " + key + ": found " + found + ", there is " + expected);
        }
    }

    /** As a peer searches: the first reads see one table, the others a later one. */
    private static DirectoryEntry search(
        final KeyDirectory directory, final UnsafeBuffer first, final UnsafeBuffer then, final int early,
        final long key) {
        int slot = DirectoryLayout.slotOf(key, CAPACITY);
        for (int probes = 0; probes < CAPACITY; probes++) {
            final UnsafeBuffer table = probes < early ? first : then;
            final int offset = slot * DirectoryLayout.ENTRY_LENGTH;
            if (!DirectoryLayout.isIntact(table, offset, directory.nonce())) {
                throw new AssertionError("slot " + slot + " has a wrong check");
            }
            final int state = DirectoryLayout.state(table, offset);
            if (state == DirectoryLayout.FREE) {
                return null;
            }
            if (state != DirectoryLayout.REMOVED && DirectoryLayout.key(table, offset) == key) {
                return DirectoryLayout.read(table, offset);
            }
            slot = slot + 1 & CAPACITY - 1;
        }
        return null;
    }
}
