/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.SharedVector;
import io.rdma4j.fabric.Survey;
import io.rdma4j.fabric.info.Discovery;
import io.rdma4j.fabric.shared.SharedSurvey;
import io.rdma4j.fabric.spi.FabricProvider;
import java.util.List;

/** The provider of fabrics over verbs. */
public final class RdmaFabricProvider implements FabricProvider {
    /** For the service loader. */
    public RdmaFabricProvider() {
        // Has no state.
    }

    @Override
    public Survey survey(final Hints hints) {
        return Discovery.survey(hints, SharedDevice::look);
    }

    @Override
    public boolean made(final FabricInfo info) {
        return Discovery.made(info);
    }

    @Override
    public Fabric open(final FabricInfo info) {
        return new RdmaFabric(info);
    }

    @Override
    public List<SharedVector> sharedVectors(final String name) {
        return SharedSurvey.read(name);
    }
}
