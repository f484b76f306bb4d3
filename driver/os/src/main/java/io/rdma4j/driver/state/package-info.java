/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Where processes of one user leave each other files: journals of live objects, and what they publish of devices. */
package io.rdma4j.driver.state;
