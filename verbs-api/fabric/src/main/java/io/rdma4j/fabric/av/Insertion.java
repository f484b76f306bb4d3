/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.FiAddr;

/**
 * One call that inserts. Arrays are the application's.
 *
 * @param source  what to insert.
 * @param fiAddrs where names go, and user identifiers come from; null for nowhere.
 * @param errors  where errors go; null for nowhere.
 * @param userIds whether there are user identifiers.
 * @param authKey name of the authorization key; {@link FiAddr#NOTAVAIL} for none.
 * @param context of the call; may be null.
 */
record Insertion(Source source, long[] fiAddrs, int[] errors, boolean userIds, long authKey, Object context) {
    private static final AvInsert NOTHING = new AvInsert();

    static Insertion of(final Source source, final long[] fiAddrs, final AvInsert options) {
        final AvInsert given = options == null ? NOTHING : options;
        return new Insertion(source, fiAddrs, given.errors(), given.userIds(), given.authKey(), given.context());
    }

    int count() {
        return source.count();
    }

    long userId(final int index) {
        return userIds ? fiAddrs[index] : FiAddr.NOTAVAIL;
    }

    void inserted(final int index, final long name) {
        if (fiAddrs != null) {
            fiAddrs[index] = name;
        }
        if (errors != null) {
            errors[index] = 0;
        }
    }

    void failed(final int index, final Problem problem) {
        if (fiAddrs != null) {
            fiAddrs[index] = FiAddr.NOTAVAIL;
        }
        if (errors != null) {
            errors[index] = problem.errno();
        }
    }
}
