// Albums: the wall of covers, and creating and renaming one.

import { allAlbums, gathered, get, onceBack, patch, path, post, query, remove } from './api.js';
import { askText, confirm } from './dialogs.js';
import { button, element, fill } from './dom.js';
import { counted } from './format.js';
import { emptyState } from './empty.js';
import { thumbnail } from './media.js';
import { notify, notifyProblem } from './notices.js';
import { go } from './route.js';

/** The wall of albums. It follows what others do to them. */
export class AlbumWall {
    constructor() {
        this.list = element('ul', { class: 'covers' });
        this.body = element('div', {});
        /** The covers by what they show.
         *  @type {Map<string, Element>} */
        this.covers = new Map();
        /** The numbers of the last request for the albums, and of the one whose answer is shown. */
        this.asked = 0;
        this.told = 0;
        this.reload = gathered(() => this.load());
        this.root = element('section', { class: 'page', aria: { label: 'Albums' } },
            element('div', { class: 'title-line' }, element('h1', {}, 'Albums'),
                button('New album', { symbol: 'plus', showsLabel: true, onClick: () => createAlbum() })), this.body);
    }

    async start() {
        try {
            await this.refill();
        } catch (problem) {
            // app.js shows the error, and tries again when the server is back.
            if (problem.isOffline) throw problem;
            fill(this.body, emptyState('warning', 'The request was refused', problem.message));
        }
    }

    /** Fills the wall again; what it shows stays until the answer comes. */
    async load() {
        try {
            await this.refill();
        } catch (problem) {
            if (problem.isOffline) onceBack(() => this.isClosed || this.load());
        }
    }

    async refill() {
        const turn = ++this.asked;
        const albums = await allAlbums();
        // The answer to a later request came first.
        if (this.isClosed || turn < this.told) return;
        this.told = turn;
        this.show(albums);
    }

    /** Shows the albums; the covers of unchanged ones stay.
     *  @param {AlbumEntry[]} albums */
    show(albums) {
        this.covers = new Map(albums.map((entry) => {
            const key = JSON.stringify(entry);
            return [key, this.covers.get(key) ?? this.cover(entry)];
        }));
        fill(this.list, [...this.covers.values()]);
        fill(this.body, albums.length > 0 ? this.list : emptyState('albums', 'No albums yet', 'An album collects photos that belong together.'));
    }

    /** @param {AlbumEntry} entry */
    cover({ album, assetCount }) {
        const frame = element('span', { class: 'frame' });
        dress(frame, album);
        return element('li', { data: { id: album.id } },
            element('button', { type: 'button', on: { click: () => go({ view: 'album', id: album.id }) } },
                frame, element('strong', {}, album.title), element('span', { class: 'quiet' }, counted(assetCount, 'photo'))));
    }

    /** @param {EntityChange} change */
    follow(change) {
        if (change.entity.album) this.reload.request();
    }

    close() {
        this.isClosed = true;
        this.reload.cancel();
    }
}

/** The photo by which an album is shown: its cover, or its newest photo.
 *  @param {Album} album @returns {Promise<string | undefined>} */
export async function coverOf({ id, coverAssetID }) {
    return coverAssetID ?? (await get(`/v1/assets${query({ filter: JSON.stringify({ album: id }), limit: 1 })}`)).assets[0]?.id;
}

/** @param {Element} frame @param {Album} album */
async function dress(frame, album) {
    try {
        const id = await coverOf(album);
        if (id) frame.append(element('img', { src: thumbnail({ id }), alt: '', decoding: 'async' }));
    } catch { /* An album without a picture is shown without one. */ }
}

async function createAlbum() {
    try {
        const title = await askText('New album', { label: 'Title', action: 'Create' });
        if (title) go({ view: 'album', id: (await post('/v1/albums', { title })).id });
    } catch (problem) {
        notifyProblem(problem);
    }
}

const orders = { custom: 'By hand', captureDate: 'Oldest first', newestFirst: 'Newest first' };

/** The actions on an album, shown in its heading.
 *  @param {Album} album @param {(edited: Album) => void} onChanged */
export function albumTools(album, onChanged) {
    /** @param {() => Promise<unknown>} work */
    const guard = (work) => work().catch(notifyProblem);
    const order = element('select', { aria: { label: 'Order' }, on: { change: (event) => guard(async () => {
        await patch(path`/v1/albums/${album.id}`, { order: event.target.value });
        go({ view: 'album', id: album.id }, { replaces: true });
    }) } }, Object.entries(orders).map(([value, name]) => element('option', { value, selected: value === album.order }, name)));
    return [
        order,
        button('Rename', { symbol: 'edit', onClick: () => guard(async () => {
            const title = await askText('Rename the album', { label: 'Title', value: album.title });
            if (!title || title === album.title) return;
            const before = album.title;
            onChanged(await patch(path`/v1/albums/${album.id}`, { title }));
            notify(`Renamed to “${title}”.`, { undo: async () => onChanged(await patch(path`/v1/albums/${album.id}`, { title: before })) });
        }) }),
        button('Delete album', { symbol: 'trash', onClick: () => guard(async () => {
            if (!await confirm('Delete the album?', `“${album.title}” is deleted; its photos stay in the library.`, 'Delete album', { isDangerous: true })) return;
            await remove(path`/v1/albums/${album.id}`);
            go({ view: 'albums' }, { replaces: true });
        }) }),
    ];
}
