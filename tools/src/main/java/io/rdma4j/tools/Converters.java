/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.driver.sysfs.PciSysfs;
import io.rdma4j.tools.dump.Register;
import io.rdma4j.tools.traffic.Operation;
import io.rdma4j.verbs.Mtu;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads values of options, and says what would be right when they are not. */
final class Converters {
    private Converters() {
    }

    private static long number(final String text, final long min, final long max, final String wanted) {
        try {
            final long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (final NumberFormatException ignored) {
            // Reported below together with a number that is out of range.
        }
        throw new TypeConversionException("'" + text + "' is not " + wanted);
    }

    /** A number of round trips: at least one. */
    static final class Iterations implements ITypeConverter<Long> {
        private static final long MAX = 1_000_000_000_000L;

        @Override
        public Long convert(final String value) {
            return number(value, 1, MAX, "a number from 1 to " + MAX);
        }
    }

    /** A number of round trips before measuring: 0 is none. */
    static final class WarmupIterations implements ITypeConverter<Long> {
        @Override
        public Long convert(final String value) {
            return number(value, 0, Iterations.MAX, "a number from 0 to " + Iterations.MAX);
        }
    }

    /** A number of a port. */
    static final class Port implements ITypeConverter<Integer> {
        private static final int MAX = 255;

        @Override
        public Integer convert(final String value) {
            return (int) number(value, 1, MAX, "a port; they are numbered from 1");
        }
    }

    /** An operation of the ping-pong. */
    static final class Operations implements ITypeConverter<Operation>, Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(Operation.values()).map(Operation::option).iterator();
        }

        @Override
        public Operation convert(final String value) {
            for (final Operation operation : Operation.values()) {
                if (operation.option().equals(value)) {
                    return operation;
                }
            }
            throw new TypeConversionException("'" + value + "' is none of " + String.join(", ", this));
        }
    }

    /**
     * Host and TCP port; the port may be left out, and to listen the host, too; a number alone is a port. IPv6
     * addresses are in brackets.
     */
    static class HostAndPort implements ITypeConverter<InetSocketAddress> {
        /** The one that programs of this kind use. */
        static final int DEFAULT_PORT = 18515;
        private static final int MAX_PORT = 0xffff;
        private static final Pattern FORM = Pattern.compile("(\\[[0-9a-fA-F:.%\\w]+]|[^:\\s\\[\\]]*)(:\\d{1,5})?");
        private static final Pattern PORT = Pattern.compile("\\d{1,5}");

        private final int usual;

        HostAndPort() {
            this(DEFAULT_PORT);
        }

        HostAndPort(final int usual) {
            this.usual = usual;
        }

        @Override
        public InetSocketAddress convert(final String value) {
            final Matcher matcher = match(value);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + value + "' is not HOST:PORT, such as 192.0.2.7:18515, "
                    + "myhost, :18515 or [fe80::1]:18515");
            }
            final String port = matcher.group(2);
            return address(matcher.group(1), port == null ? usual
                : (int) number(port.substring(1), 0, MAX_PORT, "a TCP port from 0 to " + MAX_PORT));
        }

        /** Whether the port is not left out. */
        static boolean namesPort(final String value) {
            final Matcher matcher = match(value);
            return matcher.matches() && matcher.group(2) != null;
        }

        private static Matcher match(final String value) {
            return FORM.matcher(PORT.matcher(value).matches() ? ':' + value : value);
        }

        private static InetSocketAddress address(final String host, final int port) {
            return host.isEmpty() ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
                : new InetSocketAddress(host, port);
        }
    }

    /** As {@link HostAndPort}, with the port of libfabric's fi_pingpong. */
    static final class FabricHostAndPort extends HostAndPort {
        private static final int DEFAULT_FABRIC_PORT = 47592;

        FabricHostAndPort() {
            super(DEFAULT_FABRIC_PORT);
        }
    }

    /** The project whose program is at the other end: there is one that fits. */
    abstract static class OtherProject implements ITypeConverter<String>, Iterable<String> {
        private final String name;

        OtherProject(final String name) {
            this.name = name;
        }

        @Override
        public Iterator<String> iterator() {
            return List.of(name).iterator();
        }

        @Override
        public String convert(final String value) {
            if (!value.equals(name)) {
                throw new TypeConversionException("'" + value + "' is not " + name);
            }
            return value;
        }
    }

    /** libibverbs, with its ibv_rc_pingpong and ibv_ud_pingpong. */
    static final class Ibverbs extends OtherProject {
        Ibverbs() {
            super("ibverbs");
        }
    }

    /** perftest, with its ib_send_lat and its like. */
    static final class Perftest extends OtherProject {
        Perftest() {
            super("perftest");
        }
    }

    /** A TCP port. */
    static final class TcpPort implements ITypeConverter<Integer> {
        @Override
        public Integer convert(final String value) {
            return (int) number(value, 0, HostAndPort.MAX_PORT, "a TCP port from 0 to " + HostAndPort.MAX_PORT);
        }
    }

    /** Which device of a trace. */
    static final class DeviceOfTrace implements ITypeConverter<Integer> {
        @Override
        public Integer convert(final String value) {
            return (int) number(value, 1, Integer.MAX_VALUE, "a device of a trace; they are numbered from 1");
        }
    }

    /** A factor on deadlines. */
    static final class Factor implements ITypeConverter<Integer> {
        private static final int MAX = 1000;

        @Override
        public Integer convert(final String value) {
            return (int) number(value, 1, MAX, "a factor from 1 to " + MAX);
        }
    }

    /** How many commands to print. */
    static final class CommandCount implements ITypeConverter<Integer> {
        private static final int MAX = 256;

        @Override
        public Integer convert(final String value) {
            return (int) number(value, 1, MAX, "a number from 1 to " + MAX);
        }
    }

    /** A register of the device. */
    static final class RegisterName implements ITypeConverter<Register> {
        @Override
        public Register convert(final String value) {
            final Register register = Register.of(value);
            if (register == null) {
                throw new TypeConversionException("'" + value + "' is no register; those that can be written are "
                    + String.join(", ", Register.writable()));
            }
            return register;
        }
    }

    /** 32 bits, in decimal or hexadecimal. */
    static final class Word implements ITypeConverter<Integer> {
        private static final long MAX = 0xffff_ffffL;

        @Override
        public Integer convert(final String value) {
            try {
                final long word = Long.decode(value);
                if (word >= 0 && word <= MAX && !value.matches("0\\d.*")) {
                    return (int) word;
                }
            } catch (final NumberFormatException ignored) {
                // Reported below together with a number that is out of range.
            }
            throw new TypeConversionException("'" + value + "' is not a number from 0 to 0xffffffff, such as 2 or 0x2");
        }
    }

    /** A number of a process. */
    static final class ProcessId implements ITypeConverter<Long> {
        /** What Linux allows, {@code PID_MAX_LIMIT}. */
        private static final long MAX = 1L << 22;

        @Override
        public Long convert(final String value) {
            return number(value, 1, MAX, "a process id");
        }
    }

    /** A number of threads: one or two. */
    static final class Threads implements ITypeConverter<Integer> {
        @Override
        public Integer convert(final String value) {
            return (int) number(value, 1, 2, "1 or 2");
        }
    }

    /** A number of bytes, with an optional unit of 1024 or of its square. */
    static final class Size implements ITypeConverter<Integer> {
        static final int MAX = 1 << 30;
        private static final Pattern FORM = Pattern.compile("(\\d{1,10})(k|m|g)?(i?b)?");
        private static final String UNITS = "kmg";

        @Override
        public Integer convert(final String value) {
            final Matcher matcher = FORM.matcher(value.toLowerCase(Locale.ROOT));
            if (matcher.matches()) {
                final int power = matcher.group(2) == null ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
                final long number = Long.parseLong(matcher.group(1));
                // Shifted the other way: ten digits and a "g" are more than a long has room for.
                if (number <= MAX >> 10 * power) {
                    return (int) number << 10 * power;
                }
            }
            throw new TypeConversionException("'" + value + "' is not a size from 0 to 1g, such as 64, 4k or 1m");
        }
    }

    /** A time in seconds, down to milliseconds and up to an hour. */
    static final class Seconds implements ITypeConverter<Duration> {
        private static final Pattern FORM = Pattern.compile("\\d{1,4}(\\.\\d{1,3})?");
        private static final double MAX = 3600;
        private static final double MILLIS = 1000;

        @Override
        public Duration convert(final String value) {
            if (FORM.matcher(value).matches()) {
                final double seconds = Double.parseDouble(value);
                if (seconds > 0 && seconds <= MAX) {
                    return Duration.ofMillis(Math.round(seconds * MILLIS));
                }
            }
            throw new TypeConversionException("'" + value + "' is not a number of seconds from 0.001 to 3600");
        }
    }

    /** A path MTU in bytes. */
    static final class PathMtu implements ITypeConverter<Mtu>, Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(Mtu.values()).map(mtu -> Integer.toString(mtu.bytes())).iterator();
        }

        @Override
        public Mtu convert(final String value) {
            for (final Mtu mtu : Mtu.values()) {
                if (value.equals(Integer.toString(mtu.bytes()))) {
                    return mtu;
                }
            }
            throw new TypeConversionException("'" + value + "' is none of " + String.join(", ", this));
        }
    }

    /** A PCI address, or an address of the scheme vfio that consists of one. */
    static final class PciAddress implements ITypeConverter<String> {
        private static final String SCHEME = "vfio:";

        @Override
        public String convert(final String value) {
            return PciSysfs.normalise(value.startsWith(SCHEME) ? value.substring(SCHEME.length()) : value)
                .orElseThrow(() -> new TypeConversionException("'" + value + "' is not a PCI address, such as "
                    + "0000:0b:00.1 or 0b:00.1"));
        }
    }
}
