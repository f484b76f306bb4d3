/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j;

/**
 * The names of Linux' errnos, as {@code asm-generic/errno-base.h} and {@code asm-generic/errno.h} number them; x86-64
 * and aarch64 both use these. Where two names share a number, the one that the manual pages prefer.
 */
final class ErrnoNames {
    /** From 1 on, eight in a row; the two numbers that Linux does not use are dashes. */
    private static final String[] FROM_ONE = """
        EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC
        EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY
        EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE
        ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE
        EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP
        - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG
        EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO EBADRQC
        EBADSLT - EBFONT ENOSTR ENODATA ETIME ENOSR ENONET
        ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP
        EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD
        ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK
        EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT
        EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET
        ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN
        EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM
        EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED
        EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON
        """.trim().split("\\s+");
    private static final String UNUSED = "-";

    /** Not meant to leave the kernel, but some RDMA drivers let it. */
    private static final int ENOTSUPP = 524;

    private ErrnoNames() {
    }

    static String of(final int errno) {
        if (errno >= 1 && errno <= FROM_ONE.length && !UNUSED.equals(FROM_ONE[errno - 1])) {
            return FROM_ONE[errno - 1];
        }
        return errno == ENOTSUPP ? "ENOTSUPP" : "errno " + errno;
    }
}
