// Short messages at the window's foot: what was done, with the way back, and what was refused, with its reason.

import { button, element } from './dom.js';

/** Where the notices are: in the topmost dialog while one is open, because everything else is out of reach then. */
function shelf() {
    const list = document.getElementById('notices');
    const host = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
    if (list.parentElement !== host) host.append(list);
    return list;
}

/** Takes the notices along when a dialog closes; they outlive it. */
export function keepNotices(dialog) {
    const list = dialog.querySelector('#notices');
    if (list) document.body.append(list);
}

/** Tells something; with `undo`, for a while, the way back. */
export function notify(text, { undo, isProblem = false, seconds = 10 } = {}) {
    const notice = element('div', { class: isProblem ? 'notice problem' : 'notice' }, element('span', {}, text));
    const close = () => notice.remove();
    if (undo) {
        notice.append(button('Undo', {
            onClick: async () => {
                close();
                try {
                    await undo();
                } catch (problem) {
                    notifyProblem(problem);
                }
            },
        }));
        notice.undo = () => notice.querySelector('button').click();
    }
    notice.append(button('Dismiss', { symbol: 'close', onClick: close }));
    shelf().append(notice);
    while (shelf().children.length > 3) shelf().firstChild.remove();
    // It stays while the pointer or the focus is on it: who reads slowly loses nothing.
    let timer = null;
    const leave = () => {
        clearTimeout(timer);
        timer = setTimeout(close, (isProblem ? 2 : 1) * seconds * 1000);
    };
    for (const type of ['pointerenter', 'focusin']) notice.addEventListener(type, () => clearTimeout(timer));
    for (const type of ['pointerleave', 'focusout']) notice.addEventListener(type, leave);
    leave();
    return notice;
}

const retries = {
    now: 'Try again.', after: 'Try again in a moment.', onDecision: 'It works again when an administrator has decided.', never: '',
};

/** Tells why something was refused, and when to try again. */
export function notifyProblem(problem) {
    if (problem.name === 'AbortError') return;
    const advice = problem.retry ? retries[problem.retry] ?? '' : '';
    notify([problem.message, advice].filter(Boolean).join(' '), { isProblem: true });
}

/** Takes back what was done last, as long as its notice is there. */
export function undoLast() {
    [...shelf().children].findLast((notice) => notice.undo)?.undo();
}
