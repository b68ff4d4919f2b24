// Saves the selection as one archive: asks for its form, and waits while it is prepared.

import { path, post } from './api.js';
import { actions, ask } from './dialogs.js';
import { button, element, fill } from './dom.js';
import { bytes, count, counted } from './format.js';
import { notifyProblem } from './notices.js';

/** The most assets in one archive (APILimits). */
const mostAssets = 5000;

const forms = [
    ['original', 'Originals', 'every file unchanged, with the movies of Live Photos'],
    ['jpeg', 'JPEG', 'one picture per photo, for programs that read only JPEG'],
];

/** Asks for the form, and saves the archive.
 *  @param {Asset[]} assets */
export function saveArchive(assets) {
    return ask(`Save ${counted(assets.length, 'photo')}`, (finish, dialog) => {
        const radios = forms.map(([value, name, detail], index) => element('label', { class: 'option' },
            element('input', { type: 'radio', name: 'form', value, checked: index === 0 }), element('span', {}, name), element('small', {}, detail)));
        const bare = element('input', { type: 'checkbox', name: 'bare' });
        const state = element('p', { role: 'status', class: 'quiet' });
        const save = button('Save', { isQuiet: false, type: 'submit' });
        /** @type {HTMLFormElement} */
        const form = element('form', { on: { submit: async (event) => {
            event.preventDefault();
            save.disabled = true;
            try {
                const wish = {
                    assets: assets.map((one) => one.id), form: form.elements.form.value, strip: bare.checked ? ['location'] : [],
                };
                const archive = await made(wish, () => dialog.open, (text) => fill(state, text));
                if (!archive) return;
                fetchFile(path`/v1/archives/${archive.id}` + '/content.zip');
                if (archive.leftOut.length === 0) return finish(archive);
                fill(state, remarks(archive));
                save.remove();
            } catch (problem) {
                fill(state);
                notifyProblem(problem);
            }
            save.disabled = false;
        } } },
        radios,
        element('label', { class: 'option' }, bare, element('span', {}, 'Without location'), element('small', {}, 'the location is removed from every copy')),
        assets.length > mostAssets ? element('p', { role: 'alert' }, `An archive holds at most ${count(mostAssets)} photos: select fewer.`) : state,
        actions(dialog, assets.length <= mostAssets && save));
        return form;
    });
}

/** An archive that is ready to download; null if the dialog was closed meanwhile.
 *  @param {ArchiveWish} wish @param {() => boolean} isWanted @param {(text: string) => unknown} tell @returns {Promise<Archive | null>} */
async function made(wish, isWanted, tell) {
    let archive = await post('/v1/archives', wish);
    while (archive.preparedCount < archive.fileCount) {
        tell(`${count(archive.preparedCount)} of ${counted(archive.fileCount, 'file')} ready…`);
        archive = await post(path`/v1/archives/${archive.id}/preparation`);
        if (!isWanted()) return null;
    }
    tell(archive.byteCount === undefined ? '' : bytes(archive.byteCount));
    return archive;
}

/** @param {Archive} archive */
const remarks = ({ leftOut }) => [
    element('span', {}, `${counted(leftOut.length, 'file')} could not be included; the archive lists them:`),
    element('ul', {}, leftOut.slice(0, 5).map(({ name, reason }) => element('li', {}, `${name}: ${reason}`))),
];

/** Downloads a file through the browser, which resumes after an interruption.
 *  @param {string} href */
function fetchFile(href) {
    const link = element('a', { href, download: '' });
    document.body.append(link);
    link.click();
    link.remove();
}
