// The menu of types offers what the list holds a photo of, and what is chosen already.

import { kinds } from './route.js';

/** Asks for the kinds there are, and hides the other types; while that cannot be asked, all are offered. */
export async function narrow(menu, findKinds) {
    const told = (await findKinds?.().catch(() => null))?.kinds;
    if (!told) return;
    for (const option of menu.querySelectorAll('option')) {
        option.hidden = Boolean(option.value) && !option.selected && !told.includes(kinds[option.value]);
    }
}
