internal import Glibc

extension SystemError {
  package enum Number {
    package static var EACCES: Int32 { Glibc.EACCES }
    package static var EADDRINUSE: Int32 { Glibc.EADDRINUSE }
    package static var EAGAIN: Int32 { Glibc.EAGAIN }
    package static var EBADF: Int32 { Glibc.EBADF }
    package static var ECHILD: Int32 { Glibc.ECHILD }
    package static var ECONNREFUSED: Int32 { Glibc.ECONNREFUSED }
    package static var ETIMEDOUT: Int32 { Glibc.ETIMEDOUT }
    package static var EEXIST: Int32 { Glibc.EEXIST }
    package static var EFBIG: Int32 { Glibc.EFBIG }
    package static var EHOSTUNREACH: Int32 { Glibc.EHOSTUNREACH }
    package static var EINVAL: Int32 { Glibc.EINVAL }
    package static var EISDIR: Int32 { Glibc.EISDIR }
    package static var ELOOP: Int32 { Glibc.ELOOP }
    package static var ENETUNREACH: Int32 { Glibc.ENETUNREACH }
    package static var ENOENT: Int32 { Glibc.ENOENT }
    package static var ENOSPC: Int32 { Glibc.ENOSPC }
    package static var ENOTCONN: Int32 { Glibc.ENOTCONN }
    package static var ENOTDIR: Int32 { Glibc.ENOTDIR }
    package static var EPERM: Int32 { Glibc.EPERM }
    package static var EPIPE: Int32 { Glibc.EPIPE }
    package static var ESRCH: Int32 { Glibc.ESRCH }
  }
}
