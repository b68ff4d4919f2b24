// Calls the library's API. Only this module adds what a browser session needs: the cookie and the CSRF token.

/** The server's error response (RFC 9457). */
export class Problem extends Error {
    /** @param {ProblemDetails} details */
    constructor(details) {
        super(details.detail || details.title || 'The server could not do that.');
        this.title = '';
        this.status = 0;
        /** @type {Retry} */
        this.retry = 'never';
        Object.assign(this, details);
        this.code = details.code ?? (details.type ?? '').split('/').pop();
    }

    get isOffline() { return this.status === 0; }
    get isLoggedOut() { return this.status === 401; }
}

/** @param {Retry} retry */
export const unreachable = (detail = 'The server cannot be reached.', retry = 'after') => new Problem({ detail, retry });

/** Awaits a lazily imported module; fails with `detail` if the server cannot be reached. Browsers before 2026 cache the
 *  failure for the page's lifetime.
 *  @template Module @param {Promise<Module>} coming @param {string} [detail] @returns {Promise<Module>} */
export const later = (coming, detail) => coming.catch(() => { throw unreachable(detail, 'reload'); });

/** Style sheets that are loaded on first use, by name.
 *  @type {Map<string, Promise<void>>} */
const styles = new Map();

/** @param {string} name */
export function loadStyle(name) {
    const coming = styles.get(name) ?? new Promise((done, fail) => {
        const link = document.createElement('link');
        const onerror = () => {
            styles.delete(name);
            link.remove();
            fail(unreachable());
        };
        document.head.append(Object.assign(link, { rel: 'stylesheet', href: new URL(`./${name}`, import.meta.url).href, onload: done, onerror }));
    });
    styles.set(name, coming);
    return coming;
}

/** Loads at the first call, and again after a failure. Those who wait go on in the order in which they called: Chromium answers
 *  imports of one module in any order.
 *  @template Loaded @param {() => Promise<Loaded>} load @returns {() => Promise<Loaded>} */
export function once(load) {
    /** @type {Promise<Loaded> | null} */
    let coming = null;
    return () => coming ??= load().catch((failure) => {
        coming = null;
        throw failure;
    });
}

/** The CSRF token, sent with every request that changes something: another site could send the cookie, but not this. Null
 *  before a login.
 *  @type {Promise<string | null>} */
let forgeryToken = Promise.resolve(null);

/** @typedef {{body?: unknown, signal?: AbortSignal, headers?: Record<string, string>}} CallOptions */

/** Sends a request; returns the response's JSON, or null if it has none.
 *  @param {string} method
 *  @param {string} path
 *  @param {CallOptions} options
 *  @returns {Promise<any>} */
export async function call(method, path, { body, signal, headers = {} } = {}) {
    /** @type {RequestInit & {headers: Record<string, string>}} */
    const request = { method, signal, headers: { Accept: 'application/json', ...headers }, credentials: 'same-origin' };
    if (body !== undefined) {
        request.body = JSON.stringify(body);
        request.headers['Content-Type'] = 'application/json';
    }
    const token = method === 'GET' ? null : await forgeryToken;
    if (token) request.headers['Tintype-CSRF'] = token;
    const response = await send(path, request);
    return response.status === 204 ? null : response.json();
}

/** Sends a request; fails with a `Problem` unless it succeeds, and goes to the login page if the session has ended.
 *  @param {string} path
 *  @param {RequestInit} request */
export async function send(path, request) {
    let response;
    try {
        response = await fetch(path, request);
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw unreachable();
    }
    if (response.ok) return response;
    if (response.status === 401) toLogin();
    /** @type {{detail?: string}} */
    let details = {};
    try {
        details = await response.json();
    } catch { /* A proxy in between answers with its own page; the status says enough. */ }
    // So answers a proxy whose server is starting, and a server whose database is away.
    if ([502, 503, 504].includes(response.status)) throw unreachable(details.detail);
    throw new Problem({ ...details, status: response.status });
}

/** Where to return after a login; only an address of this page. */
const returnKey = 'return-to';

/** Goes to the login page, which returns here. A picker's page explains the login itself. */
function toLogin() {
    if (location.pathname !== '/') return;
    localStorage.setItem(returnKey, JSON.stringify({ place: location.search, time: Date.now() }));
    location.replace('/login?ended');
}

/** Where to go after a login: where the last one ended, if within an hour. */
export function afterLogin() {
    let kept = null;
    try {
        kept = JSON.parse(localStorage.getItem(returnKey) ?? 'null');
    } catch { /* Not ours. */ }
    localStorage.removeItem(returnKey);
    return kept && Date.now() - kept.time < 3_600_000 && /^\?/.test(kept.place) ? `/${kept.place}` : '/';
}

/** How often an unreachable server is tried, in milliseconds. */
const askTime = 3000;

/** Whether the server responds. */
export const isBack = () => fetch('/healthz', { cache: 'no-store' }).then((answer) => answer.ok, () => false);

/** What waits for the server.
 *  @type {(() => unknown)[]} */
const waiting = [];

/** Calls `work` once the server responds again; however many wait, one of them asks.
 *  @param {() => unknown} work */
export function onceBack(work) {
    if (waiting.push(work) > 1) return;
    const ask = async () => {
        if (document.hidden || !await isBack()) setTimeout(ask, askTime);
        else for (const one of waiting.splice(0)) queueMicrotask(one);
    };
    setTimeout(ask, askTime);
}

/** @param {string} path @param {CallOptions} [options] */
export const get = (path, options) => call('GET', path, options);
/** @param {string} path @param {object} body */
export const post = (path, body = {}) => call('POST', path, { body });
/** @param {string} path @param {object} body */
export const put = (path, body) => call('PUT', path, { body });
/** @param {string} path @param {object} body */
export const patch = (path, body) => call('PATCH', path, { body });
/** @param {string} path */
export const remove = (path) => call('DELETE', path);

/** Returns who is logged in, and keeps the session's CSRF token, for which requests that change something wait. */
export function currentSession() {
    const coming = get('/v1/admin/web-logins/current');
    const before = forgeryToken;
    forgeryToken = coming.then((session) => session.csrfToken ?? null, () => before);
    return coming;
}

/** A query string of the items that have a value.
 *  @param {Record<string, Attribute>} items */
export function query(items) {
    const list = Object.entries(items).filter(([, value]) => value !== null && value !== undefined && value !== '');
    return list.length ? `?${new URLSearchParams(/** @type {[string, string][]} */ (list))}` : '';
}

/** Template tag for a path: each value becomes one percent-encoded segment.
 *  @param {TemplateStringsArray} strings @param {...(string | number)} values */
export function path(strings, ...values) {
    return strings.reduce((text, part, index) => text + encodeURIComponent(values[index - 1]) + part);
}

/** Fetches a list page by page; `place` is the parameter that continues it.
 *  @template Item @param {string} address @param {string} key @param {string} place @param {number} most @returns {Promise<Item[]>} */
async function allPages(address, key, place, most = Infinity) {
    /** @type {Item[]} */
    const list = [];
    /** @type {string | null} */
    let next = null;
    do {
        /** @type {Record<string, any>} */
        const page = await get(address + query({ limit: 500, [place]: next }));
        list.push(...page[key]);
        next = page.next;
    } while (next && list.length < most);
    return list;
}

/** @returns {Promise<AlbumEntry[]>} */
export const allAlbums = (base = '/v1') => allPages(`${base}/albums`, 'albums', 'cursor', 5000);
/** @returns {Promise<Device[]>} */
export const allDevices = () => allPages('/v1/admin/devices', 'devices', 'after');

/** How long changes are collected before what they affect is loaded again, in milliseconds. */
const gatherTime = 1200;

/** Collects requests for `work`, which runs once for all that come within `gatherTime` of the first.
 *  @param {() => unknown} work */
export function gathered(work) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    return {
        request() {
            timer ??= setTimeout(() => {
                timer = undefined;
                work();
            }, gatherTime);
        },
        cancel() { clearTimeout(timer); },
    };
}

/** Subscribes to the library's changes; the browser reconnects by itself from the last token.
 *  @param {string | null} token
 *  @param {{onChange: (change: EntityChange) => void, onToken: (token: string) => void, onState: (isConnected: boolean, isOver?: boolean) => void}} handlers */
export function follow(token, { onChange, onToken, onState }) {
    const source = new EventSource(`/v1/changes/stream${query({ since: token })}`);
    source.addEventListener('open', () => onState(true));
    source.addEventListener('error', () => onState(false, source.readyState === EventSource.CLOSED));
    source.addEventListener('token', (event) => onToken(event.data));
    source.addEventListener('change', (event) => onChange(JSON.parse(event.data)));
    return () => source.close();
}
