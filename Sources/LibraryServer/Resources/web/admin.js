// Shared by the administration pages: how a device is described, the four answers, and a page that loads its content.

import { onceBack } from './api.js';
import { confirm } from './dialogs.js';
import { button, element, fill, write } from './dom.js';
import { emptyState } from './empty.js';
import { ago } from './format.js';

/** A titled page that fetches its content, and explains when it cannot. */
export class AdminPage {
    /** @param {string} title */
    constructor(title) {
        this.tools = element('span', { class: 'tools' });
        this.body = element('div', { class: 'stack' }, element('p', { class: 'quiet', role: 'status' }, 'Loading…'));
        this.root = element('section', { class: 'page', aria: { label: title } },
            element('div', { class: 'title-line' }, element('h1', {}, title), this.tools), this.body);
        /** The number of the last load. */
        this.turn = 0;
    }

    async start() { await this.load(); }

    /** Fetches what the page shows; returns the function that makes its content. That one runs only for the last load, so that
     *  it alone changes the page. Overridden by each page.
     *  @returns {Promise<() => Children>} */
    async fetch() { throw new TypeError('a page without content'); }

    /** Fetches and shows; of several at once, only the last shows something. */
    async load() {
        const turn = ++this.turn;
        const isOver = () => this.isClosed || turn !== this.turn;
        try {
            const build = await this.fetch();
            if (!isOver()) fill(this.body, build());
        } catch (problem) {
            if (problem.name === 'AbortError' || isOver()) return;
            if (problem.isOffline) onceBack(() => this.isClosed || this.load());
            fill(this.body, element('div', { class: 'empty still' }, emptyState('warning',
                problem.isOffline ? 'Not available at the moment' : 'The request was refused', problem.message,
                button('Try again', { isQuiet: false, onClick: () => this.load() }))));
        }
    }

    /** Updates the ages; called every few seconds.
     *  @param {Device[]} _devices */
    showDevices(_devices) {
        for (const one of this.root.querySelectorAll('time')) write(one, ago(one.dateTime));
    }

    close() { this.isClosed = true; }
    follow() {}
}

/** The statuses of a right, in words.
 *  @type {Record<string, string>} */
export const statusNames = {
    notDetermined: 'not decided', restricted: 'restricted by policy', denied: 'no', authorized: 'yes', limited: 'a selection',
};
/** The states of a device, in words.
 *  @type {Record<string, string>} */
export const stateNames = {
    pending: 'waiting for an answer', active: 'active', draining: 'draining', suspect: 'suspect: a copy was found', revoked: 'revoked',
};

/** A status as a coloured mark with a word: colour alone carries no meaning.
 *  @param {string} text @param {string} [tone] */
export const mark = (text, tone) => element('span', { class: `status ${tone ?? ''}` }, text);
/** @param {Device} device */
export const stateMark = (device) => mark(device.isRefused ? 'not admitted' : drainText(device) ?? stateNames[device.state] ?? device.state,
    { active: 'good', suspect: 'bad', revoked: 'bad', pending: 'waiting', draining: 'waiting' }[device.state]);

/** The progress of a device that is being retired.
 *  @param {Device} device */
const drainText = ({ drain }) => drain && (drain.isAnnounced ? `draining: ${drain.remainingCount} left to send` : 'draining: not told yet');

/** What a device may do, in words.
 *  @param {Authorization} authorization */
export function accessText({ addOnly, readWrite, restrictedBy, selection }) {
    // Saving is not limited for a device that sees a selection.
    const saves = addOnly === 'limited' ? 'authorized' : addOnly;
    const parts = [`saves: ${statusNames[saves] ?? saves}`, `reads: ${statusNames[readWrite] ?? readWrite}`];
    if (readWrite === 'limited' && selection) parts[1] += ` of ${selection.count}`;
    if (restrictedBy) parts.push(`limited by policy “${restrictedBy}”`);
    return parts.join(', ');
}

/** A fingerprint in groups, easy to read aloud.
 *  @param {string} text */
export const fingerprint = (text) => element('code', { class: 'fingerprint', title: text }, (text.slice(0, 16).match(/.{4}/g) ?? []).join(' '));

/** The four answers, ordered so that the one suited to a camera comes first; All needs a confirmation.
 *  @type {{answer: Answer, name: string, text: string}[]} */
export const answers = [
    { answer: 'add-only', name: 'Add only', text: 'saves what it captures and sees nothing' },
    { answer: 'selected', name: 'Selected…', text: 'sees what you select now, and its own captures' },
    { answer: 'none', name: 'None', text: 'has no access; it keeps its captures' },
    { answer: 'all', name: 'All…', text: 'sees and edits the whole library' },
];

/** What an answer means to a device that asks for these levels: None takes away only what is asked for.
 *  @param {(typeof answers)[0]} one @param {string[]} levels */
export const answerText = ({ answer, text }, levels) => answer === 'none' && !levels.includes('addOnly') ? 'sees nothing; saves as before' : text;

/** Asks for confirmation before the whole library is opened to a device or to several.
 *  @param {string} whom */
export const opensAll = (whom) => confirm(`Open the whole library to ${whom}?`, 'It can then see, change and delete everybody’s photos, including future ones.', 'Open everything');

/** Asks so for an answer that opens the whole library; true for every other answer.
 *  @param {Answer} answer @param {string} name */
export const isMeant = async (answer, name) => answer !== 'all'
    || opensAll(`“${name}”`);

/** How long ago a time is, or in how long, as long as the page is open.
 *  @param {string | undefined} text */
export const age = (text) => element('time', { datetime: text }, ago(text));

/** Rows of names and values.
 *  @param {[string, Child][]} rows */
export const definitions = (rows) => element('dl', {}, rows.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));

/** Focuses the button of a name in a list's entry, or another one there where that is disabled; beyond the end, in the last entry.
 *  @param {Element} list @param {number} index @param {string} name */
export function focusEntry(list, index, name) {
    const entry = list.children[Math.min(index, list.children.length - 1)];
    /** @type {HTMLElement | null | undefined} */ (entry?.querySelector(`[aria-label="${name}"]:enabled`) ?? entry?.querySelector('button:enabled'))?.focus();
}

/** Dates and counts do not wrap.
 *  @param {Children} cell */
const isShort = (cell) => (typeof cell === 'string' && cell.length <= 22) || cell instanceof HTMLTimeElement;

/** A table with a caption for screen readers; on narrow screens each row becomes a card.
 *  @param {string} caption @param {string[]} heads @param {Children[][]} rows */
export function table(caption, heads, rows) {
    return element('div', { class: 'table', tabindex: '0', role: 'region', aria: { label: caption } }, element('table', {},
        element('caption', { class: 'hidden' }, caption),
        element('thead', {}, element('tr', {}, heads.map((head) => element('th', { scope: 'col' }, head)))),
        element('tbody', {}, rows.map((row) => element('tr', {}, row.map((cell, index) =>
            element('td', { data: { head: heads[index] }, class: isShort(cell) && 'line' }, cell)))))));
}
