/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.tools.dump.walk.PageRun;
import io.rdma4j.tools.dump.walk.PageRuns;
import io.rdma4j.tools.dump.walk.PageWalk;
import io.rdma4j.tools.dump.walk.RingCopy;
import io.rdma4j.tools.dump.walk.RingSpec;
import io.rdma4j.tools.dump.walk.SlotState;
import io.rdma4j.tools.dump.walk.Slots;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** The way through rings and page directories, where it is easily lost. */
@Timeout(60)
class WalkTest {
    private static final int PAGE = Pdir.PAGE_SIZE;
    private static final long ROOT = 0x10_0000L;
    private static final long RING = 0x4000L;

    private static byte[] table(final long... entries) {
        final UnsafeBuffer table = new UnsafeBuffer(new byte[PAGE]);
        for (int i = 0; i < entries.length; i++) {
            table.putLong(i * Long.BYTES, entries[i], LITTLE_ENDIAN);
        }
        return table.byteArray();
    }

    /** One page more than a directory reaches: a root page, two directories, of which the second has one table. */
    @Test
    void threeLevels() {
        final ScriptedView view = new ScriptedView();
        final long first = ROOT + PAGE;
        final long tables = ROOT + 16L * PAGE;
        view.memory(ROOT, table(first, first + PAGE));
        final long[] entries = new long[Pdir.ENTRIES];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = tables + (long) i * PAGE;
        }
        view.memory(first, table(entries));
        view.memory(first + PAGE, table(tables + 512L * PAGE));
        for (int i = 0; i <= Pdir.ENTRIES; i++) {
            final long[] pages = new long[Pdir.ENTRIES];
            for (int page = 0; page < pages.length; page++) {
                pages[page] = (1L << 32) + ((long) i * Pdir.ENTRIES + page) * PAGE;
            }
            view.memory(tables + (long) i * PAGE, table(pages));
        }
        assertThat(PageWalk.walk(view, ROOT, Pdir.MAX_PAGES + 1L, null).list()).containsExactly(
            new PageRun(0, Pdir.MAX_PAGES + 1L, PageRun.Kind.PAGES, 1L << 32, PageMap.NOT_ASKED));
        assertThat(PageWalk.walk(view, first, Pdir.MAX_PAGES, null).list()).containsExactly(
            new PageRun(0, Pdir.MAX_PAGES, PageRun.Kind.PAGES, 1L << 32, PageMap.NOT_ASKED));
    }

    @Test
    void entriesThatLeadNowhere() {
        final ScriptedView view = new ScriptedView();
        view.memory(ROOT, table(ROOT + PAGE, 0, 0x7_7000));
        view.memory(ROOT + PAGE, table(0x5000, 0x6000, 0, 0x9001, 0xa000));
        final List<PageRun> runs = PageWalk.walk(view, ROOT, 3L * Pdir.ENTRIES,
            page -> 0x3000 + 2 * page * PAGE).list();
        assertThat(runs).containsExactly(
            new PageRun(0, 1, PageRun.Kind.PAGES, 0x5000, 0x3000),
            new PageRun(1, 1, PageRun.Kind.PAGES, 0x6000, 0x5000),
            new PageRun(2, 1, PageRun.Kind.NONE, 0, PageMap.NOT_ASKED),
            new PageRun(3, 1, PageRun.Kind.INVALID, 0x9001, PageMap.NOT_ASKED),
            new PageRun(4, 1, PageRun.Kind.PAGES, 0xa000, 0xb000),
            new PageRun(5, 2L * Pdir.ENTRIES - 5, PageRun.Kind.NONE, 0, PageMap.NOT_ASKED),
            new PageRun(2L * Pdir.ENTRIES, Pdir.ENTRIES, PageRun.Kind.UNREADABLE, 0x7_7000, PageMap.NOT_ASKED));
    }

    /** A directory that lists itself, as its own table and page. */
    @ParameterizedTest
    @CsvSource({"0", "1", "-1", "512", "262144", "262145", "134217728", "9223372036854775807", "-9223372036854775808"})
    void circlesEnd(final long pages) {
        final ScriptedView view = new ScriptedView();
        view.memory(ROOT, table(ROOT, ROOT, ROOT));
        final PageRuns runs = PageWalk.walk(view, ROOT, pages, null);
        final long expected = Math.max(0, Math.min(pages, Pdir.LARGE_MAX_PAGES));
        final long listed = runs.list().stream().mapToLong(PageRun::count).sum();
        assertThat(listed + runs.leftOut()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        // iova, length, elements, count, stride, what is said
        "0x4000, 0x2000, 0x1000, 4, 32,",
        "0, 0x2000, 0x1000, 4, 32, begins at a page",
        "0x4001, 0x2000, 0x1000, 4, 32, begins at a page",
        "0x4000, 0x2000, 0x1000, 4, 0, max_sge",
        "0x4000, 0x2000, 0x1000, 0, 32, power of two",
        "0x4000, 0x2000, 0x1000, 3, 32, power of two",
        "0x4000, 0x2000, 0x1000, -4, 32, power of two",
        "0x4000, 0x2000, 0x1000, 0x4000000000000000, 32, power of two",
        "0x4000, 0x2000, 0x1000, 256, 32, not in the 8192 bytes",
        "0x4000, 0x2000, 0xff0, 4, 32, not in the",
        "0x4000, 0x2000, -4096, 4, 32, not in the",
        "0x4000, 0x2000, 0x7ffffffffffff000, 4, 32, not in the",
        "0x4000, -1, 0x1000, 4, 32, not in the"
    })
    void placesThatCannotBe(final String iova, final String length, final String elements, final String count,
        final int stride, final String said) {
        final RingSpec spec = new RingSpec(Long.decode(iova), Long.decode(length), RingState.RX_OFFSET,
            Long.decode(elements), Long.decode(count), stride);
        if (said == null) {
            assertThat(spec.objection()).isNull();
        } else {
            assertThat(spec.objection()).contains(said);
            assertThat(RingCopy.of(new ScriptedView(), spec).unreadable()).contains(said);
        }
    }

    private static RingCopy ring(final int prodTail, final int consHead) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[2 * PAGE]);
        RingState.rxProdTail(memory, 0, prodTail);
        RingState.rxConsHead(memory, 0, consHead);
        for (int slot = 0; slot < 4; slot++) {
            RqWqe.numSge(memory, PAGE + slot * 32, 1);
        }
        return RingCopy.of(new ScriptedView().memory(RING, memory.byteArray()),
            new RingSpec(RING, 2L * PAGE, RingState.RX_OFFSET, PAGE, 4, 32));
    }

    /** So many requests go by meanwhile that the indices come round. */
    @Test
    void aRingWhoseIndicesComeRoundHasMoved() {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[2 * PAGE]);
        RingState.rxProdTail(memory, 0, 1);
        final ScriptedView view = new ScriptedView().memory(RING, memory.byteArray());
        final RingSpec spec = new RingSpec(RING, 2L * PAGE, RingState.RX_OFFSET, PAGE, 4, 32);
        assertThat(RingCopy.of(view, spec).moved()).isFalse();
        view.onRead(() -> RqWqe.wrId(memory, PAGE, RqWqe.wrId(memory, PAGE) + 8));
        assertThat(RingCopy.of(view, spec).moved()).isTrue();
    }

    /** d done, e executing, p pending, t taken, u unknown; each by slot. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, 0, dddd, ",
        "1, 0, 1, 0, pddd, ",
        "4, 0, 4, 0, pppp, ",
        "4, 4, 4, 0, eeee, ",
        "4, 2, 4, 1, depp, ",
        "5, 4, 5, 3, pdde, ",
        "1, 7, 9, 6, pdep, ",
        "2, 0, 18, 14, ppee, ",
        "2, 2, 18, 18, dddd, ",
        // The ring is further than the numbers: one is outstanding, and it is the last one.
        "3, 3, 9, 8, dded, in motion",
        // Numbers that no ring has.
        "4, 4, 7, 1, tttt, cannot be both",
        "4, 4, 1, 7, tttt, cannot be both",
        "5, 4, -1, 9223372036854775807, pttt, cannot be both",
        "5, 0, 5, 0, uuuu, ",
        "8, 0, 8, 0, uuuu, ",
        "-1, 0, 5, 0, uuuu, "
    })
    void slotsAreWhatTheIndicesSay(final int prodTail, final int consHead, final long posted, final long retired,
        final String expected, final String doubt) {
        final Slots slots = Slots.ofQueue(ring(prodTail, consHead), RqWqe.HEADER_LENGTH, posted, retired);
        final StringBuilder seen = new StringBuilder();
        for (int slot = 0; slot < 4; slot++) {
            seen.append(slots.state(slot).text().charAt(0));
        }
        assertThat(seen).hasToString(expected);
        assertThat(String.valueOf(slots.doubt())).contains(String.valueOf(doubt));
        for (final SlotState state : SlotState.values()) {
            assertThat(slots.count(state)).isEqualTo(
                (int) expected.chars().filter(c -> c == state.text().charAt(0)).count()
                    - (state == SlotState.UNREAD ? slots.count(SlotState.UNKNOWN) : 0));
        }
    }
}
