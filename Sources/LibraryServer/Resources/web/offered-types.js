// The type menu offers the types of photos in the list, and the one already chosen.

import { kinds } from './route.js';

/** Fetches the kinds in the list, and hides the other types; offers all if fetching fails.
 *  @param {HTMLSelectElement} menu @param {(() => Promise<{kinds?: string[]}>) | undefined} findKinds */
export async function narrow(menu, findKinds) {
    const told = (await findKinds?.().catch(() => null))?.kinds;
    if (!told) return;
    for (const option of menu.querySelectorAll('option')) {
        option.hidden = Boolean(option.value) && !option.selected && !told.includes(kinds[option.value]);
    }
}
