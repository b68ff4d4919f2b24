// The grid's rows: which ones a viewport needs, their elements, and the exchange of those that left it for those that come.

import { element, icon } from './dom.js';
import { counted } from './format.js';

/** Rows out of view created per frame: more would delay scrolling. */
const rowsAhead = 2;

/** The element of a row, and where it is on the canvas.
 *  @typedef {HTMLElement & {place?: number, end?: number}} RowElement
 *  @typedef {Map<string, {top: number, height: number, make: () => RowElement}>} Wanted rows by their keys
 *  @typedef {{from: number, until: number, end: number, metrics: import('./grid-geometry.js').Metrics,
 *      makeTile: (asset: Asset, width: number) => Element}} Reach the part of the timeline that has rows, where the canvas ends,
 *      and how rows are made */

/** Collects a section's rows.
 *  @param {Section} section @param {Reach} reach @param {Wanted} wanted */
export function collectRows(section, { from, until, metrics, makeTile }, wanted) {
    if (section.top + section.height < from || section.top > until) return;
    /** @type {(part: string, top: number, height: number, make: () => RowElement) => unknown} */
    const want = (part, top, height, make) => wanted.set(`${section.id}|${part}`, { top, height, make });
    if (section.headings) want(`h${section.headings}`, section.top, section.headings, () => makeHeading(section));
    const start = section.top + section.headings;
    const { assets, layout } = section;
    if (!assets || !layout) {
        want(`p${section.status === 'failed'}`, start, section.height - section.headings, () => makePlaceholder(section, metrics));
        return;
    }
    layout.rows.forEach((row, index) => {
        if (start + row.top + row.height < from || start + row.top > until) return;
        want(`${section.layoutID}|${index}`, start + row.top, row.height, () => makeRow(assets, row, makeTile));
    });
}

/** @param {Section} section */
function makeHeading(section) {
    const cell = element('div', { role: 'rowheader' });
    /** @param {string} title @param {Record<string, string>} data */
    const choose = (title, data) => element('button', {
        type: 'button', class: 'choose-all', data, aria: { label: `Select all of ${title}` },
    }, icon('check'));
    const { monthTitle, title } = section;
    if (monthTitle) cell.append(element('h2', {}, monthTitle, choose(monthTitle, { act: 'month', month: section.month })));
    if (title) cell.append(element('h3', {}, title, choose(title, { act: 'all', section: section.id })));
    return element('div', { class: 'row heading', role: 'row' }, cell);
}

/** @param {Section} section @param {import('./grid-geometry.js').Metrics} metrics */
function makePlaceholder(section, { rowHeight, gap }) {
    const isFailed = section.status === 'failed';
    const content = element('div', { role: 'gridcell', class: 'skeleton' }, isFailed
        ? [element('p', {}, section.problem?.message), element('button', {
            type: 'button', class: 'button', data: { act: 'again', month: section.month, section: section.id },
        }, 'Try again')]
        : element('span', { class: 'hidden' }, `Loading ${counted(section.count, 'photo')}`));
    content.style.setProperty('--row', `${rowHeight + gap}px`);
    return element('div', { class: 'row', role: 'row' }, content);
}

/** The selector of the element that takes the focus when a row is rebuilt: for “Try again”, the section's heading.
 *  @param {Element} element */
function successor({ dataset }) {
    return ['id', 'month', 'section'].filter((key) => dataset[key]).map((key) => `[data-${key}="${dataset[key]}"]`).join();
}

/** @param {Asset[]} assets @param {Row} row @param {Reach['makeTile']} makeTile */
function makeRow(assets, row, makeTile) {
    const tiles = row.widths.map((width, index) => makeTile(assets[row.start + index], width));
    return element('div', { class: 'row tiles', role: 'row' }, tiles);
}

/** The rows that are elements. */
export class GridRows {
    /** @param {HTMLElement} canvas @param {(tile: Element) => unknown} discardTile runs for each tile of a row that goes */
    constructor(canvas, discardTile) {
        this.canvas = canvas;
        this.discardTile = discardTile;
        /** @type {Map<string, RowElement>} */
        this.rows = new Map();
        /** What had the focus in a row that went, as a selector of its successor; else empty. */
        this.lostFocus = '';
    }

    get haveFocus() { return this.canvas.contains(document.activeElement); }

    /** Removes the rows that are not wanted, and creates those that are: all in view, and a few out of view unless the next
     *  step of a flight leads beyond them. Returns the new ones, and whether more of them remain for the next frame.
     *  @param {Wanted} wanted
     *  @param {{top: number, base: number, viewHeight: number, padding: number, isLeaping: boolean}} view */
    exchange(wanted, { top, base, viewHeight, padding, isLeaping }) {
        for (const [key, row] of this.rows) {
            if (!wanted.has(key)) this.discard(key, row);
        }
        /** @type {RowElement[]} */
        const added = [];
        let ahead = 0;
        for (const [key, want] of wanted) {
            let row = this.rows.get(key);
            if (!row) {
                const isInView = want.top < top + viewHeight && want.top + want.height > top;
                if (!isInView && (isLeaping || (ahead += 1) > rowsAhead)) continue;
                row = want.make();
                row.style.height = `${want.height}px`;
                row.style.insetInline = `${padding}px`;
                this.rows.set(key, row);
                added.push(row);
            }
            const place = want.top - base;
            if (row.place === place) continue;
            Object.assign(row, { place, end: place + want.height });
            row.style.top = `${place}px`;
        }
        /** The rows that are there. Document order is reading order for screen readers.
         *  @type {any} */
        const { children } = this.canvas;
        for (const row of added) this.canvas.insertBefore(row, [...children].find((other) => other.place > /** @type {number} */ (row.place)) ?? null);
        return { added, isIncomplete: ahead > rowsAhead };
    }

    /** Keeps the row with the focus wherever the viewport is, unless its section does not have it any more: the row of an old
     *  layout, or an old heading, would cover the new ones.
     *  @param {Wanted} wanted @param {Section[]} sections @param {Reach} reach */
    keepFocused(wanted, sections, reach) {
        const [key] = this.haveFocus && [...this.rows].find(([, row]) => row.contains(document.activeElement)) || [];
        const section = key && !wanted.has(key) && sections.find(({ id }) => key.startsWith(`${id}|`));
        if (!section) return;
        /** @type {Wanted} */
        const all = new Map();
        collectRows(section, { ...reach, from: -Infinity, until: Infinity }, all);
        const row = all.get(key);
        // Below the canvas it would lengthen what can be scrolled.
        if (row) wanted.set(key, { ...row, top: Math.min(row.top, reach.end - row.height) });
    }

    /** Gives the focus to the successor of what had it, once that is there and unless something else has it by then. */
    giveFocusBack() {
        const found = this.lostFocus && document.activeElement === document.body && this.canvas.querySelector(this.lostFocus);
        if (found) found.focus({ preventScroll: true });
        if (document.activeElement !== document.body) this.lostFocus = '';
    }

    /** Removes a section's rows, or all.
     *  @param {string} [sectionID] */
    clear(sectionID) {
        for (const [key, row] of this.rows) {
            if (!sectionID || key.startsWith(`${sectionID}|`)) this.discard(key, row);
        }
    }

    /** @param {string} key @param {RowElement} row */
    discard(key, row) {
        const focused = document.activeElement;
        if (row.contains(focused)) this.lostFocus = successor(/** @type {Element} */ (focused));
        for (const tile of row.querySelectorAll('.tile')) this.discardTile(tile);
        row.remove();
        this.rows.delete(key);
    }

    /** Gives up the tiles of all rows, whose elements stay until the view goes. */
    close() {
        for (const tile of this.canvas.querySelectorAll('.tile')) this.discardTile(tile);
        this.rows.clear();
    }
}
