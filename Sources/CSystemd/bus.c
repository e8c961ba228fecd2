#include "CSystemd.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-login.h>

// The timeout for a call.
static const uint64_t timeout_microseconds = 5000000;

struct agent_bus {
  sd_bus *bus;
  // The last signal, which owns the texts returned to the caller.
  sd_bus_message *message;
};

#define FUNCTIONS(X) \
  X(sd_bus_open_system) \
  X(sd_bus_open_user) \
  X(sd_bus_set_method_call_timeout) \
  X(sd_bus_add_match) \
  X(sd_bus_call_method) \
  X(sd_bus_error_free) \
  X(sd_bus_process) \
  X(sd_bus_wait) \
  X(sd_bus_close_unref) \
  X(sd_bus_message_unref) \
  X(sd_bus_message_read) \
  X(sd_bus_message_peek_type) \
  X(sd_bus_message_is_signal) \
  X(sd_bus_message_get_sender) \
  X(sd_bus_message_get_path) \
  X(sd_bus_message_get_interface) \
  X(sd_bus_message_get_member) \
  X(sd_bus_path_decode) \
  X(sd_session_get_uid)

#define DECLARE(name) static __typeof__(name) *p_##name;
FUNCTIONS(DECLARE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;

static void load_once(void) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
#define FIND(name) \
  if (!(p_##name = (__typeof__(p_##name))dlsym(library, #name))) return;
  FUNCTIONS(FIND)
  is_loaded = 1;
}

static int load(void) {
  pthread_once(&once, load_once);
  return is_loaded ? 0 : -ENOSYS;
}

int agent_bus_open(int system_wide, struct agent_bus **bus) {
  int result = load();
  if (result < 0) return result;
  struct agent_bus *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  result = system_wide ? p_sd_bus_open_system(&made->bus) : p_sd_bus_open_user(&made->bus);
  if (result >= 0) result = p_sd_bus_set_method_call_timeout(made->bus, timeout_microseconds);
  if (result < 0) {
    agent_bus_close(made);
    return result;
  }
  *bus = made;
  return 0;
}

static void forget_message(struct agent_bus *bus) {
  if (bus->message) p_sd_bus_message_unref(bus->message);
  bus->message = NULL;
}

void agent_bus_close(struct agent_bus *bus) {
  forget_message(bus);
  if (bus->bus) p_sd_bus_close_unref(bus->bus);
  free(bus);
}

static int pass_on(sd_bus_message *message, void *context, sd_bus_error *error) {
  (void)message, (void)context, (void)error;
  return 0;
}

int agent_bus_match(struct agent_bus *bus, const char *rule) {
  return p_sd_bus_add_match(bus->bus, NULL, rule, pass_on, NULL);
}

int agent_bus_owner(struct agent_bus *bus, const char *name, char *owner, unsigned long capacity) {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message *reply = NULL;
  const char *found = NULL;
  int result = p_sd_bus_call_method(
    bus->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner", &error, &reply, "s", name);
  if (result >= 0) result = p_sd_bus_message_read(reply, "s", &found);
  if (result >= 0) {
    if (strlen(found) < capacity) strcpy(owner, found);
    else result = -ENAMETOOLONG;
  }
  if (reply) p_sd_bus_message_unref(reply);
  p_sd_bus_error_free(&error);
  return result;
}

int agent_bus_next(struct agent_bus *bus, struct agent_bus_signal *signal) {
  forget_message(bus);
  int result = p_sd_bus_process(bus->bus, &bus->message);
  if (result <= 0) return result;
  sd_bus_message *message = bus->message;
  *signal = (struct agent_bus_signal){.flag = -1};
  if (!message || p_sd_bus_message_is_signal(message, NULL, NULL) <= 0) return 1;
  signal->sender = p_sd_bus_message_get_sender(message);
  signal->path = p_sd_bus_message_get_path(message);
  signal->interface = p_sd_bus_message_get_interface(message);
  signal->member = p_sd_bus_message_get_member(message);
  char type = 0;
  const char *contents = NULL;
  if (p_sd_bus_message_peek_type(message, &type, &contents) > 0 && type == 'b')
    if (p_sd_bus_message_read(message, "b", &signal->flag) < 0) signal->flag = -1;
  return 1;
}

int agent_bus_wait(struct agent_bus *bus) { return p_sd_bus_wait(bus->bus, UINT64_MAX); }

int agent_session_user(const char *path, unsigned int *user) {
  int result = load();
  if (result < 0) return result;
  char *session = NULL;
  result = p_sd_bus_path_decode(path, "/org/freedesktop/login1/session", &session);
  if (result == 0) result = -ENOENT;
  uid_t owner = 0;
  if (result > 0) result = p_sd_session_get_uid(session, &owner);
  free(session);
  if (result < 0) return result;
  *user = owner;
  return 0;
}
