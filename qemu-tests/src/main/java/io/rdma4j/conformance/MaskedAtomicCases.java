/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;

import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.List;

/** Atomics of some bits of 64: compared under one mask, swapped under another, added in fields without carry. */
final class MaskedAtomicCases {
    private MaskedAtomicCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            masked("masked.compareAndSwap", MaskedAtomicCases::swap),
            masked("masked.fetchAndAddInFields", MaskedAtomicCases::add),
            masked("masked.allBitsAreThePlainOnes", MaskedAtomicCases::plain),
            masked("masked.refusesWhatPlainOnesRefuse", MaskedAtomicCases::refused).needs(Feature.QP_FLUSH));
    }

    private static ConformanceCase masked(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.MASKED_ATOMICS, Feature.REMOTE_KEYS);
    }

    private static SendRequest to(final Memory old, final Memory word) {
        return new SendRequest().wrId(1).sge(old.at(0), 8, old.lkey()).remote(word.at(0), word.rkey());
    }

    private static void swap(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(8);
        final Memory word = pair.far().memory(8, REMOTE_ATOMIC);
        final long[] masks = {0, -1, 0xff, 0xffff_0000_0000_0000L, 0x0f0f_0f0f_0f0f_0f0fL, Long.MIN_VALUE, 1};
        for (final long compareMask : masks) {
            for (final long swapMask : masks) {
                final long before = env.random().nextLong();
                final long value = env.random().nextLong();
                final long compare = env.random().nextBoolean() ? before ^ env.random().nextLong() & ~compareMask
                    : env.random().nextLong();
                word.buffer().putLong(0, before);
                Check.ok(pair.nearQp().postSend(
                    to(old, word).maskedCompareSwap(compare, compareMask, value, swapMask)), "post");
                pair.near().sent().next().expect(1, WcOpcode.MASKED_COMP_SWAP).expectBytes(8);
                final boolean equal = ((before ^ compare) & compareMask) == 0;
                final long after = equal ? before & ~swapMask | value & swapMask : before;
                Check.equal(before, old.buffer().getLong(0), "old value");
                Check.equal(after, word.buffer().getLong(0), "0x%x, compared with 0x%x under 0x%x, swapped for 0x%x "
                    + "under 0x%x", before, compare, compareMask, value, swapMask);
                env.moved(8);
            }
        }
    }

    /** A bit of the boundary is the highest of a field: nothing is carried beyond it. */
    private static void add(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(8);
        final Memory word = pair.far().memory(8, REMOTE_ATOMIC);
        final long[] boundaries = {0, Long.MIN_VALUE, 0x8000_0000_8000_0000L, 0x8080_8080_8080_8080L, -1,
            0x0000_0001_0000_8000L, 1};
        for (final long boundary : boundaries) {
            for (int i = 0; i < env.times(5, 30); i++) {
                final long before = i == 0 ? -1 : env.random().nextLong();
                final long increment = i == 0 ? 0x0101_0101_0101_0101L : env.random().nextLong();
                word.buffer().putLong(0, before);
                Check.ok(pair.nearQp().postSend(to(old, word).maskedAdd(increment, boundary)), "post");
                pair.near().sent().next().expect(1, WcOpcode.MASKED_FETCH_ADD).expectBytes(8);
                Check.equal(before, old.buffer().getLong(0), "old value");
                Check.equal(sum(before, increment, boundary), word.buffer().getLong(0),
                    "0x%x plus 0x%x in fields that end at 0x%x", before, increment, boundary);
                env.moved(8);
            }
        }
    }

    /** Bit by bit, as by hand. */
    private static long sum(final long first, final long second, final long boundary) {
        long result = 0;
        long carry = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            final long digits = (first >>> bit & 1) + (second >>> bit & 1) + carry;
            result |= (digits & 1) << bit;
            carry = (boundary >>> bit & 1) == 1 ? 0 : digits >>> 1;
        }
        return result;
    }

    private static void plain(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(8);
        final Memory word = pair.far().memory(8, REMOTE_ATOMIC);
        word.buffer().putLong(0, 5);
        Check.ok(pair.nearQp().postSend(to(old, word).maskedCompareSwap(5, -1, -7, -1)), "post");
        pair.near().sent().next().expect(1, WcOpcode.MASKED_COMP_SWAP);
        Check.equal(-7L, word.buffer().getLong(0), "swapped");
        Check.ok(pair.nearQp().postSend(to(old, word).maskedAdd(10, 0)), "post");
        pair.near().sent().next().expect(1, WcOpcode.MASKED_FETCH_ADD);
        Check.equal(3L, word.buffer().getLong(0), "added");
        env.moved(16);
    }

    private static void refused(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory old = refusal.near().memory(64).guard();
        final Memory word = refusal.far().memory(64, REMOTE_ATOMIC).guard();
        final MemoryRegion readable = word.allowing(env, refusal.far().pd(), 0, 64, LOCAL_WRITE, REMOTE_READ);
        for (int kind = 0; kind < 2; kind++) {
            final SendRequest request = to(old, word);
            if (kind == 0) {
                request.maskedAdd(1, 0);
            } else {
                request.maskedCompareSwap(0, 0, 1, -1);
            }
            refusal.with(REMOTE_ATOMIC).byPeer(request.remote(word.at(4), word.rkey()), WcStatus.REM_INV_REQ_ERR,
                AsyncEventType.QP_REQ_ERR);
            refusal.with(REMOTE_READ).byPeer(request.remote(word.at(0), word.rkey()), WcStatus.REM_INV_REQ_ERR,
                AsyncEventType.QP_REQ_ERR);
            refusal.with(REMOTE_ATOMIC).byPeer(request.remote(word.at(0), readable.rkey()), WcStatus.REM_ACCESS_ERR,
                AsyncEventType.QP_ACCESS_ERR);
            refusal.with(REMOTE_ATOMIC).byPeer(request.remote(word.at(4096), word.rkey()), WcStatus.REM_ACCESS_ERR,
                AsyncEventType.QP_ACCESS_ERR);
        }
        old.expectGuard(0, 64, "old value");
        word.expectGuard(0, 64, "word");
    }
}
