// An album in its own order: one list instead of months. It loads page by page from the front; the rest is one section
// with its count.

import { get, path, query } from './api.js';
import { localText } from './format.js';
import { Timeline, isLaidOutAlike, sectionLimit } from './timeline.js';

export class AlbumTimeline extends Timeline {
    /** @param {Album} album */
    constructor(album) {
        // It loads by itself.
        super(/** @type {never} */ (null));
        this.album = album;
        /** The number of reorderings made here: a response requested before the last one is outdated. */
        this.moveCount = 0;
    }

    get base() { return path`/v1/albums/${this.album.id}/assets`; }

    /** Reloads the loaded part of the album; the old content stays until the response arrives. */
    async load() {
        const turn = ++this.asked;
        let isTaken = false;
        while (!isTaken) {
            // The answer to a later request came first.
            if (turn < this.told) return;
            const known = this.moveCount;
            isTaken = await this.fetch(() => known === this.moveCount && turn >= this.told);
        }
        this.told = turn;
        this.dispatchEvent(new Event('layout'));
    }

    /** Fetches the album; returns whether the response was used: not if photos moved meanwhile.
     *  @param {() => boolean} isNew */
    async fetch(isNew) {
        const filter = JSON.stringify({ album: this.album.id });
        /** @type {TimelineAnswer} */
        const { spans, access, token } = await get(`/v1/timeline${query({ filter })}`);
        const total = spans.reduce((sum, span) => sum + span.count, 0);
        const wanted = Math.max(1, this.sections.filter((section) => section.assets).length);
        const sections = total > 0 ? [this.chunk(0, total)] : [];
        for (let page = 0; page < wanted && sections.at(-1)?.status === 'empty'; page += 1) await this.extend(/** @type {Section} */ (sections.at(-1)), sections);
        if (!isNew()) return false;
        const same = /** @type {LoadedSection[]} */ (sections.filter((section, index) => this.keepLayout(section, this.sections[index])));
        Object.assign(this, { access, token, sections });
        for (const asset of same.flatMap((section) => section.assets)) this.dispatchEvent(new CustomEvent('replaced', { detail: asset }));
        return true;
    }

    /** Keeps the layout of a refetched section in which nothing moved, because one of its photos may be being dragged.
     *  Returns whether it did.
     *  @param {Section} section @param {Section | undefined} before */
    keepLayout(section, before) {
        if (!before || !section.assets || !isLaidOutAlike(before, section.assets)) return false;
        Object.assign(section, { layout: before.layout, layoutID: before.layoutID });
        return true;
    }

    /** A section of the list; its times are just positions.
     *  @param {number} number @param {number} count @param {string | null} cursor */
    chunk(number, count, cursor = null) {
        return /** @type {Section} */ ({
            id: `album:${number}`, month: localText(0), unit: 'album', count, start: number, end: number + 1, cursor,
            monthTitle: null, title: null, assets: null, status: 'empty', loading: null, isStale: false, visit: 0, layout: null, height: 0, top: 0,
        });
    }

    /** @param {Section} section */
    async loadSection(section) {
        section.status = 'loading';
        try {
            await this.extend(section);
            this.dispatchEvent(new Event('layout'));
        } catch (problem) {
            Object.assign(section, { status: 'failed', problem });
            this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
        }
    }

    /** Loads the next page.
     *  @param {Section} section */
    async extend(section, sections = this.sections) {
        /** @type {AssetPage} */
        const page = await get(`${this.base}${query({ limit: sectionLimit, cursor: section.cursor })}`);
        const place = sections.indexOf(section);
        if (place < 0) return;
        /** @type {Section} */
        const loaded = { ...this.chunk(section.start, page.assets.length), assets: page.assets, status: 'ready' };
        const rest = page.next ? [this.chunk(section.start + 1, Math.max(1, section.count - page.assets.length), page.next)] : [];
        sections.splice(place, 1, ...(page.assets.length > 0 ? [loaded] : []), ...rest);
    }

    /** The unloaded rest is the last section; its page and the new rest replace it.
     *  @param {Section} section */
    standIns(section) { return this.sections.filter((one) => one.start >= section.start); }

    /** @param {Asset} asset */
    async locate(asset) {
        let place = this.find(asset.id);
        while (!place && ['empty', 'loading'].includes(this.sections.at(-1)?.status)) {
            await this.ensure(/** @type {Section} */ (this.sections.at(-1)));
            place = this.find(asset.id);
        }
        return place;
    }

    /** The loaded assets, in order. */
    get assets() { return this.sections.flatMap((section) => section.assets ?? []); }

    /** Shows the loaded assets in another order.
     *  @param {Asset[]} assets */
    reorder(assets) {
        let place = 0;
        this.moveCount += 1;
        for (const section of this.sections) {
            if (!section.assets) continue;
            Object.assign(section, { assets: assets.slice(place, place + section.assets.length), layout: null });
            place += section.assets.length;
        }
        this.dispatchEvent(new Event('rearranged'));
    }

    markStale() {}
}
