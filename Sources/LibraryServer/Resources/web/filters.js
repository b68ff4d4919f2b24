// The filter bar: it shows and changes the address, and has no state of its own.

import { later } from './api.js';
import { button, element, fill, icon, setAria } from './dom.js';
import { counted } from './format.js';
import { notifyProblem } from './notices.js';
import { parseBox, typeNames } from './route.js';

/** Whether the fields are open; kept from one filter to the next. */
let isOpen = false;

/** Makes the fields, once that is loaded.
 *  @type {typeof import('./filter-fields.js').filterFields | undefined} */
let makeFields;
const loadFields = async () => makeFields ??= (await later(import('./filter-fields.js'))).filterFields;

/** The bar: chips for the search and the set filters, and the fields behind one button.
 *  @param {Record<string, string>} filter
 *  @param {FilterOptions} options */
export function filterBar(filter, options) {
    const { lists = {}, onChange, fixed = [] } = options;
    const isSet = Object.keys(filter).filter((key) => !fixed.includes(key));
    const box = element('div', { class: 'fields', id: 'filter-fields', hidden: !isOpen });
    /** @type {ReturnType<typeof import('./filter-fields.js').filterFields> | undefined} */
    let made;
    const show = () => {
        made ??= makeFields?.(filter, options);
        if (made) fill(box, made.fields);
        if (isOpen) made?.narrow();
    };
    show();
    if (!made && (isOpen || lists.devices?.length || lists.albums?.length)) loadFields().then(show).catch(() => {});
    const toggle = button('Filter', { symbol: 'filter', showsLabel: true, aria: { expanded: isOpen, controls: 'filter-fields' }, onClick: () => {
        isOpen = !isOpen;
        box.hidden = !isOpen;
        setAria(toggle, 'expanded', isOpen);
        if (isOpen) loadFields().then(show).catch(notifyProblem);
    } });
    /** The bar that follows hands the focus to the control of the same name: first to one that both have.
     *  @param {HTMLElement | undefined} stop @param {Record<string, string>} rest */
    const leave = (stop, rest) => {
        (stop ?? toggle).focus();
        onChange(rest);
    };
    /** @type {HTMLElement[]} */
    const stops = isSet.map((key, index) => {
        const { [key]: value, ...rest } = filter;
        return button(`Remove filter ${chipText(key, value, lists)}`, { symbol: 'close', onClick: () => leave(stops[index + 1] ?? stops[index - 1], rest) });
    });
    const chips = isSet.map((key, index) => element('span', { class: 'chip' }, chipText(key, filter[key], lists), stops[index]));
    const clear = isSet.some((key) => key !== 'text') && button('Clear', { onClick: () => leave(undefined, {}) });
    return element('div', { class: 'filters', role: 'group', aria: { label: 'Filter' } }, toggle, chips, clear, box);
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
