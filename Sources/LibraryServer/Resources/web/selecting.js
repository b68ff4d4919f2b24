// A gallery's selection: the toolbar's keys, and a history entry of its own, so that Back clears the selection first, as on phones.

import { steer } from './toolbar.js';

/** Serves a gallery from its first selection on. In the history's state, `isSelecting` marks the selection's step: true
 *  while photos are selected, false once something other than Back has cleared them: Back then passes over the step.
 *  @param {import('./gallery.js').Gallery} gallery */
export function serveSelection(gallery) {
    const { selection } = gallery;
    /** `isSelecting` of the entry that is shown.
     *  @type {boolean | undefined} */
    let shown;
    /** What Back has cleared, which Forward selects again.
     *  @type {Asset[]} */
    let cleared = [];

    const match = () => {
        const isNow = selection.size > 0;
        shown = history.state?.isSelecting;
        // The entry of an open photo is no step of the selection.
        if (gallery.isClosed || gallery.viewer?.dialog.open || Boolean(shown) === isNow) return;
        history[shown === undefined ? 'pushState' : 'replaceState']({ ...history.state, isSelecting: isNow }, '');
        shown = isNow;
        cleared = [];
    };

    const follow = () => {
        if (gallery.isClosed) {
            removeEventListener('popstate', follow);
            return;
        }
        const before = shown;
        shown = history.state?.isSelecting;
        if (new URLSearchParams(location.search).has('asset')) return;
        if (shown === undefined && before === false) history.back();
        else if (shown === undefined && selection.size > 0) {
            cleared = [...selection.assets.values()];
            selection.clear();
        } else if (shown && selection.size === 0) selection.add(cleared.splice(0));
    };

    steer(gallery.bar, gallery.grid);
    match();
    selection.addEventListener('change', match);
    addEventListener('popstate', follow);
}
