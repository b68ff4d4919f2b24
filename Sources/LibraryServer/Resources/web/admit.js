// Admits cameras by token: what it allows, the command for the box, and the same as a QR code.

import { get, path, post, remove } from './api.js';
import { opensAll } from './admin.js';
import { actions, ask } from './dialogs.js';
import { button, element, fill } from './dom.js';
import { ago, counted } from './format.js';
import { notify, notifyProblem } from './notices.js';
import { qrPicture } from './qr.js';

/** @type {[string, string, string][]} */
const levels = [
    ['addOnly', 'Add only', 'saves what it captures and sees nothing'],
    ['limited', 'Selected', 'sees what is selected for it, and its own captures'],
    ['readWrite', 'All', 'sees and edits the whole library'],
];
/** @type {[number, string][]} */
const lives = [[3600, '1 hour'], [86_400, '1 day'], [604_800, '7 days']];

/** Splits comma-separated words and removes duplicates.
 *  @param {string} text */
export const listed = (text) => [...new Set(text.split(',').map((word) => word.trim()).filter(Boolean))];

/** Creates a token, shows it once, and lists the valid ones. */
export function admitDevices() {
    return ask('Admit a camera', (finish, dialog) => {
        const place = element('div', { class: 'admit' });
        const uses = element('input', { type: 'number', name: 'uses', min: 1, max: 10_000, value: '1', required: true });
        const life = element('select', { name: 'life', aria: { label: 'Valid for' } }, lives.map(([value, name]) => element('option', { value }, name)));
        const tags = element('input', { type: 'text', name: 'tags', maxlength: 512, placeholder: 'entrance, outdoors' });
        const form = element('form', { on: { submit: async (event) => {
            event.preventDefault();
            const maximum = form.elements.maximum.value;
            if (maximum === 'readWrite' && !await opensAll('every camera with this token')) return;
            try {
                const made = await post('/v1/admin/enrollment-tokens', {
                    maximum, uses: Number(uses.value), expiresSeconds: Number(life.value), tags: listed(tags.value), reason: 'on the web page',
                });
                fill(place, token(made, dialog));
                place.querySelector('button')?.focus();
            } catch (problem) {
                notifyProblem(problem);
            }
        } } },
        levels.map(([value, name, detail], index) => element('label', { class: 'option' },
            element('input', { type: 'radio', name: 'maximum', value, checked: index === 0 }), element('span', {}, name), element('small', {}, detail))),
        element('label', {}, 'Cameras', uses), element('label', {}, 'Valid for', life), element('label', {}, 'Tags for them, separated by commas', tags),
        actions(dialog, button('Create token', { isQuiet: false, type: 'submit' })));
        const known = element('div', { class: 'stack', tabindex: '-1' });
        showTokens(known);
        return fill(place, form, known);
    });
}

/** @param {string} address */
const isOfThisMachine = (address) => /^https:\/\/(localhost|127(\.\d+){3}|\[::1\])(:|$)/.test(address);

/** Where a box reaches the server: as the server says, or where the page was opened if that names only the server's own
 *  machine, as it does unless `server.hosts` is set.
 *  @param {string | undefined} address */
const reached = (address) => (!address || isOfThisMachine(address) ? location.origin : address);

/** A new token; it is shown only once.
 *  @param {{token: string, address?: string, summary: EnrollmentToken}} made @param {HTMLDialogElement} dialog */
function token({ token: text, address, summary }, dialog) {
    const at = reached(address);
    const command = `tintype-agent enroll ${at} --token ${text}`;
    return [
        element('p', {}, 'Run this on the box, or scan it there. The token is shown only once.'),
        qrPicture(command, 'The same command as a QR code'),
        element('code', { class: 'command', tabindex: '0' }, command),
        isOfThisMachine(at) && element('p', {}, 'Only a box on the server’s own machine reaches this address. For others, open the page by the server’s name in the network, or set server.hosts.'),
        element('p', { class: 'quiet' }, `For ${counted(summary.uses, 'camera')}, expires ${ago(summary.expires)}.`),
        element('div', { class: 'actions' },
            button('Copy', { onClick: () => navigator.clipboard.writeText(command).then(() => notify('Copied.'), () => notify('The browser did not allow copying: select the text.', { isProblem: true })) }),
            button('Done', { isQuiet: false, onClick: () => dialog.close() })),
    ];
}

/** The valid tokens, each with a button that withdraws it.
 *  @param {HTMLElement} place */
async function showTokens(place) {
    /** @type {{tokens: EnrollmentToken[]}} */
    const { tokens } = await get('/v1/admin/enrollment-tokens').catch(() => ({ tokens: [] }));
    const good = tokens.filter((one) => one.usesLeft > 0);
    if (good.length === 0) return fill(place);
    fill(place, element('h3', {}, 'Valid tokens'), element('ul', { class: 'tokens' }, good.map((one) => {
        const level = levels.find(([value]) => value === one.maximum)?.[1] ?? one.maximum;
        return element('li', {}, element('span', {}, `${level}, ${counted(one.usesLeft, 'camera')} left, expires ${ago(one.expires)}`,
            element('small', {}, [`by ${one.createdBy}`, ...one.tags ?? []].join(', '))),
        button('Withdraw', { aria: { label: `Withdraw the token by ${one.createdBy} that expires ${ago(one.expires)}` }, onClick: async () => {
            try {
                await remove(path`/v1/admin/enrollment-tokens/${one.id}`);
                // It goes: else the focus would go to a button of the same name.
                place.focus();
                await showTokens(place);
            } catch (problem) {
                notifyProblem(problem);
            }
        } }));
    })));
}

/** Asks for a device's name and tags; returns the edit, or null.
 *  @param {Device} device @returns {Promise<{name: string, tags: string[], album: string} | null>} */
export function askDeviceEdit(device) {
    return ask(`Rename “${device.name}”`, (finish, dialog) => {
        const name = element('input', { type: 'text', name: 'name', value: device.name, maxlength: 256, required: true, autofocus: true });
        const tags = element('input', { type: 'text', name: 'tags', value: (device.tags ?? []).join(', '), maxlength: 1024 });
        const album = element('input', { type: 'text', name: 'album', value: device.album ?? '', maxlength: 512 });
        return element('form', { on: { submit: (event) => {
            event.preventDefault();
            finish({ name: name.value.trim(), tags: listed(tags.value), album: album.value.trim() });
        } } },
        element('label', {}, 'Name', name), element('label', {}, 'Tags, separated by commas', tags), element('label', {}, 'Album for its photos', album),
        actions(dialog, button('Save', { isQuiet: false, type: 'submit' })));
    });
}
