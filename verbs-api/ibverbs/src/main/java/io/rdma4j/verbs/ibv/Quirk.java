/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.Feature;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What devices of some drivers do otherwise than the InfiniBand specification says; docs/judged.md has the rules. */
enum Quirk {
    /** Everything but SoftRoCE. */
    NIC_STORES("memory-written-by-the-nic", null,
        "the device writes memory past the processor's page tables", Feature.PROCESSOR_STORES);

    private static final String RXE = "rxe";

    private final String title;
    private final String driver;
    private final String description;
    private final Set<Feature> features;

    Quirk(final String title, final String driver, final String description, final Feature... features) {
        this.title = title;
        this.driver = driver;
        this.description = description;
        this.features = Set.of(features);
    }

    /** Those of a driver. */
    static List<Quirk> of(final String driver) {
        return Stream.of(values())
            .filter(quirk -> quirk.driver == null ? !RXE.equals(driver) : quirk.driver.equals(driver)).toList();
    }

    String title() {
        return title;
    }

    String description() {
        return description;
    }

    Set<Feature> features() {
        return features;
    }
}
