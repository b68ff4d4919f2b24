// Short messages at the window's foot: what was done, with the way back, and what was refused, with its reason.

import { button, element } from './dom.js';

const shelf = () => document.getElementById('notices');

/** Tells something; with `undo`, for a while, the way back. */
export function notify(text, { undo, isProblem = false, seconds = 7 } = {}) {
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
    setTimeout(close, (isProblem ? 2 : 1) * seconds * 1000);
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
