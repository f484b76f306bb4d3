/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

/** The end that answers each message with one of its own. For one thread. */
final class Responder {
    private final Endpoint end;
    private long iteration;

    Responder(final Endpoint end) {
        this.end = end;
    }

    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step() {
        final int work = end.poll();
        if (end.isReady()) {
            end.take(iteration);
            end.send(iteration);
            iteration++;
        }
        return work;
    }

    Endpoint end() {
        return end;
    }
}
