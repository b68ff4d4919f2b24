// The audit: what was decided, by whom and why, newest first.

import { allDevices, get, query } from './api.js';
import { AdminPage, stateNames, statusNames, table } from './admin.js';
import { button, element, fill } from './dom.js';
import { actorName, counted, moment } from './format.js';
import { emptyState } from './empty.js';
import { dateField } from './filter-fields.js';
import { chipText } from './filters.js';
import { notifyProblem } from './notices.js';
import { placeURL } from './route.js';
import { searchWords } from './search-words.js';

/** Entries shown at once, entries per request, and requests before the user is asked to continue. */
const pageCount = 200;
const windowCount = 1000;
const mostWindows = 10;

export class Audit extends AdminPage {
    /** @param {Place} place */
    constructor(place) {
        super('Audit');
        /** Devices by their identifiers.
         *  @type {Map<string, string>} */
        this.names = new Map();
        this.wanted = place.filter;
        this.bar = element('div', { class: 'stack' });
        this.list = element('div', { class: 'stack', role: 'region', aria: { label: 'Entries', live: 'polite' } });
        /** The number of the last search. */
        this.search = 0;
    }

    async fetch() {
        this.names = new Map((await allDevices()).map((device) => [device.id, device.name]));
        await this.refill();
        return () => [this.bar, this.list];
    }

    /** Back and Forward change the filter without reloading the page.
     *  @param {Place} place */
    follows(place) {
        if (place.view !== 'audit' || !this.list.isConnected) return false;
        this.want(place.filter, { isStep: false });
        return true;
    }

    /** Applies a filter, and writes it to the address.
     *  @param {Record<string, string | null>} filter */
    want(filter, { isStep = true } = {}) {
        this.wanted = /** @type {Record<string, string>} */ (Object.fromEntries(Object.entries(filter).filter(([, value]) => value)));
        if (isStep) history.pushState(history.state, '', placeURL({ view: 'audit', filter: this.wanted }));
        this.refill().catch(notifyProblem);
    }

    /** The filter's fields: event, device, person and time; each set filter is also a chip. */
    filters() {
        const { wanted } = this;
        /** @param {string} key @param {string | null} value */
        const set = (key, value) => this.want({ ...this.wanted, [key]: value });
        /** @param {string} key @param {string} label @param {[string, string][]} options */
        const choice = (key, label, options) => element('label', { class: 'field' }, label, element('select', {
            name: key, on: { change: (event) => set(key, event.target.value) },
        }, element('option', { value: '' }, 'all'), options.map(([value, name]) => element('option', { value, selected: wanted[key] === value }, name))));
        /** @param {string} key @param {string} label */
        const day = (key, label) => element('label', { class: 'field' }, label,
            dateField({ name: key, value: wanted[key]?.slice(0, 10) ?? '' }, (value) => set(key, value)));
        const typed = element('input', {
            type: 'search', name: 'typed', placeholder: 'A person and a time: “keeper yesterday”', maxlength: 256, enterkeyhint: 'search', aria: { label: 'Who and when' },
        });
        /** @param {[string, string]} left @param {[string, string]} right */
        const byName = (left, right) => left[1].localeCompare(right[1]);
        const chips = Object.entries(wanted).filter(([key]) => key in chipNames).map(([key, value]) => {
            const text = chipNames[key](value, this.names);
            return element('span', { class: 'chip' }, text, button(`Remove filter ${text}`, { symbol: 'close', onClick: () => set(key, null) }));
        });
        return [
            element('form', { class: 'line', role: 'search', on: { submit: (event) => {
                event.preventDefault();
                const { text, ...when } = searchWords(typed.value.trim());
                if (text || when.from) this.want({ ...this.wanted, ...when, ...text && { person: text } });
            } } }, typed),
            element('div', { class: 'pair wrapped', role: 'group', aria: { label: 'Filter' } },
                choice('event', 'What', Object.entries(events).sort(byName)), choice('device', 'Device', [...this.names].sort(byName)),
                day('from', 'From'), day('until', 'Until')),
            chips.length > 0 && element('div', { class: 'filters' }, chips, button('Clear', { onClick: () => this.want({}) })),
        ];
    }

    async refill() {
        const turn = ++this.search;
        fill(this.bar, this.filters());
        const found = await this.older(await end(timeOf(this.wanted.until, 1)));
        if (turn === this.search) this.show(found);
    }

    /** Shows the first matching entries, or whether older entries remain to be searched.
     *  @param {{entries: AuditEntry[], before: number}} found */
    show({ entries, before }) {
        const nothing = () => element('div', { class: 'empty still' }, before > 0
            ? emptyState('list', 'No match so far', 'Older entries have not been searched yet.')
            : emptyState('list', Object.keys(this.wanted).length > 0 ? 'No matching entries' : 'No entries yet', ''));
        fill(this.list, entries.length > 0 ? this.table(entries) : nothing(), this.more(before));
    }

    /** The entries as a table, in which a click on a person filters by that person.
     *  @param {AuditEntry[]} entries */
    table(entries) {
        return auditTable(entries, this.names, (person) => this.want({ ...this.wanted, person }));
    }

    /** Matching entries up to a sequence, newest first, and the sequence to continue before.
     *  @param {number} before */
    async older(before) {
        const { event, device, person, from, until } = this.wanted;
        const [begin, close] = [timeOf(from, 0) ?? -Infinity, timeOf(until, 1) ?? Infinity];
        /** @param {AuditEntry} entry */
        const isWanted = ({ sequence, time, content }) => sequence <= before && (!event || content.event === event)
            && (!person || actorName(content.actor, this.names).toLowerCase().includes(person.toLowerCase()))
            && begin <= Date.parse(time) && Date.parse(time) < close;
        /** @type {AuditEntry[]} */
        const entries = [];
        for (let windows = 0; before > 0 && entries.length < pageCount && windows < mostWindows; windows += 1) {
            const after = Math.max(0, before - windowCount);
            /** @type {{entries: AuditEntry[]}} */
            const page = await get(`/v1/admin/audit${query({ after, device, limit: windowCount })}`);
            entries.push(...page.entries.filter(isWanted).reverse());
            // Entries are ordered by time: no older one can match.
            before = page.entries.length > 0 && Date.parse(page.entries[0].time) < begin ? 0 : after;
        }
        // Entries beyond this page come with the next.
        const shown = entries.slice(0, pageCount);
        return { entries: shown, before: shown.length < entries.length ? /** @type {AuditEntry} */ (shown.at(-1)).sequence - 1 : before };
    }

    /** @param {number} before @returns {HTMLButtonElement | null} */
    more(before) {
        if (before <= 0) return null;
        const next = button('Older entries', { onClick: async () => {
            const hadFocus = document.activeElement === next;
            // Not if the person has gone on meanwhile. A disabled button loses the focus.
            const isFree = () => hadFocus && (document.activeElement === next || document.activeElement === document.body);
            next.disabled = true;
            try {
                const found = await this.older(before);
                // Another search has shown something else.
                if (!next.isConnected) return;
                const handsOn = isFree();
                const seen = this.list.querySelectorAll('.table').length;
                if (seen === 0) this.show(found);
                else next.replaceWith(...[found.entries.length > 0 ? this.table(found.entries) : [], this.more(found.before) ?? []].flat());
                const all = /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll('.table, :scope > button')]);
                if (handsOn) (all[seen] ?? all.at(-1) ?? document.getElementById('content'))?.focus();
            } catch (problem) {
                next.disabled = false;
                if (isFree()) next.focus();
                notifyProblem(problem);
            }
        } });
        return next;
    }
}

/** A day or minute from the address in milliseconds, in the reader's time zone; a day is moved by `days`.
 *  @param {string | undefined} text @param {number} days */
function timeOf(text, days) {
    if (!text) return null;
    const time = new Date(text.includes('T') ? text : `${text}T00:00`);
    if (!text.includes('T')) time.setDate(time.getDate() + days);
    return Number.isNaN(time.getTime()) ? null : time.getTime();
}

/** A sequence at or slightly after the last entry before a time (null: of all), found by exponential and binary search:
 *  sequences have no gaps, and times only increase.
 *  @param {number | null} until */
async function end(until) {
    /** @param {number} after */
    const has = async (after) => {
        /** @type {AuditEntry[]} */
        const [entry] = (await get(`/v1/admin/audit${query({ after, limit: 1 })}`)).entries;
        return Boolean(entry) && (until === null || Date.parse(entry.time) < until);
    };
    let high = pageCount;
    while (await has(high)) high *= 2;
    let low = high === pageCount ? 0 : high / 2;
    while (high - low > pageCount / 2) {
        const middle = Math.floor((low + high) / 2);
        if (await has(middle)) low = middle;
        else high = middle;
    }
    return high;
}

/** Members that the table shows in columns of their own. */
const beside = new Set(['changedAt', 'changedBy', 'device', 'grantVersion', 'reason']);

/** The leaves of a record by path. Lists become their count, because a selection may have a hundred thousand entries.
 *  @param {string} text */
function leaves(text) {
    let value;
    try {
        value = JSON.parse(text);
    } catch {
        return new Map([['', text]]);
    }
    /** @type {Map<string, string>} */
    const found = new Map();
    /** @param {unknown} part @param {string} path */
    const walk = (part, path) => {
        if (Array.isArray(part)) found.set(path, counted(part.length, 'entry').replace('entrys', 'entries'));
        else if (part === null || typeof part !== 'object') found.set(path, String(part));
        else if (Object.keys(part).length === 0) found.set(path.split('.').slice(0, -1).join('.'), /** @type {string} */ (path.split('.').pop()));
        else for (const [key, inner] of Object.entries(part)) if (path || !beside.has(key)) walk(inner, path ? `${path}.${key}` : key);
    };
    walk(value, '');
    return found;
}

/** The words of the device's page for its rights and state; everything else is shown as recorded.
 *  @type {Record<string, string>} */
const memberNames = { addOnly: 'saves', readWrite: 'reads' };
/** @type {Record<string, Record<string, string>>} */
const valueNames = { addOnly: statusNames, readWrite: statusNames, state: stateNames };

/** What a token admits to, and why a caller was refused, as recorded and for people.
 *  @type {Record<string, string>} */
const phrases = { addOnly: 'Add only', limited: 'Selected', readWrite: 'All', 'identity: missing': 'not logged in' };
/** @param {string} text */
const plain = (text) => text.replace(/(?<=^enrolment token .*: )\w+(?=, for )|(?<=: )identity: missing$/, (recorded) => phrases[recorded] ?? recorded);

/** The differences, one per line.
 *  @param {string | undefined} before @param {string | undefined} after */
function difference(before, after) {
    const [old, now] = [before ? leaves(before) : new Map(), after ? leaves(after) : new Map()];
    const parts = [...new Set([...old.keys(), ...now.keys()])].filter((part) => old.get(part) !== now.get(part));
    return element('ul', {}, parts.map((part) => {
        const member = /** @type {string} */ (part.split('.').pop());
        const values = /** @type {string[]} */ ([old.get(part), now.get(part)].filter((value) => value !== undefined));
        return element('li', {}, part && element('span', { class: 'quiet' }, `${memberNames[member] ?? member}: `),
            values.map((value) => valueNames[member]?.[value] ?? (part ? value : plain(value))).join(' → '));
    }));
}

/** @type {Record<string, string>} */
const events = {
    enrol: 'Device enrolled', request: 'Request', decide: 'Decision', reset: 'Decision withdrawn', expire: 'Right ended', renew: 'Certificate renewed',
    rotate: 'Key changed', drain: 'Device draining', fork: 'Copy found', resolve: 'Copy resolved', revoke: 'Device revoked', wipe: 'Device wiped',
    'device.rename': 'Device renamed', 'consent.withdraw': 'Consent withdrawn', 'policy.change': 'Policy changed', 'selection.change': 'Selection changed', 'picker.create': 'Picker requested',
    'picker.pick': 'Picker answered', 'picker.fetch': 'Picked photo fetched', 'picker.end': 'Picker ended', 'access.denied': 'Access denied',
    'jobs.control': 'Jobs', 'epoch.begin': 'New history', 'admin.login': 'Login',
};

/** The texts of the filter's chips.
 *  @type {Record<string, (value: string, names: Map<string, string>) => string>} */
const chipNames = {
    event: (value) => events[value] ?? value,
    device: (value, names) => `about ${names.get(value) ?? value}`,
    person: (value) => `by ${value}`,
    from: (value) => chipText('from', value),
    until: (value) => chipText('until', value),
};

/** The entries as a table. `names` maps device identifiers to names; `onPerson` is called with a clicked actor's name.
 *  @param {AuditEntry[]} entries
 *  @param {Map<string, string>} names
 *  @param {((name: string) => void) | null} onPerson */
export function auditTable(entries, names = new Map(), onPerson = null) {
    /** @param {string} text */
    const actor = (text) => {
        const name = actorName(text, names);
        return onPerson ? element('button', { type: 'button', class: 'link', title: text, on: { click: () => onPerson(name) } }, name) : element('span', { title: text }, name);
    };
    /** The device, where the entry is another's act: the device's own page lists no other device.
     *  @param {AuditEntry['content']} content */
    const about = ({ device, actor: who }) => onPerson && device && !who.includes(device)
        && element('strong', {}, `about ${names.get(device) ?? device}`);
    return table('Audit', ['When', 'What', 'Who', 'Change', 'Why'], entries.map(({ time, content }) => [
        moment(time), element('span', { title: content.event }, events[content.event] ?? content.event), actor(content.actor),
        element('div', {}, about(content), difference(content.old, content.new)), content.reason ?? '',
    ]));
}
