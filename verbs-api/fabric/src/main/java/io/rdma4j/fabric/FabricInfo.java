/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.verbs.RdmaContext;

import java.util.Set;

/**
 * One way to communicate: what {@link Fabrics#getInfo} found and negotiated (struct fi_info). Immutable, also when the
 * device it speaks of is closed. {@code toString()} is what {@code fi_info} prints, {@link #describe()} what
 * {@code fi_info -v} prints.
 */
public interface FabricInfo {
    /**
     * Who provides it (prov_name).
     *
     * @return {@code "rdma4j"} for the provider of this library.
     */
    String provider();

    /**
     * The fabric: devices of the same one can reach each other, if cables and switches let them.
     *
     * @return a name, such as {@code "emulated"}.
     */
    String fabricName();

    /**
     * The device.
     *
     * @return its address, such as {@code emulated:}.
     */
    String address();

    /**
     * The kind of device, for people.
     *
     * @return such as {@code "QEMU 7.2 pvrdma"}.
     */
    String deviceName();

    /**
     * The open device that {@link Hints#context} named, which the application keeps open and closes.
     *
     * @return null if the fabric opens the device itself.
     */
    RdmaContext context();

    /**
     * The interface version that was asked for: major in the upper, minor in the lower 16 bits (FI_VERSION).
     *
     * @return the version.
     */
    int apiVersion();

    /**
     * What it can do.
     *
     * @return an unmodifiable set.
     */
    Set<Capability> capabilities();

    /**
     * What the device could do, for those who ask for it: some capabilities cost something, and are given on request
     * only.
     *
     * @return an unmodifiable set that holds {@link #capabilities()}.
     */
    Set<Capability> deviceCapabilities();

    /**
     * What the application has to do about memory: of the bits that it offered those that are needed, or that it
     * demanded. {@link MrMode#BASIC} and {@link MrMode#SCALABLE} stay as they were offered, and stand for other bits:
     * {@link #needs} knows which.
     *
     * @return an unmodifiable set.
     */
    Set<MrMode> mrMode();

    /**
     * Whether the application has to do what a mode bit says, by its own name or through {@link MrMode#BASIC} or
     * FI_LOCAL_MR.
     *
     * @param mode the bit.
     * @return true if so.
     * @throws FabricException FI_EINVAL for null.
     */
    boolean needs(MrMode mode);

    /**
     * Why a mode bit is set, or how the provider does without it.
     *
     * @param mode the bit.
     * @return one sentence.
     * @throws FabricException FI_EINVAL for null.
     */
    String why(MrMode mode);

    /**
     * The deprecated mode bit FI_LOCAL_MR, for applications from before version 1.5.
     *
     * @return true if such an application has to register local buffers.
     */
    boolean localMr();

    /**
     * The kind of endpoints.
     *
     * @return the kind.
     */
    EndpointType endpointType();

    /**
     * How addresses of endpoints are written.
     *
     * @return the format.
     */
    AddressFormat addressFormat();

    /**
     * What endpoints are.
     *
     * @return of its endpoints.
     */
    EndpointAttributes endpointAttributes();

    /**
     * What endpoints transmit.
     *
     * @return of its endpoints.
     */
    TransmitAttributes transmitAttributes();

    /**
     * What endpoints receive.
     *
     * @return of its endpoints.
     */
    ReceiveAttributes receiveAttributes();

    /**
     * How a domain is to be used.
     *
     * @return of its domain.
     */
    DomainModel domainModel();

    /**
     * Limits and sizes.
     *
     * @return of its domain.
     */
    DomainAttributes domainAttributes();

    /**
     * The authorization key of the domain.
     *
     * @return a copy; empty for none, and for applications from before version 1.5.
     */
    byte[] authKey();

    /**
     * Whether authorization keys come through address vectors (auth_key_size is FI_AV_AUTH_KEY).
     *
     * @return as {@link Hints#avAuthKeys} said; only for {@link EndpointType#RDM}.
     */
    boolean avAuthKeys();

    /**
     * How the registration caches of its domains are to be, as {@link Hints#cache} said.
     *
     * @return a copy; nothing is set in it by default.
     */
    CacheAttributes cacheAttributes();

    /**
     * Everything, in many lines, in the manner of {@code fi_info -v}, with the reason for each mode bit.
     *
     * @return lines that end with {@code \n}.
     */
    String describe();
}
