// Actions on one or many assets, each with its undo. Every action is a change like any device's; the page shows the
// server's response, not what was requested.

import { Problem, get, patch, path, post, remove } from './api.js';
import { counted, placeOffset } from './format.js';
import { notify } from './notices.js';

/** The most assets changed by one request (APILimits). */
const bulkCount = 500;
/** Concurrent requests of an action on many assets. */
const parallelCalls = 4;

/** Calls `work` for each, a few at a time; returns the results, or throws the first error once all are done.
 *  @template Item, Outcome @param {Item[]} list @param {(item: Item) => Promise<Outcome>} act @returns {Promise<Outcome[]>} */
async function each(list, act) {
    const queue = [...list];
    /** @type {Outcome[]} */
    const answers = [];
    /** @type {Failure | null} */
    let refusal = null;
    const work = async () => {
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
            try {
                answers.push(await act(item));
            } catch (problem) {
                refusal ??= problem;
            }
        }
    };
    await Promise.all(Array.from({ length: parallelCalls }, work));
    if (refusal) throw refusal;
    return answers;
}

/** @param {string} id */
const asset = (id) => path`/v1/assets/${id}`;

const captureDate = (/** @type {Asset} */ one) => one.captureDateOverride ?? one.captureTime.wall;
/** A date moved by whole seconds; its fraction stays as it is, which may be finer than the browser's. */
const shifted = (/** @type {string} */ date, /** @type {number} */ seconds) =>
    new Date(Date.parse(date.replace(/\.\d+/, '')) + 1000 * seconds).toISOString().replace('.000Z', `${/\.\d+/.exec(date)?.[0] ?? ''}Z`);

/** Assets with their edit, and the seconds to shift their dates by.
 *  @typedef {{assets: Asset[], edit: AssetEdit, shift?: number}} Group */

/** The actions of one view; `onChanged` gets updated assets, `onGone` and `onBack` the identifiers that left or returned. */
export class Edits {
    /** @param {{onChanged: (asset: Asset) => void, onGone: (ids: Set<string>) => void, onBack: () => void}} handlers */
    constructor({ onChanged, onGone, onBack }) {
        this.onChanged = onChanged;
        this.onGone = onGone;
        this.onBack = onBack;
        /** @type {Set<{id: string, isOutdated?: boolean}>} */
        this.underWay = new Set();
        /** Assets that were taken out of a list here: the stream may tell of it before the response comes.
         *  @type {Set<string>} */
        this.takenOut = new Set();
    }

    /** Calls `act`, which takes an asset out of a list, for each.
     *  @template Outcome @param {Asset[]} assets @param {(one: Asset) => Promise<Outcome>} act */
    takeOut(assets, act) {
        for (const { id } of assets) this.takenOut.add(id);
        return each(assets, act);
    }

    /** Records that the stream reported an asset: a response already on its way may be older.
     *  @param {string} id */
    saw(id) {
        for (const request of this.underWay) if (request.id === id) request.isOutdated = true;
    }

    /** Edits an asset; returns its state afterwards, refetched if the stream reported a change meanwhile.
     *  @param {string} id @param {AssetEdit} edit @returns {Promise<Asset>} */
    async edit(id, edit) {
        /** @type {{id: string, isOutdated?: boolean}} */
        const request = { id };
        this.underWay.add(request);
        try {
            let answer = await patch(asset(id), edit);
            while (request.isOutdated) {
                request.isOutdated = false;
                answer = await get(asset(id));
            }
            return answer;
        } finally {
            this.underWay.delete(request);
        }
    }

    /** Edits many assets individually, in as few requests as possible; returns the changed ones, and the errors of the
     *  others.
     *  @param {Asset[]} assets @param {AssetEdit} edit */
    async editMany(assets, edit, shift = 0) {
        /** @type {Asset[]} */
        const changed = [];
        /** @type {ProblemDetails[]} */
        const refused = [];
        for (let start = 0; start < assets.length; start += bulkCount) {
            const part = assets.slice(start, start + bulkCount);
            const ids = part.map((one) => one.id);
            /** @type {{id: string, isOutdated?: boolean}[]} */
            const requests = ids.map((id) => ({ id }));
            requests.forEach((request) => this.underWay.add(request));
            try {
                /** @type {{outcomes: {id: string, asset?: Asset, problem?: ProblemDetails}[]}} */
                const { outcomes } = await patch('/v1/assets', { assets: ids, edit, captureDateOverrides: shift ? part.map((one) => shifted(captureDate(one), shift)) : undefined });
                refused.push(...outcomes.map((one) => one.problem).filter(Boolean));
                const outdated = new Set(requests.filter((request) => request.isOutdated).map((request) => request.id));
                const answers = outcomes.map((one) => one.asset).filter(Boolean);
                changed.push(...answers.filter((one) => !outdated.has(one.id)), ...await each(answers.filter((one) => outdated.has(one.id)), (one) => get(asset(one.id))));
            } finally {
                requests.forEach((request) => this.underWay.delete(request));
            }
        }
        return { changed, refused };
    }

    /** Applies the edits of several groups of assets; returns what changed, and the errors.
     *  @param {Group[]} groups */
    async editGroups(groups) {
        /** @type {{changed: Asset[], refused: ProblemDetails[]}} */
        const all = { changed: [], refused: [] };
        for (const { assets, edit, shift } of groups) {
            const { changed, refused } = assets.length === 1 && !shift
                ? { changed: [await this.edit(assets[0].id, edit)], refused: [] } : await this.editMany(assets, edit, shift);
            all.changed.push(...changed);
            all.refused.push(...refused);
        }
        all.changed.forEach((one) => this.onChanged(one));
        return all;
    }

    /** Changes fields; `back` returns the edit that undoes it for an asset, and `undoMore` undoes what else the notice tells of.
     *  @param {Asset[]} assets @param {AssetEdit} edit @param {((one: Asset) => AssetEdit) | null} back @param {string} text
     *  @param {{groups?: Group[], onDone?: () => unknown, undoMore?: (() => Promise<unknown>) | null}} options */
    async change(assets, edit, back, text, { groups = [{ assets, edit }], onDone = () => {}, undoMore = null } = {}) {
        const { changed, refused } = await this.editGroups(groups.filter((group) => group.assets.length > 0));
        if (refused.length > 0 && changed.length === 0) throw new Problem(refused[0]);
        onDone();
        const ids = new Set(changed.map((one) => one.id));
        const undo = back && (async () => {
            const edits = Map.groupBy(assets.filter((one) => ids.has(one.id)), (one) => JSON.stringify(back(one)));
            await this.editGroups([...edits].map(([one, list]) => ({ assets: list, edit: JSON.parse(one) })));
            await undoMore?.();
            onDone();
        });
        if (text) notify(refused.length ? `${text} ${counted(refused.length, 'photo')} could not be changed: ${refused[0].detail}` : text, { undo });
        return changed;
    }

    /** Applies the result of `askChange`; a date is set in the local time of each photo's place.
     *  @param {Asset[]} assets @param {BulkChange} change */
    async changeAll(assets, { edit, shift, date, album }) {
        /** @type {Group[]} */
        let groups = [{ assets, edit, shift }];
        if (date) {
            groups = [...Map.groupBy(assets, placeOffset)].map(([offset, list]) =>
                ({ assets: list, edit: { ...edit, captureDateOverride: new Date(Date.parse(`${date}Z`) - offset).toISOString() } }));
        } else if (Object.keys(edit).length === 0 && !shift) groups = [];
        const added = new Set(edit.addedKeywords ?? []);
        const removed = new Set(edit.removedKeywords ?? []);
        /** @param {Asset} one */
        const back = (one) => ({
            ...edit.rating !== undefined && { rating: one.rating },
            ...(date || shift) && { captureDateOverride: captureDate(one) },
            ...added.size > 0 && { removedKeywords: [...added].filter((word) => !one.keywords.includes(word)) },
            ...removed.size > 0 && { addedKeywords: [...removed].filter((word) => one.keywords.includes(word)) },
        });
        // Photos with another date move elsewhere in the timeline.
        const onDone = () => (date || shift) && this.onBack();
        if (groups.length === 0) return album && this.addToAlbum(assets, album);
        const undoMore = album && await this.fillAlbum(assets, album);
        const text = `${counted(assets.length, 'photo')} changed${album ? ` and added to “${album.title}”` : ''}.`;
        try {
            await this.change(assets, edit, back, text, { groups, onDone, undoMore });
        } catch (problem) {
            if (album) notify(`Added to “${album.title}”.`, { undo: undoMore });
            throw problem;
        }
    }

    /** @param {Asset[]} assets */
    favorite(assets, isFavorite = !assets.every((one) => one.isFavorite)) {
        const text = isFavorite ? `${counted(assets.length, 'favourite')} added.` : `${counted(assets.length, 'favourite')} removed.`;
        return this.change(assets, { isFavorite }, (one) => ({ isFavorite: one.isFavorite }), text);
    }

    /** @param {Asset[]} assets @param {number} rating */
    rate(assets, rating) {
        const text = rating === 0 ? 'Rating removed.' : `Rated ${counted(rating, 'star')}.`;
        return this.change(assets, { rating }, (one) => ({ rating: one.rating }), text);
    }

    /** @param {Asset[]} assets @param {'title' | 'caption'} field @param {string} value */
    describe(assets, field, value) {
        return this.change(assets, { [field]: value }, (one) => ({ [field]: one[field] ?? '' }), `The ${field} was saved.`);
    }

    /** @param {Asset[]} assets @param {string} keyword */
    addKeyword(assets, keyword) {
        const lacking = assets.filter((one) => !one.keywords.includes(keyword));
        return this.change(lacking, { addedKeywords: [keyword] }, () => ({ removedKeywords: [keyword] }), `Keyword “${keyword}” added.`);
    }

    /** @param {Asset[]} assets @param {string} keyword */
    removeKeyword(assets, keyword) {
        return this.change(assets, { removedKeywords: [keyword] }, () => ({ addedKeywords: [keyword] }), `Keyword “${keyword}” removed.`);
    }

    /** Moves to the trash; `rest` are the other pictures of bursts. They go first, or one of them would be shown in place of
     *  the picture that stands for its burst.
     *  @param {Asset[]} assets @param {Asset[]} rest */
    async trash(assets, rest = []) {
        const ids = new Set(assets.map((one) => one.id));
        await this.takeOut(rest, (one) => remove(asset(one.id)));
        await this.takeOut(assets, (one) => remove(asset(one.id)));
        this.onGone(ids);
        notify(`${counted(assets.length + rest.length, 'photo')} moved to the trash.`, { undo: () => this.restore(assets, { rest, tells: false }), seconds: 12 });
    }

    /** @param {Asset[]} assets @param {{rest?: Asset[], tells?: boolean}} options */
    async restore(assets, { rest = [], tells = true } = {}) {
        await this.takeOut(assets, (one) => patch(asset(one.id), { restores: true }));
        await this.takeOut(rest, (one) => patch(asset(one.id), { restores: true }));
        (tells ? this.onGone : this.onBack)(new Set(assets.map((one) => one.id)));
        if (tells) notify(`${counted(assets.length + rest.length, 'photo')} restored.`, { undo: () => each([...rest, ...assets], (one) => remove(asset(one.id))).then(() => this.onBack()) });
    }

    /** Deletes permanently, without undo: callers ask for confirmation first.
     *  @param {Asset[]} assets @param {Asset[]} rest */
    async purge(assets, rest = []) {
        await this.takeOut([...rest, ...assets], (one) => remove(path`/v1/trash/${one.id}`));
        this.onGone(new Set(assets.map((one) => one.id)));
        notify(`${counted(assets.length + rest.length, 'photo')} deleted permanently.`);
    }

    /** Adds to an album; returns what undoes it.
     *  @param {Asset[]} assets @param {Album} album */
    async fillAlbum(assets, album) {
        for (let start = 0; start < assets.length; start += bulkCount) {
            await post(path`/v1/albums/${album.id}/assets`, { assets: assets.slice(start, start + bulkCount).map((one) => one.id) });
        }
        const added = assets.filter((one) => !one.albums.includes(album.id));
        return () => each(added, (one) => remove(path`/v1/albums/${album.id}/assets/${one.id}`));
    }

    /** @param {Asset[]} assets @param {Album} album */
    async addToAlbum(assets, album) {
        notify(`Added to “${album.title}”.`, { undo: await this.fillAlbum(assets, album) });
    }

    /** @param {Asset[]} assets @param {Album} album */
    async removeFromAlbum(assets, album) {
        await this.takeOut(assets, (one) => remove(path`/v1/albums/${album.id}/assets/${one.id}`));
        this.onGone(new Set(assets.map((one) => one.id)));
        notify(`Removed from “${album.title}”.`, { undo: async () => {
            await post(path`/v1/albums/${album.id}/assets`, { assets: assets.map((one) => one.id) });
            this.onBack();
        } });
    }
}
