/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.base.Numbers;
import io.rdma4j.verbs.Gid;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Addresses as text: see {@link FabricAddress}. The forms are those of fi_getinfo(3) and fi_av_straddr. */
final class AddressText {
    static final String IN = "fi_sockaddr_in";
    static final String IN6 = "fi_sockaddr_in6";
    static final String DEVICE = "fi_rdma4j";
    private static final String EITHER = "fi_sockaddr";
    private static final String FORMS =
        "write fi_sockaddr_in://a.b.c.d:port, fi_sockaddr_in6://[address]:port or "
        + "fi_rdma4j://[gid]:qpn?qkey=0x11&kind=rdm";
    /** scheme :// node [: number] [? keys]. A node with colons is in brackets. */
    private static final Pattern FORM =
        Pattern.compile("([A-Za-z0-9_]+)://(?:\\[([^\\]]*)\\]|([^:/?\\[\\]]*))(?::([0-9]{1,9}))?(?:\\?(.*))?");
    private static final Pattern IPV6 = Pattern.compile("([0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(?:%([^\\]%/]{1,15}))?");
    private static final Pattern IPV4 = Pattern.compile("(?:(?:0|[1-9][0-9]{0,2})(?:\\.(?!$)|$)){4}");
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final int MAX_TEXT = 512;
    private static final long MAX_SCOPE = 0xffff_ffffL;
    private static final long MAX_QKEY = 0xffff_ffffL;
    private static final int MAX_PORT = 0xffff;
    private static final int IPV4_LENGTH = 4;

    private AddressText() {
    }

    static FabricAddress parse(final String text) {
        final String given = Arguments.notNull("read address", "text", text);
        final Matcher form = FORM.matcher(given);
        if (given.length() > MAX_TEXT || !form.matches()) {
            throw bad(given, "it has not the form of an address");
        }
        final String scheme = form.group(1).toLowerCase(Locale.ROOT);
        return switch (scheme) {
            case IN -> ipv4(given, form);
            case IN6 -> ipv6(given, form);
            case EITHER -> form.group(2) == null ? ipv4(given, form) : ipv6(given, form);
            case DEVICE -> device(given, form);
            default -> throw bad(given, "the format " + scheme + " is not known here");
        };
    }

    private static FabricAddress ipv4(final String text, final Matcher form) {
        refuseKeys(text, form);
        if (form.group(2) != null) {
            throw bad(text, "brackets are for IPv6");
        }
        final byte[] ip = form.group(3).isEmpty() ? new byte[IPV4_LENGTH] : ipv4(form.group(3));
        if (ip == null) {
            throw bad(text, "'" + form.group(3) + "' is no IPv4 address");
        }
        return SocketBytes.encode(ip, 0, port(text, form));
    }

    private static FabricAddress ipv6(final String text, final Matcher form) {
        refuseKeys(text, form);
        if (form.group(2) == null && form.group(3).isEmpty()) {
            return SocketBytes.encode(new byte[Gid.LENGTH], 0, port(text, form));
        }
        final Matcher parts = IPV6.matcher(form.group(2) == null ? "" : form.group(2));
        final byte[] ip = parts.matches() ? ipv6(parts.group(1)) : null;
        if (ip == null) {
            throw bad(text, "there is no IPv6 address in brackets");
        }
        return SocketBytes.encode(ip, parts.group(2) == null ? 0 : scope(text, parts.group(2)), port(text, form));
    }

    /** The number of an interface; which may be named, as in what other programs print. */
    private static int scope(final String text, final String scope) {
        if (!DIGITS.matcher(scope).matches()) {
            return interfaceOf(text, scope);
        }
        final long number = Long.parseLong(scope);
        if (number > MAX_SCOPE) {
            throw bad(text, "the scope " + number + " has more than 32 bits");
        }
        return (int) number;
    }

    private static int interfaceOf(final String text, final String name) {
        try {
            final NetworkInterface found = NetworkInterface.getByName(name);
            if (found != null && found.getIndex() > 0) {
                return found.getIndex();
            }
        } catch (final SocketException e) {
            throw bad(text, "the interface " + name + " could not be looked up: " + e.getMessage());
        }
        throw bad(text, "there is no interface " + name);
    }

    private static FabricAddress device(final String text, final Matcher form) {
        final byte[] gid = form.group(2) == null ? null : ipv6(form.group(2));
        if (gid == null) {
            throw bad(text, "there is no GID in brackets");
        }
        if (form.group(4) == null || Integer.parseInt(form.group(4)) > FabricAddress.MAX_QPN) {
            throw bad(text, "behind the GID there is no queue pair number up to " + FabricAddress.MAX_QPN);
        }
        final Map<String, String> keys = keys(text, form.group(5));
        final String kind = keys.remove("kind");
        final String qkey = keys.remove("qkey");
        if (!keys.isEmpty()) {
            throw bad(text, "keys " + keys.keySet() + " are not known here");
        }
        return FabricAddress.device(Gid.of(gid), Integer.parseInt(form.group(4)), qkey(text, qkey), kind(text, kind));
    }

    private static Map<String, String> keys(final String text, final String query) {
        final Map<String, String> keys = new HashMap<>();
        for (final String pair : query == null ? new String[0] : query.split("&", -1)) {
            final String[] parts = pair.split("=", 2);
            if (parts.length < 2 || keys.put(parts[0].toLowerCase(Locale.ROOT), parts[1]) != null) {
                throw bad(text, "'" + pair + "' is no key with a value, or is there twice");
            }
        }
        return keys;
    }

    private static int qkey(final String text, final String value) {
        if (value == null) {
            return 0;
        }
        final long key = Numbers.parse(value);
        if (key < 0 || key > MAX_QKEY) {
            throw bad(text, "the queue key '" + value + "' is no number of 32 bits");
        }
        return (int) key;
    }

    private static EndpointType kind(final String text, final String value) {
        for (final EndpointType kind : EndpointType.values()) {
            if (kind.name().equalsIgnoreCase(value)) {
                return kind;
            }
        }
        throw bad(text, value == null ? "the kind of endpoint is missing" : "there is no kind of endpoint " + value);
    }

    private static int port(final String text, final Matcher form) {
        final int port = form.group(4) == null ? 0 : Integer.parseInt(form.group(4));
        if (port > MAX_PORT) {
            throw bad(text, "the port " + port + " is above " + MAX_PORT);
        }
        return port;
    }

    private static void refuseKeys(final String text, final Matcher form) {
        if (form.group(5) != null) {
            throw bad(text, "keys such as '" + form.group(5) + "' mean nothing for sockets here");
        }
    }

    /** Four numbers, as inet_pton(3) has them; null if it is not that. */
    private static byte[] ipv4(final String text) {
        if (!IPV4.matcher(text).matches()) {
            return null;
        }
        final byte[] ip = new byte[IPV4_LENGTH];
        final String[] parts = text.split("\\.");
        for (int i = 0; i < IPV4_LENGTH; i++) {
            final int part = Integer.parseInt(parts[i]);
            if (part > 0xff) {
                return null;
            }
            ip[i] = (byte) part;
        }
        return ip;
    }

    /** 16 bytes; null if it is not an IPv6 address. In brackets Java takes it for nothing else, and asks nobody. */
    private static byte[] ipv6(final String text) {
        if (!IPV6.matcher(text).matches() || text.indexOf('%') >= 0) {
            return null;
        }
        try {
            final byte[] ip = InetAddress.getByName("[" + text + "]").getAddress();
            return ip.length == Gid.LENGTH ? ip : mapped(ip);
        } catch (final UnknownHostException e) {
            return null;
        }
    }

    /** Java makes an IPv4 address of a mapped one. */
    private static byte[] mapped(final byte[] ipv4) {
        final byte[] ip = new byte[Gid.LENGTH];
        ip[10] = (byte) 0xff;
        ip[11] = (byte) 0xff;
        System.arraycopy(ipv4, 0, ip, Gid.LENGTH - IPV4_LENGTH, IPV4_LENGTH);
        return ip;
    }

    static String print(final FabricAddress address) {
        if (address.format() == AddressFormat.STR) {
            return address.string();
        }
        try {
            address.decoded();
        } catch (final FabricException e) {
            return address.format() + "[" + HexFormat.of().formatHex(address.raw()) + "]";
        }
        return switch (address.format()) {
            case SOCKADDR_IN -> IN + "://" + ipv4(SocketBytes.ip(address)) + ":" + SocketBytes.port(address);
            case SOCKADDR_IN6 -> IN6 + "://[" + Gid.of(SocketBytes.ip(address)) + scope(SocketBytes.scope(address))
                + "]:" + SocketBytes.port(address);
            default -> String.format(Locale.ROOT, "%s://[%s]:%d?qkey=0x%x&kind=%s", DEVICE, DeviceBytes.gid(address),
                DeviceBytes.qpn(address), DeviceBytes.qkey(address),
                DeviceBytes.kind(address).name().toLowerCase(Locale.ROOT));
        };
    }

    private static String ipv4(final byte[] ip) {
        return (ip[0] & 0xff) + "." + (ip[1] & 0xff) + "." + (ip[2] & 0xff) + "." + (ip[3] & 0xff);
    }

    private static String scope(final int scope) {
        return scope == 0 ? "" : "%" + Integer.toUnsignedString(scope);
    }

    private static FabricException bad(final String text, final String why) {
        final String shown = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "..." : text;
        return FabricException.of("read address").detail("'%s': %s", shown, why).errno(FiErrno.FI_EINVAL)
            .hint(FORMS).build();
    }
}
