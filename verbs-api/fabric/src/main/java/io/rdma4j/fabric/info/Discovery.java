/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.Survey;
import io.rdma4j.verbs.DeviceInfo;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Answers {@link Fabrics#survey} for the devices of {@link RdmaDevices}. Thread-safe. */
public final class Discovery {
    /** The name of the provider. */
    public static final String PROVIDER = "rdma4j";
    /** Bytes of a raw key (mr_key_size). */
    public static final int RAW_KEY_SIZE = 64;

    private static final String FIND = "find fabrics";
    private static final int V1_5 = Fabrics.version(1, 5);
    private static final int V1_20 = Fabrics.version(1, 20);

    private final Hints hints;
    private final Devices devices;
    private final boolean peerToPeer;
    private final List<FabricInfo> found = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();
    private boolean unfit;

    /** Where devices come from. */
    @FunctionalInterface
    public interface Devices {
        /**
         * Looks at a device, which is open meanwhile.
         *
         * @param address which one.
         * @param look    looks; keeps nothing.
         * @throws RdmaException if it cannot be opened.
         */
        void look(String address, Consumer<RdmaContext> look);
    }

    private Discovery(final Hints hints, final Devices devices, final boolean peerToPeer) {
        this.hints = hints;
        this.devices = devices;
        this.peerToPeer = peerToPeer;
    }

    /**
     * Looks for what fits.
     *
     * @param hints   what is asked for.
     * @param devices opens devices, or has them open.
     * @return what fits and what does not.
     * @throws FabricException FI_EINVAL for null, if both a device's address and an open device are given, and if that
     *                         one is closed.
     */
    public static Survey survey(final Hints hints, final Devices devices) {
        if (hints == null) {
            throw invalid("hints is null");
        }
        if (hints.address() != null && hints.context() != null) {
            throw invalid("both an address, %s, and an open device, %s, are asked for",
                hints.address(), hints.context().address());
        }
        if (hints.context() != null && hints.context().isClosed()) {
            throw invalid("the open device that is asked for, %s, is closed", hints.context().address());
        }
        final Discovery discovery = new Discovery(hints, devices, PeerToPeer.isAllowed());
        discovery.run();
        return new Survey(discovery.found, discovery.leftOut, discovery.unfit);
    }

    /**
     * Whether an info was made here.
     *
     * @param info anybody's.
     * @return true if so.
     */
    public static boolean made(final FabricInfo info) {
        return info instanceof NegotiatedInfo;
    }

    /** The rules, without devices. */
    static FabricInfo negotiate(final DeviceTraits device, final Hints hints, final boolean peerToPeer) throws Unfit {
        checkNames(device, hints);
        final EndpointKind kind = EndpointKind.of(hints.endpointType());
        checkKind(device, kind);
        checkAuthKeys(hints, kind);
        final Set<Capability> given = CapabilityRules.negotiate(device, kind, peerToPeer, hints.capabilities());
        final Agreement agreement = Agreement.reach(device, given, hints);
        return new NegotiatedInfo(
            device, kind, hints, CapabilityRules.of(device, kind, peerToPeer), given, agreement, authKey(hints));
    }

    private void run() {
        if (hints.context() != null) {
            look(hints.context());
            return;
        }
        for (final String address : addresses()) {
            open(address);
        }
    }

    /** Emulated devices come after all others. */
    private Set<String> addresses() {
        if (hints.address() != null) {
            return Set.of(hints.address());
        }
        final Set<String> addresses = new LinkedHashSet<>();
        RdmaDevices.list().stream().map(DeviceInfo::address)
            .filter(address -> !address.startsWith(RdmaDevices.DEFAULT_ADDRESS)).forEach(addresses::add);
        addresses.add(RdmaDevices.DEFAULT_ADDRESS);
        return addresses;
    }

    private void open(final String address) {
        try {
            devices.look(address, this::look);
        } catch (final RdmaException e) {
            leftOut.add(failed(address, e));
        }
    }

    private void look(final RdmaContext context) {
        try {
            found.add(negotiate(DeviceTraits.of(context), hints, peerToPeer));
        } catch (final Unfit e) {
            leftOut.add(context.address() + " " + e.getMessage());
            unfit = true;
        } catch (final RdmaException e) {
            leftOut.add(failed(context.address(), e));
        }
    }

    private static String failed(final String address, final RdmaException e) {
        return address + " cannot be looked at: " + e.getMessage();
    }

    private static void checkNames(final DeviceTraits device, final Hints hints) throws Unfit {
        check("the provider is", PROVIDER, hints.provider());
        check("is in the fabric", device.fabric(), hints.fabricName());
        check("is the domain", device.address(), hints.domainName());
    }

    private static void check(final String what, final String is, final String asked) throws Unfit {
        if (asked != null && !asked.equals(is)) {
            throw new Unfit("does not fit: %s %s, asked for was %s", what, is, asked);
        }
    }

    private static void checkKind(final DeviceTraits device, final EndpointKind kind) throws Unfit {
        if (kind.usesDatagrams() && device.limits().handles() == 0) {
            throw new Unfit("has no FI_EP_%s endpoints: the device has no address handles, which datagrams need", kind);
        }
        if (device.limits().sges() <= kind.ownParts()) {
            throw new Unfit("has no FI_EP_%s endpoints: the device's work requests have %d buffers, %d are needed",
                kind, device.limits().sges(), kind.ownParts() + 1);
        }
    }

    private static void checkAuthKeys(final Hints hints, final EndpointKind kind) throws Unfit {
        if (!hints.avAuthKeys()) {
            return;
        }
        if (kind != EndpointKind.RDM) {
            throw new Unfit("has FI_AV_AUTH_KEY for FI_EP_RDM only: %s", kind == EndpointKind.MSG
                ? "connected endpoints have no address vector" : "an endpoint for datagrams has one queue key");
        }
        if (Integer.compareUnsigned(hints.apiVersion(), V1_20) < 0) {
            throw new Unfit("does not fit: before version 1.20 there was no FI_AV_AUTH_KEY");
        }
        if (hints.authKey().length > 0) {
            throw new Unfit("does not fit: FI_AV_AUTH_KEY is asked for, and the domain is given a key of %d bytes",
                hints.authKey().length);
        }
    }

    private static byte[] authKey(final Hints hints) {
        return Integer.compareUnsigned(hints.apiVersion(), V1_5) < 0 ? new byte[0] : hints.authKey();
    }

    private static FabricException invalid(final String format, final Object... values) {
        return FabricException.of(FIND).detail(format, values).errno(FiErrno.FI_EINVAL).build();
    }
}
