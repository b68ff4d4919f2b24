// libpq, PostgreSQL's client library, loaded on first use: a library in SQLite needs none of it.
#ifndef TINTYPE_CPOSTGRESQL_H
#define TINTYPE_CPOSTGRESQL_H

#include <postgresql/libpq-fe.h>

// 1 if libpq is installed, otherwise 0. Calling any other function without it ends the program.
int tt_postgresql_is_installed(void);

#endif
