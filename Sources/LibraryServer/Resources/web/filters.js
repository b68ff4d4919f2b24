// The filter bar: it shows and changes the address, and has no state of its own.

import { button, element, fill, icon, inert, setAria } from './dom.js';
import { counted } from './format.js';
import { parseBox, typeNames } from './route.js';

/** Whether the fields are open; kept from one filter to the next. */
let isOpen = false;

/** The bar: chips for the search and the set filters, and the fields behind one button; `isFlat` shows the fields alone.
 *  `onChange` gets the whole new filter. `lists` has `devices` and `albums`, each with id and name.
 *  `findKinds` fetches a timeline with the kinds in the list: the type menu offers no others.
 *  @param {Record<string, string>} filter
 *  @param {{lists?: Partial<Lists>, onChange: (filter: Record<string, string>) => void, findKinds?: () => Promise<{kinds?: string[]}>, fixed?: string[], isFlat?: boolean}} options */
export function filterBar(filter, { lists = {}, onChange, findKinds, fixed = [], isFlat = false }) {
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
        { value: filter[key]?.slice(0, 10) ?? '', title: filter[key]?.includes('T') && filter[key].replace('T', ' ') }, (value) => set(key, value)));
    const types = choice('type', 'All types', Object.entries(typeNames));
    const narrow = () => types && import('./offered-types.js').then((module) => module.narrow(types, findKinds));
    const fields = [
        types,
        day('from', 'From'), day('until', 'Until'),
        Boolean(lists.devices?.length) && offers('device') && cameraField(filter.device, lists.devices ?? [], (id) => set('device', id)),
        Boolean(lists.albums?.length) && choice('album', 'Any album', (lists.albums ?? []).map(({ id, name }) => [id, name])),
        choice('rating', 'Any rating', [1, 2, 3, 4, 5].map((stars) => [String(stars), `${'★'.repeat(stars)} or more`])),
        offers('keyword') && labelled('Keyword', element('input', {
            type: 'text', class: filter.keyword ? 'set' : '', placeholder: 'Keyword', value: filter.keyword ?? '', maxlength: 256,
            on: { change: (event) => set('keyword', event.target.value.trim()) },
        })),
        offers('favorite') && element('button', {
            type: 'button', class: 'toggle', aria: { pressed: Boolean(filter.favorite) },
            on: { click: () => set('favorite', filter.favorite ? null : '1') },
        }, icon('heart'), 'Favourites'),
    ];
    const isSet = Object.keys(filter).filter(offers);
    // The fields alone do not show the search, so they leave it.
    const clear = isSet.some((key) => key !== 'text') && button('Clear', { onClick: () => onChange(isFlat && filter.text ? { text: filter.text } : {}) });
    const bar = element('div', { class: 'filters', role: 'group', aria: { label: 'Filter' } });
    if (isFlat || isOpen) narrow();
    if (isFlat) return fill(bar, fields, clear);
    const box = element('div', { class: 'fields', id: 'filter-fields', hidden: !isOpen }, fields);
    const toggle = button('Filter', { symbol: 'filter', showsLabel: true, aria: { expanded: isOpen, controls: 'filter-fields' }, onClick: () => {
        isOpen = !isOpen;
        box.hidden = !isOpen;
        if (isOpen) narrow();
        setAria(toggle, 'expanded', isOpen);
    } });
    const chips = isSet.map((key) => {
        const text = chipText(key, filter[key], lists);
        return element('span', { class: 'chip' }, text, button(`Remove filter ${text}`, { symbol: 'close', onClick: () => set(key, null) }));
    });
    return fill(bar, toggle, chips, clear, box);
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
    // Only once the focus has moved: the rebuilt bar hands it to the successor of the field that has it.
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
            if (target.reportValidity()) onChange(found[0]?.[1] ?? null);
        } },
    }));
    return [input, list];
}

const dateText = new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium', timeZone: 'UTC' });
const minuteText = new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
/** @param {string} text */
const dayOf = (text) => {
    const time = Date.parse(text.includes('T') ? `${text}:00Z` : text);
    return Number.isNaN(time) ? text : (text.includes('T') ? minuteText : dateText).format(time);
};

/** The text of a filter's chip.
 *  @param {string} key @param {string} value @param {Partial<Lists>} lists */
export function chipText(key, value, lists = {}) {
    /** @param {Named[] | undefined} list */
    const named = (list) => list?.find((one) => one.id === value)?.name ?? value;
    switch (key) {
        case 'text': return `“${value}”`;
        case 'type': return typeNames[value] ?? value;
        case 'from': return `from ${dayOf(value)}`;
        case 'until': return `until ${dayOf(value)}`;
        case 'device': return named(lists.devices);
        case 'album': return named(lists.albums);
        case 'rating': return `${counted(Number(value), 'star')} or more`;
        case 'favorite': return 'Favourites';
        case 'inside': return areaText(parseBox(value));
        default: return value;
    }
}

/** An area, described by its centre.
 *  @param {Box | null} box */
const areaText = (box) => (box ? `at ${((box.south + box.north) / 2).toFixed(2)}, ${((box.west + box.east) / 2).toFixed(2)}` : 'nowhere');

/** @template {Element} Control @param {string} label @param {Control} control */
const labelled = (label, control) => {
    control.setAttribute('aria-label', label);
    return control;
};

/** The search field of the top bar. Its `show` shows the current search; an unsent one is dropped, unless it `keeps`
 *  what is being typed.
 *  @param {string | undefined} text @param {(text: string, isMeant: boolean) => void} onSearch */
export function searchField(text, onSearch) {
    const input = element('input', {
        type: 'search', placeholder: 'Search words, cameras, “yesterday 14:00”', value: text ?? '', maxlength: 512,
        aria: { label: 'Search' }, enterkeyhint: 'search',
    });
    /** @type {ReturnType<typeof setTimeout> | null} */
    let timer = null;
    const stop = () => {
        clearTimeout(timer);
        timer = null;
    };
    /** @param {boolean} isMeant */
    const send = (isMeant) => {
        stop();
        onSearch(input.value.trim(), isMeant);
    };
    input.addEventListener('input', () => {
        stop();
        timer = setTimeout(send, 350, false);
    });
    /** @param {string} now @param {boolean} keeps */
    const show = (now, keeps) => {
        if (keeps && timer) return;
        stop();
        // Typing goes on after a space.
        if (input.value.trim() !== now) input.value = now;
    };
    return Object.assign(element('form', { class: 'search', role: 'search', on: { submit: (event) => {
        event.preventDefault();
        send(true);
    } } }, icon('search'), input), { show });
}
