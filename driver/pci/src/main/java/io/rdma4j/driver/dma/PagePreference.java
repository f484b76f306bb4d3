/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Which pages memory shall consist of. What cannot be had is replaced by the next smaller kind. */
public enum PagePreference {
    /**
     * Hugepages of 2 MiB where the memory fills one, else transparent ones, which others cannot see: memory that they
     * shall see, such as rings, has ordinary pages then. Where those are too slow for large rings, a pool of hugepages
     * helps, or {@link #THP}, or to publish nothing.
     */
    AUTO("auto"),
    /** Hugepages of 1 GiB where the memory fills one. */
    GB1("1G"),
    /** Hugepages of 2 MiB where the memory fills one. */
    MB2("2M"),
    /** Transparent hugepages where the memory fills one. */
    THP("thp"),
    /** Ordinary pages. */
    KB4("4K");

    private final String word;

    PagePreference(final String word) {
        this.word = word;
    }

    /**
     * Reads the option {@code pages} of a device address.
     *
     * @param text {@code auto}, {@code 1G}, {@code 2M}, {@code thp} or {@code 4K}, in any case.
     * @return what it means.
     * @throws RdmaException EINVAL for anything else, naming what is allowed.
     */
    public static PagePreference parse(final String text) {
        for (final PagePreference preference : values()) {
            if (preference.word.equalsIgnoreCase(text)) {
                return preference;
            }
        }
        throw RdmaException.of("open device")
            .detail("option pages=%s", text)
            .errno(RdmaException.EINVAL)
            .hint("use one of %s", Arrays.stream(values()).map(p -> p.word).collect(Collectors.joining(", ")))
            .build();
    }

    /**
     * What to try, in this order. A kind whose page the memory would not fill is left out; but where pages must not
     * move, hugepages of 2 MiB are tried for little memory, too.
     */
    List<PageKind> kindsFor(final long bytes, final boolean staying) {
        final List<PageKind> kinds = new ArrayList<>();
        for (final PageKind kind : PageKind.values()) {
            if (kind.compareTo(first()) >= 0 && (bytes >= kind.pageSize() || kind == PageKind.KB4
                || staying && kind == PageKind.MB2)) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    /**
     * The same for memory that other processes shall see. Transparent hugepages cannot be shared: they are tried only
     * if they were asked for by name.
     */
    List<PageKind> sharedKindsFor(final long bytes, final boolean staying) {
        final List<PageKind> kinds = kindsFor(bytes, staying);
        if (this != THP) {
            kinds.remove(PageKind.THP);
        }
        return kinds;
    }

    private PageKind first() {
        return this == AUTO ? PageKind.MB2 : PageKind.valueOf(name());
    }

    @Override
    public String toString() {
        return word;
    }
}
