// What is done with selected photos and asks or shows something first.

import { later, loadStyle } from './api.js';
import { burstPictures } from './filmstrip.js';
import { captureDate, counted } from './format.js';

/** @typedef {import('./gallery.js').Gallery} Gallery */

const loadDialogs = () => later(import('./dialogs.js'));

/** The other pictures of the bursts that photos stand for: what is done with a stack is done with all of it.
 *  @param {Asset[]} chosen */
async function burstRest(chosen) {
    const ids = new Set(chosen.map(({ id }) => id));
    /** @type {Asset[]} */
    const rest = [];
    for (const one of chosen) if (one.burst) rest.push(...(await burstPictures(one)).filter(({ id }) => !ids.has(id)));
    return [...new Map(rest.map((one) => [one.id, one])).values()];
}

/** Moves photos to the trash.
 *  @param {Gallery} gallery @param {Asset[]} chosen */
export const trash = async (gallery, chosen) => gallery.edits.trash(chosen, await burstRest(chosen));

/** Takes photos out of the trash.
 *  @param {Gallery} gallery @param {Asset[]} chosen */
export const restore = async (gallery, chosen) => gallery.edits.restore(chosen, { rest: await burstRest(chosen) });

/** Deletes photos permanently once that is confirmed.
 *  @param {Gallery} gallery @param {Asset[]} chosen */
export async function purge(gallery, chosen) {
    const { confirm } = await loadDialogs();
    const rest = await burstRest(chosen);
    const text = `${counted(chosen.length + rest.length, 'photo')} and every copy in the library will be deleted. This cannot be undone.`;
    if (!await confirm('Delete permanently?', text, 'Delete permanently', { isDangerous: true })) return;
    await gallery.edits.purge(chosen, rest);
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

/** Saves photos as one archive.
 *  @param {Asset[]} chosen */
export async function saveAll(chosen) {
    const { saveArchive } = await later(import('./archive.js'));
    await saveArchive([...chosen, ...await burstRest(chosen)]);
}

/** Plays photos in capture order, titled as their gallery.
 *  @param {Gallery} gallery @param {Asset[]} assets */
export async function playAll(gallery, assets) {
    const [{ playTimeLapse }] = await Promise.all([later(import('./time-lapse.js')), loadStyle('viewer.css')]);
    playTimeLapse([...assets].sort((left, right) => captureDate(left) - captureDate(right)), { title: gallery.name.textContent });
}
