// The selection model of gallery and picker: ordered, limited, with a change event.

/** @template {{id: string}} Item */
export class Selection extends EventTarget {
    /** `limit` 0 means any number. */
    constructor({ limit = 0 } = {}) {
        super();
        this.limit = limit;
        /** Whether the order of selection matters. */
        this.isOrdered = false;
        /** @type {Map<string, Item>} */
        this.assets = new Map();
    }

    get size() { return this.assets.size; }
    get ids() { return new Set(this.assets.keys()); }
    /** @param {string} id */
    has(id) { return this.assets.has(id); }
    get isFull() { return this.limit > 1 && this.size >= this.limit; }
    /** An asset's position in the selection, from 1.
     *  @param {string} id */
    place(id) { return [...this.assets.keys()].indexOf(id) + 1; }

    /** Selects or deselects; with a limit of one, the new asset replaces the old one.
     *  @param {Item} asset */
    toggle(asset) {
        if (this.assets.delete(asset.id)) return this.changed();
        if (this.limit === 1) this.assets.clear();
        else if (this.isFull) return this.dispatchEvent(new Event('full'));
        this.assets.set(asset.id, asset);
        this.changed();
    }

    /** @param {Item[]} list */
    add(list) {
        for (const asset of list) {
            if (this.isFull && !this.assets.has(asset.id)) {
                this.dispatchEvent(new Event('full'));
                break;
            }
            this.assets.set(asset.id, asset);
        }
        this.changed();
    }

    /** @param {Iterable<string>} ids */
    remove(ids) {
        for (const id of ids) this.assets.delete(id);
        this.changed();
    }

    clear() {
        if (this.size === 0) return;
        this.assets.clear();
        this.changed();
    }

    changed() { this.dispatchEvent(new Event('change')); }
}
