/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What the driver tells Java Flight Recorder: control operations, events of the device, errors. {@link
 * io.rdma4j.driver.jfr.Flight} is the way in; who calls it needs no module {@code jdk.jfr}, and neither does a runtime
 * without it. Nothing of the data path is recorded.
 */
package io.rdma4j.driver.jfr;
