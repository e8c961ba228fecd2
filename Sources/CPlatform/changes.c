#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "CPlatform.h"

int agent_changes_create(void) {
  int changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  return changes >= 0 ? changes : -errno;
}

// True for local file systems, where every change goes through this kernel. Others (NFS, FUSE, 9p, layered file
// systems) may change without an event.
static int tells_of_changes(const char *path) {
  struct statfs system;
  if (statfs(path, &system) != 0) return 0;
  switch ((unsigned long)system.f_type & 0xFFFFFFFF) {
    case 0xEF53:      // ext2, ext3, ext4
    case 0x58465342:  // xfs
    case 0x9123683E:  // btrfs
    case 0x01021994:  // tmpfs
    case 0xF2F52010:  // f2fs
    case 0x2FC12FC1:  // zfs
    case 0xCA451A4E:  // bcachefs
      return 1;
    default: return 0;
  }
}

long long agent_file_system_kind(const char *path) {
  struct statfs system;
  return statfs(path, &system) == 0 ? (long long)((unsigned long)system.f_type & 0xFFFFFFFF) : -errno;
}

int agent_changes_add(int changes, const char *path, int role) {
  unsigned int what = IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW | IN_MASK_ADD;
  int is_file = role == agent_change_file || role == agent_change_replaced;
  if (is_file || role == agent_change_folder) what |= IN_MODIFY | IN_CLOSE_WRITE;
  if (role == agent_change_folder) what |= IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
  if (!is_file && role != agent_change_link) what |= IN_ONLYDIR;
  // A file that replaced another is on the file system of its directory, unless the mounts have changed.
  if (role != agent_change_replaced && !tells_of_changes(path)) return -EOPNOTSUPP;
  int watch = inotify_add_watch(changes, path, what);
  return watch >= 0 ? watch : -errno;
}

void agent_changes_remove(int changes, int watch) { inotify_rm_watch(changes, watch); }

long agent_changes_take(int changes, void *buffer) {
  ssize_t count = read(changes, buffer, 4096);
  return count > 0 ? count : 0;
}

long agent_changes_read(const void *buffer, long place, struct agent_change *change) {
  const struct inotify_event *event = (const struct inotify_event *)((const char *)buffer + place);
  change->watch = event->mask & (IN_Q_OVERFLOW | IN_UNMOUNT) ? -1 : event->wd;
  change->name = event->len > 0 ? event->name : "";
  if (event->mask & IN_IGNORED) {
    change->what = agent_change_of_watch;
  } else if (event->mask & (IN_MODIFY | IN_CLOSE_WRITE)) {
    change->what = agent_change_of_content;
  } else {
    change->what = agent_change_of_place;
  }
  return place + (long)(sizeof *event + event->len);
}

int agent_changes_seen(int changes, int mounts) {
  struct pollfd asked[] = {{.fd = changes, .events = POLLIN}, {.fd = mounts, .events = POLLPRI}};
  int count = poll(asked, 2, 0);
  // If the poll fails, everything must be checked.
  if (count < 0) return 2;
  return count == 0 ? 0 : (asked[0].revents != 0) | (asked[1].revents != 0) << 1;
}
