/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.testing;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.verbs.RdmaContext;

/** A fabric and a domain of a device, and what is kept in it. */
public class TestDomain extends Keeper {
    public final RdmaContext context;
    public final FabricInfo info;
    public final Fabric fabric;
    public final Domain domain;

    /** The hints say which device. */
    public TestDomain(final Hints hints) {
        context = hints.context();
        info = Fabrics.getInfo(hints).get(0);
        fabric = keep(Fabrics.open(info));
        domain = keep(fabric.openDomain(info));
    }
}
