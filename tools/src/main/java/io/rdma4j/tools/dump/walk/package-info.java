/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Finds its way through a device's rings and page directories by what a {@link io.rdma4j.driver.live.LiveView} can
 * read. Nobody is believed: numbers that lead nowhere give a sentence that says so, and never an exception.
 */
package io.rdma4j.tools.dump.walk;
