/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.ProtectionDomain;

/** Makes registration caches. */
public final class RegistrationCaches {
    private RegistrationCaches() {
    }

    /**
     * Makes a cache of regions of a protection domain.
     *
     * @param pd         where it registers; to be closed after the cache.
     * @param attributes how it is to be, unless the environment or system properties say otherwise.
     * @return the cache; the caller owns it.
     * @throws FabricException FI_EINVAL for null, or for a variable with a bad value: the message names both.
     */
    public static RegionCache create(final ProtectionDomain pd, final CacheAttributes attributes) {
        return create(pd, attributes, new Adoptions());
    }

    /**
     * Makes one of several caches that know the same pinned memory by its addresses.
     *
     * @param pd         where it registers; to be closed after the cache.
     * @param attributes how it is to be, unless the environment or system properties say otherwise.
     * @param allocated  pinned memory; may grow later.
     * @return the cache; the caller owns it.
     * @throws FabricException as {@link #create(ProtectionDomain, CacheAttributes)}.
     */
    public static RegionCache create(
        final ProtectionDomain pd, final CacheAttributes attributes, final Adoptions allocated) {
        requireNotNull(attributes, "attributes");
        return create(pd, CacheSettings.of(attributes), allocated);
    }

    static RegionCache create(final ProtectionDomain pd, final CacheSettings settings) {
        return create(pd, settings, new Adoptions());
    }

    private static RegionCache create(
        final ProtectionDomain pd, final CacheSettings settings, final Adoptions allocated) {
        requireNotNull(pd, "protection domain");
        return new RegionCache(pd, settings, allocated, () -> pd.context().supports(Feature.ON_DEMAND_PAGING)
            && pd.context().supports(Feature.ON_DEMAND_EVERYWHERE));
    }

    private static void requireNotNull(final Object value, final String name) {
        if (value == null) {
            throw FabricException.of("create registration cache").detail("%s is null", name)
                .errno(FiErrno.FI_EINVAL).build();
        }
    }
}
