// Notices at the bottom of the window: what was done, with undo, and what failed, with the reason.

import { button, element } from './dom.js';

const list = document.getElementById('notices');
/** What had the focus before a notice took it; null for nothing.
 *  @type {Element | null} */
let before = null;
list.addEventListener('focusin', ({ relatedTarget }) => {
    if (!list.contains(relatedTarget)) before = relatedTarget;
});

/** The list of notices, moved into the topmost open dialog, because everything else is inert then. */
function shelf() {
    const host = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
    if (list.parentElement !== host) host.append(list);
    return list;
}

/** The undo of each notice that has one.
 *  @type {WeakMap<Element, () => void>} */
const ways = new WeakMap();

/** Moves the notices out of a closing dialog.
 *  @param {Element} dialog */
export function keepNotices(dialog) {
    if (dialog.contains(list)) document.body.append(list);
}

/** Removes a notice. If it has the focus, that goes back to where it was; to the view if that was nowhere, or is gone, hidden or
 *  disabled.
 *  @param {Element | null | undefined} notice */
function remove(notice) {
    const isFocused = notice?.contains(document.activeElement);
    notice?.remove();
    if (!isFocused) return;
    before?.focus({ preventScroll: true });
    if (document.activeElement === document.body) document.getElementById('content').focus({ preventScroll: true });
}

/** Shows a notice; with `undo`, it offers undoing for a while.
 *  @param {string} text
 *  @param {{undo?: (() => Promise<unknown>) | null, isProblem?: boolean, seconds?: number}} options */
export function notify(text, { undo, isProblem = false, seconds = 10 } = {}) {
    // What fails several times at once is told once.
    if (isProblem) remove([...shelf().children].find((one) => one.firstChild?.textContent === text));
    const notice = element('div', { class: isProblem ? 'notice problem' : 'notice' }, element('span', {}, text));
    const close = () => remove(notice);
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
        ways.set(notice, () => notice.querySelector('button')?.click());
    }
    notice.append(button('Dismiss', { symbol: 'close', onClick: close }));
    shelf().append(notice);
    while (shelf().children.length > 3) remove(shelf().firstElementChild);
    // It stays while hovered or focused, for slow readers.
    /** @type {ReturnType<typeof setTimeout>} */
    let timer;
    const leave = () => {
        clearTimeout(timer);
        timer = setTimeout(close, (isProblem ? 2 : 1) * seconds * 1000);
    };
    for (const type of ['pointerenter', 'focusin']) notice.addEventListener(type, () => clearTimeout(timer));
    for (const type of ['pointerleave', 'focusout']) notice.addEventListener(type, leave);
    leave();
    return notice;
}

/** @type {Record<Retry, string>} */
const retries = {
    now: 'Try again.', after: 'Try again in a moment.', onDecision: 'Try again once an administrator has decided.', reload: 'Reload the page in a moment.', never: '',
};

/** Shows why something failed, and when to try again.
 *  @param {Failure} problem */
export function notifyProblem(problem) {
    if (problem.name === 'AbortError') return;
    const advice = problem.retry ? retries[problem.retry] ?? '' : '';
    notify([problem.message, advice].filter(Boolean).join(' '), { isProblem: true });
}

/** Undoes the last action whose notice is still shown. */
export function undoLast() {
    const last = [...shelf().children].findLast((notice) => ways.has(notice));
    if (last) ways.get(last)?.();
}
