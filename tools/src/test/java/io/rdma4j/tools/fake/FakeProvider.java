/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.DeviceAddress;
import io.rdma4j.verbs.DeviceInfo;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.spi.VerbsProvider;

import java.util.List;

/** Found by the commands under test. */
public final class FakeProvider implements VerbsProvider {
    /** Created by the service loader. */
    public FakeProvider() {
        // Nothing to set up.
    }

    @Override
    public List<String> schemes() {
        return List.of("fake");
    }

    @Override
    public boolean serves(final DeviceAddress address) {
        return address.scheme().equals("fake");
    }

    @Override
    public List<DeviceInfo> list() {
        return List.of(new DeviceInfo("fake:", "a device for tests"));
    }

    @Override
    public RdmaContext open(final DeviceAddress address) {
        return new FakeContext(address);
    }
}
