/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.base.Cleanup;

import java.io.IOException;

/**
 * Somebody else who has a GID, in one life: the inbox by which it is called, and its file, by whose lock it is seen to
 * live. Shared by the lanes to it and the rings from it, and closed with the last of them. Under the lock of the
 * carrier, but for the inbox.
 */
final class ShmPeer {
    private final ShmFolder.Opened file;
    private final ShmInbox inbox;
    private int users;
    private int lookedAt;
    private boolean gone;

    private ShmPeer(final ShmFolder.Opened file, final ShmInbox inbox) {
        this.file = file;
        this.inbox = inbox;
    }

    /** Null if nobody has the GID. */
    static ShmPeer find(final ShmFolder folder, final Gid gid) throws IOException {
        final ShmFolder.Opened file = folder.find(gid);
        if (file == null) {
            return null;
        }
        ShmPeer found = null;
        try {
            final ShmFolder.Owner owner = file.owner();
            found = new ShmPeer(file, ShmInbox.open(owner.pid(), owner.descriptor(), owner.nonce()));
            return found;
        } finally {
            if (found == null) {
                file.close();
            }
        }
    }

    ShmFolder.Owner owner() {
        return file.owner();
    }

    ShmInbox inbox() {
        return inbox;
    }

    /** Asks the kernel, once for each look. */
    boolean isGone(final int look) {
        if (look != lookedAt) {
            lookedAt = look;
            isGone();
        }
        return gone;
    }

    /** Asks the kernel. Who is gone does not come back: the next life is another peer. */
    boolean isGone() {
        gone |= !file.lock().isHeldElsewhere();
        return gone;
    }

    void use() {
        users++;
    }

    /** Whether nobody will use it any more when one user less does. */
    boolean isLastUser() {
        return users <= 1;
    }

    /** One user less; the last one closes it. */
    void release() {
        if (--users > 0) {
            return;
        }
        new Cleanup().run(inbox::close).run(file::close).throwIfFailed();
    }
}
