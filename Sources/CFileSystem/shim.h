// Linux file system calls missing from Swift's Glibc module: statfs(2), and those behind _GNU_SOURCE.

#ifndef TINTYPE_CFILESYSTEM_SHIM_H
#define TINTYPE_CFILESYSTEM_SHIM_H

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/statfs.h>
#include <sys/types.h>

// Makes everything written to an open file's file system durable (syncfs(2)).
extern int syncfs(int descriptor);

// Starts writing a part of an open file to disk, without waiting (sync_file_range(2), SYNC_FILE_RANGE_WRITE).
extern int sync_file_range(int descriptor, __off64_t offset, __off64_t byteCount, unsigned int flags);
enum { tt_sync_file_range_write = 2 };

// Makes writes bypass the page cache (open(2), O_DIRECT); its value differs between architectures.
enum { tt_open_direct = __O_DIRECT };

// Lets a file share another one's blocks until one of them is changed (ioctl_ficlone(2)), whose number differs, too.
static const unsigned long tt_clone_file = FICLONE;

#endif
