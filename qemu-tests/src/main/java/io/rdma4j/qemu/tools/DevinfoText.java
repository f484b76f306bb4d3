/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What {@code ibv_devinfo -v} and {@code rdma4j devinfo -v} print, taken apart. */
public final class DevinfoText {
    /** What ibv_devinfo prints below one of these says by itself what it is of. */
    private static final List<String> HEADINGS = List.of("tso_caps", "rss_caps", "packet_pacing_caps");
    private static final int DEPTH_OF_FLAGS = 5;
    private static final String NOT_SUPPORTED = " not supported";
    /** Names of the lines that have no colon. */
    private static final Map<String, String> SENTENCES = Map.of("core clock", "hca_core_clock", "tag matching",
        "tag_matching", "completion_timestamp_mask", "completion_timestamp_mask");

    private DevinfoText() {
    }

    /**
     * Names and values, without the GIDs, whose order may be another. What is in lines below a name is behind it.
     *
     * @param text of one device, in full.
     * @return in its order.
     */
    public static Map<String, String> fields(final String text) {
        final Map<String, String> fields = new LinkedHashMap<>();
        String last = "";
        boolean isFirst = false;
        for (final String line : text.lines().filter(each -> !each.isBlank()).toList()) {
            final int depth = line.length() - line.stripLeading().length();
            final String words = line.strip();
            if (depth >= DEPTH_OF_FLAGS && fields.containsKey(last)) {
                fields.merge(last, words, (one, other) -> one.isEmpty() ? other : one + ' ' + other);
                if (!isFirst) {
                    fields.put(last, fields.get(last).replaceFirst(" (\\Q" + words + "\\E)$", ", $1"));
                }
                isFirst = false;
            } else if (words.endsWith(NOT_SUPPORTED) && !words.contains(":")) {
                final String what = words.substring(0, words.length() - NOT_SUPPORTED.length());
                fields.put(SENTENCES.getOrDefault(what, what), NOT_SUPPORTED.strip());
            } else if (words.contains(":") && !words.startsWith("GID[")) {
                last = words.substring(0, words.indexOf(':'));
                isFirst = true;
                final String value = words.substring(words.indexOf(':') + 1).strip();
                if (!HEADINGS.contains(last)) {
                    fields.put(last, value);
                }
            }
        }
        // It has no words for none here.
        fields.computeIfPresent("general_odp_caps", (name, value) -> value.isEmpty() ? "NO SUPPORT" : value);
        return fields;
    }

    /**
     * GIDs, and of which type they are.
     *
     * @param text of one device, in full.
     * @return without their indices.
     */
    public static Set<String> gids(final String text) {
        final Set<String> gids = new TreeSet<>();
        text.lines().map(String::strip).filter(line -> line.startsWith("GID["))
            .forEach(line -> gids.add(line.replaceFirst("GID\\[ *\\d+\\]:\\s*", "")));
        return gids;
    }
}
