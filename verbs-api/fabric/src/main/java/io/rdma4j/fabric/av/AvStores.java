/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;

/** Makes stores for vectors that processes share. */
@FunctionalInterface
public interface AvStores {
    /**
     * Opens a store by its name, or makes it.
     *
     * @param domainName of the domain: vectors of other domains have other names.
     * @param format     how addresses are written.
     * @param attributes with a name; what they say was checked, but for what an existing store says otherwise.
     * @return the store, to be closed by who asked.
     * @throws io.rdma4j.fabric.FabricException FI_ENOENT for reading what does not exist; FI_EINVAL if it exists and
     *                                          is of another type, another format, has other bits or another
     *                                          base; a reader that asks for no bits takes those that there are.
     */
    AvStore open(String domainName, AddressFormat format, AvAttributes attributes);
}
