// Picking photos for a caller without access to the library: who asks, why and until when stay in view, the request limits
// what may be picked, and only picked photos are disclosed. The server enforces all of this.

import { Problem, allAlbums, call, currentSession, get, path, query } from './api.js';
import { fingerprint, focusEntry } from './admin.js';
import { button, element, fill, icon, inert } from './dom.js';
import { flatFilters } from './filter-fields.js';
import { searchField } from './filters.js';
import { assetName, ago, counted, moment } from './format.js';
import { emptyState } from './empty.js';
import { Grid } from './grid.js';
import { thumbnail } from './media.js';
import { notify, notifyProblem } from './notices.js';
import { askOptions } from './picker-options.js';
import { filterTree } from './route.js';
import { Scrubber } from './scrubber.js';
import { Selection } from './selection.js';
import { Strip } from './strip.js';
import { librarySource } from './source.js';
import { Timeline } from './timeline.js';

/** How long the selection must be stable before it is sent, in milliseconds. */
const settleTime = 250;

const content = document.getElementById('content');
const id = /** @type {string} */ (location.pathname.split('/').pop());
const key = `pick:${id}`;
if (location.hash.length > 1) {
    sessionStorage.setItem(key, location.hash.slice(1));
    history.replaceState(null, '', location.pathname + location.search);
}
const headers = { 'Tintype-Pick-Secret': sessionStorage.getItem(key) ?? '' };
/** @param {string} method @param {string} part @param {object} [body] */
const pick = (method, part = '', body) => call(method, path`/v1/picks/${id}` + part, { body, headers });

/** Origins that may embed this page; only they receive its events. */
const embedders = (/** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name=embedders]'))?.content ?? '').split(' ').filter(Boolean);
/** How often the page polls for changes made by the caller, in milliseconds. */
const lookTime = 3000;

/** @type {PickerSession} */
let session;
/** @type {Record<string, string>} */
let filter = {};
/** Of some only their identifiers are known.
 *  @type {Selection<Asset>} */
let selection;
/** @type {{grid?: Grid, showSelection: () => void, close: () => void} | null} */
let view = null;
/** @type {Named[]} */
let albums = [];
/** @type {{name: string, key?: string, isDevice?: boolean}} */
let caller;
/** @type {Set<string>} */
let stripped = new Set();
/** @type {string | null} */
let encoding = null;
let sending = Promise.resolve(true);
/** How many choices were not taken whole. */
let refusals = 0;
/** @type {ReturnType<typeof setTimeout> | null} */
let sendTimer = null;

const style = new URLSearchParams(location.search).get('style') ?? '';
if (['inline', 'compact'].includes(style)) document.body.classList.add(style);

/** @param {string} capability */
const isOff = (capability) => (session.request.disabledCapabilities ?? []).includes(capability);
/** The most photos that may be picked; 0 for any number. */
const limit = () => session.request.selectionLimit ?? 1;

/** Reports an event to the embedding page, never what was picked: only the session's caller may read that.
 *  @param {string} event */
function announce(event, count = selection.size) {
    if (window.parent === window) return;
    const message = { type: 'tintype.picker', version: 1, session: id, event, count };
    for (const origin of embedders) window.parent.postMessage(message, origin);
}

// MARK: Who asks

function showBadge() {
    const { code, request, expires } = session;
    fill(document.getElementById('badge'),
        element('div', { class: 'who' }, icon(caller.isDevice ? 'camera' : 'person'), element('h1', {}, caller.name), element('span', { class: 'quiet' }, 'asks for '),
            element('strong', {}, limit() === 1 ? 'one photo' : limit() === 0 ? 'photos' : `up to ${counted(limit(), 'photo')}`)),
        element('q', {}, request.purpose),
        element('dl', { class: 'facts' },
            element('div', {}, element('dt', {}, 'Code'), element('dd', { class: 'code' }, code)),
            element('div', {}, element('dt', {}, 'Chosen'), element('dd', {}, element('span', { role: 'status', id: 'count' }, countText()))),
            element('div', {}, element('dt', {}, 'Ends'), element('dd', { title: moment(expires), id: 'ends' }, ago(expires))),
            element('div', {}, element('dt', {}, 'Gets'), element('dd', {}, element('span', { id: 'gets' }, getsText()), ' ',
                button('Options', { onClick: () => showOptions().catch(notifyProblem), class: 'link' }))),
            caller.key && element('div', {}, element('dt', {}, 'Key'), element('dd', {}, fingerprint(caller.key)))),
        request.isContinuous && element('p', { class: 'banner' }, icon('info'), ` “${caller.name}” receives each photo as you choose it.`),
        onboarding(caller.name));
}

/** Describes what the caller receives. */
function getsText() {
    const strips = new Set([...(session.strip ?? []), ...stripped]);
    /** @type {Record<string, string>} */
    const forms = { original: 'the originals', compatible: 'photos as JPEG, movies as H.264' };
    return [
        forms[encoding ?? session.encoding] ?? 'photos as shown',
        strips.has('location') ? 'without location' : 'with location', strips.has('captions') ? 'without captions' : null,
    ].filter(Boolean).join(', ');
}

async function showOptions() {
    const chosen = await askOptions({ session, stripped, encoding: encoding ?? session.encoding, name: caller.name });
    if (!chosen) return;
    stripped = new Set(chosen.strip);
    encoding = chosen.encoding ?? null;
    // A choice that was refused or overtaken took the options with it.
    if (!await send()) await send();
    document.getElementById('gets')?.replaceChildren(getsText());
}

/** Who asks: a device by its name, with its key fingerprint for comparison. */
async function whoAsks() {
    if (!session.deviceID) return { name: session.caller };
    try {
        const device = await get(path`/v1/admin/devices/${session.deviceID}`);
        return { name: device.name, key: device.keyFingerprint, isDevice: true };
    } catch {
        return { name: session.caller, isDevice: true };
    }
}

/** The explanation shown for a caller's first session.
 *  @param {string} name */
function onboarding(name) {
    const known = `picked-for:${name}`;
    if (localStorage.getItem(known)) return null;
    return element('p', { class: 'banner' }, icon('info'), ` “${name}” receives only what you choose here. It sees nothing else of the library. `,
        button('Understood', { onClick: (event) => {
            localStorage.setItem(known, 'yes');
            /** @type {Element} */ (event.target).closest('.banner')?.remove();
            content?.focus();
        } }));
}

function countText() {
    const size = selection?.size ?? 0;
    return limit() > 0 ? `${size} of ${limit()}` : String(size);
}

// MARK: Choosing

function showGrid() {
    leaveView();
    const tree = filterTree(filter, []);
    if (style === 'compact') return showStrip(tree);
    const timeline = new Timeline(librarySource(tree, { base: path`/v1/picks/${id}`, headers }));
    const grid = new Grid(timeline, { selection, onOpen: () => {}, label: 'Photos to choose from', selectsOnly: true });
    const scrubber = new Scrubber(grid);
    const body = element('div', { class: 'wall' }, grid.scroller, grid.dayLine, scrubber.track);
    view = { grid, showSelection: () => grid.showSelection(), close: () => grid.close() };
    fill(content, element('section', { class: 'gallery' }, tools(), body));
    timeline.load().then(() => {
        if (timeline.sections.length > 0) return;
        body.classList.add('is-empty');
        body.append(emptyState('filter', 'Nothing to choose', 'No photo matches the request.'));
    }).catch((problem) => body.append(emptyState('warning', 'The request was refused', problem.message)));
}

/** The compact style: one row.
 *  @param {Filter | null} tree */
function showStrip(tree) {
    const strip = new Strip((cursor) => get(path`/v1/picks/${id}/assets` + query({ filter: tree && JSON.stringify(tree), limit: 60, cursor }), { headers }), selection);
    const own = view = { showSelection: () => strip.mark(), close: () => strip.close() };
    fill(content, strip.root);
    /** Unless the end is shown by now.
     *  @param {Element} what */
    const explain = (what) => view === own && fill(content, what);
    strip.load().then((hasAny) => hasAny || explain(emptyState('filter', 'Nothing to choose', 'No photo matches the request.')))
        .catch((problem) => explain(emptyState('warning', 'The request was refused', problem.message)));
}

function leaveView() {
    view?.close();
    view = null;
}

function tools() {
    /** @param {Record<string, string>} next */
    const change = (next) => {
        filter = next;
        showGrid();
    };
    return element('div', { class: 'view-heading' },
        !isOff('search') && searchField(filter.text, (text) => change({ ...filter, text })),
        flatFilters(filter, {
            lists: { albums: isOff('collectionNavigation') ? [] : albums }, fixed: ['device', 'keyword', 'rating'], onChange: change,
            findKinds: () => pick('GET', '/timeline?kinds=true'),
        }));
}

/** Updates the number of picked photos, above and below them. */
function showCount() {
    document.getElementById('count')?.replaceChildren(countText());
    showFooter();
}

function choiceChanged() {
    showCount();
    clearTimeout(sendTimer);
    sendTimer = setTimeout(send, settleTime);
}

/** Sends the selection to the server, which refuses what the request does not allow, and leaves out what others have trashed,
 *  hidden or changed since it was chosen; returns whether all of it was taken. */
function send() {
    const choice = { assets: [...selection.assets.keys()], strip: [...stripped], encoding: encoding ?? undefined };
    const known = refusals;
    sendTimer = null;
    // One at a time: each is based on the revision of the previous one.
    sending = sending.then(async () => {
        // One before it was not taken whole, which has put another choice in view.
        if (known !== refusals || session.state !== 'open') return false;
        session = await pick('PUT', '/selection', { ...choice, revision: session.revision });
        const kept = new Set(session.picked);
        const gone = new Set(choice.assets.filter((one) => !kept.has(one)));
        if (gone.size > 0) {
            // A choice that waits contains them too and would be refused: what was chosen meanwhile is sent again.
            refusals += 1;
            showChoice([...selection.assets.keys()].filter((one) => !gone.has(one)));
            notify(`No longer offered, so left out: ${counted(gone.size, 'photo')}.`);
            if (String([...selection.assets.keys()]) !== String(session.picked)) choiceChanged();
        }
        announce('changed');
        return gone.size === 0;
    }).catch(async (problem) => {
        refusals += 1;
        if (session.state !== 'open') return false;
        if (problem.code === 'picker.changed') return look().then(() => false);
        notifyProblem(problem);
        // Suggested photos may have been deleted since the page was opened.
        if (!problem.isOffline) session = await pick('GET').catch(() => session);
        // Choices made while this was asked are out of view from here on.
        refusals += 1;
        showChoice(session.picked);
        return false;
    });
    return sending;
}

/** Replaces the selection with the server's. A focus that is lost so goes to “Done” if it was beside it, else to the photos.
 *  @param {string[]} ids */
function showChoice(ids) {
    const known = selection.assets;
    const focused = document.activeElement;
    const footer = document.getElementById('choice');
    const isBelow = footer?.contains(focused);
    selection.assets = new Map(ids.map((one) => [one, known.get(one) ?? /** @type {Asset} */ ({ id: one })]));
    view?.showSelection();
    showCount();
    if (focused === document.body || document.activeElement !== document.body) return;
    /** @type {HTMLElement | null | undefined} */ ((isBelow && footer?.querySelector('.button:enabled')) || content)?.focus();
}

/** Checks whether the caller removed or moved photos, or ended the session. */
async function look() {
    const before = sending;
    try {
        const now = await pick('GET');
        // What was chosen meanwhile is newer than the answer; sent on an old revision, it is refused.
        if (session.state !== 'open' || before !== sending || sendTimer) return;
        const isOther = now.revision !== session.revision;
        const isForOther = now.request.purpose !== session.request.purpose;
        session = now;
        document.getElementById('ends')?.replaceChildren(ago(now.expires));
        if (!isOther) return;
        showChoice(now.picked);
        if (isForOther) showBadge();
        notify(isForOther ? `“${caller.name}” changed what the photos are for.` : `“${caller.name}” changed the selection.`);
    } catch (problem) {
        if (problem instanceof Problem && problem.status !== 0 && session.state === 'open') {
            session = { ...session, state: 'ended' };
            showEnd(problem);
        }
    }
}

/** Polls while the page is visible and nothing is about to be sent. */
function keepLooking() {
    setTimeout(async () => {
        if (session.state !== 'open') return;
        if (!document.hidden && !sendTimer) await sending.then(look);
        keepLooking();
    }, lookTime);
}

function showFooter() {
    const isEmpty = selection.size === 0;
    fill(document.getElementById('choice'),
        !isOff('selectionActions') && button('Cancel', { onClick: () => finish('/cancel') }),
        element('span', { class: 'strip', aria: { hidden: 'true' } }, [...selection.assets.keys()].slice(-6).map((one) =>
            element('img', { src: thumbnail({ id: one }), alt: '' }))),
        !isOff('stagingArea') && limit() !== 1 && button(`Review (${selection.size})`, { onClick: showReview, disabled: isEmpty }),
        isOff('selectionActions') && element('span', { class: 'quiet' }, `“${caller.name}” says when it has enough.`),
        !isOff('selectionActions') && button(isEmpty ? 'Done' : `Hand over ${counted(selection.size, 'photo')}`, {
            isQuiet: false, disabled: isEmpty, onClick: () => finish('/done'),
        }));
}

// MARK: Review

/** The picked photos in order, to be removed or moved before they are handed over; returns their list.
 *  @returns {Element} */
function showReview() {
    leaveView();
    const entries = [...selection.assets.values()];
    /** @param {number} index @param {string} name */
    const again = (index, name) => focusEntry(showReview(), index, name);
    /** @param {number} index @param {number} by @param {string} name */
    const move = (index, by, name) => {
        entries.splice(index + by, 0, ...entries.splice(index, 1));
        selection.assets = new Map(entries.map((one) => [one.id, one]));
        selection.changed();
        again(index + by, name);
    };
    const list = element('ol', { class: 'covers' }, entries.map((asset, index) => element('li', {},
        element('span', { class: 'frame' }, element('img', { src: thumbnail(asset), alt: asset.captureTime ? assetName(asset) : 'Photo' })),
        element('span', { class: 'title-line' },
            session.request.isOrdered && button('Earlier', { symbol: 'back', disabled: index === 0, onClick: () => move(index, -1, 'Earlier') }),
            session.request.isOrdered && button('Later', { symbol: 'forward', disabled: index === entries.length - 1, onClick: () => move(index, 1, 'Later') }),
            button('Do not hand over', { symbol: 'close', onClick: () => {
                selection.remove([asset.id]);
                if (selection.size > 0) return again(index, 'Do not hand over');
                showGrid();
                content?.focus();
            } })))));
    fill(content, element('section', { class: 'page' },
        element('div', { class: 'title-line' }, element('h2', {}, 'Photos to hand over'), button('Back to the photos', { onClick: showGrid })), list));
    // Emptied first: the focus of one photo's button must not go to the one of the same name of another.
    view = { showSelection: () => (selection.size === 0 ? showGrid() : showReview()), close: () => list.replaceChildren() };
    return list;
}

/** @param {string} way */
async function finish(way) {
    try {
        clearTimeout(sendTimer);
        // Nothing goes that is not in view: a choice that was not taken is shown as it is first.
        if (way === '/done' && !await send()) return;
        session = await pick('POST', way, {});
        showEnd();
    } catch (problem) {
        if (problem.code === 'picker.changed') return look();
        notifyProblem(problem);
        // What Cancel has held back.
        if (sendTimer) choiceChanged();
    }
}

// MARK: The end

/** @type {Record<string, [string, string, string]>} */
const endings = {
    done: ['check', 'Handed over', 'Exactly what you chose, and nothing else. You can close this page.'],
    cancelled: ['close', 'Nothing was handed over', 'You can close this page.'],
    ended: ['clock', 'This request has ended', 'The requester can ask again.'],
};

/** What a problem means for the person: a symbol, a title and lines.
 *  @param {Problem} problem @returns {[string, string, ...(string | Element)[]]} */
function explained(problem) {
    if (problem.isLoggedOut) return ['person', 'Log in first', 'Open a link from “tintypectl web login” in this browser, then open this address again.'];
    if (problem.isOffline) {
        const again = button('Try again', { isQuiet: false, onClick: async () => {
            again.disabled = true;
            await start();
            if (document.activeElement === document.body) content?.focus();
        } });
        return ['warning', 'The server cannot be reached', 'Nothing was handed over. Check the network, then try again.', again];
    }
    if (problem.code === 'picker.ended') return endings.ended;
    if (problem.code === 'object.not_found') {
        return ['warning', 'This link is incomplete or no longer valid', 'Open the whole link, including the part after “#”, or ask the requester for a new one.'];
    }
    return ['warning', 'This request cannot be shown', problem.message];
}

/** The end, or why there is nothing to choose. The embedding page is told of an end alone: a request that cannot be shown may
 *  still be open.
 *  @param {Problem} [problem] */
function showEnd(problem) {
    leaveView();
    if (!problem) announce(session.state, session.picked.length);
    else if (problem.code === 'picker.ended') announce('ended', 0);
    document.getElementById('choice')?.replaceChildren();
    document.getElementById('badge')?.replaceChildren();
    fill(content, element('h1', { class: 'hidden' }, 'Choosing photos'),
        element('div', { class: 'empty' }, emptyState(...(problem ? explained(problem) : endings[session.state]))));
}

async function start() {
    try {
        await currentSession();
    } catch (problem) {
        if (problem.isLoggedOut) return showEnd(problem);
    }
    try {
        session = await pick('GET');
    } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        return showEnd(problem);
    }
    if (session.state !== 'open') return showEnd();
    caller = await whoAsks();
    document.title = inert(`Choose photos for ${caller.name} · Tintype`);
    stripped = new Set((session.strip ?? []).filter((part) => !(session.request.strip ?? ['location']).includes(part)));
    selection = new Selection({ limit: limit() });
    selection.isOrdered = Boolean(session.request.isOrdered);
    for (const one of session.picked) selection.assets.set(one, /** @type {Asset} */ ({ id: one }));
    selection.addEventListener('change', choiceChanged);
    selection.addEventListener('full', () => notify(`At most ${counted(limit(), 'photo')} can be chosen.`));
    showBadge();
    showFooter();
    if (!isOff('collectionNavigation')) albums = (await allAlbums().catch(() => [])).map(({ album }) => ({ id: album.id, name: album.title }));
    showGrid();
    announce('ready');
    keepLooking();
}

start();
