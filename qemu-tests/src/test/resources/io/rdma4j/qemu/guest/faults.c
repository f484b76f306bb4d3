/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * What memory is after a page fault in the midst of it: the pages around have what they had, and may do what they might.
 * Prints "ok" and a name for each claim that holds, else where it does not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than are mapped at once, and no power of two. */
#define PAGES 150
#define NONE (-1L)

static long page;
static int wrong;
static sigjmp_buf back;

#define MUST(CONDITION) \
    do { \
        if (!(CONDITION)) { \
            printf("WRONG line %d: %s, errno %d\n", __LINE__, #CONDITION, errno); \
            wrong++; \
            return; \
        } \
    } while (0)

static void leave(int signal)
{
    siglongjmp(back, signal);
}

/* The signal that reading or writing there ends in; 0: none. */
static int signal_of(volatile long *place, int write)
{
    const int signal = sigsetjmp(back, 1);

    if (signal != 0)
        return signal;
    if (write)
        *place = *place + 0;
    else
        (void) *place;
    return 0;
}

static volatile long *at(char *memory, long index)
{
    return (volatile long *) (memory + index * page);
}

static char *map_at(char *place, long pages, int rights, int flags, int fd)
{
    return mmap(place, pages * page, rights, flags | (place ? MAP_FIXED : 0) | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
}

static char *map(long pages, int rights, int flags, int fd)
{
    return map_at(NULL, pages, rights, flags, fd);
}

static int file_of(long pages)
{
    const int fd = memfd_create("faults", 0);

    if (ftruncate(fd, pages * page) != 0)
        return -1;
    for (long i = 0; i < pages; i++) {
        const long value = i + 1;
        if (pwrite(fd, &value, sizeof(value), i * page) != sizeof(value))
            return -1;
    }
    return fd;
}

static void new_memory_is_zero(int flags)
{
    char *memory = map(PAGES, PROT_READ | PROT_WRITE, flags, -1);

    *at(memory, 70) = 1;
    *at(memory, 5) = 2;
    for (long i = 0; i < PAGES; i++)
        MUST(*at(memory, i) == (i == 70 ? 1 : i == 5 ? 2 : 0));
    for (long i = 0; i < PAGES; i++)
        *at(memory, i) = i;
    for (long i = 0; i < PAGES; i++)
        MUST(*at(memory, i) == i);
    munmap(memory, PAGES * page);
}

static void new_memory(void)
{
    new_memory_is_zero(MAP_PRIVATE);
    new_memory_is_zero(MAP_SHARED);
}

static void private_file(void)
{
    const int fd = file_of(PAGES);
    char *memory = map(PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
    long value;

    *at(memory, 33) = NONE;
    MUST(*at(memory, 34) == 35);
    *at(memory, 34) = NONE;
    value = 1000;
    MUST(pwrite(fd, &value, sizeof(value), 35 * page) == sizeof(value));
    MUST(*at(memory, 35) == 1000);
    value = 36;
    MUST(pwrite(fd, &value, sizeof(value), 35 * page) == sizeof(value));
    for (long i = 0; i < PAGES; i++) {
        MUST(*at(memory, i) == (i == 33 || i == 34 ? NONE : i + 1));
        MUST(pread(fd, &value, sizeof(value), i * page) == sizeof(value) && value == i + 1);
    }
    munmap(memory, PAGES * page);
    close(fd);
}

static void shared_file(void)
{
    const int fd = file_of(PAGES);
    char *memory = map(PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    long value;

    *at(memory, 33) = NONE;
    for (long i = 0; i < PAGES; i++) {
        MUST(*at(memory, i) == (i == 33 ? NONE : i + 1));
        MUST(pread(fd, &value, sizeof(value), i * page) == sizeof(value) && value == *at(memory, i));
    }
    munmap(memory, PAGES * page);
    close(fd);
}

static void a_file_that_ends(void)
{
    const int fd = file_of(5);
    char *memory = map(PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, fd);

    *at(memory, 2) = NONE;
    for (long i = 0; i < PAGES; i++)
        MUST(signal_of(at(memory, i), i & 1) == (i < 5 ? 0 : SIGBUS));
    MUST(ftruncate(fd, 3 * page) == 0);
    MUST(signal_of(at(memory, 2), 1) == 0 && signal_of(at(memory, 3), 0) == SIGBUS);
    MUST(ftruncate(fd, 20 * page) == 0);
    MUST(*at(memory, 1) == 2 && *at(memory, 2) == NONE && *at(memory, 3) == 0 && *at(memory, 19) == 0);
    MUST(signal_of(at(memory, 20), 1) == SIGBUS);
    munmap(memory, PAGES * page);
    close(fd);
}

static void rights(void)
{
    char *memory = map(PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);

    mprotect(memory + 10 * page, 10 * page, PROT_READ);
    mprotect(memory + 30 * page, 10 * page, PROT_NONE);
    *at(memory, 25) = 1;
    for (long i = 0; i < PAGES; i++) {
        MUST(signal_of(at(memory, i), 0) == (i / 10 == 3 ? SIGSEGV : 0));
        MUST(signal_of(at(memory, i), 1) == (i / 10 == 3 || i / 10 == 1 ? SIGSEGV : 0));
    }
    mprotect(memory, PAGES * page, PROT_READ | PROT_WRITE);
    *at(memory, 15) = 15;
    *at(memory, 35) = 35;
    mprotect(memory, 40 * page, PROT_READ);
    for (long i = 0; i < PAGES; i++) {
        MUST(*at(memory, i) == (i == 15 || i == 35 ? i : i == 25));
        MUST(signal_of(at(memory, i), 1) == (i < 40 ? SIGSEGV : 0));
    }
    munmap(memory, PAGES * page);
}

static void memory_that_goes(void)
{
    char *memory = map(PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);

    for (long i = 0; i < PAGES; i++)
        *at(memory, i) = i;
    munmap(memory + 40 * page, 10 * page);
    madvise(memory + 60 * page, 10 * page, MADV_DONTNEED);
    *at(memory, 65) = NONE;
    for (long i = 0; i < PAGES; i++) {
        MUST(signal_of(at(memory, i), 1) == (i / 10 == 4 ? SIGSEGV : 0));
        if (i / 10 != 4)
            MUST(*at(memory, i) == (i == 65 ? NONE : i / 10 == 6 ? 0 : i));
    }
    MUST(map_at(memory + 40 * page, 10, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1) == memory + 40 * page);
    *at(memory, 45) = NONE;
    for (long i = 40; i < 50; i++)
        MUST(*at(memory, i) == (i == 45 ? NONE : 0));
    munmap(memory, PAGES * page);
}

/* Each of two processes has its own after a fork, but for what is shared. */
static void a_fork(void)
{
    char *own = map(PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
    char *both = map(PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, -1);
    pid_t child;
    int status;

    for (long i = 0; i < PAGES; i += 2)
        *at(own, i) = i;
    child = fork();
    if (child == 0) {
        for (long i = 0; i < PAGES; i += 3) {
            if (*at(own, i) != (i & 1 ? 0 : i))
                _exit(1);
            *at(own, i) = NONE;
            *at(both, i) = i + 1;
        }
        _exit(0);
    }
    for (long i = 0; i < PAGES; i += 5)
        *at(own, i) = -2;
    MUST(waitpid(child, &status, 0) == child && status == 0);
    for (long i = 0; i < PAGES; i++) {
        MUST(*at(own, i) == (i % 5 == 0 ? -2 : i & 1 ? 0 : i));
        MUST(*at(both, i) == (i % 3 == 0 ? i + 1 : 0));
    }
    munmap(own, PAGES * page);
    munmap(both, PAGES * page);
}

static void *write_every_second_page(void *first)
{
    for (long i = 0; i < PAGES; i += 2)
        *at(first, i) = i;
    return NULL;
}

/* Two threads write to pages that lie between each other's. */
static void threads(void)
{
    for (int round = 0; round < 20; round++) {
        char *memory = map(PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
        pthread_t one, two;

        pthread_create(&one, NULL, write_every_second_page, memory);
        pthread_create(&two, NULL, write_every_second_page, memory + page);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
        for (long i = 0; i < PAGES; i++)
            MUST(*at(memory, i) == (i & ~1L));
        munmap(memory, PAGES * page);
    }
}

static void *touch(void *place)
{
    *(volatile long *) place = 7;
    return NULL;
}

/* Who asked to be told of missing pages is told of the one, and no other one is there by then. */
static void a_watched_page(void)
{
    const int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    struct uffdio_api api = {.api = UFFD_API};
    char *memory = map(PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
    struct uffdio_register all = {
        .range = {(uintptr_t) memory, PAGES * page}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    struct pollfd until = {fd, POLLIN, 0};
    struct uffd_msg told;
    unsigned char there[PAGES];
    pthread_t thread;

    MUST(fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &all) == 0);
    for (int i = 20; i < 22; i++) {
        struct uffdio_zeropage zero = {.range = {(uintptr_t) memory + i * page, page}};

        pthread_create(&thread, NULL, touch, memory + i * page);
        MUST(poll(&until, 1, 60000) == 1 && read(fd, &told, sizeof(told)) == sizeof(told));
        MUST(told.event == UFFD_EVENT_PAGEFAULT && told.arg.pagefault.address / page == (uintptr_t) memory / page + i);
        MUST(ioctl(fd, UFFDIO_ZEROPAGE, &zero) == 0);
        pthread_join(thread, NULL);
        MUST(mincore(memory, PAGES * page, there) == 0);
        for (int k = 0; k < PAGES; k++)
            MUST((there[k] & 1) == (k >= 20 && k <= i));
    }
    close(fd);
    munmap(memory, PAGES * page);
}

static void claim(const char *name, void (*test)(void))
{
    const int before = wrong;

    test();
    printf("%s %s\n", wrong == before ? "ok" : "WRONG", name);
}

int main(void)
{
    struct sigaction action = {.sa_handler = leave};

    page = sysconf(_SC_PAGESIZE);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    claim("new memory", new_memory);
    claim("private file", private_file);
    claim("shared file", shared_file);
    claim("a file that ends", a_file_that_ends);
    claim("rights", rights);
    claim("memory that goes", memory_that_goes);
    claim("a fork", a_fork);
    claim("threads", threads);
    claim("a watched page", a_watched_page);
    return wrong != 0;
}
