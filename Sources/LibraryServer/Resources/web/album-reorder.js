// Reorders an album's photos: by mouse, with Alt and the arrows, or with two buttons.

import { path, post } from './api.js';
import { button } from './dom.js';
import { counted } from './format.js';
import { notify } from './notices.js';

export class AlbumReorder {
    /** `guard` reports a refusal.
     *  @param {import('./gallery.js').Gallery & {album: Album}} gallery */
    constructor({ album, timeline, grid, selection, guard }) {
        this.album = album;
        this.timeline = /** @type {import('./album-timeline.js').AlbumTimeline} */ (timeline);
        this.grid = grid;
        this.selection = selection;
        this.guard = guard;
        grid.isArranged = true;
        const { canvas } = grid;
        canvas.addEventListener('dragstart', (event) => this.lift(event));
        canvas.addEventListener('dragover', (event) => this.hover(event));
        canvas.addEventListener('drop', (event) => this.drop(event));
        canvas.addEventListener('dragend', () => this.settle());
        canvas.addEventListener('keydown', (event) => this.key(event));
    }

    /** The assets that move with one: the whole selection if it is selected, else itself.
     *  @param {string} id */
    movedWith(id) {
        const ids = this.selection.has(id) ? this.selection.ids : new Set([id]);
        return this.timeline.assets.filter((asset) => ids.has(asset.id)).map((asset) => asset.id);
    }

    // MARK: Mouse

    /** @param {At<DragEvent>} event */
    lift(event) {
        const tile = event.target.closest?.('.tile');
        if (!tile) return;
        this.moved = this.movedWith(tile.dataset.id);
        /** @type {DataTransfer} */ (event.dataTransfer).effectAllowed = 'move';
        /** @type {DataTransfer} */ (event.dataTransfer).setData('text/plain', counted(this.moved.length, 'photo'));
        for (const id of this.moved) this.grid.tile(id)?.classList.add('lifted');
    }

    /** @param {At<DragEvent>} event */
    hover(event) {
        if (!this.moved) return;
        event.preventDefault();
        const tile = event.target.closest('.tile');
        this.unmark();
        if (!tile || this.moved.includes(tile.dataset.id)) return;
        const box = tile.getBoundingClientRect();
        const side = event.clientX < box.left + box.width / 2 ? 'before' : 'after';
        tile.classList.add(`drop-${side}`);
        this.target = { id: tile.dataset.id, side };
    }

    /** @param {DragEvent} event */
    drop(event) {
        event.preventDefault();
        const { moved, target } = this;
        this.settle();
        if (!moved || !target) return;
        const rest = this.timeline.assets.map((asset) => asset.id).filter((id) => !moved.includes(id));
        const place = rest.indexOf(target.id) + (target.side === 'after' ? 1 : 0);
        this.guard(() => this.move(moved, rest[place - 1] ?? null));
    }

    settle() {
        this.unmark();
        for (const tile of this.grid.canvas.querySelectorAll('.lifted')) tile.classList.remove('lifted');
        this.moved = null;
    }

    unmark() {
        this.target = null;
        for (const tile of this.grid.canvas.querySelectorAll('.drop-before, .drop-after')) tile.classList.remove('drop-before', 'drop-after');
    }

    // MARK: Keyboard and buttons

    /** @param {At<KeyboardEvent>} event */
    key(event) {
        const tile = event.target.closest('.tile');
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!tile || !event.altKey || !by) return;
        event.preventDefault();
        this.guard(() => this.shift(tile.dataset.id, by));
    }

    /** The buttons of the selection bar. */
    tools() {
        /** @param {number} by */
        const shift = (by) => this.guard(() => this.shift([...this.selection.ids][0], by));
        return [
            button('Earlier', { symbol: 'back', showsLabel: true, onClick: () => shift(-1) }),
            button('Later', { symbol: 'forward', showsLabel: true, onClick: () => shift(1) }),
        ];
    }

    /** Moves an asset, and the selection with it, by one place.
     *  @param {string} id @param {number} by */
    async shift(id, by) {
        const moved = this.movedWith(id);
        const order = this.timeline.assets.map((asset) => asset.id);
        const first = order.findIndex((one) => moved.includes(one));
        const rest = order.filter((one) => !moved.includes(one));
        const place = Math.min(rest.length, Math.max(0, first + by));
        if (place === first) return;
        await this.move(moved, rest[place - 1] ?? null);
        this.grid.reveal(id, { focuses: this.grid.canvas.contains(document.activeElement) });
    }

    // MARK: Moving

    /** @param {string[]} ids @param {string | null} behind */
    async move(ids, behind) {
        const before = this.timeline.assets.map((asset) => asset.id);
        await this.send(ids, behind);
        const place = this.timeline.assets.findIndex((asset) => asset.id === ids[0]) + 1;
        notify(`${counted(ids.length, 'photo')} moved to position ${place}.`, { undo: async () => {
            // Each goes after its former predecessor, from the front.
            for (const id of before.filter((one) => ids.includes(one))) await this.send([id], before[before.indexOf(id) - 1] ?? null);
        } });
    }

    /** @param {string[]} ids @param {string | null} behind */
    async send(ids, behind) {
        await post(path`/v1/albums/${this.album.id}/moves`, { assets: ids, behind: behind ?? undefined });
        const known = new Map(this.timeline.assets.map((asset) => [asset.id, asset]));
        const rest = [...known.keys()].filter((id) => !ids.includes(id));
        rest.splice(rest.indexOf(behind) + 1, 0, ...ids);
        this.timeline.reorder(/** @type {Asset[]} */ (rest.map((id) => known.get(id))));
    }
}
