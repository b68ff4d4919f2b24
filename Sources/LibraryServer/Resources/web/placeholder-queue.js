// Draws placeholders in small batches between frames, skipping tiles whose thumbnail comes soon.

import { element } from './dom.js';
import { drawThumbhash } from './thumbhash.js';

/** The time budget of a batch, in milliseconds. */
const turnTime = 4;
/** How long a thumbnail may take before its placeholder is drawn, in milliseconds: those that are cached come sooner. */
const patience = 100;

/** @type {{tile: Element, hash: string, due: number}[]} */
const queue = [];
let isDue = false;

/** Queues a tile's placeholder; until it is drawn, the tile shows the average colour.
 *  @param {Element} tile @param {string} hash */
export function paintSoon(tile, hash) {
    queue.push({ tile, hash, due: performance.now() + patience });
    if (!isDue) paintLater();
}

function paintLater() {
    isDue = true;
    setTimeout(() => requestAnimationFrame(paint), queue[0].due - performance.now());
}

function paint() {
    const begin = performance.now();
    while (queue.length > 0 && queue[0].due <= begin && performance.now() < begin + turnTime) {
        const { tile, hash } = /** @type {typeof queue[0]} */ (queue.shift());
        if (!tile.isConnected || tile.classList.contains('loaded')) continue;
        const canvas = element('canvas', { class: 'hash', width: 1, height: 1 });
        drawThumbhash(hash, canvas);
        tile.prepend(canvas);
    }
    isDue = false;
    if (queue.length > 0) paintLater();
}
