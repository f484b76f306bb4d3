/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import java.util.List;

/** All sections, in the order of a report. */
public final class Sections {
    /** Unmodifiable. */
    public static final List<Section> ALL = List.of(
        new ConfigSection(), new RegsSection(), new DsrSection(), new CapsSection(), new GidSection(),
        new QpSection(), new CqSection(), new SrqSection(), new MrSection(), new AvSection(), new CacheSection(),
        new CmdSection(), new CountersSection(), new ErrorsSection());

    private Sections() {
    }

    /**
     * Finds a section.
     *
     * @param name {@link Section#name()}.
     * @return the section; null if there is none.
     */
    public static Section of(final String name) {
        for (final Section section : ALL) {
            if (section.name().equals(name)) {
                return section;
            }
        }
        return null;
    }
}
