/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Sets of flags, and the bits that libfabric has for them. */
final class Flags {
    private Flags() {
    }

    static <F extends Enum<F>> long encode(final Set<F> set, final ToLongFunction<F> bit) {
        Arguments.notNull("encode flags", "set", set);
        long all = 0;
        for (final F one : set) {
            all |= bit.applyAsLong(Arguments.notNull("encode flags", "a flag", one));
        }
        return all;
    }

    static <F extends Enum<F>> Set<F> decode(final Class<F> type, final ToLongFunction<F> bit, final long bits) {
        final Set<F> set = EnumSet.noneOf(type);
        long rest = bits;
        for (final F one : type.getEnumConstants()) {
            if ((bits & bit.applyAsLong(one)) != 0) {
                set.add(one);
                rest &= ~bit.applyAsLong(one);
            }
        }
        if (rest != 0) {
            throw FabricException.of("decode flags").detail("0x%x are no bits of %s", rest, type.getSimpleName())
                .errno(FiErrno.FI_EBADFLAGS).build();
        }
        return set;
    }
}
