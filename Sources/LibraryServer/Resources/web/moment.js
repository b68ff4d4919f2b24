// The same moment on all cameras: each camera's photo nearest in time, with the time difference.

import { allDevices, get, onceBack, query } from './api.js';
import { button, element, fill, icon } from './dom.js';
import { captureDate, captureMoment, captureShort, counted } from './format.js';
import { emptyState } from './empty.js';
import { isSound } from './media.js';
import { notifyProblem } from './notices.js';
import { go } from './route.js';
import { loadThumbnail } from './tile.js';
import { zonedText } from './utc-offset.js';

/** The cameras queried at once, and how far from the moment a photo may be, in milliseconds. */
const cameraCount = 48;
const reach = 86_400_000;
/** @type {[number, string][]} */
const steps = [[-3600, '1 hour earlier'], [-60, '1 minute earlier'], [60, '1 minute later'], [3600, '1 hour later']];
const formats = {
    day: new Intl.DateTimeFormat(navigator.language, { dateStyle: 'full', timeZone: 'UTC' }),
    time: new Intl.DateTimeFormat(navigator.language, { timeStyle: 'medium', timeZone: 'UTC' }),
};

/** A time difference in its largest meaningful unit.
 *  @param {number} milliseconds */
export function distance(milliseconds) {
    const seconds = Math.round(Math.abs(milliseconds) / 1000);
    if (seconds === 0) return 'at that second';
    const [size, noun] = seconds < 90 ? [1, 'second'] : seconds < 5400 ? [60, 'minute'] : [3600, 'hour'];
    return `${counted(Math.round(seconds / size), noun)} ${milliseconds < 0 ? 'earlier' : 'later'}`;
}

/** A time zone's offset in a date, in minutes; without one, the reader's. */
function offsetOf(/** @type {string} */ text) {
    const [, sign, hour, minute] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
    return sign ? Number(`${sign}1`) * (Number(hour) * 60 + Number(minute)) : -new Date(text).getTimezoneOffset();
}

export class Moment {
    /** @param {Place} place @param {Lists} lists */
    constructor(place, lists) {
        this.time = Date.parse(place.id ?? '');
        /** The title is in the time zone of the photo it came from. */
        this.offset = offsetOf(place.id ?? '') * 60_000;
        this.lists = lists;
        this.turn = 0;
        this.name = element('h1');
        this.when = element('p', { class: 'quiet', role: 'status' });
        this.list = element('ul', { class: 'covers moment' });
        this.root = element('section', { class: 'page', aria: { label: 'The same moment' } },
            element('div', { class: 'title-line' }, this.name, element('span', { class: 'tools' }, steps.map(([seconds, name]) =>
                button(name, { onClick: () => this.goTo(this.time + seconds * 1000) })))),
            this.when, this.list);
        this.root.addEventListener('keydown', (event) => this.key(event));
    }

    async start() {
        if (Number.isNaN(this.time)) throw Object.assign(new Error('The address contains no valid time.'), { retry: 'never' });
        await this.load();
    }

    async load() {
        const turn = ++this.turn;
        fill(this.name, formats.time.format(this.time + this.offset));
        fill(this.when, formats.day.format(this.time + this.offset));
        const cameras = await allDevices();
        /** @type {{camera: Device, asset: Asset}[]} */
        const seen = [];
        for (let start = 0; start < cameras.length; start += cameraCount) {
            const some = cameras.slice(start, start + cameraCount);
            const found = await Promise.all(some.map((camera) => this.nearest(camera.id).then((asset) => ({ camera, asset }))));
            if (turn !== this.turn || this.isClosed) return;
            seen.push(.../** @type {typeof seen} */ (found.filter((one) => one.asset)));
            seen.sort((left, right) => left.camera.name.localeCompare(right.camera.name));
            if (seen.length > 0) fill(this.list, seen.map(({ camera, asset }) => this.card(camera, asset)));
        }
        if (seen.length === 0) fill(this.list, element('li', {}, emptyState('clock', 'No photos near this moment', 'No camera took a photo within a day of it.')));
    }

    /** A camera's photo nearest to the moment.
     *  @param {string} device @returns {Promise<Asset | undefined>} */
    async nearest(device) {
        /** @type {(captured: {from: string, until: string}, sort: string | null) => Promise<Asset | undefined>} */
        const one = async (captured, sort) => (await get(`/v1/assets${query({
            filter: JSON.stringify({ all: [{ device }, { captured }] }), sort, limit: 1,
        })}`)).assets[0];
        const at = new Date(this.time).toISOString();
        const [before, after] = await Promise.all([
            one({ from: new Date(this.time - reach).toISOString(), until: at }, null), one({ from: at, until: new Date(this.time + reach).toISOString() }, 'captureDate'),
        ]);
        /** @param {Asset | undefined} asset */
        const far = (asset) => (asset ? Math.abs(captureDate(asset) - this.time) : Infinity);
        return far(before) < far(after) ? before : after;
    }

    /** @param {Device} camera @param {Asset} asset */
    card(camera, asset) {
        const text = distance(captureDate(asset) - this.time);
        const face = isSound(asset) ? icon('sound') : element('span', { class: 'tile', data: { when: captureShort(asset) } });
        if (!isSound(asset)) loadThumbnail(face, asset);
        return element('li', {}, element('button', {
            type: 'button', data: { id: asset.id }, aria: { label: `${camera.name}, ${text}, ${captureMoment(asset)}` }, on: { click: () => go({ asset: asset.id }) },
        }, element('span', { class: 'frame' }, face),
        element('strong', {}, camera.name), element('span', { class: 'quiet' }, text)));
    }

    /** Goes to another moment, replacing this history entry.
     *  @param {number} time */
    goTo(time) {
        this.time = time;
        const items = new URLSearchParams(location.search);
        items.set('id', zonedText(time, this.offset / 60_000));
        history.replaceState(history.state, '', `/?${items}`);
        this.load().catch((problem) => {
            notifyProblem(problem);
            if (problem.isOffline) onceBack(() => this.isClosed || this.load());
        });
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const seconds = { ArrowLeft: -60, ArrowRight: 60 }[event.key];
        if (!seconds || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        this.goTo(this.time + seconds * 1000);
    }

    close() { this.isClosed = true; }
    follow() {}
}
