// Albums: the wall of covers, and creating and renaming one.

import { allAlbums, get, patch, path, post, query, remove } from './api.js';
import { askText, confirm } from './dialogs.js';
import { button, element, fill } from './dom.js';
import { counted } from './format.js';
import { emptyState } from './empty.js';
import { thumbnail } from './media.js';
import { notify, notifyProblem } from './notices.js';
import { go } from './route.js';

/** The wall of albums. */
export class AlbumWall {
    constructor() {
        this.list = element('ul', { class: 'covers' });
        this.root = element('section', { class: 'page', aria: { label: 'Albums' } },
            element('div', { class: 'title-line' }, element('h1', {}, 'Albums'),
                button('New album', { symbol: 'plus', showsLabel: true, onClick: () => createAlbum() })), this.list);
    }

    async start() {
        try {
            const albums = await allAlbums();
            if (albums.length === 0) {
                this.list.replaceWith(emptyState('albums', 'No albums yet', 'An album collects photos that belong together.'));
                return;
            }
            fill(this.list, albums.map(cover));
            for (const { album } of albums) this.dress(album);
        } catch (problem) {
            // app.js shows the error, and tries again when the server is back.
            if (problem.isOffline) throw problem;
            this.list.replaceWith(emptyState('warning', 'The request was refused', problem.message));
        }
    }

    /** The album's cover, or its newest photo. */
    async dress(album) {
        try {
            const id = album.coverAssetID ?? (await get(`/v1/assets${query({
                filter: JSON.stringify({ album: album.id }), limit: 1,
            })}`)).assets[0]?.id;
            const frame = this.list.querySelector(`[data-id="${CSS.escape(album.id)}"] .frame`);
            if (id && frame) frame.append(element('img', { src: thumbnail({ id }), alt: '', decoding: 'async' }));
        } catch { /* An album without a picture is shown without one. */ }
    }

    close() {}
    follow() {}
}

const cover = ({ album, assetCount }) => element('li', { data: { id: album.id } },
    element('button', { type: 'button', on: { click: () => go({ view: 'album', id: album.id }) } },
        element('span', { class: 'frame' }), element('strong', {}, album.title),
        element('span', { class: 'quiet' }, counted(assetCount, 'photo'))));

async function createAlbum() {
    try {
        const title = await askText('New album', { label: 'Title', action: 'Create' });
        if (title) go({ view: 'album', id: (await post('/v1/albums', { title })).id });
    } catch (problem) {
        notifyProblem(problem);
    }
}

const orders = { custom: 'By hand', captureDate: 'Oldest first', newestFirst: 'Newest first' };

/** The actions on an album, shown in its heading. */
export function albumTools(album, onChanged) {
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
