// The facts of an asset: its metadata, editing, downloads and history.

import { get, later, path, query, send } from './api.js';
import { cameraFacts, coordinates } from './camera-facts.js';
import { button, element, fill, icon } from './dom.js';
import { downloads } from './downloads.js';
import { actorName, ago, bytes, captureDate, captureMoment, clock, counted, kind, moment, seconds } from './format.js';
import { boxText, go } from './route.js';
import { foreignOffset } from './utc-offset.js';

/** @typedef {import('./edits.js').Edits} Edits */
/** @typedef {(work: () => unknown) => unknown} Guard */

/** @type {Record<string, string>} */
const sources = {
    deviceClock: 'the device’s clock', fileMetadata: 'the file’s own metadata', fileModification: 'the file’s date',
    corrected: 'the clock, corrected afterwards', satellite: 'a satellite receiver',
};

/** The panel beside the picture.
 *  @param {Asset} asset @param {ViewerContext} context */
export function detailsPanel(asset, context) {
    const { edits, guard } = context;
    return [
        edits && !context.isTrash ? editing(asset, edits, guard) : description(asset),
        edits && !context.isTrash && superseded(asset, context),
        element('section', {}, element('h3', {}, 'Capture'), definitions(captureFacts(asset, context))),
        cameraFacts(asset, definitions),
        element('section', {}, element('h3', {}, 'Save'), element('ul', { class: 'files' }, downloads(asset).map((file) =>
            element('li', {}, element('a', { href: file.href, download: '', class: 'file', on: { click: askFirst(guard) } }, icon('download'),
                element('span', {}, file.name, element('small', {}, file.detail)),
                file.byteCount ? element('span', { class: 'quiet' }, bytes(file.byteCount)) : null))))),
        records(asset, context),
    ];
}

/** Asks for a byte before a download, because a browser does not say why one was refused.
 *  @param {Guard} guard */
const askFirst = (guard) => async (/** @type {MouseEvent & {currentTarget: HTMLAnchorElement & {asked?: boolean}}} */ event) => {
    const link = event.currentTarget;
    if (link.asked || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    guard(async () => {
        // A copy as JPEG has no ranges and would be made twice: its original is asked for.
        await send(link.search.includes('as=jpeg') ? link.pathname : link.href, { headers: { Range: 'bytes=0-0' } });
        link.asked = true;
        link.click();
        link.asked = false;
    });
};

/** @param {[string, Child][]} rows */
const definitions = (rows) => element('dl', {}, rows.filter(([, value]) => value).flatMap(([name, value]) =>
    [element('dt', {}, name), element('dd', {}, value)]));

function description(/** @type {Asset} */ asset) {
    return element('section', {}, element('h3', {}, asset.title || kind(asset)), asset.caption && element('p', {}, asset.caption));
}

/** @param {Asset} asset @param {ViewerContext} context @returns {[string, Child][]} */
function captureFacts(asset, context) {
    const { captureTime: time, location: place } = asset;
    const device = context.deviceName?.(asset.deviceID);
    return [
        // A day ahead is possible: for a file without an offset the time zone is assumed.
        ['When', [captureMoment(asset), foreignOffset(asset), captureDate(asset) > Date.now() + 86_400_000 && 'in the future'].filter(Boolean).join(', ')],
        ['Clock', (sources[time.source] ?? time.source) + synchronisation(time)],
        ['Since boot', time.monotonicNanoseconds && `${decimal(time.monotonicNanoseconds / 1e9, 3)} s of ${
            time.bootID ? `boot ${time.bootID.slice(0, 8)}` : 'its boot'}`],
        ['Device', asset.deviceID && element('button', {
            type: 'button', class: 'link', on: { click: () => go({ filter: { device: /** @type {string} */ (asset.deviceID) } }) },
        }, device ?? asset.deviceID)],
        ['Trigger', asset.captureFacts?.trigger],
        ['Lag', lagText(asset.captureFacts?.lagMicroseconds)],
        ['What', [kind(asset), seconds(asset.duration) && clock(/** @type {number} */ (seconds(asset.duration)))].filter(Boolean).join(', ')],
        ['Missing', asset.captureFacts?.isLivePhotoIncomplete && 'The movie of this Live Photo is missing: the camera stopped or the box lost power.'],
        ['Masked', asset.captureFacts?.mask && 'The box blackened parts of the picture before saving it.'],
        ['Size', asset.pixelSize && `${asset.pixelSize.width} × ${asset.pixelSize.height}`],
        ['Place', place ? element('div', {}, asset.placeName ? `${asset.placeName}, ` : null, coordinates(place), placeOnMap(place)) : asset.placeName],
        ['Added', asset.additionDate && moment(asset.additionDate)],
        ['In the trash', asset.trashedAt && ago(asset.trashedAt)],
        ['ID', element('code', {}, asset.id)],
    ];
}

/** Whether a clock was right; nothing where the date comes from an imported file, of whose clock nobody knows.
 *  @param {Asset['captureTime']} time */
function synchronisation({ source, isSynchronized }) {
    if (source.startsWith('file')) return '';
    return isSynchronized ? ', synchronised' : ', not synchronised';
}

/** A small map that links to the library's map. */
function placeOnMap(/** @type {{latitude: number, longitude: number}} */ place) {
    const around = {
        west: Math.max(-180, place.longitude - 5), east: Math.min(180, place.longitude + 5),
        south: Math.max(-90, place.latitude - 3), north: Math.min(90, place.latitude + 3),
    };
    const opener = button('Show on the map', { class: 'map-opener', onClick: () => go({ view: 'map', id: boxText(around) }) });
    // The button's text is enough where no map can be drawn: near a pole, or offline.
    later(import('./map.js')).then(({ miniMap }) => miniMap(place)).catch(() => null).then((picture) => {
        if (picture) opener.prepend(picture);
        else opener.className = 'link';
    });
    return opener;
}

/** A number as the reader's language writes it.
 *  @param {number} value @param {number} digits */
const decimal = (value, digits) => value.toLocaleString(navigator.language, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The time between the trigger and the frame.
 *  @param {number | undefined} microseconds */
function lagText(microseconds) {
    if (microseconds === undefined) return null;
    const text = `${decimal(Math.abs(microseconds / 1000), 1)} ms`;
    return microseconds < 0 ? `${text} before the trigger` : `${text} after the trigger`;
}

// MARK: Editing

/** @param {Asset} asset @param {Edits} edits @param {Guard} guard */
function editing(asset, edits, guard) {
    /** @type {(name: 'title' | 'caption', label: string, control: HTMLInputElement | HTMLTextAreaElement) => Element} */
    const field = (name, label, control) => {
        control.defaultValue = control.value;
        control.addEventListener('change', () => {
            control.defaultValue = control.value;
            guard(() => edits.describe([asset], name, control.value.trim()));
        });
        return element('label', { class: 'field' }, label, control);
    };
    return element('section', { class: 'editing' },
        field('title', 'Title', element('input', { type: 'text', value: asset.title ?? '', maxlength: 512 })),
        field('caption', 'Caption', element('textarea', { rows: 2, value: asset.caption ?? '', maxlength: 16384 })),
        stars(asset, edits, guard), keywords(asset, edits, guard));
}

/** @param {Asset} asset @param {Edits} edits @param {Guard} guard */
function stars(asset, edits, guard) {
    return element('div', { class: 'stars', role: 'group', aria: { label: `Rating: ${counted(asset.rating, 'star')}` } },
        [1, 2, 3, 4, 5].map((number) => button(counted(number, 'star'), {
            symbol: 'star', class: number <= asset.rating ? 'icon-button on' : 'icon-button', aria: { label: counted(number, 'star'), pressed: number === asset.rating },
            onClick: () => guard(() => edits.rate([asset], number === asset.rating ? 0 : number)),
        })));
}

/** @param {Asset} asset @param {Edits} edits @param {Guard} guard */
function keywords(asset, edits, guard) {
    const input = element('input', { type: 'text', placeholder: 'Add a keyword', maxlength: 256, aria: { label: 'Add a keyword' } });
    return element('div', { class: 'keywords' },
        [...asset.keywords].sort().map((word) => element('span', { class: 'chip' },
            element('button', { type: 'button', class: 'link', on: { click: () => go({ filter: { keyword: word } }) } }, word),
            button(`Remove keyword ${word}`, { symbol: 'close', onClick: () => guard(() => edits.removeKeyword([asset], word)) }))),
        element('form', { on: { submit: (event) => {
            event.preventDefault();
            const word = input.value.trim();
            if (word) guard(() => edits.addKeyword([asset], word));
        } } }, input));
}

// MARK: Conflicts

/** The fields' names, and what each makes of its own kind of value.
 *  @type {Record<string, [string, (value: any) => string]>} */
const fields = {
    title: ['Title', (value) => value || 'none'], caption: ['Caption', (value) => value || 'none'],
    rating: ['Rating', (value) => counted(value, 'star')], isFavorite: ['Favourite', (value) => (value ? 'yes' : 'no')],
    isHidden: ['Hidden', (value) => (value ? 'yes' : 'no')], captureDateOverride: ['Date', moment],
    location: ['Place', (value) => `${value.latitude.toFixed(5)}, ${value.longitude.toFixed(5)}`],
};

/** Values that lost against concurrent edits, each with a button that restores it.
 *  @param {Asset} asset @param {ViewerContext} context */
function superseded(asset, { edits, guard, deviceName }) {
    const place = element('section', { hidden: true });
    get(path`/v1/assets/${asset.id}/superseded`).then((/** @type {{superseded: SupersededEdit[]}} */ { superseded: list }) => {
        if (list.length === 0) return;
        place.hidden = false;
        fill(place, element('h3', {}, 'Conflicting edits'),
            element('p', { class: 'quiet' }, 'Two people changed this at the same time. The later value is shown; the other one is kept.'),
            element('ul', { class: 'superseded' }, list.map(({ edit, time, deviceID }) => {
                const [field, value] = /** @type {[keyof AssetEdit & keyof Asset, unknown]} */ (Object.entries(edit)[0]);
                const [label, text] = fields[field] ?? [field, String];
                return element('li', {}, element('span', {}, element('span', { class: 'quiet' }, `${label}: `), element('strong', {}, text(value)),
                    element('small', {}, [deviceName?.(deviceID) ?? (deviceID ? 'a device' : 'an operator'), moment(time)].join(', '))),
                button('Use this', { aria: { label: `Use this ${label.toLowerCase()} instead` }, onClick: () => guard(() =>
                    edits.change([asset], edit, (one) => ({ [field]: one[field] ?? '' }), `${label} restored.`)) }));
            })));
    }).catch(() => { /* The panel is complete without it. */ });
    return place;
}

// MARK: Records

/** History and receipt, loaded when opened.
 *  @param {Asset} asset @param {ViewerContext} context */
function records(asset, context) {
    const receipt = element('div', {}, element('p', { class: 'quiet' }, 'Loading…'));
    const history = element('div', {}, element('p', { class: 'quiet' }, 'Loading…'));
    return element('section', {},
        opened('History', history, async () => fill(history, await historyOf(asset, context))),
        opened('Receipt', receipt, async () => fill(receipt, await receiptOf(asset))));
}

/** @param {string} title @param {Element} content @param {() => Promise<unknown>} load */
function opened(title, content, load) {
    return element('details', { on: { toggle: async (event) => {
        if (!event.target.open || event.target.dataset.loaded) return;
        event.target.dataset.loaded = 'yes';
        try {
            await load();
        } catch (problem) {
            fill(content, element('p', { class: 'quiet' }, problem.message));
        }
    } } }, element('summary', {}, title), content);
}

async function receiptOf(/** @type {Asset} */ asset) {
    const { receipt } = await get(path`/v1/receipts/${asset.id}`);
    const signed = receipt.receipt ?? receipt;
    return [
        element('p', {}, icon('check'), 'The server signed that every file of this asset is stored durably.'),
        definitions([
            ['When', moment(signed.time)], ['Change', signed.changeNumber !== undefined && String(signed.changeNumber)],
            ['Files', element('ul', {}, (signed.resources ?? []).map((/** @type {AssetResource} */ file) => element('li', {},
                element('code', {}, String(file.digest ?? '').slice(0, 16)), ` ${bytes(Number(file.byteCount ?? 0))}`)))],
        ]),
    ];
}

/** @type {Record<string, string>} */
const events = {
    saved: 'saved to the library', trashed: 'moved to the trash', purged: 'deleted permanently', adjusted: 'edited', reverted: 'edit reverted',
    added: 'added to an album', removed: 'removed from an album',
};

/** @param {Asset} asset @param {ViewerContext} context */
async function historyOf(asset, { deviceName }) {
    /** @type {{entries?: {what: string, actor: string, time: string}[]}} */
    const { entries } = await get(`/v1/admin/library/history${query({ asset: asset.id, limit: 200 })}`);
    if (!entries?.length) return element('p', { class: 'quiet' }, 'Nothing has been changed since it was taken.');
    return element('ol', { class: 'history' }, entries.toReversed().map((entry) => element('li', {},
        element('strong', {}, events[entry.what] ?? entry.what),
        element('small', {}, [actorName(entry.actor, { get: (id) => deviceName?.(id) }), moment(entry.time)].join(', ')))));
}
