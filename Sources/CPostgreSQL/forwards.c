#include "CPostgreSQL.h"

#include <dlfcn.h>

#include "CLateLoading.h"

#define LIBRARY "libpq.so.5"
#define FORWARD(result, name, parameters, arguments) \
    TT_FORWARD(LIBRARY, "reach PostgreSQL (Debian: libpq5)", result, name, parameters, arguments)

int tt_postgresql_is_installed(void) { return dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL) ? 1 : 0; }

// Connections.
FORWARD(int, PQbackendPID, (const PGconn *connection), (connection))
FORWARD(PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expands_name),
        (keywords, values, expands_name))
FORWARD(void, PQconninfoFree, (PQconninfoOption *options), (options))
FORWARD(PQconninfoOption *, PQconninfoParse, (const char *text, char **message), (text, message))
FORWARD(char *, PQerrorMessage, (const PGconn *connection), (connection))
FORWARD(void, PQfinish, (PGconn *connection), (connection))
FORWARD(void, PQfreemem, (void *memory), (memory))
FORWARD(PGPing, PQpingParams, (const char *const *keywords, const char *const *values, int expands_name),
        (keywords, values, expands_name))
FORWARD(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *connection, PQnoticeProcessor processor, void *context),
        (connection, processor, context))
FORWARD(int, PQsocket, (const PGconn *connection), (connection))
FORWARD(ConnStatusType, PQstatus, (const PGconn *connection), (connection))
FORWARD(PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection))

// Statements.
FORWARD(PGresult *, PQexec, (PGconn *connection, const char *text), (connection, text))
FORWARD(PGresult *, PQexecParams,
        (PGconn *connection, const char *text, int count, const Oid *types, const char *const *values,
         const int *lengths, const int *formats, int format),
        (connection, text, count, types, values, lengths, formats, format))
FORWARD(PGresult *, PQexecPrepared,
        (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
         const int *formats, int format),
        (connection, name, count, values, lengths, formats, format))
FORWARD(PGresult *, PQprepare, (PGconn *connection, const char *name, const char *text, int count, const Oid *types),
        (connection, name, text, count, types))

// Statements in a row, before their results.
FORWARD(int, PQenterPipelineMode, (PGconn *connection), (connection))
FORWARD(int, PQexitPipelineMode, (PGconn *connection), (connection))
FORWARD(int, PQflush, (PGconn *connection), (connection))
FORWARD(int, PQpipelineSync, (PGconn *connection), (connection))
FORWARD(int, PQsendQueryParams,
        (PGconn *connection, const char *text, int count, const Oid *types, const char *const *values,
         const int *lengths, const int *formats, int format),
        (connection, text, count, types, values, lengths, formats, format))
FORWARD(int, PQsendQueryPrepared,
        (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
         const int *formats, int format),
        (connection, name, count, values, lengths, formats, format))

// Many rows at once.
FORWARD(int, PQputCopyData, (PGconn *connection, const char *bytes, int count), (connection, bytes, count))
FORWARD(int, PQputCopyEnd, (PGconn *connection, const char *problem), (connection, problem))
FORWARD(PGresult *, PQgetResult, (PGconn *connection), (connection))

// Notices of other sessions.
FORWARD(int, PQconsumeInput, (PGconn *connection), (connection))
FORWARD(PGnotify *, PQnotifies, (PGconn *connection), (connection))

// Results.
FORWARD(void, PQclear, (PGresult *result), (result))
FORWARD(char *, PQcmdStatus, (PGresult *result), (result))
FORWARD(char *, PQcmdTuples, (PGresult *result), (result))
FORWARD(int, PQfformat, (const PGresult *result, int column), (result, column))
FORWARD(char *, PQfname, (const PGresult *result, int column), (result, column))
FORWARD(Oid, PQftype, (const PGresult *result, int column), (result, column))
FORWARD(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))
FORWARD(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))
FORWARD(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))
FORWARD(int, PQnfields, (const PGresult *result), (result))
FORWARD(int, PQntuples, (const PGresult *result), (result))
FORWARD(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))
FORWARD(ExecStatusType, PQresultStatus, (const PGresult *result), (result))
