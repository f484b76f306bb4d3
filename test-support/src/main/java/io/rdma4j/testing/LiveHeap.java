/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The objects of this JVM that something refers to. What a collector calls its use of the heap is not that: G1 counts
 * regions of megabytes. This takes a collection and a walk, some ten milliseconds.
 */
public final class LiveHeap {
    private static final Pattern LINE = Pattern.compile("(?m)^\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+)");
    private static final int TOLD = 10;

    private final Map<String, Long> bytesByClass = new HashMap<>();

    private LiveHeap(final String histogram) {
        final Matcher line = LINE.matcher(histogram);
        while (line.find()) {
            bytesByClass.merge(line.group(3), Long.parseLong(line.group(2)), Long::sum);
        }
    }

    /**
     * {@return what there is now}
     */
    public static LiveHeap now() {
        try {
            return new LiveHeap((String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram", new Object[] {null},
                new String[] {String[].class.getName()}));
        } catch (final JMException e) {
            throw new IllegalStateException("the JVM does not count its objects", e);
        }
    }

    /**
     * Adds up the objects of some classes.
     *
     * @param prefix what names of these classes begin with; empty for all.
     * @return their bytes.
     */
    public long bytes(final String prefix) {
        return bytesByClass.entrySet().stream().filter(e -> e.getKey().startsWith(prefix))
            .mapToLong(Map.Entry::getValue).sum();
    }

    /**
     * Names the classes whose objects have become more.
     *
     * @param before an earlier state.
     * @return those that grew most, a line for each, with their bytes.
     */
    public String growthSince(final LiveHeap before) {
        return bytesByClass.entrySet().stream()
            .map(e -> Map.entry(e.getKey(), e.getValue() - before.bytesByClass.getOrDefault(e.getKey(), 0L)))
            .filter(e -> e.getValue() > 0)
            .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
            .limit(TOLD)
            .map(e -> e.getKey() + " +" + e.getValue())
            .collect(Collectors.joining("\n", "\n", "\n"));
    }
}
