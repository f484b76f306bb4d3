/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The registration cache. Who reads it first: {@link io.rdma4j.fabric.cache.RegionCache} finds entries and makes them,
 * {@code UseCount} is why none is closed while it is in use, {@code CacheEntries} says which entries there are and
 * which go.
 */
package io.rdma4j.fabric.cache;
