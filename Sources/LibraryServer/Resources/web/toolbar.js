// The keys of a toolbar, as in the ARIA Authoring Practices: one tab stop, from which the arrows, Home and End lead on.

/** Steers the focus within a toolbar, whose buttons may be replaced at any time; hidden, it hands the focus to the tab stop
 *  among the photos.
 *  @param {HTMLElement} bar @param {import('./grid.js').Grid} grid */
export function steer(bar, grid) {
    /** The name of the button that is the tab stop. */
    let last = '';
    const buttons = () => [...bar.querySelectorAll('button')].filter((one) => !one.disabled);
    const mark = () => {
        const all = buttons();
        const stop = all.find((one) => one === document.activeElement) ?? all.find((one) => nameOf(one) === last) ?? all[0];
        if (!stop) return;
        last = nameOf(stop);
        for (const one of all) one.tabIndex = one === stop ? 0 : -1;
    };
    bar.addEventListener('focusin', mark);
    bar.addEventListener('keydown', (event) => {
        const all = buttons();
        const now = all.findIndex((one) => one === document.activeElement);
        /** @type {Record<string, number>} */
        const targets = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: all.length - 1 };
        // With Alt the arrows go through the history.
        if (now < 0 || !(event.key in targets) || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        all[(targets[event.key] + all.length) % all.length].focus();
    });
    new MutationObserver(() => {
        if (!bar.hidden) mark();
        else if (bar.contains(document.activeElement)) grid.focusTabStop();
    }).observe(bar, { childList: true, subtree: true, attributeFilter: ['hidden'] });
    mark();
}

/** @param {Element} one */
const nameOf = (one) => one.getAttribute('aria-label') ?? one.textContent;
