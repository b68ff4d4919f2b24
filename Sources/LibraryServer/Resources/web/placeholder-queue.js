// Placeholders are drawn a few at a time between two frames, and only where the thumbnail did not come first.

import { element } from './dom.js';
import { drawThumbhash } from './thumbhash.js';

/** How long one turn may take, in milliseconds. */
const turnTime = 4;

const queue = [];
let isDue = false;

/** Draws a tile's placeholder when there is time; the average colour stands there until then. */
export function paintSoon(tile, hash) {
    queue.push({ tile, hash });
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(paint);
}

function paint() {
    const end = performance.now() + turnTime;
    while (queue.length > 0 && performance.now() < end) {
        const { tile, hash } = queue.shift();
        if (!tile.isConnected || tile.classList.contains('loaded')) continue;
        const canvas = element('canvas', { class: 'hash', width: 1, height: 1 });
        drawThumbhash(hash, canvas);
        tile.prepend(canvas);
    }
    isDue = queue.length > 0;
    if (isDue) requestAnimationFrame(paint);
}
