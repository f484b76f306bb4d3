/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.testing.Misuse;
import org.junit.jupiter.api.extension.RegisterExtension;

/** On the emulated device. */
class MisuseTest extends Misuse {
    @RegisterExtension
    final Devices devices = new Devices();

    @Override
    protected RdmaContext open() {
        return devices.open();
    }
}
