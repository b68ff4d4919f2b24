// The placeholder for an empty view.

import { element, fill, icon } from './dom.js';

/** An icon, a title, and lines that say what to do.
 *  @param {string} symbol @param {string} title @param {...(string | Element)} lines */
export function emptyState(symbol, title, ...lines) {
    return fill(element('section', { class: 'empty' }), icon(symbol), element('h2', {}, title), lines.map((line) =>
        (typeof line === 'string' ? element('p', {}, line) : line)));
}
