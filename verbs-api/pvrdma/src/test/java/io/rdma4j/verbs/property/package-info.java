/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What must hold for any sequence of requests, tried with sequences that nobody thought of. A test takes bytes and
 * reads its decisions from them: Jazzer makes up the bytes when fuzzing ({@code JAZZER_FUZZ=1}), the build replays the
 * kept seeds under {@code src/test/resources} and some hundred more from a random number generator with fixed seeds.
 */
package io.rdma4j.verbs.property;
