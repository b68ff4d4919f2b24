// What Linux knows of file systems and Swift's Glibc module leaves out: statfs(2), and what stands behind _GNU_SOURCE.

#ifndef TINTYPE_CFILESYSTEM_SHIM_H
#define TINTYPE_CFILESYSTEM_SHIM_H

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/statfs.h>
#include <sys/types.h>

// Makes everything durable that was written to the file system of an open file (syncfs(2)).
extern int syncfs(int descriptor);

// Begins to write a part of an open file to the disk, without waiting (sync_file_range(2), SYNC_FILE_RANGE_WRITE).
extern int sync_file_range(int descriptor, __off64_t offset, __off64_t byteCount, unsigned int flags);
enum { tt_sync_file_range_write = 2 };

// Lets writes pass by the page cache (open(2), O_DIRECT), whose number differs between architectures.
enum { tt_open_direct = __O_DIRECT };

// Lets a file share another one's blocks until one of them is changed (ioctl_ficlone(2)), whose number differs, too.
static const unsigned long tt_clone_file = FICLONE;

#endif
