// What Linux knows of file systems and Swift's Glibc module leaves out, because it stands behind _GNU_SOURCE.

#ifndef TINTYPE_CFILESYSTEM_SHIM_H
#define TINTYPE_CFILESYSTEM_SHIM_H

// Makes everything durable that was written to the file system of an open file (syncfs(2)).
extern int syncfs(int descriptor);

#endif
