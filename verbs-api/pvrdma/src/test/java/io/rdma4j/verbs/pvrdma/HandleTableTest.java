/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

class HandleTableTest {
    private final HandleTable<String> table = new HandleTable<>();

    @Test
    void findsNothingWhenEmpty() {
        assertThat(table.get(0)).isNull();
        assertThat(table.get(-1)).isNull();
        assertThat(table.size()).isZero();
    }

    @Test
    void comparesAllBitsOfAHandle() {
        table.put(0x000017, "low");
        table.put(0x010017, "same 16 bits");
        table.put(0xff0017, "same 16 bits too");

        assertThat(table.get(0x000017)).isEqualTo("low");
        assertThat(table.get(0x010017)).isEqualTo("same 16 bits");
        assertThat(table.get(0xff0017)).isEqualTo("same 16 bits too");
        assertThat(table.get(0x020017)).isNull();
    }

    @Test
    void keepsTheNewOwnerWhenTheOldOneLeavesLate() {
        final String old = new String("old");
        final String young = new String("young");
        table.put(5, old);
        table.put(5, young);
        table.remove(5, old);

        assertThat(table.get(5)).isSameAs(young);
        assertThat(table.size()).isEqualTo(1);
        table.remove(5, young);
        assertThat(table.get(5)).isNull();
        assertThat(table.size()).isZero();
    }

    /** A completion queue may be idle for as long as the program runs. */
    @Test
    void whoFoundOneHandleTwiceKeepsNoneOfTheOthers() {
        table.put(1, "stays");
        final HandleTable.Memo<String> memo = new HandleTable.Memo<>(table);
        final WeakReference<String> gone = comesAndGoes(memo);
        final long deadline = System.nanoTime() + Patience.nanos();
        while (gone.get() != null && System.nanoTime() - deadline < 0) {
            System.gc();
        }
        assertThat(gone.get()).isNull();
        assertThat(memo.get(1)).isEqualTo("stays");
    }

    private WeakReference<String> comesAndGoes(final HandleTable.Memo<String> memo) {
        final String other = new String("goes");
        table.put(2, other);
        memo.get(1);
        memo.get(1);
        table.remove(2, other);
        return new WeakReference<>(other);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void behavesLikeAMap(final long seed) {
        final Random random = new Random(seed);
        final Map<Integer, String> model = new HashMap<>();
        final int stride = seed % 2 == 0 ? 1 : 4096;
        for (int step = 0; step < 5_000; step++) {
            final int handle = random.nextInt(200) * stride;
            if (random.nextBoolean()) {
                final String value = "v" + step;
                model.put(handle, value);
                table.put(handle, value);
            } else if (model.get(handle) != null) {
                table.remove(handle, model.remove(handle));
            }
            final int probe = random.nextInt(200) * stride;
            assertThat(table.get(probe)).as("seed %d step %d handle %d", seed, step, probe).isEqualTo(model.get(probe));
        }
        assertThat(table.size()).isEqualTo(model.size());
        model.forEach((handle, value) -> assertThat(table.get(handle)).isEqualTo(value));
    }

    @Test
    void neverLosesAnEntryUnderAReaderWhileOthersComeAndGo() throws InterruptedException {
        table.put(77, "stays");
        final AtomicBoolean stop = new AtomicBoolean();
        final AtomicReference<String> seen = new AtomicReference<>("nothing");
        final Thread reader = new Thread(() -> {
            while (!stop.get()) {
                final String value = table.get(77);
                if (!"stays".equals(value)) {
                    seen.set("lost: " + value);
                    return;
                }
                seen.compareAndSet("nothing", "stays");
            }
        });
        reader.start();
        for (int i = 0; i < 20_000; i++) {
            table.put(1000 + i % 37, "x" + i);
            table.remove(1000 + (i + 18) % 37, table.get(1000 + (i + 18) % 37));
        }
        while (seen.get().equals("nothing")) {
            Thread.onSpinWait();
        }
        stop.set(true);
        Patience.join(reader);

        assertThat(seen.get()).isEqualTo("stays");
    }
}
