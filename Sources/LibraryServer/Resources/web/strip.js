// A single row of photos for a picker with little space: it scrolls sideways and loads on demand.

import { element, setAria } from './dom.js';
import { discardTile, makeTile } from './tile.js';
import { aspectRatio } from './justified.js';
import { notifyProblem } from './notices.js';

/** The height of the tiles, in pixels. */
const tileHeight = 152;
/** The distance from the end at which more is loaded, in viewports. */
const reach = 2;

export class Strip {
    /** `page(cursor)` returns assets and the next cursor.
     *  @param {(cursor: string | null | undefined) => Promise<AssetPage>} page @param {import('./selection.js').Selection<Asset>} selection */
    constructor(page, selection) {
        this.page = page;
        this.selection = selection;
        /** @type {Map<string, Asset>} */
        this.assets = new Map();
        /** @type {string | null | undefined} */
        this.cursor = null;
        this.isOver = false;
        this.row = element('div', { role: 'row', class: 'tile-strip' });
        this.root = element('div', { role: 'grid', aria: { label: 'Photos to choose from', multiselectable: 'true' } }, this.row);
        this.row.addEventListener('scroll', () => this.more().catch((problem) => {
            // Only the server's absence passes.
            this.isOver ||= !problem.isOffline;
            notifyProblem(problem);
        }), { passive: true });
        this.row.addEventListener('click', (event) => this.choose(/** @type {Element} */ (event.target).closest('.tile')));
        this.row.addEventListener('keydown', (event) => this.key(event));
        this.showSelection = () => this.mark();
        selection.addEventListener('change', this.showSelection);
    }

    /** Loads the first photos; returns whether there are any. */
    async load() {
        await this.more();
        return this.assets.size > 0;
    }

    close() {
        this.isOver = true;
        this.selection.removeEventListener('change', this.showSelection);
        for (const tile of this.row.children) discardTile(tile);
    }

    async more() {
        const { row } = this;
        if (this.isOver || this.isLoading || row.scrollWidth - row.scrollLeft > row.clientWidth * (1 + reach)) return;
        this.isLoading = true;
        try {
            const { assets, next } = await this.page(this.cursor);
            // Closed meanwhile.
            if (this.isOver) return;
            this.cursor = next;
            this.isOver = !next;
            for (const asset of assets) {
                this.assets.set(asset.id, asset);
                row.append(makeTile(asset, aspectRatio(asset) * tileHeight));
            }
            if (row.firstElementChild && !row.querySelector('[tabindex="0"]')) row.firstElementChild.tabIndex = 0;
            this.mark();
        } finally {
            this.isLoading = false;
        }
    }

    /** @param {Element | null} tile */
    choose(tile) {
        const asset = tile && this.assets.get(tile.dataset.id);
        if (asset) this.selection.toggle(asset);
    }

    mark() {
        for (const tile of this.row.children) {
            const isChosen = this.selection.has(tile.dataset.id);
            tile.classList.toggle('chosen', isChosen);
            setAria(tile, 'selected', isChosen);
            const check = this.selection.isOrdered && tile.querySelector('.check');
            if (check) check.dataset.place = isChosen ? String(this.selection.place(tile.dataset.id)) : '';
        }
    }

    /** @param {At<KeyboardEvent>} event */
    key(event) {
        const tile = event.target.closest('.tile');
        if (!tile) return;
        const next = { ArrowLeft: tile.previousElementSibling, ArrowRight: tile.nextElementSibling }[event.key];
        // A key held down acts once.
        if (event.key === ' ' || event.key === 'Enter') event.repeat || this.choose(tile);
        else if (next) {
            tile.tabIndex = -1;
            next.tabIndex = 0;
            next.focus();
        } else return;
        event.preventDefault();
    }
}
