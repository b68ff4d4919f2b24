// What stands beside the heading of a camera's photos, or of a span of time: on how many days they were taken, a time-lapse of
// all, and the way to the camera.

import { playAll } from './acts.js';
import { get, query } from './api.js';
import { button, element } from './dom.js';
import { count, counted } from './format.js';
import { go } from './route.js';

/** The most photos in a time-lapse. */
const lapseLimit = 10_000;

/** The latest request for each gallery's days.
 *  @type {WeakMap<object, object>} */
const latest = new WeakMap();

/** Counts the days of a gallery's photos, and shows them.
 *  @param {import('./gallery.js').Gallery} gallery */
export async function countDays(gallery) {
    const { timeline, place: { filter: { device } } } = gallery;
    const turn = {};
    latest.set(gallery, turn);
    /** @type {TimelineAnswer} */
    const { spans } = await get(`/v1/timeline${query({ unit: 'day', filter: JSON.stringify(gallery.tree) })}`);
    // An answer that comes after a later request would show what was.
    if (gallery.isClosed || latest.get(gallery) !== turn) return;
    gallery.days = spans.length > 0 ? element('span', { class: 'quiet' }, `on ${counted(spans.length, 'day')}`) : null;
    gallery.headingTools = () => [
        spans.length > 0 && button('Time-lapse', { symbol: 'play', showsLabel: true, onClick: () => gallery.guard(async () => {
            if (timeline.count > lapseLimit) throw new Error(`A time-lapse has at most ${count(lapseLimit)} photos: select fewer days.`);
            await playAll(gallery, await timeline.assetsOf(timeline.sections));
        }) }),
        device && button('About this camera', { symbol: 'camera', showsLabel: true, onClick: () => go({ view: 'devices', id: device }) }),
    ];
    // The heading keeps its tools while this stays the same.
    gallery.toolsOf = undefined;
    gallery.showHeading();
}
