// libcurl and OpenSSL, loaded on first use: with the thirty libraries that they pull in, they take half of the
// remaining startup time.
#include "CCurl.h"

#include <openssl/crypto.h>
#include <openssl/ssl.h>

#include "CLateLoading.h"

#define PURPOSE "reach a library server (Debian: libcurl4, libssl3)"
#define CURL_LIBRARY "libcurl.so.4"
#define CRYPTO_LIBRARY "libcrypto.so.3"
#define SSL_LIBRARY "libssl.so.3"
#define FORWARD(library, result, name, parameters, arguments) \
    TT_FORWARD(library, PURPOSE, result, name, parameters, arguments)

// One transfer.
FORWARD(CURL_LIBRARY, void, curl_easy_cleanup, (CURL *handle), (handle))
FORWARD(CURL_LIBRARY, CURL *, curl_easy_init, (void), ())
FORWARD(CURL_LIBRARY, const char *, curl_easy_strerror, (CURLcode code), (code))
FORWARD(CURL_LIBRARY, time_t, curl_getdate, (const char *text, const time_t *unused), (text, unused))
FORWARD(CURL_LIBRARY, struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), (list, text))
FORWARD(CURL_LIBRARY, void, curl_slist_free_all, (struct curl_slist *list), (list))

// Several transfers.
FORWARD(CURL_LIBRARY, CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *handle), (multi, handle))
FORWARD(CURL_LIBRARY, CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi))
FORWARD(CURL_LIBRARY, CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), (multi, left))
FORWARD(CURL_LIBRARY, CURLM *, curl_multi_init, (void), ())
FORWARD(CURL_LIBRARY, CURLMcode, curl_multi_perform, (CURLM *multi, int *running), (multi, running))
FORWARD(CURL_LIBRARY, CURLMcode, curl_multi_poll,
        (CURLM *multi, struct curl_waitfd others[], unsigned int count, int milliseconds, int *ready),
        (multi, others, count, milliseconds, ready))
FORWARD(CURL_LIBRARY, CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *handle), (multi, handle))
FORWARD(CURL_LIBRARY, CURLMcode, curl_multi_wakeup, (CURLM *multi), (multi))

// Options: the library's functions take one argument of any type after the option's name.
typedef CURLcode (*EasyOption)(CURL *handle, CURLoption option, ...);
typedef CURLMcode (*MultiOption)(CURLM *multi, CURLMoption option, ...);

static EasyOption easy_option(void) {
    static void *address;
    return (EasyOption)tt_late_function(&address, CURL_LIBRARY, "curl_easy_setopt", PURPOSE);
}

CURLcode tt_curl_set_long(CURL *handle, CURLoption option, long value) {
    return easy_option()(handle, option, value);
}

CURLcode tt_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return easy_option()(handle, option, value);
}

CURLcode tt_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return easy_option()(handle, option, value);
}

CURLcode tt_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return easy_option()(handle, option, value);
}

CURLcode tt_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return easy_option()(handle, option, value);
}

CURLcode tt_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = { (void *)bytes, count, CURL_BLOB_COPY };
    return easy_option()(handle, option, &blob);
}

CURLcode tt_curl_set_transfer(CURL *handle, CURLoption option, tt_curl_transfer function) {
    return easy_option()(handle, option, function);
}

CURLcode tt_curl_set_seek(CURL *handle, tt_curl_seek function) {
    return easy_option()(handle, CURLOPT_SEEKFUNCTION, function);
}

CURLcode tt_curl_set_start(CURL *handle, tt_curl_start function) {
    return easy_option()(handle, CURLOPT_PREREQFUNCTION, function);
}

CURLMcode tt_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    static void *address;
    return ((MultiOption)tt_late_function(&address, CURL_LIBRARY, "curl_multi_setopt", PURPOSE))(multi, option, value);
}

CURLcode tt_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// Global functions.
FORWARD(CURL_LIBRARY, CURLcode, curl_global_init, (long flags), (flags))
FORWARD(CRYPTO_LIBRARY, int, OPENSSL_init_crypto, (uint64_t options, const OPENSSL_INIT_SETTINGS *settings),
        (options, settings))

CURLcode tt_curl_global_start(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    return curl_global_init(CURL_GLOBAL_ALL);
}

FORWARD(CRYPTO_LIBRARY, int, BIO_free, (BIO *stream), (stream))
FORWARD(CRYPTO_LIBRARY, BIO *, BIO_new, (const BIO_METHOD *method), (method))
FORWARD(CRYPTO_LIBRARY, const BIO_METHOD *, BIO_s_mem, (void), ())
FORWARD(SSL_LIBRARY, int, SSL_connect, (SSL *session), (session))
FORWARD(SSL_LIBRARY, void, SSL_CTX_free, (SSL_CTX *context), (context))
FORWARD(SSL_LIBRARY, SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *method), (method))
FORWARD(SSL_LIBRARY, void, SSL_free, (SSL *session), (session))
FORWARD(SSL_LIBRARY, SSL *, SSL_new, (SSL_CTX *context), (context))
FORWARD(SSL_LIBRARY, void, SSL_set_bio, (SSL *session, BIO *input, BIO *output), (session, input, output))
FORWARD(SSL_LIBRARY, const SSL_METHOD *, TLS_client_method, (void), ())

void tt_tls_prepare(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *session = context ? SSL_new(context) : NULL;
    BIO *output = session ? BIO_new(BIO_s_mem()) : NULL;
    BIO *input = output ? BIO_new(BIO_s_mem()) : NULL;
    if (input) {
        SSL_set_bio(session, input, output);
        (void)SSL_connect(session);
    } else {
        BIO_free(output);
    }
    SSL_free(session);
    SSL_CTX_free(context);
}
