// The page's frame: who is logged in, the navigation, and the view for the current address.

import { currentSession, follow, get, later, onceBack, post, unreachable } from './api.js';
import { button, element, fill, icon, setAria } from './dom.js';
import { allAlbums, ask } from './dialogs.js';
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
let view = null;
let stopFollowing = null;

/** Views that are loaded on first use. */
const administration = {
    inbox: () => later(import('./inbox.js')).then((module) => new module.Inbox()),
    devices: (place) => later(import('./devices.js')).then((module) => (place.id ? new module.DevicePage(place.id) : new module.DeviceList())),
    health: () => later(import('./health.js')).then((module) => new module.Health()),
    audit: (place) => later(import('./audit.js')).then((module) => new module.Audit(place)),
    sessions: () => later(import('./sessions.js')).then((module) => new module.Sessions()),
    map: (place) => later(import('./map-view.js')).then((module) => new module.MapView(place, { lists })),
    moment: (place) => later(import('./moment.js')).then((module) => new module.Moment(place, lists)),
    select: (place) => later(import('./select.js')).then((module) => new module.SelectionEditor(place, lists)),
};

let pagesStyle = null;
/** The style sheet of the pages other than the gallery, loaded on first use. */
function loadPagesStyle() {
    pagesStyle ??= new Promise((done, fail) => {
        const error = () => {
            pagesStyle = null;
            link.remove();
            fail(unreachable());
        };
        const link = element('link', { rel: 'stylesheet', href: new URL('./pages.css', import.meta.url).href, on: { load: done, error } });
        document.head.append(link);
    });
    return pagesStyle;
}

async function makeView(place) {
    const common = { lists, deviceName, onToken: listen };
    switch (place.view) {
        case 'favorites': return new Gallery(place, { ...common, title: 'Favourites', fixed: ['favorites'] });
        case 'trash': return new Gallery(place, { ...common, title: 'Trash', isTrash: true });
        case 'albums': return later(import('./albums.js')).then((module) => new module.AlbumWall());
        case 'album': return albumView(place, common);
        default:
            if (place.view in administration) return (await Promise.all([administration[place.view](place), loadPagesStyle()]))[0];
            return new Gallery(place, { ...common, title: 'Photos' });
    }
}

async function albumView(place, common) {
    const [{ albumTools }, { AlbumTimeline }, { AlbumReorder }] = await later(Promise.all([
        import('./albums.js'), import('./album-timeline.js'), import('./album-reorder.js'),
    ]));
    const album = (await allAlbums()).find((entry) => entry.album.id === place.id)?.album;
    if (!album) throw Object.assign(new Error('This album does not exist any more.'), { retry: 'never' });
    // A filtered album is shown by month, not in its own order.
    const isArranged = Object.keys(place.filter).length === 0;
    const gallery = new Gallery(place, {
        ...common, title: album.title, album, fixed: [{ album: album.id }], timeline: isArranged ? new AlbumTimeline(album) : undefined,
    });
    if (isArranged && album.order !== 'captureDate' && album.order !== 'newestFirst') gallery.arranging = new AlbumReorder(gallery);
    gallery.headingTools = () => albumTools(gallery.album, (edited) => {
        Object.assign(gallery, { album: edited, title: edited.title });
        gallery.showHeading();
    });
    return gallery;
}

const deviceName = (id) => lists.devices.find((device) => device.id === id)?.name;

let shown = 0;
async function show() {
    const turn = ++shown;
    const place = readPlace();
    view?.close();
    view = null;
    document.title = `${places.find((one) => one.view === place.view)?.name ?? 'Tintype'} · Tintype`;
    showPlaces(place);
    showSearch(place);
    try {
        const made = await makeView(place);
        if (turn !== shown) return made.close();
        view = made;
        fill(content, view.root);
        await view.start();
    } catch (problem) {
        if (turn !== shown || problem.isLoggedOut) return;
        const again = () => (problem.retry === 'reload' ? location.reload() : show());
        if (problem.isOffline) onceBack(() => turn === shown && again());
        fill(content, element('h1', { class: 'hidden' }, 'Nothing here'), emptyState('warning', problem.isOffline ? 'The server cannot be reached' : 'This cannot be shown', problem.message,
            button(problem.isOffline ? 'Try again' : 'All photos', { isQuiet: false, onClick: () => (problem.isOffline ? again() : go({})) })));
    }
    countRequests();
}

// MARK: Frame

/** The search field always shows the current search. */
function showSearch(place) {
    const input = /** @type {HTMLInputElement | null} */ (document.querySelector('#top .search input'));
    const text = place.filter.text ?? '';
    // While the user types, the field is ahead of the address.
    if (input && document.activeElement !== input && input.value !== text) input.value = text;
}

function showTop() {
    const place = readPlace();
    fill(document.getElementById('top'),
        element('a', { href: '/', class: 'brand', on: { click: (event) => visit(event, { view: 'photos' }) } }, element('span', {}, 'Tintype')),
        searchField(place.filter.text, async (text, isMeant) => {
            const now = readPlace();
            const isGallery = ['photos', 'favorites', 'album', 'map', 'trash'].includes(now.view);
            // Only a submitted search is parsed for a camera and a day.
            const searchWords = isMeant && text ? await import('./search-words.js').then((module) => module.searchWords, () => null) : null;
            const understood = searchWords ? searchWords(text, { devices: lists.devices }) : { text };
            const input = /** @type {HTMLInputElement} */ (document.querySelector('#top .search input'));
            // Words that became a filter leave the field, unless the user has typed on.
            if (isMeant && input.value.trim() === text) input.value = understood.text;
            go({ ...(isGallery ? now : {}), filter: { ...isGallery && now.filter, ...understood }, asset: null }, { replaces: Boolean(now.filter.text && text) });
        }),
        element('span', { class: 'session' }, button('Log out', { onClick: logOut })));
}

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

function visit(event, place) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(place);
}

/** How often the inbox is polled, in milliseconds: somebody may be waiting at a camera. */
const inboxTime = 10_000;
setInterval(() => document.hidden || countRequests(), inboxTime);

/** @type {Promise<any> | null} */
let devicesComing = null;
/** All devices; concurrent callers share one request. */
const fetchDevices = () => (devicesComing ??= get('/v1/admin/devices?limit=500').finally(() => { devicesComing = null; }));

let waitingNow = null;
/** Shows the number of open requests beside the inbox, and refreshes the inbox if it is open. */
async function countRequests() {
    try {
        const [{ requests, expansions = [] }, { devices }] = await Promise.all([get('/v1/admin/requests'), fetchDevices()]);
        const waiting = new Set([...requests.map((one) => one.deviceID), ...devices.filter((one) => one.state === 'pending' && !one.isRefused).map((one) => one.id)]);
        const count = waiting.size + expansions.length;
        const now = JSON.stringify([[...waiting].sort(), expansions.map((one) => [one.id, one.reason])]);
        if (waitingNow !== null && now !== waitingNow && readPlace().view === 'inbox' && !document.querySelector('dialog[open]')) view?.load?.();
        waitingNow = now;
        const link = document.querySelector('#places [data-view="inbox"]');
        link?.querySelector('.count')?.remove();
        if (count > 0) link?.append(element('span', { class: 'count' }, String(count), element('span', { class: 'hidden' }, ' waiting')));
    } catch { /* The inbox itself says what is wrong. */ }
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

let lastToken = null;

/** Follows the changes after a token. Only a visible page does: a browser has few connections per server, and a hidden
 *  or cached page would occupy one. */
function listen(token) {
    lastToken ??= token;
    if (stopFollowing || !lastToken || document.hidden) return;
    stopFollowing = follow(lastToken, {
        onChange: (change) => view?.follow?.(change),
        onToken: (now) => { lastToken = now; },
        onState: (isConnected, isOver) => {
            document.body.classList.toggle('offline', !isConnected);
            if (!isOver) return;
            // The token or the session has expired: the next load finds out which.
            stopFollowing = lastToken = null;
            setTimeout(() => view?.load?.(), 3000);
        },
    });
}

function rest() {
    stopFollowing?.();
    stopFollowing = null;
}

/** What a promise gave; undefined where it failed. @param {PromiseSettledResult<any>} result */
const valueOf = (result) => (result.status === 'fulfilled' ? result.value : undefined);

async function fetchLists() {
    const [devices, albums] = await Promise.allSettled([fetchDevices(), allAlbums()]);
    lists.devices = (valueOf(devices)?.devices ?? []).map(({ id, name }) => ({ id, name }));
    lists.albums = (valueOf(albums) ?? []).map(({ album }) => ({ id: album.id, name: album.title }));
    view?.setLists?.(lists);
}

// MARK: Start

addEventListener('place', show);
// A device was renamed.
addEventListener('lists', () => fetchLists());
addEventListener('popstate', () => view?.follows?.(readPlace()) || show());
addEventListener('pagehide', rest);
addEventListener('pageshow', () => listen(null));
document.addEventListener('visibilitychange', () => (document.hidden ? rest() : listen(null)));
addEventListener('keydown', (event) => {
    if (event.target instanceof Element && event.target.closest('input, textarea, select, dialog')) return;
    if ((event.ctrlKey || event.metaKey) && event.key === 'z') undoLast();
    else if (event.key === '?') showKeys();
    else if (event.key === '/') {
        event.preventDefault();
        document.querySelector('.search input')?.focus();
    }
});

const keys = [
    ['/', 'search'], ['Arrows, Home, End', 'move between photos'], ['Enter', 'open a photo'], ['Escape', 'close it, or clear the selection'],
    ['Space or X', 'select a photo'], ['Shift + arrows, Shift + click', 'select a range'], ['Ctrl + A', 'select all'],
    ['F', 'favourite, in an open photo'], ['1 to 5, 0', 'stars'], ['+, −, Z', 'zoom in, out, to full size; the arrows then pan'], ['I', 'details'], ['S', 'slideshow'], ['C', 'the same moment, all cameras'], ['L, M', 'play a Live Photo, its sound'], ['Delete', 'move to the trash'],
    ['Ctrl + Z', 'undo'], ['?', 'this list'],
];

function showKeys() {
    ask('Keys', (_, dialog) => element('div', {},
        element('dl', { class: 'keys' }, keys.flatMap(([key, text]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, text)])),
        element('div', { class: 'actions' }, button('Close', { isQuiet: false, onClick: () => dialog.close() }))));
}

async function showName() {
    const { name } = await currentSession();
    if (name) document.querySelector('#top .session')?.prepend(element('span', { class: 'quiet' }, name));
}

showTop();
// Photos load without waiting for the user's name.
showName().catch(() => {});
show().then(fetchLists);
