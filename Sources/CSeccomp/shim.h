// The part of libseccomp that the Lease module uses, with its macros as constants.
#ifndef AGENT_CSECCOMP_SHIM_H
#define AGENT_CSECCOMP_SHIM_H

#include <errno.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static const unsigned int agent_seccomp_refuse = SCMP_ACT_ERRNO(EPERM);
static const unsigned int agent_seccomp_allow = SCMP_ACT_ALLOW;

// Makes a system call without valid arguments; returns its error.
static inline int agent_system_call(int number) {
  errno = 0;
  syscall(number, -1L, -1L, -1L, -1L, -1L, -1L);
  return errno;
}

#endif
