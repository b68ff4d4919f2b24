// An album in the gallery: in its own order or, filtered, by month, with its tools. It follows what others do to the album.

import { allAlbums, patch, path } from './api.js';
import { AlbumReorder } from './album-reorder.js';
import { AlbumTimeline } from './album-timeline.js';
import { albumTools, coverOf } from './albums.js';
import { Gallery } from './gallery.js';
import { notify } from './notices.js';

/** @typedef {Pick<ConstructorParameters<typeof Gallery>[1], 'lists' | 'deviceName' | 'onToken'>} Common */

/** The gallery of the album that a place names.
 *  @param {Place} place @param {Common} common */
export async function openAlbum(place, common) {
    const album = (await allAlbums()).find((entry) => entry.album.id === place.id)?.album;
    if (!album) throw Object.assign(new Error('This album does not exist any more.'), { retry: 'never' });
    return new AlbumGallery(place, album, common);
}

class AlbumGallery extends Gallery {
    /** @param {Place} place @param {Album} album @param {Common} common */
    constructor(place, album, common) {
        // A filtered album is shown by month, not in its own order.
        const isArranged = Object.keys(place.filter).length === 0;
        super(place, {
            ...common, title: album.title, album, fixed: [{ album: album.id }], timeline: isArranged ? new AlbumTimeline(album) : undefined,
        });
        /** @type {Album} */
        this.album;
        /** @type {AlbumReorder | undefined} */
        this.arranging;
        if (isArranged && album.order !== 'captureDate' && album.order !== 'newestFirst') this.arranging = new AlbumReorder(this);
        this.headingTools = () => albumTools(this.album, (edited) => this.renamed(edited));
    }

    /** @param {Album} album */
    renamed(album) {
        Object.assign(this, { album, title: album.title });
        this.showHeading();
    }

    /** @param {MakeAct} act @param {Asset[]} chosen */
    albumActs(act, chosen) {
        return [
            this.arranging?.tools(),
            act('Remove from album', 'close', (chosen) => this.edits.removeFromAlbum(chosen, this.album)),
            chosen.length === 1 && act('Cover', 'photos', ([one]) => this.setCover(one)),
        ];
    }

    /** @param {Asset} one */
    async setCover(one) {
        const { id, title } = this.album;
        const before = await coverOf(this.album);
        /** @param {string} cover */
        const set = async (cover) => {
            const { coverAssetID } = await patch(path`/v1/albums/${id}`, { coverAssetID: cover });
            this.album.coverAssetID = coverAssetID;
        };
        await set(one.id);
        // A cover can be replaced, not removed: an album without one shows the same photo again.
        notify(`The cover of “${title}” was changed.`, { undo: before && before !== one.id ? () => set(before) : null });
    }

    /** @param {EntityChange} change */
    follow(change) {
        super.follow(change);
        const { kind, entity, album } = change;
        if (entity.asset || entity.album !== this.album.id) return;
        // Another order is another view, and app.js says that an album is gone; an open photo stays open.
        const isOther = kind === 'removed' || album?.order !== this.album.order;
        if (isOther && !this.viewer?.dialog.open) dispatchEvent(new Event('place'));
        if (isOther) return;
        if (album.title !== this.album.title) this.renamed(album);
        else Object.assign(this.album, { coverAssetID: undefined }, album);
    }
}
