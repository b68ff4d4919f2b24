// What is done with selected photos and asks or shows something first.

import { later } from './api.js';
import { captureDate, counted } from './format.js';

/** @typedef {import('./gallery.js').Gallery} Gallery */

const loadDialogs = () => later(import('./dialogs.js'));

/** Deletes photos permanently once that is confirmed.
 *  @param {Gallery} gallery @param {Asset[]} chosen */
export async function purge(gallery, chosen) {
    const { confirm } = await loadDialogs();
    const text = `${counted(chosen.length, 'photo')} and every copy in the library will be deleted. This cannot be undone.`;
    if (!await confirm('Delete permanently?', text, 'Delete permanently', { isDangerous: true })) return;
    await gallery.edits.purge(chosen);
}

/** Asks for an album; returns false if that was cancelled.
 *  @param {Gallery} gallery @param {Asset[]} chosen */
export async function addToAlbum(gallery, chosen) {
    const { askAlbum } = await loadDialogs();
    const album = await askAlbum();
    return album ? gallery.edits.addToAlbum(chosen, album) : false;
}

/** Asks for a keyword; returns false if that was cancelled.
 *  @param {Gallery} gallery @param {Asset[]} chosen */
export async function addKeyword(gallery, chosen) {
    const { askText } = await loadDialogs();
    const keyword = await askText('Add a keyword', { label: 'Keyword', action: 'Add', maximum: 256 });
    return keyword ? gallery.edits.addKeyword(chosen, keyword) : false;
}

/** Asks for one change of all.
 *  @param {Gallery} gallery @param {Asset[]} chosen */
export async function changeAll(gallery, chosen) {
    const { askChange } = await later(import('./bulk.js'));
    const change = await askChange(chosen);
    if (change) await gallery.edits.changeAll(chosen, change);
}

/** @param {Asset[]} chosen */
export async function saveAll(chosen) {
    const { saveArchive } = await later(import('./archive.js'));
    await saveArchive(chosen);
}

/** Plays photos in capture order, titled as their gallery.
 *  @param {Gallery} gallery @param {Asset[]} assets */
export async function playAll(gallery, assets) {
    const { playTimeLapse } = await later(import('./time-lapse.js'));
    playTimeLapse([...assets].sort((left, right) => captureDate(left) - captureDate(right)), { title: gallery.name.textContent });
}
