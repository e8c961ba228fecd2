// System calls that Swift's Glibc module lacks, as thin functions.
//
// This header must not include system headers: with other feature macros than the Glibc module's, they would define the
// same types again and break the build.
//
// Unless noted, functions return 0 or more on success and a negated errno on failure. None keeps a pointer.

#ifndef AGENT_CPLATFORM_H
#define AGENT_CPLATFORM_H

#pragma clang assume_nonnull begin

// Errors. Untranslated static strings, NULL for an unknown number.
const char *_Nullable agent_error_name(int number);
const char *_Nullable agent_error_description(int number);

// Descriptors.
// Occupies the closed ones of 0, 1 and 2, so that nothing else gets their numbers. Reading 0 and writing 1 and 2 still
// fails with EBADF. One system call if all are open.
int agent_occupy_standard_descriptors(void);
// Opens a directory for path lookups only, which need not be readable. Follows no link.
int agent_open_path(int directory, const char *name);
int agent_pipe(int ends[_Nonnull 2]);
int agent_socket_pair(int ends[_Nonnull 2]);
int agent_duplicate(int descriptor);
int agent_memory_file(void);
int agent_set_nonblocking(int descriptor, int enabled);
// Returns 1 if the descriptor is ready, 0 after the timeout.
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
// Sets an absolute time on the boot clock; 0 disarms the timer.
int agent_boot_timer_set(int timer, long long nanoseconds);

// Sockets; each new one is close-on-exec.
int agent_unix_socket(void);
int agent_unix_bind(int descriptor, const char *path);
int agent_unix_connect(int descriptor, const char *path);
long agent_unix_path_capacity(void);
int agent_loopback_socket(int ipv6);
int agent_loopback_bind(int descriptor, int ipv6, int port);
int agent_loopback_connect(int descriptor, int ipv6, int port);
// Returns the port of an end of a TCP connection, and its address as 1 or 4 words in network byte order.
int agent_tcp_end(int descriptor, int of_peer, unsigned int *words, int *count);
int agent_accept(int listener);
// Returns the process ID, or 0 if it is not visible from this process namespace.
int agent_peer(int descriptor, unsigned int *user);
// 1 for a local stream socket that does not listen; otherwise 0 or an error.
int agent_is_unix_connection(int descriptor);
int agent_set_send_timeout(int descriptor, long seconds);
int agent_set_timeouts(int descriptor, long milliseconds);

// Bytes with at most one descriptor (SCM_RIGHTS). Further ones are closed.
long agent_send_descriptor(int socket, const void *bytes, long count, int passed);
long agent_receive_descriptor(int socket, void *bytes, long count, int waits, int *passed);
// Never wait for another process, even without O_NONBLOCK, which another owner of the descriptor can change.
long agent_read_now(int descriptor, void *bytes, long count);
long agent_write_now(int descriptor, const void *bytes, long count);

// inotify on a directory: an event when a name in it is removed or replaced. Draining discards the events.
int agent_watch_create(int directory);
void agent_watch_drain(int watch);

// Changes of this machine's addresses and routes, by rtnetlink(7). `agent_network_watch_take` discards the events and
// returns 1 if an address or route was added.
int agent_network_watch_create(void);
int agent_network_watch_take(int watch);

// Changes of files and of the directories of their paths (inotify(7)). The roles of a watched path:
static const int agent_change_file = 0;
static const int agent_change_folder = 1;
static const int agent_change_way = 2;
static const int agent_change_link = 3;
static const int agent_change_replaced = 4;
int agent_changes_create(void);
// Returns the kind of the file system at a path, as in statfs(2).
long long agent_file_system_kind(const char *path);
// Returns the number of the watch; -EOPNOTSUPP if the file system may change without an event.
int agent_changes_add(int changes, const char *path, int role);
void agent_changes_remove(int changes, int watch);
// An event of the watched file, or of `name` in a watched directory. `watch` is -1 if events were lost.
struct agent_change {
  int watch;
  int what;
  const char *name;
};
static const int agent_change_of_content = 0;
static const int agent_change_of_place = 1;
static const int agent_change_of_watch = 2; // The kernel removed the watch.
// Returns bit 0 if events are pending, bit 1 if the open mount table `mounts` has changed.
int agent_changes_seen(int changes, int mounts);
// Reads events into a buffer of 4096 bytes, aligned to 8. Returns the number of bytes, 0 if there are no more.
long agent_changes_take(int changes, void *buffer);
// Reads the event at an offset in the buffer. Returns the offset after it.
long agent_changes_read(const void *buffer, long place, struct agent_change *change);

// Signals. Masks are those of the calling thread.
int agent_signal_ignore(int number);
int agent_signal_default(int number);
int agent_signal_is_ignored(int number);
// Sets the child that agent_signal_end_after_child waits for, and the socket shut down to end it; 0 for none.
void agent_signal_keep_child(int child, int socket);
// Makes the signal end this process after the child has ended, or 10 seconds later.
int agent_signal_end_after_child(int number);
int agent_signal_block(const int *numbers, long count);
int agent_signal_unblock_all(void);
int agent_signal_descriptor(const int *numbers, long count);
// Returns the number of a pending signal, or -EAGAIN. Sets `by_kernel` if the kernel sent it, as for a key of the terminal.
int agent_signal_next(int descriptor, int *by_kernel);
// Obeys a blocked signal, and blocks it again when this process continues.
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
// Returns 1 and the status if the process has ended, 0 if it is running and `block` is 0.
int agent_wait(int process, int block, int *signalled, int *number);
int agent_process_descriptor(int process);
// Starts a program in this process group, with everything it inherits. With `null_input` its standard input is empty.
int agent_spawn_beside(const char *path, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nonnull environment, int null_input);
enum { agent_child_unchanged, agent_child_exited, agent_child_signalled, agent_child_stopped, agent_child_continued };
// Returns the state change of a child, with its status or signal.
int agent_child_change(int process, int *number);
int agent_execute(const char *path, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nonnull environment);
// The effective user. Swift's lazy initialization would cost two page faults.
unsigned agent_user_id(void);
// Beginning with this process's own name; NULL after the last one. Valid until it ends.
const char *_Nullable agent_argument(int index);
// "NAME=VALUE"; NULL after the last one.
const char *_Nullable agent_environment_entry(long index);

// Not thread-safe.
int agent_environment_remove(const char *name);

// Hardening.
// Reads the soft and hard limits of a resource (setrlimit(2)); -1 for none.
int agent_limit(int resource, long *soft, long *hard);

// Raises the soft limit to the hard one, or to `most` if that is less; -1 for no such maximum.
int agent_limit_raise(int resource, long most);
int agent_limit_lower(int resource, long most);

int agent_disable_core_dumps(void);

// For the calling thread and its later threads, within the limits of the control group.
int agent_run_on_all_processors(void);

// Resets the processor and disk priority of the calling thread and its later threads, as far as allowed.
void agent_reset_priority(void);
int agent_set_undumpable(void);
int agent_is_dumpable(void);

// Directories. The stream owns the descriptor.
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
// Call it while holding the lock. Returns 1 if woken (possibly spuriously), 0 after `deadline`, which is
// in nanoseconds of the monotonic clock; negative for no deadline.
int agent_monitor_wait(void *monitor, long long deadline);
long long agent_monotonic_now(void);

// The allocator: limits the number of arenas, and returns unused pages.
void agent_limit_arenas(int count);
void agent_trim_heap(void);

// Whether a rename may replace a name: returns 0 with the file's size (0 if there is none), or, not negated, EBUSY for
// a mount point, EPERM for an immutable file, or the error of statx.
int agent_replaceable(int directory, const char *name, long long *size);

// Writes a directory's names to disk with fsync(2), or with syncfs(2) on file systems without fsync for directories.
void agent_sync_directory(int directory);
int agent_random(void *bytes, long count);
int agent_terminal_set_echo(int descriptor, int enabled);
// Whether this process is in the foreground group, which may change the terminal without being stopped.
int agent_terminal_is_foreground(int descriptor);
// Disables the echo. With `by_character` also disables line buffering and discards unread input. Returns the disabled
// flags for the reverse function; 0 if there was nothing to disable.
int agent_terminal_hide_typing(int descriptor, int by_character);
int agent_terminal_show_typing(int descriptor, int hidden);

// Translations by gettext(3), in UTF-8, valid until the process ends; NULL if there is none. Call the first function
// once, before there is a second thread: it selects the language by the environment and returns whether there may be
// one.
int agent_messages_open(const char *domain, const char *directory);
const char *_Nullable agent_message(const char *domain, const char *text);
const char *_Nullable agent_message_counted(
    const char *domain, const char *one, const char *other, unsigned long count);

#pragma clang assume_nonnull end

#endif
