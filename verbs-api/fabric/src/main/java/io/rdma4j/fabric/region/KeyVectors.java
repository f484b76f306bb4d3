/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.av.AuthKeys;
import java.util.List;

/** Which authorization keys a registration names through a vector (struct fi_mr_auth_key; checklist 3, 11, 12). */
final class KeyVectors {
    private static final String OPERATION = Refusals.REGISTER;

    private final Regions regions;
    private final RegionRules rules;

    KeyVectors(final Regions regions, final RegionRules rules) {
        this.regions = regions;
        this.rules = rules;
    }

    /** Refuses what does not go with a domain of this kind. */
    void check(final MrAttributes attributes) {
        if (!rules.avAuthKeys) {
            if (attributes.keyVector() != null) {
                throw Refusals.invalid(OPERATION, "the domain has no authorization keys of address vectors")
                    .hint("open it with Hints.avAuthKeys, or use MrAttributes.authKey").build();
            }
            return;
        }
        final AddressVector vector = attributes.keyVector();
        if (vector == null || attributes.authKey() != null) {
            throw Refusals.invalid(OPERATION, "authorization keys of this domain come through address vectors")
                .hint("use MrAttributes.avAuthKey, and not authKey").build();
        }
        if (vector.domain() != regions.domain() || !(vector instanceof AuthKeys)) {
            throw Refusals.of(FiErrno.FI_EDOMAIN, OPERATION, "%s belongs to another domain", vector).build();
        }
        if (vector.isClosed()) {
            throw Refusals.closed(OPERATION, vector).build();
        }
    }

    /** The keys, at least one. */
    List<byte[]> of(final MrAttributes attributes) {
        final AuthKeys vector = (AuthKeys) attributes.keyVector();
        final long source = attributes.keySource();
        if (attributes.flagSet().contains(MrFlag.AUTH_KEY)) {
            return one(vector.authKey(source), "0x%x is no authorization key of %s", source, vector);
        }
        if (source != FiAddr.NOTAVAIL) {
            requireDirected();
            return one(vector.authKeyOf(source), "0x%x is no address with an authorization key in %s", source, vector);
        }
        final List<byte[]> all = vector.authKeys();
        if (all.isEmpty()) {
            throw Refusals.invalid(OPERATION, "%s has no authorization key", vector)
                .hint("insert one with AddressVector.insertAuthKey").build();
        }
        return all;
    }

    private void requireDirected() {
        if (!rules.info.capabilities().contains(Capability.DIRECTED_RECV)) {
            throw Refusals.of(FiErrno.FI_EOPNOTSUPP, OPERATION,
                "a region for one peer needs Capability.DIRECTED_RECV").build();
        }
    }

    private static List<byte[]> one(final byte[] key, final String refusal, final Object... values) {
        if (key == null) {
            throw Refusals.invalid(OPERATION, refusal, values).build();
        }
        return List.of(key);
    }
}
