// libcurl's variadic calls, typed: one inline a class of argument, no decisions.
#ifndef TINTYPE_CCURL_SHIM_H
#define TINTYPE_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <openssl/crypto.h>

static inline CURLcode tt_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tt_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tt_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tt_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tt_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode tt_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = { (void *)bytes, count, CURL_BLOB_COPY };
    return curl_easy_setopt(handle, option, &blob);
}

typedef size_t (*tt_curl_transfer)(char *bytes, size_t size, size_t count, void *context);
typedef int (*tt_curl_seek)(void *context, curl_off_t offset, int origin);

static inline CURLcode tt_curl_set_transfer(CURL *handle, CURLoption option, tt_curl_transfer function) {
    return curl_easy_setopt(handle, option, function);
}

static inline CURLcode tt_curl_set_seek(CURL *handle, tt_curl_seek function) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
}

static inline CURLcode tt_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode tt_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The result of a finished transfer; the union of CURLMsg is read here.
static inline CURLcode tt_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// libcurl for the whole program. At exit OpenSSL would free what a thread that still ends its connections uses: its own
// advice for programs with threads is to leave that to the system (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
static inline CURLcode tt_curl_global_start(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    return curl_global_init(CURL_GLOBAL_ALL);
}

static const size_t tt_curl_read_abort = CURL_READFUNC_ABORT;
static const size_t tt_curl_pause_read = CURL_READFUNC_PAUSE;
static const int tt_curl_seek_ok = CURL_SEEKFUNC_OK;
static const int tt_curl_seek_fail = CURL_SEEKFUNC_FAIL;

#endif
