/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Peculiarity;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a device lacks, with the reasons, and what it does otherwise than others. Filled by one thread while the device
 * is opened, not changed afterwards.
 */
public final class FeatureTable {
    /** Why there is no {@link Feature#ON_DEMAND_PAGING}. */
    public static final String PINNED_PAGES =
        "the device reaches only pages that stay where they are as long as a region has them";

    /** Why there are no {@link Feature#PROCESSOR_STORES}. */
    public static final String STORES_PAST_PROCESSOR =
        "the device stores past the processor, so the system does not see which pages have changed";

    private final Map<Feature, String> missing = new EnumMap<>(Feature.class);
    private final List<Peculiarity> peculiarities = new ArrayList<>();

    /** A device that lacks nothing. */
    public FeatureTable() {
        // What is missing is added.
    }

    /**
     * Adds what is missing for one reason. The last reason counts.
     *
     * @param why      a clause.
     * @param features what is missing.
     */
    public void lacks(final String why, final Feature... features) {
        for (final Feature feature : features) {
            missing.put(feature, why);
        }
    }

    /**
     * Adds what the device says itself that it does not have.
     *
     * @param feature    what is missing.
     * @param what       the same in words.
     * @param capability where the device says so.
     * @param value      what it says.
     */
    public void reportsNo(final Feature feature, final String what, final String capability, final long value) {
        lacks(String.format("the device reports that it has no %s (%s 0x%x)", what, capability, value), feature);
    }

    /**
     * Adds something that the device does otherwise.
     *
     * @param name        for programs.
     * @param description goes on after "the device".
     * @param features    what is missing therefore.
     */
    public void peculiar(final String name, final String description, final Feature... features) {
        final String sentence = "the device " + description;
        peculiarities.add(new Peculiarity(name, sentence));
        lacks(sentence, features);
    }

    /**
     * Whether the device has something.
     *
     * @param feature to look for.
     * @return false if it is missing.
     */
    public boolean has(final Feature feature) {
        return !missing.containsKey(feature);
    }

    /**
     * Why something is missing.
     *
     * @param feature to look for.
     * @return the reason; null if the device has it.
     */
    public String whyNot(final Feature feature) {
        return missing.get(feature);
    }

    /**
     * What the device does otherwise.
     *
     * @return as it was added.
     */
    public List<Peculiarity> peculiarities() {
        return List.copyOf(peculiarities);
    }
}
