// The message bus (D-Bus) of libsystemd, loaded at first use, since machines without a desktop need not have it.
// Functions return 0 or more on success and a negated errno on failure. Use a bus from one thread.
//
// Like CPlatform.h, this header must not include system headers.

#ifndef AGENT_CSYSTEMD_H
#define AGENT_CSYSTEMD_H

#pragma clang assume_nonnull begin

struct agent_bus;

// The texts belong to the bus and are valid until its next call.
struct agent_bus_signal {
  const char *_Nullable sender;
  const char *_Nullable path;
  const char *_Nullable interface;
  const char *_Nullable member;
  // The first argument, if boolean: 0 or 1; otherwise -1.
  int flag;
};

// Fails with ENOSYS if libsystemd is not installed.
int agent_bus_open(int system_wide, struct agent_bus *_Nullable *_Nonnull bus);
void agent_bus_close(struct agent_bus *bus);
// Waits a few seconds for the bus to confirm.
int agent_bus_match(struct agent_bus *bus, const char *rule);
// Returns the unique name of the current owner of `name`, null-terminated. Waits a few seconds.
int agent_bus_owner(struct agent_bus *bus, const char *name, char *owner, unsigned long capacity);
// Performs one step. Returns 1 with a signal, 0 without.
int agent_bus_next(struct agent_bus *bus, struct agent_bus_signal *signal);
// Waits until there is something to do.
int agent_bus_wait(struct agent_bus *bus);
// Returns the user of the session with this path at logind.
int agent_session_user(const char *path, unsigned int *user);

#pragma clang assume_nonnull end

#endif
