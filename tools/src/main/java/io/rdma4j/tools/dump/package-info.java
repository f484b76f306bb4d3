/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What devices look like inside: sections (registers, rings, tables), each read into JSON and printed from it, so that
 * a report that was saved prints as it would have on the spot. {@link io.rdma4j.tools.dump.Section} is one of them,
 * {@link io.rdma4j.tools.dump.DumpSource} is what they read, {@link io.rdma4j.tools.dump.Fields} makes JSON of structs,
 * {@link io.rdma4j.tools.dump.DumpPrinter} prints it.
 *
 * <p>A dump never fails because of what it finds: values that make no sense get a member {@code invalid} that says why,
 * and are marked in the text.
 */
package io.rdma4j.tools.dump;
