/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/** For an engine that has nothing to tell. */
public final class NoEvents implements EngineEvents {
    @Override
    public boolean async(int type, int info) {
        throw new AssertionError("event " + type);
    }

    @Override
    public void completion(int cqHandle, boolean interrupt) {
        throw new AssertionError("completion in " + cqHandle);
    }

    @Override
    public void timer() {
        throw new AssertionError("nothing waits");
    }
}
