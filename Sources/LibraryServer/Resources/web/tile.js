// One picture in the grid: a placeholder at once, its thumbnail when it is there, its badges, and a Live Photo that plays
// while the pointer rests on it.

import { element, icon } from './dom.js';
import { assetName, clock, seconds } from './format.js';
import { isLive, isRawPair, isVideo, bytesOf, movie, thumbnail } from './media.js';
import { paintSoon } from './placeholder-queue.js';
import { averageColour } from './thumbhash.js';

/** How long the pointer rests before a movie starts, in milliseconds. */
const hoverDelay = 280;
/** When a thumbnail that is not there yet is asked for again, in milliseconds; the last one again and again. */
const retryDelays = [1500, 4000, 10000];

/** Makes the tile of an asset. */
export function makeTile(asset, width) {
    const tile = element('div', { role: 'gridcell', class: 'tile', tabindex: '-1', data: { id: asset.id } });
    tile.style.width = `${width}px`;
    if (asset.thumbHash) {
        tile.style.backgroundColor = averageColour(asset.thumbHash) ?? '';
        paintSoon(tile, asset.thumbHash);
    }
    loadThumbnail(tile, asset, 0);
    tile.append(element('span', { class: 'check', data: { act: 'select' } }, icon('check')));
    tile.append(element('span', { class: 'marks' }), element('span', { class: 'corner' }));
    dressTile(tile, asset);
    return tile;
}

/** Shows what may change of an asset on its tile. */
export function dressTile(tile, asset) {
    tile.setAttribute('aria-label', assetName(asset));
    tile.classList.toggle('live', isLive(asset));
    tile.classList.toggle('stack', Boolean(asset.burst));
    const marks = [];
    if (isLive(asset)) marks.push(element('span', { class: 'mark' }, icon('live'), 'LIVE'));
    if (isVideo(asset)) marks.push(element('span', { class: 'mark' }, icon('play'), clock(seconds(asset.duration) ?? 0)));
    if (asset.burst) marks.push(element('span', { class: 'mark' }, icon('stack'), 'Burst'));
    if (isRawPair(asset)) marks.push(element('span', { class: 'mark' }, 'RAW'));
    tile.querySelector('.marks').replaceChildren(...marks);
    tile.querySelector('.corner').replaceChildren(...(asset.isFavorite ? [icon('heart')] : []));
}

function loadThumbnail(tile, asset, attempt) {
    const picture = new Image();
    picture.alt = '';
    picture.decoding = 'async';
    picture.draggable = false;
    picture.addEventListener('load', () => tile.classList.add('loaded'), { once: true });
    picture.addEventListener('error', () => {
        picture.remove();
        if (tile.isConnected) explainMissing(tile, asset, attempt);
    }, { once: true });
    picture.src = thumbnail(asset);
    tile.insertBefore(picture, tile.querySelector('.check'));
}

/** Says why there is no thumbnail: one that has just arrived has none yet, a damaged one will never have one. */
async function explainMissing(tile, asset, attempt) {
    let answer = null;
    try {
        answer = await fetch(thumbnail(asset), { headers: { Accept: 'image/jpeg, application/json' } });
    } catch { /* Offline: it is asked for again. */ }
    const problem = answer && !answer.ok ? await answer.json().catch(() => ({})) : {};
    // Bytes that come and cannot be shown are lost too, unless they came in between.
    const isLost = String(problem.type ?? '').endsWith('derivative.unavailable') || (answer?.ok && attempt > 1);
    tile.classList.toggle('broken', isLost);
    tile.classList.toggle('arriving', !isLost);
    if (isLost) {
        tile.title = problem.detail ?? '';
        return;
    }
    setTimeout(() => {
        if (!tile.isConnected) return;
        tile.classList.remove('arriving');
        loadThumbnail(tile, asset, attempt + 1);
    }, retryDelays[Math.min(attempt, retryDelays.length - 1)]);
}

/** Stops what a tile that leaves the page is still fetching. */
export function discardTile(tile) {
    stopLive(tile);
    const picture = tile.querySelector('img');
    if (picture && !picture.complete) picture.src = '';
}

/** Plays Live Photos and videos in a grid while the pointer rests on them or the keyboard is on them. */
export function playOnHover(grid, assetOf) {
    let timer = null;
    const start = (target, delay) => {
        const tile = target.closest?.('.tile');
        clearTimeout(timer);
        if (!tile || tile.querySelector('video')) return;
        const asset = assetOf(tile.dataset.id);
        if (!asset || !isLive(asset) || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
        timer = setTimeout(() => tile.isConnected && startLive(tile, asset), delay);
    };
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

function startLive(tile, asset) {
    const resource = movie(asset);
    if (!resource) return;
    const player = element('video', { src: bytesOf(asset, resource), loop: true, playsinline: true, preload: 'auto' });
    player.muted = true;
    player.addEventListener('playing', () => tile.classList.add('playing'));
    tile.insertBefore(player, tile.querySelector('.check'));
    player.play().catch(() => stopLive(tile));
}

function stopLive(tile) {
    const player = tile.querySelector('video');
    if (!player) return;
    tile.classList.remove('playing');
    player.pause();
    player.removeAttribute('src');
    player.load();
    player.remove();
}
