// Which assets are chosen, here and in the picker: an order, a limit, and one event for whoever shows it.

export class Selection extends EventTarget {
    /** `limit` 0 means any number. */
    constructor({ limit = 0 } = {}) {
        super();
        this.limit = limit;
        this.assets = new Map();
    }

    get size() { return this.assets.size; }
    get ids() { return new Set(this.assets.keys()); }
    has(id) { return this.assets.has(id); }
    get isFull() { return this.limit > 1 && this.size >= this.limit; }
    /** The place of an asset in the order of choosing, from 1. */
    place(id) { return [...this.assets.keys()].indexOf(id) + 1; }

    /** Chooses or gives back; with a limit of one, the new one takes the old one's place. */
    toggle(asset) {
        if (this.assets.delete(asset.id)) return this.changed();
        if (this.limit === 1) this.assets.clear();
        else if (this.isFull) return this.dispatchEvent(new Event('full'));
        this.assets.set(asset.id, asset);
        this.changed();
    }

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
