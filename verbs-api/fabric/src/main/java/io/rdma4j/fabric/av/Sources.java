/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.driver.memory.BufferOwners;
import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.charset.StandardCharsets;

/** Addresses as applications give them. */
final class Sources {
    private Sources() {
    }

    /** One address after the other, and then all that are good together to who knows where the device finds them. */
    private abstract static class Given implements Source {
        private final AddressFormat format;
        private final AddressResolver resolver;
        private final int count;
        /** Of the whole call, which is done by one thread; null until somebody is asked. */
        private Long deadline;

        Given(final AddressFormat format, final AddressResolver resolver, final int count) {
            this.format = format;
            this.resolver = resolver;
            this.count = count;
        }

        /** Has the entry say what is inserted; null, or what is wrong with it. */
        abstract Problem load(int index, AvEntry into);

        @Override
        public int count() {
            return count;
        }

        @Override
        public boolean asks() {
            return format != AddressFormat.DEVICE;
        }

        @Override
        public void load(final int first, final int some, final AvEntry[] entries, final Problem[] problems) {
            for (int i = 0; i < some; i++) {
                problems[i] = load(first + i, entries[i]);
                if (problems[i] == null && format == AddressFormat.DEVICE) {
                    problems[i] = DeviceAddresses.read(entries[i], resolver.kind());
                }
            }
            if (asks()) {
                deadline = deadline == null ? (Long) resolver.deadline() : deadline;
                resolver.resolve(entries, problems, some, deadline);
            }
        }
    }

    /** One after the other in a buffer, which was checked. */
    static Source packed(final AddressFormat format, final AddressResolver resolver, final DirectBuffer addresses,
        final int offset, final int count) {
        final int size = FabricAddress.size(format);
        final boolean mayGo = count > 0 && BufferOwners.mayGo(addresses);
        final UnsafeBuffer one = new UnsafeBuffer(new byte[size]);
        return new Given(format, resolver, count) {
            @Override
            Problem load(final int index, final AvEntry into) {
                if (!mayGo) {
                    into.inserted(format, addresses, offset + index * size, size);
                } else if (Payloads.copy(addresses, offset + index * size, size, one, 0)) {
                    into.inserted(format, one, 0, size);
                } else {
                    return new Problem(FiErrno.FI_EFAULT, "the memory of the buffer of addresses is gone");
                }
                return null;
            }
        };
    }

    /** Addresses; copied. */
    static Source of(final AddressFormat format, final AddressResolver resolver, final FabricAddress... addresses) {
        final FabricAddress[] copy = addresses.clone();
        return new Given(format, resolver, copy.length) {
            @Override
            Problem load(final int index, final AvEntry into) {
                final FabricAddress address = copy[index];
                if (address == null) {
                    return Problem.invalid("address is null");
                }
                if (address.format() != format) {
                    return Problem.invalid("address is of format %s, the vector of %s", address.format(), format);
                }
                into.inserted(address);
                return null;
            }
        };
    }

    /** Text; copied. */
    static Source of(final AddressResolver resolver, final String... addresses) {
        final String[] copy = addresses.clone();
        return new Given(AddressFormat.STR, resolver, copy.length) {
            @Override
            Problem load(final int index, final AvEntry into) {
                if (copy[index] == null) {
                    return Problem.invalid("address is null");
                }
                final byte[] text = copy[index].getBytes(StandardCharsets.UTF_8);
                into.inserted(AddressFormat.STR, new UnsafeBuffer(text), 0, text.length);
                return null;
            }
        };
    }
}
