// Small questions: a text, a confirmation, an album. Each is a modal dialog, which keeps the focus and returns it.

import { allAlbums, post } from './api.js';
import { button, element } from './dom.js';
import { counted } from './format.js';
import { keepNotices, notifyProblem } from './notices.js';

/** Shows a dialog; resolves to what `finish` was called with, or to null if it was dismissed.
 *  @template Answer @param {string} title @param {(finish: (value: Answer | null) => void, dialog: HTMLDialogElement) => Element} build
 *  @returns {Promise<Answer | null>} */
export function ask(title, build, { className = '' } = {}) {
    return new Promise((resolve) => {
        const heading = `dialog-${Math.random().toString(36).slice(2)}`;
        const opener = document.activeElement;
        const dialog = element('dialog', { class: `ask ${className}`, aria: { labelledby: heading } });
        /** @type {Answer | null} */
        let answer = null;
        /** @param {Answer | null} value */
        const finish = (value) => {
            answer = value;
            dialog.close();
        };
        dialog.append(element('h2', { id: heading }, title), build(finish, dialog));
        // A press beside it dismisses it; not one on its edge, nor the end of a text that is selected beyond it.
        let isBeside = false;
        dialog.addEventListener('pointerdown', (event) => { isBeside = event.target === dialog && !isInside(event, dialog.getBoundingClientRect()); });
        dialog.addEventListener('click', (event) => isBeside && event.target === dialog && dialog.close());
        dialog.addEventListener('close', () => {
            keepNotices(dialog);
            dialog.remove();
            // The browser gives the focus back, unless what had it has gone.
            if (opener !== document.body && document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
            resolve(answer);
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}

/** @param {MouseEvent} event @param {DOMRect} box */
const isInside = ({ clientX, clientY }, box) => clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;

/** Asks for a line of text.
 *  @param {string} title
 *  @param {{label?: string, value?: string, action?: string, maximum?: number}} options
 *  @returns {Promise<string | null>} */
export function askText(title, { label, value = '', action = 'Save', maximum = 512 } = {}) {
    return ask(title, (finish, dialog) => {
        const input = element('input', { type: 'text', value, maxlength: maximum, required: true, autofocus: true });
        return element('form', {
            on: { submit: (event) => {
                event.preventDefault();
                finish(input.value.trim() || null);
            } },
        }, element('label', {}, label, input), actions(dialog, button(action, { isQuiet: false, type: 'submit' })));
    });
}

/** Asks for confirmation of something irreversible or costly.
 *  @param {string} title @param {string} text @param {string} action @returns {Promise<true | null>} */
export function confirm(title, text, action, { isDangerous = false } = {}) {
    return ask(title, (finish, dialog) => element('div', {}, element('p', {}, text), actions(
        dialog,
        button(action, { isQuiet: false, onClick: () => finish(true), class: isDangerous ? 'button danger' : 'button' }),
    )));
}

/** @param {HTMLDialogElement} dialog @param {...Child} more */
export const actions = (dialog, ...more) =>
    element('div', { class: 'actions' }, button('Cancel', { onClick: () => dialog.close() }), more);

/** Asks for an album, or creates one. */
export async function askAlbum(title = 'Add to an album') {
    const albums = await allAlbums();
    return ask(title, (finish, dialog) => {
        const input = element('input', { type: 'text', maxlength: 512, placeholder: 'New album', aria: { label: 'Title of a new album' } });
        /** @param {Event} event */
        const make = async (event) => {
            event.preventDefault();
            const title = input.value.trim();
            if (!title) return;
            try {
                finish(await post('/v1/albums', { title }));
            } catch (problem) {
                notifyProblem(problem);
            }
        };
        return element('div', {},
            element('form', { class: 'line', on: { submit: make } }, input, button('Create', { isQuiet: false, type: 'submit' })),
            element('ul', { class: 'menu' }, albums.map(({ album, assetCount }) => element('li', {}, button(album.title, {
                onClick: () => finish(album),
            }), element('span', { class: 'quiet' }, counted(assetCount, 'photo'))))),
            actions(dialog));
    });
}
