// The audit: what was decided, by whom and why, newest first.

import { get, query } from './api.js';
import { AdminPage, table } from './admin.js';
import { button, element, fill } from './dom.js';
import { counted, moment } from './format.js';
import { emptyState } from './empty.js';
import { notifyProblem } from './notices.js';

/** Entries that are shown at once, entries of one request, and requests until somebody asks for more. */
const pageCount = 200;
const windowCount = 1000;
const mostWindows = 10;

export class Audit extends AdminPage {
    constructor() {
        super('Audit');
        this.wanted = { event: '', device: '' };
    }

    async build() {
        const { devices } = await get('/v1/admin/devices?limit=500');
        this.names = new Map(devices.map((device) => [device.id, device.name]));
        this.list = element('div', { class: 'stack', role: 'region', aria: { label: 'Entries', live: 'polite' } });
        await this.refill();
        return [this.filters(), this.list];
    }

    /** What kind of entry, and about whom. */
    filters() {
        const choice = (key, label, options) => element('label', { class: 'field' }, label, element('select', {
            name: key, on: { change: (event) => {
                this.wanted[key] = event.target.value;
                this.refill().catch(notifyProblem);
            } },
        }, element('option', { value: '' }, 'all'), options.map(([value, name]) => element('option', { value, selected: this.wanted[key] === value }, name))));
        const byName = (left, right) => left[1].localeCompare(right[1]);
        return element('div', { class: 'pair', role: 'group', aria: { label: 'Filter' } },
            choice('event', 'What', Object.entries(events).sort(byName)), choice('device', 'Device', [...this.names].sort(byName)));
    }

    async refill() {
        const wanted = this.wanted = { ...this.wanted };
        const found = await this.older(await end());
        if (wanted !== this.wanted) return;
        fill(this.list, found.entries.length > 0 ? auditTable(found.entries, this.names)
            : element('div', { class: 'empty still' }, emptyState('list', wanted.event || wanted.device ? 'Nothing of the kind' : 'Nothing was decided yet', '')), this.more(found.before));
    }

    /** Entries up to a sequence that are wanted, the newest first, and where to go on. */
    async older(before) {
        const { event, device } = this.wanted;
        const entries = [];
        for (let windows = 0; before > 0 && entries.length < pageCount && windows < mostWindows; windows += 1) {
            const after = Math.max(0, before - windowCount);
            const page = await get(`/v1/admin/audit${query({ after, device, limit: windowCount })}`);
            entries.push(...page.entries.filter((one) => one.sequence <= before && (!event || one.content.event === event)).reverse());
            before = after;
        }
        // What is too much for one page comes with the next.
        const shown = entries.slice(0, pageCount);
        return { entries: shown, before: shown.length < entries.length ? shown.at(-1).sequence - 1 : before };
    }

    more(before) {
        if (before <= 0) return null;
        const next = button('Older entries', { onClick: async () => {
            next.disabled = true;
            try {
                const found = await this.older(before);
                next.replaceWith(...[found.entries.length > 0 && auditTable(found.entries, this.names), this.more(found.before)].filter(Boolean));
            } catch (problem) {
                next.disabled = false;
                notifyProblem(problem);
            }
        } });
        return next;
    }
}

/** A sequence at or a little behind the last entry: sequences have no gaps, so it is found by doubling and halving. */
async function end() {
    const has = async (after) => (await get(`/v1/admin/audit${query({ after, limit: 1 })}`)).entries.length > 0;
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

/** What says who and when, which the table has columns for. */
const beside = new Set(['changedAt', 'changedBy', 'device', 'grantVersion', 'reason']);

/** The leaves of a record by their path; lists count, because a selection has a hundred thousand entries. */
function leaves(text) {
    let value;
    try {
        value = JSON.parse(text);
    } catch {
        return new Map([['', text]]);
    }
    const found = new Map();
    const walk = (part, path) => {
        if (Array.isArray(part)) found.set(path, counted(part.length, 'entry').replace('entrys', 'entries'));
        else if (part === null || typeof part !== 'object') found.set(path, String(part));
        else if (Object.keys(part).length === 0) found.set(path.split('.').slice(0, -1).join('.'), path.split('.').pop());
        else for (const [key, inner] of Object.entries(part)) if (path || !beside.has(key)) walk(inner, path ? `${path}.${key}` : key);
    };
    walk(value, '');
    return found;
}

/** What became different, a line a part. */
function difference(before, after) {
    const [old, now] = [before ? leaves(before) : new Map(), after ? leaves(after) : new Map()];
    const parts = [...new Set([...old.keys(), ...now.keys()])].filter((part) => old.get(part) !== now.get(part));
    return element('ul', {}, parts.map((part) => element('li', {}, part && element('span', { class: 'quiet' }, `${part.split('.').pop()}: `),
        [old.get(part), now.get(part)].filter((value) => value !== undefined).join(' → '))));
}

const events = {
    enrol: 'Device enrolled', request: 'Request', decide: 'Decision', reset: 'Decision withdrawn', expire: 'Right ended', renew: 'Certificate renewed',
    rotate: 'Key changed', drain: 'Device draining', fork: 'Copy found', resolve: 'Copy resolved', revoke: 'Device revoked', wipe: 'Device wiped',
    'device.rename': 'Device renamed', 'consent.withdraw': 'Consent withdrawn', 'policy.change': 'Policy changed', 'selection.change': 'Selection changed', 'picker.create': 'Picker asked for',
    'picker.pick': 'Picker answered', 'picker.fetch': 'Picked photo fetched', 'picker.end': 'Picker ended', 'access.denied': 'Access denied',
    'jobs.control': 'Jobs', 'admin.login': 'Login',
};

/** Who did something: a device by the name that people know it by, and the exact words where they hover. */
function actor(text, names) {
    const [kind, id] = text.split(' ');
    const name = kind === 'device' && names.get(id);
    return element('span', { title: name ? text : null }, name || text.replace(/^administrator /, ''));
}

/** Entries as a table; `names` are devices by their identifiers. */
export function auditTable(entries, names = new Map()) {
    return table('Audit', ['When', 'What', 'Who', 'Change', 'Why'], entries.map(({ time, content }) => [
        moment(time), element('span', { title: content.event }, events[content.event] ?? content.event), actor(content.actor, names),
        difference(content.old, content.new), content.reason ?? '',
    ]));
}
