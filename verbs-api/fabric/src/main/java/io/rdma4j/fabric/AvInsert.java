/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * How addresses are inserted (flags and context of fi_av_insert; checklist 82, 89). Not thread-safe; read by the call,
 * and kept by an asynchronous one.
 */
public final class AvInsert {
    private boolean more;
    private int[] errors;
    private boolean userIds;
    private long authKey = FiAddr.NOTAVAIL;
    private Object context;

    /** No flags, no context. */
    public AvInsert() {
        // All fields have their defaults.
    }

    /**
     * More insertions follow (FI_MORE): a hint, and all that is promised holds without a last call.
     *
     * @param follows true if so.
     * @return this.
     */
    public AvInsert more(final boolean follows) {
        more = follows;
        return this;
    }

    /**
     * Where to tell what became of each address (FI_SYNC_ERR): 0, or an errno of {@link FiErrno}.
     *
     * @param perAddress as long as addresses are inserted, or longer; null for none. For synchronous vectors only:
     *                   others refuse it with FI_EINVAL.
     * @return this.
     */
    public AvInsert errors(final int[] perAddress) {
        errors = perAddress;
        return this;
    }

    /**
     * The array of addresses says, before it is overwritten, what completions shall report as source in place of the
     * address (FI_AV_USER_ID).
     *
     * @param given true if so; shared vectors refuse it with FI_ENOSYS.
     * @return this.
     */
    public AvInsert userIds(final boolean given) {
        userIds = given;
        return this;
    }

    /**
     * The authorization key by which these addresses are reached (FI_AUTH_KEY).
     *
     * @param fiAddr of {@link AddressVector#insertAuthKey}; what is none is refused with FI_EINVAL.
     * @return this.
     */
    public AvInsert authKey(final long fiAddr) {
        authKey = fiAddr;
        return this;
    }

    /**
     * What events of an asynchronous insertion tell.
     *
     * @param value may be null.
     * @return this.
     */
    public AvInsert context(final Object value) {
        context = value;
        return this;
    }

    /**
     * Whether more follow.
     *
     * @return as given.
     */
    public boolean more() {
        return more;
    }

    /**
     * Where to tell errors.
     *
     * @return null for none.
     */
    public int[] errors() {
        return errors;
    }

    /**
     * Whether the array holds identifiers.
     *
     * @return as given.
     */
    public boolean userIds() {
        return userIds;
    }

    /**
     * The authorization key.
     *
     * @return {@link FiAddr#NOTAVAIL} for none.
     */
    public long authKey() {
        return authKey;
    }

    /**
     * The context.
     *
     * @return may be null.
     */
    public Object context() {
        return context;
    }
}
