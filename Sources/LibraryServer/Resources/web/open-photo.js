// A photo that is open over a gallery: its address, its history entry, and its neighbours in the gallery's list.

import { addToAlbum } from './acts.js';
import { go } from './route.js';
import { Viewer } from './viewer.js';

/** Opens a photo over a gallery; returns the viewer.
 *  @param {import('./gallery.js').Gallery} gallery @param {Asset} asset */
export function openPhoto(gallery, asset) {
    const { timeline, grid } = gallery;
    /** The open photo's neighbours by direction. A photo that left the list, by an edit or elsewhere, is still between them.
     *  @type {{id?: string, [by: number]: Asset | null}} */
    let around = {};
    /** @param {string | undefined} id @param {number} by */
    const step = async (id, by) => {
        const place = timeline.find(id) ?? (viewer.asset?.id === id ? await timeline.locate(viewer.asset) : null);
        if (!place) return around.id === id ? around[by] ?? null : null;
        const next = await timeline.step(place, by);
        const found = next?.section.assets?.[next.index] ?? null;
        if (viewer.asset?.id === id) around = { ...around.id === id && around, id, [by]: found };
        return found;
    };
    /** @type {Viewer} */
    const viewer = new Viewer({
        step, edits: gallery.edits, isTrash: gallery.isTrash, deviceName: gallery.deviceName,
        guard: (work) => gallery.guard(work),
        onAlbum: (assets) => addToAlbum(gallery, assets),
        onMoment: (moment) => go({ view: 'moment', id: moment }),
        // The first photo adds a history entry, so that Back closes it; later ones replace that entry. A photo opened by
        // a link has no entry before it.
        onShow: (shown) => {
            const isOpen = new URLSearchParams(location.search).has('asset');
            history[isOpen ? 'replaceState' : 'pushState']({ ...history.state, isViewer: isOpen ? Boolean(history.state?.isViewer) : true }, '', address(shown.id));
        },
        onClose: (id) => {
            // Whoever left the gallery has left this entry of the history too.
            if (gallery.isClosed) return;
            if (history.state?.isViewer) history.back();
            else history.replaceState(history.state, '', address(null));
            gallery.place.asset = null;
            const shown = timeline.find(id) || around.id !== id ? id : (around[1] ?? around[-1])?.id;
            if (shown) grid.reveal(shown, { focuses: true });
        },
    });
    viewer.open(asset);
    return viewer;
}

/** The current address with another open photo, or none.
 *  @param {string | null} asset */
function address(asset) {
    const items = new URLSearchParams(location.search);
    if (asset) items.set('asset', asset);
    else items.delete('asset');
    const text = items.toString();
    return text ? `/?${text}` : '/';
}
