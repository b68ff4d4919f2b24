// The virtual grid: only the rows near the viewport are elements, however large the library.
//
// Sections are stacked at the sums of their heights: measured if their assets are loaded, else estimated. When an estimate
// above the viewport turns out wrong, the scroll position is corrected, so that what is in view stays in place. Heights
// beyond what browsers can scroll are reached by moving `base`, the timeline position at which the scrolled canvas
// begins.

import { onceBack } from './api.js';
import { element, icon, inert, setAria, write } from './dom.js';
import { captureShort, counted } from './format.js';
import { GridInput } from './grid-input.js';
import { aspectRatio, estimatedHeight, justify } from './justified.js';
import { discardTile, dressTile, makeTile, playOnHover, showPicture } from './tile.js';

/** The tallest canvas, in pixels: browsers fail above some 16 million. */
const canvasHeight = 8_000_000;
/** How far beyond the viewport rows are created and sections loaded, in viewports. */
const overscan = { rows: 0.75, sections: 1.5 };
/** Rows out of view created per frame: more would delay scrolling. */
const rowsAhead = 2;
/** Pictures that begin to load per frame: each costs up to half a millisecond. */
const picturesAtOnce = 8;
/** Above this speed, in viewports a second, nothing is loaded until scrolling slows down. */
const passingSpeed = 12;

/** The element of a row, and where it is on the canvas.
 *  @typedef {HTMLElement & {place?: number, end?: number}} RowElement
 *  @typedef {Map<string, {top: number, height: number, make: () => RowElement} | null>} Wanted rows by their keys; null for one that stays */

export class Grid {
    /** @param {import('./timeline.js').Timeline} timeline
     *  @param {{selection: import('./selection.js').Selection<Asset>, onOpen: (asset: Asset) => unknown, label?: string, selectsOnly?: boolean,
     *      describe?: (asset: Asset) => string}} options */
    constructor(timeline, { selection, onOpen, label = 'Photos', selectsOnly = false, describe = captureShort }) {
        this.timeline = timeline;
        this.selection = selection;
        this.onOpen = onOpen;
        this.selectsOnly = selectsOnly;
        this.describe = describe;
        this.width = 0;
        /** The scroller's height and the space beside the photos, read when it is resized: reading them while scrolling would
         *  lay out at once what was just added. */
        this.viewHeight = 0;
        this.padding = 0;
        this.total = 0;
        /** @type {((top: number, section: Section | null) => void) | undefined} */
        this.onScroll = undefined;
        /** Whether photos can be dragged to reorder them. */
        this.isArranged = false;
        this.base = 0;
        /** @type {Map<string, RowElement>} */
        this.rows = new Map();
        /** The tiles whose pictures do not load yet.
         *  @type {Map<Element, Asset>} */
        this.bare = new Map();
        /** @type {Section[]} */
        this.placed = [];
        this.averageRatio = 4 / 3;
        /** The number of layouts made: rows are identified by their layout. */
        this.layoutCount = 0;
        /** @type {string | null} */
        this.activeID = null;
        this.canvas = element('div', { class: 'canvas', role: 'grid', aria: { label, multiselectable: 'true' } });
        this.scroller = element('div', { class: 'scroller' }, this.canvas);
        /** Shows the day at the top of the viewport while its heading is out of view. */
        this.dayLine = element('p', { class: 'day-line', aria: { hidden: 'true' }, hidden: true });
        /** The last position and its time, how far it was from the one before, and how fast: in viewports, and viewports a second. */
        this.speed = { at: 0, time: 0, step: 0, value: 0 };
        /** @type {(() => void)[]} */
        this.cleanups = [];
        this.listen();
    }

    listen() {
        /** @type {Listen} */
        const on = (target, type, listener, options) => {
            target.addEventListener(type, /** @type {EventListener} */ (listener), options);
            this.cleanups.push(() => target.removeEventListener(type, /** @type {EventListener} */ (listener), options));
        };
        on(this.scroller, 'scroll', () => this.scheduleRender(), { passive: true });
        on(this.timeline, 'layout', () => this.relayout());
        on(this.timeline, 'filled', (event) => this.sectionFilled(event.detail));
        on(this.timeline, 'rearranged', () => this.rearranged());
        on(this.timeline, 'replaced', (event) => this.redress(event.detail));
        on(this.timeline, 'problem', (event) => this.showFailure(event.detail));
        on(this.selection, 'change', () => this.showSelection());
        on(this.canvas, 'focusin', (event) => event.target.matches('.tile') && this.activate(event.target));
        new GridInput(this).listen(on);
        playOnHover(this.canvas, (id) => this.asset(id));
        const observer = new ResizeObserver(() => this.relayout());
        observer.observe(this.scroller);
        this.cleanups.push(() => observer.disconnect());
    }

    /** Releases everything the grid started. */
    close() {
        this.isClosed = true;
        for (const cleanup of this.cleanups) cleanup();
        cancelAnimationFrame(this.frame);
        clearTimeout(this.settleTimer);
        for (const row of this.rows.values()) for (const tile of row.querySelectorAll('.tile')) discardTile(tile);
        this.rows.clear();
        this.bare.clear();
    }

    /** @param {string | undefined} id */
    asset(id) {
        const place = this.timeline.find(id);
        return place ? place.section.assets[place.index] : null;
    }

    // MARK: Layout

    get metrics() {
        const width = this.width;
        return { width, rowHeight: width < 600 ? 118 : width < 1200 ? 190 : 220, gap: width < 600 ? 2 : 4 };
    }

    /** Lays everything out after the width or the sections changed; what is in view stays in place. */
    relayout() {
        const { clientWidth, clientHeight } = this.scroller;
        const padding = clientWidth < 600 ? 0 : 20;
        const width = clientWidth - 2 * padding;
        if (width <= 0) return;
        Object.assign(this, { padding, viewHeight: clientHeight });
        const anchor = this.anchor();
        const isNew = width !== this.width;
        this.width = width;
        for (const section of this.timeline.sections) {
            if (isNew) Object.assign(section, { layout: null, height: 0 });
            this.measure(section);
        }
        if (isNew) this.clearRows();
        this.place();
        if (anchor) {
            const before = this.top;
            this.restore(anchor);
            // What stays in place does not move.
            this.speed.at += this.top - before;
        }
        this.render();
    }

    /** @param {Section} section */
    measure(section) {
        const headings = (section.monthTitle ? 60 : 0) + (section.title ? 40 : 0);
        if (section.assets) {
            if (!section.layout) {
                const ratios = section.assets.map(aspectRatio);
                section.layout = justify(ratios, this.metrics);
                section.layoutID = this.layoutCount += 1;
                if (ratios.length > 8) {
                    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
                    this.averageRatio = this.averageRatio * 0.8 + mean * 0.2;
                }
            }
            section.height = headings + section.layout.height;
        } else if (!section.height) {
            section.height = headings + estimatedHeight(section.count, this.averageRatio, this.metrics);
        }
        section.headings = headings;
    }

    place() {
        let top = 8;
        this.placed = [...this.timeline.sections];
        for (const section of this.placed) {
            section.top = top;
            top += section.height;
        }
        this.total = top + 40;
        this.canvas.style.height = `${Math.min(canvasHeight, this.total - this.base)}px`;
    }

    /** The top of the viewport in the timeline. */
    get top() { return this.scroller.scrollTop + this.base; }

    /** Scrolls, moving the canvas as well where browsers cannot scroll that far.
     *  @param {number} top */
    scrollTo(top) {
        const limit = Math.max(0, this.total - this.viewHeight);
        const target = Math.min(Math.max(0, top), limit);
        const wanted = this.total > canvasHeight ? Math.min(Math.max(0, target - canvasHeight / 2), this.total - canvasHeight) : 0;
        if (Math.abs(wanted - this.base) > canvasHeight / 4 || target < this.base || wanted === 0) {
            if (wanted !== this.base) {
                this.base = wanted;
                this.place();
            }
        }
        this.scroller.scrollTop = target - this.base;
        this.scheduleRender();
    }

    /** What stays in place when heights change: what has the focus, else what is in view, else what is at the top.
     *  Nothing at the start of the timeline, which stays at the start.
     *  @returns {{section: Section, share?: number, offset?: number} | null} */
    anchor() {
        if (this.top <= 12) return null;
        const seen = this.sectionsBetween(this.top, this.top + this.viewHeight);
        const now = new Set(this.timeline.sections);
        const hasFocus = this.activeID && this.canvas.contains(document.activeElement);
        const focused = hasFocus ? this.timeline.find(this.activeID)?.section : null;
        const kept = seen.includes(focused) ? focused : seen.find((section) => section.layout && now.has(section));
        if (kept) return { section: kept, offset: kept.top - this.top };
        const section = this.sectionAt(this.top);
        return section ? { section, share: (this.top - section.top) / Math.max(1, section.height) } : null;
    }

    /** Scrolls back to an anchor; in a section that was split, to the same share of its parts.
     *  @param {{section: Section, share?: number, offset?: number}} anchor */
    restore({ section, share = 0, offset = NaN }) {
        if (!Number.isNaN(offset)) return this.scrollTo(section.top - offset);
        const parts = this.placed.filter((part) => part.start >= section.start && part.start < section.end);
        if (parts.length === 0) return;
        this.scrollTo(parts[0].top + share * parts.reduce((sum, part) => sum + part.height, 0));
    }

    /** @param {number} top @returns {Section | null} */
    sectionAt(top) {
        const sections = this.placed;
        let [low, high] = [0, sections.length - 1];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (sections[middle].top <= top) low = middle;
            else high = middle - 1;
        }
        return sections[low] ?? null;
    }

    /** @param {Section} section */
    sectionFilled(section) {
        if (!this.width) return;
        const before = section.height;
        section.layout = null;
        this.measure(section);
        const change = section.height - before;
        if (change !== 0) {
            const isAbove = section.top + before < this.top;
            this.place();
            if (isAbove) {
                this.scroller.scrollTop += change;
                this.speed.at += change;
            }
        }
        this.scheduleRender();
    }

    // MARK: Rendering

    scheduleRender() {
        if (this.frame) return;
        this.frame = requestAnimationFrame((time) => {
            this.frame = 0;
            this.measureSpeed(time);
            this.render();
        });
    }

    /** @param {number} time */
    measureSpeed(time) {
        const { at, time: before } = this.speed;
        const { top } = this;
        // A frame between two movements does not end a flight; the timer does.
        if (top === at && this.isPassing) return;
        const step = Math.abs(top - at) / this.viewHeight;
        this.speed = { at: top, time, step, value: step * 1000 / Math.max(1, time - before) };
        clearTimeout(this.settleTimer);
        if (this.isPassing) {
            this.settleTimer = setTimeout(() => {
                this.speed.value = 0;
                this.render();
            }, 90);
        }
    }

    get isPassing() { return this.speed.value > passingSpeed; }

    render() {
        if (!this.width || !this.total) return;
        this.rebase();
        // The position is read once, before anything changes: each later reading would lay out the whole page.
        const { top, viewHeight: height } = this;
        const [from, until] = [top - height * overscan.rows, top + height * (1 + overscan.rows)];
        /** @type {Wanted} */
        const wanted = new Map();
        for (const section of this.sectionsBetween(top - height * overscan.sections, top + height * (1 + overscan.sections))) {
            if (!this.isPassing && section.status !== 'failed') this.timeline.ensure(section);
            this.collect(section, from, until, wanted);
        }
        this.keepActiveRow(wanted);
        this.canvas.classList.toggle('passing', this.isPassing);
        this.exchange(wanted, top);
        this.showBarePictures(top - this.base);
        this.onScroll?.(top, this.sectionAt(top + 80));
        this.showDayLine(top);
    }

    /** Shows what could not be loaded in its place; without the server, until that is back.
     *  @param {Failure} problem */
    showFailure(problem) {
        this.scheduleRender();
        if (!problem.isOffline || this.waitsForServer) return;
        this.waitsForServer = true;
        onceBack(() => {
            this.waitsForServer = false;
            if (this.isClosed) return;
            for (const section of this.timeline.sections) if (section.status === 'failed') section.status = section.assets ? 'ready' : 'empty';
            this.render();
        });
    }

    /** Loads the pictures of tiles that are still there when scrolling has slowed down: a few per frame, those in view first.
     *  @param {number} top on the canvas */
    showBarePictures(top) {
        if (this.isPassing || this.bare.size === 0) return;
        /** @param {Element} tile */
        const isOutOfView = (tile) => {
            const { place, end } = /** @type {Required<RowElement>} */ (tile.parentElement);
            return place >= top + this.viewHeight || end <= top;
        };
        const inOrder = [...this.bare].sort(([one], [other]) => Number(isOutOfView(one)) - Number(isOutOfView(other)));
        for (const [tile, asset] of inOrder.slice(0, picturesAtOnce)) {
            this.bare.delete(tile);
            showPicture(tile, asset);
            this.caption(tile, asset);
            this.markSelected(tile);
        }
        if (this.bare.size > 0) this.scheduleRender();
    }

    /** @param {number} top */
    showDayLine(top) {
        const section = this.sectionAt(top);
        const title = section?.title ?? section?.monthTitle;
        // Make room for a heading about to arrive.
        const next = this.placed[this.placed.indexOf(section) + 1];
        const isFree = section && top > section.top + 8 && !(next?.headings && next.top - top < 40);
        this.dayLine.hidden = !title || !isFree;
        if (!this.dayLine.hidden) write(this.dayLine, /** @type {string} */ (title));
    }

    /** Moves the canvas when the viewport is near either of its ends. */
    rebase() {
        if (this.total <= canvasHeight && this.base === 0) return;
        const { scrollTop } = this.scroller;
        const nearEnd = scrollTop > canvasHeight * 0.9 && this.base + canvasHeight < this.total;
        const nearStart = scrollTop < canvasHeight * 0.1 && this.base > 0;
        if (nearEnd || nearStart) this.scrollTo(this.top);
    }

    /** @param {number} from @param {number} until */
    sectionsBetween(from, until) {
        const sections = this.placed;
        /** @type {Section[]} */
        const list = [];
        for (let index = Math.max(0, sections.indexOf(this.sectionAt(from))); index < sections.length; index += 1) {
            if (sections[index].top > until) break;
            list.push(sections[index]);
        }
        return list;
    }

    /** @param {Section} section @param {number} from @param {number} until @param {Wanted} wanted */
    collect(section, from, until, wanted) {
        if (section.top + section.height < from || section.top > until) return;
        /** @type {(part: string, top: number, height: number, make: () => RowElement) => unknown} */
        const want = (part, top, height, make) => wanted.set(`${section.id}|${part}`, { top, height, make });
        if (section.headings) want(`h${section.headings}`, section.top, section.headings, () => this.makeHeading(section));
        const start = section.top + section.headings;
        if (!section.layout) {
            want(`p${section.status === 'failed'}`, start, section.height - section.headings, () => this.makePlaceholder(section));
            return;
        }
        section.layout.rows.forEach((row, index) => {
            if (start + row.top + row.height < from || start + row.top > until) return;
            want(`${section.layoutID}|${index}`, start + row.top, row.height, () => this.makeRow(/** @type {LoadedSection} */ (section), row));
        });
    }

    /** Keeps the focused row as an element wherever the viewport is.
     *  @param {Wanted} wanted */
    keepActiveRow(wanted) {
        if (!this.activeID || !this.canvas.contains(document.activeElement)) return;
        for (const [key, row] of this.rows) {
            if (wanted.has(key) || !row.contains(document.activeElement)) continue;
            // A row of an old layout would cover the new ones: its photo gets the focus in its new row.
            const [section, layout, index] = key.split('|');
            const isGone = index && !this.placed.some((one) => one.id === section && String(one.layoutID) === layout);
            if (isGone) this.lostFocus = this.activeID;
            else wanted.set(key, null);
        }
    }

    /** @param {Wanted} wanted @param {number} top */
    exchange(wanted, top) {
        for (const [key, row] of this.rows) {
            if (!wanted.has(key)) this.discardRow(key, row);
        }
        /** @type {RowElement[]} */
        const added = [];
        const bottom = top + this.viewHeight;
        // The next step of a flight like this leads beyond rows created ahead.
        const isLeaping = this.isPassing && this.speed.step > overscan.rows;
        let ahead = 0;
        for (const [key, want] of wanted) {
            if (!want) continue;
            let row = this.rows.get(key);
            if (!row) {
                const isInView = want.top < bottom && want.top + want.height > top;
                if (!isInView && (isLeaping || (ahead += 1) > rowsAhead)) continue;
                row = want.make();
                row.style.height = `${want.height}px`;
                row.style.insetInline = `${this.padding}px`;
                this.rows.set(key, row);
                added.push(row);
            }
            const place = want.top - this.base;
            if (row.place === place) continue;
            Object.assign(row, { place, end: place + want.height });
            row.style.top = `${place}px`;
        }
        if (ahead > rowsAhead) this.scheduleRender();
        if (added.length === 0) return;
        // Document order is reading order for screen readers.
        const rows = () => /** @type {(Element & {place: number})[]} */ ([...this.canvas.children]);
        for (const row of added) this.canvas.insertBefore(row, rows().find((other) => other.place > /** @type {number} */ (row.place)) ?? null);
        this.keepTabStop();
        for (const row of added) this.showSelection(row);
    }

    /** @param {string | null} sectionID */
    clearRows(sectionID = null) {
        const focused = this.canvas.contains(document.activeElement) ? this.activeID : null;
        for (const [key, row] of this.rows) {
            if (!sectionID || key.startsWith(`${sectionID}|`)) this.discardRow(key, row);
        }
        this.lostFocus = focused && !this.canvas.contains(document.activeElement) ? focused : null;
    }

    /** @param {string} key @param {RowElement} row */
    discardRow(key, row) {
        for (const tile of row.querySelectorAll('.tile')) {
            discardTile(tile);
            this.bare.delete(tile);
        }
        row.remove();
        this.rows.delete(key);
    }

    /** @param {Section} section */
    makeHeading(section) {
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

    /** @param {Section} section */
    makePlaceholder(section) {
        const { rowHeight, gap } = this.metrics;
        const isFailed = section.status === 'failed';
        const content = element('div', { role: 'gridcell', class: 'skeleton' }, isFailed
            ? [element('p', {}, /** @type {Failure} */ (section.problem).message), element('button', {
                type: 'button', class: 'button', data: { act: 'again', section: section.id },
            }, 'Try again')]
            : element('span', { class: 'hidden' }, `Loading ${counted(section.count, 'photo')}`));
        content.style.setProperty('--row', `${rowHeight + gap}px`);
        return element('div', { class: 'row', role: 'row' }, content);
    }

    /** @param {LoadedSection} section @param {Row} row */
    makeRow(section, row) {
        const tiles = row.widths.map((width, index) => {
            const asset = section.assets[row.start + index];
            const tile = makeTile(asset, width, { isBare: true });
            this.bare.set(tile, asset);
            return tile;
        });
        // Photos of an album in custom order can be dragged.
        if (this.isArranged) for (const tile of tiles) tile.draggable = true;
        return element('div', { class: 'row tiles', role: 'row' }, tiles);
    }

    /** Recreates all rows after a reorder; scroll position and focus stay. */
    rearranged() {
        this.clearRows();
        for (const section of this.timeline.sections) this.measure(section);
        this.place();
        this.render();
    }

    /** @param {Asset} asset */
    redress(asset) {
        const tile = this.tile(asset.id);
        if (!tile) return;
        dressTile(tile, asset);
        this.caption(tile, asset);
        if (this.bare.has(tile)) this.bare.set(tile, asset);
    }

    /** Time and camera, shown while a photo is hovered or focused.
     *  @param {Element} tile @param {Asset | null} asset */
    caption(tile, asset) {
        if (asset) tile.dataset.when = inert(this.describe(asset));
    }

    /** Updates all captions once the cameras' names are known. */
    describeAgain() {
        for (const tile of this.canvas.querySelectorAll('.tile')) this.caption(tile, this.asset(tile.dataset.id));
    }

    /** @param {string} id */
    tile(id) { return this.canvas.querySelector(`.tile[data-id="${CSS.escape(id)}"]`); }

    /** @param {Element} within */
    showSelection(within = this.canvas) {
        this.canvas.classList.toggle('choosing', this.selectsOnly || this.selection.size > 0);
        for (const tile of within.querySelectorAll('.tile')) this.markSelected(tile);
    }

    /** @param {Element} tile */
    markSelected(tile) {
        const isChosen = this.selection.has(tile.dataset.id);
        tile.classList.toggle('chosen', isChosen);
        setAria(tile, 'selected', isChosen);
        const check = this.selection.isOrdered && tile.querySelector('.check');
        if (check) check.dataset.place = isChosen ? String(this.selection.place(tile.dataset.id)) : '';
    }

    // MARK: Going to an asset

    /** @param {Element} tile */
    activate(tile) {
        for (const other of this.canvas.querySelectorAll('.tile[tabindex="0"]')) other.tabIndex = -1;
        tile.tabIndex = 0;
        this.activeID = tile.dataset.id;
    }

    /** Keeps one tile reachable by Tab. */
    keepTabStop() {
        const lost = this.lostFocus ? this.tile(this.lostFocus) : null;
        if (lost) {
            this.lostFocus = null;
            this.activate(lost);
            lost.focus({ preventScroll: true });
        }
        if (this.canvas.querySelector('.tile[tabindex="0"]')) return;
        const tile = (this.activeID && this.tile(this.activeID)) ?? this.canvas.querySelector('.tile');
        if (tile) tile.tabIndex = 0;
    }

    /** Scrolls a loaded asset into view.
     *  @param {string} id */
    reveal(id, { focuses = false } = {}) {
        const place = this.timeline.find(id);
        if (!place) return;
        this.measure(place.section);
        this.place();
        const row = /** @type {Row} */ (place.section.layout.rows.findLast((other) => other.start <= place.index));
        const top = place.section.top + place.section.headings + row.top;
        const height = this.viewHeight;
        if (top < this.top + 70) this.scrollTo(top - 70);
        else if (top + row.height > this.top + height - 20) this.scrollTo(top + row.height - height + 20);
        this.render();
        const tile = this.tile(id);
        if (!tile) return;
        this.activate(tile);
        if (focuses) tile.focus({ preventScroll: true });
    }
}
