// Input to the grid: clicks, long presses, range selection, and all of that by keyboard.

import { count } from './format.js';

/** The most photos selected by one gesture: each has to be fetched. */
const mostChosen = 20_000;
/** How long a finger rests on a photo to select it, in milliseconds, and how far it may tremble meanwhile, in pixels. */
const longPress = 450;
const trembling = 10;

export class GridInput {
    /** @param {import('./grid.js').Grid} grid */
    constructor(grid) {
        this.grid = grid;
        /** Where a range begins: the photo selected last.
         *  @type {Asset | null} */
        this.selectionAnchor = null;
        /** What the last range selected, which the next one from there replaces.
         *  @type {Set<string>} */
        this.ranged = new Set();
        this.rangeCount = 0;
        this.cancelCount = 0;
    }

    /** Registers listeners through the grid, which removes them when it closes.
     *  @param {Listen} on */
    listen(on) {
        const { canvas } = this.grid;
        on(canvas, 'click', (event) => this.click(event));
        on(canvas, 'keydown', (event) => this.key(event));
        on(window, 'keydown', (event) => this.pageKey(event));
        on(this.grid.selection, 'change', () => this.forget());
        this.listenForLongPress(on);
    }

    // MARK: Pointer

    /** @param {At<MouseEvent>} event */
    click(event) {
        const act = event.target.closest('[data-act]');
        const tile = event.target.closest('.tile');
        if (act?.dataset.act === 'all') return this.guard(() => this.chooseSection(act.dataset.section));
        if (act?.dataset.act === 'month') return this.guard(() => this.chooseMonth(act.dataset.month));
        if (act?.dataset.act === 'again') return this.again(act.dataset.section);
        if (!tile || this.ignoresClick) return;
        const asset = this.grid.asset(tile.dataset.id);
        if (!asset) return;
        this.grid.activate(tile);
        if (event.shiftKey && this.selectionAnchor) this.guard(() => this.chooseRange(asset));
        else if (act || this.grid.selectsOnly || this.grid.selection.size > 0 || event.shiftKey || event.ctrlKey || event.metaKey) this.choose(asset);
        else this.grid.onOpen(asset);
    }

    /** @param {Asset} asset */
    choose(asset) {
        this.selectionAnchor = asset;
        this.grid.selection.toggle(asset);
    }

    /** After a change of the selection: a range begins at a selected photo, and takes back only its own. */
    forget() {
        if (this.isRanging) return;
        this.ranged.clear();
        if (this.selectionAnchor && !this.grid.selection.has(this.selectionAnchor.id)) this.selectionAnchor = null;
    }

    /** Runs work that may have to load something; shows progress and errors.
     *  @param {() => unknown} work */
    async guard(work) {
        const { canvas, timeline } = this.grid;
        canvas.setAttribute('aria-busy', 'true');
        try {
            await work();
        } catch (problem) {
            timeline.dispatchEvent(new CustomEvent('problem', { detail: problem }));
        } finally {
            canvas.removeAttribute('aria-busy');
        }
    }

    /** @param {string | undefined} id */
    async chooseSection(id) {
        const section = this.grid.timeline.sections.find((one) => one.id === id);
        if (section) this.chooseOrGiveBack(await this.assetsOf([section]));
    }

    /** @param {string | undefined} month */
    async chooseMonth(month) {
        const sections = this.grid.timeline.sections.filter((section) => section.month === month);
        this.chooseOrGiveBack(await this.assetsOf(sections));
    }

    /** All photos of sections; none if Escape was pressed before they came.
     *  @param {Section[]} sections */
    async assetsOf(sections) {
        const turn = this.cancelCount;
        const assets = await this.grid.timeline.assetsOf(sections);
        return turn === this.cancelCount ? assets : [];
    }

    cancel() {
        this.cancelCount += 1;
        this.rangeCount += 1;
        this.grid.selection.clear();
    }

    /** @param {Asset[]} assets */
    chooseOrGiveBack(assets) {
        if (assets.every((asset) => this.grid.selection.has(asset.id))) this.grid.selection.remove(assets.map((asset) => asset.id));
        else this.grid.selection.add(assets);
    }

    async chooseAll() {
        const { timeline, selection } = this.grid;
        if (timeline.count > mostChosen) throw new Error(`More than ${count(mostChosen)} photos cannot be selected at once: filter them first.`);
        selection.add(await this.assetsOf(timeline.sections));
    }

    /** Everything from the anchor to a photo, including what is not loaded yet, instead of the last such range. The anchor
     *  may have gone to the trash elsewhere: the range begins at `start` then.
     *  @param {Asset} until */
    async chooseRange(until, start = until) {
        const { timeline, selection } = this.grid;
        const turn = ++this.rangeCount;
        const anchor = this.selectionAnchor;
        const from = anchor && await timeline.locate(anchor) ? anchor : start;
        const ends = [await timeline.locate(from), await timeline.locate(until)];
        if (ends.includes(null)) return;
        const [first, last] = /** @type {Position[]} */ (ends).map(({ section }) => timeline.sections.indexOf(section)).sort((one, other) => one - other);
        const total = timeline.sections.slice(first, last + 1).reduce((sum, section) => sum + section.count, 0);
        if (total > mostChosen) throw new Error(`More than ${count(mostChosen)} photos cannot be selected at once.`);
        const assets = await timeline.assetsOf(timeline.sections.slice(first, last + 1));
        const places = [from, until].map(({ id }) => assets.findIndex((asset) => asset.id === id)).sort((one, other) => one - other);
        // Keys come faster than photos load.
        if (places[0] < 0 || turn !== this.rangeCount) return;
        const range = assets.slice(places[0], places[1] + 1);
        const ids = new Set(range.map(({ id }) => id));
        const fresh = range.filter(({ id }) => this.ranged.has(id) || !selection.has(id));
        const beyond = [...this.ranged].filter((id) => !ids.has(id));
        this.isRanging = true;
        if (beyond.length > 0) selection.remove(beyond);
        selection.add(range);
        this.isRanging = false;
        this.selectionAnchor = from;
        this.ranged = new Set(fresh.map(({ id }) => id));
    }

    /** @param {string | undefined} id */
    again(id) {
        const section = this.grid.timeline.sections.find((other) => other.id === id);
        if (!section) return;
        section.status = 'empty';
        this.grid.rows.clear(id);
        this.grid.render();
    }

    /** @param {Listen} on */
    listenForLongPress(on) {
        /** @type {ReturnType<typeof setTimeout> | null} */
        let timer = null;
        let start = { x: 0, y: 0 };
        const cancel = () => clearTimeout(timer);
        on(this.grid.canvas, 'pointerdown', (event) => {
            const tile = event.target.closest('.tile');
            // The click of a press that selected may come late.
            this.ignoresClick = false;
            cancel();
            if (event.pointerType === 'mouse' || !tile) return;
            start = { x: event.clientX, y: event.clientY };
            timer = setTimeout(() => {
                const asset = this.grid.asset(tile.dataset.id);
                if (!asset) return;
                this.choose(asset);
                this.ignoresClick = true;
            }, longPress);
        });
        on(this.grid.canvas, 'pointermove', (event) => Math.hypot(event.clientX - start.x, event.clientY - start.y) > trembling && cancel(), { passive: true });
        for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) on(this.grid.canvas, type, cancel, { passive: true });
        on(this.grid.canvas, 'contextmenu', (event) => event.target.closest('.tile') && this.grid.selection.size > 0 && event.preventDefault());
    }

    // MARK: Keyboard

    /** Keys for the whole selection, wherever the focus is but in a field or a dialog.
     *  @param {KeyboardEvent} event */
    pageKey(event) {
        if (event.target instanceof Element && event.target.closest('input, textarea') || document.querySelector('dialog[open]')) return;
        const { selection, selectsOnly } = this.grid;
        if ((event.ctrlKey || event.metaKey) && event.key === 'a' && selection.limit !== 1) {
            event.preventDefault();
            this.guard(() => this.chooseAll());
        } else if (event.key === 'Escape' && !event.defaultPrevented && !selectsOnly) this.cancel();
        else if (event.target instanceof Element && event.target.matches('body, main')) this.scrollBy(event);
    }

    /** Scrolls the photos while nothing has the focus, or the view as a whole: the browser would scroll the page, which does not move.
     *  @param {KeyboardEvent} event */
    scrollBy(event) {
        const { top, total, viewHeight } = this.grid;
        const page = viewHeight * 0.9;
        /** @type {Record<string, number>} */
        const targets = { PageDown: top + page, PageUp: top - page, Home: 0, End: total };
        // With Alt, Home is the browser's.
        if (!(event.key in targets) || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        this.grid.scrollTo(targets[event.key]);
    }

    /** @param {At<KeyboardEvent>} event */
    async key(event) {
        const tile = event.target.closest('.tile');
        if (!tile || event.altKey || event.ctrlKey || event.metaKey) return;
        const place = this.grid.timeline.find(tile.dataset.id);
        if (!place) return;
        const asset = place.section.assets[place.index];
        /** @type {Record<string, number>} */
        const moves = { ArrowLeft: -1, ArrowRight: 1 };
        if (['Enter', ' ', 'x'].includes(event.key)) {
            // A key held down acts once.
            if (!event.repeat) event.key === 'Enter' && !this.grid.selectsOnly ? this.grid.onOpen(asset) : this.choose(asset);
        } else if (event.key in moves) await this.focusPlace(this.grid.timeline.step(place, moves[event.key]), event);
        else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') await this.focusPlace(this.vertical(place, event.key === 'ArrowDown' ? 1 : -1), event);
        else if (event.key === 'Home') await this.focusPlace(this.edge(0, 1), event);
        else if (event.key === 'End') await this.focusPlace(this.edge(this.grid.timeline.sections.length - 1, -1), event);
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    /** @param {number} index @param {number} direction @returns {Promise<Position | null>} */
    async edge(index, direction) {
        const section = this.grid.timeline.sections[index];
        await this.grid.timeline.ensure(section);
        const now = this.grid.timeline.sections[direction > 0 ? 0 : this.grid.timeline.sections.length - 1];
        await this.grid.timeline.ensure(now);
        return now.assets ? { section: /** @type {LoadedSection} */ (now), index: direction > 0 ? 0 : now.assets.length - 1 } : null;
    }

    /** The nearest photo in the row above or below.
     *  @param {Position} place @param {number} direction @returns {Promise<Position | null>} */
    async vertical({ section, index }, direction) {
        const { rows } = section.layout;
        const current = rows.findLastIndex((row) => row.start <= index);
        const centre = this.centre(rows[current], index);
        let target = rows[current + direction];
        if (!target) {
            const edge = await this.grid.timeline.step({ section, index: direction > 0 ? section.assets.length - 1 : 0 }, direction);
            if (!edge) return null;
            section = edge.section;
            this.grid.measure(section);
            target = direction > 0 ? section.layout.rows[0] : /** @type {Row} */ (section.layout.rows.at(-1));
        }
        const centres = target.widths.map((_, offset) => Math.abs(this.centre(target, target.start + offset) - centre));
        return { section, index: target.start + centres.indexOf(Math.min(...centres)) };
    }

    /** @param {Row} row @param {number} index */
    centre(row, index) {
        const before = row.widths.slice(0, index - row.start).reduce((sum, width) => sum + width + this.grid.metrics.gap, 0);
        return before + row.widths[index - row.start] / 2;
    }

    /** @param {Promise<Position | null> | Position | null} coming @param {At<KeyboardEvent>} event */
    async focusPlace(coming, event) {
        event.preventDefault();
        const before = this.grid.asset(event.target.closest('.tile')?.dataset.id);
        const place = await coming;
        if (!place) return;
        const asset = place.section.assets[place.index];
        this.grid.reveal(asset.id, { focuses: true });
        // Shift extends the selection from the photo where it began.
        if (!event.shiftKey || !before) return;
        this.selectionAnchor ??= before;
        await this.guard(() => this.chooseRange(asset, before));
    }
}
