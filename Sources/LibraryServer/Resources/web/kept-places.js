// How galleries were left, kept while the page loads itself again after a script that could not be loaded.

const key = 'kept-places';

/** Keeps the places. Of a timeline, only the photos in view are kept: the others load again where they are needed.
 *  @param {Map<number | undefined, Kept>} left */
export function keep(left) {
    const list = [...left].map(([entry, { anchor, sections }]) => ({
        entry, anchor: { ...anchor, section: sections.findIndex((section) => section === anchor?.section) },
        sections: sections.map((section) => ({
            ...section, layout: null, ...section !== anchor?.section && section.unit !== 'album' && { assets: null, status: 'empty' },
        })),
    })).filter(({ anchor }) => anchor.section >= 0);
    // Those left longest ago give way if the browser has no room for all.
    for (; list.length > 0; list.shift()) {
        try {
            return sessionStorage.setItem(key, JSON.stringify(list));
        } catch { /* Too many. */ }
    }
}

/** Takes the places back. Where the page did not load again after all, they are of another visit, maybe another person's.
 *  @param {Map<number | undefined, Kept>} left */
export function restore(left) {
    const text = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    const [how] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
    if (how?.type !== 'reload') return;
    const list = JSON.parse(text ?? '[]');
    for (const { entry, anchor, sections } of list) left.set(entry, { anchor: { ...anchor, section: sections[anchor.section] }, sections });
}
