// What can be done to assets, one or many, each with its way back. Every act is a change like any device's; the answer,
// not the wish, is what is shown afterwards.

import { get, patch, path, post, remove } from './api.js';
import { counted } from './format.js';
import { notify } from './notices.js';

/** Requests under way at once for an act on many assets. */
const parallelCalls = 4;

/** Does something to each, a few at a time; gives the answers, and throws the first refusal after the rest is done. */
async function each(list, act) {
    const queue = [...list];
    const answers = [];
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

const asset = (id) => path`/v1/assets/${id}`;

/** Acts for one view; `onChanged` gets assets as they are now, `onGone` and `onBack` the identifiers that left or came. */
export class Edits {
    constructor({ onChanged, onGone, onBack }) {
        Object.assign(this, { onChanged, onGone, onBack });
        this.underWay = new Set();
    }

    /** Takes note that the stream told of an asset: an answer that was on its way then may be older than that. */
    saw(id) {
        for (const request of this.underWay) if (request.id === id) request.isOutdated = true;
    }

    /** Edits an asset; gives it as it is after that, and after everything that the stream told meanwhile. */
    async edit(id, edit) {
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

    /** Changes fields; `back` gives the edit that takes it back for each asset. */
    async change(assets, edit, back, text) {
        const answers = await each(assets, (one) => this.edit(one.id, edit));
        answers.forEach((answer) => this.onChanged(answer));
        const undo = back && (async () => {
            const restored = await each(assets, (one) => this.edit(one.id, back(one)));
            restored.forEach((answer) => this.onChanged(answer));
        });
        if (text) notify(text, { undo });
        return answers;
    }

    favorite(assets, isFavorite = !assets.every((one) => one.isFavorite)) {
        const text = isFavorite ? `${counted(assets.length, 'favourite')} added.` : `${counted(assets.length, 'favourite')} removed.`;
        return this.change(assets, { isFavorite }, (one) => ({ isFavorite: one.isFavorite }), text);
    }

    rate(assets, rating) {
        const text = rating === 0 ? 'Rating removed.' : `Rated ${counted(rating, 'star')}.`;
        return this.change(assets, { rating }, (one) => ({ rating: one.rating }), text);
    }

    describe(assets, field, value) {
        return this.change(assets, { [field]: value }, (one) => ({ [field]: one[field] ?? '' }), `The ${field} was saved.`);
    }

    addKeyword(assets, keyword) {
        const lacking = assets.filter((one) => !one.keywords.includes(keyword));
        return this.change(lacking, { addedKeywords: [keyword] }, () => ({ removedKeywords: [keyword] }), `Keyword “${keyword}” added.`);
    }

    removeKeyword(assets, keyword) {
        return this.change(assets, { removedKeywords: [keyword] }, () => ({ addedKeywords: [keyword] }), `Keyword “${keyword}” removed.`);
    }

    async trash(assets) {
        const ids = new Set(assets.map((one) => one.id));
        await each(assets, (one) => remove(asset(one.id)));
        this.onGone(ids);
        notify(`${counted(assets.length, 'photo')} moved to the trash.`, { undo: () => this.restore(assets, { tells: false }), seconds: 12 });
    }

    async restore(assets, { tells = true } = {}) {
        await each(assets, (one) => patch(asset(one.id), { restores: true }));
        (tells ? this.onGone : this.onBack)(new Set(assets.map((one) => one.id)));
        if (tells) notify(`${counted(assets.length, 'photo')} restored.`, { undo: () => each(assets, (one) => remove(asset(one.id))).then(() => this.onBack()) });
    }

    /** For good, and therefore without a way back: whoever calls has asked first. */
    async purge(assets) {
        await each(assets, (one) => remove(path`/v1/trash/${one.id}`));
        this.onGone(new Set(assets.map((one) => one.id)));
        notify(`${counted(assets.length, 'photo')} deleted for good.`);
    }

    async addToAlbum(assets, album) {
        await post(path`/v1/albums/${album.id}/assets`, { assets: assets.map((one) => one.id) });
        const added = assets.filter((one) => !one.albums.includes(album.id));
        notify(`Added to “${album.title}”.`, { undo: () => each(added, (one) => remove(path`/v1/albums/${album.id}/assets/${one.id}`)) });
    }

    async removeFromAlbum(assets, album) {
        await each(assets, (one) => remove(path`/v1/albums/${album.id}/assets/${one.id}`));
        this.onGone(new Set(assets.map((one) => one.id)));
        notify(`Taken out of “${album.title}”.`, { undo: async () => {
            await post(path`/v1/albums/${album.id}/assets`, { assets: assets.map((one) => one.id) });
            this.onBack();
        } });
    }
}
