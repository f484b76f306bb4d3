/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

/** Requests that name memory of the peer. */
final class OneSided {
    private OneSided() {
    }

    static SendRequest write(
        final Memory from, final int fromOffset, final int length, final Memory to, final int toOffset) {
        return new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(from.at(fromOffset), length, from.lkey())
            .remote(to.at(toOffset), to.rkey());
    }

    static SendRequest read(
        final Memory into, final int intoOffset, final int length, final Memory from, final int fromOffset) {
        return new SendRequest().opcode(SendOpcode.RDMA_READ).sge(into.at(intoOffset), length, into.lkey())
            .remote(from.at(fromOffset), from.rkey());
    }

    static SendRequest compareAndSwap(
        final Memory old, final int oldOffset, final Memory word, final int wordOffset, final long expected,
        final long value) {
        return new SendRequest().opcode(SendOpcode.ATOMIC_CMP_AND_SWP).sge(old.at(oldOffset), 8, old.lkey())
            .remote(word.at(wordOffset), word.rkey()).atomic(expected, value);
    }

    static SendRequest fetchAndAdd(
        final Memory old, final int oldOffset, final Memory word, final int wordOffset, final long increment) {
        return new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).sge(old.at(oldOffset), 8, old.lkey())
            .remote(word.at(wordOffset), word.rkey()).atomic(increment, 0);
    }
}
