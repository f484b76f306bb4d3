/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library with libibverbs' functions and no device: queue pairs that send to themselves, at once. It notices objects
 * that are used after they were destroyed, and does what a test asks for.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define ROOM 4096

struct ops {
    void *f[32];
};
struct device {
    char before[24];
    char name[64];
    char dev_name[64];
    char behind[512];
};
struct context {
    struct device *device;
    struct ops ops;
    int cmd_fd, async_fd, vectors, pad;
    char mutex[40];
    void *abi_compat;
};
struct verbs_context {
    char before[312];
    size_t sz;
    struct context context;
};
struct channel {
    struct context *context;
    int fd, refs;
};
struct wc {
    uint64_t wr_id;
    int status, opcode;
    uint32_t vendor_err, byte_len, imm, qp_num, src_qp;
    int flags;
    uint16_t pkey_index, slid;
    uint8_t sl, path_bits;
};
struct cq {
    struct context *context;
    struct channel *channel;
    void *cookie;
    uint32_t handle;
    int cqe;
    int armed, head, tail;
    struct wc wc[ROOM];
};
struct sge {
    uint64_t addr;
    uint32_t length, lkey;
};
struct recv_wr {
    uint64_t wr_id;
    struct recv_wr *next;
    struct sge *sge;
    int num_sge;
};
struct send_wr {
    uint64_t wr_id;
    struct send_wr *next;
    struct sge *sge;
    int num_sge, opcode;
    unsigned flags;
    uint32_t imm;
    char rest[88];
};
struct receive {
    uint64_t wr_id;
    int count;
    struct sge sge[32];
};
struct srq {
    struct context *context;
    int head, tail, limit;
    struct receive receives[ROOM];
};
struct qp {
    struct context *context;
    void *cookie, *pd;
    struct cq *send_cq, *recv_cq;
    struct srq *srq;
    uint32_t handle, qp_num;
    int state, type;
    int sig_all;
    struct srq own;
};
struct init_attr {
    void *cookie;
    struct cq *send_cq, *recv_cq;
    struct srq *srq;
    uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline;
    int type, sig_all;
};
struct mr {
    struct context *context;
    void *pd, *addr;
    size_t length;
    uint32_t handle, lkey, rkey;
};
struct async_event {
    void *element;
    int type;
};

static struct device the_device = {.name = "stub0", .dev_name = "uverbs0"};
static struct device *the_list[2] = {&the_device, NULL};
static struct verbs_context the_context;
static struct cq *evented[ROOM];
static int evented_head, evented_tail;
static struct async_event events[ROOM];
static int events_head, events_tail;
static int live, misuse, numbers = 100, fail_at = -1, fail_errno, unacked, posts, polls;

long stub_live(void) { return live; }
long stub_misuse(void) { return misuse; }
long stub_unacked(void) { return unacked; }
long stub_posts(void) { return posts; }
/* The send after so many more is refused. */
void stub_fail(int after, int error) { fail_at = after; fail_errno = error; }
void stub_event(void *element, int type) {
    events[events_tail].element = element;
    events[events_tail++ % ROOM].type = type;
    eventfd_write(the_context.context.async_fd, 1);
}

static void *make(size_t size) {
    live++;
    return calloc(1, size);
}

/* Not freed, so that it can be seen when it is used again. */
static int destroy(void *object) {
    if (*(void **) object != &the_context.context) {
        misuse++;
    }
    *(void **) object = NULL;
    live--;
    return 0;
}

static void complete(struct cq *cq, struct wc wc) {
    cq->wc[cq->tail++ % ROOM] = wc;
    if (cq->armed && cq->channel) {
        cq->armed = 0;
        evented[evented_tail++ % ROOM] = cq;
        eventfd_write(cq->channel->fd, 1);
    }
}

static int post_receives(struct srq *srq, struct recv_wr *wr) {
    for (; wr; wr = wr->next) {
        struct receive *r = &srq->receives[srq->tail++ % ROOM];
        r->wr_id = wr->wr_id;
        r->count = wr->num_sge;
        memcpy(r->sge, wr->sge, wr->num_sge * sizeof(struct sge));
    }
    return 0;
}

static int post_recv(struct qp *qp, struct recv_wr *wr, struct recv_wr **bad) {
    if (!qp->context) {
        misuse++;
        *bad = wr;
        return EINVAL;
    }
    return post_receives(&qp->own, wr);
}

static int post_srq_recv(struct srq *srq, struct recv_wr *wr, struct recv_wr **bad) {
    if (!srq->context) {
        misuse++;
        *bad = wr;
        return EINVAL;
    }
    return post_receives(srq, wr);
}

static void deliver(struct qp *qp, struct send_wr *wr) {
    struct srq *queue = qp->srq ? qp->srq : &qp->own;
    struct receive *r;
    char bytes[65536];
    uint32_t length = 0, done = 0;
    if (queue->head == queue->tail) {
        return;
    }
    r = &queue->receives[queue->head++ % ROOM];
    for (int i = 0; i < wr->num_sge; i++) {
        memcpy(bytes + length, (void *) wr->sge[i].addr, wr->sge[i].length);
        length += wr->sge[i].length;
    }
    for (int i = 0; i < r->count && done < length; i++) {
        uint32_t part = length - done < r->sge[i].length ? length - done : r->sge[i].length;
        memcpy((void *) r->sge[i].addr, bytes + done, part);
        done += part;
    }
    complete(qp->recv_cq, (struct wc) {.wr_id = r->wr_id, .opcode = 128, .byte_len = length, .imm = wr->imm,
        .qp_num = qp->qp_num, .src_qp = qp->qp_num, .flags = wr->opcode == 3 ? 2 : 0});
}

static int post_send(struct qp *qp, struct send_wr *wr, struct send_wr **bad) {
    posts++;
    for (; wr; wr = wr->next) {
        if (!qp->context) {
            misuse++;
        }
        if (fail_at >= 0 && fail_at-- == 0) {
            *bad = wr;
            return fail_errno;
        }
        if (wr->opcode == 2 || wr->opcode == 3) {
            deliver(qp, wr);
        }
        if (qp->sig_all || wr->flags & 2) {
            complete(qp->send_cq, (struct wc) {.wr_id = wr->wr_id, .qp_num = qp->qp_num});
        }
    }
    return 0;
}

static int poll_cq(struct cq *cq, int count, struct wc *wc) {
    int found = 0;
    polls++;
    if (!cq->context) {
        misuse++;
        return -1;
    }
    while (found < count && cq->head != cq->tail) {
        wc[found++] = cq->wc[cq->head++ % ROOM];
    }
    return found;
}

static int req_notify_cq(struct cq *cq, int solicited) {
    if (!cq->context) {
        misuse++;
    }
    cq->armed = 1;
    return 0;
}

struct device **ibv_get_device_list(int *count) { *count = 1; return the_list; }
void ibv_free_device_list(struct device **list) { }
struct context *ibv_open_device(struct device *device) {
    struct context *c = &the_context.context;
    void **table = (void **) c;
    the_context.sz = sizeof(the_context);
    c->device = device;
    c->abi_compat = (void *) -1L;
    c->async_fd = eventfd(0, EFD_NONBLOCK);
    table[96 / 8] = poll_cq;
    table[104 / 8] = req_notify_cq;
    table[168 / 8] = post_srq_recv;
    table[208 / 8] = post_send;
    table[216 / 8] = post_recv;
    live++;
    return c;
}
int ibv_close_device(struct context *c) { close(c->async_fd); live--; return 0; }
int ibv_query_device(struct context *c, char *attr) {
    static const int at[] = {108, 112, 120, 128, 132, 136, 140, 144, 156, 164, 200, 212, 216, 220};
    static const int value[] = {1000, 1024, 16, 1000, 4095, 1000, 100, 16, 16, 1, 100, 10, 512, 4};
    memset(attr, 0, 232);
    memcpy(attr, "1.2.3", 6);
    memset(attr + 80, 0x7f, 8);
    for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        memcpy(attr + at[i], &value[i], 4);
    }
    attr[227] = 1;
    return 0;
}
int ibv_query_port(struct context *c, uint8_t port, char *attr) {
    int four = 4, gids = 3;
    memset(attr, 0, 48);
    memcpy(attr, &four, 4);
    memcpy(attr + 4, &four, 4);
    memcpy(attr + 8, &four, 4);
    memcpy(attr + 12, &gids, 4);
    attr[32] = 1;
    attr[46] = 2;
    return 0;
}
int ibv_query_gid(struct context *c, uint8_t port, int index, char *gid) {
    memset(gid, 0, 16);
    if (index == 0) {
        gid[0] = 0xfe; gid[1] = 0x80; gid[15] = 1;
    } else if (index == 1) {
        gid[10] = gid[11] = 0xff; gid[12] = 10; gid[15] = 7;
    }
    return 0;
}
int _ibv_query_gid_ex(struct context *c, uint32_t port, uint32_t index, char *entry, uint32_t flags, size_t size) {
    int type = 2;
    if (index > 1) {
        return ENODATA;
    }
    memcpy(entry + 24, &type, 4);
    return 0;
}
int ibv_query_pkey(struct context *c, uint8_t port, int index, uint16_t *key) { *key = 0xffff; return 0; }
void *ibv_alloc_pd(struct context *c) { void **pd = make(16); *pd = c; return pd; }
int ibv_dealloc_pd(void *pd) { return destroy(pd); }
static struct mr *reg(void **pd, void *addr, size_t length) {
    struct mr *mr = make(sizeof(*mr));
    mr->context = *pd;
    mr->addr = addr;
    mr->length = length;
    mr->lkey = mr->rkey = numbers++ << 8;
    return mr;
}
struct mr *ibv_reg_mr(void **pd, void *addr, size_t length, int access) { return reg(pd, addr, length); }
int ibv_dereg_mr(struct mr *mr) { return destroy(mr); }
struct channel *ibv_create_comp_channel(struct context *c) {
    struct channel *channel = make(sizeof(*channel));
    channel->context = c;
    channel->fd = eventfd(0, EFD_NONBLOCK);
    return channel;
}
int ibv_destroy_comp_channel(struct channel *channel) { close(channel->fd); return destroy(channel); }
int ibv_get_cq_event(struct channel *channel, struct cq **cq, void **cookie) {
    eventfd_t count;
    if (evented_head == evented_tail) {
        return -1;
    }
    *cq = evented[evented_head++ % ROOM];
    unacked++;
    eventfd_read(channel->fd, &count);
    return 0;
}
void ibv_ack_cq_events(struct cq *cq, unsigned count) { unacked -= count; }
struct cq *ibv_create_cq(struct context *c, int cqe, void *cookie, struct channel *channel, int vector) {
    struct cq *cq = make(sizeof(*cq));
    cq->context = c;
    cq->channel = channel;
    cq->cqe = cqe;
    return cq;
}
int ibv_resize_cq(struct cq *cq, int cqe) { cq->cqe = cqe; return 0; }
int ibv_destroy_cq(struct cq *cq) { return destroy(cq); }
struct qp *ibv_create_qp(void **pd, struct init_attr *attr) {
    struct qp *qp;
    if (attr->max_inline > 256) {
        errno = EINVAL;
        return NULL;
    }
    qp = make(sizeof(*qp));
    qp->context = *pd;
    qp->send_cq = attr->send_cq;
    qp->recv_cq = attr->recv_cq;
    qp->srq = attr->srq;
    qp->sig_all = attr->sig_all;
    qp->qp_num = numbers++;
    return qp;
}
int ibv_modify_qp(struct qp *qp, int *attr, int mask) { qp->state = attr[0]; return 0; }
int ibv_query_qp(struct qp *qp, int *attr, int mask, void *init) { memset(attr, 0, 144); attr[0] = qp->state; return 0; }
int ibv_destroy_qp(struct qp *qp) { return destroy(qp); }
struct srq *ibv_create_srq(void **pd, void *attr) { struct srq *s = make(sizeof(*s)); s->context = *pd; return s; }
int ibv_modify_srq(struct srq *srq, int *attr, int mask) { srq->limit = attr[2]; return 0; }
int ibv_query_srq(struct srq *srq, int *attr) { attr[2] = srq->limit; return 0; }
int ibv_destroy_srq(struct srq *srq) { return destroy(srq); }
void *ibv_create_ah(void **pd, void *attr) { void **ah = make(24); *ah = *pd; return ah; }
int ibv_destroy_ah(void *ah) { return destroy(ah); }
int ibv_get_async_event(struct context *c, struct async_event *event) {
    eventfd_t count;
    if (events_head == events_tail) {
        return -1;
    }
    *event = events[events_head++ % ROOM];
    if (events_head == events_tail) {
        eventfd_read(c->async_fd, &count);
    }
    unacked++;
    return 0;
}
void ibv_ack_async_event(struct async_event *event) { unacked--; }
