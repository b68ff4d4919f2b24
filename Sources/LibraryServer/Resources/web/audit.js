// The audit: what was decided, by whom and why, newest first.

import { get, query } from './api.js';
import { AdminPage, table } from './admin.js';
import { button, element } from './dom.js';
import { moment } from './format.js';
import { emptyState } from './empty.js';

const pageCount = 200;

export class Audit extends AdminPage {
    constructor() { super('Audit'); }

    async build() {
        const entries = await newest();
        if (entries.length === 0) return element('div', { class: 'empty still' }, emptyState('list', 'Nothing was decided yet', ''));
        const list = element('div', { class: 'stack' }, auditTable(entries));
        const first = entries.at(-1).sequence;
        if (first > 1) {
            const more = button('Older entries', { onClick: async () => {
                const before = Math.max(0, Number(list.dataset.first ?? first) - 1 - pageCount);
                const page = await get(`/v1/admin/audit${query({ after: before, limit: Number(list.dataset.first ?? first) - 1 - before })}`);
                list.dataset.first = before + 1;
                more.before(auditTable(page.entries.toReversed()));
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

/** Entries as a table. */
export function auditTable(entries) {
    return table('Audit', ['When', 'Event', 'Who', 'From', 'To', 'Why'], entries.map(({ time, content }) => [
        moment(time), element('code', {}, content.event), content.actor, content.old ?? '', content.new ?? '', content.reason ?? '',
    ]));
}
