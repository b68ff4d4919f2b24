// A map that needs no other server: outlines of countries and names of towns in the Mercator projection, moved by pointers,
// wheel and keys. At 1:110 million it shows where in a country a photo was taken, not in which street.

import { later } from './api.js';
import { element } from './dom.js';

const namespace = 'http://www.w3.org/2000/svg';
const loadOutlines = () => later(import('./outlines.js'), 'The server cannot be reached, so the map cannot be shown.');

/** The Mercator square ends at this latitude. */
const mostNorth = 85.05;
/** The smallest visible width, as a share of the world's: about two kilometres at the equator. */
const narrowest = 0.00005;
/** The most towns labelled at once. */
const mostTowns = 40;

const clamp = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => Math.min(Math.max(value, low), Math.max(low, high));
const radians = Math.PI / 180;

/** Projects a place into the unit square, from west to east and from north to south.
 *  @param {Coordinates} place */
function project({ latitude, longitude }) {
    const angle = clamp(latitude, -mostNorth, mostNorth) * radians;
    return { x: (longitude + 180) / 360, y: (1 - Math.log(Math.tan(Math.PI / 4 + angle / 2)) / Math.PI) / 2 };
}

/** The place at a point of the square.
 *  @param {{x: number, y: number}} point @returns {Coordinates} */
function unproject({ x, y }) {
    return { longitude: x * 360 - 180, latitude: Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / radians };
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Decodes the places in a text of outlines.js: 5 bits per digit, lowest first, the sixth bit set if more follow; a number's
 *  lowest bit is its sign; each is the difference from the previous one, in 20ths of a degree.
 *  @param {string} text */
function decode(text) {
    const numbers = [];
    let [value, shift] = [0, 0];
    for (const digit of text) {
        const bits = digits.indexOf(digit);
        value |= (bits & 31) << shift;
        shift += 5;
        if (bits & 32) continue;
        numbers.push(value & 1 ? ~(value >> 1) : value >> 1);
        [value, shift] = [0, 0];
    }
    const places = [];
    let [longitude, latitude] = [0, 0];
    for (let index = 0; index + 1 < numbers.length; index += 2) {
        longitude += numbers[index];
        latitude += numbers[index + 1];
        places.push({ longitude: longitude / 20, latitude: latitude / 20 });
    }
    return places;
}

const lines = (/** @type {string} */ text) => text.split('\n').filter(Boolean);
/** @param {Coordinates} place */
const pointText = (place) => {
    const { x, y } = project(place);
    return `${(x * 1000).toFixed(3)} ${(y * 1000).toFixed(3)}`;
};

/** @typedef {{path: string, towns: {name: string, place: Coordinates}[]}} World */
/** @type {Promise<World> | null} */
let world = null;
/** The land as SVG path data in thousandths of the world, and the towns.
 *  @returns {Promise<World>} */
function loadWorld() {
    if (world) return world;
    const coming = loadOutlines().then(({ land, towns }) => ({
        path: lines(land).map((ring) => `M${decode(ring).map(pointText).join('L')}Z`).join(''),
        towns: lines(towns).map((line) => {
            const end = line.lastIndexOf(' ');
            return { name: line.slice(0, end), place: decode(line.slice(end + 1))[0] };
        }),
    }));
    coming.catch(() => { world = null; });
    world = coming;
    return coming;
}

/** @param {string} name @param {Record<string, string>} attributes */
function drawn(name, attributes) {
    const made = document.createElementNS(namespace, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
}

/** A still map around a place, for the facts of a photo; null beyond the map's edge.
 *  @param {Coordinates} place */
export function miniMap(place) {
    if (Math.abs(place.latitude) > mostNorth) return null;
    const width = 0.11;
    const height = width * 0.56;
    const { x, y } = project(place);
    const [left, top] = [clamp(x - width / 2, 0, 1 - width), clamp(y - height / 2, 0, 1 - height)];
    const picture = drawn('svg', { class: 'mini-map', 'aria-hidden': 'true', viewBox: [left, top, width, height].map((one) => one * 1000).join(' ') });
    const land = drawn('path', { class: 'land', d: '' });
    const pin = drawn('circle', { class: 'pin', cx: String(x * 1000), cy: String(y * 1000), r: '2' });
    picture.append(land, pin);
    loadWorld().then(({ path }) => land.setAttribute('d', path)).catch(() => picture.remove());
    return picture;
}

const steps = [90, 45, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005];
const scales = [1, 2, 5].flatMap((step) => [1, 10, 100, 1000, 1e4, 1e5, 1e6].map((power) => step * power)).sort((one, other) => one - other);
const equator = 40_075_017;

/** An interactive map. `onMove` is called with the visible box once the map has come to rest. */
export class WorldMap {
    /** @param {{label: string, onMove: (box: Box) => void}} options */
    constructor({ label, onMove }) {
        this.onMove = onMove;
        /** The centre and width of the visible part, as shares of the world. */
        this.view = { x: 0.5, y: 0.4, width: 1 };
        /** @type {{node: HTMLElement, x: number, y: number}[]} */
        this.pins = [];
        /** @type {Map<number, {x: number, y: number}>} */
        this.pointers = new Map();
        this.land = drawn('path', { class: 'land', d: '' });
        this.grid = drawn('path', { class: 'graticule', d: '' });
        this.picture = drawn('svg', { 'aria-hidden': 'true', preserveAspectRatio: 'none' });
        this.picture.append(this.land, this.grid);
        this.names = element('div', { class: 'towns', aria: { hidden: 'true' } });
        this.marks = element('div', { class: 'marks' });
        this.scale = element('span', { class: 'scale', aria: { hidden: 'true' } });
        // West is on the left in every language.
        this.root = element('div', {
            class: 'map', dir: 'ltr', tabindex: '0', role: 'group', aria: { label },
            on: {
                pointerdown: (/** @type {PointerEvent} */ event) => this.grab(event),
                pointermove: (/** @type {PointerEvent} */ event) => this.drag(event),
                pointerup: (/** @type {PointerEvent} */ event) => this.release(event),
                pointercancel: (/** @type {PointerEvent} */ event) => this.release(event),
                wheel: (/** @type {WheelEvent} */ event) => this.wheel(event),
                keydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
            },
        }, this.names, this.marks, this.scale);
        this.root.prepend(this.picture);
        this.observer = new ResizeObserver(() => this.draw());
        this.observer.observe(this.root);
    }

    async start() {
        const { path, towns } = await loadWorld();
        this.land.setAttribute('d', path);
        this.towns = towns.map(({ name, place }) => ({ node: element('span', {}, name), ...project(place) }));
        this.draw();
    }

    close() {
        this.observer.disconnect();
        clearTimeout(this.timer);
    }

    get size() { return { width: this.root.clientWidth || 1, height: this.root.clientHeight || 1 }; }
    /** The visible height, as a share of the world. */
    get height() { return this.view.width * this.size.height / this.size.width; }

    /** The visible area.
     *  @returns {Box} */
    get box() {
        const { x, y, width } = this.view;
        const [first, last] = [unproject({ x: x - width / 2, y: y - this.height / 2 }), unproject({ x: x + width / 2, y: y + this.height / 2 })];
        const fine = (/** @type {number} */ degrees) => Number(degrees.toFixed(5));
        return {
            west: fine(clamp(first.longitude, -180, 180)), east: fine(clamp(last.longitude, -180, 180)),
            south: fine(clamp(last.latitude, -90, 90)), north: fine(clamp(first.latitude, -90, 90)),
        };
    }

    /** Shows an area whole, with some room around it.
     *  @param {Box} box */
    show({ west, south, east, north }) {
        const [first, last] = [project({ longitude: west, latitude: north }), project({ longitude: east, latitude: south })];
        const ratio = this.size.width / this.size.height;
        const width = Math.max(Math.abs(last.x - first.x), (last.y - first.y) * ratio);
        this.move({ x: (first.x + last.x) / 2, y: (first.y + last.y) / 2, width });
    }

    /** Moves the view, staying within the world.
     *  @param {{x?: number, y?: number, width?: number}} view */
    move({ x = this.view.x, y = this.view.y, width = this.view.width }) {
        // Never show more than the world in either direction.
        const widest = Math.min(1, this.size.width / this.size.height);
        this.view.width = clamp(width, narrowest, widest);
        const [halfWidth, halfHeight] = [this.view.width / 2, this.height / 2];
        this.view.x = clamp(x, halfWidth, 1 - halfWidth);
        this.view.y = clamp(y, halfHeight, 1 - halfHeight);
        this.draw();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.onMove(this.box), 150);
    }

    /** Zooms in or out around a fixed point of the map.
     *  @param {number} factor @param {{x: number, y: number}} [at] */
    zoom(factor, at) {
        const { x, y, width } = this.view;
        const point = at ?? { x, y };
        const next = clamp(width / factor, narrowest, 1);
        const share = next / width;
        this.move({ x: point.x + (x - point.x) * share, y: point.y + (y - point.y) * share, width: next });
    }

    /** The point of the world under a point of the window.
     *  @param {{x: number, y: number}} point */
    pointAt({ x, y }) {
        const box = this.root.getBoundingClientRect();
        return {
            x: this.view.x + ((x - box.left) / box.width - 0.5) * this.view.width,
            y: this.view.y + ((y - box.top) / box.height - 0.5) * this.height,
        };
    }

    // MARK: Input

    /** @param {PointerEvent} event */
    grab(event) {
        if (event.target instanceof Element && event.target.closest('button')) return;
        this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        this.root.setPointerCapture(event.pointerId);
    }

    /** @param {PointerEvent} event */
    drag(event) {
        const last = this.pointers.get(event.pointerId);
        if (!last) return;
        const now = { x: event.clientX, y: event.clientY };
        const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
        if (other) {
            const distance = (/** @type {{x: number, y: number}} */ point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
            this.zoom(distance(now) / distance(last), this.pointAt({ x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }));
        }
        const share = this.view.width / this.size.width / (other ? 2 : 1);
        this.move({ x: this.view.x - (now.x - last.x) * share, y: this.view.y - (now.y - last.y) * share });
        this.pointers.set(event.pointerId, now);
    }

    /** @param {PointerEvent} event */
    release(event) { this.pointers.delete(event.pointerId); }

    /** @param {WheelEvent} event */
    wheel(event) {
        event.preventDefault();
        this.zoom(Math.exp(-clamp(event.deltaY, -100, 100) / 250), this.pointAt({ x: event.clientX, y: event.clientY }));
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const [right, down] = [this.view.width / 5, this.height / 5];
        const { x, y } = this.view;
        /** @type {Record<string, () => void>} */
        const keys = {
            ArrowLeft: () => this.move({ x: x - right }), ArrowRight: () => this.move({ x: x + right }),
            ArrowUp: () => this.move({ y: y - down }), ArrowDown: () => this.move({ y: y + down }),
            '+': () => this.zoom(2), '=': () => this.zoom(2), '-': () => this.zoom(0.5), 0: () => this.move({ x: 0.5, y: 0.4, width: 1 }),
        };
        if (!(event.key in keys)) return;
        event.preventDefault();
        keys[event.key]();
    }

    // MARK: Drawing

    /** Places marks, in keyboard order.
     *  @param {{node: HTMLElement, place: Coordinates}[]} marks */
    mark(marks) {
        this.pins = marks.map(({ node, place }) => ({ node, ...project(place) }));
        const focused = this.marks.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : null;
        this.marks.replaceChildren(...this.pins.map(({ node }) => node));
        if (focused) (this.pins.find(({ node }) => node.dataset.key === focused)?.node ?? this.root).focus({ preventScroll: true });
        this.draw();
    }

    draw() {
        const { x, y, width } = this.view;
        const { height } = this;
        const [left, top] = [x - width / 2, y - height / 2];
        this.picture.setAttribute('viewBox', [left, top, width, height].map((one) => one * 1000).join(' '));
        const put = (/** @type {{node: HTMLElement, x: number, y: number}} */ one) => {
            one.node.style.left = `${(one.x - left) / width * 100}%`;
            one.node.style.top = `${(one.y - top) / height * 100}%`;
        };
        this.pins.forEach(put);
        const isShown = (/** @type {{x: number, y: number}} */ one) => one.x >= left && one.x <= left + width && one.y >= top && one.y <= top + height;
        const seen = (this.towns ?? []).filter(isShown);
        const named = seen.length > mostTowns ? [] : seen;
        named.forEach(put);
        if (named.length !== this.names.childElementCount || named.some(({ node }) => node.parentNode !== this.names)) this.names.replaceChildren(...named.map(({ node }) => node));
        this.drawGrid();
        this.drawScale();
    }

    /** Draws meridians and parallels, for orientation where the outlines are too coarse. */
    drawGrid() {
        const { west, south, east, north } = this.box;
        const step = steps.findLast((one) => (east - west) / one <= 10) ?? steps[0];
        const parts = [];
        for (let longitude = Math.ceil(west / step) * step; longitude <= east; longitude += step) {
            parts.push(`M${pointText({ longitude, latitude: north })}L${pointText({ longitude, latitude: south })}`);
        }
        for (let latitude = Math.ceil(south / step) * step; latitude <= north; latitude += step) {
            parts.push(`M${pointText({ longitude: west, latitude })}L${pointText({ longitude: east, latitude })}`);
        }
        this.grid.setAttribute('d', parts.join(''));
    }

    drawScale() {
        const { latitude } = unproject(this.view);
        const metersPerPixel = equator * Math.cos(latitude * radians) * this.view.width / this.size.width;
        const meters = scales.findLast((one) => one / metersPerPixel <= 150) ?? 1;
        this.scale.style.width = `${meters / metersPerPixel}px`;
        this.scale.textContent = meters >= 1000 ? `${meters / 1000} km` : `${meters} m`;
    }
}
