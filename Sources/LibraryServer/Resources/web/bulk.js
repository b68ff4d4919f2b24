// Bulk editing of the selection: date, rating, keywords, album.

import { allAlbums } from './api.js';
import { actions, ask } from './dialogs.js';
import { button, element } from './dom.js';
import { counted } from './format.js';

/** @type {Record<string, number>} */
const units = { minutes: 60, hours: 3600, days: 86_400 };

/** Asks what to change; returns null for nothing, else `{ edit, shift, date, album }`: the fields, the seconds to shift
 *  dates by, the local time to set them to, and the album.
 *  @param {Asset[]} assets @returns {Promise<BulkChange | null>} */
export async function askChange(assets) {
    const albums = await allAlbums();
    const known = [...new Set(assets.flatMap((one) => one.keywords ?? []))].sort();
    return ask(`Change ${counted(assets.length, 'photo')}`, (finish, dialog) => {
        const date = element('input', { type: 'datetime-local', name: 'date', step: '1' });
        const amount = element('input', { type: 'number', name: 'amount', step: 'any', placeholder: '0', aria: { label: 'Shift the dates by; negative is earlier' } });
        const unit = choice('unit', 'Unit', Object.keys(units).map((one) => [one, one]));
        unit.value = 'hours';
        const rating = choice('rating', 'Rating', [['', 'as they are'], ['0', 'none'], ...[1, 2, 3, 4, 5].map((stars) => [String(stars), counted(stars, 'star')])]);
        const added = element('input', { type: 'text', name: 'added', maxlength: 1024, placeholder: 'harbour, fog' });
        const removed = choice('removed', 'Remove a keyword', [['', 'none'], ...known.map((word) => [word, word])]);
        const album = choice('album', 'Album', [['', 'none'], ...albums.map((one) => [one.album.id, one.album.title])]);
        /** @param {Event} event */
        const submit = (event) => {
            event.preventDefault();
            /** @type {AssetEdit} */
            const edit = {};
            const words = added.value.split(',').map((word) => word.trim()).filter(Boolean);
            if (rating.value) edit.rating = Number(rating.value);
            if (words.length) edit.addedKeywords = [...new Set(words)];
            if (removed.value) edit.removedKeywords = [removed.value];
            const shift = date.value ? 0 : Math.round((amount.valueAsNumber || 0) * units[unit.value]);
            const chosen = albums.find((one) => one.album.id === album.value)?.album ?? null;
            const isNothing = Object.keys(edit).length === 0 && !shift && !date.value && !chosen;
            finish(isNothing ? null : { edit, shift, date: date.value, album: chosen });
        };
        // A date is either set or shifted.
        date.addEventListener('input', () => { amount.disabled = unit.disabled = Boolean(date.value); });
        amount.addEventListener('input', () => { date.disabled = Boolean(amount.value); });
        return element('form', { class: 'bulk', on: { submit } },
            element('label', {}, 'Set the date, in the photos’ local time', date),
            element('label', {}, 'Shift the dates by', element('span', { class: 'pair' }, amount, unit), element('small', {}, 'for a camera whose clock was wrong; −1 is earlier')),
            element('label', {}, 'Rating', rating),
            element('label', {}, 'Add keywords, separated by commas', added),
            known.length > 0 && element('label', {}, 'Remove a keyword', removed),
            albums.length > 0 && element('label', {}, 'Add to an album', album),
            actions(dialog, button('Change', { isQuiet: false, type: 'submit' })));
    });
}

/** @param {string} name @param {string} label @param {string[][]} options */
const choice = (name, label, options) =>
    element('select', { name, aria: { label } }, options.map(([value, text]) => element('option', { value }, text)));
