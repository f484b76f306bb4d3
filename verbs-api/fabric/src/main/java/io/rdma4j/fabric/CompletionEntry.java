/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import org.agrona.MutableDirectBuffer;

/** One completion, as a view that is reused (fi_cq_data_entry, fi_cq_err_entry). */
public interface CompletionEntry {
    /** Bytes of {@link #errorData} ({@code max_err_data}). */
    int ERROR_DATA_LENGTH = 8;

    /**
     * What was given with the operation.
     *
     * @return its context; 0 for data of a peer's write.
     */
    long context();

    /**
     * The endpoint.
     *
     * @return the one that the operation was given to; of a receive of a {@link SharedReceiveContext} the one that got
     *         the message, null if none has.
     */
    Endpoint endpoint();

    /**
     * What completed.
     *
     * @return the kind.
     */
    OperationKind kind();

    /**
     * Bytes that were received, or of the operation. Of a message that was cut these are the bytes that fitted, and
     * {@link #overflow} has the others. Of a peer's write to a region whose buffers lie apart these are the bytes in
     * the last of them: the device tells no more (ADR 0037).
     *
     * @return 0 or more; 0 for a failure without {@link #overflow}: what was transferred is not known.
     */
    long length();

    /**
     * Whether data came with it.
     *
     * @return true if {@link #data()} means something.
     */
    boolean hasData();

    /**
     * Data that came with a message or a peer's write.
     *
     * @return 32 bits.
     */
    int data();

    /**
     * Who sent what was received, with {@link Capability#SOURCE}.
     *
     * @return the sender's name in the endpoint's vector, or the identifier that was given for it;
     *         {@link FiAddr#NOTAVAIL} if it is not in there, and for all other completions.
     */
    long source();

    /**
     * The tag of what was received.
     *
     * @return 64 bits; for an error of a tagged receive that got no message those that it was posted with; 0 for all
     *         that has no tag, and for sends.
     */
    long tag();

    /**
     * Bytes of a message that did not fit, for FI_ETRUNC (olen).
     *
     * @return 0 or more; 0 for FI_ETRUNC of a connected endpoint whose messages do not go in pieces, as the device does
     *         not tell.
     */
    long overflow();

    /**
     * Where what was received begins, in the buffer of a receive with {@link OpFlags#MULTI_RECV} (buf).
     *
     * @return its address; 0 for all other completions.
     */
    long buffer();

    /**
     * Whether it is the last one of a receive with {@link OpFlags#MULTI_RECV} (the flag FI_MULTI_RECV of fi_cq(3)): the
     * buffer is the application's again.
     *
     * @return true if so.
     */
    boolean isBufferReleased();

    /**
     * Whether the operation failed.
     *
     * @return true if so.
     */
    boolean isError();

    /**
     * How it failed.
     *
     * @return a number of {@link FiErrno}, positive; 0 if it did not.
     */
    int errno();

    /**
     * What the provider knows of the failure (fi_cq_strerror).
     *
     * @return one sentence; empty without a failure.
     */
    String providerError();

    /**
     * The provider's own number of the failure (prov_errno): what {@link #providerError} puts into words. Numbers may
     * be others in the next version.
     *
     * @return not 0 for a failure; 0 without.
     */
    int providerErrno();

    /**
     * Copies what the device said of the failure (err_data): two numbers of 32 bits in the byte order of this machine,
     * the status of {@code enum ibv_wc_status} and the device's own error (vendor_err, of which it keeps 22 bits). Both
     * are 0 for a failure that the provider found itself.
     *
     * @param to     is written; the application's.
     * @param offset where the {@link #ERROR_DATA_LENGTH} bytes begin.
     * @return how many bytes were written: {@link #ERROR_DATA_LENGTH}; 0 without a failure.
     * @throws FabricException FI_EINVAL for null, for a range outside of the buffer, and for one over a buffer that is
     *                         for reading only.
     */
    int errorData(MutableDirectBuffer to, int offset);
}
