/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.MrMode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** libfabric's names as people write them: in upper or lower case, with or without what they begin with. */
final class FiNames {
    private static final String LOCAL_MR = "LOCAL_MR";

    private FiNames() {
    }

    /**
     * Mode bits, and the deprecated one that is none of them.
     *
     * @param bits    FI_MR_X.
     * @param localMr FI_LOCAL_MR.
     */
    record Modes(Set<MrMode> bits, boolean localMr) {
    }

    /**
     * A version of libfabric.
     *
     * @param major its major number.
     * @param minor its minor number.
     */
    record Version(int major, int minor) {
    }

    /** Throws IllegalArgumentException for names that are none. */
    static Modes modes(final String text) {
        final Set<MrMode> bits = EnumSet.noneOf(MrMode.class);
        boolean localMr = false;
        for (final String word : words(text)) {
            if (word.equalsIgnoreCase("all")) {
                bits.addAll(EnumSet.range(MrMode.LOCAL, MrMode.COLLECTIVE));
            } else if (stripped(word, "FI_").equals(LOCAL_MR)) {
                localMr = true;
            } else if (!word.equalsIgnoreCase("none")) {
                bits.add(find(MrMode.class, word, "FI_MR_", "FI_"));
            }
        }
        return new Modes(bits, localMr);
    }

    /** None for null. Throws IllegalArgumentException for names that are none. */
    static Set<Capability> capabilities(final String text) {
        final Set<Capability> set = EnumSet.noneOf(Capability.class);
        for (final String word : text == null ? List.<String>of() : words(text)) {
            set.add(find(Capability.class, word, "FI_"));
        }
        return set;
    }

    private static List<String> words(final String text) {
        return Arrays.stream(text.split("[|,]")).map(String::strip).filter(word -> !word.isEmpty()).toList();
    }

    private static <E extends Enum<E>> E find(final Class<E> type, final String word, final String... prefixes) {
        for (final String prefix : prefixes) {
            for (final E one : type.getEnumConstants()) {
                if (one.name().equals(stripped(word, prefix))) {
                    return one;
                }
            }
        }
        throw new IllegalArgumentException("'" + word + "' is none of " + Arrays.stream(type.getEnumConstants())
            .map(one -> prefixes[0] + one).collect(Collectors.joining(", ")));
    }

    private static String stripped(final String word, final String prefix) {
        final String upper = word.toUpperCase(Locale.ROOT);
        return upper.startsWith(prefix) ? upper.substring(prefix.length()) : upper;
    }

    /** A kind of endpoint. */
    static final class EndpointTypes implements ITypeConverter<EndpointType> {
        @Override
        public EndpointType convert(final String value) {
            try {
                return find(EndpointType.class, value, "FI_EP_");
            } catch (final IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** A format of addresses. */
    static final class AddressFormats implements ITypeConverter<AddressFormat> {
        @Override
        public AddressFormat convert(final String value) {
            final String name = stripped(value, "FI_");
            return switch (name) {
                case "FORMAT_UNSPEC", "UNSPEC", "DEVICE" -> AddressFormat.DEVICE;
                case "SOCKADDR_IN" -> AddressFormat.SOCKADDR_IN;
                case "SOCKADDR_IN6" -> AddressFormat.SOCKADDR_IN6;
                case "ADDR_STR", "STR" -> AddressFormat.STR;
                default -> throw new TypeConversionException("'" + value
                    + "' is none of FI_FORMAT_UNSPEC, FI_SOCKADDR_IN, FI_SOCKADDR_IN6, FI_ADDR_STR");
            };
        }
    }

    /** A version. */
    static final class Versions implements ITypeConverter<Version> {
        private static final Pattern FORM = Pattern.compile("(\\d{1,5})\\.(\\d{1,5})");
        private static final int MOST = 0xffff;

        @Override
        public Version convert(final String value) {
            final Matcher matcher = FORM.matcher(value);
            if (matcher.matches()) {
                final Version version = new Version(
                    Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
                if (version.major() > 0 && version.major() <= MOST && version.minor() <= MOST) {
                    return version;
                }
            }
            throw new TypeConversionException("'" + value + "' is no version such as 1.4 or 2.0");
        }
    }
}
