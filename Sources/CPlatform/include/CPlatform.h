// The system calls that Swift's Glibc module does not offer, one thin function each.
//
// This header includes nothing: a system header read here with other feature macros than the Glibc
// module has would define the same types a second time and break the build.
//
// Unless said otherwise a function returns 0 or more on success and a negated errno on failure, so
// that nothing can change errno before it is read. No function keeps a pointer it was given.

#ifndef AGENT_CPLATFORM_H
#define AGENT_CPLATFORM_H

#pragma clang assume_nonnull begin

// Errors. Untranslated static strings, NULL for an unknown number.
const char *_Nullable agent_error_name(int number);
const char *_Nullable agent_error_description(int number);

// Descriptors.
// Opens those of 0, 1 and 2 that are closed, the lowest first, so that nothing else gets their numbers. Reading the
// first and writing the others fails with EBADF, as before. One system call where all are open.
int agent_occupy_standard_descriptors(void);
// A directory to go through, which need not be readable. No link is followed.
int agent_open_way(int directory, const char *name);
int agent_pipe(int ends[_Nonnull 2]);
int agent_socket_pair(int ends[_Nonnull 2]);
int agent_duplicate(int descriptor);
// A file in memory without a name.
int agent_memory_file(void);
int agent_set_nonblocking(int descriptor, int enabled);
int agent_poll_one(int descriptor, int for_writing, int timeout_milliseconds);

// epoll, eventfd, timerfd.
static const unsigned int agent_readable = 1;
static const unsigned int agent_writable = 2;
static const unsigned int agent_hung_up = 4;

struct agent_event {
  unsigned long long key;
  unsigned int flags;
};

int agent_epoll_create(void);
int agent_epoll_add(int poller, int descriptor, unsigned int interest, unsigned long long key);
int agent_epoll_modify(int poller, int descriptor, unsigned int interest, unsigned long long key);
int agent_epoll_remove(int poller, int descriptor);
int agent_epoll_wait(int poller, struct agent_event *events, int capacity, int timeout_milliseconds);
int agent_event_counter_create(void);
int agent_boot_timer_create(void);
// Arms an absolute time on the boot clock; 0 disarms.
int agent_boot_timer_set(int timer, long long nanoseconds);

// Sockets; each new one is close-on-exec.
int agent_unix_socket(void);
int agent_unix_bind(int descriptor, const char *path);
int agent_unix_connect(int descriptor, const char *path);
long agent_unix_path_capacity(void);
int agent_loopback_socket(int ipv6);
int agent_loopback_bind(int descriptor, int ipv6, int port);
int agent_loopback_connect(int descriptor, int ipv6, int port);
int agent_local_port(int descriptor);
// The port of an end of a TCP connection; its address as `count` words of the network's byte order, 1 or 4.
int agent_tcp_end(int descriptor, int of_peer, unsigned int *words, int *count);
int agent_accept(int listener);
// Returns the process, 0 for one that is not seen from this process namespace.
int agent_peer(int descriptor, unsigned int *user);
// 1 for a local stream socket that listens, 0 for another.
int agent_is_unix_listener(int descriptor);
int agent_set_send_timeout(int descriptor, long seconds);
int agent_set_timeouts(int descriptor, long milliseconds);

// Bytes with at most one descriptor beside them (SCM_RIGHTS). A second descriptor is closed.
long agent_send_descriptor(int socket, const void *bytes, long count, int passed);
long agent_receive_descriptor(int socket, void *bytes, long count, int *passed);

// inotify on a directory: an event when a name in it goes away. Draining tells nothing of it.
int agent_watch_create(int directory);
void agent_watch_drain(int watch);

// Addresses and routes of this machine, as rtnetlink(7) tells of them. `agent_network_watch_take` takes what has been
// told, and is 1 when an address or a route came.
int agent_network_watch_create(void);
int agent_network_watch_take(int watch);

// inotify on some files: what they hold, and every directory on the way to them. `mounts` is the open table of
// mounts.
static const int agent_change_file = 0;
static const int agent_change_folder = 1;
static const int agent_change_way = 2;
static const int agent_change_link = 3;
static const int agent_change_replaced = 4;
int agent_changes_create(void);
// The number of the watch; -EOPNOTSUPP where the file system may change without telling.
int agent_changes_add(int changes, const char *path, int role);
void agent_changes_remove(int changes, int watch);
// What happened to the thing that is watched, or to what a directory has under `name`. `watch` is -1 when events were lost.
struct agent_change {
  int watch;
  int what;
  const char *name;
};
static const int agent_change_of_content = 0;
static const int agent_change_of_place = 1;
static const int agent_change_of_watch = 2; // The kernel took the watch away.
// Bit 0: events wait; bit 1: the mounts changed.
int agent_changes_seen(int changes, int mounts);
// Takes events into a buffer of 4096 bytes, aligned to 8; the count of bytes, 0 when there are no more.
long agent_changes_take(int changes, void *buffer);
// The event at a place in the buffer; the place after it.
long agent_changes_read(const void *buffer, long place, struct agent_change *change);

// Signals. Masks are those of the calling thread.
int agent_signal_ignore(int number);
int agent_signal_default(int number);
int agent_signal_is_ignored(int number);
// Sets the child that agent_signal_end_after_child waits for, and the socket that is shut down to end it; 0 for none.
void agent_signal_keep_child(int child, int socket);
// The signal ends this process after the child has ended, or 10 seconds later.
int agent_signal_end_after_child(int number);
int agent_signal_block(const int *numbers, long count);
int agent_signal_unblock_all(void);
int agent_signal_descriptor(const int *numbers, long count);
// The number of a pending signal, or -EAGAIN.
int agent_signal_next(int descriptor);
// The same; `by_kernel` tells whether the kernel sent it, as it does for what is typed.
int agent_signal_next_origin(int descriptor, int *by_kernel);
// Obeys a signal that is held back, and holds it back again when this process goes on.
int agent_signal_obey(int number);

// Processes.
struct agent_spawn_request {
  const char *executable;
  char *_Nullable const *_Nonnull arguments;
  char *_Nullable const *_Nonnull environment;
  const char *_Nullable directory;
  const int *_Nullable parent_descriptors;
  const int *_Nullable child_descriptors;
  long descriptor_count;
  int new_session;
  int null_standard_streams;
};

int agent_spawn(const struct agent_spawn_request *request);
// 1 and the status when the process has ended, 0 when it still runs and `block` is 0.
int agent_wait(int process, int block, int *signalled, int *number);
int agent_process_descriptor(int process);
// Starts a program in this process's group, with what it inherits; `null_input` gives it an empty standard input.
int agent_spawn_beside(const char *path, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nonnull environment, int null_input);
enum { agent_child_unchanged, agent_child_exited, agent_child_signalled, agent_child_stopped, agent_child_continued };
// How a child changed, and the status or signal that goes with it.
int agent_child_change(int process, int *number);
int agent_execute(const char *path, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nonnull environment);
// The effective user at the first call. Swift's own way to keep a value once costs a short run two page faults.
unsigned agent_user_id(void);
// The arguments of this process, its own name first; NULL past the last one. They stay where they are.
const char *_Nullable agent_argument(int index);
// The "NAME=VALUE" strings of this process, NULL past the last one.
const char *_Nullable agent_environment_entry(long index);

// Removes a variable from this process's environment. Not safe beside other threads.
int agent_environment_remove(const char *name);

// Hardening.
// The soft and the hard limit of a resource (setrlimit(2)), -1 for none.
int agent_limit(int resource, long *soft, long *hard);

// Raises the soft limit to the hard one, or to `most` if that is less; -1 for no such bound.
int agent_limit_raise(int resource, long most);

int agent_disable_core_dumps(void);

// Lets the calling thread, and those that it starts, run on every processor that the kernel has for this process.
int agent_run_on_all_processors(void);

// Gives the calling thread, and those that it starts, the usual priority for processors and disks, as far as the system
// allows. What it refuses stays as it is.
void agent_reset_priority(void);
int agent_set_undumpable(void);
int agent_is_dumpable(void);

// Directories. The stream takes the descriptor over.
void *_Nullable agent_directory_open(int descriptor);
const char *_Nullable agent_directory_next(void *stream, int *failure);
void agent_directory_close(void *stream);

// Threads. `run` is called once, on the new thread, with `context`.
int agent_thread_start(const char *name, long stack_bytes, void (*run)(void *), void *context);

// A mutex with a condition.
void *_Nullable agent_monitor_create(void);
void agent_monitor_destroy(void *monitor);
void agent_monitor_lock(void *monitor);
void agent_monitor_unlock(void *monitor);
void agent_monitor_wake_one(void *monitor);
void agent_monitor_wake_all(void *monitor);
// The lock is held. 1 when woken (perhaps for nothing), 0 when `deadline` passed. The deadline is
// in nanoseconds of the monotonic clock; a negative one never passes.
int agent_monitor_wait(void *monitor, long long deadline);
long long agent_monotonic_now(void);

// The allocator: at most this many arenas, and unused pages given back.
void agent_limit_arenas(int count);
void agent_trim_heap(void);

// Others.
// Whether a rename may replace a name: 0 with its size (0 for none), EBUSY for a mount point, EPERM for a file that may
// not be changed, or the error of statx.
int agent_replaceable(int directory, const char *name, long long *size);

// Has the names in a directory written to the disk: by fsync(2), else by syncfs(2), for some file systems have no fsync
// of a directory. Without either nothing can be done.
void agent_sync_directory(int directory);
int agent_random(void *bytes, long count);
int agent_terminal_columns(int descriptor);
int agent_terminal_rows(int descriptor);
int agent_terminal_set_echo(int descriptor, int enabled);
// Whether this process is of the group that may change its terminal without being stopped.
int agent_terminal_is_foreground(int descriptor);
// Echo, and with `by_character` also the keeping of whole lines, and what was typed before is lost. Otherwise it stays
// there for whoever reads it. Returns what was hidden, for the opposite; 0 when there was nothing to hide.
int agent_terminal_hide_typing(int descriptor, int by_character);
int agent_terminal_show_typing(int descriptor, int hidden);

// Messages. Translations of gettext(3), in UTF-8, valid as long as the process. The first is called once, before there
// is a second thread: it chooses the language by the environment and returns whether one may be had at all. The others
// return NULL where there is no translation, and never the text they were given.
int agent_messages_open(const char *domain, const char *directory);
const char *_Nullable agent_message(const char *domain, const char *text);
const char *_Nullable agent_message_counted(
    const char *domain, const char *one, const char *other, unsigned long count);

#pragma clang assume_nonnull end

#endif
