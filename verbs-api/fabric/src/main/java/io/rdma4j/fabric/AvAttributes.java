/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.EnumSet;
import java.util.Set;

/**
 * What an address vector is made with (struct fi_av_attr; checklist 66-73). What the provider chooses in its place the
 * vector tells: {@link AddressVector#type()}, {@link AddressVector#mapAddress()}. Not thread-safe; read when it is
 * opened.
 */
public final class AvAttributes {
    private AvType type = AvType.UNSPEC;
    private int rxCtxBits;
    private long count;
    private long epPerNode;
    private String name;
    private long mapAddress;
    private Object context;
    private final EnumSet<AvFlag> flags = EnumSet.noneOf(AvFlag.class);

    /** The type that the provider likes, for this process, synchronous. */
    public AvAttributes() {
        // All fields have their defaults.
    }

    /**
     * The type.
     *
     * @param kind UNSPEC has the provider choose: TABLE.
     * @return this.
     */
    public AvAttributes type(final AvType kind) {
        type = kind;
        return this;
    }

    /**
     * Bits of each address that name a receive context of the peer.
     *
     * @param bits 0 to {@link FiAddr#MAX_RX_CTX_BITS}.
     * @return this.
     */
    public AvAttributes rxCtxBits(final int bits) {
        rxCtxBits = bits;
        return this;
    }

    /**
     * How many addresses are expected: a hint.
     *
     * @param addresses 0 if unknown.
     * @return this.
     */
    public AvAttributes count(final long addresses) {
        count = addresses;
        return this;
    }

    /**
     * How many endpoints each node has: a hint.
     *
     * @param endpoints 0 if unknown.
     * @return this.
     */
    public AvAttributes epPerNode(final long endpoints) {
        epPerNode = endpoints;
        return this;
    }

    /**
     * A name under which processes of this machine and user share the vector, if they use the same domain name.
     * What a process inserted is removed by the next change if that process ends without closing the vector.
     *
     * @param text 1 to 128 letters, digits, '-', '_' and '.', not only dots; null for a vector of this process.
     * @return this.
     */
    public AvAttributes name(final String text) {
        name = text;
        return this;
    }

    /**
     * The base of addresses of a shared vector of type MAP (map_addr; checklist 70): processes that give the same one
     * see the same addresses.
     *
     * @param base 0 has the provider choose. Ignored without a name.
     * @return this.
     */
    public AvAttributes mapAddress(final long base) {
        mapAddress = base;
        return this;
    }

    /**
     * What the program wants to find at the vector again; events of insertions have the context of the insertion.
     *
     * @param value may be null.
     * @return this.
     */
    public AvAttributes context(final Object value) {
        context = value;
        return this;
    }

    /**
     * Sets flags in addition to those set before.
     *
     * @param first one.
     * @param more  others.
     * @return this.
     * @throws FabricException FI_EINVAL for null.
     */
    public AvAttributes flags(final AvFlag first, final AvFlag... more) {
        final Set<AvFlag> set = EnumSet.of(Arguments.notNull("open address vector", "flag", first));
        for (final AvFlag flag : Arguments.notNull("open address vector", "flags", more)) {
            set.add(Arguments.notNull("open address vector", "flag", flag));
        }
        flags.addAll(set);
        return this;
    }

    /**
     * The type.
     *
     * @return as given.
     */
    public AvType type() {
        return type;
    }

    /**
     * Bits for receive contexts.
     *
     * @return as given.
     */
    public int rxCtxBits() {
        return rxCtxBits;
    }

    /**
     * Addresses that are expected.
     *
     * @return as given.
     */
    public long count() {
        return count;
    }

    /**
     * Endpoints of each node.
     *
     * @return as given.
     */
    public long epPerNode() {
        return epPerNode;
    }

    /**
     * The name.
     *
     * @return null for none.
     */
    public String name() {
        return name;
    }

    /**
     * The base of addresses.
     *
     * @return as given.
     */
    public long mapAddress() {
        return mapAddress;
    }

    /**
     * The context.
     *
     * @return as given.
     */
    public Object context() {
        return context;
    }

    /**
     * The flags.
     *
     * @return a copy.
     */
    public Set<AvFlag> flags() {
        return EnumSet.copyOf(flags);
    }
}
