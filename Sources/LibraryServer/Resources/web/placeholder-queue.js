// Draws placeholders in small batches between frames, skipping tiles whose thumbnail came first.

import { element } from './dom.js';
import { drawThumbhash } from './thumbhash.js';

/** The time budget of a batch, in milliseconds. */
const turnTime = 4;

/** @type {{tile: Element, hash: string}[]} */
const queue = [];
let isDue = false;

/** Queues a tile's placeholder; until it is drawn, the tile shows the average colour.
 *  @param {Element} tile @param {string} hash */
export function paintSoon(tile, hash) {
    queue.push({ tile, hash });
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(paint);
}

function paint() {
    const end = performance.now() + turnTime;
    while (queue.length > 0 && performance.now() < end) {
        const { tile, hash } = /** @type {typeof queue[0]} */ (queue.shift());
        if (!tile.isConnected || tile.classList.contains('loaded')) continue;
        const canvas = element('canvas', { class: 'hash', width: 1, height: 1 });
        drawThumbhash(hash, canvas);
        tile.prepend(canvas);
    }
    isDue = queue.length > 0;
    if (isDue) requestAnimationFrame(paint);
}
