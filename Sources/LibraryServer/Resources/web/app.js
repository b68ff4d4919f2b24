// The page's frame: who is logged in, the navigation, and the view for the current address.

import { allAlbums, allDevices, currentSession, follow, gathered, get, isBack, later, loadStyle, onceBack, post } from './api.js';
import { button, element, fill, icon, setAria } from './dom.js';
import { emptyState } from './empty.js';
import { searchField } from './filters.js';
import { Gallery } from './gallery.js';
import { notifyProblem, undoLast } from './notices.js';
import { go, placeURL, readPlace } from './route.js';

const places = [
    { view: 'photos', name: 'Photos', symbol: 'photos' },
    { view: 'favorites', name: 'Favourites', symbol: 'heart' },
    { view: 'albums', name: 'Albums', symbol: 'albums' },
    { view: 'map', name: 'Map', symbol: 'map' },
    { view: 'trash', name: 'Trash', symbol: 'trash' },
    { view: 'inbox', name: 'Inbox', symbol: 'inbox', isAdmin: true },
    { view: 'devices', name: 'Devices', symbol: 'camera', isAdmin: true },
    { view: 'health', name: 'Health', symbol: 'disk', isAdmin: true },
    { view: 'audit', name: 'Audit', symbol: 'list', isAdmin: true },
    { view: 'sessions', name: 'Sessions', symbol: 'person', isAdmin: true },
];

const content = document.getElementById('content');
/** @type {Lists} */
const lists = { devices: [], albums: [] };
/** @type {View | null} */
let view = null;
/** The entry of the history that is shown; none for the first.
 *  @type {number | undefined} */
let entry;
/** How galleries were left, by entry: Back and Forward show them so again.
 *  @type {Map<number | undefined, Kept>} */
const left = new Map();
/** The most of them: each has the photos that it had loaded. */
const leftCount = 4;
/** @type {(() => void) | null} */
let stopFollowing = null;

/** Views that are loaded on first use.
 *  @type {Record<string, (place: Place) => Promise<View>>} */
const administration = {
    inbox: () => later(import('./inbox.js')).then((module) => new module.Inbox()),
    devices: (place) => later(import('./devices.js')).then((module) => (place.id ? new module.DevicePage(place.id) : new module.DeviceList())),
    health: () => later(import('./health.js')).then((module) => new module.Health()),
    audit: (place) => later(import('./audit.js')).then((module) => new module.Audit(place)),
    sessions: () => later(import('./sessions.js')).then((module) => new module.Sessions()),
    map: (place) => later(import('./map-view.js')).then((module) => new module.MapView(place, { lists })),
    moment: (place) => later(import('./moment.js')).then((module) => new module.Moment(place, lists)),
    select: (place) => later(import('./select.js')).then((module) => new module.SelectionEditor(place, lists, left.get(entry))),
};

/** @param {Place} place @returns {Promise<View>} */
async function makeView(place) {
    const common = { lists, deviceName, onToken: listen, kept: left.get(entry) };
    switch (place.view) {
        case 'favorites': return new Gallery(place, { ...common, title: 'Favourites', fixed: ['favorites'] });
        case 'trash': return new Gallery(place, { ...common, title: 'Trash', isTrash: true });
        case 'albums': return Promise.all([later(import('./albums.js')), followFromNow()]).then(([module]) => new module.AlbumWall());
        case 'album': return later(import('./album-gallery.js')).then((module) => module.openAlbum(place, common));
        default:
            if (place.view in administration) return (await Promise.all([administration[place.view](place), loadStyle('pages.css')]))[0];
            return new Gallery(place, { ...common, title: 'Photos' });
    }
}

/** @param {string | undefined} id */
const deviceName = (id) => lists.devices.find((device) => device.id === id)?.name;

function leaveView() {
    if (view) {
        const kept = view.close();
        left.delete(entry);
        // No step leads back to an entry that shows something else now.
        if (kept?.anchor && history.state?.entry !== entry) left.set(entry, kept);
        if (left.size > leftCount) left.delete(left.keys().next().value);
    }
    view = null;
    entry = history.state?.entry;
}

let shown = 0;
async function show() {
    const turn = ++shown;
    const place = readPlace();
    leaveView();
    showPlaces(place);
    search.show(place.filter.text ?? '', isSearch);
    try {
        const made = await makeView(place);
        if (turn !== shown) return made.close();
        view = made;
        // A control with the focus hands it to its successor, which has to be there.
        const started = view.start();
        fill(content, view.root);
        nameWindow();
        await started;
    } catch (problem) {
        if (turn !== shown || problem.isLoggedOut) return;
        // The next try begins where this one did.
        const kept = view?.close();
        if (kept?.anchor) left.set(entry, kept);
        view = null;
        const again = async () => {
            if (problem.retry !== 'reload') return show();
            await import('./kept-places.js').then(({ keep }) => turn === shown && keep(left)).catch(() => {});
            if (turn === shown) location.reload();
        };
        if (problem.isOffline) onceBack(() => turn === shown && again());
        // Without the server the browser would show its own error page.
        const tryAgain = async () => {
            const isThere = await isBack();
            // Another view may have come first.
            if (turn === shown) isThere ? again() : notifyProblem(problem);
        };
        fill(content, element('h1', { class: 'hidden' }, 'Nothing here'), emptyState('warning', problem.isOffline ? 'Not available at the moment' : 'This cannot be shown', problem.message,
            button(problem.isOffline ? 'Try again' : 'All photos', { isQuiet: false, onClick: () => (problem.isOffline ? tryAgain() : go({})) })));
    }
    if (turn === shown) nameWindow();
    countRequests();
}

/** The window is named as the view is, now and later. */
const headings = new MutationObserver(nameWindow);
function nameWindow() {
    const heading = content?.querySelector('h1');
    document.title = heading?.textContent ? `${heading.textContent} · Tintype` : 'Tintype';
    headings.disconnect();
    if (heading) headings.observe(heading, { childList: true });
}

// MARK: Frame

/** Whether the search field itself goes to a place: what was typed meanwhile is ahead of that. */
let isSearch = false;
const search = searchField(readPlace().filter.text, async (text, isMeant) => {
    const turn = shown;
    // Only a submitted search is parsed for a camera and a day.
    const searchWords = isMeant && text ? await import('./search-words.js').then((module) => module.searchWords, () => null) : null;
    /** @type {Record<string, string>} */
    let understood = searchWords ? searchWords(text, { devices: lists.devices }) : { text };
    // It may name a new camera, or one of a list that is still to come.
    if (searchWords && understood.text && !understood.device) understood = searchWords(text, { devices: await fetchDevices().catch(() => []) });
    if (turn !== shown) return;
    const now = readPlace();
    const isGallery = ['photos', 'favorites', 'album', 'map', 'trash'].includes(now.view);
    isSearch = true;
    go({ ...(isGallery ? now : {}), filter: { ...isGallery && now.filter, ...understood }, asset: null }, { replaces: Boolean(now.filter.text && text) });
    isSearch = false;
});

function showTop() {
    fill(document.getElementById('top'),
        element('a', { href: '/', class: 'brand', on: { click: (event) => visit(event, { view: 'photos' }) } }, element('span', {}, 'Tintype')),
        search, element('span', { class: 'session' }, button('Log out', { onClick: logOut })));
}

/** @param {Place} place */
function showPlaces(place) {
    const current = place.view === 'album' ? 'albums' : place.view === 'select' ? 'devices' : place.view;
    fill(document.getElementById('places'), places.map((one) => {
        const link = element('a', {
            href: placeURL({ view: one.view }), class: one.isAdmin ? 'admin' : '', data: { view: one.view },
            on: { click: (event) => visit(event, { view: one.view }) },
        }, icon(one.symbol), element('span', {}, one.name));
        setAria(link, 'current', one.view === current ? 'page' : null);
        return link;
    }));
    // On a phone the navigation scrolls.
    requestAnimationFrame(() => document.querySelector('#places [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }));
}

/** @param {MouseEvent} event @param {Partial<Place>} place */
function visit(event, place) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(place);
}

/** @type {Promise<Device[]> | null} */
let devicesComing = null;
/** All devices; concurrent callers share one request, and the gallery gets new names. */
const fetchDevices = () => (devicesComing ??= allDevices().then((devices) => {
    known.devices = devices.map(({ id, name }) => ({ id, name }));
    showLists();
    return devices;
}).finally(() => { devicesComing = null; }));

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pollTimer;

/** @type {string | null} */
let waitingNow = null;
/** Shows the number of open requests beside the inbox, and refreshes the inbox or the devices if they are open. */
async function countRequests() {
    const begin = Date.now();
    showLists();
    if (areListed && !(lastToken && known.albums)) fetchLists();
    try {
        /** @type {[AccessRequests, Device[]]} */
        const [{ requests, expansions = [] }, devices] = await Promise.all([get('/v1/admin/requests'), fetchDevices()]);
        view?.showDevices?.(devices);
        const waiting = new Set([...requests.map((one) => one.deviceID), ...devices.filter((one) => one.state === 'pending' && !one.isRefused).map((one) => one.id)]);
        const count = waiting.size + expansions.length;
        const now = JSON.stringify([[...waiting].sort(), expansions.map((one) => [one.id, one.reason])]);
        if (waitingNow !== null && now !== waitingNow && readPlace().view === 'inbox') view?.load?.();
        waitingNow = now;
        const link = document.querySelector('#places [data-view="inbox"]');
        link?.querySelector('.count')?.remove();
        if (count > 0) link?.append(element('span', { class: 'count' }, String(count), element('span', { class: 'hidden' }, ' waiting')));
    } catch { /* The inbox itself says what is wrong. */ }
    clearTimeout(pollTimer);
    // Somebody may be waiting at a camera; a list that comes slowly is asked for less often. In milliseconds.
    const pause = Math.min(60_000, Math.max(readPlace().view === 'inbox' ? 3000 : 10_000, 9 * (Date.now() - begin)));
    pollTimer = setTimeout(() => document.hidden || countRequests(), pause);
}

async function logOut() {
    try {
        await post('/logout');
    } catch (problem) {
        return notifyProblem(problem);
    }
    location.assign('/login');
}

// MARK: Live updates

/** @type {string | null} */
let lastToken = null;

/** Follows the changes after a token. Only a visible page does: a browser has few connections per server, and a hidden
 *  or cached page would occupy one.
 *  @param {string | null} token */
function listen(token) {
    lastToken ??= token;
    if (stopFollowing || !lastToken || document.hidden) return;
    stopFollowing = follow(lastToken, {
        onChange: (change) => {
            view?.follow?.(change);
            followAlbums(change);
        },
        onToken: (now) => { lastToken = now; },
        onState: (isConnected, isOver) => {
            document.body.classList.toggle('offline', !isConnected);
            if (!isOver) return;
            // The token or the session has expired: the next load finds out which.
            stopFollowing = lastToken = null;
            setTimeout(() => {
                view?.load?.();
                fetchLists();
            }, 3000);
        },
    });
}

/** Follows the changes from now on, if no gallery's list came with a token. */
async function followFromNow() {
    if (!lastToken) listen((await get('/v1/timeline')).token);
}

function wake() {
    listen(null);
    countRequests();
}

function rest() {
    stopFollowing?.();
    stopFollowing = null;
}

let areListed = false;
let listing = 0;
/** The lists as last fetched; no albums until they could be.
 *  @type {{devices: Named[], albums?: Named[]}} */
const known = { devices: [] };

async function fetchLists() {
    const turn = ++listing;
    // Of what changes from here on, the stream tells.
    await followFromNow().catch(() => {});
    const [albums] = await Promise.all([allAlbums().catch(() => null), fetchDevices().catch(() => {})]);
    if (turn !== listing) return;
    areListed = true;
    if (albums) known.albums = albums.map(({ album }) => ({ id: album.id, name: album.title }));
    showLists();
}

/** Gives new lists to the view, which rebuilds its filter bar: not while somebody is typing in it. */
function showLists() {
    if (!areListed || JSON.stringify({ ...lists, ...known }) === JSON.stringify(lists) || document.activeElement?.closest('.filters input')) return;
    Object.assign(lists, known);
    view?.setLists?.(lists);
}

const relisted = gathered(fetchLists);
/** Lists the albums again once somebody creates, renames or deletes one.
 *  @param {EntityChange} change */
function followAlbums({ entity }) {
    if (entity.album && !entity.asset) relisted.request();
}

// MARK: Start

document.querySelector('.skip')?.addEventListener('click', (event) => {
    // Following the link would add to the history and reload the view.
    event.preventDefault();
    content?.focus();
});
addEventListener('place', () => {
    // A new entry of the history cuts off those ahead of the one it follows, which have higher numbers.
    if (history.state?.entry !== entry) for (const one of left.keys()) if ((one ?? 0) > (entry ?? 0)) left.delete(one);
    show();
});
// A device was renamed: a list on its way may have its old name.
addEventListener('lists', () => {
    devicesComing = null;
    fetchLists();
});
addEventListener('popstate', () => {
    // Another visit, even of the same address, was left as it was.
    if (history.state?.entry !== entry || !view?.follows?.(readPlace())) show();
});
addEventListener('pagehide', rest);
addEventListener('pageshow', () => listen(null));
document.addEventListener('visibilitychange', () => (document.hidden ? rest() : wake()));
addEventListener('keydown', (event) => {
    if (event.target instanceof Element && event.target.closest('input, textarea, select') || document.querySelector('dialog[open]:not(.viewer)')) return;
    if ((event.ctrlKey || event.metaKey) && event.key === 'z') undoLast();
    else if (event.key === '?') later(import('./keys.js')).then((module) => module.showKeys()).catch(notifyProblem);
    else if (document.querySelector('dialog[open]')) return;
    else if (event.key === '/') {
        event.preventDefault();
        search.querySelector('input')?.focus();
    } else if (event.key === 'Delete' && !event.repeat) /** @type {HTMLElement | null} */ (document.querySelector('.selection-bar:not([hidden]) button:has(.icon-trash)'))?.click();
});

async function showName() {
    const { name } = await currentSession();
    if (name) document.querySelector('#top .session')?.prepend(element('span', { class: 'quiet' }, name));
}

showTop();
// Photos load without waiting for the user's name.
showName().catch(() => {});
/** Takes back what was kept while the page loaded itself again. */
async function restorePlaces() {
    if (sessionStorage.getItem('kept-places')) (await import('./kept-places.js')).restore(left);
}
// A browser that keeps nothing forbids even to look.
restorePlaces().catch(() => {}).then(show).then(fetchLists);
