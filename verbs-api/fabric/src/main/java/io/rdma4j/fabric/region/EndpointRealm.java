/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

/** What an endpoint tells the regions that are bound to it. */
public interface EndpointRealm {
    /**
     * Where the endpoint's peers find regions.
     *
     * @return its realm.
     */
    Realm realm();
}
