// libcurl, loaded on first use, with its variadic calls typed: one function per class of argument, no decisions.
#ifndef TINTYPE_CCURL_H
#define TINTYPE_CCURL_H

#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

typedef size_t (*tt_curl_transfer)(char *bytes, size_t size, size_t count, void *context);
typedef int (*tt_curl_seek)(void *context, curl_off_t offset, int origin);
typedef int (*tt_curl_start)(void *context, char *peer, char *own, int peer_port, int own_port);

CURLcode tt_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode tt_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode tt_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode tt_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode tt_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode tt_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);
CURLcode tt_curl_set_transfer(CURL *handle, CURLoption option, tt_curl_transfer function);
CURLcode tt_curl_set_seek(CURL *handle, tt_curl_seek function);
CURLcode tt_curl_set_start(CURL *handle, tt_curl_start function);
CURLMcode tt_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);

// The result of a finished transfer, read from the union in CURLMsg.
CURLcode tt_curl_message_result(const CURLMsg *message);

// Initialises libcurl for the whole program. At exit OpenSSL would free memory that a thread closing its connections
// still uses; for threaded programs it advises leaving that to the system (OPENSSL_init_crypto(3),
// OPENSSL_INIT_NO_ATEXIT).
CURLcode tt_curl_global_start(void);

// Starts a handshake without a peer, for which OpenSSL loads everything that later ones need.
void tt_tls_prepare(void);

static const size_t tt_curl_read_abort = CURL_READFUNC_ABORT;
static const int tt_curl_seek_ok = CURL_SEEKFUNC_OK;
static const int tt_curl_seek_fail = CURL_SEEKFUNC_FAIL;
static const int tt_curl_start_ok = CURL_PREREQFUNC_OK;
static const int tt_curl_start_abort = CURL_PREREQFUNC_ABORT;

#endif
