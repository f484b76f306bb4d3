/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How often each page of an address range is counted, kept as steps: one entry where the count changes, not one a page.
 * A region of a gigabyte costs two entries. Addresses are multiples of whatever the caller takes for a page. Not
 * thread-safe.
 */
final class RangeCounts {
    /** From this address on, up to the next key, pages have this count. Below the first key it is 0. */
    private final TreeMap<Long, Integer> steps = new TreeMap<>();

    /** A range without gaps. */
    record Run(long start, long end) {
        long length() {
            return end - start;
        }
    }

    /** The parts of a range whose count is this one, each as long as it can be, in rising order. */
    List<Run> runsOf(final int count, final long start, final long end) {
        final List<Run> runs = new ArrayList<>();
        long from = start;
        int value = countAt(start);
        for (final Map.Entry<Long, Integer> step : steps.subMap(start, false, end, false).entrySet()) {
            if (value == count && step.getValue() != count) {
                runs.add(new Run(from, step.getKey()));
            }
            if (value != count) {
                from = step.getKey();
            }
            value = step.getValue();
        }
        if (value == count) {
            runs.add(new Run(from, end));
        }
        return runs;
    }

    int countAt(final long address) {
        final Map.Entry<Long, Integer> step = steps.floorEntry(address);
        return step == null ? 0 : step.getValue();
    }

    /** The smallest count in a range. */
    int minimum(final long start, final long end) {
        int least = countAt(start);
        for (final int count : steps.subMap(start, end).values()) {
            least = Math.min(least, count);
        }
        return least;
    }

    /** Adds to the count of every page of a range. */
    void add(final long start, final long end, final int delta) {
        final int before = countAt(start);
        final int after = countAt(end);
        steps.putIfAbsent(start, before);
        steps.putIfAbsent(end, after);
        steps.subMap(start, end).replaceAll((address, count) -> count + delta);
        dropIfNoStep(start);
        dropIfNoStep(end);
    }

    private void dropIfNoStep(final long address) {
        final Map.Entry<Long, Integer> below = steps.lowerEntry(address);
        if (steps.get(address) == (below == null ? 0 : below.getValue())) {
            steps.remove(address);
        }
    }

    /** Bytes whose count is above 0. */
    long countedBytes() {
        long bytes = 0;
        for (final Map.Entry<Long, Integer> step : steps.entrySet()) {
            final Long next = steps.higherKey(step.getKey());
            bytes += step.getValue() > 0 && next != null ? next - step.getKey() : 0;
        }
        return bytes;
    }

    /** For tests: how many steps are kept. */
    int size() {
        return steps.size();
    }
}
