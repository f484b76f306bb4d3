/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** A failure that is told in one line, with the state that was seen as long text beside it. */
public final class DiagnosedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String diagnosis;

    /**
     * Creates an exception.
     *
     * @param cause     what failed; its message becomes this one's.
     * @param diagnosis the state that was seen: several lines.
     */
    public DiagnosedException(final RuntimeException cause, final String diagnosis) {
        super(cause.getMessage(), cause);
        this.diagnosis = diagnosis;
    }

    /**
     * The state that was seen.
     *
     * @return several lines.
     */
    public String diagnosis() {
        return diagnosis;
    }
}
