/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;

/**
 * What became of one address.
 *
 * @param inserted the address in the domain's format; null if not even that is known, as for a host without address.
 * @param device   the endpoint that it stands for, in the device's own format; null if it failed.
 * @param failure  what is wrong; null if nothing is.
 */
public record Resolution(FabricAddress inserted, FabricAddress device, FabricException failure) {
    static Resolution of(final FabricAddress inserted, final FabricAddress device) {
        return new Resolution(inserted, device, null);
    }

    static Resolution failed(final FabricAddress inserted, final FabricException failure) {
        return new Resolution(inserted, null, failure);
    }
}
