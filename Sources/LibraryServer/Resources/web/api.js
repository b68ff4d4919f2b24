// Calls of the library's interface. What a browser session adds to them, the cookie and the token against forged
// requests, is added here and nowhere else.

/** What the server answered instead of doing it (RFC 9457). */
export class Problem extends Error {
    constructor(details) {
        super(details.detail || details.title || 'The server could not do that.');
        Object.assign(this, { code: '', status: 0, retry: 'never', title: '' }, details);
        this.code = details.code ?? (details.type ?? '').split('/').pop();
    }

    get isOffline() { return this.status === 0; }
    get isLoggedOut() { return this.status === 401; }
}

const unreachable = (detail = 'The server cannot be reached. What you see may be old.') => new Problem({ detail, retry: 'after' });

/** A module that comes when it is needed; without the server it does not, which `detail` says. */
export const later = (coming, detail) => coming.catch(() => { throw unreachable(detail); });

/** Goes with every request that changes something: another site's page could send the cookie, but does not know this. */
let forgeryToken = null;

/** Sends a request; gives the answer's JSON, or null where there is none. */
export async function call(method, path, { body, signal, headers = {} } = {}) {
    const request = { method, signal, headers: { Accept: 'application/json', ...headers }, credentials: 'same-origin' };
    if (body !== undefined) {
        request.body = JSON.stringify(body);
        request.headers['Content-Type'] = 'application/json';
    }
    if (method !== 'GET' && forgeryToken) request.headers['Tintype-CSRF'] = forgeryToken;
    let response;
    try {
        response = await fetch(path, request);
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw unreachable();
    }
    if (response.ok) return response.status === 204 ? null : response.json();
    if (response.status === 401) toLogin();
    let details = {};
    try {
        details = await response.json();
    } catch { /* A proxy in between answers with its own page; the status says enough. */ }
    throw new Problem({ ...details, status: response.status });
}

/** Where somebody wanted to be before the login; only a place of this page. */
const returnKey = 'return-to';

/** Goes to the login page, and comes back here afterwards. A picker's page says itself what to do. */
function toLogin() {
    if (location.pathname !== '/') return;
    localStorage.setItem(returnKey, JSON.stringify({ place: location.search, time: Date.now() }));
    location.replace('/login?ended');
}

/** Where to go after a login: where somebody was when it ended, within an hour. */
export function afterLogin() {
    let kept = null;
    try {
        kept = JSON.parse(localStorage.getItem(returnKey));
    } catch { /* Not ours. */ }
    localStorage.removeItem(returnKey);
    return kept && Date.now() - kept.time < 3_600_000 && /^\?/.test(kept.place) ? `/${kept.place}` : '/';
}

/** How often an unreachable server is asked, in milliseconds. */
const askTime = 3000;

/** Does something once the server answers again. */
export function onceBack(work) {
    const ask = async () => {
        const isBack = !document.hidden && await fetch('/healthz', { cache: 'no-store' }).then((answer) => answer.ok, () => false);
        if (isBack) work();
        else setTimeout(ask, askTime);
    };
    setTimeout(ask, askTime);
}

export const get = (path, options) => call('GET', path, options);
export const post = (path, body = {}) => call('POST', path, { body });
export const put = (path, body) => call('PUT', path, { body });
export const patch = (path, body) => call('PATCH', path, { body });
export const remove = (path) => call('DELETE', path);

/** Who is logged in; remembers the token that goes with it. */
export async function currentSession() {
    const session = await get('/v1/admin/web-logins/current');
    forgeryToken = session.csrfToken ?? null;
    return session;
}

/** A query of the items that have a value. */
export function query(items) {
    const list = Object.entries(items).filter(([, value]) => value !== null && value !== undefined && value !== '');
    return list.length ? `?${new URLSearchParams(list)}` : '';
}

/** A path with each value as one segment. */
export function path(strings, ...values) {
    return strings.reduce((text, part, index) => text + encodeURIComponent(values[index - 1]) + part);
}

/** Follows the library's changes; the browser reconnects by itself from the last token. */
export function follow(token, { onChange, onToken, onState }) {
    const source = new EventSource(`/v1/changes/stream${query({ since: token })}`);
    source.addEventListener('open', () => onState(true));
    source.addEventListener('error', () => onState(false, source.readyState === EventSource.CLOSED));
    source.addEventListener('token', (event) => onToken(event.data));
    source.addEventListener('change', (event) => onChange(JSON.parse(event.data)));
    return () => source.close();
}
