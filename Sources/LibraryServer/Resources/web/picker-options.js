// The question about the options of a picker session: the person can withhold more than the request says, never less.

import { button, element } from './dom.js';
import { actions, ask } from './dialogs.js';

const parts = [
    ['location', 'Leave out the location', 'Where a photo was taken is removed from the copy.'],
    ['captions', 'Leave out captions', 'Titles, captions and keywords are removed from the copy.'],
];

/** Asks what is withheld beyond the request, and in which form photos are handed over; null after Cancel. `stripped` and `encoding`
 *  are the choices so far, `name` the caller's.
 *  @param {{session: PickerSession, stripped: Set<string>, encoding: string, name: string}} context
 *  @returns {Promise<{strip: string[], encoding?: string} | null>} */
export async function askOptions({ session, stripped, encoding, name: caller }) {
    const asked = new Set(session.request.strip ?? ['location']);
    /** @type {{strip: string[], encoding?: string} | null} */
    const chosen = await ask('Options', (finish, dialog) => {
        const boxes = parts.map(([part]) => element('input', {
            type: 'checkbox', value: part, checked: asked.has(part) || stripped.has(part) || session.strip.includes(part), disabled: asked.has(part),
        }));
        // Originals reveal what an edit removed: only callers that may read the library can request them.
        /** @type {[string, string][]} */
        const offered = [
            [session.request.encoding === 'current' ? 'current' : 'automatic', 'As shown, with edits'], ['compatible', 'As JPEG and H.264, which every program supports'],
        ];
        if (session.request.encoding === 'original') offered.push(['original', 'The originals, unchanged from the camera']);
        const checked = (offered.find(([value]) => value === encoding) ?? offered[0])[0];
        const kinds = offered.map(([value, name]) => ({ value, name, input: element('input', { type: 'radio', name: 'encoding', value, checked: value === checked }) }));
        return element('form', { on: { submit: (event) => {
            event.preventDefault();
            finish({
                strip: parts.map(([part]) => part).filter((_, index) => boxes[index].checked), encoding: kinds.find((kind) => kind.input.checked)?.value,
            });
        } } },
        element('fieldset', {}, element('legend', {}, 'Privacy'), parts.map(([part, name, text], index) => element('label', { class: 'option' },
            boxes[index], element('span', {}, name), element('small', {}, asked.has(part) ? `${text} Requested by “${caller}”.` : text)))),
        element('fieldset', {}, element('legend', {}, 'Photos'), kinds.map(({ name, input }) => element('label', { class: 'option' }, input, element('span', {}, name)))),
        actions(dialog, button('Apply', { isQuiet: false, type: 'submit' })));
    });
    return chosen && { ...chosen, strip: chosen.strip.filter((part) => !asked.has(part)) };
}
