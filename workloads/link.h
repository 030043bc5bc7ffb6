/* link.h: TCP connections on 127.0.0.1, with the congestion control set and known: a kernel whose
 * default is BBR paces loopback traffic to a third of what Reno gives, so the default is never
 * left to chance. */
#ifndef MPB_WORKLOADS_LINK_H
#define MPB_WORKLOADS_LINK_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_LINK_CONGESTION "reno" /* in every kernel */

/* A listening socket on a port the kernel chose. MPB_E_UNAVAILABLE when there is no loopback. */
MPB_MUST_USE enum mpb_status mpb_link_listen(int *out_fd, uint16_t *out_port,
                                             struct mpb_error *err);
/* Connect and wait until it stands (at most timeout_ms). Non-blocking, TCP_NODELAY, congestion
 * control set. MPB_E_IO, MPB_E_TIMEOUT. */
MPB_MUST_USE enum mpb_status mpb_link_connect(uint16_t port, int timeout_ms, int *out_fd,
                                              struct mpb_error *err);
/* Accept one connection, waiting at most timeout_ms; same options set. */
MPB_MUST_USE enum mpb_status mpb_link_accept(int listen_fd, int timeout_ms, int *out_fd,
                                             struct mpb_error *err);

/* The congestion control that a socket of ours really has, into out[16]; "" if it cannot be set. */
void mpb_link_congestion(char out[16]);

/* The nth processor (from 0, wrapping around) that the calling thread may use; -1: unknown. */
int mpb_link_cpu(unsigned nth);
/* Run the calling thread on the nth processor it may use (from 0, wrapping around); the
 * processor's number, -1 if it stays unpinned. */
int mpb_link_pin(unsigned nth);
/* Processors the calling thread may use. */
unsigned mpb_link_n_cpus(void);

MPB_END_DECLS

#endif
