// The message bus (D-Bus) of libsystemd, which is loaded when it is first wanted: most machines that need it have it,
// and who never needs it pays nothing.
//
// This header includes nothing, as that of CPlatform, and for the same reason. A function returns 0 or more on success
// and a negated errno on failure. A bus belongs to one thread.

#ifndef AGENT_CSYSTEMD_H
#define AGENT_CSYSTEMD_H

#pragma clang assume_nonnull begin

struct agent_bus;

// What a signal says. The texts are the bus's own and last until the next call on it.
struct agent_bus_signal {
  const char *_Nullable sender;
  const char *_Nullable path;
  const char *_Nullable interface;
  const char *_Nullable member;
  // The first argument, if that is a boolean: 0 or 1; otherwise -1.
  int flag;
};

// ENOSYS: there is no libsystemd here.
int agent_bus_open(int system_wide, struct agent_bus *_Nullable *_Nonnull bus);
void agent_bus_close(struct agent_bus *bus);
// Waits for the bus to confirm, at most for some seconds.
int agent_bus_match(struct agent_bus *bus, const char *rule);
// The unique name of who owns `name` now, terminated; the same wait.
int agent_bus_owner(struct agent_bus *bus, const char *name, char *owner, unsigned long capacity);
// 1 with a signal, 0 when none was there. One step of work.
int agent_bus_next(struct agent_bus *bus, struct agent_bus_signal *signal);
// Until there is something to do.
int agent_bus_wait(struct agent_bus *bus);
// The user of the session that has this path at logind.
int agent_session_user(const char *path, unsigned int *user);

#pragma clang assume_nonnull end

#endif
