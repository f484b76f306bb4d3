/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import java.util.List;

/** The authorization keys of a vector, for regions that are registered by them (struct fi_mr_auth_key). Thread-safe. */
public interface AuthKeys {
    /**
     * All keys.
     *
     * @return copies, in the order in which they were inserted.
     */
    List<byte[]> authKeys();

    /**
     * One key.
     *
     * @param fiAddr of {@link io.rdma4j.fabric.AddressVector#insertAuthKey}.
     * @return a copy; null if there is none of that name.
     */
    byte[] authKey(long fiAddr);

    /**
     * The key by which a peer is reached.
     *
     * @param fiAddr of an address in the vector.
     * @return a copy; null if the address is not in it, or was inserted without a key.
     */
    byte[] authKeyOf(long fiAddr);
}
