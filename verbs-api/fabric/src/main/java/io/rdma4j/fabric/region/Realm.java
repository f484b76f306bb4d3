/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.ProtectionDomain;

import java.security.GeneralSecurityException;
import java.util.Arrays;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * All that works together under one authorization key: a protection domain, the directory of its keys, and the cache of
 * its local registrations. The device itself refuses who comes through another protection domain. Counted; closed with
 * its last user. Thread-safe.
 */
public final class Realm {
    private static final String MAC = "HmacSHA256";
    private static final int TAG_LENGTH = 8;

    private final Domain domain;
    private final ProtectionDomain pd;
    /** Where the protection domain is closed. */
    private final Runnable closePd;
    private final KeyDirectory directory;
    private final RegistrationCache cache;
    private final byte[] authKey;
    private final byte[] authDigest;
    private final Runnable onClose;
    private int users = 1;

    Realm(
        final Domain domain, final PdLease lease, final KeyDirectory directory, final RegistrationCache cache,
        final byte[] authKey, final Runnable onClose) {
        this.domain = domain;
        this.pd = lease.pd();
        this.closePd = lease::end;
        this.directory = directory;
        this.cache = cache;
        this.authKey = authKey.clone();
        this.authDigest = Realms.digest(authKey);
        this.onClose = onClose;
    }

    /**
     * Where regions and queue pairs are made.
     *
     * @return open as long as the realm has users.
     */
    public ProtectionDomain pd() {
        return pd;
    }

    /**
     * The keys that peers look up.
     *
     * @return of this realm.
     */
    public KeyDirectory directory() {
        return directory;
    }

    /**
     * The cache that registers what comes without a descriptor.
     *
     * @return of this realm.
     */
    public RegistrationCache cache() {
        return cache;
    }

    /**
     * What tells authorization keys apart in this process. Not for peers: whoever sees it can repeat it.
     *
     * @return 8 bytes, zero for no key; a copy.
     */
    public byte[] authDigest() {
        return authDigest.clone();
    }

    /**
     * Proves to who has the same authorization key that these bytes come from one who has it.
     *
     * @param bytes what is to be signed.
     * @return the first 8 bytes of their HMAC-SHA256; zero for no key.
     */
    public byte[] sign(final byte[] bytes) {
        if (authKey.length == 0) {
            return new byte[TAG_LENGTH];
        }
        try {
            final Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(authKey, MAC));
            return Arrays.copyOf(mac.doFinal(bytes), TAG_LENGTH);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("each Java platform has " + MAC, e);
        }
    }

    /**
     * The domain.
     *
     * @return the domain that it belongs to.
     */
    public Domain domain() {
        return domain;
    }

    /**
     * One more user.
     *
     * @throws FabricException FI_EBADFD if it had none any more.
     */
    public synchronized void retain() {
        if (!tryRetain()) {
            throw FabricException.of("use realm").detail("%s is closed", this).errno(FiErrno.FI_EBADFD).build();
        }
    }

    synchronized boolean tryRetain() {
        if (users == 0) {
            return false;
        }
        users++;
        return true;
    }

    /**
     * One user less; the last one closes it. To be called once by each.
     *
     * @throws FabricException what the device says; all the same it is closed.
     */
    public void release() {
        synchronized (this) {
            if (users == 0 || --users > 0) {
                return;
            }
        }
        onClose.run();
        try {
            new Cleanup().run(this::closeCache).run(directory::close).run(closePd).throwIfFailed();
        } catch (final RdmaException e) {
            throw FabricException.from("close realm", e);
        }
    }

    private void closeCache() {
        if (cache instanceof AutoCloseable) {
            try {
                ((AutoCloseable) cache).close();
            } catch (final RuntimeException e) {
                throw e;
            } catch (final Exception e) {
                throw FabricException.of("close registration cache").detail("%s", e).errno(FiErrno.FI_EIO).cause(e)
                    .build();
            }
        }
    }

    @Override
    public String toString() {
        return "realm of " + pd;
    }
}
