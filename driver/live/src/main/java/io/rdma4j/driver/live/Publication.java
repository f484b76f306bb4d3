/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * What other processes see of an object. Whoever changes an attribute says so here, posters and pollers too: nobody
 * waits for a lock, nothing is allocated. One thread at a time writes; who comes meanwhile has it write once more.
 *
 * <p>It is ended before the device gives the object up: the next one may get its handle at once.
 */
public final class Publication {
    private static final System.Logger LOG = System.getLogger(Publication.class.getPackageName());
    /** Of objects that are only known to be there. */
    public static final Consumer<LiveEntry> NO_ATTRIBUTES = entry -> { };

    private final LiveEntry entry;
    private final Consumer<LiveEntry> attributes;
    /** Changes that the one who writes has not seen yet; 0 if nobody writes. */
    private final AtomicInteger changes = new AtomicInteger();
    private volatile boolean ended;
    private volatile Throwable failure;
    private volatile boolean told;

    /**
     * Publishes an object of which there is an entry already; {@link #changed()} shows it.
     *
     * @param entry      closed when this is ended.
     * @param attributes sets all of them, as they are when it is called.
     */
    public Publication(final LiveEntry entry, final Consumer<LiveEntry> attributes) {
        this.entry = entry;
        this.attributes = attributes;
    }

    /**
     * Makes an entry; {@link #changed()} shows it.
     *
     * @param live       what the device publishes in.
     * @param kind       of the object.
     * @param handle     no other object's of this kind.
     * @param attributes sets all of them, as they are when it is called.
     * @return to be ended before the device gives the object up.
     */
    public static Publication of(
        final LivePublisher live, final LiveKind kind, final int handle, final Consumer<LiveEntry> attributes) {
        return new Publication(live.add(kind, handle), attributes);
    }

    /** The attributes are others now; the caller has made them visible. */
    public void changed() {
        if (changes.getAndIncrement() == 0) {
            int seen = 1;
            while (seen != 0) {
                write();
                seen = changes.addAndGet(-seen);
            }
            tellFailure();
        }
    }

    private void write() {
        try {
            if (ended) {
                entry.close();
            } else {
                attributes.accept(entry);
                entry.publish();
            }
        } catch (final RuntimeException | Error e) {
            // Not thrown: posters and pollers have their own work done, and the next change must be written again.
            failure = e;
        }
    }

    private void tellFailure() {
        final Throwable what = failure;
        if (what != null && !told) {
            told = true;
            LOG.log(System.Logger.Level.WARNING, "others may see an old state of " + entry + ", or what is gone: its"
                + " attributes could not be published; the device goes on", what);
        }
    }

    /** Nobody sees the object any more. Harmless when called again. */
    public void end() {
        ended = true;
        changed();
    }
}
