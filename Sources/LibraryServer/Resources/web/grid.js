// The virtual grid: only the rows near the viewport are elements, however large the library.
//
// Sections are stacked at the sums of their heights, which are estimated until their assets are loaded. When an estimate
// above the viewport turns out wrong, the scroll position is corrected, so that what is in view stays in place. Heights
// beyond what browsers can scroll are reached by moving `base`, the timeline position at which the scrolled canvas
// begins. grid-geometry.js computes all that; grid-rows.js has the rows.

import { onceBack } from './api.js';
import { element, inert, setAria, write } from './dom.js';
import { assetName, captureShort } from './format.js';
import {
    anchorIn, anchoredTop, baseFor, canvasHeightFrom, isNearEnd, measure, metricsFor, sectionAt, sectionsBetween, stack, titleAt,
} from './grid-geometry.js';
import { GridInput } from './grid-input.js';
import { collectRows, GridRows } from './grid-rows.js';
import { ScrollSpeed } from './scroll-speed.js';
import { discardTile, dressTile, makeTile, playOnHover, showPicture } from './tile.js';

/** How far beyond the viewport rows are created and sections loaded, in viewports. */
const overscan = { rows: 0.75, sections: 1.5 };
/** Pictures that begin to load per frame: each costs up to half a millisecond. */
const picturesAtOnce = 8;

export class Grid {
    /** @param {import('./timeline.js').Timeline} timeline
     *  @param {{selection: import('./selection.js').Selection<Asset>, onOpen: (asset: Asset) => unknown, label?: string, selectsOnly?: boolean,
     *      cameraOf?: (asset: Asset) => string | undefined}} options */
    constructor(timeline, { selection, onOpen, label = 'Photos', selectsOnly = false, cameraOf = () => undefined }) {
        this.timeline = timeline;
        this.selection = selection;
        this.onOpen = onOpen;
        this.selectsOnly = selectsOnly;
        this.cameraOf = cameraOf;
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
        /** What the first layout brings into its place.
         *  @type {import('./grid-geometry.js').Anchor | null | undefined} */
        this.kept = undefined;
        /** The tiles whose pictures do not load yet.
         *  @type {Map<Element, Asset>} */
        this.bare = new Map();
        /** @type {Section[]} */
        this.placed = [];
        this.averageRatio = 4 / 3;
        /** @type {string | null} */
        this.activeID = null;
        // Only some rows are elements. How many there are, and which number one has, is known only once every month above is
        // loaded, and changes with the width: rows have no aria-rowindex.
        this.canvas = element('div', { class: 'canvas', role: 'grid', aria: { label, multiselectable: 'true', rowcount: -1 } });
        this.scroller = element('div', { class: 'scroller' }, this.canvas);
        this.rows = new GridRows(this.canvas, (tile) => {
            discardTile(tile);
            this.bare.delete(tile);
        });
        /** Shows the day at the top of the viewport while its heading is out of view. */
        this.dayLine = element('p', { class: 'day-line', aria: { hidden: 'true' }, hidden: true });
        this.speed = new ScrollSpeed(() => this.render());
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
        this.speed.stop();
        this.rows.close();
    }

    /** @param {string | undefined} id */
    asset(id) {
        const place = this.timeline.find(id);
        return place ? place.section.assets[place.index] : null;
    }

    // MARK: Layout

    get metrics() { return metricsFor(this.width); }

    /** Lays everything out after the width or the sections changed; what is in view stays in place. */
    relayout() {
        const { clientWidth, clientHeight } = this.scroller;
        const padding = clientWidth < 600 ? 0 : 20;
        const width = clientWidth - 2 * padding;
        if (width <= 0) return;
        Object.assign(this, { padding, viewHeight: clientHeight });
        const anchor = this.anchor();
        this.kept = null;
        const isNew = width !== this.width;
        this.width = width;
        for (const section of this.timeline.sections) {
            if (isNew) Object.assign(section, { layout: null, height: 0 });
            this.measure(section);
        }
        if (isNew) this.rows.clear();
        this.place();
        if (anchor) {
            const before = this.top;
            const top = anchoredTop(this.placed, anchor);
            if (top !== null) this.scrollTo(top);
            // What stays in place does not move.
            this.speed.at += this.top - before;
        }
        this.render();
    }

    /** @param {Section} section */
    measure(section) { this.averageRatio = measure(section, this.metrics, this.averageRatio); }

    place() {
        this.placed = [...this.timeline.sections];
        this.total = stack(this.placed);
        this.canvas.style.height = `${canvasHeightFrom(this.base, this.total)}px`;
    }

    /** The top of the viewport in the timeline. */
    get top() { return this.scroller.scrollTop + this.base; }

    /** Scrolls, moving the canvas as well where browsers cannot scroll that far.
     *  @param {number} top */
    scrollTo(top) {
        const target = Math.min(Math.max(0, top), Math.max(0, this.total - this.viewHeight));
        const base = baseFor(target, this.base, this.total);
        if (base !== this.base) {
            this.base = base;
            this.place();
        }
        this.scroller.scrollTop = target - base;
        this.scheduleRender();
    }

    /** What stays in place in a new layout. */
    anchor() {
        if (this.kept) return this.kept;
        const focused = this.activeID && this.rows.haveFocus ? this.timeline.find(this.activeID)?.section : null;
        return anchorIn(this.placed, { top: this.top, height: this.viewHeight }, this.timeline.sections, focused);
    }

    /** @param {number} top */
    sectionAt(top) { return sectionAt(this.placed, top); }

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
            this.speed.measure(this.top, time, this.viewHeight);
            this.render();
        });
    }

    render() {
        if (!this.width || !this.total) return;
        if (isNearEnd(this.scroller.scrollTop, this.base, this.total)) this.scrollTo(this.top);
        // The position is read once, before anything changes: each later reading would lay out the whole page.
        const { top, viewHeight: height } = this;
        const { isPassing } = this.speed;
        /** @type {import('./grid-rows.js').Reach} */
        const reach = {
            from: top - height * overscan.rows, until: top + height * (1 + overscan.rows), end: this.base + canvasHeightFrom(this.base, this.total),
            metrics: this.metrics, makeTile: (asset, width) => this.makeTile(asset, width),
        };
        /** @type {import('./grid-rows.js').Wanted} */
        const wanted = new Map();
        for (const section of sectionsBetween(this.placed, top - height * overscan.sections, top + height * (1 + overscan.sections))) {
            if (!isPassing && section.status !== 'failed') this.timeline.ensure(section);
            collectRows(section, reach, wanted);
        }
        this.rows.keepFocused(wanted, this.placed, reach);
        this.canvas.classList.toggle('passing', isPassing);
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
        if (this.speed.isPassing || this.bare.size === 0) return;
        const inOrder = [...this.bare].sort(([one], [other]) => Number(this.isInView(other, top)) - Number(this.isInView(one, top)));
        for (const [tile, asset] of inOrder.slice(0, picturesAtOnce)) {
            this.bare.delete(tile);
            showPicture(tile, asset);
            this.caption(tile, asset);
            this.markSelected(tile);
        }
        if (this.bare.size > 0) this.scheduleRender();
    }

    /** Whether a tile's row is in view.
     *  @param {{parentElement: any}} tile @param {number} top of the viewport on the canvas */
    isInView({ parentElement: { place, end } }, top) { return place < top + this.viewHeight && end > top; }

    /** @param {number} top */
    showDayLine(top) {
        const title = titleAt(this.placed, top);
        this.dayLine.hidden = !title;
        if (title) write(this.dayLine, title);
    }

    /** @param {import('./grid-rows.js').Wanted} wanted @param {number} top */
    exchange(wanted, top) {
        const { base, viewHeight, padding, speed } = this;
        // The next step of a flight like this leads beyond rows created ahead.
        const isLeaping = speed.isPassing && speed.step > overscan.rows;
        const { added, isIncomplete } = this.rows.exchange(wanted, { top, base, viewHeight, padding, isLeaping });
        if (isIncomplete) this.scheduleRender();
        this.keepTabStop();
        for (const row of added) this.showSelection(row);
    }

    /** @param {Asset} asset @param {number} width */
    makeTile(asset, width) {
        const tile = makeTile(asset, width, { isBare: true });
        this.bare.set(tile, asset);
        // Photos of an album in custom order can be dragged.
        if (this.isArranged) tile.draggable = true;
        return tile;
    }

    /** Recreates all rows after a reorder; scroll position and focus stay. */
    rearranged() {
        this.rows.clear();
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

    /** Time and camera, shown while a photo is hovered or focused; the camera is part of its name for screen readers.
     *  @param {Element} tile @param {Asset | null} asset */
    caption(tile, asset) {
        if (!asset) return;
        const camera = this.cameraOf(asset);
        tile.dataset.when = inert([captureShort(asset), camera].filter(Boolean).join(' · '));
        setAria(tile, 'label', [assetName(asset), camera].filter(Boolean).join(', '));
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
        this.rows.giveFocusBack();
        if (this.canvas.querySelector('.tile[tabindex="0"]')) return;
        const tile = (this.activeID && this.tile(this.activeID)) ?? this.canvas.querySelector('.tile');
        if (tile) tile.tabIndex = 0;
    }

    /** Focuses the tile that Tab reaches, the first in view if that one is not, or the view if it has none. */
    focusTabStop() {
        const [tiles, top] = [[...this.canvas.querySelectorAll('.tile')], this.top - this.base];
        const seen = tiles.filter((one) => this.isInView(one, top));
        const near = seen.length > 0 ? seen : tiles;
        (near.find((one) => one.tabIndex === 0) ?? near[0] ?? document.getElementById('content')).focus({ preventScroll: true });
    }

    /** Removes photos from the timeline. The tab stop goes on from one of them to the next photo that stays, and the focus
     *  with it, also from a heading that goes; that photo is scrolled to if what had the focus was in view.
     *  @param {Set<string>} ids */
    drop(ids) {
        const focused = this.rows.haveFocus ? document.activeElement : null;
        const wasInView = focused && this.isInView({ parentElement: focused.closest('.row') }, this.top - this.base);
        const near = [...this.canvas.querySelectorAll('.tile')].map(({ dataset }) => dataset.id);
        const place = focused && !focused.dataset.id ? near.findIndex((id) => ids.has(id)) : near.indexOf(this.activeID);
        const next = near.find((id, index) => index >= place && !ids.has(id)) ?? near.findLast((id) => !ids.has(id));
        if (ids.has(this.activeID)) this.activeID = next ?? null;
        this.timeline.drop(ids);
        if (!focused || document.activeElement !== document.body) return;
        const { id, month, section } = focused.dataset;
        // What stays gets the focus back where it comes into view again.
        if (id ? !ids.has(id) : this.timeline.sections.some((one) => one.month === month || one.id === section)) return;
        if (wasInView && next) this.reveal(next, { focuses: true });
        else this.focusTabStop();
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
