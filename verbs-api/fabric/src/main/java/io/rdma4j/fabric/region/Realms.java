/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.ProtectionDomain;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** The realms of a domain, one for each authorization key. Thread-safe; nothing is registered under a lock. */
final class Realms {
    private static final int DIGEST_LENGTH = 8;

    private final Domain domain;
    private final Supplier<PdLease> pds;
    private final RegionRules rules;
    private final Function<ProtectionDomain, RegistrationCache> caches;
    private final ConcurrentHashMap<ByteBuffer, Realm> shared = new ConcurrentHashMap<>();

    Realms(
        final Domain domain, final Supplier<PdLease> pds, final RegionRules rules,
        final Function<ProtectionDomain, RegistrationCache> caches) {
        this.domain = domain;
        this.pds = pds;
        this.rules = rules;
        this.caches = caches;
    }

    /** The key that counts: nobody's before 1.5, the domain's if there is no other one. */
    byte[] effective(final byte[] authKey) {
        if (!rules.authKeys) {
            return new byte[0];
        }
        return authKey == null || authKey.length == 0 ? rules.info.authKey() : authKey;
    }

    static byte[] digest(final byte[] key) {
        if (key.length == 0) {
            return new byte[DIGEST_LENGTH];
        }
        try {
            return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(key), DIGEST_LENGTH);
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java platform has SHA-256", e);
        }
    }

    /** The realm of a key; the caller is a user of it. */
    Realm open(final byte[] authKey) {
        final byte[] key = effective(authKey);
        final ByteBuffer name = ByteBuffer.wrap(key.clone());
        while (true) {
            final Realm known = shared.get(name);
            if (known != null && known.tryRetain()) {
                return known;
            }
            final Realm[] made = new Realm[1];
            made[0] = make(key, () -> shared.remove(name, made[0]));
            // One that is just being closed is in the way until it has taken itself out.
            if (shared.putIfAbsent(name, made[0]) == null) {
                return made[0];
            }
            made[0].release();
            Thread.onSpinWait();
        }
    }

    /** A realm that nobody else finds. */
    Realm openOwn(final byte[] authKey) {
        return make(effective(authKey), () -> { });
    }

    private Realm make(final byte[] key, final Runnable onClose) {
        final PdLease lease;
        try {
            lease = pds.get();
        } catch (final RdmaException e) {
            throw FabricException.from("open protection domain", e);
        }
        KeyDirectory directory = null;
        Realm realm = null;
        try {
            directory = rules.hasMemory ? KeyDirectory.open(lease.pd(), rules.mrCount) : KeyDirectory.unread();
            realm = new Realm(domain, lease, directory, caches.apply(lease.pd()), key, onClose);
            return realm;
        } catch (final RdmaException e) {
            throw FabricException.from("open realm", e);
        } finally {
            if (realm == null) {
                abandon(lease, directory);
            }
        }
    }

    /** Whatever the failure was: it goes on, and not one of these in its place. */
    private static void abandon(final PdLease lease, final KeyDirectory directory) {
        try {
            if (directory != null) {
                directory.close();
            }
            lease.end();
        } catch (final RdmaException e) {
            // The device fails; its end takes all of it.
            return;
        }
    }
}
