// The audit: what was decided, by whom and why, newest first.

import { get, query } from './api.js';
import { AdminPage, table } from './admin.js';
import { button, element } from './dom.js';
import { counted, moment } from './format.js';
import { emptyState } from './empty.js';

const pageCount = 200;

export class Audit extends AdminPage {
    constructor() { super('Audit'); }

    async build() {
        const [entries, { devices }] = await Promise.all([newest(), get('/v1/admin/devices?limit=500')]);
        const names = new Map(devices.map((device) => [device.id, device.name]));
        if (entries.length === 0) return element('div', { class: 'empty still' }, emptyState('list', 'Nothing was decided yet', ''));
        const list = element('div', { class: 'stack' }, auditTable(entries, names));
        const first = entries.at(-1).sequence;
        if (first > 1) {
            const more = button('Older entries', { onClick: async () => {
                const before = Math.max(0, Number(list.dataset.first ?? first) - 1 - pageCount);
                const page = await get(`/v1/admin/audit${query({ after: before, limit: Number(list.dataset.first ?? first) - 1 - before })}`);
                list.dataset.first = before + 1;
                more.before(auditTable(page.entries.toReversed(), names));
                if (before === 0) more.remove();
            } });
            list.append(more);
        }
        return list;
    }
}

/** The newest entries: sequences have no gaps, so the end is found by doubling and halving. */
async function newest() {
    const has = async (after) => (await get(`/v1/admin/audit${query({ after, limit: 1 })}`)).entries.length > 0;
    let high = pageCount;
    while (await has(high)) high *= 2;
    let low = high / 2;
    if (high === pageCount) low = 0;
    while (high - low > pageCount / 2) {
        const middle = Math.floor((low + high) / 2);
        if (await has(middle)) low = middle;
        else high = middle;
    }
    const { entries } = await get(`/v1/admin/audit${query({ after: Math.max(0, high - pageCount), limit: pageCount })}`);
    return entries.toReversed();
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
    'device.rename': 'Device renamed', 'policy.change': 'Policy changed', 'selection.change': 'Selection changed', 'picker.create': 'Picker asked for',
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
