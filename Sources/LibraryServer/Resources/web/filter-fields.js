// The fields of the filter bar. They are loaded with the lists that they offer, or when somebody opens them.

import { button, element, icon, inert } from './dom.js';
import { chipText } from './filters.js';
import { narrow } from './offered-types.js';
import { typeNames } from './route.js';

/** The fields, and what narrows the type menu to the kinds in the list, which `findKinds` fetches with a timeline. What is typed
 *  counts once the focus has moved: the rebuilt bar hands it to the successor of the field that has it.
 *  @param {Record<string, string>} filter
 *  @param {FilterOptions} options */
export function filterFields(filter, { lists = {}, onChange, findKinds, fixed = [] }) {
    /** @param {string} key @param {string | null} value */
    const set = (key, value) => {
        const next = /** @type {Record<string, string>} */ ({ ...filter, [key]: value });
        for (const name of Object.keys(next)) if (!next[name]) delete next[name];
        onChange(next);
    };
    /** @param {string} key */
    const offers = (key) => !fixed.includes(key);
    /** @type {(key: string, label: string, options: [string, string][]) => HTMLSelectElement | false} */
    const choice = (key, label, options) => offers(key) && labelled(label, element('select', {
        class: filter[key] ? 'set' : '', on: { change: (event) => set(key, event.target.value) },
    }, element('option', { value: '' }, label), options.map(([value, name]) =>
        element('option', { value, selected: filter[key] === value }, name))));
    /** @param {string} key @param {string} label */
    const day = (key, label) => offers(key) && element('label', { class: filter[key] ? 'day set' : 'day' }, label, dateField(
        { value: filter[key]?.slice(0, 10) ?? '', title: filter[key]?.includes('T') && chipText(key, filter[key]) }, (value) => set(key, value)));
    const types = choice('type', 'All types', Object.entries(typeNames));
    /** @type {Children} */
    const fields = [
        types,
        day('from', 'From'), day('until', 'Until'),
        Boolean(lists.devices?.length) && offers('device') && cameraField(filter.device, lists.devices ?? [], (id) => set('device', id)),
        Boolean(lists.albums?.length) && choice('album', 'Any album', (lists.albums ?? []).map(({ id, name }) => [id, name])),
        choice('rating', 'Any rating', [1, 2, 3, 4, 5].map((stars) => [String(stars), `${'★'.repeat(stars)} or more`])),
        offers('keyword') && labelled('Keyword', element('input', {
            type: 'text', class: filter.keyword ? 'set' : '', placeholder: 'Keyword', value: filter.keyword ?? '', maxlength: 256,
            on: { change: ({ target }) => setTimeout(() => set('keyword', target.value.trim())) },
        })),
        offers('favorite') && element('button', {
            type: 'button', class: 'toggle', aria: { pressed: Boolean(filter.favorite) },
            on: { click: () => set('favorite', filter.favorite ? null : '1') },
        }, icon('heart'), 'Favourites'),
    ];
    return { fields, narrow: () => types && narrow(types, findKinds) };
}

/** The fields alone, without a button that opens them. They do not show the search, so Clear leaves it.
 *  @param {Record<string, string>} filter
 *  @param {FilterOptions} options */
export function flatFilters(filter, options) {
    const { fields, narrow } = filterFields(filter, options);
    narrow();
    const isSet = Object.keys(filter).some((key) => key !== 'text' && !options.fixed?.includes(key));
    return element('div', { class: 'filters', role: 'group', aria: { label: 'Filter' } }, fields,
        isSet && button('Clear', { onClick: () => options.onChange(filter.text ? { text: filter.text } : {}) }));
}

/** A date field. A browser calls a typed date changed at every digit: `onChange` gets it by Enter, or when the field is left.
 *  @param {Record<string, Attribute>} attributes
 *  @param {(date: string) => void} onChange */
export function dateField(attributes, onChange) {
    const input = element('input', { type: 'date', ...attributes });
    let isTyped = false;
    let known = input.value;
    const send = () => {
        if (input.isConnected && input.value !== known) onChange(known = input.value);
    };
    input.addEventListener('keydown', ({ key }) => {
        isTyped = /^(\d|Arrow.+|Backspace|Delete)$/.test(key);
        if (key === 'Enter') send();
    });
    input.addEventListener('pointerdown', () => { isTyped = false; });
    input.addEventListener('change', () => isTyped || send());
    // As soon as the focus has moved.
    input.addEventListener('blur', () => setTimeout(send));
    return input;
}

/** A text field that finds a camera by part of its name.
 *  @param {string | undefined} id
 *  @param {Named[]} devices
 *  @param {(id: string | null) => void} onChange */
function cameraField(id, devices, onChange) {
    devices = devices.map(({ id, name }) => ({ id, name: inert(name) }));
    const seen = Map.groupBy(devices, (one) => one.name);
    // Cameras of the same name are told apart by their identifiers.
    const names = new Map(devices.map((one) => [(seen.get(one.name)?.length ?? 0) > 1 ? `${one.name} (${one.id.slice(-6)})` : one.name, one.id]));
    const now = [...names].find(([, one]) => one === id)?.[0] ?? '';
    /** The cameras with a name like this; the one with exactly this name alone, if there is one.
     *  @param {string} wanted */
    const find = (wanted) => {
        const matches = [...names].filter(([name]) => name.toLowerCase().includes(wanted));
        const exact = matches.find(([name]) => name.toLowerCase() === wanted);
        return exact ? [exact] : matches;
    };
    const list = element('datalist', { id: 'cameras' }, [...names.keys()].map((name) => element('option', { value: name })));
    const input = labelled('Any device', element('input', {
        type: 'search', list: 'cameras', class: id ? 'set' : '', placeholder: 'Any device', value: now, maxlength: 256, autocomplete: 'off',
        on: { change: ({ target }) => {
            const wanted = target.value.trim().toLowerCase();
            const found = wanted ? find(wanted) : [];
            target.setCustomValidity(found.length > 1 ? 'Several cameras have such a name: choose one.' : wanted && !found.length ? 'No camera has this name.' : '');
            if (target.reportValidity()) setTimeout(() => onChange(found[0]?.[1] ?? null));
        } },
    }));
    return [input, list];
}

/** @template {Element} Control @param {string} label @param {Control} control */
const labelled = (label, control) => {
    control.setAttribute('aria-label', label);
    return control;
};
