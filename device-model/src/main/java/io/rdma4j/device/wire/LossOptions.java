/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * What is to go wrong with frames, and how often. Rates are in parts of {@link #WHOLE}; as text they are per cent with
 * up to four decimals, as {@code tc netem} has them.
 *
 * @param drop       frames that are lost
 * @param duplicate  frames that come twice
 * @param reorder    frames that one to four later ones overtake
 * @param delay      frames that are held back for a time
 * @param corrupt    frames of which a bit changes; where no check sum would notice that, they are lost
 * @param delayNanos the longest time that a frame is held back for reordering, and the time of a delay
 * @param seed       of the choice: the same frames in the same order meet the same fate
 * @param direction  which frames
 */
public record LossOptions(int drop, int duplicate, int reorder, int delay, int corrupt, long delayNanos, long seed,
                          Direction direction) {
    /** Of all frames. */
    public static final int WHOLE = 1_000_000;

    private static final long DEFAULT_DELAY_NANOS = 1_000_000;
    private static final long NANOS_OF_A_MICROSECOND = 1_000;
    private static final long MAX_DELAY_MICROSECONDS = 10_000_000;
    private static final int OF_A_PERCENT = WHOLE / 100;

    /** Which way frames go that something happens to. */
    public enum Direction {
        /** From this device. */
        SEND,
        /** To this device. */
        RECEIVE,
        /** Both ways. */
        BOTH;

        boolean sends() {
            return this != RECEIVE;
        }

        boolean receives() {
            return this != SEND;
        }
    }

    /**
     * Reads options such as {@code drop:1,duplicate:0.5,reorder:1,delay:2,corrupt:0.1,us:500,seed:7,on:both}. All may
     * be left out: rates are 0 then, the delay is 1,000 µs, the seed 1, and both directions are meant.
     *
     * @param text names and values
     * @return the options
     * @throws RdmaException EINVAL for unknown names and values out of range
     */
    public static LossOptions parse(String text) {
        LossOptions options = new LossOptions(0, 0, 0, 0, 0, DEFAULT_DELAY_NANOS, 1, Direction.BOTH);
        final Set<String> seen = new HashSet<>();
        for (String each : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            final int colon = each.indexOf(':');
            final String name = colon < 0 ? each : each.substring(0, colon);
            if (colon < 0 || !seen.add(name)) {
                throw malformed(text, each, colon < 0 ? "has no value" : "stands twice");
            }
            try {
                options = options.with(name, each.substring(colon + 1));
            } catch (final IllegalArgumentException | ArithmeticException e) {
                throw malformed(text, each, e.getMessage());
            }
        }
        return options;
    }

    private static RdmaException malformed(String text, String part, String why) {
        return RdmaException.of("parse loss options").detail("'%s': '%s' %s", text, part, why)
            .errno(RdmaException.EINVAL)
            .hint("write such as drop:1,duplicate:0.5,reorder:1,delay:1,corrupt:0.1 (in per cent),us:1000,seed:7,"
                + "on:send|receive|both").build();
    }

    private LossOptions with(String name, String value) {
        return switch (name) {
            case "drop" -> rates(rate(value), duplicate, reorder, delay, corrupt);
            case "duplicate" -> rates(drop, rate(value), reorder, delay, corrupt);
            case "reorder" -> rates(drop, duplicate, rate(value), delay, corrupt);
            case "delay" -> rates(drop, duplicate, reorder, rate(value), corrupt);
            case "corrupt" -> rates(drop, duplicate, reorder, delay, rate(value));
            case "us" -> new LossOptions(drop, duplicate, reorder, delay, corrupt,
                number(value, 1, MAX_DELAY_MICROSECONDS) * NANOS_OF_A_MICROSECOND, seed, direction);
            case "seed" -> new LossOptions(drop, duplicate, reorder, delay, corrupt, delayNanos,
                number(value, Long.MIN_VALUE, Long.MAX_VALUE), direction);
            case "on" -> new LossOptions(drop, duplicate, reorder, delay, corrupt, delayNanos, seed,
                direction(value));
            default -> throw new IllegalArgumentException("is not known");
        };
    }

    private LossOptions rates(int dropped, int duplicated, int reordered, int delayed, int corrupted) {
        return new LossOptions(dropped, duplicated, reordered, delayed, corrupted, delayNanos, seed, direction);
    }

    private static int rate(String text) {
        final int parts;
        try {
            parts = new BigDecimal(text).multiply(BigDecimal.valueOf(OF_A_PERCENT)).intValueExact();
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException("is not a number of per cent", e);
        } catch (final ArithmeticException e) {
            throw new IllegalArgumentException("has more than four decimals, or is not from 0 to 100", e);
        }
        if (parts < 0 || parts > WHOLE) {
            throw new IllegalArgumentException("is not from 0 to 100");
        }
        return parts;
    }

    private static long number(String text, long min, long max) {
        try {
            final long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (final NumberFormatException ignored) {
            // Reported below together with a number that is out of range.
        }
        throw new IllegalArgumentException("is not a number from " + min + " to " + max);
    }

    private static Direction direction(String text) {
        for (Direction each : Direction.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(text)) {
                return each;
            }
        }
        throw new IllegalArgumentException("is neither send nor receive nor both");
    }
}
