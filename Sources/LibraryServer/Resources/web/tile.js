// A tile in the grid: placeholder, then thumbnail, badges, and a Live Photo that plays while hovered.

import { onceBack, send } from './api.js';
import { element, icon } from './dom.js';
import { assetName, clock, seconds } from './format.js';
import { isLive, isSound, isVideo, bytesOf, movie, rawMark, thumbnail } from './media.js';
import { paintSoon } from './placeholder-queue.js';
import { averageColour } from './thumbhash.js';

/** How long the pointer must rest before a movie plays, in milliseconds. */
const hoverDelay = 280;
/** Delays before a missing thumbnail is requested again, in milliseconds; the last one repeats. */
const retryDelays = [1500, 4000, 10000];
/** Pictures that have come appear together, at most once in this time, in milliseconds: each time the page around them is drawn. */
const appearanceTime = 80;

/** @type {Element[]} */
const waiting = [];
let appearedAt = -Infinity;
/** What ends the search for the reason why a tile has no picture.
 *  @type {WeakMap<Element, AbortController>} */
const explaining = new WeakMap();

/** Creates the tile of an asset; a bare one (class `bare`) has only its average colour and its name until `showPicture`.
 *  @param {Asset} asset @param {number} width */
export function makeTile(asset, width, { isBare = false } = {}) {
    const tile = element('div', { role: 'gridcell', class: isBare ? 'tile bare' : 'tile', tabindex: '-1', data: { id: asset.id } });
    tile.style.width = `${width}px`;
    if (asset.thumbHash) tile.style.backgroundColor = averageColour(asset.thumbHash) ?? '';
    dressTile(tile, asset);
    if (!isBare) showPicture(tile, asset);
    return tile;
}

/** Gives a tile its marks, and loads its picture, behind a placeholder until it comes.
 *  @param {Element} tile @param {Asset} asset */
export function showPicture(tile, asset) {
    tile.classList.remove('bare');
    tile.append(element('span', { class: 'check', data: { act: 'select' } }, icon('check')));
    tile.append(element('span', { class: 'marks' }), element('span', { class: 'corner' }));
    markTile(tile, asset);
    if (isSound(asset)) return tile.prepend(icon('sound'));
    if (asset.thumbHash) paintSoon(tile, asset.thumbHash);
    loadThumbnail(tile, asset);
}

/** Updates what can change on a tile.
 *  @param {Element} tile @param {Asset} asset */
export function dressTile(tile, asset) {
    tile.setAttribute('aria-label', assetName(asset));
    tile.classList.toggle('live', isLive(asset));
    tile.classList.toggle('stack', Boolean(asset.burst));
    if (tile.querySelector('.marks')) markTile(tile, asset);
}

/** @param {Element} tile @param {Asset} asset */
function markTile(tile, asset) {
    const marks = [];
    const length = seconds(asset.duration);
    if (isLive(asset)) marks.push(element('span', { class: 'mark' }, icon('live'), 'LIVE'));
    if (isVideo(asset) || (isSound(asset) && length)) marks.push(element('span', { class: 'mark' }, icon('play'), length ? clock(length) : null));
    if (asset.burst) marks.push(element('span', { class: 'mark' }, icon('stack'), 'Burst'));
    const raw = rawMark(asset);
    if (raw) marks.push(element('span', { class: 'mark' }, raw));
    /** @type {Element} */ (tile.querySelector('.marks')).replaceChildren(...marks);
    /** @type {Element} */ (tile.querySelector('.corner')).replaceChildren(...(asset.isFavorite ? [icon('heart')] : []));
}

/** Loads a tile's thumbnail, or shows why it failed. `attempt` is the number of earlier attempts since the server was last reached.
 *  @param {Element} tile @param {Asset} asset */
export function loadThumbnail(tile, asset, attempt = 0) {
    const picture = new Image();
    picture.alt = '';
    picture.decoding = 'async';
    picture.draggable = false;
    picture.addEventListener('load', () => appearSoon(tile), { once: true });
    picture.addEventListener('error', () => {
        // Cancelled by `discardTile`: until the next view has loaded, the tile is still there.
        if (!picture.getAttribute('src')) return;
        picture.remove();
        if (tile.isConnected) explainMissing(tile, asset, attempt);
    }, { once: true });
    picture.src = thumbnail(asset);
    tile.insertBefore(picture, tile.querySelector('.check'));
}

/** Shows a tile's picture, which has come.
 *  @param {Element} tile */
function appearSoon(tile) {
    if (waiting.push(tile) > 1) return;
    setTimeout(() => {
        appearedAt = performance.now();
        for (const one of waiting.splice(0)) {
            one.classList.add('loaded');
            one.classList.remove('broken');
            // It would be drawn below the picture each time.
            one.querySelector('.hash')?.remove();
        }
    }, appearedAt + appearanceTime - performance.now());
}

/** Explains a missing thumbnail: a new asset does not have one yet, a damaged one never will.
 *  @param {Element} tile @param {Asset} asset @param {number} attempt */
async function explainMissing(tile, asset, attempt) {
    const ending = new AbortController();
    const { signal } = ending;
    explaining.set(tile, ending);
    /** @type {Failure | null} */
    const problem = await send(thumbnail(asset), { signal, headers: { Accept: 'image/jpeg, application/json' } }).then(() => null, (failure) => failure);
    if (signal.aborted) return;
    const isAway = Boolean(problem?.isOffline);
    // Bytes that arrive but cannot be shown are damaged, unless the thumbnail was made in between.
    const isLost = problem ? problem.code === 'derivative.unavailable' : attempt > 1;
    tile.classList.toggle('broken', isLost);
    tile.classList.toggle('unreachable', isAway);
    tile.classList.toggle('arriving', !isLost && !isAway);
    if (isLost) {
        /** @type {HTMLElement} */ (tile).title = problem?.message ?? '';
        return;
    }
    const again = () => {
        if (signal.aborted) return;
        tile.classList.remove('arriving', 'unreachable');
        loadThumbnail(tile, asset, isAway ? 0 : attempt + 1);
    };
    if (isAway) onceBack(again);
    else setTimeout(again, retryDelays[Math.min(attempt, retryDelays.length - 1)]);
}

/** Cancels the requests of a tile that is removed.
 *  @param {Element} tile */
export function discardTile(tile) {
    stopLive(tile);
    explaining.get(tile)?.abort();
    const picture = tile.querySelector('img');
    // Also one that has failed, of which the event is still to come.
    if (picture && !(picture.complete && picture.naturalWidth)) picture.src = '';
}

/** Plays Live Photos in a grid while they are hovered or focused.
 *  @param {HTMLElement} grid @param {(id: string) => Asset | null} assetOf */
export function playOnHover(grid, assetOf) {
    /** @type {ReturnType<typeof setTimeout> | null} */
    let timer = null;
    /** @param {Element} target @param {number} delay */
    const start = (target, delay) => {
        const tile = target.closest?.('.tile');
        clearTimeout(timer);
        if (!tile || tile.querySelector('video')) return;
        const asset = assetOf(tile.dataset.id);
        if (!asset || !isLive(asset) || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
        timer = setTimeout(() => tile.isConnected && startLive(tile, asset), delay);
    };
    /** @param {Element} target */
    const stop = (target) => {
        clearTimeout(timer);
        const tile = target.closest?.('.tile');
        if (tile) stopLive(tile);
    };
    grid.addEventListener('pointerover', (event) => event.pointerType === 'mouse' && start(event.target, hoverDelay));
    grid.addEventListener('pointerout', (event) => {
        if (!event.relatedTarget || event.relatedTarget.closest?.('.tile') !== event.target.closest?.('.tile')) stop(event.target);
    });
    grid.addEventListener('focusin', (event) => event.target.matches(':focus-visible') && start(event.target, hoverDelay * 2));
    grid.addEventListener('focusout', (event) => stop(event.target));
}

/** @param {Element} tile @param {Asset} asset */
function startLive(tile, asset) {
    const resource = movie(asset);
    if (!resource) return;
    const player = element('video', { src: bytesOf(asset, resource), loop: true, playsinline: true, preload: 'auto' });
    player.muted = true;
    player.addEventListener('playing', () => tile.classList.add('playing'));
    tile.insertBefore(player, tile.querySelector('.check'));
    player.play().catch(() => stopLive(tile));
}

/** @param {Element} tile */
function stopLive(tile) {
    const player = tile.querySelector('video');
    if (!player) return;
    tile.classList.remove('playing');
    player.pause();
    player.removeAttribute('src');
    player.load();
    player.remove();
}
