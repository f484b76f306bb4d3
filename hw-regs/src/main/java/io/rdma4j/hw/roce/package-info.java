/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The packets of RoCEv2: InfiniBand's transport headers (specification volume 1, chapter 9, and annex A17), all fields
 * big endian, and the check sum behind them. Classes have static accessors for headers in a buffer, as the structs of
 * the data path.
 */
package io.rdma4j.hw.roce;
