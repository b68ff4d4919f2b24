// The open photo's neighbours in a strip below it, and the other pictures of its burst over it.

import { get, isBack, onceBack, query } from './api.js';
import { element, fill, icon, setAria } from './dom.js';
import { assetName, captureDate } from './format.js';
import { isSound, thumbnail } from './media.js';

/** Photos shown on each side of the open one, and the most that are kept. */
const reach = 12;
const keptCount = 80;

/** A photo in a strip.
 *  @param {Asset} asset @param {(asset: Asset) => void} onChoose */
const frame = (asset, onChoose, label = assetName(asset)) => element('button', {
    type: 'button', data: { id: asset.id }, tabindex: '-1', aria: { label }, on: { click: () => onChoose(asset) },
}, isSound(asset) ? element('span', { class: 'missing' }, icon('sound')) : element('img', {
    src: thumbnail(asset), alt: '', decoding: 'async', draggable: 'false', on: { error: ({ currentTarget }) => showMissing(currentTarget, asset) },
}));

/** Pictures that failed although the server responds.
 *  @type {WeakSet<HTMLImageElement>} */
const failed = new WeakSet();

/** Shows a sign in place of a picture; without the server, until that is back.
 *  @param {HTMLImageElement} image @param {Asset} asset */
async function showMissing(image, asset) {
    const sign = element('span', { class: 'missing' }, icon('warning'));
    image.replaceWith(sign);
    const again = () => {
        image.src = thumbnail(asset);
        sign.replaceWith(image);
    };
    if (!await isBack()) return onceBack(again);
    // The server may have come back only now.
    if (failed.has(image)) return;
    failed.add(image);
    again();
}

export class Filmstrip {
    /** `step(id, by)` returns a neighbour; `onChoose` gets the chosen photo.
     *  @param {{step: (id: string, by: number) => Promise<Asset | null>, onChoose: (asset: Asset) => void}} handlers */
    constructor({ step, onChoose }) {
        this.step = step;
        this.onChoose = onChoose;
        this.turn = 0;
        this.root = element('nav', { class: 'film', aria: { label: 'Photos beside this one' } });
    }

    /** Shows a photo's neighbours, and marks it among them.
     *  @param {Asset} asset */
    async show(asset) {
        const turn = ++this.turn;
        let current = this.find(asset.id);
        if (!current) {
            current = frame(asset, this.onChoose);
            fill(this.root, current);
        }
        this.mark(current);
        await this.extend(1, current, turn);
        await this.extend(-1, current, turn);
    }

    /** @param {string} id */
    find(id) { return /** @type {HTMLElement[]} */ ([...this.root.children]).find((one) => one.dataset.id === id); }

    /** @param {HTMLElement} current */
    mark(current) {
        const hadFocus = this.root.contains(document.activeElement);
        for (const one of this.root.children) {
            setAria(one, 'current', one === current ? 'true' : null);
            one.tabIndex = one === current ? 0 : -1;
        }
        if (hadFocus) current.focus({ preventScroll: true });
        this.centre(current);
    }

    /** @param {HTMLElement} current */
    centre(current) {
        const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches || this.root.children.length < 2;
        this.root.scrollTo({ left: current.offsetLeft - (this.root.clientWidth - current.clientWidth) / 2, behavior: isCalm ? /** @type {ScrollBehavior} */ ('instant') : 'smooth' });
    }

    /** Loads neighbours on one side; distant ones on the other side are dropped.
     *  @param {number} by @param {HTMLElement} current @param {number} turn */
    async extend(by, current, turn) {
        const list = () => /** @type {HTMLElement[]} */ ([...this.root.children]);
        const beside = () => (by > 0 ? list().length - 1 - list().indexOf(current) : list().indexOf(current));
        while (beside() < reach) {
            const edge = by > 0 ? this.root.lastElementChild : this.root.firstElementChild;
            const next = edge && await this.step(edge.dataset.id, by);
            if (turn !== this.turn || !next || this.find(next.id)) return;
            const made = frame(next, this.onChoose);
            if (by > 0) this.root.append(made);
            else {
                const left = this.root.scrollLeft;
                this.root.prepend(made);
                // Keep what is in view in place.
                this.root.scrollLeft = left + made.offsetWidth;
            }
            if (list().length > keptCount) (by > 0 ? this.root.firstElementChild : this.root.lastElementChild)?.remove();
        }
        this.centre(current);
    }

    /** Removes photos; one with the focus hands it to the next.
     *  @param {Set<string>} ids */
    drop(ids) {
        for (const one of /** @type {HTMLElement[]} */ ([...this.root.children])) {
            if (!ids.has(one.dataset.id)) continue;
            const next = /** @type {HTMLElement | null} */ (one.nextElementSibling ?? one.previousElementSibling);
            if (one === document.activeElement) next?.focus({ preventScroll: true });
            one.remove();
        }
    }
}

/** How far around the pick a burst's other pictures are searched, in milliseconds. */
const burstReach = 60_000;

/** The pictures of an asset's burst, from the first on; those in the trash if it is there.
 *  @param {Asset} asset @returns {Promise<Asset[]>} */
export async function burstPictures(asset) {
    const [time, device] = [captureDate(asset), asset.deviceID];
    const captured = { from: new Date(time - burstReach).toISOString(), until: new Date(time + burstReach).toISOString() };
    const filter = JSON.stringify({ all: ['bursts', { captured }, ...device ? [{ device }] : []] });
    /** @type {AssetPage} */
    const { assets } = await get(`/v1/assets${query({ filter, bursts: 'all', trash: asset.trashedAt ? 'true' : '', sort: 'captureDate', limit: 200 })}`);
    return assets.filter((one) => one.burst?.id === asset.burst?.id);
}

/** All pictures of a burst; the grid shows only the pick. */
export class BurstFrames {
    /** @param {{onChoose: (asset: Asset) => void, guard: (work: () => unknown) => unknown}} handlers */
    constructor({ onChoose, guard }) {
        this.onChoose = onChoose;
        this.guard = guard;
        /** @type {string | null} */
        this.burst = null;
        this.root = element('div', { class: 'burst', role: 'group', hidden: true, aria: { label: 'Pictures of this burst' } });
    }

    /** @param {Asset} asset */
    show(asset) {
        const burst = asset.burst?.id ?? null;
        this.asset = asset;
        if (burst !== this.burst) {
            this.burst = burst;
            fill(this.root);
            if (burst) this.guard(() => this.load(burst, asset));
        }
        this.root.hidden = this.root.children.length < 2;
        this.mark();
    }

    /** @param {string} burst @param {Asset} asset */
    async load(burst, asset) {
        const pictures = await burstPictures(asset);
        if (burst !== this.burst) return;
        fill(this.root, pictures.map((one, index) => frame(one, this.onChoose, `Picture ${index + 1} of ${pictures.length}`)));
        this.root.hidden = this.root.children.length < 2;
        this.mark();
    }

    mark() {
        for (const one of this.root.children) {
            const isShown = one.dataset.id === this.asset?.id;
            setAria(one, 'current', isShown ? 'true' : null);
            one.tabIndex = 0;
            if (isShown) one.scrollIntoView({ block: 'nearest', inline: 'center' });
        }
    }
}
