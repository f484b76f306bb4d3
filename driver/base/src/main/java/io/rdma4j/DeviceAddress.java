/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j;

import io.rdma4j.base.Numbers;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Names a device: {@code scheme:path?option=value&option=value}. The scheme picks the provider; path and options mean
 * what the provider says. Examples: {@code emulated:}, {@code emulated:a?version=20}, {@code vfio:0000:0b:00.1},
 * {@code qtest:/run/qt.sock?ram=/dev/shm/ram}.
 *
 * @param scheme  lower-case letters and digits, beginning with a letter.
 * @param path    what stands between the scheme's colon and a question mark; may be empty.
 * @param options the options in the order given; unmodifiable.
 */
public record DeviceAddress(String scheme, String path, Map<String, String> options) {
    /**
     * Checks the scheme and copies the options.
     *
     * @param scheme  lower-case letters and digits.
     * @param path    may be empty.
     * @param options copied.
     * @throws IllegalArgumentException if the scheme is not made of lower-case letters and digits.
     */
    public DeviceAddress(final String scheme, final String path, final Map<String, String> options) {
        if (!scheme.matches("[a-z][a-z0-9]*")) {
            throw new IllegalArgumentException("a scheme is lower-case letters and digits: '" + scheme + "'");
        }
        this.scheme = scheme;
        this.path = path;
        this.options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }

    /**
     * Reads an address.
     *
     * @param text {@code scheme:path?option=value&option=value}.
     * @return the address.
     * @throws RdmaException EINVAL if the text has no scheme, or an option has no name or stands twice.
     */
    public static DeviceAddress parse(final String text) {
        final int colon = text == null ? -1 : text.indexOf(':');
        if (colon < 1 || !text.substring(0, colon).matches("[a-z][a-z0-9]*")) {
            // What ibv_devices and 'rdma link' print.
            final boolean isName = text != null && text.matches("\\w+");
            throw malformed(text, isName
                ? "there is no scheme; RDMA devices of the kernel have such names, as in ibv:" + text
                : "it must begin with a scheme and a colon");
        }
        final int question = text.indexOf('?', colon);
        final String path = text.substring(colon + 1, question < 0 ? text.length() : question);
        final Map<String, String> options = new LinkedHashMap<>();
        if (question >= 0 && question + 1 < text.length()) {
            for (final String option : text.substring(question + 1).split("&")) {
                final int equals = option.indexOf('=');
                final String name = equals < 0 ? option : option.substring(0, equals);
                if (name.isEmpty()) {
                    throw malformed(text, "option '" + option + "' has no name");
                }
                if (options.put(name, equals < 0 ? "" : option.substring(equals + 1)) != null) {
                    throw malformed(text, "option '" + name + "' stands twice");
                }
            }
        }
        return new DeviceAddress(text.substring(0, colon), path, options);
    }

    private static RdmaException malformed(final String text, final String why) {
        return RdmaException.of("parse device address")
            .detail("'%s': %s", text, why)
            .errno(RdmaException.EINVAL)
            .hint("write scheme:path?option=value, such as emulated: or vfio:0000:0b:00.1")
            .build();
    }

    /**
     * One option.
     *
     * @param name     its name.
     * @param fallback what to use when it is not given.
     * @return its value, "" for an option without a value.
     */
    public String option(final String name, final String fallback) {
        return options.getOrDefault(name, fallback);
    }

    /**
     * One option that is a number.
     *
     * @param name     its name.
     * @param fallback what to use when it is not given.
     * @param min      smallest value allowed, from 0.
     * @param max      largest value allowed.
     * @return its value.
     * @throws RdmaException EINVAL if it is not a number in that range.
     */
    public long option(final String name, final long fallback, final long min, final long max) {
        final String text = options.get(name);
        if (text == null) {
            return fallback;
        }
        final long value = Numbers.parse(text);
        if (value >= 0 && value >= min && value <= max) {
            return value;
        }
        throw RdmaException.of("open device")
            .device(this)
            .detail("option %s=%s is not a number from %d to %d", name, text, min, max)
            .errno(RdmaException.EINVAL)
            .build();
    }

    /**
     * Refuses options that the provider does not know, so that a misspelt one is not silently without effect.
     *
     * @param known the options that the provider knows.
     * @throws RdmaException EINVAL naming the first unknown option and the known ones.
     */
    public void requireOnly(final Set<String> known) {
        requireOnly(known, Set.of());
    }

    /**
     * Refuses options that the provider does not know, and those that a driver above it takes for itself: where one is
     * left, the device is opened without that driver, and the option would have no effect.
     *
     * @param known     the options that the provider knows.
     * @param ofDrivers the options that drivers take out of an address before the provider gets it.
     * @throws RdmaException EINVAL naming the first option that is refused, and all that there are if nobody knows it.
     */
    public void requireOnly(final Set<String> known, final Set<String> ofDrivers) {
        for (final String name : options.keySet()) {
            if (!known.contains(name)) {
                throw refused(name, known, ofDrivers);
            }
        }
    }

    private RdmaException refused(final String name, final Set<String> known, final Set<String> ofDrivers) {
        final RdmaException.Builder refusal =
            RdmaException.of("open device").device(this).errno(RdmaException.EINVAL);
        if (ofDrivers.contains(name)) {
            return refusal.detail("option '%s' is for programs, and here the device is opened without a driver", name)
                .hint("leave it out").build();
        }
        return refusal.detail("unknown option '%s'", name).hint("options of %s: are %s", scheme,
            Stream.of(known, ofDrivers).flatMap(Set::stream).sorted().toList()).build();
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(scheme).append(':').append(path);
        char separator = '?';
        for (final Map.Entry<String, String> option : options.entrySet()) {
            text.append(separator).append(option.getKey());
            if (!option.getValue().isEmpty()) {
                text.append('=').append(option.getValue());
            }
            separator = '&';
        }
        return text.toString();
    }
}
