/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counters of a {@link RegistrationCache}.
 *
 * @param hits            acquisitions that found a region.
 * @param misses          acquisitions that had to register one.
 * @param uncached        of the misses, those whose region was not kept.
 * @param evictions       entries that had to make room.
 * @param replacements    entries that gave way to a larger one, to one with more rights, or of another owner.
 * @param invalidations   entries that were dropped because their memory changed, or its owner is gone.
 * @param notifications   changes of memory that the cache was told of.
 * @param retries         registrations that were repeated because the memory changed meanwhile, or after a flush.
 * @param monitorFailures calls of the monitor that threw; it is treated as not watching, then.
 * @param closeFailures   regions that the device refused to deregister.
 * @param entries         entries that can be found now.
 * @param bytes           their bytes.
 * @param inUse           those of them that are in use.
 */
public record CacheStatistics(
    long hits, long misses, long uncached, long evictions, long replacements, long invalidations, long notifications,
    long retries, long monitorFailures, long closeFailures, long entries, long bytes, long inUse) {

    /**
     * By name.
     *
     * @return an unmodifiable map in the order of declaration.
     */
    public Map<String, Long> asMap() {
        final Map<String, Long> map = new LinkedHashMap<>();
        map.put("hits", hits);
        map.put("misses", misses);
        map.put("uncached", uncached);
        map.put("evictions", evictions);
        map.put("replacements", replacements);
        map.put("invalidations", invalidations);
        map.put("notifications", notifications);
        map.put("retries", retries);
        map.put("monitorFailures", monitorFailures);
        map.put("closeFailures", closeFailures);
        map.put("entries", entries);
        map.put("bytes", bytes);
        map.put("inUse", inUse);
        return Collections.unmodifiableMap(map);
    }
}
