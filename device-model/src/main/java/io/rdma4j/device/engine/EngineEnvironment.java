/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.link.Link;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.wire.Carrier;

/**
 * What an engine is built on.
 *
 * @param options  quirks, limits, name.
 * @param counters for surprising events.
 * @param iommu    translates.
 * @param link     where peers are.
 * @param events   where events are reported to.
 * @param carrier  of frames to other processes and hosts; null for a device of this JVM only.
 * @param polled   whether who posts, polls or waits serves the carrier; else a thread of its own does.
 */
public record EngineEnvironment(
    DeviceOptions options, Counters counters, EmulatedIommu iommu, Link link, EngineEvents events, Carrier carrier,
    boolean polled) {
}
